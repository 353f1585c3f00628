*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Sections 5 and 14: CIDs of 8 and 16 bits, the length fields that carry them, MAX_HEADER, and the size
...              of spaces.

Resource         imports.resource

Test Tags        level:must    scheme:iphc


*** Test Cases ***
CIDs Of TCP
    [Documentation]    Sections 5.1 and 5.3.1. Sends 12 connections in turn. Expects a context of each.
    [Tags]    req:RFC2507-5.1-3    req:RFC2507-5.3.1-1
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    flows=12    packets=480    types=COMPRESSED_TCP

More Connections Than CIDs
    [Documentation]    Section 14. Sends 20 connections through 4 CIDs. Expects CIDs of 0 to 3, and a full header where
    ...    one is given to another connection.
    [Tags]    req:RFC2507-5.3.1-1    req:RFC2507-14-2
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    flows=20    packets=400    tcp_space=3

All CIDs Of TCP There Can Be
    [Documentation]    Section 14. Sends 256 connections through 256 CIDs.
    [Tags]    req:RFC2507-14-2    req:RFC3544-2.1-1
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    flows=256    packets=1024    tcp_space=255
    ...    types=COMPRESSED_TCP

One CID
    [Documentation]    RFC 3544, 2.1. Sends two connections, and two streams of datagrams, with spaces of one context.
    [Tags]    req:RFC3544-2.1-1    req:RFC3544-2.1-2
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    flows=2    packets=100    tcp_space=0
    Traffic Should Be Compressed By The Rules    udp-readings    flows=2    packets=100    non_tcp_space=0

More Streams Than CIDs
    [Documentation]    Section 14. Sends 20 streams of datagrams through 4 CIDs. Expects CIDs of 0 to 3.
    [Tags]    req:RFC2507-5.3-2    req:RFC2507-5.3.2-1    req:RFC2507-5.3.2-3    req:RFC2507-14-3
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    udp-dns-like-ipv4    flows=20    packets=600    non_tcp_space=3

CIDs Of 16 Bits
    [Documentation]    Sections 5.1 and 5.3.2. Sends 300 streams of datagrams in a space of 1,024 CIDs. Expects CIDs in
    ...    the second length field where they have 16 bits.
    [Tags]    req:RFC2507-5.1-1    req:RFC2507-5.3.2-1    req:RFC2507-5.3.2-2    req:RFC2507-6-11    req:RFC3544-2.1-2
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    udp-readings    flows=300    packets=3600    non_tcp_space=1023
    ...    types=COMPRESSED_NON_TCP

IPv4 And IPv6
    [Documentation]    RFC 3544, 3.1. Sends readings over both, which share CIDs.
    [Tags]    req:RFC3544-3.1-1
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    udp-readings    flows=6    packets=180    types=COMPRESSED_NON_TCP
    Traffic Should Be Compressed By The Rules    udp-readings-in-a-tunnel    flows=6    packets=180
    ...    types=COMPRESSED_NON_TCP

Without Contexts Of One Space
    [Documentation]    RFC 3544, 2.4. Sends datagrams where only TCP has contexts, and TCP where only datagrams have.
    ...    Expects regular headers.
    [Tags]    req:RFC3544-2.4-1
    Traffic Should Be Compressed By The Rules    udp-constant-ipv4    packets=300    compress=tcp    types=IPv4
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    packets=100    compress=non-tcp    types=IPv4

Largest Header
    [Documentation]    Section 5.2. Sends headers of 88 octets with a MAX_HEADER of 60, 88 and 168. Expects that whole
    ...    subheaders are compressed, and the rest is not.
    [Tags]    req:RFC2507-5.2-2    req:RFC2507-5.2-3    req:RFC2507-14-1
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    ipv6-extension-headers    packets=300    max_header=60
    ...    types=COMPRESSED_NON_TCP
    Traffic Should Be Compressed By The Rules    ipv6-extension-headers    packets=300    max_header=88
    ...    types=COMPRESSED_NON_TCP
    Traffic Should Be Compressed By The Rules    ipv6-extension-headers    packets=300    max_header=168
    ...    types=COMPRESSED_NON_TCP

Full Headers
    [Documentation]    Sections 5.3 and 5.3.1. Sends full TCP headers over IPv4, IPv6 and tunnels. Expects the packet
    ...    with its lengths.
    [Tags]    req:RFC2507-5.3.1-1
    Vectors Should Be Decompressed    full-tcp    full-tcp-ipv6-and-tunnels

Full Headers Of Datagrams
    [Documentation]    Section 5.3.2. Sends full headers with CIDs of 8 and 16 bits, and data octets. Expects the packet
    ...    with its lengths.
    [Tags]    req:RFC2507-5.3-2    req:RFC2507-5.3.2-1    req:RFC2507-5.3.2-2
    The Implementation Has    decompressor    non-tcp
    Vectors Should Be Decompressed    full-non-tcp    sixteen-bits-of-cid    data-octets
    ...    full-headers-that-cannot-be

Equivalent CIDs
    [Documentation]    Section 5.1. Sends a CID with 8 and with 16 bits, and one of both spaces. Expects one context for
    ...    the former, two for the latter.
    [Tags]    req:RFC2507-5.1-1    req:RFC2507-5.1-2
    The Implementation Has    decompressor    non-tcp
    Vectors Should Be Decompressed    eight-and-sixteen-bits-are-one    two-spaces

Limits Of Spaces
    [Documentation]    Section 14. Sends CIDs up to the end of their space and beyond it. Expects nothing of the latter.
    [Tags]    req:RFC2507-5.1-3    req:RFC2507-14-2
    Vectors Should Be Decompressed    two-connections    all-cids-of-tcp    beyond-tcp-space

Limits Of The Other Space
    [Documentation]    Section 14. Sends CIDs of datagrams up to the end of their space and beyond it.
    [Tags]    req:RFC2507-14-3
    The Implementation Has    decompressor    non-tcp
    Vectors Should Be Decompressed    beyond-non-tcp-space

Headers Beyond Max Header
    [Documentation]    Section 5.2. Sends compressed headers of chains that are longer than MAX_HEADER.
    [Tags]    req:RFC2507-14-1
    The Implementation Has    decompressor    non-tcp
    Vectors Should Be Decompressed    header-longer-than-max-header    larger-max-header
