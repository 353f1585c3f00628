*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The time of packets from the generator through both nodes and the link and back to it, while the nodes
...              forward 10, 50 and 90 % of their PDR (see throughput) in each direction. A bare bridge in place of the
...              nodes at the same rate is the control. Latency is measured and not judged, because a slow
...              implementation breaks no promise; a row that loses more than the PDR allows is non-strict and says so.
...              Rows need interfaces, and MODE is, as in throughput.

Resource         imports.resource

Test Template    Latency Should Be Measured

Test Tags        performance    scheme:rohc    profile:rtp


*** Test Cases ***                                        SCHEME    PROFILE       CPUS     SHARE OF PDR    MODE
One Core At 10 % Of PDR                                   rohc      ${PROFILE}    1c       10 %            U
One Core At 50 % Of PDR                                   rohc      ${PROFILE}    1c       50 %            U
One Core At 90 % Of PDR                                   rohc      ${PROFILE}    1c       90 %            U
One Core At 50 % Of PDR With Feedback                     rohc      ${PROFILE}    1c       50 %            O own
One Core At 50 % Of PDR With Piggybacked Feedback         rohc      ${PROFILE}    1c       50 %            O piggybacked
Two Cores Sharing A Cache At 10 % Of PDR                  rohc      ${PROFILE}    2c-l3    10 %            U
Two Cores Sharing A Cache At 50 % Of PDR                  rohc      ${PROFILE}    2c-l3    50 %            U
Two Cores Sharing A Cache At 90 % Of PDR                  rohc      ${PROFILE}    2c-l3    90 %            U
