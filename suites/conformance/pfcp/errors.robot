*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Invalid messages, and parts of valid messages that a receiver must ignore: 3GPP TS 29.244, 7.6. A
...              rejected request changes nothing.

Resource         imports.resource

Test Tags        level:must    scheme:gtpu


*** Test Cases ***
Version 2
    [Documentation]    Sends a message of version 2. Expects a Version Not Supported Response.
    [Tags]    req:TS29244-7.6.2-1
    User Plane Should Follow    errors    version 2

Too Short
    [Documentation]    Sends 1 to 7 octets. Expects no answer.
    [Tags]    req:TS29244-7.6.3-1
    User Plane Should Follow    errors    too short

Unknown Message
    [Documentation]    Sends messages of types that do not exist. Expects no answer.
    [Tags]    req:TS29244-7.6.4-1
    User Plane Should Follow    errors    unknown message

Response Without Request
    [Documentation]    Sends responses to requests that were never sent. Expects no answer.
    [Tags]    req:TS29244-7.6.5-1
    User Plane Should Follow    errors    response without request

Unknown Session
    [Documentation]    Modifies and deletes a session that does not exist. Expects the cause Session Context Not Found
    ...    and the SEID 0.
    [Tags]    req:TS29244-8.2.1-1    req:TS29244-7.2.2.4.2-2
    User Plane Should Follow    errors    unknown session

Association Without Node ID
    [Documentation]    Expects the cause Mandatory IE Missing.
    [Tags]    req:TS29244-7.6.6-1    req:TS29244-7.6.6-2
    User Plane Should Follow    errors    association without Node ID

Session Without F-SEID
    [Documentation]    Expects the cause Mandatory IE Missing.
    [Tags]    req:TS29244-7.6.6-1    req:TS29244-7.6.6-2
    User Plane Should Follow    errors    session without F-SEID

Rules Without What They Need
    [Documentation]    Leaves out PDR ID, Precedence, PDI, FAR ID and Apply Action, one at a time. Expects that each
    ...    request is rejected and leaves nothing behind.
    [Tags]    req:TS29244-7.6.6-1    req:TS29244-7.5.3-3
    User Plane Should Follow    errors    rules without what they need

PDR Of A FAR That There Is Not
    [Documentation]    Expects that the request is rejected and leaves nothing behind.
    [Tags]    req:TS29244-7.5.3-2    req:TS29244-7.5.3-3
    User Plane Should Follow    errors    PDR of a FAR that there is not

Modification That Cannot Be
    [Documentation]    Modifies a session with a valid rule and an invalid one. Expects that neither comes into force.
    [Tags]    req:TS29244-7.5.3-2    req:TS29244-7.5.5-2
    User Plane Should Follow    errors    modification that cannot be

Elements Of A Wrong Length
    [Documentation]    Sends mandatory elements of one octet. Expects that the request is rejected.
    [Tags]    req:TS29244-7.6.7-1
    User Plane Should Follow    errors    elements of a wrong length

Unknown Elements
    [Documentation]    Sends unknown elements, of a vendor and of no length, in all places. Expects that they are
    ...    ignored.
    [Tags]    req:TS29244-7.6.9-1
    User Plane Should Follow    errors    unknown elements

Spare Bits
    [Documentation]    Sends spare bits that are 1. Expects that they are not evaluated, and 0 in the answer.
    [Tags]    req:TS29244-7.2.2-1
    User Plane Should Follow    errors    spare bits
