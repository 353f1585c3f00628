*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    One short load trial: the engine keeps its ticks and packets come out as they went in.

Resource         imports.resource

Test Tags        smoke    scheme:rohc


*** Test Cases ***
A Hundred Flow Pairs On One Core
    Load Should Be Carried    voip-amr-nb-ipv6    1c    100
