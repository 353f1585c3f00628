*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    TCP-Aware RObust Header Compression (draft-ietf-rohc-tcp-taroc-00, 2000): the simulations of its
...              Appendix B measured again. A host sends by TCP over a link with bit errors, in virtual time, with real
...              packets through compressors and decompressors.
...
...              What the draft's tables say is data in reports/papers/taroc-2000.yaml, each with its place in the
...              draft and how it is measured. The draft does not say how long it simulated and how its random numbers
...              were drawn, so a figure that is missed is non-strict.

Resource         imports.resource

Test Template    Figures Should Be Beside The Paper's

Test Tags        paper:taroc-2000    scheme:taroc


*** Test Cases ***       PAPER         PLACES
Tahoe At 384 kbit/s      taroc-2000    Appendix B.3.1
SACK At 114 kbit/s       taroc-2000    Appendix B.3.2
Reno At 64 kbit/s        taroc-2000    Appendix B.3.3
SACK At 9600 bit/s       taroc-2000    Appendix B.3.4
