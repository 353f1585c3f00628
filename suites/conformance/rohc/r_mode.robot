*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Bidirectional reliable mode: RFC 3095, sections 5.5, 5.6.3 to 5.6.6, 5.7.1 and 5.7.2; RFC 4815, section
...              3. Only packets with a CRC-7 or CRC-8 become references, and only acknowledged references are certain.
...              The judge therefore reads each packet of a compressor with every context that the decompressor may
...              have.

Resource         imports.resource

Test Tags        mode:r    scheme:rohc


*** Test Cases ***
R-0
    [Documentation]    Sends R-0 packets in a row, at both ends of the interpretation interval, forward and back.
    ...    Expects six bits of SN, and each relative to the last update.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.5.1-4    req:RFC3095-5.5.1.2-2    req:RFC3095-5.5.2.1-1
    ...       req:RFC3095-5.7.1-2    req:RFC3095-5.7.1-3
    Vectors Should Be Decompressed    r-0-run    r-0-interval    r-0-updates-nothing

R-0-CRC
    [Documentation]    Sends R-0-CRC packets with small and large CIDs, at both ends of the interpretation interval.
    ...    Expects seven bits of SN, and a new reference.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.5.1-4    req:RFC3095-5.5.1.2-2    req:RFC3095-5.5.2.2-5
    ...       req:RFC3095-5.7.1-2    req:RFC3095-5.7.1-3
    Vectors Should Be Decompressed    r-0-crc    r-0-crc-ahead    r-0-crc-behind    r-0-crc-large-cid

Wrong R-0-CRC
    [Documentation]    Sends an R-0-CRC packet with a wrong CRC, and one that is cut short. Expects that nothing comes
    ...    out.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.2.2.2-1    req:RFC5795-5.2.3-4
    Vectors Should Be Decompressed    r-0-crc-wrong-crc    r-0-crc-truncated

R-1-TS And R-1-ID
    [Documentation]    Sends R-1-TS and R-1-ID packets, with R-0 behind them. Expects that they update nothing.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.5.5-1    req:RFC3095-5.5.1.2-2    req:RFC3095-5.7.2-1
    ...       req:RFC3095-5.7.2-2
    Vectors Should Be Decompressed    r-1-ts    r-1-ts-interval    r-1-id

R-1
    [Documentation]    Sends R-1 packets in contexts without a sequential IP-ID. Expects six bits of TS.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7-9    req:RFC3095-5.7.2-1    req:RFC3095-5.7.2-2
    Vectors Should Be Decompressed    r-1    r-1-extension-2

R-1 With Extensions
    [Documentation]    Sends R-1-TS and R-1-ID packets with extensions 0, 1 and 3. Expects their values for the packet
    ...    alone.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7.2-1    req:RFC3095-5.7.2-2
    Vectors Should Be Decompressed    r-1-ts-extension-1    r-1-id-extension-0    r-1-id-extension-3

R-1 That Must Not Be
    [Documentation]    Sends R-1-TS whose extension 3 has another marker. Expects that nothing comes out.
    [Tags]    level:must    profile:rtp    req:RFC4815-8.4-2
    Vectors Should Be Decompressed    r-1-ts-two-markers

UOR-2
    [Documentation]    Sends UOR-2 with a new TTL in R-mode. Expects that it is acknowledged and the new reference.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.5.1.2-2    req:RFC3095-5.5.2.2-1
    Vectors Should Be Decompressed    r-uor-2

UDP
    [Documentation]    Sends R-0, R-0-CRC and R-1 of profile 0x0002. Expects p = -1, and seven bits of IP-ID in R-1.
    [Tags]    level:must    profile:udp    req:RFC3095-4.5.1-4    req:RFC3095-5.11.3-1    req:RFC3095-5.11.3-2
    ...       req:RFC3095-5.7.1-2    req:RFC3095-5.7.2-1
    Vectors Should Be Decompressed    r-udp-*

ESP
    [Documentation]    Sends R-0 and R-0-CRC of profile 0x0003. Expects 32 bits of SN.
    [Tags]    level:must    profile:esp    req:RFC3095-5.12-1    req:RFC3095-5.7.1-2
    Vectors Should Be Decompressed    r-esp-0

UDP-Lite
    [Documentation]    Sends CCE() before R-0 and CCE(ON) before R-0-CRC. Expects the coverage once, and for good.
    [Tags]    level:must    profile:udplite    req:RFC4019-5.3.2-2    req:RFC4019-5.3.2.1-1    req:RFC4019-5.3.2.2-1
    Vectors Should Be Decompressed    r-lite-cce

