*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Packets that no base station and no data network should send: short, endless, nested, with wrong
...              lengths, fragments that never end, floods. Expected is that the adapter neither crashes nor breaks a
...              promise, that no packet causes more than one, and that old and new sessions work afterwards as before.

Resource         imports.resource

Test Tags        level:must    robustness    scheme:gtpu


*** Test Cases ***
Short Messages
    [Documentation]    Sends short messages, to a session beside another.
    User Plane Should Withstand    short messages

Wrong Lengths
    [Documentation]    Sends wrong lengths, to a session beside another.
    [Tags]    req:TS29281-5.1-6
    User Plane Should Withstand    wrong lengths

Endless Extension Headers
    [Documentation]    Sends endless extension headers, to a session beside another.
    User Plane Should Withstand    endless extension headers

What Is No IP
    [Documentation]    Sends what is no IP, to a session beside another.
    User Plane Should Withstand    what is no IP

Inner Lengths Beyond The T-PDU
    [Documentation]    Sends inner lengths beyond the T-PDU, to a session beside another.
    [Tags]    req:TS29281-5.1-6
    User Plane Should Withstand    inner lengths beyond the T-PDU

Fragments That Never End
    [Documentation]    Sends fragments that never end, to a session beside another.
    User Plane Should Withstand    fragments that never end

IPv4 Options
    [Documentation]    Sends IPv4 options, to a session beside another.
    User Plane Should Withstand    IPv4 options

UDP Checksums
    [Documentation]    Sends UDP checksums, to a session beside another.
    User Plane Should Withstand    UDP checksums

GTP-U In GTP-U
    [Documentation]    Sends GTP-U in GTP-U, to a session beside another.
    User Plane Should Withstand    GTP-U in GTP-U

Unknown Tunnels
    [Documentation]    Sends unknown tunnels, to a session beside another.
    User Plane Should Withstand    unknown tunnels

Many Flows
    [Documentation]    Sends many flows, to a session beside another.
    User Plane Should Withstand    many flows

Spoofed Users
    [Documentation]    Sends spoofed users, to a session beside another.
    User Plane Should Withstand    spoofed users

Changed Octets
    [Documentation]    Sends changed octets, to a session beside another.
    User Plane Should Withstand    changed octets

Path Messages
    [Documentation]    Sends path messages, to a session beside another.
    User Plane Should Withstand    path messages

No IP On Any Side
    [Documentation]    Sends no IP on any side, to a session beside another.
    User Plane Should Withstand    no IP on any side

Addresses That Are Nobody's
    [Documentation]    Sends addresses that are nobody's, to a session beside another.
    User Plane Should Withstand    addresses that are nobody's

Time Jumps
    [Documentation]    Sends time jumps, to a session beside another.
    User Plane Should Withstand    time jumps
