*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Transitions between unidirectional and bidirectional optimistic mode: RFC 3095, sections 4.4 and 5.6;
...              RFC 4815, section 3; RFC 3843, section 3.4. The compressor is alone and gets feedback written by hand;
...              the decompressor is alone and gets packets written by hand. A compressor is in O-mode if it no longer
...              returns to lower states, and if its mode parameters say so.

Resource         imports.resource

Test Tags        scheme:rohc


*** Test Cases ***
Compressor: U To O
    [Documentation]    Sends a flow; after ten packets the compressor is given ACK(O) with CRC. Expects O-mode: no
    ...    refresh in 5,000 packets.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.1-4    req:RFC3095-5.6.2-1
    A Compressor    rtp-ipv4                mode=O
    It Sends        10                      mode U
    It Is Given     ACK(O) with CRC
    It Sends        30
    It Sends        ${PERIOD IN PACKETS}    type 0, type 1
    So It Should Be

Compressor: U To O By Any Feedback
    [Documentation]    Sends flows; the compressor is given NACK(O) and STATIC-NACK(O) with CRC. Expects that mode
    ...    parameters say O from then on.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.2-1    smoke
    A Compressor    rtp-ipv4    mode=O
    It Sends        10          mode U
    It Is Given     NACK(O) with CRC
    It Sends        20          first update; mode O
    So It Should Be
    A Compressor    rtp-ipv4    mode=O
    It Sends        10          mode U
    It Is Given     STATIC-NACK(O) with CRC
    It Sends        20          first IR; mode O
    So It Should Be

Compressor: No O-Mode Without CRC
    [Documentation]    Sends a flow; the compressor is given ACK(O) without CRC. Expects that it stays in U-mode: mode
    ...    parameters say so, and it returns to IR.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.4.1-1    req:RFC3095-5.6-1    req:RFC4815-3.2-2
    A Compressor    rtp-ipv4                mode=O
    It Sends        10                      mode U
    It Is Given     ACK(O)
    It Sends        ${PERIOD IN PACKETS}    mode U; some IR
    So It Should Be

Compressor: No O-Mode With A Wrong CRC
    [Documentation]    Sends a flow; the compressor is given ACK(O) whose CRC option is wrong. Expects the same octets
    ...    on the link as without it.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6-1    req:RFC3095-5.6.2-1    req:RFC3095-5.7.6.3-1
    A Compressor           rtp-ipv4    mode=O
    It Sends               10          mode U
    It Is Given In Vain    ACK(O) with wrong CRC
    It Sends               2000        mode U
    So It Should Be

Compressor: O To U
    [Documentation]    Sends a flow in O-mode; the compressor is given ACK(U) with CRC, and later an ACK(U) for a packet
    ...    that said U. Expects mode parameters and neither type 0 nor 1 in between, and packets of type 0
    ...    afterwards.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.1-6    req:RFC3095-5.6.1-7    req:RFC3095-5.6.6-1
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        20          at the end type 0, type 1
    It Is Given     ACK(U) with CRC
    It Sends        40          update; some mode U; mode U
    It Is Given     ACK(U) with CRC
    It Sends        30          at the end type 0, type 1
    So It Should Be

Compressor: U-Mode Again
    [Documentation]    Sends a flow through O-mode back to U-mode. Expects the handshake. Whether it returns to IR
    ...    after an ACK(U) is left open (5.3.1.3).
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.6-1
    A Compressor    rtp-ipv4                mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        20
    It Is Given     ACK(U) with CRC
    It Sends        20                      update
    It Is Given     ACK(U) with CRC
    It Sends        30
    It Sends        ${PERIOD IN PACKETS}    any
    So It Should Be

Compressor: O To U Needs The Right ACK
    [Documentation]    Sends a flow in O-mode; the compressor is given ACK(U) with CRC, then ACKs without CRC, with
    ...    SN-NOT-VALID, and for a packet before the transition. Expects neither type 0 nor 1: none of these
    ...    ends the handshake.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.6-1    req:RFC3095-5.7.6.5-1    req:RFC4815-3.2-2
    A Compressor    rtp-ipv4           mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        20
    It Is Given     ACK(U) with CRC
    It Sends        10                 update
    It Is Given     ACK(U)
    It Sends        10                 update
    It Is Given     ACK(U) with CRC and SN-NOT-VALID
    It Sends        10                 update
    It Is Given     ACK(U) with CRC    about=20
    It Sends        10                 update
    It Is Given     ACK(U) with CRC
    It Sends        30                 at the end type 0, type 1
    So It Should Be

Compressor: Requests During A Transition
    [Documentation]    Sends a flow in O-mode; the compressor is given ACK(U) with CRC, and ACK(O) with CRC before the
    ...    transition is done. Expects that the second request is ignored: neither type 0 nor 1, and mode U.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.1-7    req:RFC3095-5.6.1-8
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        20
    It Is Given     ACK(U) with CRC
    It Sends        10          update
    It Is Given     ACK(O) with CRC
    It Sends        20          update; mode U
    So It Should Be

Compressor: O To U, IP Profile
    [Documentation]    Sends an IP flow in O-mode; the compressor is given ACK(U) with CRC, and later ACK(U) for
    ...    packets that said U; for two, as an IR packet has no mode here. Expects the handshake, and no mode 0 but as
    ...    an answer.
    [Tags]    level:must    profile:ip    req:RFC3095-5.6.1-7    req:RFC3095-5.6.6-1    req:RFC3843-3.4-7
    A Compressor    ip-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        20         at the end type 0, type 1
    It Is Given     ACK(U) with CRC
    It Sends        20         update
    It Is Given     ACK(U) with CRC
    It Sends        4          any
    It Is Given     ACK(U) with CRC
    It Sends        26         at the end type 0, type 1
    So It Should Be