Formats During The Transition
    [Documentation]    Sends UO-0 packets before one with mode R, and R-0 after one. Expects the formats of the old
    ...    mode until then, and an answer with mode R and CRC to each.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.5.2.2-1    req:RFC3095-5.6.3-3    req:RFC4815-3.3-1
    Vectors Should Be Decompressed    r-before-the-transition    r-ir-with-mode-r

Compressor: U To R
    [Documentation]    Sends a flow; after ten packets the compressor is given ACK(R) with CRC, later one for a packet
    ...    that said R. Expects mode R and neither type 0 nor 1 in between, and R-0 afterwards.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.1-5    req:RFC3095-5.6.1-6    req:RFC3095-5.6.1-7
    ...       req:RFC3095-5.6.3-1    req:RFC3095-5.6.3-5    req:RFC3095-5.6.4-1
    A Compressor    rtp-ipv4           mode=R
    It Sends        10                 mode U
    It Is Given     ACK(R) with CRC
    It Sends        40                 update; some mode R; mode R
    It Is Given     ACK(R) with CRC
    It Sends        30                 some R-0, R-0-CRC, R-1, R-1-ID, R-1-TS; at the end type 0, type 1
    So It Should Be

Compressor: O To R
    [Documentation]    Sends a flow in O-mode; the compressor is given NACK(R) with CRC, later an ACK(R) for a packet
    ...    that said R. Expects mode R and neither type 0 nor 1 in between, and R-0 afterwards.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.1-5    req:RFC3095-5.6.3-1
    A Compressor    rtp-ipv4            mode=R
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        20                  at the end type 0, type 1
    It Is Given     NACK(R) with CRC
    It Sends        40                  update; some mode R; mode R
    It Is Given     ACK(R) with CRC
    It Sends        30                  some R-0, R-0-CRC, R-1, R-1-ID, R-1-TS; at the end type 0, type 1
    So It Should Be

Compressor: To R Needs The Right ACK
    [Documentation]    Sends a flow; the compressor is given ACK(R) with CRC, then ACKs without CRC, with SN-NOT-VALID,
    ...    and for a packet before the transition. Expects neither type 0 nor 1: none of these ends it.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.3-1    req:RFC3095-5.6.3-5    req:RFC3095-5.7.6.5-1
    ...       req:RFC4815-3.2-2
    A Compressor    rtp-ipv4           mode=R
    It Sends        10
    It Is Given     ACK(R) with CRC
    It Sends        10                 update
    It Is Given     ACK(R)
    It Sends        10                 update
    It Is Given     ACK(R) with CRC and SN-NOT-VALID
    It Sends        10                 update
    It Is Given     ACK(R) with CRC    about=5
    It Sends        10                 update
    It Is Given     ACK(R) with CRC
    It Sends        30                 at the end type 0, type 1
    So It Should Be

Compressor: Nothing Is Believed Without An ACK
    [Documentation]    Sends a flow in R-mode whose TTL changes, with no ACK for 50 packets, then one. Expects no packet
    ...    that is misread when those before it are lost, and type 0 after the ACK.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.5.1.1.1-1    req:RFC3095-5.5.1.1.2-1    req:RFC3095-5.5.1.2-2
    ...       req:RFC3095-5.5.1.2-4
    A Compressor    rtp-ipv4           mode=R
    It Sends        10
    It Is Given     ACK(R) with CRC
    It Sends        10                 update
    It Is Given     ACK(R) with CRC
    It Sends        20                 at the end type 0, type 1
    It Sends        50                 no type 0           ttl to 9
    So It Should Be

Compressor: Silence From The Decompressor
    [Documentation]    Sends 1,000 packets in R-mode after the last ACK: jumps of the timestamp and of the IP-ID.
    ...    Expects that each can be read with the reference that was acknowledged.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.5.2-1    req:RFC3095-5.5.1.1.1-1    req:RFC3095-5.5.1.2-4
    A Compressor    rtp-ipv4           mode=R
    It Sends        10
    It Is Given     ACK(R) with CRC
    It Sends        10
    It Is Given     ACK(R) with CRC
    It Sends        200
    It Sends        300                any                 ts by 16000 and marker
    It Sends        500                any                 ip-id by 100
    So It Should Be

