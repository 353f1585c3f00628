*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Packets overtake others or arrive twice, although RFC 3095, section 4.1, asks the channel for order:
...              links break that promise. DEPTH is how many later packets go ahead. A packet comes out as it was or not
...              at all, but for those that chance lets pass: where a packet is at risk, because its header was damaged
...              or too much was lost before it, a CRC of w bits misses it with the probability 2^-w. The judge, a
...              decompressor without repairs, gets the same arrivals and says which are at risk; more wrong packets
...              than the upper limit of a Poisson distribution (99.9 %) are a failure, and where none is at risk, one
...              is.

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
