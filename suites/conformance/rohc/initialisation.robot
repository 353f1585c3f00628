*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    IR and IR-DYN packets and their chains: RFC 3095, sections 5.2.3, 5.2.4, 5.3.1 and 5.7.7; RFC 3843,
...              section 3.1; RFC 4815, sections 5, 6 and 7.

Resource         imports.resource

Test Tags        level:must    scheme:rohc


*** Test Cases ***
RTP Over IPv4 And IPv6
    [Documentation]    Sends IR packets of profile 0x0001 with both chains, over IPv4 and IPv6, and a packet that uses
    ...    the context. Expects both delivered.
    [Tags]    profile:rtp    req:RFC3095-5.2.3-1    req:RFC3095-5.7.7.1-1    req:RFC3095-5.7.7.3-1
    ...       req:RFC3095-5.7.7.4-1    req:RFC3095-5.7.7.5-2    req:RFC3095-5.7.7.6-1    req:RFC3095-5.9.1-1
    ...       req:RFC4815-2.1-1    req:RFC4815-5.1-1    req:RFC5795-5.2.2.1-1    req:RFC5795-5.3.1.1-3    smoke
    Vectors Should Be Decompressed    rtp-ir-ipv4    rtp-ir-ipv6    rtp-ir-all-values

Two IP Headers
    [Documentation]    Sends IR packets with two IP headers in every combination of IPv4 and IPv6, outermost first in
    ...    both chains. Expects them delivered.
    [Tags]    profile:rtp    req:RFC3095-5.7.7-3    req:RFC3095-5.7.7.1-1
    Vectors Should Be Decompressed    rtp-ir-ipv4-in-ipv4    rtp-ir-ipv6-in-ipv4    rtp-ir-ipv4-in-ipv6
    ...    rtp-ir-ipv6-in-ipv6

RTP Dynamic Part
    [Documentation]    Sends IR packets whose RTP part is with and without its second octet of flags, with X, P and the
    ...    marker, with TS_STRIDE in 1, 3 and 4 octets, TIME_STRIDE zero, and reserved bits that are ones.
    ...    Expects them delivered, the initial values of a context where nothing was sent, and the marker
    ...    not kept.
    [Tags]    profile:rtp    req:RFC3095-4.5.6-1    req:RFC3095-5.7-5    req:RFC3095-5.7.5.2-1    req:RFC3095-5.7.7.6-1
    ...       req:RFC3095-5.7.7.6-3    req:RFC4815-6.5-1    req:RFC5795-5.3.2-1
    Vectors Should Be Decompressed    rtp-ir-without-rx    rtp-ir-x-and-p    rtp-ir-marker    rtp-ir-stride-sizes
    ...    rtp-ir-time-stride-zero    rtp-ir-reserved-ignored

CSRC Lists
    [Documentation]    Sends IR packets with one, two, three and nine CSRCs, with a generation identifier, with padding
    ...    that is not zero, and with a first CC field that says something else. Expects the lists in this
    ...    and the next packet.
    [Tags]    feature:list-compression    profile:rtp    req:RFC3095-5.8.6.1-1    req:RFC4815-5.2-2
    Vectors Should Be Decompressed    rtp-ir-csrc-*    rtp-ir-first-cc-ignored

IP-ID In IR
    [Documentation]    Sends an IR packet with NBO = 0. Expects the identification as it is in the header, and swapped
    ...    only afterwards.
    [Tags]    profile:rtp    req:RFC4815-8.2-3
    Vectors Should Be Decompressed    rtp-ir-identification-not-swapped

IR And IR-DYN Without Payload
    [Documentation]    Sends IR and IR-DYN packets without payload. Expects that they deliver nothing and update the
    ...    context all the same.
    [Tags]    req:RFC3095-5.7.7-1
    Vectors Should Be Decompressed    rtp-ir-without-payload    rtp-ir-dyn-without-payload    udp-ir-without-payload

Refreshes
    [Documentation]    Sends IR packets to a context that is there: without the second octet of RTP flags, for another
    ...    flow, with a UDP checksum where there was none. Expects that what they carry is updated and the
    ...    rest stays; X becomes zero.
    [Tags]    profile:rtp    req:RFC3095-5.7-8    req:RFC4815-6.3-1    req:RFC4815-6.5-1    req:RFC5795-5.2.2-1
    Vectors Should Be Decompressed    rtp-ir-refresh-keeps-stride    rtp-ir-refresh-clears-x    rtp-ir-reuses-cid
    ...    rtp-ir-turns-checksum-on

