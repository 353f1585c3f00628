*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Two IP headers, in every combination of IPv4 and IPv6: RFC 3095, sections 5.7, 5.7.5 and 5.7.7.1.

Resource         imports.resource

Test Tags        level:must    profile:rtp    scheme:rohc


*** Test Cases ***
IP-IDs Of Both
    [Documentation]    Sends packets in which the inner, the outer, both or no IP-ID is random. Expects the bits of base
    ...    headers for the innermost IPv4 header whose RND is not 1, and random ones in the order of the
    ...    headers.
    [Tags]    req:RFC3095-4.5.5-2    req:RFC3095-5.7-2    req:RFC3095-5.7-3    req:RFC3095-5.7-6    req:RFC4815-8.3-1
    ...       smoke
    Vectors Should Be Decompressed    rtp-uor-2-two-ipv4-inner-id    rtp-uo-1-id-inner-random
    ...    rtp-uo-1-id-outer-random    rtp-uor-2-both-random    rtp-uo-0-two-ipv4

Outer Fields
    [Documentation]    Sends TOS, TTL, DF, IP-ID and RND of the outer header in extension 3, alone and together with
    ...    inner ones. Expects each part in its place.
    [Tags]    req:RFC3095-5.11.4-1    req:RFC3095-5.7-3    req:RFC3095-5.7.5-7    req:RFC4815-8.2-2    req:RFC4815-8.3-1
    Vectors Should Be Decompressed    rtp-uor-2-extension-3-outer    rtp-uor-2-extension-3-inner-and-outer
    ...    rtp-uor-2-rnd2-set    rtp-uor-2-extension-3-outer-ipv6    udp-uor-2-extension-2
    ...    udp-uor-2-extension-3-outer-alone    udp-uor-2-extension-3-all

IPv6 Inside IPv4
    [Documentation]    Sends packets whose inner header is IPv6. Expects that IP-ID bits belong to the outer header.
    [Tags]    req:RFC3095-5.7-2    req:RFC4815-6.2-1    req:RFC4815-8.2-2
    Vectors Should Be Decompressed    rtp-uo-1-id-ipv6-in-ipv4    rtp-uor-2-extension-3-ip-id-ipv6-in-ipv4
    ...    rtp-uo-1-id-extension-3-inner-ipv6

Compressor: IPv4 In IPv4
    [Documentation]    Sends voice over IPv4 in a tunnel over IPv4. Expects nothing wrong and every packet delivered.
    [Tags]    req:RFC3095-5.7-2    req:RFC3095-5.7.5-4    req:RFC3095-5.7.7.1-1    req:RFC3095-5.8-1
    Flow Should Be Compressed Correctly    tunnel-ipv4-in-ipv4    packets=300

Compressor: IPv4 In IPv6
    [Documentation]    Sends voice over IPv4 in a tunnel over IPv6. Expects nothing wrong and every packet delivered.
    [Tags]    req:RFC3095-5.7-2    req:RFC3095-5.7.5-4    req:RFC3095-5.7.7.1-1
    Flow Should Be Compressed Correctly    tunnel-ipv4-in-ipv6    packets=300

Compressor: IPv6 In IPv4
    [Documentation]    Sends voice over IPv6 in a tunnel over IPv4. Expects nothing wrong and every packet delivered.
    [Tags]    req:RFC3095-5.7-2    req:RFC3095-5.7.5-4    req:RFC3095-5.7.5-5
    Flow Should Be Compressed Correctly    tunnel-ipv6-in-ipv4    packets=300

Compressor: IPv6 In IPv6
    [Documentation]    Sends voice over IPv6 in a tunnel over IPv6. Expects nothing wrong and every packet delivered.
    [Tags]    req:RFC3095-5.7-2    req:RFC3095-5.7.5-4    req:RFC3095-5.7.7.1-1    req:RFC3095-5.8-1
    Flow Should Be Compressed Correctly    tunnel-ipv6-in-ipv6    packets=300

Compressor: Changes Of Both Headers
    [Documentation]    Sends tunnels whose outer and inner TTL, TOS, DF and IP-IDs change, one after the other and
    ...    together. Expects nothing wrong.
    [Tags]    req:RFC3095-5.7-2    req:RFC3095-5.7-6    req:RFC3095-5.7.5-4    req:RFC3095-5.7.5-7
    Flow Should Be Compressed Correctly    rtp-ipv4-in-ipv4    30: outer-ttl to 9    50: ttl to 8
    ...    70: outer-tos to 4 and tos to 5    90: outer-ip-id to random    120: ip-id to random
    ...    150: outer-ip-id to sequential    180: outer-df to 0 and df to 0    packets=220

Compressor: Changes With An Inner IPv6 Header
    [Documentation]    Sends IPv6 in IPv4 whose outer and inner fields change. Expects that I2 is never set, and nothing
    ...    else wrong.
    [Tags]    req:RFC3095-5.7-2    req:RFC3095-5.7.5-5
    Flow Should Be Compressed Correctly    rtp-ipv6-in-ipv4    30: outer-ttl to 9    50: ttl to 8
    ...    70: outer-tos to 4 and tos to 5    90: outer-ip-id to random    120: outer-ip-id to sequential
    ...    150: outer-ip-id by 5000    packets=190

Compressor: Changes With An Outer IPv6 Header
    [Documentation]    Sends IPv4 in IPv6 whose outer and inner fields change. Expects nothing wrong.
    [Tags]    req:RFC3095-5.7-2    req:RFC3095-5.7.5-4
    Flow Should Be Compressed Correctly    rtp-ipv4-in-ipv6    30: outer-ttl to 9    50: ttl to 8
    ...    70: outer-tos to 4 and tos to 5    90: ip-id to random    120: ip-id to swapped    packets=160

Compressor: One Header Only
    [Documentation]    Sends flows with one IP header whose fields all change. Expects that ip2 is never set.
    [Tags]    req:RFC3095-5.7.5-4
    Flow Should Be Compressed Correctly    rtp-ipv4    30: ttl to 9    40: tos to 3    50: df to 0
    ...    60: ip-id to random    packets=90
    Flow Should Be Compressed Correctly    udp-ipv4    30: ttl to 9    40: tos to 3    50: df to 0
    ...    60: ip-id to random    packets=90
