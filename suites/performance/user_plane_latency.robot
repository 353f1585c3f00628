*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Two designs of a user plane in virtual time, with packet times that are measured in one run: workers
...              chosen by a hash of the user's address, and receiving cores in front of workers, in the number that
...              gives the highest rate. Packets arrive at random; latency is simulated from 10 % of the rate that fills
...              the design to all of it. No network card is included.

Resource         imports.resource

Test Template    Designs Should Be Simulated

Test Tags        performance    scheme:gtpu


*** Test Cases ***    RULES    THREADS
Basic, 16 Threads     basic    16
Rules, 16 Threads     rules    16
Basic, 48 Threads     basic    48
