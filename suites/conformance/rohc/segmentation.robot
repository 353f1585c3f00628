*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Segments of a compressor, and the octets in front of them: RFC 3095, section 5.2.5; RFC 5795, section
...              5.2.5. The link takes packets of 40 or 100 octets; longer packets go as segments if MRRU allows it, and
...              whole otherwise. The suite `framework` tests the format of segments.

Resource         imports.resource

Test Tags        feature:segmentation    profile:rtp    scheme:rohc


*** Test Cases ***
Segments And Feedback
    [Documentation]    Sends two calls in both directions in O-mode, feedback in front of packets, longer than the link
    ...    takes. Expects feedback in front of segments, never inside a unit.
    [Tags]    level:must    req:RFC3095-5.2.5.2-4    req:RFC5795-5.2.5.2-1
    Flow Should Be Compressed Correctly    voip-g711-ipv4    flows=2    packets=120    mode=O    reverse=yes
    ...    feedback=piggybacked    mrru=1500    largest_packet=100    needs=segmentation
    Some Packets Should Go As Segments

Units Up To MRRU
    [Documentation]    Sends packets of a little more than 100 octets. MRRU, 103, has room for some of them, but for
    ...    none with its CRC-32. Expects that nothing goes as segments: the other side would discard it.
    [Tags]    level:must    req:RFC3095-5.1.1-4    req:RFC5795-5.1.2-8
    Observe Flow    rtp-ipv4    0: payload to 100    packets=60    mrru=103    largest_packet=40    decompressor=none
    ...    needs=segmentation
    No Packet Should Go As Segments

Only What Is Too Long
    [Documentation]    Sends packets of which some are longer than the link takes. Expects that the others go as they
    ...    are.
    [Tags]    level:should    req:RFC3095-5.2.5.1-2
    Observe Flow    rtp-ipv4    20: payload to 100    60: payload to 10    packets=80    mrru=1500    largest_packet=40
    ...    decompressor=none    needs=segmentation
    No Packet Of Up To 40 Octets Should Go As Segments
