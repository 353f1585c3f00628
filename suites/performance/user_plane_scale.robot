*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    A user plane with more and more users that send, out of 600,000 with a session: the time of a packet
...              when sessions and flows no longer fit the caches. Each packet must be forwarded; its time is measured
...              and not judged.

Resource         imports.resource

Test Template    User Plane Should Carry

Test Tags        performance    scheme:gtpu


*** Test Cases ***      RULES    DISTRIBUTION    CPUS    USERS
600 Users               basic    queues          1c      600
6,000 Users             basic    queues          1c      6000
60,000 Users            basic    queues          1c      60000
600,000 Users           basic    queues          1c      600000
