*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Feedback to a compressor: RFC 3095, sections 5.2.2, 5.4.1.1 and 5.7.6; RFC 4815, sections 2.3, 8.5, 8.6
...              and 8.11; RFC 5795, section 5.2.4. The compressor is alone and gets feedback written by hand. Feedback
...              that it must ignore has no effect: the link has the same octets as without it.

Resource         imports.resource

Test Tags        scheme:rohc


*** Test Cases ***
STATIC-NACK: RTP
    [Documentation]    Gives the compressor of a flow (rtp-ipv4) STATIC-NACK(O) with CRC. Expects at least two IR
    ...    packets at once, and packets of type 0 in the end.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.1.1.1-1    req:RFC3095-5.4.1.1.1-3    smoke
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30          at the end type 0, type 1
    It Is Given     STATIC-NACK(O) with CRC
    It Sends        4           first IR
    It Sends        30          at the end type 0, type 1
    So It Should Be

NACK: RTP
    [Documentation]    Gives the compressor of a flow (rtp-ipv4) NACK(O) with CRC. Expects updates at once (IR, IR-DYN
    ...    or type 2), and packets of type 0 in the end.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.1.1.1-1    req:RFC3095-5.4.1.1.1-1
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30          at the end type 0, type 1
    It Is Given     NACK(O) with CRC
    It Sends        4           first update
    It Sends        30          at the end type 0, type 1
    So It Should Be

STATIC-NACK: UDP
    [Documentation]    Gives the compressor of a flow (udp-ipv4) STATIC-NACK(O) with CRC. Expects at least two IR
    ...    packets at once, and packets of type 0 in the end.
    [Tags]    level:must    profile:udp    req:RFC3095-5.3.1.1.1-1    req:RFC3095-5.4.1.1.1-3
    A Compressor    udp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30          at the end type 0, type 1
    It Is Given     STATIC-NACK(O) with CRC
    It Sends        4           first IR
    It Sends        30          at the end type 0, type 1
    So It Should Be

NACK: UDP
    [Documentation]    Gives the compressor of a flow (udp-ipv4) NACK(O) with CRC. Expects updates at once (IR, IR-DYN
    ...    or type 2), and packets of type 0 in the end.
    [Tags]    level:must    profile:udp    req:RFC3095-5.3.1.1.1-1    req:RFC3095-5.4.1.1.1-1
    A Compressor    udp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30          at the end type 0, type 1
    It Is Given     NACK(O) with CRC
    It Sends        4           first update
    It Sends        30          at the end type 0, type 1
    So It Should Be

STATIC-NACK: IP
    [Documentation]    Gives the compressor of a flow (ip-ipv4) STATIC-NACK(O) with CRC. Expects at least two IR packets
    ...    at once, and packets of type 0 in the end.
    [Tags]    level:must    profile:ip    req:RFC3095-5.3.1.1.1-1    req:RFC3095-5.4.1.1.1-3
    A Compressor    ip-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30         at the end type 0, type 1
    It Is Given     STATIC-NACK(O) with CRC
    It Sends        4          first IR
    It Sends        30         at the end type 0, type 1
    So It Should Be

NACK: IP
    [Documentation]    Gives the compressor of a flow (ip-ipv4) NACK(O) with CRC. Expects updates at once (IR, IR-DYN or
    ...    type 2), and packets of type 0 in the end.
    [Tags]    level:must    profile:ip    req:RFC3095-5.3.1.1.1-1    req:RFC3095-5.4.1.1.1-1
    A Compressor    ip-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30         at the end type 0, type 1
    It Is Given     NACK(O) with CRC
    It Sends        4          first update
    It Sends        30         at the end type 0, type 1
    So It Should Be

NACKs Without CRC
    [Documentation]    Gives the compressor NACK(O) and STATIC-NACK(O) without CRC in O-mode, where no mode changes.
    ...    Expects the same answers.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.4.1.1.1-1    req:RFC3095-5.4.1.1.1-3
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30          at the end type 0, type 1
    It Is Given     NACK(O)
    It Sends        30          first update
    It Is Given     STATIC-NACK(O)
    It Sends        30          first IR
    So It Should Be

