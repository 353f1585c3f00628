*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Profile 0x0004, IP: RFC 3843. As profile 0x0002 without the UDP header, with any number of IP headers,
...              constant IP-IDs and declined mode transitions.

Resource         imports.resource

Test Tags        profile:ip    scheme:rohc


*** Variables ***
${SIXTEEN}    ip-ipv4${{"-in-ipv6-in-ipv4" * 7}}-in-ipv6


*** Test Cases ***
Initialisation
    [Documentation]    Sends IR packets over IPv4 and IPv6. Expects the chain to end with the header whose payload is no
    ...    IP, and the SN at the end of the dynamic chain.
    [Tags]    level:must    req:RFC3843-3.1-1    req:RFC3843-3.5-3    smoke
    Vectors Should Be Decompressed    ip-ir-ipv4    ip-ir-ipv6

Chains That End Early
    [Documentation]    Sends IR packets whose static chain ends at the outer header, version 0xc or 0xe. Expects that
    ...    the inner header is payload, also in later packets, and that the version comes out right.
    [Tags]    level:must    req:RFC3843-3.1-1    req:RFC3843-3.1-2    req:RFC3843-3.1-3
    Vectors Should Be Decompressed    ip-chain-ended-*

Types 0, 1 And 2
    [Documentation]    Sends UO-0, UO-1 and UOR-2 with extensions. Expects the formats of profile 0x0002.
    [Tags]    level:must    req:RFC3095-5.11.3-1    req:RFC3095-5.11.4-1    req:RFC3843-3-2    req:RFC4815-8.8-1
    Vectors Should Be Decompressed    ip-uo-0-farthest    ip-uo-1    ip-uor-2    ip-uor-2-extension-*

Mode 0
    [Documentation]    Sends extension 3 with mode 0. Expects a packet as any other.
    [Tags]    level:must    req:RFC3843-3.4-2
    Vectors Should Be Decompressed    ip-uor-2-mode-0

Constant IP-ID
    [Documentation]    Sends contexts with SID = 1 in the only, the inner and the outer header. Expects the IP-ID of the
    ...    context until IR or IR-DYN clears the flag.
    [Tags]    level:must    req:RFC3843-3.3-1    req:RFC3843-3.3-2    req:RFC3843-3.3-3    req:RFC3843-3.3-4
    ...       req:RFC4815-11-1
    Vectors Should Be Decompressed    ip-constant-ip-id*    ip-two-ipv4-outer-constant    ip-random-ip-id

Three IP Headers
    [Documentation]    Sends three headers of every kind. Expects the first two as usual, and the dynamic part of the
    ...    third at the end of every compressed header.
    [Tags]    feature:additional-ip-headers    level:must    req:RFC3843-3-2    req:RFC3843-3.2-1    req:RFC3843-3.3-3
    ...       req:RFC3843-3.6-1
    Vectors Should Be Decompressed    ip-three-*

Profile Switches
    [Documentation]    Sends IR-DYN packets that switch from profiles 0x0001 and 0x0002 to 0x0004, and back. Expects the
    ...    switch where the static chain allows it.
    [Tags]    level:must    req:RFC3095-5.7.7.2-2    req:RFC3843-3.5-2    req:RFC4815-7.2.2-1
    Vectors Should Be Decompressed    ip-profile-*

Wrong Chains
    [Documentation]    Sends chains that are cut short. Expects that they are discarded.
    [Tags]    level:must    req:RFC5795-5.2.3-4
    Vectors Should Be Decompressed    ip-ir-truncated

Compressor: IPv4
    [Documentation]    Sends IPv4 packets of an unknown protocol. Expects nothing wrong: an SN that increases by one for
    ...    each packet, no UDP checksum, and every packet delivered.
    [Tags]    level:must    req:RFC3843-3-1    req:RFC3843-3-2    req:RFC3843-3.5-3    req:RFC3843-3.6-1
    Flow Should Be Compressed Correctly    ip-only-ipv4    packets=400

Compressor: IPv6
    [Documentation]    Sends IPv6 packets without a next header. Expects nothing wrong: an SN that increases by one for
    ...    each packet, no UDP checksum, and every packet delivered.
    [Tags]    level:must    req:RFC3843-3-1    req:RFC3843-3-2    req:RFC3843-3.5-3    req:RFC3843-3.6-1
    Flow Should Be Compressed Correctly    ip-only-ipv6    packets=400

Compressor: ICMP
    [Documentation]    Sends ICMP echo requests. Expects nothing wrong: an SN that increases by one for each packet, no
    ...    UDP checksum, and every packet delivered.
    [Tags]    level:must    req:RFC3843-3-1    req:RFC3843-3-2    req:RFC3843-3.5-3    req:RFC3843-3.6-1
    Flow Should Be Compressed Correctly    icmp-ipv4    packets=400

