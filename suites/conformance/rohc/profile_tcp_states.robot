*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Profile 0x0006, TCP: the decompressor's states No Context, Static Context and Full Context, and its
...              answers. RFC 6846, sections 5.3.1, 5.3.2 and 8.3; RFC 4164, sections 3.4.3 and 3.4.4. The decompressor
...              is alone and gets packets written by hand, 20 ms apart; damaged packets have a wrong CRC. A
...              decompressor chooses whether it assumes damage, and after how many failures: it has assumed damage once
...              it has answered such failures with NACK. The judge reads all feedback: its form, its CRC, its options,
...              its CID, and its MSN, which is that of the last verified header.

Resource         imports.resource

Test Tags        profile:tcp    scheme:rohc


*** Variables ***
&{TCP}    profiles=0x0000,0x0006    mode=O


*** Test Cases ***
No Context
    [Documentation]    Sends compressed packets and IR-DYN for a context that is not there, then damaged IR packets,
    ...    then IR. Expects that nothing comes out before the IR packet, and everything from it on.
    [Tags]    level:must    req:RFC6846-5.3.1-2    req:RFC6846-5.3.1.1-1    req:RFC6846-5.3.1.3-1
    ...       req:RFC6846-5.3.1.3-3    smoke
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       2    seq_1         withheld
    It Receives       2    co_common     withheld
    It Receives       2    IR-DYN        withheld
    It Receives       2    damaged IR    withheld
    It Receives       1    IR            delivered
    It Receives       5    seq_1         delivered
    So It Should Be

Damage Of The Dynamic Part
    [Documentation]    Sends 32 packets with a wrong CRC-3, then right ones with a CRC-3, then one with a CRC-7.
    ...    Expects, if NACK has said that damage is assumed, that nothing comes out until the packet with a CRC-7, and
    ...    everything after it.
    [Tags]    level:must    req:RFC6846-5.3.1-2    req:RFC6846-5.3.1.1-5    req:RFC6846-5.3.1.2-3
    ...       req:RFC6846-5.3.1.4-2    req:RFC6846-5.3.1.4-4    smoke
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3     IR               delivered
    It Receives       10    seq_1            delivered
    It Receives       32    damaged seq_1    withheld
    It Receives       3     seq_1            withheld after NACK
    It Receives       1     seq_8            delivered unless STATIC-NACK
    It Receives       10    seq_1            delivered unless STATIC-NACK
    It Receives       1     IR               delivered
    It Receives       10    seq_1            delivered
    So It Should Be

Damage Of The Dynamic Part: IPv6
    [Documentation]    The same over IPv6, with `co_common` as the packet with a CRC-7.
    [Tags]    level:must    req:RFC6846-5.3.1.1-5    req:RFC6846-5.3.1.2-3    req:RFC6846-5.3.1.4-2
    ...       req:RFC6846-5.3.1.4-4
    A Decompressor    tcp-ipv6    &{TCP}
    It Receives       3     IR               delivered
    It Receives       10    rnd_1            delivered
    It Receives       32    damaged rnd_1    withheld
    It Receives       3     rnd_1            withheld after NACK
    It Receives       1     co_common        delivered unless STATIC-NACK
    It Receives       10    rnd_1            delivered unless STATIC-NACK
    It Receives       1     IR               delivered
    It Receives       10    rnd_1            delivered
    So It Should Be

Damage Of The Dynamic Part, Mended By IR-DYN
    [Documentation]    As before, but an IR-DYN packet ends it, and damaged ones before it do not.
    [Tags]    level:must    req:RFC6846-5.3.1.1-1    req:RFC6846-5.3.1.2-3    req:RFC6846-5.3.1.4-2
    ...       req:RFC6846-5.3.1.4-4    req:RFC6846-7.1-6
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3     IR                delivered
    It Receives       10    seq_1             delivered
    It Receives       32    damaged seq_1     withheld
    It Receives       1     damaged IR-DYN    withheld
    It Receives       3     seq_1             withheld after NACK
    It Receives       1     IR-DYN            delivered unless STATIC-NACK
    It Receives       10    seq_1             delivered unless STATIC-NACK
    So It Should Be