NACK After A New Stride
    [Documentation]    Sends a flow whose timestamp step changes; then the compressor is given NACK(O). Expects that the
    ...    repair carries TS_STRIDE.
    [Tags]    level:should    profile:rtp    req:RFC4815-8.11-1
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30          at the end type 0, type 1
    It Sends        40          at the end type 0, type 1    step to 240
    It Is Given     NACK(O) with CRC
    It Sends        20          first update
    So It Should Be

STATIC-NACK After A New Stride
    [Documentation]    Sends a flow whose timestamp step changes; then the compressor is given STATIC-NACK(O). Expects
    ...    IR packets that carry TS_STRIDE.
    [Tags]    level:must    profile:rtp    req:RFC4815-8.11-2
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30          at the end type 0, type 1
    It Sends        40          at the end type 0, type 1    step to 240
    It Is Given     STATIC-NACK(O) with CRC
    It Sends        20          first IR
    So It Should Be

Feedback For One Of Several Contexts
    [Documentation]    Sends six flows; STATIC-NACK(O) is for the fifth. Expects IR packets there, and elsewhere only
    ...    those that come without feedback, too.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.2.2-6    req:RFC3095-5.2.2-7    req:RFC3095-5.2.2-8
    ...       req:RFC3095-5.4.1.1.1-3    req:RFC5795-5.2.4.1-6
    A Compressor    rtp-ipv4                   mode=O      flows=6
    It Sends        10
    It Is Given     ACK(O) with CRC            flow=4
    It Sends        100
    It Is Given     STATIC-NACK(O) with CRC    flow=4
    It Sends        4                          first IR                         flow=4
    It Sends        4                          no IR unless without feedback    flow=3
    So It Should Be

Feedback With Large CIDs
    [Documentation]    Sends 140 flows over a channel with large CIDs; STATIC-NACK(O) is for the last one, whose CID has
    ...    two octets. Expects an IR packet there.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.2.2-5    req:RFC3095-5.2.2-7    req:RFC3095-5.7.6.3-2
    ...       req:RFC4815-2.3-1    req:RFC5795-5.2.4.1-5
    A Compressor    rtp-ipv4                   mode=O      flows=140    cids=large    max_cid=300
    It Sends        10
    It Is Given     ACK(O) with CRC            flow=139
    It Sends        10
    It Is Given     STATIC-NACK(O) with CRC    flow=139
    It Sends        2                          first IR    flow=139
    So It Should Be

Unknown Options
    [Documentation]    Gives the compressor STATIC-NACK(O) with unknown options, with and without data, before
    ...    and after the CRC. Expects that they are skipped and the feedback is heeded.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7.6.10-1    req:RFC3095-5.7.6.2-1    req:RFC4815-2.3-1
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30          at the end type 0, type 1
    It Is Given     STATIC-NACK(O) with unknown option and CRC
    It Sends        30          first IR; at the end type 0, type 1
    It Is Given     STATIC-NACK(O) with empty unknown option and CRC
    It Sends        30          first IR; at the end type 0, type 1
    It Is Given     STATIC-NACK(O) with unknown option and empty unknown option
    It Sends        30          first IR; at the end type 0, type 1
    So It Should Be

Known Options
    [Documentation]    Gives the compressor STATIC-NACK(O) with CLOCK, JITTER, LOSS and SN-NOT-VALID. Expects that the
    ...    feedback is heeded.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7.6.2-1    req:RFC3095-5.7.6.5-1    req:RFC4815-2.3-1
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30          at the end type 0, type 1
    It Is Given     STATIC-NACK(O) with CLOCK and CRC
    It Sends        30          first IR; at the end type 0, type 1
    It Is Given     STATIC-NACK(O) with JITTER and CRC
    It Sends        30          first IR; at the end type 0, type 1
    It Is Given     STATIC-NACK(O) with LOSS and CRC
    It Sends        30          first IR; at the end type 0, type 1
    It Is Given     STATIC-NACK(O) with SN-NOT-VALID and CRC
    It Sends        30          first IR; at the end type 0, type 1
    So It Should Be