IR-DYN
    [Documentation]    Sends IR-DYN packets that refresh the dynamic part, turn RND on and the UDP checksum off. Expects
    ...    that later packets are read by it.
    [Tags]    req:RFC3095-5.11.1-4    req:RFC3095-5.2.4-2    req:RFC3095-5.7-8    req:RFC3095-5.7.7.2-4
    Vectors Should Be Decompressed    rtp-ir-dyn    rtp-ir-dyn-sets-rnd    rtp-ir-dyn-turns-checksum-off    udp-ir-dyn

IR Without Dynamic Chain
    [Documentation]    Sends IR packets with the static chain alone: to a context that is there, and as the first of two
    ...    steps. Expects that only the static part is updated, and that nothing but IR, IR-DYN and type 2
    ...    is decompressed in between.
    [Tags]    profile:rtp    req:RFC3095-5.3.2.2.1-2    req:RFC3095-5.4.2.2-5    req:RFC3095-5.7.7.2-4
    ...       req:RFC4815-6.3-1
    Vectors Should Be Decompressed    rtp-ir-static-only-on-context    rtp-ir-static-then-ir-dyn
    ...    rtp-uo-0-in-static-context

Packets Before The First IR
    [Documentation]    Sends packets of type 0, 1 and 2 and IR-DYN packets for a context that no IR packet has made.
    ...    Expects that they are discarded, and that IR-DYN makes no context.
    [Tags]    req:RFC3095-5.1.2-1    req:RFC3095-5.2.4-1    req:RFC3095-5.2.6-7    req:RFC3095-5.2.6-8
    ...       req:RFC3095-5.3.2.2.1-1    req:RFC5795-5.2.2.2-1    req:RFC5795-5.2.3-3
    Vectors Should Be Decompressed    rtp-uo-0-before-ir    rtp-ir-dyn-before-ir

Wrong CRC
    [Documentation]    Sends IR and IR-DYN packets whose CRC-8 disagrees. Expects that they are discarded and change
    ...    nothing.
    [Tags]    profile:rtp    req:RFC3095-5.2.6-5    req:RFC3095-5.2.6-6    req:RFC3095-5.2.6-8    req:RFC5795-5.2.3-1
    ...       req:RFC5795-5.2.3-2    smoke
    Vectors Should Be Decompressed    rtp-ir-wrong-crc    rtp-ir-dyn-wrong-crc

Chains That Lead Elsewhere
    [Documentation]    Sends chains of profile 0x0001 that lead to TCP, of 0x0002 that lead to ICMP, and one with IP
    ...    version 5. Expects that the packets are discarded.
    [Tags]    req:RFC3095-5.7.7-3    req:RFC3095-5.7.7.1-1    req:RFC3095-5.7.7.2-1    req:RFC3095-5.7.7.2-2
    ...       req:RFC5795-5.2.3-4
    Vectors Should Be Decompressed    rtp-ir-chain-leads-to-tcp    udp-ir-chain-without-udp    rtp-ir-ip-version-5

IR Packets Cut Short
    [Documentation]    Sends IR packets of every profile, cut at every octet of their header. Expects that they are
    ...    discarded.
    [Tags]    req:RFC5795-5.2.3-4
    Vectors Should Be Decompressed    rtp-ir-truncated    udp-ir-truncated    ip-ir-truncated

Profile Switches
    [Documentation]    Sends IR and IR-DYN packets that give a CID another profile, where the static chain allows it and
    ...    where it does not. Expects the new profile, in its initial mode, or that the packet is discarded.
    [Tags]    req:RFC3095-5.11.1-3    req:RFC3095-5.7.7.2-1    req:RFC3095-5.7.7.2-2    req:RFC3843-3.5-2
    ...       req:RFC4815-7.2.2-1    req:RFC5795-5.1.1-2
    Vectors Should Be Decompressed    udp-profile-*    ip-profile-*

