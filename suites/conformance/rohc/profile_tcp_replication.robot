*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Profile 0x0006, TCP: contexts that begin as copies of others. RFC 6846, section 7.2, and RFC 4164:
...              IR-CR packets, their base context, and their two CRCs.

Resource         imports.resource

Test Tags        profile:tcp    scheme:rohc


*** Variables ***
&{TCP}            profiles=0x0000,0x0006    mode=O
&{REPLICATING}    &{TCP}    confidence=2    needs=context-replication


*** Test Cases ***
IR-CR
    [Documentation]    Sends IR-CR packets with a base CID, with all optional fields, and without a base CID. Expects
    ...    what they leave out from the base context, which stays as it is.
    [Tags]    level:must    req:RFC4164-3-1    req:RFC4164-3.4.1-2    req:RFC4164-3.4.2-2    req:RFC4164-3.5.2-1
    ...       req:RFC4164-3.5.2-3    req:RFC4164-3.5.3-1    req:RFC4164-3.5.3-2    req:RFC6846-5.1-2
    ...       req:RFC6846-5.3.1.1-2    req:RFC6846-5.3.3-1    req:RFC6846-6.2-4    req:RFC6846-6.3.7-1
    ...       req:RFC6846-7.2-1    req:RFC6846-7.2-2    req:RFC6846-8.2-14    req:RFC6846-8.2-31    smoke
    Vectors Should Be Decompressed    tcp-ir-cr    tcp-ir-cr-fields    tcp-ir-cr-own-cid    tcp-reach-ports

Wrong CRCs
    [Documentation]    Sends an IR-CR packet whose CRC-8 is wrong, and one whose CRC-7 over the original header is.
    ...    Expects nothing delivered, and no context from it.
    [Tags]    level:must    req:RFC4164-3.4.1-1    req:RFC4164-3.4.2-1    req:RFC4164-3.4.2-4    req:RFC4164-3.4.3-1
    ...       req:RFC4164-3.5.1.1-1    req:RFC4164-3.5.1.2-1    req:RFC6846-7.2-3    req:RFC6846-7.2-4
    Vectors Should Be Decompressed    tcp-ir-cr-wrong-crc-7    tcp-ir-cr-wrong-crc-8

Reserved Bits And No Base
    [Documentation]    Sends IR-CR packets with reserved bits other than zero, with the CID of no context as base, and
    ...    with presence bits that mean nothing. Expects nothing delivered.
    [Tags]    level:must    req:RFC4164-3.4.1-2    req:RFC6846-7.2-6    req:RFC6846-8.2-31
    Vectors Should Be Decompressed    tcp-ir-cr-reserved    tcp-ir-cr-no-base    tcp-ir-cr-impossible

IPv6
    [Documentation]    Sends IR-CR packets over IPv6, with and without a flow label, and with a reserved bit in its
    ...    item. Expects DSCP, ECN bits and flow label from the packet, and the hop limit from the base context.
    [Tags]    level:must    req:RFC6846-6.2-4    req:RFC6846-8.2-10
    Vectors Should Be Decompressed    tcp-ir-cr-ipv6    tcp-ir-cr-ipv6-reserved

AH, GRE, Minimal Encapsulation And Extension Headers
    [Documentation]    Sends IR-CR packets with AH, GRE, minimal encapsulation and extension headers, once as in the
    ...    base context and once with others. Expects them as the items of the replicate chain say.
    [Tags]    feature:extension-headers    level:must    req:RFC6846-6.2-4    req:RFC6846-8.2-7
    Vectors Should Be Decompressed    tcp-ir-cr-ah    tcp-ir-cr-gre    tcp-ir-cr-minimal-encapsulation
    ...    tcp-ir-cr-extension-headers