Damage Little By Little
    [Documentation]    Sends a packet with a wrong CRC-3 and a right one by turns, and then one with a CRC-7. Expects
    ...    the right ones to be withheld from when NACK has said that damage is assumed.
    [Tags]    level:must    req:RFC6846-5.3.1.2-3    req:RFC6846-5.3.1.4-2    req:RFC6846-5.3.1.4-4
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3     IR               delivered
    It Receives       10    seq_1            delivered
    It Receives       1     damaged seq_1    withheld
    It Receives       1     seq_1            withheld after NACK
    It Receives       1     damaged seq_1    withheld
    It Receives       1     seq_1            withheld after NACK
    It Receives       1     damaged seq_1    withheld
    It Receives       1     seq_1            withheld after NACK
    It Receives       1     damaged seq_1    withheld
    It Receives       1     seq_1            withheld after NACK
    It Receives       1     damaged seq_1    withheld
    It Receives       1     seq_1            withheld after NACK
    It Receives       1     seq_8            delivered unless STATIC-NACK
    It Receives       10    seq_1            delivered unless STATIC-NACK
    So It Should Be

Damage Of The Static Part
    [Documentation]    Sends 32 packets with a wrong CRC-3 and then 24 with a wrong CRC-7, then right ones of all
    ...    types. Expects that those with a CRC-3 do not come out once damage is assumed, and that the IR packet does,
    ...    and everything after it.
    [Tags]    level:must    req:RFC6846-5.3.1-2    req:RFC6846-5.3.1.1-5    req:RFC6846-5.3.1.2-3
    ...       req:RFC6846-5.3.1.3-3
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3     IR                   delivered
    It Receives       10    seq_1                delivered
    It Receives       32    damaged seq_1        withheld
    It Receives       24    damaged co_common    withheld
    It Receives       3     seq_1                withheld after NACK
    It Receives       2     co_common            delivered unless STATIC-NACK
    It Receives       1     IR                   delivered
    It Receives       10    seq_1                delivered
    So It Should Be

NACK For Damage
    [Documentation]    Sends 32 packets with a wrong CRC-3, and 64 more. Expects a NACK when the decompressor leaves
    ...    Full Context, and in Static Context again.
    [Tags]    level:should    req:RFC6846-5.3.1.4-3    req:RFC6846-5.3.1.5-3
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3     IR               delivered
    It Receives       10    seq_1            delivered
    It Receives       32    damaged seq_1    withheld    some NACK
    It Receives       64    damaged seq_1    withheld    some NACK
    So It Should Be

STATIC-NACK For Static Damage
    [Documentation]    Sends 32 packets with a wrong CRC-3 and 24 with a wrong CRC-7, and goes on with packets that
    ...    need a context. Expects a STATIC-NACK when the decompressor leaves Static Context, and again and again.
    [Tags]    level:should    req:RFC6846-5.3.1.3-2    req:RFC6846-5.3.1.4-3
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3     IR                   delivered
    It Receives       10    seq_1                delivered
    It Receives       32    damaged seq_1        withheld
    It Receives       24    damaged co_common    withheld    some STATIC-NACK
    It Receives       64    damaged seq_1        withheld    some STATIC-NACK
    It Receives       64    damaged IR           withheld    some STATIC-NACK
    So It Should Be

STATIC-NACK Without Context
    [Documentation]    Sends IR-DYN packets for a context that is not there. Expects a STATIC-NACK.
    [Tags]    level:should    req:RFC6846-5.3.1.3-2
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       32    IR-DYN    withheld     some STATIC-NACK
    It Receives       1     IR        delivered
    So It Should Be

