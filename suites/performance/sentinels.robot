*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Fixed work of each scheme, without pauses, with which a nightly regression watches the cost of
...              implementations: the time and the instructions of each stage, octets on the link, memory of a flow. 10
...              trials (3 with --quick) of the implementation alternate with as many of a second, equal one, so that
...              each record shows how far two measurements of the same thing differ on this machine. Times are the
...              means of the best sixth of the trials. They are figures of this machine; the only verdict is that
...              packets come out as they went in.

Resource         imports.resource

Test Template    Fixed Work Should Be Measured

Test Tags        performance    sentinel


*** Test Cases ***
Calls Over IPv6    [Tags]    scheme:rohc
                 Calls Over IPv6
Calls Over IPv4    [Tags]    scheme:rohc
                 Calls Over IPv4
Calls With Feedback    [Tags]    scheme:rohc
             Calls With Feedback
Voice Calls Through A P-CSCF    [Tags]    scheme:sigcomp
    Voice Calls Through A P-CSCF
PDUs Of 60 Octets    [Tags]    scheme:ule
               PDUs Of 60 Octets
PDUs Of 690 Octets    [Tags]    scheme:ule
              PDUs Of 690 Octets
Bulk Data Over TCP    [Tags]    scheme:vj
              Bulk Data Over TCP
A User Plane    [Tags]    scheme:gtpu
                    A User Plane
A User Plane With Rules    [Tags]    scheme:gtpu
         A User Plane With Rules
A User Plane With Inspection    [Tags]    scheme:gtpu
    A User Plane With Inspection
