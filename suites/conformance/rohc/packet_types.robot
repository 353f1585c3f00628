*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Packet types 0, 1 and 2 of profile 0x0001 with their extensions: RFC 3095, sections 5.7.1 to 5.7.5.
...              Vectors are sent to the decompressor alone. The compressor is free to choose among the types; the ROHC
...              judge reads its streams, and tshark does, too.

Resource         imports.resource

Test Tags        profile:rtp    scheme:rohc


*** Test Cases ***
UO-0
    [Documentation]    Sends UO-0 packets in a row, over IPv4 and IPv6, with a UDP checksum, two IP headers, and after
    ...    losses. Expects SN, TS and IP-ID moved by as many steps as the SN says.
    [Tags]    level:must    req:RFC3095-4.5.1-2    req:RFC3095-4.5.1-3    req:RFC3095-4.5.5-2    req:RFC3095-5.2.7-2
    ...       req:RFC3095-5.3.2.2.2-3    req:RFC3095-5.7-1    req:RFC3095-5.7-6    req:RFC3095-5.7.1-1
    ...       req:RFC3095-5.7.7.3-4    req:RFC3095-5.7.7.4-5    req:RFC3095-5.9.2-1    req:RFC4815-4.2-1
    ...       req:RFC4815-6.1-1    req:RFC5795-5.3.1.2-1    smoke
    Vectors Should Be Decompressed    rtp-uo-0-next    rtp-uo-0-run    rtp-uo-0-ipv6    rtp-uo-0-udp-checksum
    ...    rtp-uo-0-two-ipv4    rtp-uo-0-repeated    rtp-uo-0-one-behind    rtp-uo-0-farthest-ahead

UO-1
    [Documentation]    Sends UO-1 packets over IPv6 and with random IP-IDs. Expects six bits of scaled TS, and the TS
    ...    kept.
    [Tags]    level:must    req:RFC3095-5.7-3    req:RFC3095-5.7-4    req:RFC3095-5.7.3-1    req:RFC3095-5.7.3-2
    Vectors Should Be Decompressed    rtp-uo-1-ipv6    rtp-uo-1-random-ip-id    rtp-uo-1-farthest

UO-1-TS
    [Documentation]    Sends UO-1-TS packets: a talk spurt, timestamps ahead, behind and the same, and with a UDP
    ...    checksum. Expects the TS and the marker of this packet.
    [Tags]    level:must    req:RFC3095-4.5.3-1    req:RFC3095-5.7-4    req:RFC3095-5.7-5    req:RFC3095-5.7-6
    ...       req:RFC3095-5.7.3-1    req:RFC3095-5.7.3-2    req:RFC3095-5.7.7.6-4    req:RFC4815-4.1-1
    ...       req:RFC4815-4.3-1
    Vectors Should Be Decompressed    rtp-uo-1-ts-*

UO-1-ID
    [Documentation]    Sends UO-1-ID packets with five bits of the offset of the IP-ID. Expects the IP-ID, and its
    ...    offset kept.
    [Tags]    level:must    req:RFC3095-4.5.5-1    req:RFC3095-4.5.5-3    req:RFC3095-5.7.3-2
    Vectors Should Be Decompressed    rtp-uo-1-id-jump    rtp-uo-1-id-farthest    rtp-uo-1-id-swapped

UO-1-ID With Extensions
    [Documentation]    Sends UO-1-ID packets with extensions 0 to 3. Expects the bits joined in the right order, and
    ...    that nothing but SN, TS and IP-ID is kept.
    [Tags]    level:must    req:RFC3095-4.5.7-1    req:RFC3095-5.7-1    req:RFC3095-5.7-5    req:RFC3095-5.7.3-2
    ...       req:RFC3095-5.7.5-1    req:RFC3095-5.7.5-2    req:RFC3095-5.7.5-3    req:RFC4815-6.2-1
    Vectors Should Be Decompressed    rtp-uo-1-id-extension-*

UOR-2
    [Documentation]    Sends UOR-2 packets over IPv6: six bits of TS that straddle two octets. Expects the TS.
    [Tags]    level:must    req:RFC3095-5.7.4-1    req:RFC5795-5.3.1.3-1    smoke
    Vectors Should Be Decompressed    rtp-uor-2-ipv6

