*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Profile 0x0006, TCP: the beginning of contexts. RFC 6846, sections 5.1 to 5.3, 6.1.1 and 7.1: IR and
...              IR-DYN packets with their static and dynamic chains, and packets without context before a decompressor.

Resource         imports.resource

Test Tags        profile:tcp    scheme:rohc


*** Variables ***
&{TCP}    profiles=0x0000,0x0006    mode=O


*** Test Cases ***
IR
    [Documentation]    Sends IR packets: over IPv4, over IPv6 with and without a flow label, of a SYN with its
    ...    options, with every flag. Expects static and dynamic chains read, and lengths, data offset and IPv4
    ...    checksum inferred.
    [Tags]    level:must    req:RFC6846-5.1-1    req:RFC6846-5.3.1-1    req:RFC6846-6.2-1    req:RFC6846-6.2-2
    ...       req:RFC6846-6.2-3    req:RFC6846-6.4.1-1    req:RFC6846-6.4.3-1    req:RFC6846-6.4.4-1
    ...       req:RFC6846-6.4.5-1    req:RFC6846-7.1-1    req:RFC6846-7.1-2    req:RFC6846-7.1-4
    ...       req:RFC6846-8.2-8    req:RFC6846-8.2-9    req:RFC6846-8.2-12    req:RFC6846-8.2-13
    ...       req:RFC6846-8.2-29    req:RFC6846-8.2-30    smoke
    Vectors Should Be Decompressed    tcp-ir-ipv4    tcp-ir-ipv6    tcp-ir-ipv6-flow-label    tcp-ir-syn    tcp-ir-flags

IR-DYN
    [Documentation]    Sends an IR-DYN packet after an IR packet. Expects all dynamic fields from it, and the static
    ...    ones from the context.
    [Tags]    level:must    req:RFC6846-5.3.1.5-2    req:RFC6846-6.2-3    req:RFC6846-7.1-5    req:RFC6846-7.1-6
    Vectors Should Be Decompressed    tcp-ir-dyn

Wrong CRC-8 Of IR-DYN
    [Documentation]    Sends IR-DYN packets whose CRC-8 is wrong, and a right one. Expects nothing delivered of those,
    ...    and no change by them of the context.
    [Tags]    level:must    req:RFC6846-5.3.1.1-1    req:RFC6846-7.1-6
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3    IR                delivered
    It Receives       5    seq_1             delivered
    It Receives       1    damaged IR-DYN    withheld
    It Receives       1    IR-DYN            delivered
    It Receives       5    seq_1             delivered
    So It Should Be

CIDs
    [Documentation]    Sends IR packets with a small CID and with a large one. Expects the CRC-8 to cover them.
    [Tags]    level:must    req:RFC6846-7.1-2    req:RFC6846-7.1-3    req:RFC6846-7.3-1
    Vectors Should Be Decompressed    tcp-ir-small-cid    tcp-ir-large-cid

Wrong CRC-8
    [Documentation]    Sends an IR packet whose CRC-8 is wrong. Expects nothing delivered.
    [Tags]    level:must    req:RFC6846-5.3.1.1-1    req:RFC6846-7.1-3
    Vectors Should Be Decompressed    tcp-ir-wrong-crc

Without Context
    [Documentation]    Sends a compressed packet before any IR packet. Expects nothing delivered of it, and of the IR
    ...    packet after it all.
    [Tags]    level:must    req:RFC6846-5.3.1-1    req:RFC6846-5.3.1.3-1    req:RFC6846-5.3.1.3-3
    Vectors Should Be Decompressed    tcp-co-before-ir

Reserved Bits
    [Documentation]    Sends IR packets with reserved bits other than zero, in chains and in lists. Expects nothing
    ...    delivered.
    [Tags]    level:must    req:RFC6846-6.3.3-3    req:RFC6846-8.2-8    req:RFC6846-8.2-12    req:RFC6846-8.2-13
    Vectors Should Be Decompressed    tcp-ir-reserved-bits*    tcp-ir-list-reserved

