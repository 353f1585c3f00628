*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Profiles 0x0008 and 0x0007, UDP-Lite and RTP over UDP-Lite: RFC 4019. Every packet carries the
...              checksum. CFP and CFI, which IR packets and CCE packets change, say whether packets carry the checksum
...              coverage, and its value if they do not.

Resource         imports.resource

Test Tags        profile:udplite    scheme:rohc


*** Test Cases ***
Initialisation
    [Documentation]    Sends IR and IR-DYN packets. Expects the coverage before the checksum, and the SN behind it.
    [Tags]    level:must    req:RFC4019-5-1    req:RFC4019-5.2.1-1    req:RFC4019-5.2.1-2    req:RFC4019-5.2.2-1
    Vectors Should Be Decompressed    lite-ir    lite-ir-dyn    lite-ipv6

Chains That Do Not End With UDP-Lite
    [Documentation]    Sends an IR packet whose chain leads to UDP, and one that is cut short. Expects that nothing
    ...    comes out.
    [Tags]    level:must    req:RFC4019-5.2.1-1    req:RFC5795-5.2.3-4
    Vectors Should Be Decompressed    lite-ir-other-protocol    lite-ir-truncated    lite-cce-truncated

Coverage Of The Whole Packet
    [Documentation]    Sends UO-0 packets of different lengths after an IR packet whose coverage is its length. Expects
    ...    the coverage inferred from each length.
    [Tags]    level:must    req:RFC4019-5.1-1    req:RFC4019-5.1-3    req:RFC4019-5.2.2-2    req:RFC4019-5.5-1
    Vectors Should Be Decompressed    lite-full-run

Coverage Of A Part
    [Documentation]    Sends UO-0 packets with their coverage after an IR packet whose coverage is not its length, be it
    ...    zero. Expects what is sent.
    [Tags]    level:must    req:RFC4019-5.1-2    req:RFC4019-5.2.1-3    req:RFC4019-5.2.2-1    req:RFC4019-5.3.1-1
    ...       req:RFC4019-5.3.1-2
    Vectors Should Be Decompressed    lite-partial-run    lite-coverage-zero    lite-random-ip-id

IR Packets Decide Anew
    [Documentation]    Sends IR packets whose coverage is and is not their length in turn. Expects CFP and CFI as the
    ...    last one set them.
    [Tags]    level:must    req:RFC4019-5.2.2-1    req:RFC4019-5.2.2-2
    Vectors Should Be Decompressed    lite-ir-again

CCE()
    [Documentation]    Sends CCE() packets that extend UO-0, UO-1 and UOR-2. Expects their coverage once, and what the
    ...    inner type updates updated.
    [Tags]    level:must    req:RFC4019-5.3.2-1    req:RFC4019-5.3.2-2    req:RFC4019-5.3.2.1-1
    Vectors Should Be Decompressed    lite-cce    lite-cce-in-partial    lite-cce-uo-1

CCE(ON)
    [Documentation]    Sends CCE(ON) packets with small and large CIDs. Expects the coverage in every packet after.
    [Tags]    level:must    req:RFC4019-5.3.2-1    req:RFC4019-5.3.2-4    req:RFC4019-5.3.2.2-1
    Vectors Should Be Decompressed    lite-cce-on    lite-cce-add-cid    lite-cce-large-cid

CCE(OFF)
    [Documentation]    Sends CCE(OFF) packets whose coverage is a part, the whole, and both that of the context and the
    ...    whole. Expects the coverage of the context afterwards, or the length; the length goes first.
    [Tags]    level:must    req:RFC4019-5.3.2-4    req:RFC4019-5.3.2.3-1    req:RFC4019-5.3.2.3-2
    Vectors Should Be Decompressed    lite-cce-off-*    lite-cce-on-then-off

CCE Packets With A Wrong CRC
    [Documentation]    Sends a CCE(ON) packet with a wrong CRC. Expects that nothing comes out.
    [Tags]    level:must    req:RFC3095-5.3.2.2.2-1    req:RFC4019-5.3.2.2-1
    Vectors Should Be Decompressed    lite-cce-wrong-crc

CCE Packets Are Of These Profiles
    [Documentation]    Sends the octet 0xf9 in a context of profile 0x0002. Expects that nothing comes out.
    [Tags]    level:must    req:RFC4019-5.3.2-1    req:RFC5795-5.2-1
    Vectors Should Be Decompressed    lite-cce-in-udp

