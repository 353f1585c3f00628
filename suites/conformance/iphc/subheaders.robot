*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Section 7: the chain of subheaders, and the encoding of each field.

Resource         imports.resource

Test Tags        level:must    scheme:iphc


*** Test Cases ***
TCP Over IPv6
    [Documentation]    Section 7.1. Sends TCP over IPv6 whose hop limit and traffic class change. Expects nothing of
    ...    IPv6 in compressed headers, and full headers where it changes.
    [Tags]    req:RFC2507-7-1    req:RFC2507-7-3    req:RFC2507-7.1-1
    Traffic Should Be Compressed By The Rules    tcp-ipv6    packets=60    types=COMPRESSED_TCP

Fields That Do Not Change
    [Documentation]    Sections 7 and 7.13. Sends TTL, TOS and don't-fragment that change. Expects full headers.
    [Tags]    req:RFC2507-7-3    req:RFC2507-7.13-1
    Traffic Should Be Compressed By The Rules    tcp-connections    packets=40    types=COMPRESSED_TCP

Fragments And Options Of IPv4
    [Documentation]    Section 7.13. Sends TCP and UDP in fragments, and IPv4 headers with options, which are sent as
    ...    they are.
    [Tags]    req:RFC2507-7.13-3    req:RFC2507-7.13-4
    Traffic Should Be Compressed By The Rules    tcp-fragments    packets=40
    Traffic Should Be Compressed By The Rules    fragments    packets=120
    Traffic Should Be Compressed By The Rules    tcp-options    packets=40    types=COMPRESSED_TCP
    Traffic Should Be Compressed By The Rules    ip-options    packets=300

Extension Headers
    [Documentation]    Sections 7.2 to 7.7. Sends hop-by-hop and destination options, and a routing header.
    [Tags]    req:RFC2507-7-2    req:RFC2507-7-5    req:RFC2507-7.3-1    req:RFC2507-7.5-1    req:RFC2507-7.7-1
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    ipv6-extension-headers    packets=300    types=COMPRESSED_NON_TCP
    Traffic Should Be Compressed By The Rules    ipv6-options    packets=300    types=COMPRESSED_NON_TCP

Authentication Headers
    [Documentation]    Section 7.9. Sends an authentication header over IPv4 and IPv6. Expects its data as it is.
    [Tags]    req:RFC2507-7.9-1
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    ah-ipv4    packets=300    types=COMPRESSED_NON_TCP
    Traffic Should Be Compressed By The Rules    ah-ipv6    packets=300    types=COMPRESSED_NON_TCP

Encryption
    [Documentation]    Section 7.10. Sends ESP. Expects that nothing after the SPI is compressed.
    [Tags]    req:RFC2507-7-2    req:RFC2507-7.10-2
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    esp-ipv4    packets=300    types=COMPRESSED_NON_TCP
    Traffic Should Be Compressed By The Rules    esp-ipv6    packets=300    types=COMPRESSED_NON_TCP

Datagrams With And Without Checksum
    [Documentation]    Section 7.11. Sends UDP with a checksum and with none. Expects the former as it is, and none of
    ...    the latter.
    [Tags]    req:RFC2507-7.11-2
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    udp-constant-ipv4-checksum    packets=300    types=COMPRESSED_NON_TCP
    Traffic Should Be Compressed By The Rules    udp-60    packets=300    types=COMPRESSED_NON_TCP
    Traffic Should Be Compressed By The Rules    udp-constant-ipv6    packets=300    types=COMPRESSED_NON_TCP

Tunnels
    [Documentation]    Sections 7.1, 7.8 and 7.13. Sends two to four IP headers. Expects the lengths of all of them
    ...    inferred.
    [Tags]    req:RFC2507-7-1    req:RFC2507-7-5    req:RFC2507-7.13-1
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    tunnel-ipv4-in-ipv4    packets=300    types=COMPRESSED_NON_TCP
    Traffic Should Be Compressed By The Rules    tunnel-ipv4-in-ipv6    packets=300    types=COMPRESSED_NON_TCP
    Traffic Should Be Compressed By The Rules    tunnel-ipv6-in-ipv4    packets=300    types=COMPRESSED_NON_TCP
    Traffic Should Be Compressed By The Rules    tunnel-ipv6-in-ipv6    packets=300    types=COMPRESSED_NON_TCP
    Traffic Should Be Compressed By The Rules    tunnel-four-headers    packets=300    types=COMPRESSED_NON_TCP

