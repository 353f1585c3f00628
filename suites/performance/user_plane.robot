*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    A user plane (UPF) under the traffic of a carrier: 600,000 sessions, established over N4, of which
...              6,000 send; 85 % HTTP and 15 % UDP, frames of 690 octets on average, half of them uplink. It forwards
...              in memory. Each packet must be forwarded; its time is measured and not judged.
...
...              "basic" has one rule for each direction. "rules" has 45 predefined and 5 dynamic rules, a rate limit
...              and a volume report for each user, and a flow table. "dpi" also inspects the first packets of each flow
...              by 40,000 rules for names and paths and 10,000 for addresses and ports. With "queues" a hash of the
...              user's address chooses the worker; with "rx-cores" a receiving core reads that address and passes the
...              packet to the worker.

Resource         imports.resource

Test Template    User Plane Should Carry

Test Tags        performance    scheme:gtpu


*** Test Cases ***                 RULES    DISTRIBUTION    CPUS
Basic On One Core                  basic    queues          1c
Rules On One Core                  rules    queues          1c
Inspection On One Core             dpi      queues          1c
Basic On Two Cores                 basic    queues          2c-l3
Rules On Two Cores                 rules    queues          2c-l3
Basic On Four Cores                basic    queues          4c
Rules On Four Cores                rules    queues          4c
Basic Behind A Receiving Core      basic    rx-cores        2c-l3
Rules Behind A Receiving Core      rules    rx-cores        2c-l3
Three Workers Behind A Receiving Core    basic    rx-cores        4c