Compressor: Silence From The Decompressor, UDP
    [Documentation]    Sends 100 packets of UDP in R-mode after the last ACK, and 100 after a jump of the IP-ID. Expects
    ...    that each can be read with the reference that was acknowledged: seven bits of IP-ID in R-1.
    [Tags]    level:must    profile:udp    req:RFC3095-5.11.3-1    req:RFC3095-5.5.1.1.1-1    req:RFC3095-5.7.2-1
    A Compressor    udp-ipv4           mode=R
    It Sends        10
    It Is Given     ACK(R) with CRC
    It Sends        10
    It Is Given     ACK(R) with CRC
    It Sends        100
    It Sends        100                any                 ip-id by 100
    So It Should Be

Compressor: An ACK For What Was Never Sent
    [Documentation]    Sends a flow in R-mode; during the transition and after it, the compressor is given an ACK with
    ...    the SN of a packet that was never sent. Expects the same octets on the link as without it.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.5.1.2-1    req:RFC3095-5.6.3-5
    A Compressor           rtp-ipv4           mode=R
    It Sends               10
    It Is Given            ACK(R) with CRC
    It Sends               5                  update
    It Is Given In Vain    raw f43f001145
    It Sends               5                  update
    It Is Given            ACK(R) with CRC
    It Sends               5                  R-0, R-1, R-1-ID, R-1-TS
    It Is Given In Vain    raw f43f001145
    It Sends               200
    So It Should Be

Compressor: An ACK For What Was No Update
    [Documentation]    Sends a flow in R-mode; the compressor is given an ACK for a packet of type R-0, as residual
    ...    errors on the way back could make one. Expects that each later packet can be read with the update that was
    ...    acknowledged: a packet without CRC-7 or CRC-8 is no reference, whatever is said of it.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.5.1.2-2
    A Compressor    rtp-ipv4           mode=R
    It Sends        10
    It Is Given     ACK(R) with CRC
    It Sends        10                 update
    It Is Given     ACK(R) with CRC
    It Sends        20
    It Is Given     ACK(R) with CRC
    It Sends        200
    So It Should Be

Compressor: References Are Acknowledged
    [Documentation]    Sends 400 packets in R-mode, every 40th acknowledged if it was an update. Expects R-0, updates in
    ...    between, and nothing wrong.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.5.1.1.1-1    req:RFC3095-5.7.1-2
    Flow Should Be Compressed Correctly    rtp-ipv4    100: ts by 16000 and marker    200: ip-id by 50    mode=R
    ...    feedback=own    packets=400
    Link Should Have    R-0, R-0-CRC, R-1, R-1-ID, R-1-TS

Compressor: NACK
    [Documentation]    Sends a flow in R-mode; the compressor is given NACK(R), later STATIC-NACK(R). Expects an update,
    ...    then IR.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.4.1.1.1-1    req:RFC3095-5.4.1.1.1-3    req:RFC3095-5.5.1.1.2-1
    A Compressor    rtp-ipv4                   mode=R
    It Sends        10
    It Is Given     ACK(R) with CRC
    It Sends        10                         update
    It Is Given     ACK(R) with CRC
    It Sends        20                         at the end type 0, type 1
    It Is Given     NACK(R) with CRC
    It Sends        10                         first update
    It Is Given     STATIC-NACK(R) with CRC
    It Sends        10                         first IR
    So It Should Be

Compressor: R To O
    [Documentation]    Sends a flow in R-mode; the compressor is given ACK(O) with CRC, later one for a packet that said
    ...    O. Expects mode O and neither type 0 nor 1 in between, and UO-0 afterwards.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.1-5    req:RFC3095-5.6.5-1    req:RFC3095-5.6.5-2
    ...       req:RFC3095-5.6.5-5
    A Compressor    rtp-ipv4           mode=R
    It Sends        10
    It Is Given     ACK(R) with CRC
    It Sends        10                 update
    It Is Given     ACK(R) with CRC
    It Sends        20                 at the end type 0, type 1
    It Is Given     ACK(O) with CRC
    It Sends        40                 update; some mode O; mode O
    It Is Given     ACK(O) with CRC
    It Sends        30                 no R-0, R-0-CRC, R-1, R-1-ID, R-1-TS; at the end type 0, type 1
    So It Should Be