RTP Over UDP-Lite
    [Documentation]    Sends packets of profile 0x0007, CCE packets among them. Expects SN, TS and coverage restored.
    [Tags]    level:must    profile:rtplite    req:RFC4019-5-1    req:RFC4019-5.1-2    req:RFC4019-5.3.2-2
    ...       req:RFC4019-5.3.2.3-1
    Vectors Should Be Decompressed    rtp-lite-full-run    rtp-lite-partial-run    rtp-lite-cce-*

From Profile 0x0007 To 0x0008
    [Documentation]    Sends an IR-DYN packet that takes the static chain of a stream of profile 0x0007 over. Expects
    ...    the switch.
    [Tags]    level:may    req:RFC4019-5.2-2
    Vectors Should Be Decompressed    rtp-lite-becomes-lite

Constant IP-ID
    [Documentation]    Sends UO-0 packets after an IR packet with SID. Expects the IP-ID of the context.
    [Tags]    level:must    req:RFC4019-5.8-1    req:RFC4019-5.8-2
    Vectors Should Be Decompressed    lite-constant-ip-id

Three IP Headers
    [Documentation]    Sends packets with three IPv4 headers. Expects the dynamic part of the third in every compressed
    ...    packet, before the coverage.
    [Tags]    level:must    req:RFC4019-5.3.1-1
    Vectors Should Be Decompressed    lite-three-ipv4

Mode 0
    [Documentation]    Sends UOR-2 with mode 0. Expects it delivered, and the mode as it was.
    [Tags]    level:must    req:RFC4019-5.6-1
    Vectors Should Be Decompressed    lite-mode-0

Compressor: The Whole Packet
    [Documentation]    Sends UDP-Lite packets whose coverage is their length, which changes. Expects nothing wrong, and
    ...    profile 0x0008.
    [Tags]    level:must    req:RFC4019-5.1-1    req:RFC4019-5.1-3    req:RFC4019-5.2-1    req:RFC4019-5.2.2-2
    Flow Should Be Compressed Correctly    udplite-ipv4    30: payload to 40    50: payload to 7    packets=200
    It Should Begin With A Complete IR Packet
    Only Profiles 0x0008 Should Be Used

Compressor: A Part
    [Documentation]    Sends UDP-Lite packets that cover a part, the same over IPv6, then another one each time. Expects
    ...    nothing wrong.
    [Tags]    level:must    req:RFC4019-5.1-1    req:RFC4019-5.1-2    req:RFC4019-5.2.1-3    req:RFC4019-5.2.2-1
    ...       req:RFC4019-5.4-1
    Flow Should Be Compressed Correctly    udplite-ipv6    0: coverage to 8    60: coverage to 12
    ...    61: coverage to 13    62: coverage to 14    63: coverage to 15    64: coverage to 16    100: coverage to 0
    ...    packets=200
    Only Profiles 0x0008 Should Be Used

Compressor: Patterns That Change
    [Documentation]    Sends packets that cover all, for one packet a part, then a part for good whatever the length,
    ...    then all again; and packets whose coverage stays when their length changes. Expects that each coverage
    ...    is sent where the context does not give it.
    [Tags]    level:must    req:RFC4019-5.3.2-4    req:RFC4019-5.4-1
    Flow Should Be Compressed Correctly    udplite-ipv4    30: coverage to 10    31: coverage to full
    ...    60: coverage to 12    80: payload to 50    120: payload to 4    121: payload to 50    150: coverage to full
    ...    160: payload to 9    packets=240
    Flow Should Be Compressed Correctly    udplite-ipv4    40: coverage to 28 and payload to 40    80: payload to 20
    ...    120: coverage to full    packets=160

Compressor: Losses
    [Documentation]    Sends packets whose coverage changes. Expects that whichever single packet is lost, the others
    ...    can be read.
    [Tags]    level:must    req:RFC4019-5.4-1
    No Single Loss Should Hurt Another Packet    udplite-ipv4    20: coverage to 10    40: coverage to full
    ...    60: coverage to 8    80: payload to 50    packets=110

Compressor: Changes Survive Losses
    [Documentation]    Sends packets whose coverage changes; every pattern of losses around the change. Expects that
    ...    what is new is carried by at least two packets.
    [Tags]    level:must    req:RFC3095-5.3.1.1.1-1    req:RFC4019-5.4-1
    Change Should Survive Losses    udplite-ipv4    coverage to 10