Two Equal CRC Options
    [Documentation]    Gives the compressor STATIC-NACK(O) with two CRC options that are alike. Expects that it is
    ...    heeded.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7.6.3-2    req:RFC4815-2.3-1
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30          at the end type 0, type 1
    It Is Given     STATIC-NACK(O) with two CRCs
    It Sends        30          first IR; at the end type 0, type 1
    So It Should Be

Size Octet
    [Documentation]    Gives the compressor STATIC-NACK(O) in an element with a Size octet. Expects that it is heeded:
    ...    the CRC covers neither Code nor Size.
    [Tags]    level:must    profile:rtp    req:RFC4815-2.3-1
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30          at the end type 0, type 1
    It Is Given     STATIC-NACK(O) with Size octet and CRC
    It Sends        30          first IR; at the end type 0, type 1
    So It Should Be

SN Options
    [Documentation]    Gives the compressor STATIC-NACK(O) with one and two SN options. Expects that it is heeded.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7.6.6-1    req:RFC4815-8.5-1
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30          at the end type 0, type 1
    It Is Given     STATIC-NACK(O) with SN option and CRC
    It Sends        30          first IR; at the end type 0, type 1
    It Is Given     STATIC-NACK(O) with two SN options and CRC
    It Sends        30          first IR; at the end type 0, type 1
    So It Should Be

The SN Of SN Options
    [Documentation]    Sends a flow from O- to U-mode; the ACK(U) that ends the handshake carries its SN in the SN field
    ...    and one SN option. Expects packets of type 0 afterwards: the parts are joined, the more
    ...    significant first.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7.6.6-1    req:RFC4815-8.5-1
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        20
    It Is Given     ACK(U) with CRC
    It Sends        10          update
    It Is Given     ACK(U) with SN option and CRC
    It Sends        30          at the end type 0, type 1
    So It Should Be

Wrong CRC
    [Documentation]    Gives the compressor ACK, NACK and STATIC-NACK whose CRC option is wrong. Expects that they leave
    ...    no trace.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7.6.3-1
    A Compressor           rtp-ipv4    mode=O
    It Sends               10
    It Is Given            ACK(O) with CRC
    It Sends               30          at the end type 0, type 1
    It Is Given In Vain    STATIC-NACK(O) with wrong CRC
    It Sends               10
    It Is Given In Vain    NACK(O) with wrong CRC
    It Sends               10
    It Is Given In Vain    ACK(U) with wrong CRC
    It Sends               10
    It Is Given In Vain    crc-wrong
    It Sends               10
    So It Should Be

Unequal CRC Options
    [Documentation]    Gives the compressor STATIC-NACK(O) with two CRC options that differ, the second or the first of
    ...    which is wrong. Expects that it leaves no trace.
    [Tags]    level:must    profile:rtp    req:RFC4815-8.6-2
    A Compressor           rtp-ipv4    mode=O
    It Sends               10
    It Is Given            ACK(O) with CRC
    It Sends               30          at the end type 0, type 1
    It Is Given In Vain    STATIC-NACK(O) with unequal CRCs
    It Sends               10
    It Is Given In Vain    STATIC-NACK(O) with wrong CRC before the right one
    It Sends               10
    It Is Given In Vain    crc-options-differ
    It Sends               10
    So It Should Be

Feedback That Cannot Be Parsed
    [Documentation]    Gives the compressor feedback with Acktype 3, with an option that ends too early, elements that
    ...    announce more than there is, and octets that are no feedback. Expects that none leaves a trace.
    [Tags]    level:must    profile:rtp    req:RFC5795-5.2.3-4
    A Compressor           rtp-ipv4    mode=O
    It Sends               10
    It Is Given            ACK(O) with CRC
    It Sends               30          at the end type 0, type 1
    It Is Given In Vain    acktype-3
    It Sends               10
    It Is Given In Vain    option-truncated
    It Sends               10
    It Is Given In Vain    raw f5a0003011
    It Sends               10
    So It Should Be

