*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    N4 messages that no control plane should send: cut short, elements of no length and too long ones,
...              groups in groups, rules that match nothing, duplicate identifiers, changed octets. Expected is that the
...              adapter neither crashes nor breaks a promise, that no message gets more than one answer, and that old
...              and new sessions work afterwards as before.

Resource         imports.resource

Test Tags        level:must    robustness    scheme:gtpu


*** Test Cases ***
Messages Cut Short
    [Documentation]    Sends messages cut short, to a session beside another.
    User Plane Should Withstand    messages cut short

Elements Of No Length
    [Documentation]    Sends elements of no length, to a session beside another.
    User Plane Should Withstand    elements of no length

Elements That Are Too Long
    [Documentation]    Sends elements that are too long, to a session beside another.
    User Plane Should Withstand    elements that are too long

Groups In Groups
    [Documentation]    Sends groups in groups, to a session beside another.
    User Plane Should Withstand    groups in groups

Rules That Fit Nothing
    [Documentation]    Sends rules that fit nothing, to a session beside another.
    User Plane Should Withstand    rules that fit nothing

Filters That Are None
    [Documentation]    Sends filters that are none, to a session beside another.
    User Plane Should Withstand    filters that are none

Doubled Identifiers
    [Documentation]    Sends doubled identifiers, to a session beside another.
    User Plane Should Withstand    doubled identifiers

Changed Octets Of Messages
    [Documentation]    Sends changed octets of messages, to a session beside another.
    User Plane Should Withstand    changed octets of messages

Messages Of Other Types
    [Documentation]    Sends messages of other types, to a session beside another.
    User Plane Should Withstand    messages of other types
