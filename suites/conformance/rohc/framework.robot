*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The framework of RFC 5795, section 5.2, and RFC 3095, section 5.2: the octets in front of a header and
...              the discrimination of packet types. Vectors are sent to the decompressor alone. Its output, the
...              feedback that it passes on to the compressor at its end, and its answers are derived by hand from the
...              RFC. Streams come from the compressor, and the ROHC judge reads them.

Resource         imports.resource

Test Tags        level:must    scheme:rohc


*** Test Cases ***
Padding Before Headers
    [Documentation]    Sends an IR packet and packets with an Add-CID octet after padding octets. Expects that the
    ...    padding is stripped, that no CRC covers it, and that 11100000 is not taken for an Add-CID octet.
    [Tags]    req:RFC3095-5.2.6-2    req:RFC4815-2.2-1    req:RFC5795-5.2.1.1-1    smoke
    Vectors Should Be Decompressed    padding-before-ir    padding-before-add-cid

Padding Alone
    [Documentation]    Sends packets of nothing but padding. Expects that nothing comes out and that the context stays
    ...    as it was.
    [Tags]    req:RFC5795-5.2.1-1
    Vectors Should Be Decompressed    padding-alone

Add-CID Octets
    [Documentation]    Sends a flow with CID 15 and two flows with CIDs 0 and 1. Expects each in its own context, the
    ...    CRC of IR covering the Add-CID octet.
    [Tags]    req:RFC3095-5.9.1-1    req:RFC5795-5.2.1.3-1
    Vectors Should Be Decompressed    add-cid    two-cids

Add-CID Octets Out Of Place
    [Documentation]    Sends two Add-CID octets in a row, one before a feedback element, and one on a channel with large
    ...    CIDs. Expects that each of these packets is discarded.
    [Tags]    req:RFC3095-5.2.6-1    req:RFC3095-5.2.6-4
    Vectors Should Be Decompressed    add-cid-twice    add-cid-before-feedback    add-cid-with-large-cids

Large CIDs Of One Octet
    [Documentation]    Sends IR, UO-1-ID and UOR-2-ID packets for CIDs 0, 100 and 127, which have one octet after the
    ...    first one of each header. Expects every packet delivered.
    [Tags]    req:RFC3095-5.1.3-2    req:RFC5795-5.2.1.3-2
    Vectors Should Be Decompressed    large-cid-0    large-cid-100    large-cid-127

Large CIDs Of Two Octets
    [Documentation]    Sends the same for CIDs 128, 300 and 16383, which have two octets; CID 5 in two octets where one
    ...    would do; and an UOR-2 whose TS field straddles the CID. Expects every packet delivered.
    [Tags]    req:RFC3095-5.1.3-2    req:RFC5795-5.2.1.3-2
    Vectors Should Be Decompressed    large-cid-128    large-cid-300    large-cid-16383    large-cid-longer-than-needed
    ...    large-cid-ts-straddles

Large CIDs Of Three Octets
    [Documentation]    Sends packets whose CID begins with 110. Expects that they are discarded.
    [Tags]    req:RFC3095-5.2.6-3
    Vectors Should Be Decompressed    large-cid-three-octets

Packets For Contexts That Are Not There
    [Documentation]    Sends packets of type 0 and 2 for a CID that no IR packet has established. Expects that they are
    ...    discarded and that CID 0 is not touched.
    [Tags]    req:RFC3095-5.1.2-1    req:RFC3095-5.2.6-8
    Vectors Should Be Decompressed    unknown-cid

Profiles Of The Channel
    [Documentation]    Sends IR packets of a profile that the channel does not have, and of the reserved profile 0xff.
    ...    Expects that they are discarded.
    [Tags]    req:RFC3095-5.2.3-3
    Vectors Should Be Decompressed    profile-not-on-channel    profile-reserved

Unknown Packet Types
    [Documentation]    Sends packet type octets that have no meaning: 11111001, 11111010, and 1110 after an Add-CID
    ...    octet. Expects that they are discarded and that the context stays as it was.
    [Tags]    req:RFC5795-5.2-1    req:RFC5795-5.2.3-4
    Vectors Should Be Decompressed    packet-type-unknown

Packets That End Too Early
    [Documentation]    Sends single octets that only begin something, and packets that end before or inside their large
    ...    CID. Expects that they are discarded.
    [Tags]    req:RFC5795-5.2.3-4
    Vectors Should Be Decompressed    empty-packet-types    cid-truncated

Feedback Alone
    [Documentation]    Sends a packet that is one feedback element. Expects that nothing is delivered and that the
    ...    feedback data goes to the compressor at the same end.
    [Tags]    req:RFC3095-5.2.2-4    req:RFC3095-5.2.2-6    req:RFC5795-5.2.4.1-1    smoke
    Vectors Should Be Decompressed    feedback-alone

Feedback In Front Of Packets
    [Documentation]    Sends feedback elements, with and without a Size octet, in front of packets with padding, with an
    ...    Add-CID octet, and for a context that is not there. Expects that the feedback is cut out and
    ...    passed on, whatever becomes of the packet, and that no CRC covers it.
    [Tags]    req:RFC3095-5.2.2-4    req:RFC3095-5.2.2-6    req:RFC3095-5.2.6-8    req:RFC5795-5.2.4.1-1
    ...       req:RFC5795-5.3.1.1-1
    Vectors Should Be Decompressed    feedback-piggybacked    feedback-several    feedback-size-octet-for-short-data
    ...    feedback-piggybacked-add-cid    feedback-before-unknown-context

Feedback That Announces Too Much
    [Documentation]    Sends feedback elements that announce more octets than the packet has. Expects that the packet is
    ...    discarded.
    [Tags]    req:RFC5795-5.2.3-4
    Vectors Should Be Decompressed    feedback-truncated

