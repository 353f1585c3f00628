*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Sessions of N4: 3GPP TS 29.244, 5.5 and 7.5. A session exists if packets pass in both directions.

Resource         imports.resource

Test Tags        level:must    scheme:gtpu


*** Test Cases ***
Establishment
    [Documentation]    Establishes a session. Expects Node ID, Cause, F-SEID and our SEID, and packets both ways.
    [Tags]    req:TS29244-7.5.3-1    req:TS29244-7.2.2.4.2-1
    User Plane Should Follow    sessions    establishment

Chosen F-TEID
    [Documentation]    Asks the user plane for F-TEIDs. Expects one for each session, none twice, and that it works.
    [Tags]    req:TS29244-5.5.1-1
    User Plane Should Follow    sessions    chosen F-TEID

Modification
    [Documentation]    Moves a session to another base station. Expects the next packet there.
    [Tags]    req:TS29244-7.5.5-1    req:TS29244-7.2.2.4.2-1
    User Plane Should Follow    sessions    modification

Rules Come And Go
    [Documentation]    Adds a PDR that drops, and takes it away. Expects that packets are dropped in between.
    [Tags]    req:TS29244-7.5.5-1
    User Plane Should Follow    sessions    rules come and go

Deletion
    [Documentation]    Deletes a session. Expects that nothing goes through any more, and that another session is
    ...    not touched.
    [Tags]    req:TS29244-7.5.7-1    req:TS29244-8.2.1-1
    User Plane Should Follow    sessions    deletion

The Same User Again
    [Documentation]    Establishes a session for the user of one that was deleted.
    [Tags]    req:TS29244-7.5.7-1
    User Plane Should Follow    sessions    the same user again

A Hundred Sessions
    [Documentation]    Establishes a hundred sessions. Expects that each has its own SEID, and packets both ways.
    [Tags]    req:TS29244-7.5.3-1
    User Plane Should Follow    sessions    a hundred sessions