Compressor: R To U
    [Documentation]    Sends a flow in R-mode; the compressor is given ACK(U) with CRC, later one for a packet that said
    ...    U. Expects mode U and neither type 0 nor 1 in between, and UO-0 afterwards. Refreshes may stop, for an ACK(U)
    ...    has come (RFC 3095, 5.3.1.3).
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.1-5    req:RFC3095-5.6.6-1
    A Compressor    rtp-ipv4                mode=R
    It Sends        10
    It Is Given     ACK(R) with CRC
    It Sends        10                      update
    It Is Given     ACK(R) with CRC
    It Sends        20                      at the end type 0, type 1
    It Is Given     ACK(U) with CRC
    It Sends        40                      update; some mode U; mode U
    It Is Given     ACK(U) with CRC
    It Sends        30                      no R-0, R-0-CRC, R-1, R-1-ID, R-1-TS
    It Sends        ${PERIOD IN PACKETS}
    So It Should Be

Compressor: UDP And IP
    [Documentation]    Sends UDP and IP flows in R-mode. Expects R-0 in the formats of these profiles, and nothing
    ...    wrong.
    [Tags]    level:must    profile:ip    profile:udp    req:RFC3095-5.11.3-1    req:RFC3095-5.7.1-2
    Flow Should Be Compressed Correctly    udp-ipv4    60: ip-id by 40    100: ttl to 9    140: ip-id by 100
    ...    mode=R    feedback=own    packets=200
    Link Should Have                       R-0, R-0-CRC, R-1, R-1-ID, R-1-TS
    Flow Should Be Compressed Correctly    ip-ipv6    60: ttl to 9    mode=R    feedback=own    packets=200
    Link Should Have                       R-0, R-0-CRC, R-1, R-1-ID, R-1-TS

Decompressor: To R-Mode
    [Documentation]    Sends packets of U-mode, one with mode R, then R-0, to a decompressor that wants R-mode. Expects
    ...    an answer with mode R and CRC to each until R-0 comes, and none to R-0.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.5.2.2-4    req:RFC3095-5.6.1-1    req:RFC3095-5.6.1-12
    ...       req:RFC3095-5.6.3-2    req:RFC3095-5.6.3-4    req:RFC3095-5.6.4-1    req:RFC4815-3.3-2
    A Decompressor    rtp-ipv4    mode=R
    It Receives       16          IR                      delivered    some any
    It Receives       16          UO-0                    delivered    some any
    It Receives       1           UOR-2-ID with mode R    delivered    some ACK(R) with CRC
    It Receives       1           R-0                     delivered
    It Receives       10          R-0                     delivered    none
    So It Should Be

Decompressor: Updates Are Acknowledged
    [Documentation]    Sends R-0, R-0-CRC, R-1-TS and UOR-2 to a decompressor in R-mode. Expects ACK(R) to the first of
    ...    each kind that updates, and none to the others.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.5.2-3    req:RFC3095-5.5.2.2-1    req:RFC3095-5.5.2.2-4
    ...       req:RFC3095-5.5.2.2-5    req:RFC3095-5.5.2.2-6
    A Decompressor      rtp-ipv4      mode=R
    It Receives         3             IR                      delivered
    It Receives         2             UOR-2-ID with mode R    delivered    some ACK(R) with CRC
    It Receives         1             R-0                     delivered
    It Receives         20            R-0                     delivered    none
    It Receives         1             R-0-CRC                 delivered    some ACK(R)
    It Receives         20            R-0                     delivered    none
    It Receives         3             R-1-TS                  delivered    none
    Its Flow Changes    ip-id by 7
    It Receives         2             UOR-2-ID                delivered    some ACK(R)
    It Receives         20            R-0                     delivered    none
    So It Should Be

Decompressor: Sequence Numbers Of Answers
    [Documentation]    Sends IR and IR-DYN packets, which carry sixteen bits of SN, to a decompressor in R-mode. Expects
    ...    that it answers with as many at least.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.5.2.2-10    req:RFC3095-5.5.2.2-6
    A Decompressor    rtp-ipv4    mode=R
    It Receives       3           IR                      delivered
    It Receives       2           UOR-2-ID with mode R    delivered    some ACK(R) with CRC
    It Receives       5           R-0                     delivered
    It Receives       2           IR with mode R          delivered    some ACK(R)
    It Receives       5           R-0                     delivered
    It Receives       2           IR-DYN with mode R      delivered    some ACK(R)
    So It Should Be

