*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    TCP over links that compress headers by RFC 2507 (IPHC) and by the TAROC draft: the connections that
...              the cores carry, what an operation costs while connections come and go, and what two nodes forward.
...              Those of RFC 1144 are in vj.
...
...              A flow pair is a connection: a packet of each direction in every tick of 20 ms, segments of 512 octets
...              or acknowledgements alone. A link has 16 CIDs (RFC 2507, 14), and there are as many links as give each
...              connection one. Between nodes, packets travel over PPPoE, with a CID for each of the flows. Everything
...              else as in voip_flow_pairs, flows_come_and_go, throughput and latency; nodes need interfaces
...              (`--topology netns`).

Resource         imports.resource

Test Tags        performance


*** Test Cases ***
IPHC, Connections At 30 %
    [Tags]    scheme:iphc
    Flow Pairs Should Be Found    iphc    tcp-bulk-data    1c    30 %

IPHC, Connections At 50 %
    [Tags]    scheme:iphc
    Flow Pairs Should Be Found    iphc    tcp-bulk-data    1c    50 %

IPHC, Connections At No Missed Tick
    [Tags]    scheme:iphc
    Flow Pairs Should Be Found    iphc    tcp-bulk-data    1c    no missed tick

IPHC, Acknowledgements At 50 %
    [Tags]    scheme:iphc
    Flow Pairs Should Be Found    iphc    tcp-acknowledgements    1c    50 %

IPHC, Ten Thousand Connections Of 10 s
    [Tags]    scheme:iphc
    Flows Should Come And Go    iphc    tcp-bulk-data    1c    10000    10 %

IPHC, NDR Of Bulk Data
    [Tags]    scheme:iphc
    Throughput Should Be Found    iphc    tcp-bulk-data    1c    none    ${EMPTY}    16

IPHC, PDR Of Bulk Data
    [Tags]    scheme:iphc
    Throughput Should Be Found    iphc    tcp-bulk-data    1c    0.5 %    ${EMPTY}    16

IPHC, Bulk Data At 5,000 A Second
    [Tags]    scheme:iphc
    Every Packet Should Arrive    iphc    tcp-bulk-data    1c    5000    ${EMPTY}    16

IPHC, Latency At 50 % Of PDR
    [Tags]    scheme:iphc
    Latency Should Be Measured    iphc    tcp-bulk-data    1c    50 %    ${EMPTY}

TAROC, Connections At 30 %
    [Tags]    scheme:taroc
    Flow Pairs Should Be Found    taroc    tcp-bulk-data    1c    30 %

TAROC, Connections At 50 %
    [Tags]    scheme:taroc
    Flow Pairs Should Be Found    taroc    tcp-bulk-data    1c    50 %

TAROC, Connections At No Missed Tick
    [Tags]    scheme:taroc
    Flow Pairs Should Be Found    taroc    tcp-bulk-data    1c    no missed tick

TAROC, Acknowledgements At 50 %
    [Tags]    scheme:taroc
    Flow Pairs Should Be Found    taroc    tcp-acknowledgements    1c    50 %

TAROC, Ten Thousand Connections Of 10 s
    [Tags]    scheme:taroc
    Flows Should Come And Go    taroc    tcp-bulk-data    1c    10000    10 %

TAROC, NDR Of Bulk Data
    [Tags]    scheme:taroc
    Throughput Should Be Found    taroc    tcp-bulk-data    1c    none    ${EMPTY}    16

TAROC, PDR Of Bulk Data
    [Tags]    scheme:taroc
    Throughput Should Be Found    taroc    tcp-bulk-data    1c    0.5 %    ${EMPTY}    16

TAROC, Bulk Data At 5,000 A Second
    [Tags]    scheme:taroc
    Every Packet Should Arrive    taroc    tcp-bulk-data    1c    5000    ${EMPTY}    16

TAROC, Latency At 50 % Of PDR
    [Tags]    scheme:taroc
    Latency Should Be Measured    taroc    tcp-bulk-data    1c    50 %    ${EMPTY}
