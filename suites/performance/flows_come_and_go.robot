*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The cost of an operation (compressing and decompressing one packet) while all flows are new, in steady
...              state, and while new flows replace old ones all the time. REPLACED is the share of the flow pairs that
...              are replaced each second: for calls of 10 s it is 10 %. Everything else as in voip_flow_pairs.

Resource         imports.resource

Test Template    Flows Should Come And Go

Test Tags        performance    scheme:rohc    profile:rtp


*** Test Cases ***               SCHEME    PROFILE         CPUS    FLOW PAIRS    REPLACED
Ten Thousand Calls Of 100 s      rohc      ${PROFILE}      1c      10000         1 %
Ten Thousand Calls Of 10 s       rohc      ${PROFILE}      1c      10000         10 %
Ten Thousand Calls Of 2 s        rohc      ${PROFILE}      1c      10000         50 %
