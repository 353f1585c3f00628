*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Section 11.2: packet sequence numbers, for links that reorder.

Resource         imports.resource

Test Tags        level:must    scheme:iphc


*** Test Cases ***
Packet Sequence Numbers
    [Documentation]    Section 11.2. Sends TCP with EXPECT_REORDERING. Expects a number behind the TCP checksum, one
    ...    higher than that of the packet before, in full headers, too.
    [Tags]    req:RFC2507-11.2-2    req:RFC2507-11.2-4    req:RFC2507-11.2-5
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    flows=3    packets=300    reordering=yes
    ...    types=COMPRESSED_TCP
    Traffic Should Be Compressed By The Rules    tcp-retransmissions    packets=60    reordering=yes
    ...    types=COMPRESSED_TCP
    Traffic Should Be Compressed By The Rules    tcp-in-a-tunnel    packets=100    reordering=yes
    ...    types=COMPRESSED_TCP

Zero Is Skipped
    [Documentation]    Section 11.2. Sends 66,000 segments. Expects no packet with the number zero.
    [Tags]    req:RFC2507-11.2-3
    Packet Sequence Numbers Should Follow    tcp-bulk-data    packets=66000

Numbers In Their Order
    [Documentation]    Sections 5.3.1 and 11.2. Sends numbered packets, beyond 255 and 65,535. Expects each at once.
    [Tags]    req:RFC2507-11.2-2    req:RFC2507-11.2-5
    The Implementation Has    decompressor    packet-numbers
    Vectors Should Be Decompressed    packet-numbers    packet-numbers-of-two-octets    packet-numbers-beyond-an-octet
