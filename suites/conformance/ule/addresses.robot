*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    NPA addresses: RFC 4326, 4.5, 5.2 and 7.2. The addresses that an encapsulator sends to, and those that
...              a receiver accepts.

Resource         imports.resource

Test Tags        level:must    scheme:ule


*** Test Cases ***
Sent Unicast
    [Documentation]    Section 4.5. Sends IPv4 and IPv6 packets to hosts. Expects the configured address, and never
    ...    00:00:00:00:00:00.
    [Tags]    req:RFC4326-4.5-3    req:RFC4326-4.5-4
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv6 60    ipv4 60 to 223.255.255.255    ipv4 60 to 240.0.0.1
    ...    ipv6 60 to fe80::ff    ipv4 60 to 0.0.0.0    address=present

Sent IPv4 Multicast
    [Documentation]    Section 4.5 and RFC 1112, 6.4. Sends to groups. Expects 01:00:5e and the low 23 bits of the
    ...    group.
    [Tags]    req:RFC4326-4.5-6
    PDUs Should Be Encapsulated By The Rules    ipv4 60 to 224.0.0.1    ipv4 60 to 224.129.2.3
    ...    ipv4 60 to 239.255.255.255    ipv4 60 to 232.128.0.0    address=present

Sent IPv6 Multicast
    [Documentation]    Section 4.5 and RFC 2464, 7. Sends to groups. Expects 33:33 and the last four octets of the
    ...    group.
    [Tags]    req:RFC4326-4.5-6
    PDUs Should Be Encapsulated By The Rules    ipv6 60 to ff02::1    ipv6 60 to ff02::1:ff12:3456
    ...    ipv6 60 to ff3e::8000:1    address=present

Sent Broadcast
    [Documentation]    Section 4.5. Sends to the broadcast addresses of the link's subnetworks, and next to them.
    ...    Expects ff:ff:ff:ff:ff:ff of the former.
    [Tags]    req:RFC4326-4.5-5
    PDUs Should Be Encapsulated By The Rules    ipv4 60 to 192.168.1.255    ipv4 60 to 192.168.1.254
    ...    ipv4 60 to 192.168.2.255    ipv4 60 to 10.63.255.255    ipv4 60 to 10.255.255.255
    ...    subnets=192.168.1.0/24,10.0.0.0/10,192.0.2.1/32    address=present
    PDUs Should Be Encapsulated By The Rules    ipv4 60 to 192.168.1.255    bridged=yes    subnets=192.168.1.0/24

Sent In Bridged Frames
    [Documentation]    Sections 4.5 and 5.2. Sends IP packets in bridged frames. Expects the same address as NPA address
    ...    and as MAC destination.
    [Tags]    req:RFC4326-4.5-6    req:RFC4326-5.2-4
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv4 60 to 224.0.0.9    ipv6 60 to ff02::5
    ...    ipv4 60 to 255.255.255.255    bridged=yes    address=present

Received Own, Broadcast And Multicast
    [Documentation]    Section 7.2. Sends SNDUs to the receiver, to all, and to groups, of which nothing is configured.
    ...    Expects the PDUs of the former two.
    [Tags]    req:RFC4326-4.5-3    req:RFC4326-7.2-6
    Vectors Should Be Received    address-own    address-broadcast    address-multicast

Received Groups
    [Documentation]    Section 7.2. Configures groups, and sends SNDUs to them and to others. Expects the former.
    [Tags]    req:RFC4326-7.2-6    req:RFC4326-7.2-7
    Vectors Should Be Received    groups    groups-of-others

Received For Others
    [Documentation]    Section 7.2. Sends SNDUs to other receivers, and to the address that is never used. Expects that
    ...    they are discarded silently.
    [Tags]    req:RFC4326-7.2-7
    Vectors Should Be Received    address-unmatched    address-zero    address-own