UOR-2-ID And UOR-2-TS
    [Documentation]    Sends both, also with an SN behind the reference. Expects what they carry, and that it is kept.
    [Tags]    level:must    req:RFC3095-5.7-1    req:RFC3095-5.7.4-1    req:RFC3095-5.7.4-2    req:RFC5795-5.3.1.3-1
    Vectors Should Be Decompressed    rtp-uor-2-id    rtp-uor-2-ts    rtp-uor-2-one-behind

Extensions 0 To 2 With T = 1
    [Documentation]    Sends UOR-2-TS with extensions 0, 1 and 2. Expects that +T is TS and -T is IP-ID.
    [Tags]    level:must    req:RFC3095-5.7.5-1    req:RFC3095-5.7.5-2    req:RFC3095-5.7.5-8
    Vectors Should Be Decompressed    rtp-uor-2-ts-extension-*

Extensions 0 To 2 With T = 0
    [Documentation]    Sends UOR-2-ID with extensions 0, 1 and 2. Expects that +T is IP-ID and -T is TS.
    [Tags]    level:must    req:RFC3095-5.7.5-2    req:RFC3095-5.7.5-8
    Vectors Should Be Decompressed    rtp-uor-2-id-extension-0    rtp-uor-2-id-extension-1    rtp-uor-2-id-extension-2

Extensions 0 To 2 Without T
    [Documentation]    Sends UOR-2 over IPv6 with extensions 0, 1 and 2. Expects that +T and -T are both TS: 9, 17 and
    ...    25 bits.
    [Tags]    level:must    req:RFC3095-4.5.7-1    req:RFC3095-5.7.5-2    req:RFC3095-5.7.5-8
    Vectors Should Be Decompressed    rtp-uor-2-extension-0-ipv6    rtp-uor-2-extension-1-ipv6
    ...    rtp-uor-2-extension-2-ipv6

Extension 3: Order Of Its Parts
    [Documentation]    Sends extension 3 empty, with every part that one IP header can have, and over IPv6. Expects each
    ...    part in its place.
    [Tags]    level:must    req:RFC3095-5.7.5-7    req:RFC3095-5.7.5-9
    Vectors Should Be Decompressed    rtp-uor-2-extension-3-empty    rtp-uor-2-extension-3-all-inner
    ...    rtp-uor-2-extension-3-ipv6

Extension 3: TS
    [Documentation]    Sends scaled TS in 1 to 3 octets and unscaled TS in every length, and Tsc = 0 without any TS
    ...    bits. Expects the TS, TS_OFFSET recalculated, and the last packet discarded.
    [Tags]    level:must    req:RFC3095-4.5.6-1    req:RFC3095-4.5.7-1    req:RFC3095-5.7.5-3    req:RFC4815-4.1-1
    ...       req:RFC4815-4.2-2    req:RFC4815-4.5-1    req:RFC5795-5.3.2-1
    Vectors Should Be Decompressed    rtp-uor-2-extension-3-ts-*    rtp-uor-2-extension-3-unscaled-*

Extension 3: Fields That Stay
    [Documentation]    Sends TOS, TTL, DF, payload type, X and P in extension 3. Expects that they change in this packet
    ...    and the next.
    [Tags]    level:must    req:RFC3095-5.7.4-2    req:RFC3095-5.7.5-7    req:RFC3095-5.7.5-9    req:RFC4815-6.4-1
    Vectors Should Be Decompressed    rtp-uor-2-extension-3-tos-ttl-df    rtp-uor-2-extension-3-payload-type
    ...    rtp-uor-2-extension-3-x    rtp-uor-2-extension-3-padding-cleared

Extension 3: Two Markers
    [Documentation]    Sends the marker in the base header and in extension 3, equal and unequal. Expects the equal ones
    ...    delivered and the others discarded, though the CRC fits.
    [Tags]    level:must    req:RFC4815-8.4-2
    Vectors Should Be Decompressed    rtp-uor-2-extension-3-marker*

Extension 3: CSRC Lists
    [Documentation]    Sends CSRC lists in extension 3: two items, an empty list, items by index. Expects the list in
    ...    this packet and the next.
    [Tags]    feature:list-compression    level:must    req:RFC3095-5.8.6.1-1
    Vectors Should Be Decompressed    rtp-uor-2-extension-3-csrc*

