*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Sessions of packets.

Resource         ../../../resources/keywords/settings.resource
Library          headroom.schemes.toy.keywords.ToyKeywords

Test Tags        scheme:toy    level:must


*** Test Cases ***
Sixteen Sessions
    [Tags]    req:TOYDRAFT-2-1    req:TOYDRAFT-2-3
    Sessions Should Be Kept    udp-60    16
Two Sessions
    [Tags]    req:TOYDRAFT-2-1
    Sessions Should Be Kept    udp-60    2
Sessions Over A Clean Link
    [Tags]    req:TOYDRAFT-2-2
    Sessions Should Be Restored    udp-60    16
Sessions Behind Losses
    [Tags]    req:TOYDRAFT-2-2
    Sessions Should Be Restored    udp-60    2    0.1
