*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    A decompressor's feedback: RFC 3095, sections 5.2.2, 5.4.2.2 and 5.7.6; RFC 4815, sections 2.3, 8.6 and
...              8.10; RFC 5795, section 5.2.4. The decompressor is alone and gets packets written by hand, 20 ms apart;
...              damaged packets have a wrong CRC. The judge reads all feedback: its form, its CRC options, its CID and
...              its sequence number. A decompressor may send feedback for only one of every k packets (RFC 3095,
...              5.7.6), with k for one to three a round trip; therefore at least one feedback is expected for 16
...              packets, 320 ms.

Resource         imports.resource

Test Tags        scheme:rohc


*** Test Cases ***
Answers To IR
    [Documentation]    Sends IR packets to a decompressor in No Context, Full Context and Static Context, in O-mode.
    ...    Expects ACK(O) in each state.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.4.2.2-2    req:RFC3095-5.4.2.2-4    req:RFC3095-5.4.2.2-6
    ...       req:RFC3095-5.7.6.1-1    req:RFC3095-5.7.6.1-5    smoke
    A Decompressor    rtp-ipv4    mode=O
    It Receives       16          IR              delivered    some ACK(O)
    It Receives       10          UO-0            delivered
    It Receives       16          IR              delivered    some ACK(O)
    It Receives       32          damaged UO-0    withheld
    It Receives       16          IR              delivered    some ACK(O)
    It Receives       5           UO-0            delivered
    So It Should Be

No Answers To Types 0 And 1
    [Documentation]    Sends packets of types 0 and 1 to a decompressor in O-mode. Expects that none is answered.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.4.2.2-7
    A Decompressor    rtp-ipv4    mode=O
    It Receives       3           IR
    It Receives       30          UO-0       delivered    none
    It Receives       10          UO-1-TS    delivered    none
    It Receives       10          UO-1-ID    delivered    none
    It Receives       30          UO-0       delivered    none
    So It Should Be

STATIC-NACK In No Context
    [Documentation]    Damages a context until the decompressor is in No Context, in O-mode, and goes on with packets of
    ...    types 0 and 2 and IR-DYN. Expects STATIC-NACK(O), again and again but not for each.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.4.2.2-3    req:RFC3095-5.4.2.2-8
    A Decompressor    rtp-ipv4    mode=O
    It Receives       3           IR
    It Receives       10          UO-0
    It Receives       32          damaged UO-0        withheld
    It Receives       24          damaged UOR-2-ID    withheld    some STATIC-NACK(O)
    It Receives       64          UO-0                withheld    some STATIC-NACK(O)
    It Receives       64          IR-DYN              withheld    some STATIC-NACK(O)
    So It Should Be

Rate Of Negative Feedback
    [Documentation]    Sends 64 packets with a wrong CRC to a decompressor in O-mode. Expects at most one answer for two
    ...    of them, and none before several have failed in a row.
    [Tags]    level:should    profile:rtp    req:RFC3095-5.7.6-2    req:RFC3095-5.7.6-3
    A Decompressor    rtp-ipv4    mode=O
    It Receives       3           IR
    It Receives       20          UO-0
    It Receives       1           damaged UO-0    withheld    none
    It Receives       20          UO-0
    It Receives       64          damaged UO-0    withheld    at most 32
    So It Should Be

Rate Of Positive Feedback
    [Documentation]    Sends 64 packets of types 0 and 2 to a decompressor in O-mode. Expects at most one answer for
    ...    four of them.
    [Tags]    level:should    profile:rtp    req:RFC3095-5.7.6-1
    A Decompressor    rtp-ipv4    mode=O
    It Receives       3           IR
    It Receives       32          UO-0        delivered    at most 8
    It Receives       32          UOR-2-ID    delivered    at most 8
    So It Should Be

Optional ACKs
    [Documentation]    Sends packets of type 2 and IR-DYN to a decompressor in O-mode. Expects no ACK for them: RFC 4815
    ...    advises against it.
    [Tags]    level:should    profile:rtp    req:RFC4815-8.10-1
    A Decompressor    rtp-ipv4    mode=O
    It Receives       3           IR
    It Receives       8           UOR-2-ID    delivered    none
    It Receives       8           IR-DYN      delivered    none
    So It Should Be

Optional ACKs Go On
    [Documentation]    Sends packets of type 2 to a decompressor in O-mode, early and late. Expects that it acknowledges
    ...    the late ones if it acknowledged the early ones.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.4.2.2-1
    A Decompressor    rtp-ipv4    mode=O
    It Receives       3           IR
    It Receives       32          UOR-2-ID    delivered    as before ACK(O)
    It Receives       60          UO-0
    It Receives       32          UOR-2-ID    delivered    as before ACK(O)
    So It Should Be

CIDs Of Answers
    [Documentation]    Sends IR packets for CIDs 0, 1 and 15 to a decompressor in O-mode. Expects ACK(O) for the CID of
    ...    each packet, in a well-formed element.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.2.1-1    req:RFC3095-5.2.2-2    req:RFC3095-5.2.2-7
    ...       req:RFC5795-5.2.4.1-1    req:RFC5795-5.2.4.1-4    req:RFC5795-5.2.4.1-6
    A Decompressor    rtp-ipv4    mode=O
    It Receives       16          IR               delivered    some ACK(O)
    It Receives       16          IR for CID 1     delivered    some ACK(O)
    It Receives       16          IR for CID 15    delivered    some ACK(O)
    So It Should Be

