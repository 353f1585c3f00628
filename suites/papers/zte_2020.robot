*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Implementation of ZTE's High-Performance 5G Core Network UPF (Intel and ZTE, 2020): its tables and
...              figures measured again. A user plane forwards the paper's traffic in memory on one core; designs with
...              as many threads as the paper's are simulated with the times of that core.
...
...              What the paper's text says of its figures is data in reports/papers/zte-2020.yaml, each with its place
...              in the paper and how it is measured. A figure that must match and does not is a failure; a shape that
...              is missed is non-strict. Rates and latencies depend on the paper's servers, and are context.

Resource         imports.resource

Test Template    Figures Should Be Beside The Paper's

Test Tags        paper:zte-2020    scheme:gtpu


*** Test Cases ***                          PAPER       PLACES
Traffic Model                               zte-2020    Section 4.1
Forwarding Performance                      zte-2020    Section 5.1
Figure 10: Distribution By Hash Or Cores    zte-2020    Figure 10
Forwarding Latency                          zte-2020    Section 5.2
Numbers Of Servers                          zte-2020    Section 5.3
Figure 12: Cost Of Ownership                zte-2020    Figure 12
