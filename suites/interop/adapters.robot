*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Adapters over libraries of others keep the promises of the ABI, except for declared deviations, and are
...              what they declare to be. If the library is not installed, its case is skipped.

Resource         imports.resource

Test Template    Adapter Should Be Sound

Test Tags        interop


*** Test Cases ***      IMPLEMENTATION
Librohc                 librohc
Open SigComp            opensigcomp
