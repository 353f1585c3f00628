*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Compressed CSRC lists: RFC 3095, section 5.8; RFC 4815, section 5. Encoding types 0 to 3, their
...              reference lists, and the translation table.

Resource         imports.resource

Test Tags        feature:list-compression    level:must    profile:rtp    scheme:rohc


*** Test Cases ***
Insertion
    [Documentation]    Sends lists of encoding type 1 with one, two and three items, with XI fields of four and eight
    ...    bits. Expects each item in its place, and the list in the packets after.
    [Tags]    req:RFC3095-5.8.2.1-8    req:RFC3095-5.8.6.2-1    req:RFC3095-5.8.6.2-2    req:RFC3095-5.8.6.2-4
    Vectors Should Be Decompressed    csrc-insertion    csrc-insertion-two    csrc-insertion-three
    ...    csrc-insertion-octets    csrc-insertion-ignored

Removal
    [Documentation]    Sends lists of encoding type 2 that remove one item and all of them. Expects what is left.
    [Tags]    req:RFC3095-5.8.6.3-1
    Vectors Should Be Decompressed    csrc-removal    csrc-removal-of-all    csrc-removal-reserved

Removal And Insertion
    [Documentation]    Sends lists of encoding type 3. Expects the removal first.
    [Tags]    req:RFC3095-5.8.6.4-1
    Vectors Should Be Decompressed    csrc-removal-then-insertion*

Bit Masks
    [Documentation]    Sends masks of 15 bits, and of 7 bits for a longer reference list. Expects items beyond the mask
    ...    as they were.
    [Tags]    req:RFC3095-5.8.6.2-3    req:RFC3095-5.8.6.4-1    req:RFC4815-5.3-2
    Vectors Should Be Decompressed    csrc-fifteen-bits    csrc-seven-of-nine

Removal Beyond The List
    [Documentation]    Sends a removal bit mask that keeps an item which the reference list does not have. Expects that
    ...    nothing comes out.
    [Tags]    req:RFC3095-5.8.3-3
    Vectors Should Be Decompressed    csrc-removal-keeps-too-much

Items By Index
    [Documentation]    Sends items by index alone, known and unknown, and gives an index another item. Expects the item
    ...    of the table, and nothing where there is none.
    [Tags]    req:RFC3095-5.8.1-1    req:RFC3095-5.8.1-3    req:RFC3095-5.8.1.1-1
    Vectors Should Be Decompressed    csrc-insertion-by-index    csrc-insertion-unknown-index
    ...    csrc-index-has-a-new-item

Tables Outlive Lists
    [Documentation]    Sends an IR packet with an empty list, and an item in UO-1-ID; then lists by index. Expects that
    ...    the table still has what it had, and what UO-1-ID brought.
    [Tags]    req:RFC4815-6.2-2    req:RFC4815-6.3-2
    Vectors Should Be Decompressed    csrc-table-survives-ir    csrc-uo-1-id

Lists Without gen_id
    [Documentation]    Sends lists without gen_id in U-mode. Expects them for their packet alone.
    [Tags]    req:RFC3095-5.8.2.1-1    req:RFC3095-5.8.2.1-7
    Vectors Should Be Decompressed    csrc-without-gen-id

Reference Lists
    [Documentation]    Sends lists that refer to the last generation and the one before, to one that is gone, to one
    ...    that never was and to an empty one. Expects the first two, and nothing of the others.
    [Tags]    req:RFC3095-5.8.2.1-12    req:RFC3095-5.8.2.1-4    req:RFC3095-5.8.2.1-8    req:RFC4815-5.7-1
    Vectors Should Be Decompressed    csrc-generations    csrc-old-generations    csrc-unknown-reference
    ...    csrc-empty-reference

Lists That Must Not Be
    [Documentation]    Sends a list of encoding type 1 in a dynamic chain, and one that is cut short. Expects that
    ...    nothing comes out.
    [Tags]    req:RFC3095-5.7.7.6-1    req:RFC3095-5.8.3-1    req:RFC5795-5.2.3-4
    Vectors Should Be Decompressed    csrc-dynamic-chain-type-1    csrc-truncated

