*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The decompressor of RFC 1144, 3.2.4 and 4: link packets written by hand, and lines that lose and damage
...              packets.

Resource         imports.resource

Test Tags        level:must    scheme:vj


*** Test Cases ***
Uncompressed Packets
    [Documentation]    Section 3.2.4. Sends UNCOMPRESSED_TCP. Expects the packet with its protocol restored, and its
    ...    connection for the last one received.
    [Tags]    req:RFC1144-3.2.2-5    req:RFC1144-3.2.4-3
    Vectors Should Be Decompressed    uncompressed    first-packet-compressed    wrong-header-checksum

Packets That Are Not Compressed
    [Documentation]    Section 3.2.4. Sends TYPE_IP between others. Expects it unmodified, and no change of state.
    [Tags]    req:RFC1144-3.2.4-2
    Vectors Should Be Decompressed    ip    ip-behind-an-error

Special Masks
    [Documentation]    Section 3.2.2. Sends the masks of echoed and of unidirectional traffic. Expects the amount of
    ...    data in the last packet added.
    [Tags]    req:RFC1144-3.2.2-4    req:RFC1144-3.2.4-5
    Vectors Should Be Decompressed    echoed-character    data-transfer

Special Masks Behind Urgent Data
    [Documentation]    Sections 3.2.2 and 3.2.4. Sends special masks after urgent data. Expects URG as it was, which is
    ...    what 3.2.4 says, or clear, which is what 3.2.2 says that they stand for; clear after the next packet.
    [Tags]    req:RFC1144-3.2.2-4    req:RFC1144-3.2.4-5
    Vectors Should Be Decompressed    special-masks-behind-urgent-data

The Longest Header
    [Documentation]    Section 5.1. Sends headers with as many options as there can be. Expects that a slot has room.
    [Tags]    req:RFC1144-5.1-4
    Vectors Should Be Decompressed    longest-header

Changes
    [Documentation]    Sections 3.2.2 and 3.2.4. Sends changes of each field, of one octet and of three, that wrap.
    ...    Expects them added, and the checksum copied.
    [Tags]    req:RFC1144-3.2.2-1    req:RFC1144-3.2.4-5    req:RFC1144-3.2.4-6
    Vectors Should Be Decompressed    acknowledgement    three-octets    window    packet-id    wrap    nothing-changed

Flags
    [Documentation]    Section 3.2.4. Sends P and U, set and clear. Expects PUSH, URG and the urgent pointer.
    [Tags]    req:RFC1144-3.2.4-5
    Vectors Should Be Decompressed    push    urgent

Connection Numbers
    [Documentation]    Section 3.2.2. Sends packets with C set and clear. Expects the connection that was named last.
    [Tags]    req:RFC1144-3.2.2-5    req:RFC1144-3.2.4-4    req:RFC1332-4.1-1
    Vectors Should Be Decompressed    connection-number    highest-index

One Slot
    [Documentation]    Section 5.1. Sends two connections through one slot. Expects that it holds the latter.
    [Tags]    -level:must    level:should    req:RFC1144-5.1-2
    Vectors Should Be Decompressed    one-slot

Illegal Connection Numbers
    [Documentation]    Section 3.2.4. Sends numbers that there is no slot for. Expects nothing, until a legal one comes.
    [Tags]    req:RFC1144-3.2.4-3    req:RFC1144-3.2.4-4
    Vectors Should Be Decompressed    illegal-index

Damaged Frames
    [Documentation]    Sections 3.2.4 and 4.1. Reports errors. Expects that packets are tossed until one has a
    ...    connection number.
    [Tags]    req:RFC1144-3.2.4-1    req:RFC1144-4.1-1
    Vectors Should Be Decompressed    toss    unknown-type

Headers That End Too Early
    [Documentation]    Section 3.2.2. Sends compressed packets that end within their headers. Expects nothing, and saved
    ...    headers as they were.
    [Tags]    req:RFC1144-3.2.2-1
    Vectors Should Be Decompressed    cut-short

A Lost Packet
    [Documentation]    Section 4.1. Leaves out a packet. Expects sequence numbers shifted down, and checksums unchanged.
    [Tags]    req:RFC1144-3.2.4-5
    Vectors Should Be Decompressed    loss

A Line That Damages Packets
    [Documentation]    Section 4.1. Damages 5 % of the packets of 12 connections. Expects with each packet what
    ...    the judge does.
    [Tags]    req:RFC1144-3.2.4-1    req:RFC1144-3.2.4-4    req:RFC1144-4.1-1
    Decompressor Should Do As The Judge Does    tcp-bulk-data    flows=12    packets=600    damaged=0.05

A Line That Loses Packets
    [Documentation]    Section 4.1. Loses 5 % of the packets of 12 connections without a trace. Expects with each packet
    ...    what the judge does, and that TCP's checksum tells of each that comes out wrong.
    [Tags]    req:RFC1144-3.2.4-5
    Decompressor Should Do As The Judge Does    tcp-interactive    flows=12    packets=600    lost=0.05
