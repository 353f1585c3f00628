*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Effnet ROHC Performance on Intel Core Microarchitecture-Based Processors (Intel and Effnet, 2007): its
...              tables and figures measured again.
...
...              The paper's figures are data in reports/papers/effnet-2007.yaml, each with its place in the paper, how
...              it was measured, and what kind of agreement can be expected. A figure that must match and does not is
...              a failure; a shape that is missed is non-strict; another machine's speed is context.

Resource         imports.resource

Test Template    Figures Should Be Beside The Paper's

Test Tags        paper:effnet-2007    scheme:rohc


*** Test Cases ***                                      PAPER           PLACES
Table 1: Minimum Headers                                effnet-2007     Table 1
Table 2: Packets Lost With And Without ROHC             effnet-2007     Table 2
Figure 3: W-LSB Encoding Of The Years 1800 To 1899      effnet-2007     Figure 3
Figure 4: Packet Size Over A Call                       effnet-2007     Figure 4
Figure 7 And Table 4: Scaling Over Cores    [Tags]    thorough
                                                        effnet-2007     Figure 7    Table 4
Figures 5 And 6: Compilers    [Tags]    thorough
                                                        effnet-2007     Figures 5 and 6
