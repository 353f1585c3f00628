*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The CRCs of headers: RFC 3095, sections 5.3.2.2.2 and 5.9; RFC 4815, section 2; RFC 5795, section
...              5.3.1. In these cases a CRC is wrong; right CRCs are part of every other case.

Resource         imports.resource

Test Tags        level:must    scheme:rohc


*** Test Cases ***
CRC-3
    [Documentation]    Sends UO-0 packets whose CRC-3 disagrees with the header that results. Expects that they are
    ...    discarded.
    [Tags]    req:RFC3095-5.3.2.2.2-1    req:RFC3095-5.3.2.2.2-2    req:RFC4815-2.1-1    req:RFC5795-5.3.1.2-1    smoke
    Vectors Should Be Decompressed    rtp-uo-0-wrong-crc    udp-uo-0-wrong-crc

CRC-7
    [Documentation]    Sends an UOR-2 packet whose CRC-7 disagrees. Expects that it is discarded.
    [Tags]    req:RFC3095-5.3.2.2.2-1    req:RFC4815-2.1-1    req:RFC5795-5.3.1.3-1
    Vectors Should Be Decompressed    rtp-uor-2-wrong-crc

CRC-8
    [Documentation]    Sends IR and IR-DYN packets whose CRC-8 disagrees. Expects that they are discarded.
    [Tags]    req:RFC3095-5.2.6-5    req:RFC3095-5.2.6-6    req:RFC3095-5.2.6-8    req:RFC4815-2.1-1
    ...       req:RFC5795-5.2.3-1    req:RFC5795-5.2.3-2    req:RFC5795-5.3.1.1-3    req:RFC5795-5.4.4-1
    Vectors Should Be Decompressed    rtp-ir-wrong-crc    rtp-ir-dyn-wrong-crc    uncompressed-ir-wrong-crc

What CRC-8 Covers
    [Documentation]    Sends IR packets with padding, feedback and Add-CID octets in front. Expects that the CRC covers
    ...    the Add-CID octet and neither padding nor feedback.
    [Tags]    req:RFC3095-5.10.2-1    req:RFC3095-5.2.2-6    req:RFC3095-5.2.3-1    req:RFC3095-5.2.6-2
    ...       req:RFC3095-5.9.1-1    req:RFC4815-2.2-1    req:RFC5795-5.2.1.1-1    req:RFC5795-5.2.1.3-1
    ...       req:RFC5795-5.3.1.1-1
    Vectors Should Be Decompressed    padding-before-ir    feedback-several    add-cid    uncompressed-add-cid

Packets With A Wrong CRC Change Nothing
    [Documentation]    Sends a decompressor packets of every type, IR among them, of a later SN and with a wrong CRC,
    ...    one at a time among right ones. Expects that they are discarded and that the ones after them are
    ...    delivered: every update is undone.
    [Tags]    req:RFC3095-4.3.2-1    req:RFC3095-5.2.6-6    req:RFC3095-5.3.2.2.2-1    req:RFC3095-5.3.2.2.2-2    smoke
    A Decompressor    rtp-ipv4
    It Receives       3     IR                  delivered
    It Receives       10    UO-0                delivered
    It Receives       1     garbled UO-0        withheld
    It Receives       10    UO-0                delivered
    It Receives       1     garbled UOR-2-ID    withheld
    It Receives       10    UO-0                delivered
    It Receives       1     garbled IR-DYN      withheld
    It Receives       10    UO-0                delivered
    It Receives       1     garbled UO-1-TS     withheld
    It Receives       10    UO-0                delivered
    It Receives       1     garbled IR          withheld
    It Receives       10    UO-0                delivered
    So It Should Be

Packets With A Wrong CRC Change Nothing: UDP
    [Documentation]    Sends a decompressor packets of a later SN with a wrong CRC among right ones, in a flow udp-ipv4.
    ...    Expects that they are discarded and that the others are delivered.
    [Tags]    req:RFC3095-5.3.2.2.2-1    req:RFC3095-5.3.2.2.2-2
    A Decompressor    udp-ipv4
    It Receives       3     IR               delivered
    It Receives       10    UO-0             delivered
    It Receives       1     garbled UO-0     withheld
    It Receives       10    UO-0             delivered
    It Receives       1     garbled UO-1     withheld
    It Receives       10    UO-0             delivered
    It Receives       1     garbled UOR-2    withheld
    It Receives       10    UO-0             delivered
    So It Should Be

Packets With A Wrong CRC Change Nothing: IP
    [Documentation]    Sends a decompressor packets of a later SN with a wrong CRC among right ones, in a flow ip-ipv6.
    ...    Expects that they are discarded and that the others are delivered.
    [Tags]    req:RFC3095-5.3.2.2.2-1    req:RFC3095-5.3.2.2.2-2
    A Decompressor    ip-ipv6
    It Receives       3     IR               delivered
    It Receives       10    UO-0             delivered
    It Receives       1     garbled UO-0     withheld
    It Receives       10    UO-0             delivered
    It Receives       1     garbled UO-1     withheld
    It Receives       10    UO-0             delivered
    It Receives       1     garbled UOR-2    withheld
    It Receives       10    UO-0             delivered
    So It Should Be

Packets With A Wrong CRC Change Nothing: RTP Over IPv6
    [Documentation]    Sends a decompressor packets of a later SN with a wrong CRC among right ones, in a flow rtp-ipv6.
    ...    Expects that they are discarded and that the others are delivered.
    [Tags]    req:RFC3095-5.3.2.2.2-1    req:RFC3095-5.3.2.2.2-2
    A Decompressor    rtp-ipv6
    It Receives       3     IR               delivered
    It Receives       10    UO-0             delivered
    It Receives       1     garbled UO-0     withheld
    It Receives       10    UO-0             delivered
    It Receives       1     garbled UO-1     withheld
    It Receives       10    UO-0             delivered
    It Receives       1     garbled UOR-2    withheld
    It Receives       10    UO-0             delivered
    So It Should Be

CRCs Of The Compressor
    [Documentation]    Sends sixteen flows of every kind. Expects that each packet of types 0, 1 and 2 carries the CRC
    ...    of its original, and each IR and IR-DYN that of its own octets.
    [Tags]    req:RFC3095-5.2.4-2    req:RFC3095-5.2.4-3    req:RFC3095-5.2.7-2    req:RFC3095-5.7.7.3-4
    ...       req:RFC3095-5.7.7.4-5    req:RFC3095-5.7.7.5-3    req:RFC3095-5.7.7.6-4    req:RFC3095-5.9.1-1
    ...       req:RFC3095-5.9.2-1    req:RFC5795-5.3.1.1-3    req:RFC5795-5.3.1.2-1    req:RFC5795-5.3.1.3-1
    Flow Should Be Compressed Correctly    voip-mixed    flows=16    packets=1600    max_cid=15
