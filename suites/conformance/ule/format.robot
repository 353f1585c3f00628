*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The SNDU of RFC 4326, 4: D-bit, Length, End Indicator, Type, NPA address and CRC. PDUs go into an
...              encapsulator, whose TS packets the judge follows; TS packets written by hand go into a receiver.

Resource         imports.resource

Test Tags        level:must    scheme:ule


*** Test Cases ***
The Default Is An Address
    [Documentation]    Section 4.1. Configures nothing about the destination address. Expects a D-bit of 0.
    [Tags]    -level:must    level:should    req:RFC4326-4.1-3
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv6 60

Sent Without An Address
    [Documentation]    Sections 4.1 and 4.2. Sends PDUs with a D-bit of 1. Expects a Length without an address.
    [Tags]    req:RFC4326-4.2-1    req:RFC4326-4.7.2-1    req:RFC4326-4.7.3-1
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv6 60    ipv4 1500    address=absent

Received With And Without An Address
    [Documentation]    Sections 4.1 and 7. Sends SNDUs with a D-bit of 0 and of 1. Expects their PDUs.
    [Tags]    req:RFC4326-4.5-3    req:RFC4326-4.7.2-1    req:RFC4326-4.7.3-1    req:RFC4326-7-5
    Vectors Should Be Received    d-bit

Sent End Indicator
    [Documentation]    Sections 4.1, 4.3 and 4.7.1. Leaves three octets and more in TS packets. Expects 0xFFFF, and 0xFF
    ...    after it.
    [Tags]    req:RFC4326-4.1-1    req:RFC4326-4.7.1-1    req:RFC4326-6.1-3
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv4 172 at 5000us    ipv6 500 at 9000us    address=absent
    ...    left=115,3,43    ts_packets=5

Received End Indicator
    [Documentation]    Sections 4.3 and 7.2 iii. Puts an SNDU after an End Indicator. Expects that it is not read, and
    ...    that no error is recorded.
    [Tags]    req:RFC4326-7.2-14
    Vectors Should Be Received    end-indicator

Sent Lengths
    [Documentation]    Section 4.2. Sends PDUs that begin, end, or fill TS packets, and the longest that an SNDU can
    ...    carry. Expects the octets after the Type field, up to and with the CRC.
    [Tags]    req:RFC4326-4.2-1    req:RFC4326-4.6-1
    PDUs Should Be Encapsulated By The Rules    ipv4 20    ipv4 21    ipv4 168    ipv4 169    ipv4 170    ipv4 576
    ...    ipv6 1500    ipv4 9000    ipv4 32757

Sent Length Of All Ones
    [Documentation]    Sections 4.2 and 4.3. Sends the longest PDU with a D-bit of 1: a Length of 0x7FFE, for 0x7FFF
    ...    would make an End Indicator.
    [Tags]    req:RFC4326-4.2-1    req:RFC4326-4.7.1-1
    PDUs Should Be Encapsulated By The Rules    ipv4 32762    address=absent
    PDUs Should Be Refused    ipv4 32763    address=absent

PDUs Without A Length
    [Documentation]    Section 4.2. Gives PDUs that 15 bits cannot count. Expects that they are refused.
    [Tags]    req:RFC4326-4.2-1
    PDUs Should Be Refused    ipv4 32758    ipv4 65535    ipv6 40000

Received Lengths
    [Documentation]    Section 4.2. Sends the shortest Length that is valid, and one with an address and an extension
    ...    header. Expects the PDUs, and the SNDU after each.
    [Tags]    req:RFC4326-4.2-1    req:RFC4326-7.2-8
    Vectors Should Be Received    shortest    length-with-address-and-extension    address-cut-short

Sent Types
    [Documentation]    Sections 4.4 and 4.7. Sends IPv4, IPv6 and frames. Expects their EtherTypes, and 0x0001 of
    ...    frames.
    [Tags]    req:RFC4326-4.4-1    req:RFC4326-4.7.2-1    req:RFC4326-4.7.3-1
    PDUs Should Be Encapsulated By The Rules    ipv4 100    ipv6 100    frame 114

Received Types
    [Documentation]    Section 4.4. Sends the types 1535, which is an extension header, and 1536, which is an EtherType.
    ...    Expects the PDU of the latter, and of the former its PDU or nothing.
    [Tags]    req:RFC4326-4.4-1    req:RFC4326-5-1
    Vectors Should Be Received    type-1535    type-1536

Sent CRC
    [Documentation]    Section 4.6. Sends PDUs of many lengths. Expects the CRC that the judge computes bit by bit.
    [Tags]    req:RFC4326-4.6-1    req:RFC4326-4.6-2
    Traffic Should Be Encapsulated By The Rules    udp-dns-like-ipv4    flows=5    packets=200
    Traffic Should Be Encapsulated By The Rules    voip-mixed    flows=5    packets=200

Appendix B Sent
    [Documentation]    Appendix B. Sends the ICMPv6 packet of the example. Expects its SNDU, with the CRC 0x7c171763.
    [Tags]    req:RFC4326-4.2-1    req:RFC4326-4.5-3    req:RFC4326-4.6-1    req:RFC4326-4.6-2
    Vectors Should Be Sent    appendix-b

Appendix B Received
    [Documentation]    Appendix B. Sends the SNDU of the example. Expects the ICMPv6 packet.
    [Tags]    req:RFC4326-4.6-2
    Vectors Should Be Received    appendix-b

Received CRC
    [Documentation]    Sections 4.6 and 7.2. Sends SNDUs with a wrong CRC, and with a Type that the CRC was not made
    ...    for. Expects that they are discarded, and counted.
    [Tags]    req:RFC4326-4.6-2    req:RFC4326-4.6-3    req:RFC4326-7.2-3    req:RFC4326-7.2-4
    Vectors Should Be Received    crc-wrong    crc-of-the-header
