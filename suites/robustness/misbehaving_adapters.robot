*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Adapters that break one promise of the ABI each, from the engine's own tests. Expected is a sentence
...              that says what happened, never a pass and never the end of the run: after each of them, a well-behaved
...              adapter runs again. An implementation that breaks a promise gets the verdict error.

Resource         imports.resource

Test Template    Misbehaviour Should Be An Error

Test Tags        robustness


*** Test Cases ***               FAULT
Dies On A Packet                 aborts_on_garbage
Hangs On A Packet                hangs_on_garbage
Throws On A Packet               throws_on_garbage
Leaves The Process               exits_on_garbage
Dies On Feedback                 aborts_on_feedback
Claims Too Many Octets           claims_too_many_octets
Claims Success Without Octets    claims_success_without_octets
Claims Too Much Feedback         claims_too_much_feedback
Has A Status Of Its Own          has_a_status_of_its_own
Has A Detail Without Name        has_a_detail_without_name
Changes The Caller's Fields      changes_the_callers_fields
Returns Other Octets             spoils_an_octet
Has No Table                     no_table
Speaks Another Version           next_version
Has A Short Table                short_table
Lacks A Function                 no_decompress
Describes Itself In No JSON      describes_no_json
Leaves A Daemon                  leaves_a_daemon
Sleeps When It Is Loaded         sleeps_when_loaded
Works When It Is Loaded          works_when_loaded
Sleeps When It Is Unloaded       sleeps_when_unloaded
Changes A Capture                changes_an_output
Reads A Key Of The User
    [Template]    Intrusion Should Come To Nothing
    reads_a_file
Changes A Record
    [Template]    Intrusion Should Come To Nothing
    writes_a_file
Adds A Module To The Harness
    [Template]    Intrusion Should Come To Nothing
    makes_a_file
Fills The Disk
    [Template]    Intrusion Should Come To Nothing
    fills_the_disk
Traces The Harness
    [Template]    Intrusion Should Come To Nothing
    traces_its_caller
Opens The Harness's Memory
    [Template]    Intrusion Should Come To Nothing
    opens_its_callers_memory
Writes The Harness's Output
    [Template]    Intrusion Should Come To Nothing
    writes_its_callers_output
Signals The Harness
    [Template]    Intrusion Should Come To Nothing
    signals_its_caller
Connects To A Server Of The Machine
    [Template]    Intrusion Should Come To Nothing
    connects_to_loopback
Listens On Loopback
    [Template]    Intrusion Should Come To Nothing
    listens_on_loopback
Reaches The Hypervisor
    [Template]    Intrusion Should Come To Nothing
    reaches_the_hypervisor
Uses Keys Of The User
    [Template]    Intrusion Should Come To Nothing
    uses_keys