Minimal Encapsulation
    [Documentation]    Section 7.14. Sends minimal encapsulation. Expects its checksum inferred.
    [Tags]    req:RFC2507-7.14-1
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    minimal-encapsulation    packets=300    types=COMPRESSED_NON_TCP

What Is Not Described
    [Documentation]    Section 7. Sends ICMP, GRE and UDP-Lite. Expects that the chain ends in front of them.
    [Tags]    req:RFC2507-7-2
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    icmp-ipv4    packets=300
    Traffic Should Be Compressed By The Rules    icmp-ipv6    packets=300
    Traffic Should Be Compressed By The Rules    gre-ipv4    packets=300
    Traffic Should Be Compressed By The Rules    udplite-ipv6    packets=300
    Traffic Should Be Compressed By The Rules    ip-only-ipv4    packets=300

Lengths That Do Not Match, And Fragments
    [Documentation]    Sections 7.1, 7.6 and 7.11. Sends datagrams with padding after UDP and after a tunnel, wrong
    ...    lengths and checksums, fragments, and chains whose extension headers change. Expects regular headers where
    ...    fields cannot be inferred, and full ones where the chain is another.
    [Tags]    req:RFC2507-7.1-2    req:RFC2507-7.2-1    req:RFC2507-7.6-1    req:RFC2507-7.11-1    req:RFC2507-5.2-3
    Odd Packets Should Be Compressed By The Rules    types=IPv4

IPv6 Headers Restored
    [Documentation]    Section 7.1. Sends compressed TCP headers of IPv6.
    [Tags]    req:RFC2507-7-4    req:RFC2507-7.12.1-1
    Vectors Should Be Decompressed    ipv6    numbers-wrap

Options And Routing Headers Restored
    [Documentation]    Sections 7.3 to 7.7. Sends compressed headers of extension headers. Expects option data from the
    ...    packet, all else from the context.
    [Tags]    req:RFC2507-7.3-1    req:RFC2507-7.5-1    req:RFC2507-7.7-1    req:RFC2507-7-5
    The Implementation Has    decompressor    non-tcp
    Vectors Should Be Decompressed    ipv6-options    routing-header

Fragments Restored
    [Documentation]    Sections 7.6 and 7.13. Sends fragments of IPv6, and of IPv4 in a tunnel.
    [Tags]    req:RFC2507-7.6-2    req:RFC2507-7.13-3
    The Implementation Has    decompressor    non-tcp
    Vectors Should Be Decompressed    fragment-header    ipv4-fragment-in-a-tunnel

Security Headers Restored
    [Documentation]    Sections 7.9 and 7.10. Sends compressed headers of AH and ESP.
    [Tags]    req:RFC2507-7.9-1    req:RFC2507-7.10-2
    The Implementation Has    decompressor    non-tcp
    Vectors Should Be Decompressed    authentication-header    esp

Checksums Of Datagrams Restored
    [Documentation]    Section 7.11. Sends datagrams with and without checksum.
    [Tags]    req:RFC2507-7.11-2    req:RFC2507-7.13-1
    The Implementation Has    decompressor    non-tcp
    Vectors Should Be Decompressed    udp-without-checksum    compressed-non-tcp

Tunnels Restored
    [Documentation]    Sections 7, 7.13 and 7.14. Sends datagrams in tunnels and minimal encapsulation, and ICMP.
    [Tags]    req:RFC2507-7-5    req:RFC2507-7.14-1
    The Implementation Has    decompressor    non-tcp
    Vectors Should Be Decompressed    tunnel-of-ipv6    minimal-encapsulation    what-follows-ip
