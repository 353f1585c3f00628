*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    TCP of this machine's kernel over two nodes, with and without header compression side by side: a fixed
...              host sends over a network of 8 Mbit/s and a router to a mobile host, as in the TAROC draft (appendix
...              B.1), with a delay of 100 ms on the network and on the link. The router's queue is in front of its
...              compressor, and the link is busy with the octets that leave it. It holds as many packets as are on
...              their way in a round trip, for several connections that keep the link busy.
...
...              Every octet arrives as it was sent. Goodput is compared and no figure of it judged: it depends on the
...              kernel and on chance. It is not below that without compression by more than chance explains; schemes
...              that send differences lose more packets than the link where it has errors, and have to get through.
...              A case that cannot tell says so. Rows need `--topology netns`.

Resource         imports.resource

Test Tags        performance


*** Test Cases ***
VJ, No Errors
    [Tags]    scheme:vj
    TCP Should Not Be Slower With Compression    vj    ${EMPTY}    384    576    0    3

IPHC, No Errors
    [Tags]    scheme:iphc
    TCP Should Not Be Slower With Compression    iphc    ${EMPTY}    384    576    0    3

TAROC, No Errors
    [Tags]    scheme:taroc
    TCP Should Not Be Slower With Compression    taroc    ${EMPTY}    384    576    0    3

ROHC, No Errors
    [Tags]    scheme:rohc    profile:tcp
    TCP Should Not Be Slower With Compression    rohc    O own, TCP    384    576    0    3

VJ, BER 3e-5
    [Tags]    scheme:vj
    TCP Should Get Through    vj    ${EMPTY}    384    296    3e-5    16

TAROC, BER 3e-5
    [Tags]    scheme:taroc
    TCP Should Not Be Slower With Compression    taroc    ${EMPTY}    384    296    3e-5    16

ROHC, BER 3e-5
    [Tags]    scheme:rohc    profile:tcp
    TCP Should Not Be Slower With Compression    rohc    O own, TCP    384    296    3e-5    16

IPHC, BER 1e-4
    [Tags]    scheme:iphc
    TCP Should Get Through    iphc    ${EMPTY}    384    168    1e-4    32

TAROC, BER 1e-4
    [Tags]    scheme:taroc
    TCP Should Not Be Slower With Compression    taroc    ${EMPTY}    384    168    1e-4    32

ROHC, BER 1e-4
    [Tags]    scheme:rohc    profile:tcp
    TCP Should Not Be Slower With Compression    rohc    O own, TCP    384    168    1e-4    32