Answers Without An MSN
    [Documentation]    Sends damaged IR packets and compressed ones to a decompressor that has verified no header.
    ...    Expects that whatever it answers says that its MSN is not valid.
    [Tags]    level:must    req:RFC6846-6.1.1-3    req:RFC6846-8.3.1-1
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       32    damaged IR    withheld    only STATIC-NACK
    It Receives       32    seq_1         withheld    only STATIC-NACK
    It Receives       1     IR            delivered
    So It Should Be

Form Of Answers
    [Documentation]    Provokes ACK, NACK and STATIC-NACK. Expects FEEDBACK-1 for ACKs alone, the CRC of FEEDBACK-2
    ...    right, no Acktype 3, options well-formed, none of them twice, and the MSN of the last header verified.
    [Tags]    level:must    req:RFC6846-6.1.1-3    req:RFC6846-8.3.1-1    req:RFC6846-8.3.1-2    req:RFC6846-8.3.1-3
    ...       req:RFC6846-8.3.1-4    req:RFC6846-8.3.1-5    req:RFC6846-8.3.2-1    req:RFC6846-8.3.2-2
    ...       req:RFC6846-8.3.2.2-3    req:RFC6846-8.3.2.3-1    req:RFC6846-8.3.2.3-2    smoke
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       16    IR                   delivered
    It Receives       20    seq_1                delivered
    It Receives       16    seq_8                delivered
    It Receives       32    damaged seq_1        withheld
    It Receives       24    damaged co_common    withheld
    It Receives       16    IR                   delivered
    So It Should Be

CIDs Of Answers
    [Documentation]    Sends IR packets and then damaged ones for CIDs 0, 1 and 15. Expects each answer to be for the
    ...    CID of its packet, and its CRC to cover that CID.
    [Tags]    level:must    req:RFC6846-8.3.1-1    req:RFC6846-8.3.1-3    req:RFC6846-8.3.1-5
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3     IR                          delivered
    It Receives       3     IR for CID 1                delivered
    It Receives       3     IR for CID 15               delivered
    It Receives       32    damaged seq_1 for CID 1     withheld
    It Receives       32    damaged seq_1 for CID 15    withheld
    It Receives       32    damaged seq_1               withheld
    So It Should Be

Large CIDs Of Answers
    [Documentation]    The same over a channel with large CIDs: 0, 127, 128 and 16383.
    [Tags]    level:must    req:RFC6846-8.3.1-1    req:RFC6846-8.3.1-3    req:RFC6846-8.3.1-5
    A Decompressor    tcp-ipv4    &{TCP}    cids=large    max_cid=16383
    It Receives       3     IR                             delivered
    It Receives       3     IR for CID 127                 delivered
    It Receives       3     IR for CID 128                 delivered
    It Receives       3     IR for CID 16383               delivered
    It Receives       32    damaged seq_1 for CID 127      withheld
    It Receives       32    damaged seq_1 for CID 128      withheld
    It Receives       32    damaged seq_1 for CID 16383    withheld
    So It Should Be

NACKs Go On
    [Documentation]    Damages a context, mends it, and damages it again. Expects NACKs again if there were any: who
    ...    has begun with feedback goes on with it.
    [Tags]    level:must    req:RFC6846-5.3.2-2
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3     IR               delivered
    It Receives       10    seq_1            delivered
    It Receives       64    damaged seq_1    withheld    as before NACK
    It Receives       3     IR               delivered
    It Receives       40    seq_1            delivered
    It Receives       64    damaged seq_1    withheld    as before NACK
    So It Should Be

STATIC-NACKs Go On
    [Documentation]    The same with damage of the static part, of which STATIC-NACK tells.
    [Tags]    level:must    req:RFC6846-5.3.2-2
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3     IR                   delivered
    It Receives       10    seq_1                delivered
    It Receives       32    damaged seq_1        withheld
    It Receives       64    damaged co_common    withheld    as before STATIC-NACK
    It Receives       3     IR                   delivered
    It Receives       40    seq_1                delivered
    It Receives       32    damaged seq_1        withheld
    It Receives       64    damaged co_common    withheld    as before STATIC-NACK
    So It Should Be