Large CIDs Of Answers
    [Documentation]    Sends IR packets for CIDs 0, 127, 128 and 16383 over a channel with large CIDs. Expects ACK(O)
    ...    with the large CID in one or two octets.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.1.3-2    req:RFC3095-5.2.2-5    req:RFC3095-5.2.2-7
    ...       req:RFC5795-5.2.4.1-2    req:RFC5795-5.2.4.1-5
    A Decompressor    rtp-ipv4    mode=O              cids=large    max_cid=16383
    It Receives       16          IR                  delivered     some ACK(O)
    It Receives       16          IR for CID 127      delivered     some ACK(O)
    It Receives       16          IR for CID 128      delivered     some ACK(O)
    It Receives       16          IR for CID 16383    delivered     some ACK(O)
    So It Should Be

Form Of Answers
    [Documentation]    Provokes ACK, NACK and STATIC-NACK from a decompressor in O-mode. Expects FEEDBACK-2 without
    ...    Acktype 3 and mode 0, right CRC options, and the SN of the packet that caused it or of the last
    ...    one decompressed.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.2.2-3    req:RFC3095-5.4.2.2-8    req:RFC3095-5.4.2.2-9
    ...       req:RFC3095-5.7.6.1-1    req:RFC3095-5.7.6.1-3    req:RFC3095-5.7.6.1-4    req:RFC3095-5.7.6.1-6
    ...       req:RFC3095-5.7.6.2-1    req:RFC3095-5.7.6.3-2    req:RFC3095-5.7.6.4-1    req:RFC3095-5.7.6.9-3
    ...       req:RFC4815-2.3-1    req:RFC4815-8.6-1    req:RFC5795-5.2.4.1-3
    A Decompressor    rtp-ipv4    mode=O
    It Receives       16          IR                  delivered    some ACK(O)
    It Receives       20          UO-0
    It Receives       32          damaged UO-0        withheld     some NACK(O)
    It Receives       24          damaged UOR-2-ID    withheld     some STATIC-NACK(O)
    It Receives       16          IR                  delivered    some ACK(O)
    So It Should Be

Form Of Answers: UDP
    [Documentation]    Provokes ACK, NACK and STATIC-NACK in a flow udp-ipv4. Expects the SN of the profile, neither
    ...    CLOCK nor JITTER, and well-formed feedback.
    [Tags]    level:must    profile:udp    req:RFC3095-5.11.6-1    req:RFC3095-5.4.2.2-9    req:RFC3095-5.7.6.1-1
    A Decompressor    udp-ipv4    mode=O
    It Receives       16          IR               delivered    some ACK(O)
    It Receives       20          UO-0
    It Receives       32          damaged UO-0     withheld     some NACK(O)
    It Receives       24          damaged UOR-2    withheld     some STATIC-NACK(O)
    It Receives       16          IR               delivered    some ACK(O)
    So It Should Be

Form Of Answers: IP
    [Documentation]    Provokes ACK, NACK and STATIC-NACK in a flow ip-ipv4. Expects the SN of the profile, neither
    ...    CLOCK nor JITTER, and well-formed feedback.
    [Tags]    level:must    profile:ip    req:RFC3095-5.11.6-1    req:RFC3095-5.7.6.1-1    req:RFC3843-3.7-2
    A Decompressor    ip-ipv4    mode=O
    It Receives       16         IR               delivered    some ACK(O)
    It Receives       20         UO-0
    It Receives       32         damaged UO-0     withheld     some NACK(O)
    It Receives       24         damaged UOR-2    withheld     some STATIC-NACK(O)
    It Receives       16         IR               delivered    some ACK(O)
    So It Should Be

Answers Without A Sequence Number
    [Documentation]    Sends packets to a decompressor in O-mode that never saw an IR packet. Expects that whatever it
    ...    answers carries SN-NOT-VALID, and that an IR packet is delivered in the end.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7.6.1-2
    A Decompressor    rtp-ipv4    mode=O
    It Receives       64          UO-0          withheld    only STATIC-NACK(O)
    It Receives       8           IR-DYN        withheld    only STATIC-NACK(O)
    It Receives       8           damaged IR    withheld    only STATIC-NACK(O)
    It Receives       1           IR            delivered
    So It Should Be

ACKs In U-Mode
    [Documentation]    Sends ten IR packets to a decompressor in U-mode with a way back. Expects that ACK(U) does not
    ...    come for each of them.
    [Tags]    level:should    profile:rtp    req:RFC3095-5.3.2.3-2
    A Decompressor    rtp-ipv4    mode=U
    It Receives       10          IR    delivered    at most 5; only ACK(U)
    So It Should Be

Acknowledgements By Vectors
    [Documentation]    Sends an IR packet for CID 0 and one for a large CID to a decompressor that wants O-mode. Expects
    ...    that what it answers is ACK(O) with CRC, octet by octet as the RFC has it.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.4.2.2-2    req:RFC3095-5.6.1-2
    Vectors Should Be Decompressed    o-mode-ir-acknowledged    o-mode-ir-acknowledged-large-cid

Answers Of A Decompressor With A Clock
    [Documentation]    Sends IR packets to a decompressor with a clock, in O-mode. Expects a CLOCK option in an
    ...    acknowledgement that is protected by a CRC.
    [Tags]    feature:timer-based    level:should    profile:rtp    req:RFC3095-5.5.2.2-11    req:RFC3095-5.7.6.7-1
    A Decompressor    rtp-ipv4    mode=O    needs=timer-based
    It Receives       16          IR        delivered    some ACK(O) with CRC
    So It Should Be