Compressor: ICMPv6
    [Documentation]    Sends ICMPv6 echo requests. Expects nothing wrong: an SN that increases by one for each packet,
    ...    no UDP checksum, and every packet delivered.
    [Tags]    level:must    req:RFC3843-3-1    req:RFC3843-3-2    req:RFC3843-3.5-3    req:RFC3843-3.6-1
    Flow Should Be Compressed Correctly    icmp-ipv6    packets=400

Compressor: Changes
    [Documentation]    Sends an IP flow whose TTL, TOS, DF and IP-ID change. Expects nothing wrong.
    [Tags]    level:must    req:RFC3095-5.11.4-1    req:RFC3095-5.11.4-2    req:RFC3843-3-2
    Flow Should Be Compressed Correctly    ip-ipv4    30: ttl to 9    50: tos to 8 and df to 0    70: ip-id by 100
    ...    90: ip-id by 9000    packets=130

Compressor: Two IP Headers
    [Documentation]    Sends IP flows in tunnels of every kind, whose fields change. Expects nothing wrong.
    [Tags]    level:must    req:RFC3843-3.1-1    req:RFC4815-11-1
    Flow Should Be Compressed Correctly    ip-ipv4-in-ipv4    30: outer-ttl to 9    50: ttl to 8
    ...    70: outer-ip-id to constant    packets=120
    Flow Should Be Compressed Correctly    ip-ipv4-in-ipv6    30: outer-ttl to 9    50: ttl to 8    packets=120
    Flow Should Be Compressed Correctly    ip-ipv6-in-ipv4    30: outer-ttl to 9    50: ttl to 8
    ...    70: outer-ip-id to constant    packets=120
    Flow Should Be Compressed Correctly    ip-ipv6-in-ipv6    30: outer-ttl to 9    50: ttl to 8    packets=120

Compressor: Three IP Headers
    [Documentation]    Sends IP flows with three IP headers. Expects nothing wrong, whether the compressor puts all
    ...    three into the chain or ends it before.
    [Tags]    level:must    req:RFC3843-3.1-1    req:RFC3843-3.6-1
    Flow Should Be Compressed Correctly    ip-ipv4-in-ipv4-in-ipv4    30: outer-ttl to 9    50: ttl to 8    packets=120
    Flow Should Be Compressed Correctly    ip-ipv6-in-ipv4-in-ipv6    30: outer-ttl to 9    50: ttl to 8    packets=120

Compressor: Where The Chain Ends
    [Documentation]    Sends IP flows in which the innermost of two or three IP headers is that of a fragment, which is
    ...    not compressed. Expects that the static chain says so where it ends before an IP header.
    [Tags]    level:must    req:RFC3095-5.7.7.4-2    req:RFC3843-3.1-1
    Flow Should Be Compressed Correctly    ip-ipv4-in-ipv4    0: more-fragments    1: more-fragments
    ...    2: more-fragments    packets=20
    Flow Should Be Compressed Correctly    ip-ipv4-in-ipv4-in-ipv6    0: more-fragments    1: more-fragments
    ...    2: more-fragments    packets=20

Compressor: Initial SN
    [Documentation]    Sends sixteen IP flows. Expects that their sequence numbers start at random.
    [Tags]    level:must    req:RFC3843-3.5-1
    Observe Flow    ip-only-ipv4    flows=16    packets=32    max_cid=15    decompressor=none
    Initial Sequence Numbers Should Differ

Compressor: Losses
    [Documentation]    Sends IP packets whose IP-ID becomes random, constant and sequential. Expects that whichever
    ...    single packet is lost, the others can be read.
    [Tags]    level:must    req:RFC3095-4.5.2-1    req:RFC3095-4.5.2-2
    No Single Loss Should Hurt Another Packet    ip-ipv4    60: ip-id to random    120: ip-id to constant
    ...    180: ip-id to sequential    packets=240

A Regular Flow Is Compressed To Type 0
    [Documentation]    Sends an IP flow that changes nothing. Expects packets of type 0 after the start.
    [Tags]    level:should    req:RFC3095-4.3.1-2    req:RFC3095-5.3.1.2-1
    Flow Should Settle On Packets Of Type 0    ip-ipv4    packets=200

Compressor: Up To Sixteen IP Headers
    [Documentation]    Sends IP flows with four and with sixteen IP headers, whose outer and inner fields change.
    ...    Expects nothing wrong and every packet delivered.
    [Tags]    feature:additional-ip-headers    level:must    req:RFC3843-3.2-1    req:RFC3843-3.6-1
    Flow Should Be Compressed Correctly    ip-ipv4-in-ipv6-in-ipv4-in-ipv6    30: outer-ttl to 9    50: ttl to 8
    ...    packets=80    needs=additional-ip-headers
    Flow Should Be Compressed Correctly    ${SIXTEEN}    30: outer-ttl to 9    50: ttl to 8    packets=80
    ...    needs=additional-ip-headers
