*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Section 13, and RFC 3544, 4: packet types as PPP has them.

Resource         imports.resource

Test Tags        level:must    scheme:iphc


*** Test Cases ***
Types On The Link
    [Documentation]    RFC 3544, 4. Sends TCP and datagrams. Expects the protocol numbers of their formats, and no
    ...    others.
    [Tags]    req:RFC2507-3.1-1    req:RFC3544-4-1
    Traffic Should Be Compressed By The Rules    tcp-connections    flows=3    packets=120
    ...    types=FULL_HEADER,COMPRESSED_TCP
    Traffic Should Be Compressed By The Rules    udp-readings    flows=3    packets=120

Types Of What Comes
    [Documentation]    RFC 3544, 4. Sends packets of each type. Expects what they hold.
    [Tags]    req:RFC2507-3.1-1    req:RFC3544-4-1
    Vectors Should Be Decompressed    regular-headers    full-tcp

Second Reading
    [Documentation]    Reads full and compressed headers of datagrams with tshark. Expects the same CIDs, generations
    ...    and identifications.
    [Tags]    req:RFC2507-6-10
    The Implementation Has    compressor    non-tcp
    Link Should Be Read Alike By Tshark    udp-constant-ipv4    packets=300