Compressor: Fields Of The IP Header
    [Documentation]    Sends packets whose TTL, TOS and IP-ID change, and whose IP-ID becomes constant. Expects nothing
    ...    wrong.
    [Tags]    level:must    req:RFC4019-5-1    req:RFC4019-5.8-1
    Flow Should Be Compressed Correctly    udplite-ipv4    30: ttl to 9    50: tos to 8 and df to 0
    ...    70: ip-id by 9000    90: ip-id to random    120: ip-id to swapped    150: ip-id to constant    packets=200

Compressor: RTP Over UDP-Lite
    [Documentation]    Sends RTP over UDP-Lite: talk spurts, jumps, a part covered. Expects nothing wrong, and profile
    ...    0x0007.
    [Tags]    level:must    profile:rtplite    req:RFC4019-5-1    req:RFC4019-5.1-2    req:RFC4019-5.4-1
    Flow Should Be Compressed Correctly    rtplite-ipv4    30: ts by 16000 and marker    60: sn by 40
    ...    90: coverage to 20    130: coverage to full    160: pt to 8    packets=200
    Only Profiles 0x0007 Should Be Used

Compressor: R-Mode
    [Documentation]    Sends UDP-Lite packets in R-mode, acknowledged at once, whose coverage changes for a while and
    ...    for good. Expects R-0, and neither CCE(ON) nor CCE(OFF) around R-0 and R-1.
    [Tags]    level:must    mode:r    req:RFC4019-5.3.2-3
    Flow Should Be Compressed Correctly    udplite-ipv4    30: coverage to 10    31: coverage to full
    ...    60: coverage to 12    80: payload to 50    120: payload to 4    150: coverage to full    mode=R
    ...    feedback=own    packets=240
    Link Should Have                       R-0, R-0-CRC, R-1, R-1-ID, R-1-TS

Compressor: O To U
    [Documentation]    Sends a UDP-Lite flow in O-mode; the compressor is given ACK(U) with CRC, and later ACK(U) for
    ...    packets that said U; for two, as an IR packet has no mode here. Expects the handshake, and no mode 0 but as
    ...    an answer.
    [Tags]    level:must    req:RFC4019-5.6-3
    A Compressor    udplite-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        20              at the end type 0, type 1
    It Is Given     ACK(U) with CRC
    It Sends        20              update
    It Is Given     ACK(U) with CRC
    It Sends        4               any
    It Is Given     ACK(U) with CRC
    It Sends        26              at the end type 0, type 1
    So It Should Be

Compressor: Memory Of The Decompressor
    [Documentation]    Sends UDP-Lite packets; the compressor is given CONTEXT_MEMORY. Expects that it goes on, one way
    ...    or another, with nothing wrong.
    [Tags]    level:should    req:RFC4019-5.7-1
    A Compressor    udplite-ipv4                         mode=O
    It Sends        20
    It Is Given     ACK(O) with CRC and CONTEXT_MEMORY
    It Sends        20
    So It Should Be

A Regular Flow Is Compressed To Type 0
    [Documentation]    Sends packets that change nothing. Expects packets of type 0 after the start.
    [Tags]    level:should    req:RFC3095-4.3.1-2    req:RFC3095-5.3.1.2-1
    Flow Should Settle On Packets Of Type 0    udplite-ipv4    packets=200

Decompressor: Answers
    [Documentation]    Sends IR, right and wrong packets to a decompressor in O-mode, partly covered. Expects answers
    ...    that name the SN of the compressor.
    [Tags]    level:must    req:RFC3095-5.7.6.1-1    req:RFC4019-5-1    req:RFC4019-5.7-2
    A Decompressor      udplite-ipv4    mode=O
    Its Flow Changes    coverage to 8
    It Receives         16              IR               delivered    some ACK(O) with CRC
    It Receives         30              UO-0             delivered    only ACK(O)
    It Receives         32              garbled UOR-2    withheld     some NACK(O)
    It Receives         3               IR               delivered
    It Receives         5               UO-0             delivered
    So It Should Be

Decompressor: Declined
    [Documentation]    A decompressor in O-mode asks for U-mode and is declined with mode 0. Expects that it stays in
    ...    O-mode and does not ask again.
    [Tags]    level:must    req:RFC4019-5.6-1    req:RFC4019-5.6-2
    A Decompressor    udplite-ipv4    mode=O
    It Receives       3               IR                   delivered
    It Receives       5               UO-0                 delivered
    It Is Set To      {"mode": "U"}
    It Receives       2               UO-0                 delivered
    It Receives       2               UOR-2 with mode 0    delivered
    It Receives       20              UO-0                 delivered    only ACK(O)
    So It Should Be
