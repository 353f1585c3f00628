*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    IP in transport streams by RFC 4326: the flow pairs that the cores carry, what an operation costs while
...              flows come and go, and what two nodes forward.
...
...              An operation is to encapsulate a PDU and to receive it. All flows of a core share a PID, packed (6.2),
...              with NPA addresses. Between nodes, TS packets travel in datagrams of UDP, seven in each at most, as
...              modulators take them; MODE is `packing` or `padding`, with `absent` after it where SNDUs have no
...              address. Everything else as in voip_flow_pairs, flows_come_and_go, throughput and latency; nodes need
...              interfaces (`--topology netns`). What a PDU of each length costs is in ule_pdus.

Resource         imports.resource

Test Tags        performance    scheme:ule


*** Test Cases ***
Flow Pairs On One Core At 30 %
    Flow Pairs Should Be Found    ule    udp-690    1c    30 %

Flow Pairs On One Core At 50 %
    Flow Pairs Should Be Found    ule    udp-690    1c    50 %

Flow Pairs On One Core At No Missed Tick
    Flow Pairs Should Be Found    ule    udp-690    1c    no missed tick

Ten Thousand Flow Pairs Of 10 s
    Flows Should Come And Go    ule    udp-690    1c    10000    10 %

NDR Of 690 Octets
    Throughput Should Be Found    ule    udp-690    1c    none    packing

PDR Of 690 Octets
    Throughput Should Be Found    ule    udp-690    1c    0.5 %    packing

PDR Of 690 Octets Padded
    Throughput Should Be Found    ule    udp-690    1c    0.5 %    padding

690 Octets At 5,000 A Second
    [Documentation]    Every packet arrives at both ends as it was sent, in at least one of three trials; none arrives
    ...    changed in any.
    Every Packet Should Arrive    ule    udp-690    1c    5000    packing

Latency At 50 % Of PDR
    Latency Should Be Measured    ule    udp-690    1c    50 %    packing
