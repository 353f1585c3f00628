*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Associations of N4: 3GPP TS 29.244, 6.2 and 6.4.

Resource         imports.resource

Test Tags        level:must    scheme:gtpu


*** Test Cases ***
Association Setup
    [Documentation]    Sets an association up. Expects Node ID, Cause and Recovery Time Stamp.
    [Tags]    req:TS29244-6.2.6-1    req:TS29244-7.2.2-1
    User Plane Should Follow    associations    association setup

Association Twice
    [Documentation]    Sets the same association up twice. Expects that both are accepted, and that sessions work.
    [Tags]    req:TS29244-6.2.6-1
    User Plane Should Follow    associations    association twice

Heartbeat
    [Documentation]    Sends two Heartbeat Requests. Expects the same Recovery Time Stamp twice.
    [Tags]    req:TS29244-6.2.2-1
    User Plane Should Follow    associations    heartbeat

Session Without Association
    [Documentation]    Requests a session without an association. Expects the cause No Established PFCP Association.
    [Tags]    req:TS29244-6.2.6-2
    User Plane Should Follow    associations    session without association

Request From Another Port
    [Documentation]    Sends a request from another address and port. Expects the answer there, with its sequence
    ...    number.
    [Tags]    req:TS29244-6.4-1    req:TS29244-6.4-2
    User Plane Should Follow    sessions    request from another port

Request Sent Again
    [Documentation]    Sends the same request for a session twice. Expects the same answer twice, and one session.
    [Tags]    req:TS29244-6.4-3
    User Plane Should Follow    sessions    request sent again
