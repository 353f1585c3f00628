*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Two designs of a user plane in virtual time, with times of packets that are measured in one run:
...              workers that a hash of the user's address feeds, and receiving cores, as many as serve most, in front
...              of workers. Packets arrive by chance; latency is from 10 % of the rate that fills the design to all of
...              it. No network card is in it.

Resource         imports.resource

Test Template    Designs Should Be Simulated

Test Tags        performance    scheme:gtpu


*** Test Cases ***    RULES    THREADS
Basic, 16 Threads     basic    16
Rules, 16 Threads     rules    16
Basic, 48 Threads     basic    48
