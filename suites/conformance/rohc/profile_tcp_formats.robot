*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Profile 0x0006, TCP: the formats of compressed headers. RFC 6846, sections 6.1.2, 6.4, 7.3 and 8:
...              co_common, eight formats for sequential IP-IDs and eight for others, with their CRCs.

Resource         imports.resource

Test Tags        profile:tcp    scheme:rohc


*** Variables ***
&{TCP}    profiles=0x0000,0x0006    mode=O


*** Test Cases ***
Seq 1 To 8
    [Documentation]    Sends each format of the set for sequential IP-IDs. Expects what it has from the packet, and the
    ...    rest from the context.
    [Tags]    level:must    req:RFC6846-6.1.2-4    req:RFC6846-7-1    req:RFC6846-7.3-1    req:RFC6846-8.1-1
    ...       req:RFC6846-8.1-3    req:RFC6846-8.2-28    req:RFC6846-8.2-33    req:RFC6846-8.2-34    req:RFC6846-8.2-44
    ...       req:RFC6846-8.2-45    req:RFC6846-8.2-46    req:RFC6846-8.2-47    req:RFC6846-8.2-48
    ...       req:RFC6846-8.2-49    req:RFC6846-8.2-50    req:RFC6846-8.2-51    smoke
    Vectors Should Be Decompressed    tcp-seq-*

Rnd 1 To 8
    [Documentation]    Sends each format of the set for random, zero and absent IP-IDs. Expects what it has from the
    ...    packet, and the rest from the context.
    [Tags]    level:must    req:RFC6846-6.1.2-4    req:RFC6846-7-1    req:RFC6846-7.3-1    req:RFC6846-8.1-1
    ...       req:RFC6846-8.1-3    req:RFC6846-8.2-16    req:RFC6846-8.2-34    req:RFC6846-8.2-36    req:RFC6846-8.2-37
    ...       req:RFC6846-8.2-38    req:RFC6846-8.2-39    req:RFC6846-8.2-40    req:RFC6846-8.2-41
    ...       req:RFC6846-8.2-42    req:RFC6846-8.2-43
    Vectors Should Be Decompressed    tcp-rnd-*

Co_common
    [Documentation]    Sends co_common with each of its fields. Expects fields by their flags, and that it changes the
    ...    behaviour of the IP-ID, ecn_used and ack_stride.
    [Tags]    level:must    req:RFC6846-6.1-1    req:RFC6846-6.1.2-1    req:RFC6846-6.1.3-1    req:RFC6846-6.1.3-2
    ...       req:RFC6846-6.4.8.2-1    req:RFC6846-6.5-3    req:RFC6846-8.1-2    req:RFC6846-8.1-3    req:RFC6846-8.2-1
    ...       req:RFC6846-8.2-32    req:RFC6846-8.2-35
    Vectors Should Be Decompressed    tcp-co-common-numbers    tcp-co-common-long-ip-id    tcp-co-common-ip-id-behaviour
    ...    tcp-co-common-seldom    tcp-co-common-ecn    tcp-co-common-ack-stride    tcp-co-common-ipv6

Wrong CRCs
    [Documentation]    Sends compressed packets whose CRC-3 or CRC-7 is wrong. Expects nothing delivered of them, and
    ...    the context as it was.
    [Tags]    level:must    req:RFC6846-5.3.1.1-3    req:RFC6846-5.3.1.1-8    req:RFC6846-8.1-3
    Vectors Should Be Decompressed    tcp-wrong-crc-3    tcp-wrong-crc-7

Losses And Swapped IP-IDs
    [Documentation]    Leaves out packets between those that it sends, and sends an IP-ID with swapped octets. Expects
    ...    LSBs that reach across, and every inferred field to go on.
    [Tags]    level:must    req:RFC6846-5.3.1.2-1    req:RFC6846-6.1.1-2    req:RFC6846-6.1.2-1    req:RFC6846-8.2-33
    Vectors Should Be Decompressed    tcp-losses    tcp-swapped-ip-id

Both Ends Of Intervals
    [Documentation]    Sends the numbers farthest from the reference on each side that LSBs reach, and ones that wrap.
    ...    Expects each format's interval, and scaled numbers with the residue of a wrap.
    [Tags]    level:must    req:RFC6846-6.4.8.1-1    req:RFC6846-6.4.8.1-2    req:RFC6846-6.4.8.2-1
    ...       req:RFC6846-8.2-21    req:RFC6846-8.2-33
    Vectors Should Be Decompressed    tcp-reach-*

Malformed
    [Documentation]    Sends compressed packets that end too early, scaled numbers without a factor, and reserved bits
    ...    other than zero. Expects nothing delivered.
    [Tags]    level:must    req:RFC5795-5.2.3-4    req:RFC6846-6.4.8-3    req:RFC6846-8.2-35    req:RFC6846-8.2-37
    ...       req:RFC6846-8.2-39
    Vectors Should Be Decompressed    tcp-co-truncated    tcp-scaled-without-payload    tcp-scaled-without-stride
    ...    tcp-co-common-reserved

