*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    URRs: 3GPP TS 29.244, 5.2.2. A user plane counts the octets of the users' IP packets that passed.

Resource         imports.resource

Test Tags        level:must    scheme:gtpu


*** Test Cases ***
Volume Threshold
    [Documentation]    Sends twice a threshold. Expects a report each time, numbered from 0, for this session.
    [Tags]    req:TS29244-5.2.2.3-1    req:TS29244-5.2.2.3-3    req:TS29244-5.2.2.2-1    req:TS29244-7.5.8-1
    User Plane Should Follow    usage    volume threshold

Query
    [Documentation]    Queries a URR after packets up and down. Expects the exact volumes and the trigger IMMER.
    [Tags]    req:TS29244-7.5.5-3    req:TS29244-8.2.44-1
    User Plane Should Follow    usage    query

Deletion
    [Documentation]    Deletes the session. Expects the volumes with the trigger TERMR.
    [Tags]    req:TS29244-7.5.7-2
    User Plane Should Follow    usage    deletion

Periods
    [Documentation]    Lets three periods of ten seconds pass. Expects a report for each, with what passed in it.
    [Tags]    req:TS29244-5.2.2.3-2    req:TS29244-5.2.2.3-3
    User Plane Should Follow    usage    periods

Volume Quota
    [Documentation]    Sends more than a quota. Expects that no more passes, a report, and that a new quota lets
    ...    packets pass again.
    [Tags]    req:TS29244-5.2.2.2-2    req:TS29244-5.2.2.3-1
    User Plane Should Follow    usage    volume quota

Quota 0
    [Documentation]    Gives a quota of 0. Expects that nothing passes.
    [Tags]    req:TS29244-5.2.2.2-2
    User Plane Should Follow    usage    quota 0

Dropped Packets Do Not Count
    [Documentation]    Closes the gate of the downlink. Expects that packets which it drops are not counted.
    [Tags]    req:TS29244-5.2.2.2-1
    User Plane Should Follow    usage    dropped packets do not count

Measurement Before QoS Enforcement
    [Documentation]    Closes the gate of the downlink, and asks for the usage before QoS enforcement. Expects that
    ...    packets which the gate drops are counted.
    [Tags]    req:TS29244-8.2.68-1    level:should    -level:must
    User Plane Should Follow    usage    measurement before QoS enforcement
