*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The header of G-PDUs in the uplink: 3GPP TS 29.281, 5.1 and 4.4.2.3. Forwarded and dropped packets
...              differ in one field each. After a dropped packet, a correct one must be forwarded.

Resource         imports.resource

Test Tags        scheme:gtpu


*** Test Cases ***
No Flag
    [Documentation]    Sends a G-PDU with no flag. Expects its packet in the data network: optional fields are there
    ...    if one of the flags is 1.
    [Tags]    req:TS29281-5.1-3    level:must
    Uplink Packet Should Be Forwarded    extensions=${EMPTY}

Flags S
    [Documentation]    Sends a G-PDU with the flags S. Expects its packet in the data network: optional fields are
    ...    there if one of the flags is 1.
    [Tags]    req:TS29281-5.1-3    level:must
    Uplink Packet Should Be Forwarded    flags=S

Flags PN
    [Documentation]    Sends a G-PDU with the flags PN. Expects its packet in the data network: optional fields are
    ...    there if one of the flags is 1.
    [Tags]    req:TS29281-5.1-3    level:must
    Uplink Packet Should Be Forwarded    flags=PN

Flags S And PN
    [Documentation]    Sends a G-PDU with the flags S And PN. Expects its packet in the data network: optional
    ...    fields are there if one of the flags is 1.
    [Tags]    req:TS29281-5.1-3    level:must
    Uplink Packet Should Be Forwarded    flags=S,PN

Flags E
    [Documentation]    Sends a G-PDU with the flags E. Expects its packet in the data network: optional fields are
    ...    there if one of the flags is 1.
    [Tags]    req:TS29281-5.1-3    level:must
    Uplink Packet Should Be Forwarded    flags=E

Flags E And S
    [Documentation]    Sends a G-PDU with the flags E And S. Expects its packet in the data network: optional fields
    ...    are there if one of the flags is 1.
    [Tags]    req:TS29281-5.1-3    level:must
    Uplink Packet Should Be Forwarded    flags=E,S

Flags E And PN
    [Documentation]    Sends a G-PDU with the flags E And PN. Expects its packet in the data network: optional
    ...    fields are there if one of the flags is 1.
    [Tags]    req:TS29281-5.1-3    level:must
    Uplink Packet Should Be Forwarded    flags=E,PN

Flags E, S And PN
    [Documentation]    Sends a G-PDU with the flags E, S And PN. Expects its packet in the data network: optional
    ...    fields are there if one of the flags is 1.
    [Tags]    req:TS29281-5.1-3    level:must
    Uplink Packet Should Be Forwarded    flags=E,S,PN

Unused Optional Fields
    [Documentation]    Sends a G-PDU with the flag S alone and ones in the other optional fields, the next extension
    ...    header type among them. Expects that they are not evaluated.
    [Tags]    req:TS29281-5.1-4    level:must
    Uplink Packet Should Be Forwarded    flags=S    unused=c0

Unused Sequence Number
    [Documentation]    Sends a G-PDU with the flag PN alone and a sequence number. Expects that it is not evaluated.
    [Tags]    req:TS29281-5.1-4    level:must
    Uplink Packet Should Be Forwarded    flags=PN    unused=ff

Spare Flag
    [Documentation]    Sends a G-PDU whose spare flag is 1. Expects that it is not evaluated.
    [Tags]    req:TS29281-5.1-7    level:must
    Uplink Packet Should Be Forwarded    first=0x38    extensions=${EMPTY}

Version 0
    [Documentation]    Sends a G-PDU of version 0. Expects that nothing goes on.
    [Tags]    req:TS29281-5.1-1    level:must
    Uplink Packet Should Be Dropped    first=0x10    extensions=${EMPTY}    answers=1

Version 2
    [Documentation]    Sends a G-PDU of version 2. Expects that nothing goes on.
    [Tags]    req:TS29281-5.1-1    level:must
    Uplink Packet Should Be Dropped    first=0x50    extensions=${EMPTY}    answers=1

Version 7
    [Documentation]    Sends a G-PDU of version 7. Expects that nothing goes on.
    [Tags]    req:TS29281-5.1-1    level:must
    Uplink Packet Should Be Dropped    first=0xf0    extensions=${EMPTY}    answers=1

Protocol Type 0
    [Documentation]    Sends a message whose protocol type is 0. Expects that nothing goes on.
    [Tags]    req:TS29281-5.1-2    level:must
    Uplink Packet Should Be Dropped    first=0x20    extensions=${EMPTY}

Length Past The End
    [Documentation]    Sends a G-PDU whose Length is 4 octets more than there are. Expects that nothing goes on.
    [Tags]    req:TS29281-5.1-6    level:must
    Uplink Packet Should Be Dropped    length=4

Longest Length
    [Documentation]    Sends a G-PDU whose Length is as large as can be. Expects that nothing goes on.
    [Tags]    req:TS29281-5.1-6    level:must
    Uplink Packet Should Be Dropped    length=65535

Length Short Of The End
    [Documentation]    Sends a G-PDU whose Length ends within the user's packet. Expects that no octet after it
    ...    goes on.
    [Tags]    req:TS29281-5.1-6    level:must
    User Plane Should Follow    tunnels    Length short of the end

Octets Behind The End
    [Documentation]    Sends a datagram that has 8 octets after the message. Expects the T-PDU without them, for it
    ...    ends where the Length says; or nothing, for no clause says that such a datagram has to be taken.
    [Tags]    req:TS29281-5.1-6    level:must
    Uplink Packet Should Be Forwarded    or_dropped=True    trailing=8

Length Within The Optional Fields
    [Documentation]    Sends a G-PDU with optional fields and the Length 2. Expects that nothing goes on.
    [Tags]    req:TS29281-5.1-3    level:must
    Uplink Packet Should Be Dropped    flags=S    size=0    length=-30

Sequence Numbers
    [Documentation]    Sends G-PDUs with a sequence number of 65535. Expects its packet in the data network.
    [Tags]    req:TS29281-4.3.1-1    level:should
    Uplink Packet Should Be Forwarded    flags=S    sequence=65535

Any Source Port
    [Documentation]    Sends a G-PDU from UDP port 1024. Expects its packet in the data network.
    [Tags]    req:TS29281-4.4.2.3-2    level:must
    Uplink Packet Should Be Forwarded    source_port=1024

UDP Checksum 0 Over IPv4
    [Documentation]    Sends a G-PDU without a UDP checksum. Expects its packet in the data network.
    [Tags]    req:TS29281-4.4.2.3-2    level:must
    Uplink Packet Should Be Forwarded    checksum=0