R-Mode
    [Documentation]    Sends lists in R-mode. Expects that ref_id is the sequence number of the packet that brought the
    ...    reference, and that each is acknowledged.
    [Tags]    mode:r    req:RFC3095-5.8.2.1-11    req:RFC3095-5.8.2.1-8    req:RFC3095-5.8.6.2-1
    ...       req:RFC3095-5.8.6.3-1    req:RFC3095-5.8.6.4-1
    Vectors Should Be Decompressed    r-csrc-*

Compressor: Sources Come And Go
    [Documentation]    Sends a call with a mixer whose sources come, go and change places, up to fifteen. Expects
    ...    nothing wrong: each list restored, gen_id increased with each other list.
    [Tags]    req:RFC3095-5.8.2.1-5    req:RFC3095-5.8.6.1-1    req:RFC3095-5.8.6.2-3    req:RFC3095-5.8.6.2-4
    ...       req:RFC3095-5.8.6.3-2    req:RFC4815-5.7-1
    Flow Should Be Compressed Correctly    rtp-ipv4    20: csrcs to 1    40: csrcs to 12    60: csrcs to 132
    ...    80: csrcs to 2    100: csrcs to 45    120: csrcs to none    140: csrcs to 123456789abcdef
    ...    160: csrcs to 12345678abcdef    180: csrcs to 21    182: csrcs to 12    184: csrcs to 21    packets=260
    ...    needs=list-compression
    Only Profiles 0x0001 Should Be Used

Compressor: Long Lists
    [Documentation]    Sends a call with up to fifteen sources, of which one comes, goes, and gives way to another.
    ...    Expects nothing wrong, also where the change alone is sent: insertion, removal, and both.
    [Tags]    req:RFC3095-5.8.6.2-1    req:RFC3095-5.8.6.3-1    req:RFC3095-5.8.6.4-1    req:RFC4815-5.7-1
    Flow Should Be Compressed Correctly    rtp-ipv4    20: csrcs to 12345678abcdef    50: csrcs to 123456789abcdef
    ...    80: csrcs to 0123456789abcde    110: csrcs to 012345678abcde    140: csrcs to 12345678abcdef
    ...    170: csrcs to 12345678abcde    packets=200    needs=list-compression
    Only Profiles 0x0001 Should Be Used

Compressor: Lists From The Beginning
    [Documentation]    Sends a call that has three sources from the first packet on. Expects a complete list in IR and
    ...    packets of type 0 afterwards.
    [Tags]    req:RFC3095-5.7.7.6-1    req:RFC3095-5.8-2    req:RFC3095-5.8.2.1-9    req:RFC4815-5.2-1
    Flow Should Be Compressed Correctly    rtp-ipv4    0: csrcs to 123    packets=100    needs=list-compression
    It Should Begin With A Complete IR Packet
    It Should Settle On Packets Of Type 0
    Only Profiles 0x0001 Should Be Used

Compressor: Losses
    [Documentation]    Sends a call whose sources change, few and many. Expects that whichever single packet is lost,
    ...    the others can be read.
    [Tags]    req:RFC3095-5.8.1-1    req:RFC3095-5.8.2.1-6
    No Single Loss Should Hurt Another Packet    rtp-ipv4    20: csrcs to 1    40: csrcs to 12    60: csrcs to 312
    ...    80: csrcs to 2    packets=120    needs=list-compression
    No Single Loss Should Hurt Another Packet    rtp-ipv4    10: csrcs to 123456789abcdef
    ...    40: csrcs to 12345678abcdef    70: csrcs to 123456789abcdef    packets=100    needs=list-compression

Compressor: Every Loss Around A Change
    [Documentation]    Sends a call to which a source is added; every pattern of losses around it. Expects that the list
    ...    is carried by at least two packets.
    [Tags]    req:RFC3095-5.8.1-1    req:RFC3095-5.8.2.1-10    req:RFC3095-5.8.2.1-6
    Change Should Survive Losses    rtp-ipv4    csrcs to 7    needs=list-compression

Compressor: R-Mode
    [Documentation]    Sends a call with sources that change in R-mode, acknowledged at once. Expects that each packet
    ...    can be read with every list that may be the reference.
    [Tags]    mode:r    req:RFC3095-5.5.1.1.1-1    req:RFC3095-5.8.2.1-10    req:RFC3095-5.8.2.1-6
    Flow Should Be Compressed Correctly    rtp-ipv4    40: csrcs to 1    60: csrcs to 12    80: csrcs to 312
    ...    100: csrcs to 2    mode=R    feedback=own    packets=160    needs=list-compression
