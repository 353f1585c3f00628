*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    PDRs and FARs: 3GPP TS 29.244, 5.2, 5.10, 5.19 and 8.2. Rules are given over N4, and packets show
...              what they do.

Resource         imports.resource

Test Tags        level:must    scheme:gtpu


*** Test Cases ***
Precedence
    [Documentation]    Gives two PDRs that match, one that drops, in both orders of their values and of the message.
    ...    Expects that the lower value decides.
    [Tags]    req:TS29244-5.2.1-1    req:TS29244-8.2.11-1
    User Plane Should Follow    rules    precedence

Precedence Changes
    [Documentation]    Changes the precedence of a PDR. Expects that it decides from then on.
    [Tags]    req:TS29244-5.2.1-1
    User Plane Should Follow    rules    precedence changes

Several Filters
    [Documentation]    Gives a PDI with two SDF filters. Expects that packets match which match either, by protocol,
    ...    address and port.
    [Tags]    req:TS29244-5.2.1-2    req:TS29244-5.2.1-4
    User Plane Should Follow    rules    several filters

Filters Of The Uplink
    [Documentation]    Gives an SDF filter to a PDR of the uplink. Expects that it is read the other way round.
    [Tags]    req:TS29244-5.2.1-2    req:TS29244-5.2.1-3
    User Plane Should Follow    rules    filters of the uplink

Port Ranges
    [Documentation]    Gives an SDF filter with a prefix, a range and a single port.
    [Tags]    req:TS29244-5.2.1-2
    User Plane Should Follow    rules    port ranges

Drop
    [Documentation]    Sets the action of the uplink to DROP and back. Expects that the downlink is not touched.
    [Tags]    req:TS29244-8.2.26-1    req:TS29244-8.2.26-2
    User Plane Should Follow    rules    drop

Buffer
    [Documentation]    Sets the action of the downlink to BUFF and NOCP, sends three packets, and sets it to FORW.
    ...    Expects one report, and the packets in their order.
    [Tags]    req:TS29244-8.2.26-3    req:TS29244-8.2.26-4    req:TS29244-7.5.8-1
    User Plane Should Follow    rules    buffer

Duplicate
    [Documentation]    Sets the action of the downlink to FORW and DUPL. Expects the packet at both destinations.
    [Tags]    req:TS29244-8.2.26-5
    User Plane Should Follow    rules    duplicate

End Marker When The Tunnel Changes
    [Documentation]    Changes the outer header with SNDEM. Expects an End Marker in the old tunnel, and packets in
    ...    the new one.
    [Tags]    req:TS29244-8.2.31-1
    User Plane Should Follow    rules    End Marker when the tunnel changes

Predefined Rules
    [Documentation]    Activates two predefined rules that drop, and deactivates one of them. Expects that nothing
    ...    else is dropped.
    [Tags]    req:TS29244-5.19-1    req:TS29244-5.19-2
    User Plane Should Follow    rules    predefined rules

Unknown Predefined Rule
    [Documentation]    Activates a predefined rule that does not exist. Expects that the request is rejected.
    [Tags]    req:TS29244-7.5.3-2
    User Plane Should Follow    rules    unknown predefined rule

Error Indication Is Reported
    [Documentation]    Sends an Error Indication for the tunnel to the base station. Expects a report with its
    ...    F-TEID.
    [Tags]    req:TS29244-5.10-1    req:TS29244-7.5.8-1
    User Plane Should Follow    rules    Error Indication is reported