Decompressor: Damage
    [Documentation]    Sends updates with wrong CRCs to a decompressor in R-mode. Expects that none comes out, whatever
    ...    a repair would make of it, and NACK(R); then an update that is right is acknowledged.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.5.2.1-2    req:RFC3095-5.5.2.2-2
    A Decompressor    rtp-ipv4    mode=R
    It Receives       3           IR                      delivered
    It Receives       2           UOR-2-ID with mode R    delivered
    It Receives       5           R-0                     delivered
    It Receives       32          garbled UOR-2-ID        withheld     some NACK(R)
    It Receives       3           IR with mode R          delivered    some ACK(R)
    It Receives       5           R-0                     delivered
    So It Should Be

Decompressor: No Repair
    [Documentation]    Sends an update that is right but has another sequence number, as if errors had made it one, to a
    ...    decompressor in R-mode, then three that its new reference does not reach. Expects that none of these
    ...    comes out: the one before is not tried.
    [Tags]    level:should    profile:rtp    req:RFC3095-5.5.2.1-2
    A Decompressor    rtp-ipv4    mode=R
    It Receives       3           IR                      delivered
    It Receives       2           UOR-2-ID with mode R    delivered
    It Receives       5           R-0                     delivered
    It Receives       1           poisoned UOR-2-ID       anything
    It Receives       3           UOR-2-ID                withheld
    It Receives       3           IR with mode R          delivered
    It Receives       5           R-0                     delivered
    So It Should Be

Decompressor: No Context
    [Documentation]    Sends damaged IR packets to a decompressor without context that wants R-mode, then right ones.
    ...    Expects no answer to the first, for the compressor goes on with IR anyway.
    [Tags]    level:should    profile:rtp    req:RFC3095-5.5.2.2-3
    A Decompressor    rtp-ipv4    mode=R
    It Receives       5           damaged IR    withheld     none
    It Receives       2           IR            delivered    some ACK(R)
    So It Should Be

Decompressor: R To O
    [Documentation]    A decompressor in R-mode is set to O-mode. Expects that it answers each packet with mode O
    ...    and CRC and, to R-0, names the last update; that it reads R-0 until a packet says O, and UO-0
    ...    then.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.1-1    req:RFC3095-5.6.1-12    req:RFC3095-5.6.5-3
    ...       req:RFC3095-5.6.5-4    req:RFC4815-3.2-3    req:RFC4815-3.3-1
    A Decompressor    rtp-ipv4         mode=R
    It Receives       3                IR                      delivered
    It Receives       2                UOR-2-ID with mode R    delivered
    It Receives       5                R-0                     delivered
    It Is Set To      {"mode": "O"}
    It Receives       16               R-0                     delivered    some any; only any(O) with CRC
    It Receives       16               UOR-2-ID with mode O    delivered    some ACK(O) with CRC
    It Receives       1                UO-0                    delivered
    It Receives       10               UO-0                    delivered    none
    So It Should Be

Decompressor: R To U
    [Documentation]    A decompressor in R-mode is set to U-mode. Expects that it answers with mode U and CRC
    ...    until packets of type 0 come after one that says U.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.6.1-12    req:RFC3095-5.6.6-1    req:RFC3095-5.6.6-2
    ...       req:RFC3095-5.6.6-3    req:RFC4815-3.3-1    req:RFC4815-3.3-2
    A Decompressor    rtp-ipv4         mode=R
    It Receives       3                IR                      delivered
    It Receives       2                UOR-2-ID with mode R    delivered
    It Receives       5                R-0                     delivered
    It Is Set To      {"mode": "U"}
    It Receives       16               R-0                     delivered    some any
    It Receives       16               UOR-2-ID with mode U    delivered    some ACK(U) with CRC
    It Receives       16               UOR-2-ID with mode U    delivered    some ACK(U) with CRC
    It Receives       10               UO-0                    delivered
    So It Should Be

Both: A Clean Link
    [Documentation]    Sends a call in R-mode with feedback before each next packet. Expects R-0, and nothing wrong.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.4-1    req:RFC3095-5.5.1.1.1-1
    Flow Should Be Compressed Correctly    voip-amr-nb-ipv4-silence    mode=R    feedback=own    packets=1000
    Link Should Have                       R-0, R-0-CRC, R-1, R-1-ID, R-1-TS

Both: A Link With Losses
    [Documentation]    Sends a call over a link that loses 5 % of the packets and half of the feedback. Expects that
    ...    what comes out is as it was.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.5.1.1.1-1    req:RFC3095-5.5.2.1-1
    Impaired Link Should Do No Harm    voip-amr-nb-ipv4-silence    loss=0.05    mode=R    feedback=own
    ...    feedback_loss=0.5    packets=1500
