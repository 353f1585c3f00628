*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Loss, bursts, bit errors with damaged headers delivered, reordering, duplicates, late and lost
...              feedback, all at once. A packet comes out as it was or not at all, but for those that chance lets pass:
...              where a packet is at risk, because its header was damaged or too much was lost before it, a CRC of w
...              bits misses it with the probability 2^-w. The judge, a decompressor without repairs, gets the same
...              arrivals and says which are at risk; more wrong packets than the upper limit of a Poisson distribution
...              (99.9 %) are a failure, and where none is at risk, one is.

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
