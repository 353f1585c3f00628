*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Profile 0x0006, TCP: lists of TCP options. RFC 6846, sections 6.3 and 8.2: the table of items, lists
...              with items and without, and options in the irregular chain.

Resource         imports.resource

Test Tags        profile:tcp    scheme:rohc


*** Variables ***
&{TCP}    profiles=0x0000,0x0006    mode=O


*** Test Cases ***
Lists That Begin And End
    [Documentation]    Sends a list of options where there was none, and none again. Expects the structure of the list
    ...    from the packet, with NOPs in their places.
    [Tags]    level:must    req:RFC6846-6.3.1-4    req:RFC6846-6.3.2-3    req:RFC6846-6.3.3-1    req:RFC6846-6.3.3-4
    ...       req:RFC6846-6.3.4-1    req:RFC6846-6.3.4-4    req:RFC6846-6.3.4-6    req:RFC6846-8.2-18
    ...       req:RFC6846-8.2-19    req:RFC6846-8.2-25    smoke
    Vectors Should Be Decompressed    tcp-list-begins-and-ends

Indexes Alone
    [Documentation]    Sends an index without its item, once of an item that came before and once of one that never
    ...    did. Expects the item from the table, and nothing delivered where there is none.
    [Tags]    level:must    req:RFC6846-6.3.2-3    req:RFC6846-6.3.2-4    req:RFC6846-6.3.3-5    req:RFC6846-6.3.6-2
    Vectors Should Be Decompressed    tcp-list-index-alone    tcp-list-index-unknown

Time Stamps
    [Documentation]    Sends time stamps by 7, 14, 21 and 29 bits, at both ends of their intervals. Expects both
    ...    values, from the irregular chain.
    [Tags]    level:must    req:RFC6846-6.2-5    req:RFC6846-6.3.1-3    req:RFC6846-6.3.6-1    req:RFC6846-8.2-20
    ...       req:RFC6846-8.2-21
    Vectors Should Be Decompressed    tcp-time-stamps-irregular    tcp-time-stamps-wide    tcp-reach-time-stamps

SACK
    [Documentation]    Sends SACK blocks, one, two, and ones that are not in order. Expects them relative to the
    ...    acknowledgement number of their own packet, and to each other.
    [Tags]    level:must    req:RFC6846-6.5-2    req:RFC6846-8.2-22    req:RFC6846-8.2-23    req:RFC6846-8.2-24
    Vectors Should Be Decompressed    tcp-sack-*

Other Options And EOL
    [Documentation]    Sends options without an index of their own, and EOL with its padding. Expects generic items,
    ...    and of their content what the irregular chain says.
    [Tags]    level:must    req:RFC6846-6.3.4-7    req:RFC6846-6.3.4-8    req:RFC6846-8.2-17    req:RFC6846-8.2-26
    ...       req:RFC6846-8.2-27
    Vectors Should Be Decompressed    tcp-generic-options-and-eol

Reserved Bits
    [Documentation]    Sends lists whose reserved bits or padding are not zero. Expects nothing delivered.
    [Tags]    level:must    req:RFC6846-6.3.3-3
    Vectors Should Be Decompressed    tcp-list-reserved

Compressor: Time Stamps
    [Documentation]    Sends time stamps over IPv4 and over IPv6. Expects nothing wrong.
    [Tags]    level:must    req:RFC6846-6.3.1-3    req:RFC6846-6.3.6-1    req:RFC6846-8.2-20    req:RFC6846-8.2-21
    Flow Should Be Compressed Correctly    tcp-timestamps    &{TCP}    packets=600    confidence=2
    Flow Should Be Compressed Correctly    tcp-timestamps-ipv6    &{TCP}    packets=600    confidence=2

Compressor: SACK
    [Documentation]    Sends SACK blocks in data and in acknowledgements. Expects nothing wrong.
    [Tags]    level:must    req:RFC6846-6.3.1-4    req:RFC6846-6.3.2-1    req:RFC6846-6.5-2    req:RFC6846-8.2-24
    Flow Should Be Compressed Correctly    tcp-sack    &{TCP}    packets=600    confidence=2

Compressor: All Options
    [Documentation]    Sends every option that has an index of its own, and ones that have none. Expects nothing wrong:
    ...    the first list complete, indexes with their items until the decompressor knows both.
    [Tags]    level:must    req:RFC6846-6.3.1-1    req:RFC6846-6.3.2-1    req:RFC6846-6.3.3-2    req:RFC6846-6.3.4-1
    ...       req:RFC6846-6.3.4-8    req:RFC6846-6.3.5-1
    Flow Should Be Compressed Correctly    tcp-all-options    &{TCP}    packets=600    confidence=2
    Flow Should Be Compressed Correctly    tcp-unknown-options    &{TCP}    packets=600    confidence=2

Compressor: Lists That Change
    [Documentation]    Sends a flow whose list of options grows, shrinks, turns, ends and begins again. Expects nothing
    ...    wrong, and that no single loss hurts another packet.
    [Tags]    level:must    req:RFC6846-5.2.1.1-1    req:RFC6846-5.2.1.1-3    req:RFC6846-6.3.1-1
    ...       req:RFC6846-6.3.1-3    req:RFC6846-6.3.1-4    req:RFC6846-6.3.2-1    req:RFC6846-6.3.3-2
    ...       req:RFC6846-6.3.4-1    req:RFC6846-6.3.4-6    req:RFC6846-6.3.5-1    req:RFC6846-6.3.6-2
    A Compressor    tcp-ipv4    &{TCP}    confidence=2
    It Sends        12          any       options to mss1460+nop+ws7+ok+nop2
    It Sends        12          any       options to nop2+ts
    It Sends        12          any       options to ts+nop2
    It Sends        12          any       options to nop2+ts+nop2+sack1
    It Sends        12          any       options to none
    It Sends        12          any       options to nop2+ts
    It Sends        12          any       options to x10+nop2+x8
    It Sends        12          any       options to x8+x10+nop2
    It Sends        12          any       options to mss1400+nop2+ts
    It Sends        12          any       options to mss1460+nop2+ts
    So It Should Be
    No Single Loss Behind The Last Feedback Should Hurt Another Packet

