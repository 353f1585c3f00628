*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The adapters of this repository keep the promises of the ABI and are what they declare to be.

Resource         imports.resource

Test Template    Adapter Should Be Sound

Test Tags        smoke


*** Test Cases ***      IMPLEMENTATION
Null                    null
Example                 example
Reference               reference
