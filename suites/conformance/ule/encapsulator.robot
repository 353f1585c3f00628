*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    TS packets as an encapsulator makes them: RFC 4326, 3 and 6. PDUs go in at given times, and the judge
...              checks where SNDUs begin and end, the padding, and when TS packets leave.

Resource         imports.resource

Test Tags        level:must    scheme:ule


*** Test Cases ***
Examples Of Appendix A
    [Documentation]    Appendix A.1 to A.5. Gives the PDUs of the examples at once. Expects the TS packets that are
    ...    drawn there.
    [Tags]    req:RFC4326-3-4    req:RFC4326-6.1-1    req:RFC4326-6.1-2    req:RFC4326-6.2-2    req:RFC4326-6.2-6
    Vectors Should Be Sent    appendix-a*

No Octet Left
    [Documentation]    Section 6.2 i. Ends SNDUs with their TS packets, with a PUSI of 1 and of 0. Expects the next one
    ...    in a new TS packet.
    [Tags]    req:RFC4326-6.2-1
    Vectors Should Be Sent    left-0-*

One Octet Left
    [Documentation]    Section 6.2 ii. Leaves one octet, with a PUSI of 1 and of 0. Expects 0xFF, and the next SNDU in a
    ...    new TS packet.
    [Tags]    req:RFC4326-6.2-2
    Vectors Should Be Sent    left-1-*

Two Octets Left
    [Documentation]    Section 6.2 iii and v. Leaves two octets. Expects an SNDU's Length in them with a PUSI of 1, and
    ...    0xFFFF with a PUSI of 0.
    [Tags]    req:RFC4326-6.2-3
    Vectors Should Be Sent    left-2-begun    left-2-not-begun

Three And More Octets Left
    [Documentation]    Section 6.2 v. Leaves three and four octets. Expects an SNDU in them, and a Payload Pointer where
    ...    there was none.
    [Tags]    req:RFC4326-6.2-6
    Vectors Should Be Sent    left-3-begun    left-3-not-begun    left-4-not-begun    three-packed

Padding
    [Documentation]    Section 6.2 iv. Leaves two and three octets of padded TS packets. Expects 0xFF, and each SNDU at
    ...    the beginning of a TS packet.
    [Tags]    req:RFC4326-6.2-4
    Vectors Should Be Sent    left-*-padding

Each Number Of Octets Left, Padded
    [Documentation]    Section 6.2. Sends PDUs of each length over two TS packets, padded. Expects what the judge
    ...    expects.
    [Tags]    req:RFC4326-3-2    req:RFC4326-6.1-2    req:RFC4326-6.1-3    req:RFC4326-6.2-2    req:RFC4326-6.2-4
    Each Length Should Be Encapsulated By The Rules    20    390    packing=padding    address=absent

Each Number Of Octets Left, Packed
    [Documentation]    Section 6.2. Sends PDUs of each length over two TS packets, packed. Expects what the judge
    ...    expects.
    [Tags]    req:RFC4326-3-4    req:RFC4326-6.1-2    req:RFC4326-6.2-2    req:RFC4326-6.2-6
    Each Length Should Be Encapsulated By The Rules    20    390    packing=packing
    Each Length Should Be Encapsulated By The Rules    20    390    packing=packing    address=absent

The First TS Packet, And Those After An Idle Period
    [Documentation]    Section 6.1. Sends a PDU, nothing for a second, and another one. Expects a PUSI of 1 and a
    ...    Payload Pointer of 0 at each beginning.
    [Tags]    req:RFC4326-6.1-1
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv4 400 at 1000000us    ipv6 60 at 2000000us    packed=0
    ...    ts_packets=5

Continuity Counters
    [Documentation]    Section 6.1. Sends 200 TS packets of one PID. Expects a counter that grows by one, modulo 16.
    [Tags]    req:RFC4326-3-1    req:RFC4326-6.1-2
    Traffic Should Be Encapsulated By The Rules    voip-g711-ipv4    packets=200    packing=padding
    Traffic Should Be Encapsulated By The Rules    tcp-bulk-data    packets=60

