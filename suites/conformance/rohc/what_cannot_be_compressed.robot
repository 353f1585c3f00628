*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Packets that a profile must not take: RFC 3095, sections 5.7.7.4 and 5.7.7.5. Each flow begins as
...              usual; one packet in it has something that cannot be inferred. Expected is that it goes another way and
...              that every packet comes out as it was.

Resource         imports.resource

Test Tags        level:must    scheme:rohc


*** Test Cases ***
Wrong IPv4 Checksum
    [Documentation]    Sends RTP and UDP flows in which a few packets, the first one too, have an IPv4 header checksum
    ...    that is wrong. Expects them by another profile, and every packet as it was.
    [Tags]    req:RFC3095-5.7.7.4-2
    Flow Should Be Compressed Correctly    rtp-ipv4    0: wrong-ip-checksum    30: wrong-ip-checksum
    ...    31: wrong-ip-checksum    50: wrong-ip-checksum    packets=80
    Flow Should Be Compressed Correctly    udp-ipv4    0: wrong-ip-checksum    30: wrong-ip-checksum
    ...    31: wrong-ip-checksum    50: wrong-ip-checksum    packets=80

Wrong IPv4 Length
    [Documentation]    Sends RTP and UDP flows in which a few packets, the first one too, have a total length that is
    ...    not that of its octets. Expects them by another profile, and every packet as it was.
    [Tags]    req:RFC3095-5.7.7.4-2
    Flow Should Be Compressed Correctly    rtp-ipv4    0: wrong-ip-length    30: wrong-ip-length    31: wrong-ip-length
    ...    50: wrong-ip-length    packets=80
    Flow Should Be Compressed Correctly    udp-ipv4    0: wrong-ip-length    30: wrong-ip-length    31: wrong-ip-length
    ...    50: wrong-ip-length    packets=80

More Fragments
    [Documentation]    Sends RTP and UDP flows in which a few packets, the first one too, have the flag MF. Expects them
    ...    by another profile, and every packet as it was.
    [Tags]    req:RFC3095-5.7.7.4-2
    Flow Should Be Compressed Correctly    rtp-ipv4    0: more-fragments    30: more-fragments    31: more-fragments
    ...    50: more-fragments    packets=80
    Flow Should Be Compressed Correctly    udp-ipv4    0: more-fragments    30: more-fragments    31: more-fragments
    ...    50: more-fragments    packets=80

Fragment Offset
    [Documentation]    Sends RTP and UDP flows in which a few packets, the first one too, have a fragment offset.
    ...    Expects them by another profile, and every packet as it was.
    [Tags]    req:RFC3095-5.7.7.4-2
    Flow Should Be Compressed Correctly    rtp-ipv4    0: fragment-offset    30: fragment-offset    31: fragment-offset
    ...    50: fragment-offset    packets=80
    Flow Should Be Compressed Correctly    udp-ipv4    0: fragment-offset    30: fragment-offset    31: fragment-offset
    ...    50: fragment-offset    packets=80

Reserved Flag
    [Documentation]    Sends RTP and UDP flows in which a few packets, the first one too, have the reserved flag of
    ...    IPv4. Expects them by another profile, and every packet as it was.
    [Tags]    req:RFC3095-5.7.7.4-2
    Flow Should Be Compressed Correctly    rtp-ipv4    0: reserved-flag    30: reserved-flag    31: reserved-flag
    ...    50: reserved-flag    packets=80
    Flow Should Be Compressed Correctly    udp-ipv4    0: reserved-flag    30: reserved-flag    31: reserved-flag
    ...    50: reserved-flag    packets=80

Wrong UDP Length
    [Documentation]    Sends RTP and UDP flows in which a few packets, the first one too, have a UDP length that is not
    ...    that of the packet. Expects them by another profile, and every packet as it was.
    [Tags]    req:RFC3095-5.7.7.5-1
    Flow Should Be Compressed Correctly    rtp-ipv4    0: wrong-udp-length    30: wrong-udp-length
    ...    31: wrong-udp-length    50: wrong-udp-length    packets=80
    Flow Should Be Compressed Correctly    udp-ipv4    0: wrong-udp-length    30: wrong-udp-length
    ...    31: wrong-udp-length    50: wrong-udp-length    packets=80

Wrong IPv6 Length
    [Documentation]    Sends a flow over IPv6 in which a few packets have a payload length that is not that of their
    ...    octets. Expects every packet as it was.
    [Tags]    req:RFC3095-5.7.7.4-2
    Flow Should Be Compressed Correctly    rtp-ipv6    0: wrong-ip-length    30: wrong-ip-length    packets=60

Fragments Of A Profile That Is Not On The Channel
    [Documentation]    Sends UDP over a channel whose PROFILES are 0x0000 and 0x0001. Expects that no other profile is
    ...    used.
    [Tags]    req:RFC3095-5.1.1-2    req:RFC5795-5.1.2-5    req:RFC5795-5.2.2.1-1
    Flow Should Be Compressed Correctly    udp-constant-ipv4    profiles=0x0000,0x0001    packets=60
    Only Profiles 0x0000,0x0001 Should Be Used