Compressor: Acknowledgements
    [Documentation]    Sends pure acknowledgements over IPv4 and over IPv6. Expects nothing wrong.
    [Tags]    level:must    req:RFC6846-5.2.1-1    req:RFC6846-6.4.8-1    req:RFC6846-6.4.8-3    req:RFC6846-6.4.8.2-1
    Flow Should Be Compressed Correctly    tcp-acknowledgements    &{TCP}    packets=600    confidence=2
    Flow Should Be Compressed Correctly    tcp-acknowledgements-ipv6    &{TCP}    packets=600    confidence=2

Compressor: Both Directions
    [Documentation]    Sends segments that carry data and acknowledge some. Expects nothing wrong.
    [Tags]    level:must    req:RFC6846-5.2.1-1    req:RFC6846-6.4.8-4
    Flow Should Be Compressed Correctly    tcp-both-directions    &{TCP}    packets=600    confidence=2
    Flow Should Be Compressed Correctly    tcp-interactive    &{TCP}    packets=600    confidence=2

Compressor: Lengths Of The Payload
    [Documentation]    Sends segments of changing lengths. Expects nothing wrong: no scaled number before residue and
    ...    scaling factor are known, and none without payload.
    [Tags]    level:must    req:RFC6846-6.4.8-1    req:RFC6846-6.4.8-3    req:RFC6846-6.4.8-4    req:RFC6846-6.4.8.1-1
    Flow Should Be Compressed Correctly    tcp-lengths    &{TCP}    packets=600    confidence=2

Compressor: Numbers That Wrap
    [Documentation]    Sends sequence and acknowledgement numbers across 2^32, and IP-IDs across 2^16. Expects nothing
    ...    wrong.
    [Tags]    level:must    req:RFC6846-5.2.1-1    req:RFC6846-6.4.8-5
    Flow Should Be Compressed Correctly    tcp-wraps    &{TCP}    packets=600    confidence=2

Compressor: Windows
    [Documentation]    Sends windows that change. Expects nothing wrong.
    [Tags]    level:must    req:RFC6846-5.2.1-1    req:RFC6846-5.2.1.1-1
    Flow Should Be Compressed Correctly    tcp-windows    &{TCP}    packets=600    confidence=2

Compressor: Flags
    [Documentation]    Sends PSH, URG, SYN, FIN and RST. Expects nothing wrong: formats without a field for a flag
    ...    stand for packets that have it as the format says.
    [Tags]    level:must    req:RFC6846-5.2.1-1    req:RFC6846-8.2-28    req:RFC6846-8.2-34
    Flow Should Be Compressed Correctly    tcp-push    &{TCP}    packets=600    confidence=2
    Flow Should Be Compressed Correctly    tcp-urgent-and-window    &{TCP}    packets=600    confidence=2
    Flow Should Be Compressed Correctly    tcp-connections    &{TCP}    packets=600    confidence=2

Compressor: ECN
    [Documentation]    Sends ECN bits of IP and TCP that begin, change and end. Expects nothing wrong.
    [Tags]    level:must    req:RFC6846-6.1.3-1    req:RFC6846-6.1.3-2    req:RFC6846-6.5-3
    Flow Should Be Compressed Correctly    tcp-ecn    &{TCP}    packets=600    confidence=2

Compressor: Retransmissions
    [Documentation]    Sends segments again. Expects nothing wrong.
    [Tags]    level:must    req:RFC6846-5.2.1-1    req:RFC6846-6.1.1-1
    Flow Should Be Compressed Correctly    tcp-retransmissions    &{TCP}    packets=600    confidence=2
    Flow Should Be Compressed Correctly    tcp-first-segments-again    &{TCP}    packets=600    confidence=2

Compressor: Behaviours Of The IP-ID
    [Documentation]    Sends IP-IDs that are sequential, swapped, random and zero, and ones that go from one to another
    ...    or jump. Expects nothing wrong: the set of formats that goes with the behaviour the compressor told.
    [Tags]    level:must    req:RFC6846-6.1.2-1    req:RFC6846-6.1.2-3    req:RFC6846-6.1.2-4    req:RFC6846-8.1-1
    Flow Should Be Compressed Correctly    tcp-ip-id-swapped    &{TCP}    packets=600    confidence=2
    Flow Should Be Compressed Correctly    tcp-ip-id-random    &{TCP}    packets=600    confidence=2
    Flow Should Be Compressed Correctly    tcp-ip-id-zero    &{TCP}    packets=600    confidence=2
    Flow Should Be Compressed Correctly    tcp-ip-id-changing    &{TCP}    packets=600    confidence=2
    Flow Should Be Compressed Correctly    tcp-ip-id-jumps    &{TCP}    packets=600    confidence=2

Compressor: Smallest Formats
    [Documentation]    Sends segments and acknowledgements that change in a regular way. Expects headers of at most
    ...    eight octets on average, four of seq_1 to seq_4 or rnd_1 to rnd_4 with two of the checksum, and what IR
    ...    packets add; with time stamps, which add four, twelve.
    [Tags]    level:should    req:RFC6846-5.2.1.1-2
    Observe Flow    tcp-bulk-data    &{TCP}    packets=600
    Headers Should Have At Most 8 Octets On Average
    Observe Flow    tcp-acknowledgements    &{TCP}    packets=600
    Headers Should Have At Most 8 Octets On Average
    Observe Flow    tcp-timestamps-ipv6    &{TCP}    packets=600
    Headers Should Have At Most 12 Octets On Average