Compressor: The Last Packet With These Bits
    [Documentation]    Sends a flow from O- to U-mode, 4,200 packets of it before an ACK comes whose twelve bits of SN
    ...    are those of packet 21, before the transition, and of packet 4117, which said U. Expects packets of
    ...    type 0 afterwards: the ACK is about the later one.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7.6.1-8
    A Compressor    rtp-ipv4           mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        20
    It Is Given     ACK(U) with CRC
    It Sends        4170               update
    It Is Given     ACK(U) with CRC    about=20
    It Sends        30                 at the end type 0, type 1
    So It Should Be

Compressor: Mode And Reinitialisation
    [Documentation]    Sends a flow in O-mode and then CONTEXT_REINITIALIZATION. Expects that the IR packets after it
    ...    say O.
    [Tags]    level:should    profile:rtp    req:RFC4815-7.2.1-2
    A Compressor       rtp-ipv4    mode=O
    It Sends           10
    It Is Given        ACK(O) with CRC
    It Sends           30          at the end type 0, type 1
    It Is Signalled    {"signal": "reinitialize"}
    It Sends           20          first IR; some mode O; mode O
    So It Should Be

Decompressor: U To O
    [Documentation]    Sends IR packets to a decompressor that wants O-mode. Expects ACK(O) with CRC, and none for
    ...    packets of type 0.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.4.2.2-2    req:RFC3095-5.6.1-10    req:RFC3095-5.6.1-11
    ...       req:RFC3095-5.6.1-2    req:RFC4815-3.1.1-2    req:RFC4815-3.2-1    smoke
    A Decompressor    rtp-ipv4    mode=O
    It Receives       16          IR      delivered    some ACK(O) with CRC
    It Receives       10          UO-0    delivered    none
    So It Should Be

Decompressor: U-Mode
    [Documentation]    Sends packets to a decompressor that wants U-mode, with a way back. Expects that whatever it
    ...    answers says U, or is FEEDBACK-1, which says no mode.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.1-10    req:RFC3095-5.6.1-9
    A Decompressor    rtp-ipv4    mode=U
    It Receives       3           IR              delivered    only ACK(U)
    It Receives       10          UO-0            delivered    only ACK(U)
    It Receives       5           IR              delivered    only ACK(U)
    It Receives       32          damaged UO-0    withheld     only NACK(U)
    So It Should Be

Decompressor: O To U
    [Documentation]    Sends packets to a decompressor in O-mode that is then set to U-mode. Expects ACK(U) or
    ...    NACK(U) with CRC until a packet that says U has come and packets of type 0 follow, and none
    ...    afterwards.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.1-1    req:RFC3095-5.6.1-12    req:RFC3095-5.6.6-1
    ...       req:RFC3095-5.6.6-2    req:RFC3095-5.6.6-3    req:RFC4815-3.1.1-1    req:RFC4815-3.1.1-3
    ...       req:RFC4815-3.2-1
    A Decompressor    rtp-ipv4    mode=O
    It Receives       16          IR                      delivered    some ACK(O) with CRC
    It Receives       10          UO-0                    delivered    none
    It Is Set To      {"mode": "U"}
    It Receives       16          UO-0                    delivered    some any; only any(U) with CRC
    It Receives       16          UOR-2-ID with mode U    delivered    some ACK(U) with CRC
    It Receives       16          UOR-2-ID                delivered    some ACK(U) with CRC; only any(U) with CRC
    It Receives       1           UO-0                    delivered
    It Receives       10          UO-0                    delivered    none
    So It Should Be

Decompressor: O To U, Declined
    [Documentation]    Sends packets of the IP profile to a decompressor in O-mode that is set to U-mode; a
    ...    packet with mode 0 declines. Expects that it stays in O-mode: feedback says so until a packet of
    ...    type 0 comes, and IR is answered with ACK(O).
    [Tags]    level:must    profile:ip    req:RFC3843-3.4-2    req:RFC3843-3.4-5    req:RFC3843-3.4-6
    ...       req:RFC3843-A.4-1
    A Decompressor    ip-ipv4    mode=O
    It Receives       16         IR                   delivered    some ACK(O) with CRC
    It Receives       10         UO-0                 delivered    none
    It Is Set To      {"mode": "U"}
    It Receives       16         UO-0                 delivered    some ACK(U) with CRC
    It Receives       2          UOR-2 with mode 0    delivered    only ACK(O) with CRC
    It Receives       4          UOR-2                delivered    only ACK(O) with CRC
    It Receives       1          UO-0                 delivered
    It Receives       5          UO-0                 delivered    none
    It Receives       16         IR                   delivered    some ACK(O)
    So It Should Be

Decompressor: Declined Once
    [Documentation]    Declines a transition to U-mode with mode 0, as before, and goes on with packets of type 0 and
    ...    IR. Expects that the decompressor does not ask again at once.
    [Tags]    level:should    profile:ip    req:RFC3843-3.4-3
    A Decompressor    ip-ipv4    mode=O
    It Receives       3          IR                   delivered
    It Receives       5          UO-0                 delivered
    It Is Set To      {"mode": "U"}
    It Receives       2          UO-0                 delivered
    It Receives       2          UOR-2 with mode 0    delivered
    It Receives       20         UO-0                 delivered    only ACK(O)
    It Receives       3          IR                   delivered    only ACK(O)
    So It Should Be

Both: Modes Over A Link With Losses
    [Documentation]    Sends a call over a link that loses 5 % of the packets and half of the feedback, in O-mode.
    ...    Expects that what comes out is as it was.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.2-1
    Impaired Link Should Do No Harm    voip-amr-nb-ipv4-silence    loss=0.05    mode=O    feedback=own
    ...    feedback_loss=0.5    packets=1500
