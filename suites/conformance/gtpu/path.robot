*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Path messages of GTP-U: 3GPP TS 29.281, 7.2 and 6.1. A base station sends messages, and the answers
...              must be right octet by octet.

Resource         imports.resource

Test Tags        scheme:gtpu


*** Test Cases ***
Echo
    [Documentation]    Sends Echo Requests with the sequence numbers 0, 1, 4660 and 65535. Expects an Echo Response
    ...    each, with that number, a Recovery of 0 and the TEID 0.
    [Tags]    req:TS29281-7.2.2-1    req:TS29281-7.2.2-2    req:TS29281-7.2.2-3    req:TS29281-5.1-8
    ...       req:TS29281-5.1-11    level:must
    User Plane Should Follow    path    echo

Echo From Another Port
    [Documentation]    Sends an Echo Request from UDP port 32000. Expects the response there, from the address and
    ...    the port that were asked.
    [Tags]    req:TS29281-4.4.2.2-1    req:TS29281-4.4.3.2-1    level:must
    User Plane Should Follow    path    echo from another port

Echo With A Private Extension
    [Documentation]    Sends an Echo Request with a Private Extension. Expects the same response.
    [Tags]    req:TS29281-7.2.2-1    level:must
    User Plane Should Follow    path    echo with a private extension

Echo Over IPv6
    [Documentation]    Sends an Echo Request over IPv6. Expects a response with a right UDP checksum.
    [Tags]    req:TS29281-7.2.2-1    req:TS29281-4.4.3.2-1    level:must
    User Plane Should Follow    path    echo over IPv6

Echo Response
    [Documentation]    Sends an Echo Response to no request. Expects that nothing comes back.
    [Tags]    req:TS29281-7.3.1-8    level:must
    User Plane Should Follow    path    echo response

Unknown Message Types
    [Documentation]    Sends messages of types that GTP-U does not have. Expects that nothing comes back or goes on.
    [Tags]    req:TS29281-6.1-1    level:should
    User Plane Should Follow    path    unknown message types