Octets That Are No Feedback
    [Documentation]    Gives the compressor elements that announce more than there is, and octets that are no feedback
    ...    element. Expects that none leaves a trace.
    [Tags]    level:must    profile:rtp    req:RFC5795-5.2.3-4
    A Compressor           rtp-ipv4    mode=O
    It Sends               10
    It Is Given            ACK(O) with CRC
    It Sends               30          at the end type 0, type 1
    It Is Given In Vain    raw f4a0
    It Sends               10
    It Is Given In Vain    raw f0
    It Sends               10
    It Is Given In Vain    raw 00
    It Sends               10
    It Is Given In Vain    raw fd01
    It Sends               10
    It Is Given In Vain    raw f1
    It Sends               10
    So It Should Be

Feedback For Contexts That Are Not There
    [Documentation]    Gives the compressor STATIC-NACK(O) for a CID that is not used. Expects that it leaves no trace.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.2.2-6
    A Compressor           rtp-ipv4    mode=O
    It Sends               10
    It Is Given            ACK(O) with CRC
    It Sends               30          at the end type 0, type 1
    It Is Given In Vain    STATIC-NACK(O) with REJECT and CRC          flow=unused
    It Sends               10
    It Is Given In Vain    STATIC-NACK(O) with SN-NOT-VALID and CRC    flow=unused
    It Sends               10
    So It Should Be

Large CIDs That Cannot Be
    [Documentation]    Gives the compressor of a channel with large CIDs feedback whose CID has three octets, or that
    ...    ends after its CID, and feedback with Acktype 3, one that asks for U-mode with a right CRC among it.
    ...    Expects that it leaves no trace.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.2.2-5
    A Compressor           rtp-ipv4    mode=O    cids=large    max_cid=300
    It Sends               10
    It Is Given            ACK(O) with CRC
    It Sends               30          at the end type 0, type 1
    It Is Given In Vain    large-cid-three-octets-in-feedback
    It Sends               10
    It Is Given In Vain    cid-alone
    It Sends               10
    It Is Given In Vain    acktype-3-large
    It Sends               10
    It Is Given In Vain    raw f500d3e811cd
    It Sends               10
    So It Should Be

REJECT
    [Documentation]    Gives the compressor STATIC-NACK with REJECT and CRC. Expects that it stops compressing the flow:
    ...    packets go through profile 0x0000 or not at all.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7.6.4-2
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30          at the end type 0, type 1
    It Is Given     STATIC-NACK(U) with REJECT and CRC
    It Sends        100         profile 0x0000
    So It Should Be

REJECT Holds For A While
    [Documentation]    Gives the compressor REJECT, and a hundred packets later another flow begins. Expects that it is
    ...    not compressed at once.
    [Tags]    level:should    profile:rtp    req:RFC3095-5.7.6.4-3    req:RFC3095-6.4-1
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30          at the end type 0, type 1
    It Is Given     STATIC-NACK(U) with REJECT and CRC
    It Sends        50
    It Sends        50          profile 0x0000    ssrc to 5
    So It Should Be

CONTEXT_MEMORY
    [Documentation]    Gives the compressor of an IP flow CONTEXT_MEMORY. Expects that it stops compressing the flow or
    ...    takes less of the decompressor's memory: no packet of type 0 for it in the next fifty.
    [Tags]    level:should    profile:ip    req:RFC3843-3.7-1
    A Compressor    ip-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30         at the end type 0, type 1
    It Is Given     NACK(O) with CONTEXT_MEMORY and CRC
    It Sends        50         no UO-0
    So It Should Be

FEEDBACK-1 Is An ACK
    [Documentation]    Gives the compressor FEEDBACK-1 in O-mode. Expects that nothing gets worse: packets of type 0 go
    ...    on.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7.6.1-6
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30          at the end type 0, type 1
    It Is Given     FEEDBACK-1
    It Sends        30          type 0, type 1
    So It Should Be
