*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The other fields: TOS, TTL, DF, payload type, padding, extension and marker bit, UDP checksum: RFC
...              3095, sections 5.7 and 5.7.5; RFC 4815, sections 6.4, 6.5 and 8.4.

Resource         imports.resource

Test Tags        level:must    scheme:rohc


*** Test Cases ***
UDP Checksum
    [Documentation]    Sends packets of contexts with and without a UDP checksum, and IR and IR-DYN packets that turn it
    ...    on and off. Expects it behind the header if the context has one, also where it is zero.
    [Tags]    req:RFC3095-5.7-6    req:RFC3095-5.7-8
    Vectors Should Be Decompressed    rtp-uo-0-udp-checksum    rtp-uo-1-ts-udp-checksum    udp-uo-0-checksum
    ...    rtp-ir-turns-checksum-on    rtp-ir-dyn-turns-checksum-off    rtp-checksum-zero-sent

Marker
    [Documentation]    Sends the marker in IR, UO-1-TS and extension 3. Expects it in that packet and not in the next.
    [Tags]    profile:rtp    req:RFC3095-4.5.3-1    req:RFC3095-5.7-5    req:RFC3095-5.7.3-1    req:RFC3095-5.7.3-2
    ...       req:RFC4815-6.2-1
    Vectors Should Be Decompressed    rtp-ir-marker    rtp-uo-1-ts-talk-spurt    rtp-uo-1-id-extension-3-rtp-once
    ...    rtp-uor-2-extension-3-marker-twice

Padding And Extension Bit
    [Documentation]    Sends P and X in IR and in extension 3, set and cleared. Expects them kept, P cleared by R-PT =
    ...    0, X by RX = 0.
    [Tags]    profile:rtp    req:RFC3095-5.7.4-2    req:RFC4815-6.4-1    req:RFC4815-6.5-1
    Vectors Should Be Decompressed    rtp-ir-x-and-p    rtp-ir-refresh-clears-x    rtp-uor-2-extension-3-x
    ...    rtp-uor-2-extension-3-padding-cleared

Fields Of UO-1-ID
    [Documentation]    Sends TOS, TTL, payload type, marker and TS_STRIDE in extension 3 of UO-1-ID packets. Expects
    ...    them in that packet and not in the next.
    [Tags]    profile:rtp    req:RFC3095-5.7-5    req:RFC3095-5.7.3-2    req:RFC4815-6.2-1
    Vectors Should Be Decompressed    rtp-uo-1-id-extension-3-tos-once    rtp-uo-1-id-extension-3-rtp-once
    ...    rtp-uo-1-id-extension-3-stride-not-kept    rtp-uo-1-id-extension-3-inner-ipv6

IPv4 Header Changes
    [Documentation]    Sends RTP whose TTL, TOS and DF change and whose UDP checksum comes and goes. Expects nothing
    ...    wrong, and IR-DYN or IR where the checksum comes.
    [Tags]    profile:rtp    req:RFC3095-5.3.1.1.3-1    req:RFC3095-5.7-6    req:RFC3095-5.7-7    req:RFC3095-5.7.5-9
    Flow Should Be Compressed Correctly    header-changes-ipv4    packets=700

IPv6 Header Changes
    [Documentation]    Sends RTP over IPv6 whose hop limit, traffic class and flow label change; the flow label is
    ...    static, so that it takes an IR packet. Expects nothing wrong.
    [Tags]    profile:rtp    req:RFC3095-4.2-1    req:RFC3095-5.3.1.1.3-1
    Flow Should Be Compressed Correctly    header-changes-ipv6    packets=400

Payload Type, Padding, Extension
    [Documentation]    Sends RTP whose payload type and padding change, and RTP with a header extension. Expects nothing
    ...    wrong.
    [Tags]    profile:rtp    req:RFC3095-5.3.1.1.3-1    req:RFC3095-5.7.5-9    req:RFC4815-6.4-1    req:RFC4815-6.5-1
    Flow Should Be Compressed Correctly    rtp-payload-type-change    packets=300
    Flow Should Be Compressed Correctly    rtp-padding                packets=150
    Flow Should Be Compressed Correctly    rtp-extension              packets=150

Markers
    [Documentation]    Sends RTP with a marker on every fifth packet and other changes in between. Expects it in those
    ...    packets alone, and two markers of one header always alike.
    [Tags]    profile:rtp    req:RFC3095-5.7-5    req:RFC4815-8.4-1
    Flow Should Be Compressed Correctly    rtp-marker-every    packets=300
    Flow Should Be Compressed Correctly    rtp-ipv4    20: marker and ttl to 9    21: pt to 4    30: marker and pt to 5
    ...    40: marker and step to 80    packets=80

Static Fields
    [Documentation]    Sends RTP whose SSRC changes in mid-stream. Expects that no context carries two SSRCs without an
    ...    IR packet.
    [Tags]    profile:rtp    req:RFC3095-4.2-1
    Flow Should Be Compressed Correctly    rtp-ipv4    40: ssrc to 77    80: ssrc to 78    packets=120

UDP Checksum Of Single Packets
    [Documentation]    Sends RTP whose UDP checksum is zero in one packet, and then a flow where it is there in one
    ...    packet. Expects every packet as it was.
    [Tags]    profile:rtp    req:RFC3095-5.7-6    req:RFC3095-5.7-7
    Flow Should Be Compressed Correctly    rtp-ipv4    0: checksum to on    40: checksum to off    41: checksum to on
    ...    packets=80
    Flow Should Be Compressed Correctly    rtp-ipv4    40: checksum to on    41: checksum to off    packets=80
