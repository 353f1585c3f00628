*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    User traffic in GTP-U through nodes that compress the outer headers, IP and UDP, by ROHC's UDP profile.
...
...              6,000 UEs are active, out of 600,000: each a tunnel between one of 256 base stations and a UPF, and so
...              a part of one of 256 UDP flows of the outer headers. What is inside is payload to ROHC. Lengths are
...              mixed: 690 octets on average, or the classic mix of 7 short, 4 middle and 1 long packet. Each packet
...              must come out as it went in, octet by octet, or it counts as lost; one that was not sent is counted as
...              unexpected. Rates, controls, modes and what rows need are those of throughput. Results also say how
...              long packets are on average, plain and on the link.

Resource         imports.resource

Test Template    Throughput Should Be Found

Test Tags        performance    scheme:rohc    profile:udp


*** Test Cases ***                          SCHEME    PROFILE              CPUS     LOSS     MODE     FLOWS
Average Of 690 Octets NDR                   rohc      gtpu-imix            1c       none     U        6000
Average Of 690 Octets PDR                   rohc      gtpu-imix            1c       0.5 %    U        6000
Average Of 690 Octets PDR With Feedback     rohc      gtpu-imix            1c       0.5 %    O own    6000
Average Of 690 Octets PDR On Two Cores      rohc      gtpu-imix            2c-l3    0.5 %    U        6000
Average Of 690 Octets PDR On Four Cores     rohc      gtpu-imix            4c       0.5 %    U        6000
Classic Mix NDR                             rohc      gtpu-imix-classic    1c       none     U        6000
Classic Mix PDR                             rohc      gtpu-imix-classic    1c       0.5 %    U        6000
Average Of 690 Octets At 10,000 A Second
    [Documentation]    Every packet arrives at both ends as it was sent, in at least one of three trials; none arrives
    ...    changed in any.
    [Template]    Every Packet Should Arrive
    rohc    gtpu-imix    1c    10000    U    6000
Classic Mix At 10,000 A Second
    [Documentation]    As above, with the classic mix.
    [Template]    Every Packet Should Arrive
    rohc    gtpu-imix-classic    1c    10000    U    6000
