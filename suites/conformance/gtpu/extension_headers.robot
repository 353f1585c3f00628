*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Extension headers of G-PDUs: 3GPP TS 29.281, 5.2 and 7.2.3, with the PDU session container of TS
...              38.415. A receiver reads a chain to its end. An unknown extension header that it must understand makes
...              it drop the packet and answer.

Resource         imports.resource

Test Tags        level:must    scheme:gtpu


*** Variables ***
${LONG}    ${{'00' * 1018}}


*** Test Cases ***
Container Alone
    [Documentation]    Sends a G-PDU with a PDU session container of four octets.
    [Tags]    req:TS29281-5.2.1-1
    Uplink Packet Should Be Forwarded    extensions=85:1009

Chain Of Two
    [Documentation]    Sends a G-PDU with a PDU session container and a service class indicator.
    [Tags]    req:TS29281-5.2.1-1
    Uplink Packet Should Be Forwarded    extensions=85:1009 20:0500

Chain Of Four
    [Documentation]    Sends a G-PDU with a container and three more extension headers of several lengths.
    [Tags]    req:TS29281-5.2.1-1
    Uplink Packet Should Be Forwarded    extensions=85:1009 20:0500 40:0868 03:0102030405

Container Behind Another
    [Documentation]    Sends a G-PDU whose container is the second extension header, which a sender should not do
    ...    and a receiver has to read.
    [Tags]    req:TS29281-5.2.1-1
    Uplink Packet Should Be Forwarded    extensions=20:0500 85:1009

Long Extension Header
    [Documentation]    Sends a G-PDU with an extension header of 1,020 octets that need not be understood.
    [Tags]    req:TS29281-5.2.1-2
    Uplink Packet Should Be Forwarded    extensions=85:1009 01/255:${LONG}

Length 0
    [Documentation]    Sends a G-PDU whose second extension header has the length 0. Expects that nothing goes on.
    [Tags]    req:TS29281-5.2.1-2
    Uplink Packet Should Be Dropped    extensions=85:1009 20/0:0500    answers=1

Container Of Length 0
    [Documentation]    Sends a G-PDU whose container has the length 0. Expects that nothing goes on.
    [Tags]    req:TS29281-5.2.1-2
    Uplink Packet Should Be Dropped    extensions=85/0:1009    answers=1

Length Past The End
    [Documentation]    Sends a G-PDU whose extension header ends after the message. Expects that nothing goes on.
    [Tags]    req:TS29281-5.2.1-2
    Uplink Packet Should Be Dropped    extensions=85:1009 20/255:0500    answers=1

Chain Without An End
    [Documentation]    Sends a G-PDU whose last extension header announces another where there is none. Expects that
    ...    nothing goes on.
    [Tags]    req:TS29281-5.2.1-2
    Uplink Packet Should Be Dropped    extensions=85:1009    last=20    size=0    length=-28    answers=1

Unknown Types That Have To Be Understood
    [Documentation]    Sends G-PDUs with extension headers of the unknown types 0x86 and 0xfe. Expects that nothing
    ...    goes on, and a Supported Extension Headers Notification.
    [Tags]    req:TS29281-5.2.1-3    req:TS29281-7.2.3-1    req:TS29281-7.2.3-2    req:TS29281-4.4.2.4-1
    User Plane Should Follow    tunnels    unknown extension headers that have to be understood

Unknown Types That May Be Skipped
    [Documentation]    Sends G-PDUs with extension headers of the unknown types 0x01 and 0x7e. Expects their packets
    ...    in the data network.
    [Tags]    req:TS29281-5.2.1-4
    User Plane Should Follow    tunnels    unknown extension headers that may be skipped

Uplink Container With More
    [Documentation]    Sends an uplink container with a delay measurement after the QFI. Expects that it changes
    ...    nothing.
    [Tags]    req:TS38415-5.5.2.2-1
    Uplink Packet Should Be Forwarded    extensions=85:188900000000000000010000000000000002

Uplink Container With Spare Bits
    [Documentation]    Sends an uplink container whose spare bits are 1. Expects that they are not interpreted.
    [Tags]    req:TS38415-5.5.3.2-1
    Uplink Packet Should Be Forwarded    extensions=85:1049
