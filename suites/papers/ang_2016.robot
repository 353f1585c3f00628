*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Performance Characterization of ROHC for Satellite-Based Unidirectional Links Using Error-Free
...              Channels (W.-C. Ang, M.-I. Sarwar, T.-C. Wan, 2016): its tables and figures measured again, in virtual
...              time. Figure 3 is its test-bed: streams and pings go through real nodes, too.
...
...              What the paper's text says of its figures is data in reports/papers/ang-2016.yaml, each with its place
...              in the paper and how it is measured. A figure that must match and does not is a failure; a shape that
...              is missed is non-strict. Few of them are printed: the others are the paper's equations, evaluated, and
...              bounds on its words, which count apart.

Resource         imports.resource

Test Template    Figures Should Be Beside The Paper's

Test Tags        paper:ang-2016    scheme:ule


*** Test Cases ***                           PAPER       PLACES
Figure 3: Through Nodes In Real Time         ang-2016    Figure 3
Table 1: Streams As They Are Sent            ang-2016    Table 1
Figures 4 To 6: Mean Header                  ang-2016    Figure 4    Figure 5    Figure 6
Figure 7 And Equations 8 To 12: Packing      ang-2016    Section 5.2    Figure 7
Figures 8 And 9: Round Trips                 ang-2016    Figure 8    Figure 9
Figure 10: Compressed Streams, Padded        ang-2016    Figure 10
Figures 11 To 15: Throughput And Gain        ang-2016    Figure 11    Figure 12    Figure 13    Figure 14    Figure 15
Figures 16 And 17, Table 2: Streams          ang-2016    Figure 16    Figure 17    Table 2
Table 3: Inter-Arrival Times                 ang-2016    Table 3
Figures 18 To 20: Lengths Of Link Packets    ang-2016    Figure 18    Figure 19    Figure 20
Figure 21: Cost Of Looking For Contexts      ang-2016    Figure 21
Section 6: Carriages And Bit Errors          ang-2016    Section 6
