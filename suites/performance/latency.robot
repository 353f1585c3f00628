*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    How long packets take from the generator through both nodes and the link and back to it, while the
...              nodes forward 10, 50 and 90 % of their PDR (see throughput), in each direction. Measured and not
...              judged, for a slow implementation breaks no promise. Rows need interfaces, as those of throughput do.

Resource         imports.resource

Test Template    Latency Should Be Measured

Test Tags        performance    scheme:rohc    profile:rtp


*** Test Cases ***                          PROFILE       CPUS     SHARE OF PDR
One Core At 10 % Of PDR                     ${PROFILE}    1c       10 %
One Core At 50 % Of PDR                     ${PROFILE}    1c       50 %
One Core At 90 % Of PDR                     ${PROFILE}    1c       90 %
Two Cores Sharing A Cache At 10 % Of PDR    ${PROFILE}    2c-l3    10 %
Two Cores Sharing A Cache At 50 % Of PDR    ${PROFILE}    2c-l3    50 %
Two Cores Sharing A Cache At 90 % Of PDR    ${PROFILE}    2c-l3    90 %
