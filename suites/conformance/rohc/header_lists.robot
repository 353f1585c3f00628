*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Extension headers as items of compressed lists: RFC 3095, sections 5.7.7.3, 5.8.4 and 5.8.5.1; RFC
...              4815, sections 5.4 to 5.8. IPv6 extension headers, AH, GRE and minimal encapsulation.

Resource         imports.resource

Test Tags        feature:extension-headers    level:must    scheme:rohc


*** Test Cases ***
Dynamic Chains
    [Documentation]    Sends IR packets with hop-by-hop options, routing headers and destination options, with XI fields
    ...    of four and eight bits. Expects each header with the Next Header of what follows it, also in the
    ...    packets after.
    [Tags]    profile:udp    req:RFC3095-5.7.7.3-1    req:RFC3095-5.7.7.3-2    req:RFC3095-5.8.4.1-1
    ...       req:RFC3095-5.8.6.1-1    req:RFC3095-5.8.7-1    req:RFC4815-5.6-1
    Vectors Should Be Decompressed    ext-ir-three-types    ext-ir-eight-bit-indexes    ext-table-survives-ir

Incomplete Dynamic Chains
    [Documentation]    Sends IR packets whose list lacks an item that is known, and whose list is of encoding type 2.
    ...    Expects that they are discarded.
    [Tags]    profile:udp    req:RFC3095-5.7.7.3-1
    Vectors Should Be Decompressed    ext-ir-item-missing    ext-ir-type-2

Every Encoding Type
    [Documentation]    Sends lists of types 0 to 3 in extension 3. Expects each header in its place, and Next Header
    ...    fields that follow from the list.
    [Tags]    profile:udp    req:RFC3095-5.8.2.1-8    req:RFC3095-5.8.4.1-2    req:RFC3095-5.8.4.1-3
    ...       req:RFC3095-5.8.6.1-1    req:RFC3095-5.8.6.2-1    req:RFC3095-5.8.6.3-1    req:RFC3095-5.8.6.4-1
    Vectors Should Be Decompressed    ext-type-*

Tables
    [Documentation]    Sends another item at an index that is in use, and one index for two headers. Expects the new
    ...    item, and the item twice.
    [Tags]    profile:udp    req:RFC3095-5.8.6.1-1    req:RFC4815-5.6-2
    Vectors Should Be Decompressed    ext-new-item-at-an-index    ext-same-index-twice

Two Lists
    [Documentation]    Sends packets with extension headers after both IP headers. Expects a table for each list.
    [Tags]    profile:udp    req:RFC3095-5.7.7.3-1    req:RFC3095-5.8.6.1-1    req:RFC4815-5.6-3
    Vectors Should Be Decompressed    ext-two-lists

Lists Of One Packet
    [Documentation]    Sends a list without gen_id. Expects it in its packet, the one before it in the next, and its
    ...    item in the table.
    [Tags]    profile:udp    req:RFC3095-5.8.2.1-1    req:RFC3095-5.8.2.1-7
    Vectors Should Be Decompressed    ext-without-gen-id

Lists That Cannot Be Right
    [Documentation]    Sends lists with an index that is not known, a reference that never was or is empty, a mask that
    ...    keeps too much, and an item that is no extension header. Expects that nothing comes out.
    [Tags]    profile:udp    req:RFC3095-5.8.1.1-1    req:RFC3095-5.8.2.1-4    req:RFC3095-5.8.3-3
    ...       req:RFC3095-5.8.6.1-1    req:RFC4815-5.7-1
    Vectors Should Be Decompressed    ext-unknown-*    ext-empty-reference    ext-removal-keeps-too-much
    ...    ext-item-of-no-extension-header

Reserved Bits
    [Documentation]    Sends a list whose field has its reserved bits set. Expects that they are ignored.
    [Tags]    profile:udp    req:RFC3095-5.8.5.1-1
    Vectors Should Be Decompressed    ext-reserved-bits

Authentication Header
    [Documentation]    Sends AH whose sequence number follows the SN, is sent in 7 and in 31 bits, and another AH.
    ...    Expects the number, and its data from after the compressed header.
    [Tags]    profile:udp    req:RFC3095-5.7-14    req:RFC3095-5.8.4.2-1    req:RFC3095-5.8.4.2-2
    ...       req:RFC3095-5.8.5.1-2    req:RFC3095-5.8.7-1    req:RFC4815-5.8-1    req:RFC4815-8.9-1
    Vectors Should Be Decompressed    ext-ah-*

GRE
    [Documentation]    Sends GRE with checksum, key and sequence number, and with none of them. Expects the Protocol
    ...    Type of what follows, and the checksum from its place between the random IP-IDs.
    [Tags]    profile:udp    req:RFC3095-5.7-14    req:RFC3095-5.7-6    req:RFC3095-5.8.4.4-2    req:RFC3095-5.8.4.4-3
    ...       req:RFC3095-5.8.4.4-4    req:RFC3095-5.8.5.1-2    req:RFC3095-5.8.7-1    req:RFC4815-5.8-1
    ...       req:RFC4815-8.9-1
    Vectors Should Be Decompressed    ext-gre    ext-gre-order-of-fields    ext-gre-sequence-number    ext-two-lists

