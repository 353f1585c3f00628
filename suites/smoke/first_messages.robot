*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The shortest way through SigComp: SIP messages compressed by one endpoint, decompressed by the other,
...              in both directions.

Resource         imports.resource

Test Template    Sequence Should Come Back As It Was

Test Tags        smoke    scheme:sigcomp


*** Test Cases ***              SEQUENCE                MECHANISM AND TRANSPORT
Dynamic, UDP                    3gpp-video-call         mechanism=dynamic
Dynamic, TCP                    3gpp-video-call         mechanism=dynamic    transport=tcp    acknowledgement=transport
Static, UDP                     3gpp-registration       mechanism=stateful-static
People Who Are Not Printed      basic-voice-call        mechanism=dynamic    people=others
Losses Do No Harm
    [Documentation]    Three messages in ten are lost, and the caller's third in any case.
    [Template]    What Arrives Of The Sequence Should Come Back As It Was
    3gpp-video-call    mechanism=dynamic    loss=0.3    drop=2
