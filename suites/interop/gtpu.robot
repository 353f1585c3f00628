*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The interop matrix of user planes: --compressor names the user plane between base station and N9,
...              --decompressor the one between N9 and data network. One control plane establishes the session in both
...              over N4, with tunnel endpoints that they choose; packets that one sends on N9 are given to the other.
...              Packets come out at the other end as they went in, and are correct G-PDUs in between. End Markers,
...              Error Indications and Echo messages pass from one to the other.

Resource         imports.resource

Test Template    Cells Should Interwork

Test Tags        interop    level:must    scheme:gtpu


*** Test Cases ***      IP VERSION
Users Over IPv4         ip_version=ipv4
Users Over IPv6         ip_version=ipv6
