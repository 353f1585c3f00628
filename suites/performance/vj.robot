*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    TCP over links that compress headers by RFC 1144: the connections that the cores carry, what an
...              operation costs while connections come and go, and what two nodes forward.
...
...              A flow pair is a connection: a segment of 512 octets of each direction in every tick of 20 ms. A link
...              has 16 slots (RFC 1144, 5.1), and there are as many links as give each connection one. Between nodes,
...              packets travel over PPPoE, with a slot for each of the flows; MODE says whether slot identifiers are
...              compressed (RFC 1332, 4.1). Everything else as in voip_flow_pairs, flows_come_and_go, throughput and
...              latency; nodes need interfaces (`--topology netns`).

Resource         imports.resource

Test Tags        performance    scheme:vj


*** Test Cases ***
Connections On One Core At 30 %
    Flow Pairs Should Be Found    vj    tcp-bulk-data    1c    30 %

Connections On One Core At 50 %
    Flow Pairs Should Be Found    vj    tcp-bulk-data    1c    50 %

Connections On One Core At No Missed Tick
    Flow Pairs Should Be Found    vj    tcp-bulk-data    1c    no missed tick

Ten Thousand Connections Of 10 s
    Flows Should Come And Go    vj    tcp-bulk-data    1c    10000    10 %

NDR Of Bulk Data
    Throughput Should Be Found    vj    tcp-bulk-data    1c    none    compressed    16

PDR Of Bulk Data
    Throughput Should Be Found    vj    tcp-bulk-data    1c    0.5 %    compressed    16

PDR With Explicit Slot Identifiers
    Throughput Should Be Found    vj    tcp-bulk-data    1c    0.5 %    explicit    16

Bulk Data At 5,000 A Second
    [Documentation]    Every packet arrives at both ends as it was sent, in at least one of three trials; none arrives
    ...    changed in any.
    Every Packet Should Arrive    vj    tcp-bulk-data    1c    5000    compressed    16

Latency At 50 % Of PDR
    Latency Should Be Measured    vj    tcp-bulk-data    1c    50 %    compressed