Refused
    [Documentation]    Sends IR-CR packets whose CRC-7 is wrong, and packets of the CID after them, then a right one.
    ...    Expects nothing delivered of that CID before the right one, and the base context to go on.
    [Tags]    level:must    req:RFC4164-3.4.1-2    req:RFC4164-3.4.2-1    req:RFC4164-3.4.2-4    req:RFC4164-3.4.3-1
    ...       req:RFC6846-5.3.1-2
    A Decompressor    tcp-ipv4    &{TCP}
    It Receives       3    IR                                   delivered
    It Receives       5    seq_1                                delivered
    It Receives       4    damaged IR-CR of CID 0 for CID 1     withheld
    It Receives       2    co_common for CID 1                  withheld
    It Receives       5    seq_1                                delivered
    It Receives       1    IR-CR of CID 0 for CID 1             delivered
    It Receives       5    seq_1 for CID 1                      delivered
    It Receives       5    seq_1                                delivered
    So It Should Be

Large Base CIDs
    [Documentation]    Sends IR-CR packets over a channel with large CIDs, of one octet and of two, with base CIDs of
    ...    one octet and of two. Expects the contexts, and those of the bases go on.
    [Tags]    level:must    req:RFC4164-3.4.1-2    req:RFC4164-3.5.1.2-1    req:RFC4164-3.5.3-1    req:RFC4164-3.5.3-2
    A Decompressor    tcp-ipv4    &{TCP}    cids=large    max_cid=16383
    It Receives       3    IR for CID 300                       delivered
    It Receives       3    IR for CID 7                         delivered
    It Receives       1    IR-CR of CID 300 for CID 5           delivered
    It Receives       3    seq_1 for CID 5                      delivered
    It Receives       1    IR-CR of CID 7 for CID 16383         delivered
    It Receives       3    seq_1 for CID 16383                  delivered
    It Receives       1    IR-CR of CID 127 for CID 128         withheld
    It Receives       3    seq_1 for CID 300                    delivered
    It Receives       3    seq_1 for CID 7                      delivered
    So It Should Be

Compressor: Another Flow Of The Same Hosts
    [Documentation]    Acknowledges a flow with a CRC; another one of the same hosts begins. Expects that IR-CR
    ...    packets, if there are any, copy the acknowledged context, with an MSN that is not its own and reserved bits
    ...    of zero, and that a copy is told until it is acknowledged, or twice.
    [Tags]    level:must    req:RFC4164-3.1-1    req:RFC4164-3.2-1    req:RFC4164-3.3.1-1    req:RFC4164-3.3.2-1
    ...       req:RFC4164-3.3.2-2    req:RFC4164-3.3.3.1-1    req:RFC4164-3.5.3-2    req:RFC6846-6.1.1-6
    ...       req:RFC6846-7.2-5    smoke
    A Compressor    tcp-ipv4    &{REPLICATING}
    It Sends        10
    It Is Given     ACK
    It Sends        10
    It Is Given     ACK
    It Sends        20          any    port to 4000
    It Is Given     ACK
    It Sends        20
    It Sends        20          any    port to 4001
    So It Should Be
    Replicas Should Have An MSN Of Their Own
    No Single Loss Behind The Last Feedback Should Hurt Another Packet

Compressor: A Base That Changes
    [Documentation]    Acknowledges a flow with a CRC, changes its TTL and its DSCP, and begins another one of the
    ...    same hosts after a packet with the change. Expects that a copy does not rest on what may be unknown.
    [Tags]    level:must    req:RFC4164-3.1-1    req:RFC4164-3.2-1
    A Compressor    tcp-ipv4    &{REPLICATING}
    It Sends        10
    It Is Given     ACK
    It Sends        10
    It Is Given     ACK
    It Sends        1           any    ttl to 61
    It Sends        20          any    port to 4000
    It Is Given     ACK
    It Sends        10
    It Sends        1           any    tos to 32
    It Sends        20          any    port to 4001
    It Is Given     ACK
    It Sends        10
    It Sends        1           any    ack-step to 1000
    It Sends        2
    It Sends        20          any    port to 4002
    So It Should Be

