*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The identification of IPv4 headers: RFC 3095, sections 4.5.5, 5.7 and 5.7.5.1; RFC 3843, section 3.3;
...              RFC 4815, sections 8.1 to 8.3.

Resource         imports.resource

Test Tags        scheme:rohc


*** Test Cases ***
Sequential
    [Documentation]    Sends packets with and without bits of the offset of the IP-ID, across its wrap-around. Expects
    ...    the IP-ID from SN and offset.
    [Tags]    level:must    req:RFC3095-4.5.5-1    req:RFC3095-4.5.7-1    req:RFC3095-5.7.3-2    req:RFC4815-8.2-2
    Vectors Should Be Decompressed    rtp-uo-0-ip-id-wraps    rtp-uo-1-id-jump    rtp-uo-1-id-farthest
    ...    rtp-uor-2-extension-3-ip-id    rtp-uor-2-id-extension-3-ip-id    udp-uor-2-extension-3-ip-id

Swapped
    [Documentation]    Sends packets of contexts with NBO = 0. Expects that the octets are swapped before the offset is
    ...    taken.
    [Tags]    level:must    req:RFC3095-4.5.5-3    req:RFC4815-8.1-1    req:RFC4815-8.2-2
    Vectors Should Be Decompressed    rtp-uo-0-swapped-ip-id    rtp-uo-1-id-swapped
    ...    rtp-uor-2-extension-3-ip-id-swapped    rtp-uor-2-extension-3-nbo    udp-uo-1-swapped

Random
    [Documentation]    Sends packets of contexts with RND = 1. Expects the IP-ID behind the header, and IP-ID bits in
    ...    base headers ignored.
    [Tags]    level:must    req:RFC3095-5.11-2    req:RFC3095-5.7-3    req:RFC3843-3.3-3    req:RFC4815-8.2-1
    ...       req:RFC4815-8.8-1
    Vectors Should Be Decompressed    rtp-uo-0-random-ip-id    rtp-uo-1-random-ip-id    udp-uo-0-random-ip-id
    ...    udp-uo-1-random-ip-id    udp-uor-2-random-ip-id    ip-random-ip-id    udp-uo-1-ipv6

Random And Swapped
    [Documentation]    Sends a packet of a context with RND = 1 and NBO = 0. Expects the IP-ID as it was sent.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7-13
    Vectors Should Be Decompressed    rtp-uo-0-random-ip-id-not-swapped

RND Changes
    [Documentation]    Sends UOR-2 packets with extension 3 and IR-DYN packets that change RND. Expects that the base
    ...    header is read by the new flag, and that the flag holds.
    [Tags]    level:must    req:RFC3095-5.7-3    req:RFC3095-5.7.5.1-2    req:RFC4815-8.3-1    req:RFC4815-8.8-1
    Vectors Should Be Decompressed    rtp-uor-2-rnd-set    rtp-uor-2-rnd-cleared    udp-uor-2-rnd-set
    ...    rtp-ir-dyn-sets-rnd

Constant
    [Documentation]    Sends packets of profile 0x0004 with SID = 1, which IR and IR-DYN alone change. Expects the IP-ID
    ...    of the context.
    [Tags]    level:must    profile:ip    req:RFC3843-3.3-1    req:RFC3843-3.3-2    req:RFC3843-3.3-4
    Vectors Should Be Decompressed    ip-constant-ip-id    ip-constant-ip-id-ends-with-ir-dyn

Compressor: Sequential
    [Documentation]    Sends RTP whose IP-ID goes up by one. Expects nothing wrong on the link and every packet
    ...    delivered.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.5.5-1
    Flow Should Be Compressed Correctly    ip-id-sequential    packets=500

Compressor: Swapped
    [Documentation]    Sends RTP whose IP-ID counts in the other byte order. Expects nothing wrong on the link and every
    ...    packet delivered.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.5.5-3    req:RFC4815-8.1-1
    Flow Should Be Compressed Correctly    ip-id-swapped    packets=500

Compressor: Random
    [Documentation]    Sends RTP whose IP-ID is random. Expects nothing wrong on the link and every packet delivered.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7-10    req:RFC3095-5.7-3    req:RFC3095-5.7.5.1-4
    Flow Should Be Compressed Correctly    ip-id-random    packets=500