Truncated And Impossible
    [Documentation]    Sends IR packets that end too early, and ones whose options no header has. Expects nothing
    ...    delivered, however short they are.
    [Tags]    level:must    req:RFC5795-5.2.3-4    req:RFC6846-6.4.5-1
    Vectors Should Be Decompressed    tcp-ir-truncated    tcp-ir-impossible-options

Compressor: Data
    [Documentation]    Sends the segments of a bulk transfer over IPv4. Expects nothing wrong: IR packets at first, an
    ...    MSN that goes up by one, and each packet such that every context restores it that may be there.
    [Tags]    level:must    req:RFC6846-5.1-1    req:RFC6846-5.2.1-1    req:RFC6846-5.2.1.1-1    req:RFC6846-5.2.1.1-3
    ...       req:RFC6846-5.2.2.1-2
    ...       req:RFC6846-5.2.2.1-3    req:RFC6846-5.3.1.1-6    req:RFC6846-5.3.1.1-7    req:RFC6846-6.1.1-1
    ...       req:RFC6846-6.1.1-2    smoke
    Flow Should Be Compressed Correctly    tcp-bulk-data    &{TCP}    packets=600    confidence=2
    It Should Begin With A Complete IR Packet

Compressor: Data Over IPv6
    [Documentation]    Sends segments over IPv6. Expects nothing wrong.
    [Tags]    level:must    req:RFC6846-5.2.1-1    req:RFC6846-6.2-1    req:RFC6846-6.4.4-1    req:RFC6846-8.2-8
    ...       req:RFC6846-8.2-9
    Flow Should Be Compressed Correctly    tcp-timestamps-ipv6    &{TCP}    packets=600    confidence=2

Compressor: Without Feedback
    [Documentation]    Sends segments to a compressor that hears nothing. Expects nothing wrong: whatever change it
    ...    tells, it tells as often as it takes to be confident.
    [Tags]    level:must    req:RFC6846-5.2.1.1-1    req:RFC6846-5.2.2.1-3    req:RFC6846-6.4.8-1    req:RFC6846-6.4.8-4
    ...       req:RFC6846-6.4.8-5
    Flow Should Be Compressed Correctly    tcp-header-changes-ipv4    profiles=0x0000,0x0006    packets=600
    ...    confidence=2

Compressor: Connections One After Another
    [Documentation]    Sends short connections, whose CIDs go from flow to flow. Expects nothing wrong: each begins
    ...    with packets that make a context, and the MSN of a CID goes on.
    [Tags]    level:must    req:RFC6846-5.1-1    req:RFC6846-6.1.1-1    req:RFC6846-6.1.1-5    req:RFC6846-6.3.1-1
    ...       req:RFC6846-6.3.5-1
    Flow Should Be Compressed Correctly    tcp-short-connections    &{TCP}    packets=600    confidence=2    max_cid=3

Compressor: Initialisation Is Repeated
    [Documentation]    Sends the segments of a bulk transfer, and acknowledgements over IPv6. Expects that no single
    ...    loss hurts another packet, that of an IR packet included.
    [Tags]    level:must    req:RFC6846-5.2.1.1-1    req:RFC6846-5.2.2.1-3
    No Single Loss Should Hurt Another Packet    tcp-bulk-data    profiles=0x0000,0x0006    packets=100    confidence=2
    No Single Loss Should Hurt Another Packet    tcp-acknowledgements-ipv6    profiles=0x0000,0x0006    packets=100
    ...    confidence=2

Compressor: Refreshes
    [Documentation]    Sends 5,000 packets to a compressor that hears nothing. Expects IR or IR-DYN packets in between.
    [Tags]    level:should    req:RFC6846-5.2.1.2-1
    Observe Flow    tcp-ipv4    profiles=0x0000,0x0006    packets=5000    decompressor=none
    It Should Return To Lower States At Least 1 Times

Compressor: Initial MSN
    [Documentation]    Sends sixteen flows. Expects that their MSNs start at random.
    [Tags]    level:should    req:RFC6846-6.1.1-4
    Observe Flow    tcp-bulk-data    &{TCP}    flows=16    packets=32    max_cid=15    decompressor=none
    Initial Sequence Numbers Should Differ
