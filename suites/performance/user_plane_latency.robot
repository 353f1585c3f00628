*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Two designs of a user plane in virtual time, with measured times of packets: workers that a hash of
...              the user's address feeds, or receiving cores that hand packets to workers. Packets arrive by chance;
...              latency is from 10 % of the rate that fills the design to all of it. No network card is in it.

Resource         imports.resource

Test Template    Design Should Be Simulated

Test Tags        performance    scheme:gtpu


*** Test Cases ***              RULES    DISTRIBUTION    THREADS
Basic, Hash, 16 Threads         basic    queues          16
Basic, Cores, 16 Threads        basic    rx-cores        16
Rules, Hash, 16 Threads         rules    queues          16
Rules, Cores, 16 Threads        rules    rx-cores        16
