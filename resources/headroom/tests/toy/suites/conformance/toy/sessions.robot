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
    Traffic Should Be Compressed By The Rules    udp-60    sessions=16
Two Sessions
    [Tags]    req:TOYDRAFT-2-1
    Traffic Should Be Compressed By The Rules    udp-60    sessions=2
Sessions Over A Clean Link
    [Tags]    req:TOYDRAFT-2-2
    Decompressor Should Do As The Judge Does    udp-60    sessions=16
Sessions Behind Losses
    [Tags]    req:TOYDRAFT-2-2
    Decompressor Should Do As The Judge Does    udp-60    sessions=2    lost=0.1
