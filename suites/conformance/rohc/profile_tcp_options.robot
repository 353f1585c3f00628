*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Profile 0x0006, TCP: lists of TCP options. RFC 6846, sections 6.3 and 8.2: the table of items, lists
...              with items and without, and what the irregular chain has of options.

Resource         imports.resource

Test Tags        level:must    profile:tcp    scheme:rohc


*** Variables ***
&{TCP}    profiles=0x0000,0x0006    mode=O


*** Test Cases ***
Lists That Begin And End
    [Documentation]    Sends a list of options where there was none, and none again. Expects the structure of the list
    ...    from the packet, with NOPs in their places.
    [Tags]    req:RFC6846-6.3.1-4    req:RFC6846-6.3.2-3    req:RFC6846-6.3.3-1    req:RFC6846-6.3.3-4
    ...       req:RFC6846-6.3.4-1    req:RFC6846-6.3.4-4    req:RFC6846-6.3.4-6    req:RFC6846-8.2-18
    ...       req:RFC6846-8.2-19    req:RFC6846-8.2-25    smoke
    Vectors Should Be Decompressed    tcp-list-begins-and-ends

Indexes Alone
    [Documentation]    Sends an index without its item, once of an item that came before and once of one that never did.
    ...    Expects the item from the table, and nothing delivered where there is none.
    [Tags]    req:RFC6846-6.3.2-3    req:RFC6846-6.3.2-4    req:RFC6846-6.3.3-5    req:RFC6846-6.3.6-2
    Vectors Should Be Decompressed    tcp-list-index-alone    tcp-list-index-unknown

Time Stamps
    [Documentation]    Sends time stamps by 7, 14, 21 and 29 bits, at both ends of their intervals. Expects both values,
    ...    from the irregular chain.
    [Tags]    req:RFC6846-6.2-5    req:RFC6846-6.3.1-3    req:RFC6846-6.3.6-1    req:RFC6846-8.2-20
    ...       req:RFC6846-8.2-21
    Vectors Should Be Decompressed    tcp-time-stamps-irregular    tcp-time-stamps-wide    tcp-reach-time-stamps

SACK
    [Documentation]    Sends SACK blocks, one, two, and ones that are not in order. Expects them relative to the
    ...    acknowledgement number of their own packet, and to each other.
    [Tags]    req:RFC6846-6.5-2    req:RFC6846-8.2-22    req:RFC6846-8.2-23    req:RFC6846-8.2-24
    Vectors Should Be Decompressed    tcp-sack-*

Other Options And EOL
    [Documentation]    Sends options without an index of their own, and EOL with its padding. Expects generic items, and
    ...    of their content what the irregular chain says.
    [Tags]    req:RFC6846-6.3.4-7    req:RFC6846-6.3.4-8    req:RFC6846-8.2-17    req:RFC6846-8.2-26
    ...       req:RFC6846-8.2-27
    Vectors Should Be Decompressed    tcp-generic-options-and-eol

Reserved Bits
    [Documentation]    Sends lists whose reserved bits or padding are not zero. Expects nothing delivered.
    [Tags]    req:RFC6846-6.3.3-3
    Vectors Should Be Decompressed    tcp-list-reserved

Compressor: Time Stamps
    [Documentation]    Sends time stamps over IPv4 and over IPv6. Expects nothing wrong.
    [Tags]    req:RFC6846-6.3.1-3    req:RFC6846-6.3.6-1    req:RFC6846-8.2-20    req:RFC6846-8.2-21
    Flow Should Be Compressed Correctly    tcp-timestamps    &{TCP}    packets=600    confidence=2
    Flow Should Be Compressed Correctly    tcp-timestamps-ipv6    &{TCP}    packets=600    confidence=2

Compressor: SACK
    [Documentation]    Sends SACK blocks in data and in acknowledgements. Expects nothing wrong.
    [Tags]    req:RFC6846-6.3.1-4    req:RFC6846-6.3.2-1    req:RFC6846-6.5-2    req:RFC6846-8.2-24
    Flow Should Be Compressed Correctly    tcp-sack    &{TCP}    packets=600    confidence=2

Compressor: All Options
    [Documentation]    Sends every option that has an index of its own, and ones that have none. Expects nothing wrong:
    ...    the first list complete, indexes with their items until the decompressor knows both.
    [Tags]    req:RFC6846-6.3.1-1    req:RFC6846-6.3.2-1    req:RFC6846-6.3.3-2    req:RFC6846-6.3.4-1
    ...       req:RFC6846-6.3.4-8    req:RFC6846-6.3.5-1
    Flow Should Be Compressed Correctly    tcp-all-options    &{TCP}    packets=600    confidence=2
    Flow Should Be Compressed Correctly    tcp-unknown-options    &{TCP}    packets=600    confidence=2
