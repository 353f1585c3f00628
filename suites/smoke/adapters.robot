*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The adapters of this repository, and those that the run is about, keep the promises of the ABI and
...              are what they declare to be.

Resource         imports.resource

Test Template    Adapter Should Be Sound

Test Tags        smoke


*** Variables ***
${COMPRESSOR}      reference
${DECOMPRESSOR}    reference


*** Test Cases ***          IMPLEMENTATION
Null                        null
Example                     example
Example Endpoint            example-endpoint
Reference                   reference
The Compressor Asked        ${COMPRESSOR}
The Decompressor Asked      ${DECOMPRESSOR}
