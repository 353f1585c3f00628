*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Packets overtake others or arrive twice, although RFC 3095, section 4.1, asks the channel for order:
...              links break that promise. DEPTH is the number of later packets that overtake a packet. A packet comes
...              out unchanged or not at all, except for wrong packets that chance explains. A packet is at risk if its
...              header was damaged or too many packets before it were lost; a CRC of w bits misses an error with the
...              probability 2^-w. The judge, a decompressor without repairs, gets the same arrivals and finds the
...              packets at risk. A case fails if more wrong packets come out than the upper limit of a Poisson
...              distribution (99.9 %), or any wrong packet if none is at risk.

Resource         imports.resource

Test Template    Impaired Link Should Do No Harm

Test Tags        level:must    req:RFC3095-5.3.2.2.2-1    robustness    scheme:rohc


*** Test Cases ***    PROFILE                       LINK
Depth 1, RTP          voip-amr-nb-ipv4-silence      mode=U    reorder=0.05    depth=1
Depth 2, RTP          voip-amr-nb-ipv6-silence      mode=O    reorder=0.05    depth=2
Depth 4, RTP          header-changes-ipv4           mode=O    reorder=0.05    depth=4
Depth 8, RTP          voip-g711-ipv4                mode=U    reorder=0.05    depth=8
Depth 3, UDP          udp-dns-like-ipv4             mode=O    reorder=0.05    depth=3
Depth 8, IP           ip-only-ipv4                  mode=U    reorder=0.05    depth=8
Duplicates            voip-amr-nb-ipv4-silence      mode=O    duplicate=0.05
Duplicates, UDP       udp-constant-ipv4-checksum    mode=O    duplicate=0.05
Jitter Of 60 ms       voip-amr-nb-ipv6              mode=O    jitter=60