Compressor Starts With IR: RTP Over IPv4
    [Documentation]    Sends a flow (rtp-ipv4). Expects that its first packet is an IR packet with both chains, every
    ...    field as in the original.
    [Tags]    profile:rtp    req:RFC3095-4.3.1-1    req:RFC3095-4.3.1.1-1    req:RFC3095-4.3.1.1-2
    ...       req:RFC3095-4.4.1-1    req:RFC3095-5.2.3-2    req:RFC3095-5.6.1-3    req:RFC3095-5.7.7.1-1
    ...       req:RFC3095-5.9.1-1    req:RFC4815-2.2-1    req:RFC5795-5.3.1.1-1    req:RFC5795-5.3.1.1-2
    First Packet Should Be A Complete IR    rtp-ipv4    packets=30    mode=O or U    decompressor=none

Compressor Starts With IR: RTP Over IPv6
    [Documentation]    Sends a flow (rtp-ipv6). Expects that its first packet is an IR packet with both chains, every
    ...    field as in the original.
    [Tags]    profile:rtp    req:RFC3095-4.3.1-1    req:RFC3095-4.3.1.1-1    req:RFC3095-4.3.1.1-2
    ...       req:RFC3095-4.4.1-1    req:RFC3095-5.2.3-2    req:RFC3095-5.6.1-3    req:RFC3095-5.7.7.1-1
    ...       req:RFC3095-5.7.7.5-2    req:RFC3095-5.9.1-1    req:RFC4815-2.2-1    req:RFC5795-5.3.1.1-1
    ...       req:RFC5795-5.3.1.1-2
    First Packet Should Be A Complete IR    rtp-ipv6    packets=30    mode=O or U    decompressor=none

Compressor Starts With IR: UDP Over IPv4
    [Documentation]    Sends a flow (udp-ipv4). Expects that its first packet is an IR packet with both chains, every
    ...    field as in the original.
    [Tags]    profile:udp    req:RFC3095-4.3.1-1    req:RFC3095-4.3.1.1-1    req:RFC3095-4.3.1.1-2
    ...       req:RFC3095-4.4.1-1    req:RFC3095-5.2.3-2    req:RFC3095-5.6.1-3    req:RFC3095-5.7.7.1-1
    ...       req:RFC3095-5.9.1-1    req:RFC4815-2.2-1    req:RFC5795-5.3.1.1-1    req:RFC5795-5.3.1.1-2
    First Packet Should Be A Complete IR    udp-ipv4    packets=30    mode=O or U    decompressor=none

Compressor Starts With IR: UDP Over IPv6
    [Documentation]    Sends a flow (udp-ipv6). Expects that its first packet is an IR packet with both chains, every
    ...    field as in the original.
    [Tags]    profile:udp    req:RFC3095-4.3.1-1    req:RFC3095-4.3.1.1-1    req:RFC3095-4.3.1.1-2
    ...       req:RFC3095-4.4.1-1    req:RFC3095-5.2.3-2    req:RFC3095-5.6.1-3    req:RFC3095-5.7.7.1-1
    ...       req:RFC3095-5.9.1-1    req:RFC4815-2.2-1    req:RFC5795-5.3.1.1-1    req:RFC5795-5.3.1.1-2
    First Packet Should Be A Complete IR    udp-ipv6    packets=30    mode=O or U    decompressor=none

Compressor Starts With IR: IPv4 Alone
    [Documentation]    Sends a flow (ip-ipv4). Expects that its first packet is an IR packet with both chains, every
    ...    field as in the original.
    [Tags]    profile:ip    req:RFC3095-4.3.1-1    req:RFC3095-4.3.1.1-1    req:RFC3095-4.3.1.1-2    req:RFC3095-4.4.1-1
    ...       req:RFC3095-5.2.3-2    req:RFC3095-5.6.1-3    req:RFC3095-5.7.7.1-1    req:RFC3095-5.9.1-1
    ...       req:RFC4815-2.2-1    req:RFC5795-5.3.1.1-1    req:RFC5795-5.3.1.1-2
    First Packet Should Be A Complete IR    ip-ipv4    packets=30    mode=O or U    decompressor=none

Compressor Starts With IR: IPv6 Alone
    [Documentation]    Sends a flow (ip-ipv6). Expects that its first packet is an IR packet with both chains, every
    ...    field as in the original.
    [Tags]    profile:ip    req:RFC3095-4.3.1-1    req:RFC3095-4.3.1.1-1    req:RFC3095-4.3.1.1-2    req:RFC3095-4.4.1-1
    ...       req:RFC3095-5.2.3-2    req:RFC3095-5.6.1-3    req:RFC3095-5.7.7.1-1    req:RFC3095-5.9.1-1
    ...       req:RFC4815-2.2-1    req:RFC5795-5.3.1.1-1    req:RFC5795-5.3.1.1-2
    First Packet Should Be A Complete IR    ip-ipv6    packets=30    mode=O or U    decompressor=none

