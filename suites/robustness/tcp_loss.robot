*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    TCP with congestion control over a link that damages packets, in virtual time: a host sends to another
...              host over a router whose queue holds six packets. The link drops damaged packets, so that decompressors
...              lose their references; feedback is damaged as well.
...
...              TCP accepts no packet that no host has sent, except for those that its checksum of 16 bits misses by
...              chance, and it gets at least a twentieth of its throughput without header compression. More is not
...              judged, only recorded: over links with errors, schemes that send differences have less than without it.

Resource         imports.resource

Test Template    TCP Should Arrive Unchanged

Test Tags        level:must    robustness


*** Test Cases ***
VJ And Tahoe At 1e-6
    [Tags]    scheme:vj    req:RFC1144-3.2.2-1
    vj    tahoe    384    576    1e-6
VJ And Reno At 1e-5
    [Tags]    scheme:vj    req:RFC1144-3.2.2-1
    vj    reno    64    296    1e-5
VJ And SACK At 1e-4
    [Tags]    scheme:vj    req:RFC1144-3.2.2-1
    vj    sack    114    168    1e-4
VJ And Reno At 3e-4
    [Tags]    scheme:vj    req:RFC1144-3.2.2-1
    vj    reno    64    96    3e-4
IPHC And Tahoe At 1e-6
    [Tags]    scheme:iphc    req:RFC2507-6-1
    iphc    tahoe    384    576    1e-6
IPHC And Reno At 1e-5
    [Tags]    scheme:iphc    req:RFC2507-6-1
    iphc    reno    64    296    1e-5
IPHC And SACK At 1e-4
    [Tags]    scheme:iphc    req:RFC2507-6-1
    iphc    sack    114    168    1e-4
IPHC And Reno At 3e-4
    [Tags]    scheme:iphc    req:RFC2507-6-1
    iphc    reno    64    96    3e-4
TAROC And Tahoe At 1e-6
    [Tags]    scheme:taroc    req:TAROC-7.2-1
    taroc    tahoe    384    576    1e-6
TAROC And Reno At 1e-5
    [Tags]    scheme:taroc    req:TAROC-7.2-1
    taroc    reno    64    296    1e-5
TAROC And SACK At 1e-4
    [Tags]    scheme:taroc    req:TAROC-7.2-1
    taroc    sack    114    168    1e-4
TAROC And Reno At 3e-4
    [Tags]    scheme:taroc    req:TAROC-7.2-1
    taroc    reno    64    96    3e-4
ROHC-TCP And Tahoe At 1e-6
    [Tags]    scheme:rohc    req:RFC6846-5.3.1.1-3
    rohc    tahoe    384    576    1e-6    profiles=0x0000,0x0006    mode=O
ROHC-TCP And Reno At 1e-5
    [Tags]    scheme:rohc    req:RFC6846-5.3.1.1-3
    rohc    reno    64    296    1e-5    profiles=0x0000,0x0006    mode=O
ROHC-TCP And SACK At 1e-4
    [Tags]    scheme:rohc    req:RFC6846-5.3.1.1-3
    rohc    sack    114    168    1e-4    profiles=0x0000,0x0006    mode=O
ROHC-TCP And Reno At 3e-4
    [Tags]    scheme:rohc    req:RFC6846-5.3.1.1-3
    rohc    reno    64    96    3e-4    profiles=0x0000,0x0006    mode=O
