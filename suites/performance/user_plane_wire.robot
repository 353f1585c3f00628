*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    A user plane (UPF) in a node between N3 and N6: each user has a session, established over N4 on the
...              wire, and the generator is the base stations and the data network. Uplink it sends G-PDUs to N3 and
...              receives the users' packets at N6; downlink it sends the users' packets to N6 and receives them in
...              the tunnels of their sessions. Every packet must come out octet by octet, downlink with the TEID of its
...              session, or it counts as lost.
...
...              Rates are packets a second of each direction, found by MLRsearch: with no loss (NDR), and with 0.5 %
...              (PDR). The bare bridge, a node that passes the same packets on untouched, is measured beside it; on
...              veth the kernel takes most of the time of both. USERS are 6,000, in a quick run 600. Rows need
...              interfaces and are unsupported without: `--topology netns`, or `compose` as root.
...
...              With several cores, each receives and forwards the packets of its users (queues); or the first one
...              receives, finds the worker by the user's address and hands packets over (rx-cores). The bare bridge
...              uses all cores by queues. Loads of receiving cores stand beside those of workers. The generator needs a
...              CPU of its own: with two, rows of several cores are unsupported.
...              Flows of gtpu-imix live for ever; those of upf-carrier are connections that begin and end.
...
...              TRex (`--generator trex`, with netns) sends the same packets as streams. It counts arrivals and
...              measures latency with a flow of its own; packets are compared before its trials and at 10,000 a second.

Resource         imports.resource

Test Template    User Plane Throughput Should Be Found

Test Tags        performance    scheme:gtpu


*** Test Cases ***                           PROFILE        CPUS     LOSS     DISTRIBUTION
One Core NDR                                 gtpu-imix      1c       none     queues
One Core PDR                                 gtpu-imix      1c       0.5 %    queues
Two Cores NDR                                gtpu-imix      2c-l3    none     queues
Two Cores PDR                                gtpu-imix      2c-l3    0.5 %    queues
Worker Behind A Receiving Core NDR           gtpu-imix      2c-l3    none     rx-cores
Worker Behind A Receiving Core PDR           gtpu-imix      2c-l3    0.5 %    rx-cores
Three Workers Behind A Receiving Core PDR    gtpu-imix      4c       0.5 %    rx-cores
Connections NDR                              upf-carrier    1c       none     queues
Connections PDR                              upf-carrier    1c       0.5 %    queues
One Core At 10,000 A Second
    [Template]    User Plane Should Forward Every Packet
    gtpu-imix    1c    10000
Worker Behind A Receiving Core At 10,000 A Second
    [Template]    User Plane Should Forward Every Packet
    gtpu-imix    2c-l3    10000    rx-cores
Connections At 10,000 A Second
    [Template]    User Plane Should Forward Every Packet
    upf-carrier    1c    10000
Latency At 10 % Of PDR
    [Template]    User Plane Latency Should Be Measured
    gtpu-imix    1c    10 %
Latency At 50 % Of PDR
    [Template]    User Plane Latency Should Be Measured
    gtpu-imix    1c    50 %
Latency At 90 % Of PDR
    [Template]    User Plane Latency Should Be Measured
    gtpu-imix    1c    90 %