Rate Of Answers
    [Documentation]    Sends 32 packets each with a CRC-3, a CRC-7 and a wrong CRC-3. Expects an answer to half of them
    ...    at most.
    [Tags]    level:should    req:RFC6846-5.3.2-4
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3     IR               delivered
    It Receives       32    seq_1            delivered    at most 16
    It Receives       32    seq_8            delivered    at most 16
    It Receives       32    damaged seq_1    withheld     at most 16
    So It Should Be

Answers To IR Have A CRC
    [Documentation]    Sends IR packets, right and damaged. Expects that what answers them is FEEDBACK-2, which alone
    ...    has a CRC.
    [Tags]    level:should    req:RFC4164-3.4.4-1
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       16    IR            delivered    only any with CRC
    It Receives       16    damaged IR    withheld     only any with CRC
    So It Should Be

Unknown Index
    [Documentation]    Sends lists with the index of an option whose item never came. Expects nothing delivered, and
    ...    NACK.
    [Tags]    level:should    req:RFC6846-6.3.2-5
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3     IR                              delivered
    It Receives       10    seq_1                           delivered
    It Receives       32    co_common-with-unknown-index    withheld    some NACK
    It Receives       1     IR                              delivered
    So It Should Be

Answers To IR-CR
    [Documentation]    Sends IR-CR packets that are right. Expects ACK, with a CRC.
    [Tags]    level:should    req:RFC4164-3.4.2-3    req:RFC4164-3.4.4-1
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3     IR                          delivered
    It Receives       16    IR-CR of CID 0 for CID 1    delivered    some ACK; only any with CRC
    So It Should Be

Answers To IR-CR That Fails
    [Documentation]    Sends IR-CR packets whose CRC-7 is wrong, for a CID without context. Expects STATIC-NACK, with a
    ...    CRC.
    [Tags]    level:should    req:RFC4164-3.4.3-2    req:RFC4164-3.4.4-1    req:RFC6846-5.3.1.3-2
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3     IR                                  delivered
    It Receives       32    damaged IR-CR of CID 0 for CID 1    withheld    some STATIC-NACK; only any with CRC
    So It Should Be

Answers To IR-CR That Fails Later
    [Documentation]    Sends IR-CR packets, first right ones and then ones whose CRC-7 is wrong. Expects NACK for
    ...    these.
    [Tags]    level:should    req:RFC4164-3.4.3-4
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3     IR                                  delivered
    It Receives       3     IR-CR of CID 0 for CID 1            delivered
    It Receives       32    damaged IR-CR of CID 0 for CID 1    withheld    some NACK
    So It Should Be

Answers To IR-CR Without Its Base
    [Documentation]    Sends IR-CR packets with the CID of no context as base. Expects STATIC-NACK.
    [Tags]    level:should    req:RFC4164-3.4.3-2    req:RFC4164-3.4.3-3
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3     IR                          delivered
    It Receives       32    IR-CR of CID 5 for CID 1    withheld    some STATIC-NACK
    So It Should Be

Answers To IR-CR Of A Connection That Ended
    [Documentation]    Ends a connection with FIN, waits, and sends IR-CR packets with its context as base. Expects
    ...    them delivered, or STATIC-NACK from a decompressor that keeps no contexts of such connections.
    [Tags]    level:should    req:RFC4164-3.4.3-3
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives         3     IR                          delivered
    It Receives         5     seq_1                       delivered
    Its Flow Changes    fin
    It Receives         3     co_common                   delivered
    300 Seconds Pass
    It Receives         32    IR-CR of CID 0 for CID 1    delivered or withheld    some STATIC-NACK if withheld
    So It Should Be
