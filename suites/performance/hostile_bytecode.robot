*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    How many hostile messages a second fill one core: the attack of maenpaa-2005, 11.7, of which eight
...              filled a Pentium 4 of 3.0 GHz, and others, each given to an endpoint as it is, and, where it has a
...              guard, with that off, which leaves the UDVM cycles of RFC 3320 alone. From the median time of a call,
...              all the engine's checking around it left out. A figure of this machine: only that the messages fail as
...              they should is a verdict.

Resource         ../../resources/keywords/robustness.resource

Test Template    Messages That Fill One Core Should Be Measured

Test Tags        performance    scheme:sigcomp


*** Test Cases ***               ATTACK
The Attack Of The Thesis         thesis
Chain Of Hashes                  chain-of-hashes
Hashes Without Jumps             hashes-without-jumps
The Shortest Loop                jump
Jumps That Collide               colliding-jumps
The Dictionary Over And Over     dictionary
Hashes For Each Bit              hashes-for-each-bit
