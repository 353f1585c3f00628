*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    TCP and datagrams over links that compress headers by RFC 2507: the streams that the cores carry, what
...              an operation costs while connections come and go, and what two nodes forward.
...
...              A flow pair is a stream: a packet of each direction in every tick of 20 ms, segments of 512 octets or
...              datagrams of 64. A link has 16 CIDs of TCP and as many others (RFC 2507, 14), and there are as many
...              links as give each stream one. Between nodes, packets travel over PPPoE, with a CID for each of the
...              flows. Everything else as in voip_flow_pairs, flows_come_and_go, throughput and latency; nodes need
...              interfaces (`--topology netns`).

Resource         imports.resource

Test Tags        performance    scheme:iphc


*** Test Cases ***
Connections On One Core At 30 %
    Flow Pairs Should Be Found    iphc    tcp-bulk-data    1c    30 %

Connections On One Core At 50 %
    Flow Pairs Should Be Found    iphc    tcp-bulk-data    1c    50 %

Datagrams On One Core At 30 %
    Flow Pairs Should Be Found    iphc    udp-constant-ipv4    1c    30 %

Connections On One Core At No Missed Tick
    Flow Pairs Should Be Found    iphc    tcp-bulk-data    1c    no missed tick

Ten Thousand Connections Of 10 s
    Flows Should Come And Go    iphc    tcp-bulk-data    1c    10000    10 %

NDR Of Bulk Data
    Throughput Should Be Found    iphc    tcp-bulk-data    1c    none    ${EMPTY}    16

PDR Of Bulk Data
    Throughput Should Be Found    iphc    tcp-bulk-data    1c    0.5 %    ${EMPTY}    16

Bulk Data At 5,000 A Second
    [Documentation]    Every packet arrives at both ends as it was sent, in at least one of three trials; none arrives
    ...    changed in any.
    Every Packet Should Arrive    iphc    tcp-bulk-data    1c    5000    ${EMPTY}    16

Latency At 50 % Of PDR
    Latency Should Be Measured    iphc    tcp-bulk-data    1c    50 %    ${EMPTY}
