*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Adapters over libraries of others keep the promises of the ABI, but for what they declare, and are what
...              they declare to be. Where the library is not installed, there is nothing to ask.

Resource         imports.resource

Test Template    Adapter Should Be Sound

Test Tags        interop


*** Test Cases ***      IMPLEMENTATION
Librohc                 librohc
Open SigComp            opensigcomp