GRE Before UDP
    [Documentation]    Sends a list that ends with GRE, in front of UDP. Expects that nothing comes out.
    [Tags]    profile:udp    req:RFC3095-5.8.4.4-1    req:RFC3095-5.8.4.4-5
    Vectors Should Be Decompressed    ext-gre-before-udp

Minimal Encapsulation
    [Documentation]    Sends minimal encapsulation headers of twelve and eight octets. Expects them in each packet.
    [Tags]    profile:udp    req:RFC3095-5.7.7.4-1    req:RFC3095-5.7.7.4-3    req:RFC3095-5.8.4.1-1
    ...       req:RFC3095-5.8.7-1
    Vectors Should Be Decompressed    ext-minimal-encapsulation*

Profile IP
    [Documentation]    Sends packets of profile 0x0004 with destination options and AH. Expects both, and one of them
    ...    once the other is removed.
    [Tags]    profile:ip    req:RFC3843-3.6-1    req:RFC4815-5.8-1
    Vectors Should Be Decompressed    ext-ip-profile

What UO-1-ID Updates
    [Documentation]    Sends UO-1-ID with a sequence number of AH and another list. Expects that the number and the
    ...    table stay, and the list does not.
    [Tags]    profile:rtp    req:RFC4815-6.2-1
    Vectors Should Be Decompressed    ext-uo-1-id

R-Mode
    [Documentation]    Sends lists that refer to others by SN, and AH in R-0. Expects the lists acknowledged and the
    ...    packets restored.
    [Tags]    mode:r    profile:udp    req:RFC3095-5.8.2.1-8    req:RFC4815-5.8-1
    Vectors Should Be Decompressed    r-ext-references

Compressor: Headers Come And Go
    [Documentation]    Sends flows over IPv6 whose extension headers come, go, change their order and their content.
    ...    Expects nothing wrong and every packet delivered.
    [Tags]    profile:rtp    req:RFC3095-5.7.7.3-2    req:RFC3095-5.7.7.3-3    req:RFC3095-5.7.7.8-1
    ...       req:RFC3095-5.8.1-2    req:RFC3095-5.8.2.1-5    req:RFC3095-5.8.4-1    req:RFC3095-5.8.4.1-2
    ...       req:RFC3095-5.8.4.1-3    req:RFC3095-5.8.5.1-1    req:RFC3095-5.8.6.2-1    req:RFC3095-5.8.6.3-1
    ...       req:RFC3095-5.8.7-1    req:RFC4815-5.6-1
    Flow Should Be Compressed Correctly    rtp-ipv6    20: extensions to h    40: extensions to hd
    ...    60: extensions to hrd    80: extensions to rd    100: extensions to Dh    120: extensions to none
    ...    140: extensions to hrdD    160: extensions to hrd    180: extensions to h    182: extensions to d
    ...    184: extensions to h    packets=240    needs=extension-headers
    Only Profiles 0x0001 Should Be Used

Compressor: Long Lists
    [Documentation]    Sends flows with up to fifteen extension headers, of which one comes, goes, and gives way to
    ...    another. Expects nothing wrong, also where the change alone is sent, and whichever single packet is lost.
    [Tags]    profile:udp    req:RFC3095-5.8.2.1-6    req:RFC3095-5.8.6.2-1    req:RFC3095-5.8.6.3-1
    ...       req:RFC3095-5.8.6.4-1    req:RFC4815-5.7-1
    Flow Should Be Compressed Correctly    udp-ipv6    20: extensions to h0123456789ddd
    ...    50: extensions to h0123456789dddd    80: extensions to r0123456789ddd
    ...    110: extensions to r0123456789dd    140: extensions to 0123456789hrdd    packets=170
    ...    needs=extension-headers
    No Single Loss Should Hurt Another Packet    udp-ipv6    10: extensions to h0123456789ddd
    ...    40: extensions to h0123456789dddd    70: extensions to h012345678dddd    packets=100
    ...    needs=extension-headers

Compressor: Authentication Header
    [Documentation]    Sends flows with AH whose sequence number follows, jumps a little, far and back, and stands
    ...    still. Expects that a number off its line is sent, and every packet delivered.
    [Tags]    profile:udp    req:RFC3095-5.8.4.2-1    req:RFC3095-5.8.4.2-2    req:RFC3095-5.8.4.2-3
    ...       req:RFC3095-5.8.5.1-2    req:RFC3095-5.8.7-1    req:RFC4815-5.8-1    req:RFC4815-8.9-1
    Flow Should Be Compressed Correctly    udp-ipv6    20: extensions to a    50: ah-sequence by 50
    ...    80: ah-sequence by 100000    110: ah-sequence to 5    140: extensions to ha    170: extensions to h
    ...    200: extensions to ha    230: ah-sequence to 0xfffffff8    packets=260    needs=extension-headers
    Only Profiles 0x0002 Should Be Used
    Flow Should Be Compressed Correctly    esp-ipv4    20: extensions to a    60: ah-sequence by 100    packets=100
    ...    needs=extension-headers

