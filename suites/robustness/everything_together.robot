*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Loss, bursts, bit errors with damaged headers delivered, reordering, duplicates, late and lost
...              feedback, all at once. A packet comes out unchanged or not at all, except for wrong packets that chance
...              explains. A packet is at risk if its header was damaged or too many packets before it were lost; a CRC
...              of w bits misses an error with the probability 2^-w. The judge, a decompressor without repairs, gets
...              the same arrivals and finds the packets at risk. A case fails if more wrong packets come out than the
...              upper limit of a Poisson distribution (99.9 %), or any wrong packet if none is at risk.

Resource         imports.resource

Test Template    Everything At Once Should Do No Harm

Test Tags        level:must    req:RFC3095-5.3.2.2.2-1    robustness    scheme:rohc


*** Test Cases ***    PROFILE                     LINK
Calls, O-Mode         voip-amr-nb-ipv4-silence    mode=O
Calls, U-Mode         voip-amr-nb-ipv6-silence    mode=U
A Gateway             voip-mixed                  mode=O    flows=20    cids=large    max_cid=50
Changing Headers      header-changes-ipv4         mode=O
Tunnels               tunnel-ipv6-in-ipv4         mode=O
Queries               udp-dns-like-ipv4           mode=O
