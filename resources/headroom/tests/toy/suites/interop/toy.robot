*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The interop matrix of sessions of packets.

Resource         imports.resource

Test Template    Cells Should Interwork

Test Tags        interop    scheme:toy


*** Test Cases ***    SESSIONS
Sixteen Sessions      sessions=16
Two Sessions          sessions=2