Compressor: Acknowledged By FEEDBACK-1
    [Documentation]    Acknowledges a flow by FEEDBACK-1, which has no CRC; another one of the same hosts begins.
    ...    Expects no IR-CR packet.
    [Tags]    level:must    req:RFC4164-3.3.3.1-1
    A Compressor    tcp-ipv4      &{REPLICATING}
    It Sends        10
    It Is Given     FEEDBACK-1
    It Sends        30
    It Sends        30            no IR-CR    port to 4000
    So It Should Be

Compressor: Without Feedback
    [Documentation]    Sends a flow and another one of the same hosts, without any feedback. Expects no IR-CR packet.
    [Tags]    level:must    req:RFC4164-3.3.2-1    req:RFC4164-3.3.3.1-3
    A Compressor    tcp-ipv4    &{REPLICATING}
    It Sends        60
    It Sends        30          no IR-CR    port to 4000
    So It Should Be

Compressor: A Base That Was Refused
    [Documentation]    Acknowledges a flow with a CRC, and then says by STATIC-NACK that its context is not there;
    ...    another one of the same hosts begins at once. Expects no IR-CR packet.
    [Tags]    level:must    req:RFC4164-3.3.3.1-2
    A Compressor    tcp-ipv4                          &{REPLICATING}
    It Sends        10
    It Is Given     ACK
    It Sends        30
    It Is Given     STATIC-NACK with MSN-NOT-VALID
    It Sends        30                                no IR-CR    port to 4000
    So It Should Be

Compressor: A Replica That Is Refused
    [Documentation]    Acknowledges a flow with a CRC; another one of the same hosts begins, and its first packet is
    ...    answered by STATIC-NACK. Expects packets that make a context, and no compressed header.
    [Tags]    level:must    req:RFC4164-3.3.3.4-1
    A Compressor    tcp-ipv4                          &{REPLICATING}
    It Sends        10
    It Is Given     ACK
    It Sends        10
    It Is Given     ACK
    It Sends        1                                 any    port to 4000
    It Is Given     STATIC-NACK with MSN-NOT-VALID
    It Sends        30                                any
    So It Should Be

Compressor: The Base Of A Replica That Was Refused
    [Documentation]    The same, and a third flow begins; then the first one is acknowledged again, and a fourth
    ...    begins. Expects IR packets of the second and third flow.
    [Tags]    level:should    req:RFC4164-3.3.3.4-2    req:RFC4164-3.3.3.4-3
    A Compressor    tcp-ipv4                          &{REPLICATING}
    It Sends        10
    It Is Given     ACK
    It Sends        10
    It Is Given     ACK
    It Sends        1                                 any         port to 4000
    It Is Given     STATIC-NACK with MSN-NOT-VALID
    It Sends        30                                first IR
    It Sends        30                                first IR    port to 4001
    It Sends        10                                any         port to 20000
    It Is Given     ACK
    It Sends        10
    It Sends        30                                any    port to 4002
    So It Should Be

Compressor: Damage Of A Replica
    [Documentation]    Acknowledges a replicated flow; then STATIC-NACK comes for it. Expects that no IR-CR packet
    ...    repairs it.
    [Tags]    level:should    req:RFC4164-3.5.2-2
    A Compressor    tcp-ipv4                          &{REPLICATING}
    It Sends        10
    It Is Given     ACK
    It Sends        10
    It Is Given     ACK
    It Sends        20                                any    port to 4000
    It Is Given     ACK
    It Sends        20
    It Is Given     NACK
    It Sends        10                                no IR-CR
    It Is Given     STATIC-NACK with MSN-NOT-VALID
    It Sends        30                                no IR-CR
    So It Should Be

Compressor: Short Connections
    [Documentation]    Sends short connections whose packets are acknowledged, some with FEEDBACK-2. Expects nothing
    ...    wrong.
    [Tags]    level:must    req:RFC4164-3.1-1    req:RFC4164-3.3.1-1    req:RFC4164-3.3.3.1-1    req:RFC6846-6.1.1-6
    Flow Should Be Compressed Correctly    tcp-short-connections    &{REPLICATING}    packets=400    max_cid=15
    Replicas Should Have An MSN Of Their Own
