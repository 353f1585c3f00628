*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The decompressor of the draft's 7.2: link packets written by hand, and lines that lose and damage
...              packets.

Resource         imports.resource

Test Tags        level:must    scheme:taroc


*** Test Cases ***
Uncompressed Packets
    [Documentation]    Section 7.3.1. Sends UNCOMPRESSED_TCP over IPv4 and IPv6. Expects the packet with its length
    ...    restored, whatever stands in the place of the packet number.
    [Tags]    req:TAROC-4.1-1    req:TAROC-7.2-3    req:TAROC-7.3.1-1
    Vectors Should Be Decompressed    uncompressed    uncompressed-is-the-reference

Packets That Are Not Compressed
    [Documentation]    Section 7.1. Sends TYPE_IP between others. Expects it unmodified, and contexts as they were.
    [Tags]    req:TAROC-7.1-1
    Vectors Should Be Decompressed    packets-that-are-not-compressed

Fields Of WASI
    [Documentation]    Section 7.3.2.1. Sends window, acknowledgement number, sequence number and packet ID in each PT,
    ...    and leaves them out. Expects the values that are closest to the reference.
    [Tags]    req:TAROC-4.1-2    req:TAROC-5-3    req:TAROC-7.3.2.1-1    req:TAROC-7.3.2.1-2
    Vectors Should Be Decompressed    sequence-number-and-packet-id    all-fields    nothing-changes

The Closest Value
    [Documentation]    Appendix A. Sends the draft's example, and numbers that wrap. Expects the values closest to the
    ...    reference.
    [Tags]    req:TAROC-A-2
    Vectors Should Be Decompressed    closest-value    numbers-wrap    time-stamps-wrap

Urgent Pointer And R-Octet
    [Documentation]    Section 7.3.2, and RFC 2507, 6 a). Sends both. Expects them in their packet alone.
    [Tags]    req:TAROC-7.3.2-1
    Vectors Should Be Decompressed    urgent    r-octet

Time Stamps
    [Documentation]    Section 7.3.2.2. Sends TS values and echo replies in all four forms, and leaves them out.
    [Tags]    req:TAROC-5-3    req:TAROC-7.3.2.2-1
    Vectors Should Be Decompressed    time-stamps

SACK
    [Documentation]    Section 7.3.2.2. Sends one to three blocks, and none. Expects the option after the others, and
    ...    in the context's place.
    [Tags]    req:TAROC-7.3.2.2-2    req:TAROC-7.3.2.2-3
    Vectors Should Be Decompressed    sack    order-of-options

Wrong Checksums
    [Documentation]    Section 7.2. Sends packets whose TCP checksum fails. Expects nothing, and the reference as it
    ...    was.
    [Tags]    req:TAROC-7.2-1
    Vectors Should Be Decompressed    wrong-checksum

Older Packets
    [Documentation]    Sections 5 and 7.2. Sends retransmissions, with and without data. Expects that they do not
    ...    become the reference.
    [Tags]    req:TAROC-5-1    req:TAROC-7.2-2
    Vectors Should Be Decompressed    retransmission    older-acknowledgement    losses

Contexts
    [Documentation]    Section 4.1. Sends packets of several CIDs, of none that is known, and beyond TCP_SPACE. Expects
    ...    each in its context, and nothing without one.
    [Tags]    req:TAROC-4.1-1
    Vectors Should Be Decompressed    cids    no-context    highest-cid

Headers That Cannot Be
    [Documentation]    Section 7.3.2. Sends headers that end too early, and options that the context does not have.
    ...    Expects nothing, and contexts as they were.
    [Tags]    req:TAROC-7.3.2-1    req:TAROC-7.3.2.2-1
    Vectors Should Be Decompressed    cut-short    impossible-options    reports-of-damage

A Line That Loses Packets
    [Documentation]    Sections 5 and 7.2. Loses 5 % of the packets of 12 connections. Expects with each packet what
    ...    the judge does.
    [Tags]    req:TAROC-5-1    req:TAROC-7.2-1    req:TAROC-7.2-2
    [Template]    Decompressor Should Do As The Judge Does
    tcp-bulk-data    flows=12    packets=600    lost=0.05
    tcp-interactive    flows=12    packets=600    lost=0.05
    tcp-timestamps    flows=12    packets=600    lost=0.05

A Line That Damages Packets
    [Documentation]    Section 7.2. Damages 5 % of the packets of 12 connections, of which the decompressor hears.
    ...    Expects that no other packet is missing.
    [Tags]    req:TAROC-7.2-2
    Decompressor Should Do As The Judge Does    tcp-acknowledgements    flows=12    packets=600    damaged=0.05
