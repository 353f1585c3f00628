*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Packets are lost on the link: one by one, in bursts (Gilbert-Elliott), and feedback too. A packet comes
...              out unchanged or not at all, except for wrong packets that chance explains. A packet is at risk if its
...              header was damaged or too many packets before it were lost; a CRC of w bits misses an error with the
...              probability 2^-w. The judge, a decompressor without repairs, gets the same arrivals and finds the
...              packets at risk. A case fails if more wrong packets come out than the upper limit of a Poisson
...              distribution (99.9 %), or any wrong packet if none is at risk.
...
...              OUTAGE, in O-mode: fewer packets in a row than this arrive without coming out, because feedback causes
...              a recovery.

Resource         imports.resource

Test Template    Impaired Link Should Do No Harm

Test Tags        level:must    req:RFC3095-5.3.2.2.2-1    robustness    scheme:rohc


*** Test Cases ***           PROFILE                      LINK
One In A Thousand, U-Mode    voip-amr-nb-ipv4-silence     mode=U    loss=0.001
One In A Hundred, U-Mode     voip-mixed                   mode=U    loss=0.01    flows=8
One In Twenty, U-Mode        voip-amr-nb-ipv6-silence     mode=U    loss=0.05
One In Five, U-Mode          header-changes-ipv4          mode=U    loss=0.2
One In A Hundred, O-Mode     voip-mixed                   mode=O    loss=0.01    flows=8    outage=40
One In Ten, O-Mode           rtp-timestamp-step-change    mode=O    loss=0.1    outage=40
One In Five, O-Mode          ip-id-changing               mode=O    loss=0.2    outage=80
One In Five, UDP             udp-dns-like-ipv4            mode=O    loss=0.2    outage=80
One In Five, IP              ip-only-ipv4                 mode=O    loss=0.2    outage=80
Bursts Of Two                voip-amr-nb-ipv4-silence     mode=U    burst_loss=0.02:0.5:1
Bursts Of Five               voip-amr-nb-ipv6-silence     mode=O    burst_loss=0.01:0.2:1    outage=80
Bursts Of Twenty             voip-g711-ipv4               mode=U    burst_loss=0.005:0.05:1
Bursts Of Twenty, Tunnel     tunnel-ipv4-in-ipv6          mode=O    burst_loss=0.005:0.05:1
Half Of The Feedback         voip-amr-nb-ipv4-silence     mode=O    loss=0.05    feedback_loss=0.5    outage=160
All Of The Feedback          voip-amr-nb-ipv4-silence     mode=O    loss=0.05    feedback_loss=1
Late Feedback                voip-amr-nb-ipv6-silence     mode=O    loss=0.05    feedback_delay=200    outage=160
Piggybacked Feedback         voip-mixed                   mode=O    loss=0.03    reverse=yes    feedback=piggybacked
