*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The interop matrix of TAROC: each row is a number of CIDs, with all traffic over all conditions of the
...              line. The compressor follows the rules of the draft's 7.1, and the decompressor treats each packet that
...              arrives as the judge does.

Resource         imports.resource

Test Template    Cells Should Interwork

Test Tags        interop    scheme:taroc


*** Test Cases ***      TCP_SPACE
16 CIDs                 tcp_space=15
4 CIDs                  tcp_space=3
256 CIDs                tcp_space=255
