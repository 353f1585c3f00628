*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The highest rate that two nodes with a link between them forward in both directions at once, found by
...              MLRsearch: with no loss (NDR), and with 0.5 % (PDR). Every packet must come out as it went in, or it
...              counts as lost. Rates are packets a second of each direction.
...
...              The same line with the null codec, and with nodes that only pass frames on, is measured beside it: what
...              they forward is what harness, link and kernel leave. One of the two that comes out below the nodes in
...              question was disturbed and is measured again, three times in all; where it stays below, it is no
...              control and has no rate. A generator that falls behind is an error, never a limit. The loads of the
...              cores come from trials of their own. Rows need interfaces and are unsupported without: `--topology
...              netns`, `compose` or a testbed file. Rows of one CPU configuration and mode share their measurements.
...
...              Besides, every packet must arrive at both ends at 10,000 a second, octet by octet: in one of three
...              trials at least, for what takes a core away for a moment costs packets, too.
...
...              MODE is the ROHC mode, and how feedback travels: none in U-mode; in O-mode in frames of its own, or
...              piggybacked on packets of the other direction.

Resource         imports.resource

Test Template    Throughput Should Be Found

Test Tags        performance    scheme:rohc    profile:rtp


*** Test Cases ***                             SCHEME    PROFILE       CPUS         LOSS     MODE
One Core NDR                                   rohc      ${PROFILE}    1c           none     U
One Core PDR                                   rohc      ${PROFILE}    1c           0.5 %    U
One Core NDR With Feedback                     rohc      ${PROFILE}    1c           none     O own
One Core PDR With Feedback                     rohc      ${PROFILE}    1c           0.5 %    O own
One Core NDR With Piggybacked Feedback         rohc      ${PROFILE}    1c           none     O piggybacked
One Core PDR With Piggybacked Feedback         rohc      ${PROFILE}    1c           0.5 %    O piggybacked
Two Threads Of One Core NDR                    rohc      ${PROFILE}    2c-smt       none     U
Two Threads Of One Core PDR                    rohc      ${PROFILE}    2c-smt       0.5 %    U
Two Cores Sharing A Cache NDR                  rohc      ${PROFILE}    2c-l3        none     U
Two Cores Sharing A Cache PDR                  rohc      ${PROFILE}    2c-l3        0.5 %    U
Two Sockets NDR                                rohc      ${PROFILE}    2c-socket    none     U
Two Sockets PDR                                rohc      ${PROFILE}    2c-socket    0.5 %    U
Four Cores NDR                                 rohc      ${PROFILE}    4c           none     U
Four Cores PDR                                 rohc      ${PROFILE}    4c           0.5 %    U
One Core At 10,000 A Second
    [Template]    Every Packet Should Arrive
    rohc    ${PROFILE}    1c    10000    U
One Core At 10,000 A Second With Feedback
    [Template]    Every Packet Should Arrive
    rohc    ${PROFILE}    1c    10000    O own
One Core At 10,000 A Second With Piggybacked Feedback
    [Template]    Every Packet Should Arrive
    rohc    ${PROFILE}    1c    10000    O piggybacked
