*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    What fixed work costs with the implementation that is judged, beside `null`, which copies octets,
...              and the reference: for the page of `./headroom judge`. Trials of all alternate; times are the means of
...              the best sixth of them, 10 trials of each (3 with --quick). Only that packets come out as they went in
...              is a verdict.

Resource         imports.resource

Test Template    Fixed Work Should Be Measured Beside Others

Test Tags        performance


*** Test Cases ***
Calls Over IPv6 Beside Others    [Tags]    scheme:rohc
    Calls Over IPv6
Calls With Feedback Beside Others    [Tags]    scheme:rohc
    Calls With Feedback
Voice Calls Beside Others    [Tags]    scheme:sigcomp
    Voice Calls Through A P-CSCF
PDUs Of 60 Octets Beside Others    [Tags]    scheme:ule
    PDUs Of 60 Octets
PDUs Of 690 Octets Beside Others    [Tags]    scheme:ule
    PDUs Of 690 Octets
Bulk Data With VJ Beside Others    [Tags]    scheme:vj
    Bulk Data Over TCP
Bulk Data With IPHC Beside Others    [Tags]    scheme:iphc
    Bulk Data Over TCP With IPHC
Bulk Data With TAROC Beside Others    [Tags]    scheme:taroc
    Bulk Data Over TCP With TAROC
A User Plane Beside Others    [Tags]    scheme:gtpu
    A User Plane
