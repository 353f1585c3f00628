*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The sequence number and its LSB encoding: RFC 3095, sections 4.5.1, 4.5.2 and 5.7.

Resource         imports.resource

Test Tags        level:must    profile:rtp    scheme:rohc


*** Test Cases ***
Interpretation Intervals
    [Documentation]    Sends SNs at both ends of the interpretation intervals of 4, 6, 12 and 14 bits. Expects the one
    ...    value inside the interval.
    [Tags]    req:RFC3095-4.5.1-2    req:RFC3095-5.7-1    req:RFC3095-5.7.4-1    req:RFC3095-5.7.5-7
    ...       req:RFC4815-4.2-1    smoke
    Vectors Should Be Decompressed    rtp-uo-0-farthest-ahead    rtp-uo-0-one-behind    rtp-uor-2-ts
    ...    rtp-uor-2-one-behind    rtp-uor-2-extension-3-sn    rtp-uor-2-extension-3-sn-farthest-behind
    ...    rtp-uo-1-id-extension-3-sn

Wrap-Around
    [Documentation]    Sends packets across the wrap-around of the RTP sequence number from 65535 to 0. Expects every
    ...    packet delivered.
    [Tags]    req:RFC3095-4.5.1-4    req:RFC3095-4.5.5-1
    Vectors Should Be Decompressed    rtp-uo-0-sn-wraps

References
    [Documentation]    Sends four packets in a row whose SN bits wrap on the way, and a packet twice. Expects that each
    ...    becomes the reference of the next.
    [Tags]    req:RFC3095-4.5.1-3
    Vectors Should Be Decompressed    rtp-uo-0-run    rtp-uo-0-repeated

Wrap-Around Of The Compressor
    [Documentation]    Sends RTP whose sequence number wraps after 36 packets. Expects nothing wrong.
    [Tags]    req:RFC3095-4.5.1-1    req:RFC3095-4.5.1-4
    Flow Should Be Compressed Correctly    rtp-sequence-wrap    packets=300

Jumps
    [Documentation]    Sends RTP whose sequence number jumps by 10, by 1000 and by half of its space. Expects enough
    ...    bits for every jump.
    [Tags]    req:RFC3095-4.5.1-1    req:RFC3095-5.7-1
    Flow Should Be Compressed Correctly    rtp-sequence-jump    packets=400

Gaps
    [Documentation]    Sends RTP of which one packet in twenty is missing before the compressor. Expects every packet
    ...    delivered.
    [Tags]    req:RFC3095-4.1-6    req:RFC3095-4.5.1-1
    Flow Should Be Compressed Correctly    rtp-lossy    packets=800

Reordering And Duplication
    [Documentation]    Sends RTP that was reordered and duplicated before the compressor. Expects every packet
    ...    delivered, in the order and the number in which it was sent.
    [Tags]    req:RFC3095-4.1-6    req:RFC3095-4.5.1-1
    Flow Should Be Compressed Correctly    rtp-reordered    packets=800

Wide Reordering
    [Documentation]    Sends an RTP flow whose sequence number goes 12 back and 20 ahead now and then. Expects every
    ...    packet delivered.
    [Tags]    req:RFC3095-4.1-6    req:RFC3095-5.7-1
    Flow Should Be Compressed Correctly    rtp-ipv4    40: sn by 65524    41: sn by 12    60: sn by 20
    ...    61: sn by 65516    80: sn by 65535    packets=100

Windows
    [Documentation]    Sends RTP with gaps, jumps, reordering and duplicates. Expects that whichever single packet is
    ...    lost, all the others can be read: the bits suffice for every reference that the decompressor may
    ...    have.
    [Tags]    req:RFC3095-4.5.2-1    req:RFC3095-4.5.2-2
    No Single Loss Should Hurt Another Packet    rtp-reordered        packets=400
    No Single Loss Should Hurt Another Packet    rtp-lossy            packets=400
    No Single Loss Should Hurt Another Packet    rtp-sequence-jump    packets=400

Ends Of The Intervals: Compressor
    [Documentation]    Sends an RTP flow in O-mode. Each time its last packet is acknowledged, so that this is the only
    ...    reference, the SN jumps to one of both sides of the last value that four, six and nine bits carry: 14, 62
    ...    and 496 beyond the reference. Expects enough bits for every jump.
    [Tags]    req:RFC3095-4.5.1-1    req:RFC3095-4.5.2-1    req:RFC3095-5.7-1
    Jumps From One Reference Should Be Carried    rtp-ipv4
    ...    sn by 13 and ts by 2080 and ip-id by 13
    ...    sn by 14 and ts by 2240 and ip-id by 14
    ...    sn by 61 and ts by 9760 and ip-id by 61
    ...    sn by 62 and ts by 9920 and ip-id by 62
    ...    sn by 495 and ts by 79200 and ip-id by 495
    ...    sn by 496 and ts by 79360 and ip-id by 496

Beginnings Of The Intervals: Compressor
    [Documentation]    As before, but the SN jumps back: to one behind the reference, the first value that four and six
    ...    bits carry, to two behind it, and to 15 and 16 behind it, for nine bits. Expects enough bits for every
    ...    jump.
    [Tags]    req:RFC3095-4.5.1-1    req:RFC3095-4.5.2-1    req:RFC3095-5.7-1
    Jumps From One Reference Should Be Carried    rtp-ipv4
    ...    sn by 65534 and ts by 4294966976 and ip-id by 65534
    ...    sn by 65533 and ts by 4294966816 and ip-id by 65533
    ...    sn by 65520 and ts by 4294964736 and ip-id by 65520
    ...    sn by 65519 and ts by 4294964576 and ip-id by 65519
