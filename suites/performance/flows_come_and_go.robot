*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    What an operation, compressing and decompressing one packet, costs while all flows are new, in steady
...              state, and while flows are replaced by new ones all the time. REPLACED is the share of the flow pairs
...              that make way for others each second: calls of 10 s are 10 %. Everything else as in
...              voip_flow_pairs.

Resource         imports.resource

Test Template    Flows Should Come And Go

Test Tags        performance    scheme:rohc    profile:rtp


*** Test Cases ***               SCHEME    PROFILE         CPUS    FLOW PAIRS    REPLACED
Ten Thousand Calls Of 100 s      rohc      ${PROFILE}      1c      10000         1 %
Ten Thousand Calls Of 10 s       rohc      ${PROFILE}      1c      10000         10 %
Ten Thousand Calls Of 2 s        rohc      ${PROFILE}      1c      10000         50 %