Compressor: Both IP Headers
    [Documentation]    Sends a tunnel with GRE, AH and minimal encapsulation, with random IP-IDs besides. Expects
    ...    nothing wrong and every packet delivered.
    [Tags]    profile:rtp    req:RFC3095-5.7-14    req:RFC3095-5.7-6    req:RFC3095-5.7.7.4-3    req:RFC3095-5.7.7.4-4
    ...       req:RFC3095-5.8.4.4-2    req:RFC3095-5.8.4.4-3    req:RFC3095-5.8.4.4-4    req:RFC3095-5.8.7-1
    ...       req:RFC4815-5.4-1    req:RFC4815-5.6-3    req:RFC4815-5.8-1
    Flow Should Be Compressed Correctly    rtp-ipv4-in-ipv4    20: outer-extensions to g
    ...    60: outer-gre-sequence by 3    80: outer-gre-sequence by 100    100: outer-extensions to ag
    ...    120: outer-ip-id to random and ip-id to random    140: extensions to m    160: outer-extensions to G
    ...    180: extensions to a    200: outer-extensions to none    packets=240    needs=extension-headers
    Only Profiles 0x0001 Should Be Used

Compressor: GRE That Is No Item
    [Documentation]    Sends tunnels whose GRE header has a reserved bit, or carries bridged Ethernet. Expects every
    ...    packet as it was: such a header is no item of a list, for nothing would bring the bit or the type.
    [Tags]    profile:rtp    req:RFC3095-5.8.4.4-1    req:RFC3095-5.8.4.4-5
    Flow Should Be Compressed Correctly    rtp-ipv4-in-ipv4    20: outer-extensions to x    40: outer-extensions to G
    ...    60: outer-extensions to b    80: outer-extensions to none    packets=100    needs=extension-headers
    Flow Should Be Compressed Correctly    rtp-ipv6-in-ipv6    0: outer-extensions to b    30: outer-extensions to x
    ...    packets=60    needs=extension-headers

Compressor: Profile IP
    [Documentation]    Sends tunnels of profile 0x0004 with extension headers after both IP headers. Expects nothing
    ...    wrong and every packet delivered.
    [Tags]    profile:ip    req:RFC3843-3.6-1
    Flow Should Be Compressed Correctly    ip-ipv6-in-ipv6    20: extensions to d    40: outer-extensions to h
    ...    60: extensions to da    packets=100    needs=extension-headers
    Flow Should Be Compressed Correctly    ip-ipv4-in-ipv4-in-ipv4    20: outer-extensions to a    40: ttl to 9
    ...    packets=100    needs=extension-headers

Compressor: UDP-Lite
    [Documentation]    Sends UDP-Lite over IPv6 whose lists grow, two of their headers being equal. Expects nothing
    ...    wrong and every packet delivered.
    [Tags]    profile:udplite    req:RFC4815-5.6-1    req:RFC4815-5.6-2
    Flow Should Be Compressed Correctly    udplite-ipv6    20: extensions to dd    40: extensions to ddd
    ...    60: extensions to dDd    80: coverage to 8    packets=120    needs=extension-headers

Compressor: Losses
    [Documentation]    Sends flows whose extension headers and sequence numbers change. Expects that whichever single
    ...    packet is lost, the others can be read.
    [Tags]    profile:rtp    req:RFC3095-5.8.1-1    req:RFC3095-5.8.1-2    req:RFC3095-5.8.2.1-6    req:RFC4815-5.8-1
    No Single Loss Should Hurt Another Packet    rtp-ipv6    20: extensions to h    40: extensions to hd
    ...    60: extensions to d    80: extensions to ad    100: ah-sequence by 1000    120: extensions to da
    ...    140: extensions to h    160: extensions to ha    packets=190    needs=extension-headers

Compressor: Every Loss Around A Change
    [Documentation]    Sends a call that is given an extension header; every pattern of losses around it. Expects that
    ...    the list is carried by at least two packets.
    [Tags]    profile:rtp    req:RFC3095-5.8.1-1    req:RFC3095-5.8.2.1-6
    Change Should Survive Losses    rtp-ipv6    extensions to a    needs=extension-headers

Compressor: R-Mode
    [Documentation]    Sends extension headers that change in R-mode, acknowledged at once. Expects that each packet can
    ...    be read with every list that may be the reference.
    [Tags]    mode:r    profile:rtp    req:RFC3095-5.5.1.1.1-1    req:RFC3095-5.8.2.1-6
    Flow Should Be Compressed Correctly    rtp-ipv6    20: extensions to h    40: extensions to ha
    ...    60: ah-sequence by 300    80: extensions to a    100: extensions to none    mode=R    feedback=own
    ...    packets=140    needs=extension-headers
