*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Profile 0x0000, Uncompressed: RFC 5795, section 5.4, and RFC 3095, section 5.10. IP packets that no
...              other profile takes go through it as they are.

Resource         imports.resource

Test Tags        profile:uncompressed    scheme:rohc


*** Test Cases ***
IR Packets
    [Documentation]    Sends IR packets with and without an IP packet, for the first time and again. Expects that the IP
    ...    packet is delivered if there is one, and that the context is there afterwards.
    [Tags]    level:must    req:RFC3095-5.10.1-1    req:RFC3095-5.10.2-1    req:RFC3095-5.10.3-6    req:RFC5795-5.4.1-3
    ...       req:RFC5795-5.4.4-2    smoke
    Vectors Should Be Decompressed    uncompressed-ir-with-packet    uncompressed-ir-alone    uncompressed-ir-repeated

Normal Packets
    [Documentation]    Sends IPv4 and IPv6 packets and a fragment as Normal packets. Expects them as they are.
    [Tags]    level:must    req:RFC3095-5.10.2-1    req:RFC3095-5.10.3-6    req:RFC5795-5.4.2-1    req:RFC5795-5.4.4-4
    Vectors Should Be Decompressed    uncompressed-normal-ipv4    uncompressed-normal-ipv6    uncompressed-fragment

CIDs
    [Documentation]    Sends Normal packets with an Add-CID octet in front, and with a large CID after their first
    ...    octet. Expects the IP packets without them.
    [Tags]    level:must    req:RFC3095-5.10.2-1    req:RFC5795-5.2.1.3-2    req:RFC5795-5.3.1.1-1
    ...       req:RFC5795-5.4.2-1
    Vectors Should Be Decompressed    uncompressed-add-cid    uncompressed-large-cid    uncompressed-large-cid-0

Wrong IR Packets
    [Documentation]    Sends IR packets with the res bit set, with a wrong CRC, cut short, and an IR-DYN packet, which
    ...    does not exist here. Expects that nothing comes out and that no context is made.
    [Tags]    level:must    req:RFC3095-5.10.1-1    req:RFC3095-5.2.6-5    req:RFC3095-5.2.6-8    req:RFC5795-5.2.3-4
    ...       req:RFC5795-5.4.1-2    req:RFC5795-5.4.4-1
    Vectors Should Be Decompressed    uncompressed-ir-res-bit    uncompressed-ir-wrong-crc    uncompressed-ir-truncated
    ...    uncompressed-ir-dyn

Normal Packets Without Context
    [Documentation]    Sends a Normal packet before any IR packet. Expects that it is discarded.
    [Tags]    level:must    req:RFC3095-5.10.3-5    req:RFC3095-5.2.6-8    req:RFC5795-5.4.4-4
    Vectors Should Be Decompressed    uncompressed-normal-before-ir

Other Profiles Under The Same CID
    [Documentation]    Sends IR packets that turn a context of profile 0x0000 into one of profile 0x0001 and back.
    ...    Expects that each packet is read by the profile that holds.
    [Tags]    level:must    req:RFC5795-5.1.1-2
    Vectors Should Be Decompressed    uncompressed-becomes-rtp    uncompressed-takes-over-from-rtp

Fragments
    [Documentation]    Sends UDP datagrams in IPv4 fragments. Expects them through profile 0x0000 and as they were.
    [Tags]    level:must    req:RFC3095-5.10.1-1    req:RFC3095-5.10.2-1    req:RFC3095-5.7.7.4-2    req:RFC5795-5.4.1-3
    ...       req:RFC5795-5.4.2-1
    Flow Should Be Compressed Correctly    fragments    packets=60

IPv4 Options
    [Documentation]    Sends UDP packets with a router alert option, which no other profile may carry. Expects them as
    ...    they were.
    [Tags]    level:must    req:RFC3095-5.7.7.4-2
    Flow Should Be Compressed Correctly    ip-options    packets=60

Nothing But Profile 0x0000
    [Documentation]    Sends RTP packets over a channel with no other profile. Expects an IR packet first, its res bit
    ...    zero; how many more follow before Normal packets is left open.
    [Tags]    level:must    req:RFC3095-5.1.1-2    req:RFC3095-5.10.1-2    req:RFC3095-5.10.3-1    req:RFC3095-5.10.3-7
    ...       req:RFC5795-5.1.2-5    req:RFC5795-5.4.1-1    smoke
    Flow Should Be Compressed Correctly    voip-amr-nb-ipv4    profiles=0x0000    packets=100
    It Should Begin With A Complete IR Packet
    Only Profiles 0x0000 Should Be Used

IR Packets Are Sent More Than Once
    [Documentation]    Sends RTP packets over a channel with no other profile. Expects at least two IR packets at the
    ...    start.
    [Tags]    level:should    req:RFC5795-5.4.3-1
    Observe Flow    voip-amr-nb-ipv4    profiles=0x0000    packets=100
    It Should Begin With At Least 2 IR Packets

IR Packets Are Repeated In Unidirectional Mode
    [Documentation]    Sends 5,000 packets without feedback. Expects IR packets in between.
    [Tags]    level:should    req:RFC3095-5.10.3-2    req:RFC5795-5.4.3-2
    Observe Flow    voip-amr-nb-ipv4    profiles=0x0000    packets=${PERIOD IN PACKETS}    decompressor=none
    It Should Return To The IR State At Least 1 Times

Feedback Ends The Repetitions
    [Documentation]    Sends 5,000 packets, and after the tenth the compressor is given FEEDBACK-1 with the octet 0.
    ...    Expects no IR packet after it.
    [Tags]    level:should    req:RFC3095-5.10.3-2
    A Compressor    rtp-ipv4                profiles=0x0000    mode=O
    It Sends        10
    It Is Given     FEEDBACK-1 of 0
    It Sends        ${PERIOD IN PACKETS}    no IR
    So It Should Be

One CID
    [Documentation]    Sends fragments of ten flows of datagrams. Expects that they share one context of profile 0x0000.
    [Tags]    level:should    req:RFC3095-5.10.4-2    req:RFC5795-5.4-1
    Observe Flow    fragments    flows=10    packets=200    max_cid=15

Feedback Is FEEDBACK-1 With Zero
    [Documentation]    Sends IR and Normal packets to a decompressor in O-mode, right and with a wrong CRC. Expects that
    ...    whatever it answers is FEEDBACK-1 with the octet 0: no NACK, no REJECT.
    [Tags]    level:must    req:RFC3095-5.10.4-1    req:RFC3095-5.10.4-3    req:RFC5795-5.4.5-1
    A Decompressor    uncompressed    mode=O
    It Receives       3               IR            delivered
    It Receives       10              Normal        delivered
    It Receives       10              damaged IR    withheld
    It Receives       10              Normal        delivered
    So It Should Be

Wrong IR Packets Do Not End A Context
    [Documentation]    Sends an IR packet with a wrong CRC to a decompressor in FULL_CONTEXT. Expects that it is
    ...    discarded and that Normal packets are delivered as before.
    [Tags]    level:must    req:RFC3095-5.10.3-6    req:RFC3095-5.10.3-9    req:RFC5795-5.4.4-1
    A Decompressor    uncompressed
    It Receives       1    IR            delivered
    It Receives       1    damaged IR    withheld
    It Receives       3    Normal        delivered
    So It Should Be
