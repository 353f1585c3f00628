*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Profile 0x0002, UDP: RFC 3095, section 5.11. It has a sequence number of its own, and other formats of
...              type 1 and 2.

Resource         imports.resource

Test Tags        profile:udp    scheme:rohc


*** Test Cases ***
Initialisation
    [Documentation]    Sends IR and IR-DYN packets. Expects the SN behind the checksum in the dynamic chain, and in no
    ...    packet that comes out.
    [Tags]    level:must    req:RFC3095-5.11.1-4    req:RFC3095-5.11.2-1    req:RFC3095-5.7.7-1    smoke
    Vectors Should Be Decompressed    udp-ir    udp-ir-dyn    udp-ir-without-payload

UO-0
    [Documentation]    Sends UO-0 packets in a row, across the wrap-around of the SN, at the end of the interpretation
    ...    interval, with a checksum, over IPv6 and with a random IP-ID. Expects p = -1.
    [Tags]    level:must    req:RFC3095-4.5.1-4    req:RFC3095-5.11-2    req:RFC3095-5.7-3    req:RFC3095-5.7-6
    ...       req:RFC3095-5.7.7.5-3
    Vectors Should Be Decompressed    udp-uo-0-run    udp-uo-0-farthest    udp-uo-0-sn-wraps    udp-uo-0-checksum
    ...    udp-uo-0-ipv6    udp-uo-0-random-ip-id

UO-1
    [Documentation]    Sends UO-1 packets: six bits of IP-ID and five of SN. Expects the bits ignored where there is no
    ...    sequential IP-ID.
    [Tags]    level:must    req:RFC3095-4.5.5-1    req:RFC3095-4.5.5-3    req:RFC3095-5.11-2    req:RFC3095-5.11.3-1
    ...       req:RFC3095-5.11.5-1    req:RFC3095-5.7-3    req:RFC4815-8.2-1
    Vectors Should Be Decompressed    udp-uo-1*

UOR-2
    [Documentation]    Sends UOR-2 packets, whose format is the same whatever RND says. Expects five bits of SN.
    [Tags]    level:must    req:RFC3095-5.11-2    req:RFC3095-5.11.3-1    req:RFC3095-5.7.5.1-2    req:RFC4815-8.8-1
    Vectors Should Be Decompressed    udp-uor-2    udp-uor-2-random-ip-id    udp-uor-2-rnd-set

Extensions 0 To 2
    [Documentation]    Sends UOR-2 with extensions 0, 1 and 2. Expects SN and IP-ID extended, and in extension 2 the
    ...    outer IP-ID, too.
    [Tags]    level:must    req:RFC3095-5.11-2    req:RFC3095-5.11.4-1
    Vectors Should Be Decompressed    udp-uor-2-extension-0*    udp-uor-2-extension-1    udp-uor-2-extension-2

Extension 3
    [Documentation]    Sends UOR-2 with extension 3: the mode and ip2 in its first octet. Expects every part in its
    ...    place, and the reserved bit ignored.
    [Tags]    level:must    req:RFC3095-5.11-2    req:RFC3095-5.11.4-1    req:RFC3095-5.7.5-7    req:RFC4815-8.2-2
    Vectors Should Be Decompressed    udp-uor-2-extension-3*

Profile Switches
    [Documentation]    Sends IR-DYN packets that switch from profile 0x0001 to 0x0002 and back. Expects the switch where
    ...    the static chain allows it.
    [Tags]    level:must    req:RFC3095-5.11.1-3    req:RFC3095-5.7.7.2-1    req:RFC4815-7.2.2-1    req:RFC5795-5.1.1-2
    Vectors Should Be Decompressed    udp-profile-*

Compressor: Constant Traffic
    [Documentation]    Sends UDP packets with the same header again and again. Expects nothing wrong: an SN that
    ...    increases by one for each packet, the formats of this profile, and every packet delivered.
    [Tags]    level:must    req:RFC3095-5.11-1    req:RFC3095-5.11-2    req:RFC3095-5.11.1-4    req:RFC3095-5.11.3-1
    Flow Should Be Compressed Correctly    udp-constant-ipv4    packets=600

Compressor: With Checksum
    [Documentation]    Sends UDP packets with a UDP checksum. Expects nothing wrong: an SN that increases by one for
    ...    each packet, the formats of this profile, and every packet delivered.
    [Tags]    level:must    req:RFC3095-5.11-1    req:RFC3095-5.11-2    req:RFC3095-5.11.1-4    req:RFC3095-5.11.3-1
    Flow Should Be Compressed Correctly    udp-constant-ipv4-checksum    packets=600

