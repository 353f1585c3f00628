*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The number of hostile messages a second that fill one core: the attack of maenpaa-2005, 11.7, of which
...              eight filled a Pentium 4 of 3.0 GHz, and others. Each is given to an endpoint in its default
...              configuration and, if it has a guard, with the guard off, so that only the UDVM cycles of RFC 3320
...              limit it. The figure comes from the median time of a call, without the engine's own checks, and is one
...              of this machine. The only verdict is that the messages fail as they should.

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