Compressor: Constant
    [Documentation]    Sends RTP whose IP-ID is the same in each packet. Expects nothing wrong on the link and every
    ...    packet delivered.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.5.5-1
    Flow Should Be Compressed Correctly    ip-id-constant    packets=500

Compressor: Zero
    [Documentation]    Sends RTP whose IP-ID is always 0. Expects nothing wrong on the link and every packet delivered.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.5.5-1
    Flow Should Be Compressed Correctly    ip-id-zero    packets=500

Compressor: Jumping
    [Documentation]    Sends RTP whose IP-ID skips what the host sent elsewhere. Expects nothing wrong on the link and
    ...    every packet delivered.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.5.2-1    req:RFC3095-4.5.5-1
    Flow Should Be Compressed Correctly    ip-id-jumps    packets=500

Compressor: Changing
    [Documentation]    Sends RTP whose IP-ID becomes random, sequential, constant and swapped. Expects that RND changes
    ...    only in UOR-2 with extension 3, IR-DYN or IR, repeatedly, and that packet type 1 is not used
    ...    while it is being established.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7-10    req:RFC3095-5.7-11    req:RFC3095-5.7-9
    ...       req:RFC3095-5.7.4-3    req:RFC3095-5.7.5.1-1    req:RFC3095-5.7.5.1-3    req:RFC3095-5.7.5.1-4
    ...       req:RFC3095-5.7.5.1-5
    Flow Should Be Compressed Correctly    ip-id-changing    packets=500    confidence=2
    No Single Loss Should Hurt Another Packet    ip-id-changing    packets=500

Compressor: Changing, UDP
    [Documentation]    Sends UDP whose IP-ID becomes random, sequential, constant and swapped. Expects nothing wrong.
    [Tags]    level:must    profile:udp    req:RFC3095-5.7.5.1-1    req:RFC4815-8.8-1
    Flow Should Be Compressed Correctly    udp-ipv4    60: ip-id to random    120: ip-id to sequential
    ...    180: ip-id to constant    240: ip-id to swapped    packets=300

Compressor: Changing, IP
    [Documentation]    Sends IP packets whose IP-ID becomes random, sequential, constant and swapped. Expects that SID
    ...    changes only in IR and IR-DYN.
    [Tags]    level:must    profile:ip    req:RFC3843-3.3-1    req:RFC3843-3.3-2    req:RFC3843-3.3-3
    ...       req:RFC3843-3.3-4
    Flow Should Be Compressed Correctly    ip-ipv4    60: ip-id to random    120: ip-id to sequential
    ...    180: ip-id to constant    240: ip-id to swapped    packets=300

Losses Around Jumps
    [Documentation]    Sends RTP whose IP-ID jumps. Expects that whichever single packet is lost, the others can be
    ...    read.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.5.2-1    req:RFC3095-4.5.2-2
    No Single Loss Should Hurt Another Packet    ip-id-jumps    packets=400

Random IP-IDs Are Found Out
    [Documentation]    Sends RTP with random IP-IDs and no UDP checksum. Expects that the compressor notices: headers of
    ...    at most 4 octets on average.
    [Tags]    level:should    profile:rtp    req:RFC3095-4.5.5-4
    Observe Flow    ip-id-random    packets=600    decompressor=none    mode=O or U
    Headers Should Have At Most 4 Octets On Average

Ends Of The Intervals: Compressor
    [Documentation]    Sends an RTP flow in O-mode. Each time its last packet is acknowledged, so that this is the only
    ...    reference, the offset of the IP-ID jumps to one of both sides of the last value that five and eight bits
    ...    carry: 31 and 255 beyond the reference, and to one behind it. Expects enough bits for every jump.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.5.1-1    req:RFC3095-4.5.2-1    req:RFC3095-4.5.5-1
    Jumps From One Reference Should Be Carried    rtp-ipv4
    ...    ip-id by 31
    ...    ip-id by 32
    ...    ip-id by 255
    ...    ip-id by 256
    ...    ip-id by 65535