Compressor: IPv6
    [Documentation]    Sends UDP packets with IPv6 headers. Expects nothing wrong: an SN that increases by one for each
    ...    packet, the formats of this profile, and every packet delivered.
    [Tags]    level:must    req:RFC3095-5.11-1    req:RFC3095-5.11-2    req:RFC3095-5.11.1-4    req:RFC3095-5.11.3-1
    ...       req:RFC3095-5.7.7.3-4
    Flow Should Be Compressed Correctly    udp-constant-ipv6    packets=600

Compressor: Queries
    [Documentation]    Sends UDP packets with queries at random times with random IP-IDs. Expects nothing wrong: an SN
    ...    that increases by one for each packet, the formats of this profile, and every packet delivered.
    [Tags]    level:must    req:RFC3095-5.11-1    req:RFC3095-5.11-2    req:RFC3095-5.11.1-4    req:RFC3095-5.11.3-1
    Flow Should Be Compressed Correctly    udp-dns-like-ipv4    packets=600

Compressor: Queries Over IPv6
    [Documentation]    Sends UDP packets with queries at random times. Expects nothing wrong: an SN that increases by
    ...    one for each packet, the formats of this profile, and every packet delivered.
    [Tags]    level:must    req:RFC3095-5.11-1    req:RFC3095-5.11-2    req:RFC3095-5.11.1-4    req:RFC3095-5.11.3-1
    Flow Should Be Compressed Correctly    udp-dns-like-ipv6    packets=600

Compressor: Changes
    [Documentation]    Sends a UDP flow whose TTL, TOS, DF and IP-ID change. Expects extensions 0 to 3 in the formats of
    ...    this profile, the reserved bit zero.
    [Tags]    level:must    req:RFC3095-5.11.4-1    req:RFC3095-5.11.4-2    req:RFC3095-5.11.5-1    req:RFC4815-8.8-1
    Flow Should Be Compressed Correctly    udp-ipv4    30: ttl to 9    50: tos to 8 and df to 0    70: ip-id by 100
    ...    90: ip-id by 9000    110: ip-id to random    140: ttl to 4    170: ip-id to swapped    packets=220

Compressor: Two IPv4 Headers
    [Documentation]    Sends a UDP flow in a tunnel whose outer and inner fields change. Expects nothing wrong.
    [Tags]    level:must    req:RFC3095-5.11.4-1    req:RFC3095-5.11.4-2
    Flow Should Be Compressed Correctly    udp-ipv4-in-ipv4    30: outer-ttl to 9    50: ttl to 8
    ...    70: outer-ip-id by 100    90: ip-id by 300 and outer-ip-id by 7    120: outer-ip-id to random    packets=160

Compressor: A Flow That Seemed To Be RTP
    [Documentation]    Sends a flow whose packets have no RTP header any more from packet 41 on. Expects another profile
    ...    for it, and the RTP sequence number as SN if IR-DYN switches the context.
    [Tags]    level:must    req:RFC3095-4.2-1    req:RFC3095-5.11.1-2
    Flow Should Be Compressed Correctly    rtp-ipv4    40: layers to udp    packets=100

Compressor: Initial SN
    [Documentation]    Sends sixteen UDP flows. Expects that their sequence numbers start at random.
    [Tags]    level:must    req:RFC3095-5.11.1-1
    Observe Flow    udp-constant-ipv4    flows=16    packets=32    max_cid=15    decompressor=none
    Initial Sequence Numbers Should Differ

Compressor: Losses
    [Documentation]    Sends queries at random times with random IP-IDs. Expects that whichever single packet is lost,
    ...    the others can be read.
    [Tags]    level:must    req:RFC3095-4.5.2-1    req:RFC3095-4.5.2-2
    No Single Loss Should Hurt Another Packet    udp-dns-like-ipv4    packets=300

A Regular Flow Is Compressed To Type 0
    [Documentation]    Sends a UDP flow that changes nothing. Expects packets of type 0 after the start.
    [Tags]    level:should    req:RFC3095-4.3.1-2    req:RFC3095-5.3.1.2-1
    Flow Should Settle On Packets Of Type 0    udp-ipv4    packets=200