Compressor: Options That Come And Go
    [Documentation]    Sends a flow that has one list of options and another one in turn, packet by packet. Expects
    ...    nothing wrong.
    [Tags]    level:must    req:RFC6846-5.2.1.1-1    req:RFC6846-6.3.1-4    req:RFC6846-6.3.6-2
    A Compressor    tcp-ipv4    &{TCP}    confidence=2
    It Sends        20          any       options to nop2+ts
    FOR    ${turn}    IN RANGE    10
        It Sends    1    any    options to nop2+ts+nop2+sack1
        It Sends    1    any    options to nop2+ts
        It Sends    1    any    options to x4+nop2+sack2
        It Sends    2    any    options to nop2+ts and window by ${turn}
    END
    So It Should Be

Compressor: Two Options Of A Type
    [Documentation]    Sends options of one type twice, with the same content and with another. Expects nothing wrong.
    [Tags]    level:must    req:RFC6846-5.2.1-1    req:RFC6846-6.3.4-4
    A Compressor    tcp-ipv4    &{TCP}    confidence=2
    It Sends        20    any    options to nop2+ok
    It Sends        20          any       options to mss1460+mss1400
    It Sends        20          any       options to mss1400+mss1460
    It Sends        20          any       options to mss1400+mss1400
    It Sends        20          any       options to ws7+nop+ws8+nop
    It Sends        20          any       options to ok+ok
    So It Should Be

Compressor: A Second Option Of A Type Is A Generic One
    [Documentation]    Sends two MSS options of other values. Expects that the first list with them has the second
    ...    one as a generic item.
    [Tags]    level:should    req:RFC6846-6.3.4-2
    A Compressor    tcp-ipv4    &{TCP}
    It Sends        20    any    options to nop2+ok
    It Sends        20          any       options to mss1460+mss1400
    So It Should Be
    First List Should Be    X mss    X generic    behind=20

Compressor: NOPs
    [Documentation]    Sends NOPs in front of options, between and after them, and forty NOPs. Expects nothing wrong.
    [Tags]    level:must    req:RFC6846-5.2.1-1    req:RFC6846-6.3.4-4
    A Compressor    tcp-ipv4    &{TCP}    confidence=2
    It Sends        20          any       options to nop2+ok
    It Sends        20          any       options to nop+ok+nop
    It Sends        20          any       options to nop+ws7
    It Sends        20          any       options to nop12+ts+nop2
    It Sends        20          any       options to nop40
    It Sends        20          any       options to none
    So It Should Be

Compressor: NOPs Are Established
    [Documentation]    Sends a flow whose options begin with NOPs. Expects their presence bits set in the first list.
    [Tags]    level:should    req:RFC6846-6.3.4-5
    A Compressor    tcp-ipv4    &{TCP}
    It Sends        20          any       options to nop2+ts
    So It Should Be
    First List Should Be    X NOP    X NOP    X time stamps

Compressor: A List That Stays
    [Documentation]    Sends sixty packets with the same options. Expects no list in the compressed headers of the last
    ...    twenty.
    [Tags]    level:should    req:RFC6846-6.3.1-2
    A Compressor    tcp-ipv4    &{TCP}
    It Sends        60          any       options to x10+nop2
    So It Should Be
    No List Should Be Sent In The Last 20 Packets

Compressor: SACK Blocks
    [Documentation]    Sends one to four SACK blocks that come, go and move with the acknowledgement number, which
    ...    wraps. Expects nothing wrong, and that no single loss hurts another packet.
    [Tags]    level:must    req:RFC6846-6.5-2    req:RFC6846-8.2-22    req:RFC6846-8.2-23    req:RFC6846-8.2-24
    A Compressor    tcp-ipv4    &{TCP}    confidence=2
    It Sends        20          any       ack-step to 1000 and ack to 0xffff0000
    It Sends        5           any       options to nop2+sack1
    It Sends        5           any       options to nop2+sack2
    It Sends        20          any       options to nop2+sack3
    It Sends        20          any       options to nop2+sack4
    It Sends        5           any       options to nop2+sack2
    It Sends        5           any       options to none
    It Sends        20          any       options to nop2+ts+nop2+sack2
    It Sends        1           any       ack by 20000
    It Sends        10          any       ack-step to 0
    So It Should Be
    No Single Loss Behind The Last Feedback Should Hurt Another Packet

Compressor: Impossible Options
    [Documentation]    Sends single packets whose options have a length of 0 or 1 or go beyond the header, and headers
    ...    whose data offset is 4 or goes beyond the packet. Expects that they come out as they were, if they are sent
    ...    at all, and that the flow goes on.
    [Tags]    level:must    req:RFC6846-5.2.1-1
    A Compressor    tcp-ipv4    &{TCP}    confidence=2
    It Sends        20
    It Sends        1           perhaps nothing    option-length-zero
    It Sends        10
    It Sends        1           perhaps nothing    option-length-one
    It Sends        10
    It Sends        1           perhaps nothing    option-beyond
    It Sends        10
    It Sends        1           perhaps nothing    data-offset-four
    It Sends        10
    It Sends        1           perhaps nothing    data-offset-beyond
    It Sends        10
    So It Should Be