Compressor Starts With IR: Two IP Headers
    [Documentation]    Sends a flow (rtp-ipv4-in-ipv6). Expects that its first packet is an IR packet with both chains,
    ...    every field as in the original.
    [Tags]    profile:rtp    req:RFC3095-4.3.1-1    req:RFC3095-4.3.1.1-1    req:RFC3095-4.3.1.1-2
    ...       req:RFC3095-4.4.1-1    req:RFC3095-5.2.3-2    req:RFC3095-5.6.1-3    req:RFC3095-5.7.7-3
    ...       req:RFC3095-5.7.7.1-1    req:RFC3095-5.9.1-1    req:RFC4815-2.2-1    req:RFC5795-5.3.1.1-1
    ...       req:RFC5795-5.3.1.1-2
    First Packet Should Be A Complete IR    rtp-ipv4-in-ipv6    packets=30    mode=O or U    decompressor=none

Compressor Repeats IR: RTP
    [Documentation]    Sends an RTP flow. Expects at least two IR packets at the start, and that no packet is needed to
    ...    read the others, the first one included.
    [Tags]    -level:must    level:should    profile:rtp    req:RFC3095-5.3.1.1.1-1
    Initialisation Should Be Repeated    rtp-ipv4    packets=60

Compressor Repeats IR: UDP
    [Documentation]    Sends a UDP flow. Expects at least two IR packets at the start, and that no packet is needed to
    ...    read the others.
    [Tags]    -level:must    level:should    profile:udp    req:RFC3095-5.3.1.1.1-1
    Initialisation Should Be Repeated    udp-ipv4    packets=60

Compressor Repeats IR: IP
    [Documentation]    Sends an IP flow. Expects at least two IR packets at the start, and that no packet is needed to
    ...    read the others.
    [Tags]    -level:must    level:should    profile:ip    req:RFC3095-5.3.1.1.1-1
    Initialisation Should Be Repeated    ip-ipv4    packets=60

Packets Without Payload
    [Documentation]    Sends UDP packets without payload from the first one on, and then some with. Expects that none of
    ...    the former travels as IR or IR-DYN, which would deliver nothing, and that all come out.
    [Tags]    profile:udp    req:RFC3095-5.7.7-2
    Flow Should Be Compressed Correctly    udp-ipv4    0: payload to 0    30: payload to 40    packets=90

A Packet Without Payload In Mid-Stream
    [Documentation]    Sends an RTP flow whose payload is empty from packet 41 on. Expects that none of these travels as
    ...    IR or IR-DYN, and that all come out.
    [Tags]    profile:rtp    req:RFC3095-5.7.7-2
    Flow Should Be Compressed Correctly    rtp-ipv4    40: payload to 0    packets=1200

CSRC Lists Of The Compressor
    [Documentation]    Sends RTP packets with three contributing sources. Expects lists with the same count twice and
    ...    zero padding if the compressor sends them at all, and every packet as it was.
    [Tags]    profile:rtp    req:RFC3095-5.8.6.1-1    req:RFC3095-5.8.6.1-2    req:RFC4815-5.2-1
    Flow Should Be Compressed Correctly    rtp-csrc    packets=100

Reserved Bits Of The Compressor
    [Documentation]    Sends RTP over IPv4 and over IPv6 with every flag of RTP set once. Expects zeros where the
    ...    formats have them, and no reserved mode.
    [Tags]    profile:rtp    req:RFC3095-5.7.5-6    req:RFC3095-5.7.7.3-1    req:RFC3095-5.7.7.4-1
    ...       req:RFC3095-5.7.7.6-1    req:RFC3095-5.7.7.6-2
    Flow Should Be Compressed Correctly    rtp-ipv4    10: marker    20: x to 1    40: padding to 4
    ...    60: x to 0 and padding to 0    packets=100
    Flow Should Be Compressed Correctly    rtp-ipv6    10: marker    20: x to 1    40: padding to 4
    ...    60: x to 0 and padding to 0    packets=100
