*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Short load trials: the engine keeps its ticks and packets come out as they went in.

Resource         imports.resource

Test Tags        smoke


*** Test Cases ***
A Hundred Flow Pairs On One Core
    [Tags]    scheme:rohc
    Load Should Be Carried    rohc    voip-amr-nb-ipv6    1c    100

A Hundred TCP Connections On One Core
    [Tags]    scheme:vj
    Load Should Be Carried    vj    tcp-bulk-data    1c    100

A Hundred Flow Pairs In TS Packets On One Core
    [Tags]    scheme:ule
    Load Should Be Carried    ule    udp-690    1c    100
