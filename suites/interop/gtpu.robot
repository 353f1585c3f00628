*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Two user planes in a chain: --compressor names that between base station and N9, --decompressor that
...              between N9 and data network. One control plane establishes the session in both over N4, with tunnel
...              endpoints that they choose; what one sends on N9 the other is given. Packets come out at the other end
...              as they went in, and are right G-PDUs in between.

Resource         imports.resource

Test Template    User Planes Should Interwork

Test Tags        interop    level:must    scheme:gtpu


*** Test Cases ***     STORY
Both Ways              both ways
Both Ways Over IPv6    both ways over IPv6
Several Sessions       several sessions
End Marker             End Marker
Error Indication       Error Indication
Echo                   echo
