*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    What sessions of packets cost.

Resource         imports.resource

Test Tags        performance    scheme:toy


*** Test Cases ***
Flow Pairs At 50 %
    Flow Pairs Should Be Found    toy    udp-60    1c    50 %
Flow Pairs That Come And Go
    Flows Should Come And Go    toy    udp-60    1c    200    10 %
Throughput
    Every Packet Should Arrive    toy    udp-60    1c    1000    ${EMPTY}    16
Sentinel
    Fixed Work Should Be Measured    Toy Sessions