Segments Where There Are None
    [Documentation]    Sends segments on a channel whose MRRU is 0. Expects that they are discarded.
    [Tags]    req:RFC5795-5.1.2-7
    Vectors Should Be Decompressed    segments-without-mrru

Segments
    [Documentation]    Sends an IR packet in three segments with its CRC-32, then segments that are interrupted, too
    ...    large, too small, that carry padding, and that have a wrong CRC. Expects that only what is whole
    ...    and right is delivered.
    [Tags]    feature:segmentation    req:RFC3095-5.2.5.2-2    req:RFC3095-5.2.5.2-3    req:RFC3095-5.2.5.2-6
    ...       req:RFC3095-5.2.5.2-7    req:RFC3095-5.2.5.2-8    req:RFC3095-5.2.6-9    req:RFC5795-5.2.5.2-2
    ...       req:RFC5795-5.2.5.2-3    req:RFC5795-5.2.5.2-4    req:RFC5795-5.3.1.4-1
    Vectors Should Be Decompressed    segments-of-ir    segments-interrupted    segments-wrong-crc
    ...    segments-larger-than-mrru    segments-too-short    segments-with-padding-inside
    ...    segments-with-feedback-before

Compressor: Segments
    [Documentation]    Sends calls over a link whose packets have forty octets at most. Expects that IR packets go as
    ...    segments, one after the other and the last of them final, with a CRC-32 and within MRRU.
    [Tags]    feature:segmentation    req:RFC3095-5.2.5.2-1    req:RFC3095-5.2.5.2-4    req:RFC3095-5.2.5.2-5
    ...       req:RFC3095-5.2.5.2-7    req:RFC5795-5.2.5.2-1    req:RFC5795-5.2.5.2-4    req:RFC5795-5.3.1.4-1
    Flow Should Be Compressed Correctly    voip-amr-nb-ipv4    flows=3    packets=300    mrru=200    largest_packet=40
    ...    needs=segmentation
    Some Packets Should Go As Segments

Compressor: Segments Larger Than MRRU
    [Documentation]    Sends calls over such a link where MRRU has no room for an IR packet, and where it is 0. Expects
    ...    no segments.
    [Tags]    feature:segmentation    req:RFC3095-5.1.1-3    req:RFC5795-5.1.2-6
    Flow Should Be Compressed Correctly    voip-amr-nb-ipv4    packets=100    mrru=50    largest_packet=40
    ...    needs=segmentation
    No Packet Should Go As Segments
    Flow Should Be Compressed Correctly    voip-amr-nb-ipv4    packets=100    largest_packet=40    needs=segmentation
    No Packet Should Go As Segments

Compressor: MRRU Is The Packet With Its CRC
    [Documentation]    Sends 2,000 packets of 200 to 1,200 octets over a link for packets of 300 octets with MRRU 700.
    ...    Expects segments, and no unit that with the four octets of its CRC is longer than MRRU.
    [Tags]    feature:segmentation    req:RFC3095-5.2.5.2-3    req:RFC5795-5.2.5.2-3
    Flow Should Be Compressed Correctly    rtp-video    packets=2000    mrru=700    largest_packet=300
    ...    needs=segmentation
    Some Packets Should Go As Segments

Segments Up To MRRU
    [Documentation]    Sends a unit that with its CRC-32 is as large as MRRU, and one that is so without it. Expects the
    ...    first one delivered, and nothing of the other.
    [Tags]    feature:segmentation    req:RFC3095-5.1.1-4    req:RFC5795-5.1.2-8
    Vectors Should Be Decompressed    segments-as-large-as-mrru    segments-larger-by-their-crc

Small CIDs On The Link
    [Documentation]    Sends three RTP flows over a channel with small CIDs. Expects no Add-CID octet for CID 0, one for
    ...    the others, no large CID, and nothing else in front of a header.
    [Tags]    req:RFC3095-5.2-1    req:RFC3095-5.2-2    req:RFC5795-5.2-1    req:RFC5795-5.2.1-1    req:RFC5795-5.2.1-2
    ...       req:RFC5795-5.2.1.3-1
    Flow Should Be Compressed Correctly    voip-amr-nb-ipv4    flows=3    packets=300

Large CIDs On The Link
    [Documentation]    Sends 200 RTP flows over a channel with large CIDs. Expects a large CID of one or two octets
    ...    after the first octet of each header, and no Add-CID octet.
    [Tags]    req:RFC3095-5.1.3-2    req:RFC3095-5.2-2    req:RFC5795-5.2.1.3-2
    Flow Should Be Compressed Correctly    voip-amr-nb-ipv4    flows=200    packets=1400    cids=large    max_cid=400

Feedback Piggybacked On Packets
    [Documentation]    Sends three flows in both directions in O-mode, feedback in front of packets. Expects that every
    ...    packet still parses, every feedback element with it, and that nothing is lost.
    [Tags]    req:RFC3095-5.2-1    req:RFC3095-5.2.1-1    req:RFC5795-5.2.1-2
    Flow Should Be Compressed Correctly    voip-amr-nb-ipv4    flows=3    packets=300    mode=O    reverse=yes
    ...    feedback=piggybacked

Feedback Interspersed With Packets
    [Documentation]    Sends a flow in both directions in O-mode, feedback as packets of its own among the others.
    ...    Expects that nothing is lost.
    [Tags]    req:RFC3095-5.2-1    req:RFC3095-5.2.2-6
    Flow Should Be Compressed Correctly    voip-amr-nb-ipv4    flows=3    packets=300    mode=O    reverse=yes
    ...    feedback=interspersed
