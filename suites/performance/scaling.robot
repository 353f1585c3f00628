*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The growth of throughput (see there) with the cores of a node: each CPU configuration relative to one
...              core, as a speed-up and as an efficiency, which is the speed-up divided by the number of cores. The
...              null codec in the same places shows what limits the growth: if it does not grow either, the harness,
...              the kernel or the generator is the limit.
...
...              Each core is a worker with a channel of its own, and a flow always meets the same worker. If roles have
...              to share cores, the result says which. Scaling is measured and not judged. A configuration that this
...              machine does not have is unsupported, with the reason; another number of cores: `--cpus 16c`.

Resource         imports.resource

Test Template    Throughput Should Grow With The Cores

Test Tags        performance    scheme:rohc    profile:rtp


*** Test Cases ***           SCHEME    PROFILE       CPUS         LOSS
One Core                     rohc      ${PROFILE}    1c           0.5 %
Two Threads Of One Core      rohc      ${PROFILE}    2c-smt       0.5 %
Two Cores Sharing A Cache    rohc      ${PROFILE}    2c-l3        0.5 %
Two Sockets                  rohc      ${PROFILE}    2c-socket    0.5 %
Three Cores                  rohc      ${PROFILE}    3c           0.5 %
Four Cores                   rohc      ${PROFILE}    4c           0.5 %
Eight Cores                  rohc      ${PROFILE}    8c           0.5 %
