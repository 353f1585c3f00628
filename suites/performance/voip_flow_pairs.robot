*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Bidirectional VoIP flow pairs that the cores carry, by the method of the Effnet paper (2007), "Test
...              Methodology".
...
...              Every 20 ms one packet of each direction of each flow pair is made, compressed, decompressed and now
...              and then compared with what it was. One single-threaded engine works on each core; silence
...              suppression is off. LOAD is the share of each core's time that goes into it: the row finds the flow
...              pairs at which it is reached, or the most at which no tick is missed. Rows of one CPU configuration
...              share their measurements. What this machine's cores cannot offer is unsupported, with the reason.
...              Another number of cores: `--cpus 8c`. `./headroom run` alone leaves the rows of no missed tick out.

Resource         imports.resource

Test Template    Flow Pairs Should Be Found

Test Tags        performance    scheme:rohc    profile:rtp


*** Test Cases ***                              SCHEME    PROFILE         CPUS            LOAD
One Core At 30 %                                rohc      ${PROFILE}      1c              30 %
One Core At 50 %                                rohc      ${PROFILE}      1c              50 %
One Core At No Missed Tick    [Tags]    thorough
                                                rohc      ${PROFILE}      1c              no missed tick
Two Threads Of One Core At 30 %                 rohc      ${PROFILE}      2c-smt          30 %
Two Threads Of One Core At 50 %                 rohc      ${PROFILE}      2c-smt          50 %
Two Threads Of One Core At No Missed Tick    [Tags]    thorough
                                                rohc      ${PROFILE}      2c-smt          no missed tick
Two Cores Sharing A Cache At 30 %               rohc      ${PROFILE}      2c-l3           30 %
Two Cores Sharing A Cache At 50 %               rohc      ${PROFILE}      2c-l3           50 %
Two Cores Sharing A Cache At No Missed Tick    [Tags]    thorough
                                                rohc      ${PROFILE}      2c-l3           no missed tick
Two Sockets At 30 %                             rohc      ${PROFILE}      2c-socket       30 %
Two Sockets At 50 %                             rohc      ${PROFILE}      2c-socket       50 %
Two Sockets At No Missed Tick    [Tags]    thorough
                                                rohc      ${PROFILE}      2c-socket       no missed tick
Three Cores At 30 %                             rohc      ${PROFILE}      3c              30 %
Three Cores At 50 %                             rohc      ${PROFILE}      3c              50 %
Three Cores At No Missed Tick    [Tags]    thorough
                                                rohc      ${PROFILE}      3c              no missed tick
Four Cores At 30 %                              rohc      ${PROFILE}      4c              30 %
Four Cores At 50 %                              rohc      ${PROFILE}      4c              50 %
Four Cores At No Missed Tick    [Tags]    thorough
                                                rohc      ${PROFILE}      4c              no missed tick
