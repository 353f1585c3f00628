*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    TS packets that are lost, doubled, swapped or damaged, or that no encapsulator sends, given to a
...              receiver of ULE (RFC 4326, 7) and to the judge's receiver. Expected is that the adapter survives and
...              that its units are among those of the judge, in the same order. That all of these come out and that
...              each error is counted is a SHOULD.

Library          headroom.schemes.ule.keywords.robustness.UleRobustnessKeywords    AS    UleRobustnessKeywords

Test Tags        level:must    robustness    scheme:ule


*** Test Cases ***
Lost TS Packets
    [Documentation]    Loses 5 % of the TS packets. Expects what the suite says.
    [Tags]    req:RFC4326-7.3-5    req:RFC4326-7.3-6
    Damaged TS Packets Should Be Withstood    voip-g711-ipv4    flows=10    packets=1000    lost=0.05

Bursts Of Lost TS Packets
    [Documentation]    Loses TS packets in bursts of 3 and of 16, which no continuity counter shows. Expects what the
    ...    suite says.
    [Tags]    req:RFC4326-7.2.1-1    req:RFC4326-7.3-5
    Damaged TS Packets Should Be Withstood    tcp-bulk-data    packets=400    bursts=0.02    burst=3
    Damaged TS Packets Should Be Withstood    tcp-bulk-data    packets=400    bursts=0.02    burst=16

Doubled TS Packets
    [Documentation]    Doubles 20 % of the TS packets. Expects what the suite says.
    [Tags]    req:RFC4326-7.3-4
    Damaged TS Packets Should Be Withstood    voip-amr-nb-ipv6    flows=10    packets=600    doubled=0.2

Swapped TS Packets
    [Documentation]    Swaps 5 % of the TS packets with the next one. Expects what the suite says.
    [Tags]    req:RFC4326-7.3-5
    Damaged TS Packets Should Be Withstood    gtpu-imix    flows=4    packets=400    swapped=0.05

TS Packets Marked As Damaged
    [Documentation]    Sets the transport error indicator of 5 % of the TS packets. Expects what the suite says.
    [Tags]    req:RFC4326-7.3-1    req:RFC4326-7.3-2    req:RFC4326-7.3-3
    Damaged TS Packets Should Be Withstood    gtpu-imix    flows=4    packets=400    marked=0.05

Bit Errors
    [Documentation]    Inverts one bit in 10,000, and one in 1,000, wherever they are: in headers of TS packets, too.
    ...    Expects what the suite says, and no unit that no PDU was.
    [Tags]    req:RFC4326-7.2-3    req:RFC4326-7.2-5
    Damaged TS Packets Should Be Withstood    udp-dns-like-ipv4    flows=5    packets=800    ber=0.0001
    Damaged TS Packets Should Be Withstood    udp-dns-like-ipv6    flows=5    packets=800    ber=0.001
    ...    packing=padding

Everything Together
    [Documentation]    Loses, doubles, swaps, marks and damages TS packets. Expects what the suite says.
    [Tags]    req:RFC4326-7.2-3    req:RFC4326-7.3-5
    Damaged TS Packets Should Be Withstood    voip-mixed    flows=20    packets=1000    lost=0.02    doubled=0.05
    ...    swapped=0.02    marked=0.02    bursts=0.01    ber=0.0001
    Damaged TS Packets Should Be Withstood    voip-mixed    flows=20    packets=1000    lost=0.02    doubled=0.05
    ...    swapped=0.02    marked=0.02    bursts=0.01    ber=0.0001    bridged=yes    address=absent

Everything Together, Concatenated
    [Documentation]    The same with several PDUs in an SNDU. Expects what the suite says.
    [Tags]    req:RFC4326-7.2-3    req:RFC5163-3.2-13
    Damaged TS Packets Should Be Withstood    voip-mixed    flows=20    packets=1000    lost=0.02    doubled=0.05
    ...    swapped=0.02    marked=0.02    bursts=0.01    ber=0.0001    concat=4

Hostile Payload Pointers
    [Documentation]    Sends each Payload Pointer to an idle receiver, and within SNDUs. Expects what the suite says.
    [Tags]    req:RFC4326-7-2    req:RFC4326-7.1.1-2    req:RFC4326-7.2.1-1
    Hostile TS Packets Should Be Withstood    payload pointers

Hostile Lengths
    [Documentation]    Sends Lengths of 0 to 19 and near all ones, with both D-bits, in every place of a TS packet.
    ...    Expects what the suite says.
    [Tags]    req:RFC4326-7.2-1    req:RFC4326-7.2-2
    Hostile TS Packets Should Be Withstood    lengths

Contents That Are Too Short
    [Documentation]    Sends SNDUs with the right CRC whose addresses, extension headers, frames and concatenated units
    ...    go beyond their end. Expects what the suite says.
    [Tags]    req:RFC4326-5-1    req:RFC4326-5.2-5    req:RFC5163-3.1-1    req:RFC5163-3.2-16
    Hostile TS Packets Should Be Withstood    short contents

Link Packets Of Other Sizes
    [Documentation]    Sends link packets of 1 to 1316 octets that are no TS packets. Expects what the suite says.
    [Tags]    req:RFC4326-7-4
    Hostile TS Packets Should Be Withstood    sizes

Random Octets
    [Documentation]    Sends octets drawn at random, alone and after right headers. Expects what the suite says.
    [Tags]    req:RFC4326-7.2-3
    Hostile TS Packets Should Be Withstood    random octets

Thousands Of PIDs
    [Documentation]    Sends an SNDU on each of 4,000 PIDs, all of them begun before the first one ends. Expects what
    ...    the suite says.
    [Tags]    req:RFC4326-7-1
    Hostile TS Packets Should Be Withstood    pids
