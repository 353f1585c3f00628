*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Section 10.1: TCP after lost packets. The decompressor applies the changes of a header again, for the
...              packet that was lost.

Resource         imports.resource

Test Tags        level:must    scheme:iphc


*** Test Cases ***
Lost Segments
    [Documentation]    Section 10.1. Loses a segment of data, and two acknowledgements. Expects the packets after them.
    [Tags]    req:RFC2507-10.1-2
    The Implementation Has    decompressor    twice
    Vectors Should Be Decompressed    twice    twice-with-special-masks    twice-of-acknowledgements

What Cannot Be Repaired
    [Documentation]    Section 10.1. Sends a packet whose checksum no repair makes right. Expects that a full header
    ...    ends that.
    [Tags]    req:RFC2507-7-4
    Vectors Should Be Decompressed    no-repair-helps

TCP Over A Line That Loses Packets
    [Documentation]    Sections 3.2 and 10. Loses 5 % of the packets of 12 connections. Expects each packet that follows
    ...    no loss.
    [Tags]    req:RFC2507-7-4    req:RFC2507-9-1
    [Template]    Decompressor Should Do As The Judge Does
    tcp-bulk-data    flows=12    packets=600    lost=0.05
    tcp-interactive    flows=12    packets=600    lost=0.05
    tcp-retransmissions    flows=12    packets=480    lost=0.05
    tcp-in-a-tunnel    flows=12    packets=600    lost=0.05

TCP Over A Line That Damages Packets
    [Documentation]    Sections 3.2 and 10. Damages 5 % of the packets of 12 connections, of which the decompressor
    ...    hears.
    [Tags]    req:RFC2507-7-4
    Decompressor Should Do As The Judge Does    tcp-acknowledgements    flows=12    packets=600    damaged=0.05