PIDs
    [Documentation]    Sections 3 and 6. Sends PDUs on four channels in turn. Expects each SNDU on the PID of its
    ...    channel, and a counter and a partial TS packet of each PID.
    [Tags]    req:RFC4326-3-1    req:RFC4326-6.1-1    req:RFC4326-6.1-2
    PDUs Should Be Encapsulated By The Rules    ipv4 200 on 0    ipv4 60 on 1    ipv6 300 on 2    ipv4 60 on 3
    ...    ipv4 60 on 0    ipv4 500 on 1    ipv6 60 on 2    ipv4 60 on 3    channels=4    first_pid=1000    packed=4

The Highest PID
    [Documentation]    Section 3. Sends on the PID 8190, after which only that of null packets is. Expects it.
    [Tags]    req:RFC4326-3-1
    PDUs Should Be Encapsulated By The Rules    ipv4 60 on 0    ipv4 200 on 1    channels=2    first_pid=8189

A PDU Just Before The Packing Threshold
    [Documentation]    Section 6.2 v. Sends a PDU, and another one a microsecond before the threshold. Expects both in
    ...    one TS packet, which leaves at the threshold.
    [Tags]    req:RFC4326-6.2-7    req:RFC4326-6.2-8    req:RFC4326-6.2-9
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv4 60 at 999us    threshold_us=1000    packed=1
    ...    ts_packets=1
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv4 60 at 49999us    threshold_us=50000    packed=1
    ...    ts_packets=1

A PDU Just Behind The Packing Threshold
    [Documentation]    Section 6.2 v. Sends a PDU, and another one a microsecond after the threshold. Expects each in a
    ...    TS packet of its own.
    [Tags]    req:RFC4326-6.2-7    req:RFC4326-6.2-8    req:RFC4326-6.2-9
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv4 60 at 1001us    threshold_us=1000    packed=0
    ...    ts_packets=2
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv4 60 at 2us    threshold_us=1    packed=0    ts_packets=2

The Packing Threshold Of Each TS Packet
    [Documentation]    Section 6.2 v. Sends PDUs of which each begins in the TS packet before. Expects that the time of
    ...    a TS packet begins with the first SNDU that ends in it.
    [Tags]    req:RFC4326-6.2-9
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv4 60 at 600us    ipv4 200 at 900us    ipv4 60 at 1800us
    ...    ipv4 60 at 2100us    threshold_us=1000    packed=4

No Packing Threshold
    [Documentation]    Section 6.2 v. Sets the threshold to zero. Expects that TS packets leave when their PDUs come.
    [Tags]    req:RFC4326-6.2-8    req:RFC4326-6.2-9
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv4 60 at 1us    ipv4 300 at 2us    threshold_us=0
    ...    ts_packets=4    packed=0

Packing Thresholds Of Several PIDs
    [Documentation]    Section 6.2 v. Sends PDUs on three channels, out of turn. Expects that each PID keeps its own
    ...    time.
    [Tags]    req:RFC4326-6.2-9
    PDUs Should Be Encapsulated By The Rules    ipv4 60 at 0us on 2    ipv4 60 at 300us on 0    ipv4 60 at 600us on 1
    ...    ipv4 60 at 900us on 2    ipv4 60 at 1100us on 2    ipv4 60 at 1200us on 0    channels=3    packed=2
    ...    ts_packets=4

Traffic
    [Documentation]    Sections 4 to 6. Sends traffic of many lengths, padded and packed, in bridged frames, with
    ...    extension headers. Expects what the judge expects.
    [Tags]    req:RFC4326-3-2    req:RFC4326-4.2-1    req:RFC4326-4.6-2    req:RFC4326-6.2-6
    Traffic Should Be Encapsulated By The Rules    gtpu-imix    flows=4    packets=300
    Traffic Should Be Encapsulated By The Rules    udp-dns-like-ipv6    flows=4    packets=300    packing=padding
    Traffic Should Be Encapsulated By The Rules    voip-mixed    flows=9    packets=400    bridged=yes    address=absent
    Traffic Should Be Encapsulated By The Rules    voip-amr-nb-ipv6    flows=20    packets=400    time_stamp=yes
    ...    padding_words=4
