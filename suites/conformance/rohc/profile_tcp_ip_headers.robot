*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Profile 0x0006, TCP: the headers in front of TCP. RFC 6846, sections 6.2, 6.4.6, 6.4.7 and 8.2: several
...              IP headers, extension headers, AH, GRE and minimal encapsulation.

Resource         imports.resource

Test Tags        level:must    profile:tcp    scheme:rohc


*** Variables ***
&{TCP}    profiles=0x0000,0x0006    mode=O


*** Test Cases ***
Tunnels
    [Documentation]    Sends chains of two IP headers, with ECN bits and a TTL that changes. Expects the irregular
    ...    chain to have of outer headers what it says, and of the innermost one its IP-ID alone.
    [Tags]    req:RFC6846-6.1.3-2    req:RFC6846-6.2-1    req:RFC6846-6.2-5    req:RFC6846-6.2-6    req:RFC6846-6.4.7-1
    ...       req:RFC6846-6.5-1    req:RFC6846-8.2-11    req:RFC6846-8.2-15    req:RFC6846-8.2-16
    Vectors Should Be Decompressed    tcp-ipv4-in-ipv4    tcp-ipv6-in-ipv4-ecn

Extension Headers
    [Documentation]    Sends hop-by-hop options and a routing header in front of TCP. Expects them from static and
    ...    dynamic chain.
    [Tags]    req:RFC6846-6.4.6-1    req:RFC6846-8.2-2    req:RFC6846-8.2-3
    Vectors Should Be Decompressed    tcp-hop-by-hop    tcp-routing

AH, GRE And Minimal Encapsulation
    [Documentation]    Sends AH, GRE and minimal encapsulation in front of TCP. Expects what changes from the irregular
    ...    chain, and the checksum of minimal encapsulation inferred.
    [Tags]    req:RFC6846-6.4.2-1    req:RFC6846-6.4.6-1    req:RFC6846-8.2-4    req:RFC6846-8.2-5    req:RFC6846-8.2-6
    Vectors Should Be Decompressed    tcp-ah    tcp-gre    tcp-minimal-encapsulation

Compressor: Tunnels
    [Documentation]    Sends TCP in tunnels of every kind of two IP headers. Expects nothing wrong.
    [Tags]    req:RFC6846-6.1.2-3    req:RFC6846-6.2-1    req:RFC6846-6.2-6    req:RFC6846-6.4.7-1    req:RFC6846-6.5-1
    Flow Should Be Compressed Correctly    tcp-in-a-tunnel    &{TCP}    packets=300    confidence=2
    Flow Should Be Compressed Correctly    tcp-ipv4-in-ipv6    &{TCP}    packets=300    confidence=2
    Flow Should Be Compressed Correctly    tcp-ipv6-in-ipv4    &{TCP}    packets=300    confidence=2
    Flow Should Be Compressed Correctly    tcp-ipv6-in-ipv6    &{TCP}    packets=300    confidence=2

Compressor: Three IP Headers
    [Documentation]    Sends TCP in a tunnel within a tunnel. Expects nothing wrong.
    [Tags]    req:RFC6846-6.1.2-3    req:RFC6846-6.2-1    req:RFC6846-6.2-6    req:RFC6846-6.5-1
    Flow Should Be Compressed Correctly    tcp-three-ip-headers    &{TCP}    packets=300    confidence=2
    ...    needs=additional-ip-headers

Compressor: Extension Headers
    [Documentation]    Sends TCP after extension headers, AH, GRE and minimal encapsulation. Expects nothing wrong.
    [Tags]    req:RFC6846-6.4.6-1    req:RFC6846-8.2-2    req:RFC6846-8.2-4    req:RFC6846-8.2-5    req:RFC6846-8.2-6
    Flow Should Be Compressed Correctly    tcp-extension-headers    &{TCP}    packets=300    confidence=2
    ...    needs=extension-headers
    Flow Should Be Compressed Correctly    tcp-behind-ah    &{TCP}    packets=300    confidence=2
    ...    needs=extension-headers
    Flow Should Be Compressed Correctly    tcp-in-gre    &{TCP}    packets=300    confidence=2
    ...    needs=extension-headers
    Flow Should Be Compressed Correctly    tcp-in-gre-ipv6    &{TCP}    packets=300    confidence=2
    ...    needs=extension-headers
    Flow Should Be Compressed Correctly    tcp-minimal-encapsulation    &{TCP}    packets=300    confidence=2
    ...    needs=extension-headers

Compressor: Fields That Seldom Change
    [Documentation]    Sends a flow whose TTL, DSCP, DF, window and ports of options change now and then. Expects that
    ...    no single loss hurts another packet.
    [Tags]    req:RFC6846-5.2.1.1-1    req:RFC6846-8.2-35
    No Single Loss Should Hurt Another Packet    tcp-header-changes-ipv4    &{TCP}    packets=300    confidence=2

Compressor: A Wrong IPv4 Checksum
    [Documentation]    Sends single packets whose IPv4 header checksum is wrong. Expects that this profile does not
    ...    carry them, and that the flow goes on.
    [Tags]    req:RFC6846-5.2.1-1    req:RFC6846-6.4.1-2
    A Compressor    tcp-ipv4    &{TCP}    confidence=2
    It Sends        20
    It Sends        1           no profile 0x0006; perhaps nothing    wrong-ip-checksum
    It Sends        20
    It Sends        1           no profile 0x0006; perhaps nothing    wrong-ip-checksum
    It Sends        20
    So It Should Be

Compressor: Impossible IPv4 Headers
    [Documentation]    Sends single packets whose IHL is 4 or whose total length is wrong, and fragments. Expects that
    ...    they come out as they were, if they are sent at all, and that the flow goes on.
    [Tags]    req:RFC6846-5.2.1-1
    A Compressor    tcp-ipv4    &{TCP}    confidence=2
    It Sends        20
    It Sends        1           perhaps nothing    ihl-four
    It Sends        10
    It Sends        1           perhaps nothing    wrong-ip-length
    It Sends        10
    It Sends        1           perhaps nothing    more-fragments
    It Sends        10
    It Sends        1           perhaps nothing    fragment-offset
    It Sends        10
    It Sends        1           perhaps nothing    reserved-flag
    It Sends        10
    So It Should Be
