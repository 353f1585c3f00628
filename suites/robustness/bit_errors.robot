*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Bits are flipped on the link, independently of one another, in headers and payloads. The link drops
...              packets with damaged headers, as most links do, or delivers them. A packet comes out unchanged or not
...              at all, except for wrong packets that chance explains. A packet is at risk if its header was damaged or
...              too many packets before it were lost; a CRC of w bits misses an error with the probability 2^-w. The
...              judge, a decompressor without repairs, gets the same arrivals and finds the packets at risk. A case
...              fails if more wrong packets come out than the upper limit of a Poisson distribution (99.9 %), or any
...              wrong packet if none is at risk.

Resource         imports.resource

Test Template    Impaired Link Should Do No Harm

Test Tags        level:must    req:RFC3095-5.3.2.2.2-1    robustness    scheme:rohc


*** Test Cases ***            PROFILE                     LINK
BER 1e-5, U-Mode, Drop        voip-amr-nb-ipv6            mode=U    ber=0.00001    header_errors=drop
BER 1e-5, O-Mode, Deliver     voip-amr-nb-ipv4-silence    mode=O    ber=0.00001    header_errors=deliver
BER 1e-4, U-Mode, Drop        voip-amr-nb-ipv6            mode=U    ber=0.0001    header_errors=drop
BER 1e-4, O-Mode, Deliver     voip-amr-nb-ipv4-silence    mode=O    ber=0.0001    header_errors=deliver
BER 1e-3, U-Mode, Drop        voip-amr-nb-ipv6            mode=U    ber=0.001    header_errors=drop
BER 1e-3, O-Mode, Deliver     voip-amr-nb-ipv4-silence    mode=O    ber=0.001    header_errors=deliver
BER 1e-2, U-Mode, Drop        voip-amr-nb-ipv6            mode=U    ber=0.01    header_errors=drop
BER 1e-2, O-Mode, Deliver     voip-amr-nb-ipv4-silence    mode=O    ber=0.01    header_errors=deliver
BER 1e-3, Tunnel, Deliver     tunnel-ipv4-in-ipv4         mode=O    ber=0.001    header_errors=deliver
BER 1e-3, Gateway, Deliver    voip-mixed                  mode=O    ber=0.001    header_errors=deliver    flows=12
BER 1e-3, UDP, Deliver        udp-dns-like-ipv6           mode=U    ber=0.001    header_errors=deliver
BER 1e-3, IP, Deliver         icmp-ipv4                   mode=O    ber=0.001    header_errors=deliver
BER 1e-3, Feedback Too        voip-mixed                  mode=O    ber=0.001    feedback_ber=0.01
BER 1e-4, TCP, Deliver
    [Documentation]    Bit errors in packets of ROHC-TCP, whose compressed headers have CRCs of 3 and 7 bits; repaired
    ...    packets are verified, too.
    [Tags]    profile:tcp    req:RFC6846-5.3.1.1-3    req:RFC6846-5.3.1.1-5
    tcp-bulk-data    profiles=0x0000,0x0006    mode=O    ber=0.0001    header_errors=deliver
BER 1e-3, TCP, Deliver
    [Documentation]    Ten times as many bit errors in packets of ROHC-TCP.
    [Tags]    profile:tcp    req:RFC6846-5.3.1.1-3    req:RFC6846-5.3.1.1-5
    tcp-acknowledgements    profiles=0x0000,0x0006    mode=O    ber=0.001    header_errors=deliver