Packets Cut Short
    [Documentation]    Sends UOR-2 packets with a full extension 3 and UO-0 packets with a UDP checksum, cut at every
    ...    octet. Expects that they are discarded.
    [Tags]    level:must    req:RFC5795-5.2.3-4
    Vectors Should Be Decompressed    rtp-uor-2-truncated    rtp-uo-0-truncated    udp-uor-2-truncated

RTP Over IPv4, U-Mode
    [Documentation]    Sends a call over IPv4 in U-mode. Expects that the judge and the decompressor restore every
    ...    packet.
    [Tags]    level:must    req:RFC3095-5.2.7-1    req:RFC3095-5.2.7-2    req:RFC3095-5.7.1-1    req:RFC3095-5.9.2-1
    ...       smoke
    Flow Should Be Compressed Correctly    voip-amr-nb-ipv4    packets=1000

RTP Over IPv6, O-Mode
    [Documentation]    Sends a call over IPv6 in O-mode with talk spurts. Expects that the judge and the decompressor
    ...    restore every packet.
    [Tags]    level:must    req:RFC3095-5.2.7-1    req:RFC3095-5.7.1-1    req:RFC3095-5.7.3-1
    Flow Should Be Compressed Correctly    voip-amr-nb-ipv6-silence    packets=1000    mode=O

A Gateway's Mix Of Flows
    [Documentation]    Sends voice over IPv4 and IPv6, with and without checksums, with random and sequential IP-IDs,
    ...    talk spurts and comfort noise. Expects that the judge and the decompressor restore every packet.
    [Tags]    level:must    req:RFC3095-5.7.1-1    req:RFC3095-5.7.3-1    req:RFC3095-5.7.4-1    req:RFC3095-5.7.4-3
    ...       req:RFC3095-5.9.2-1
    Flow Should Be Compressed Correctly    voip-mixed    flows=16    packets=3000    mode=O or U    cids=large
    ...    max_cid=100

A Regular Flow Is Compressed To Type 0
    [Documentation]    Sends a call whose headers change as predicted. Expects packets of type 0 after the start.
    [Tags]    level:should    req:RFC3095-4.3.1-2    req:RFC3095-5.3.1.2-1
    Flow Should Settle On Packets Of Type 0    rtp-ipv4    packets=300
    Flow Should Settle On Packets Of Type 0    rtp-ipv6    packets=300

Small Changes Take Small Packets
    [Documentation]    Sends talk spurts over IPv4 without a UDP checksum. Expects headers of at most 3 octets on
    ...    average: UO-1-TS at the start of a spurt suffices.
    [Tags]    level:should    req:RFC3095-5.3.1.2-1
    Observe Flow    voip-amr-nb-ipv4-silence    packets=2000    decompressor=none    mode=O or U
    Headers Should Have At Most 3 Octets On Average

Tshark Reads The Same: Talk Spurts
    [Documentation]    Sends a call with talk spurts over IPv4 with small CIDs. Expects that tshark reads the same
    ...    types, CIDs, sequence numbers and CRCs as the judge.
    [Tags]    level:must    req:RFC3095-5.7.1-1    req:RFC3095-5.7.3-1    tshark
    Flow Should Be Read Alike By Tshark    voip-amr-nb-ipv4-silence    mode=U

Tshark Reads The Same: Changes
    [Documentation]    Sends calls whose timestamps jump and change their step, over IPv4. Expects that tshark reads the
    ...    same as the judge.
    [Tags]    level:must    req:RFC3095-5.7.4-1    req:RFC3095-5.7.5-7    tshark
    Flow Should Be Read Alike By Tshark    rtp-timestamp-jump    packets=400    mode=O or U
    Flow Should Be Read Alike By Tshark    rtp-timestamp-step-change    packets=400    mode=O or U

Tshark Reads The Same: IPv6 And Many CIDs
    [Documentation]    Sends twelve calls over IPv6 with small CIDs. Expects that tshark reads the same as the judge.
    [Tags]    level:must    req:RFC5795-5.2.1.3-1    tshark
    Flow Should Be Read Alike By Tshark    voip-amr-nb-ipv6-silence    flows=12    packets=900    mode=O or U
