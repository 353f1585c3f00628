*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    QERs: 3GPP TS 29.244, 5.4. Bit rates are those of the users' packets, on virtual time.

Resource         imports.resource

Test Tags        level:must    scheme:gtpu


*** Test Cases ***
QFI Of The Uplink
    [Documentation]    Binds the PDR of the uplink to QFI 9. Expects that packets with QFI 5, and without a
    ...    container, are dropped and not answered.
    [Tags]    req:TS29244-5.4.2-1
    User Plane Should Follow    qos    QFI of the uplink

QFI Of The Downlink
    [Documentation]    Marks the downlink with the QFIs 1, 5 and 63.
    [Tags]    req:TS38415-5.4.1.1-1
    User Plane Should Follow    qos    QFI of the downlink

Reflective QoS
    [Documentation]    Sets RQI in a QER. Expects it in the container from then on.
    [Tags]    req:TS38415-5.4.1.1-2
    User Plane Should Follow    qos    reflective QoS

Gates
    [Documentation]    Opens and closes the gates of both directions in all combinations.
    [Tags]    req:TS29244-5.4.3-1
    User Plane Should Follow    qos    gates

Maximum Bit Rate
    [Documentation]    Sends at twice 10 Mbit/s for ten seconds, up and down. Expects 10 Mbit/s within 1 %; and
    ...    everything at nine tenths.
    [Tags]    req:TS29244-5.4.4-1
    User Plane Should Follow    qos    maximum bit rate

Maximum Bit Rate Of One Direction
    [Documentation]    Limits the downlink more than the uplink. Expects that the uplink is not limited by it.
    [Tags]    req:TS29244-5.4.4-1
    User Plane Should Follow    qos    maximum bit rate of one direction

Maximum Bit Rate 0
    [Documentation]    Expects that nothing passes.
    [Tags]    req:TS29244-5.4.4-1
    User Plane Should Follow    qos    maximum bit rate 0

Nothing Else Is Touched
    [Documentation]    Closes the gates of one session. Expects that another passes.
    [Tags]    req:TS29244-5.4.3-1
    User Plane Should Follow    qos    nothing else is touched
