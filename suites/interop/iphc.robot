*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The interop matrix of IPHC: each row is a number of CIDs, with all traffic over all conditions of the
...              line. The compressor follows the rules of RFC 2507, and the decompressor treats each packet that
...              arrives as the judge does.

Resource         imports.resource

Test Template    Cells Should Interwork

Test Tags        interop    scheme:iphc


*** Test Cases ***      TCP_SPACE    NON_TCP_SPACE
16 CIDs                 tcp_space=15    non_tcp_space=15
4 CIDs                  tcp_space=3    non_tcp_space=3
Most CIDs               tcp_space=255    non_tcp_space=1023
