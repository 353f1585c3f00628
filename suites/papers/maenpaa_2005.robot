*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Performance of Signalling Compression in the Third Generation Mobile Network (J. Mäenpää, Helsinki
...              University of Technology, 2005): its tables and appendices measured again.
...
...              The thesis's figures are data in reports/papers/maenpaa-2005.yaml and the folder beside it, each with
...              its place and what it was measured with. Compressed sizes follow from the method and must match; a
...              ratio or an order that is missed is non-strict; times are another machine's and context.

Resource         imports.resource

Test Template    Figures Should Be Beside The Paper's

Test Tags        paper:maenpaa-2005    scheme:sigcomp


*** Test Cases ***                                      PAPER           PLACES
Figure 2: Delay Without Compression                     maenpaa-2005    Figure 2
Table 10: Linear Search Versus Hashing                  maenpaa-2005    Table 10
Table 11: Length Of The Look-Ahead Buffer               maenpaa-2005    Table 11
Table 12: Shared State Length                           maenpaa-2005    Table 12
Table 13: Static Dictionary Priorities                  maenpaa-2005    Table 13
Table 14: Mechanisms And Memory                         maenpaa-2005    Table 14
Table 15: Bytecode Lengths                              maenpaa-2005    Table 15
Table 16: Sequences Over TCP And UDP                    maenpaa-2005    Table 16
Figures 49 And 50: Unreliable Versus Reliable           maenpaa-2005    Section 9.8
Figures 45 To 47: Times And State By Mechanism          maenpaa-2005    Figures 45 and 46    Figure 47
Figures 51 And 52: Times Across Processors              maenpaa-2005    Figures 51 and 52
Figure 53: Delay With SigComp                           maenpaa-2005    Figure 53
Appendix D: Linear Search Versus Hashing                maenpaa-2005    Appendix D
Appendix E: Length Of The Look-Ahead Buffer             maenpaa-2005    Appendix E
Appendix F: Length Of Shared States                     maenpaa-2005    Appendix F
Appendix G: SHA-1                                       maenpaa-2005    Appendix G
Appendix H: Mechanisms                                  maenpaa-2005    Appendix H
Appendix I: Decompression Memory Size                   maenpaa-2005    Appendix I
Appendix J: Unreliable Versus Reliable Transport        maenpaa-2005    Appendix J
Appendix K: Processors                                  maenpaa-2005    Appendix K
Appendix L: Sequences                                   maenpaa-2005    Appendix L
Table 17: Load, And Memory                              maenpaa-2005    Table 17    Section 11.6
Appendix M: Number Of Workers                           maenpaa-2005    Appendix M
Appendix N: Time In System And Throughput               maenpaa-2005    Appendix N
