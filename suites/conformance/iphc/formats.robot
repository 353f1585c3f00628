*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Section 6: the formats of compressed headers.

Resource         imports.resource

Test Tags        level:must    scheme:iphc


*** Test Cases ***
Acknowledgements
    [Documentation]    Section 6 a). Sends acknowledgements of 512 octets each. Expects a change of three octets.
    [Tags]    req:RFC2507-6-1    req:RFC2507-6-2    req:RFC2507-7.12.1-2
    Traffic Should Be Compressed By The Rules    tcp-acknowledgements    packets=200
    ...    types=COMPRESSED_TCP

Special Cases
    [Documentation]    Section 6 a), and RFC 1144, 3.2.3. Sends data in one direction, and echoed characters. Expects
    ...    the masks that stand for them, and the I flag only where the identification does not go on by
    ...    one.
    [Tags]    req:RFC2507-6-2
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    packets=200    types=COMPRESSED_TCP
    Traffic Should Be Compressed By The Rules    tcp-interactive    packets=200    types=COMPRESSED_TCP

Urgent Data And Windows
    [Documentation]    Section 6 a). Sends urgent pointers with and without URG, windows that grow and shrink, and
    ...    changes of 2^16 and more. Expects each as it is, or a full header.
    [Tags]    req:RFC2507-6-1    req:RFC2507-6-2    req:RFC2507-7.12.1-2
    Traffic Should Be Compressed By The Rules    tcp-urgent-and-window    packets=40    types=COMPRESSED_TCP

Options
    [Documentation]    Section 6 a). Sends time stamps that differ in each packet, and options that stay. Expects the O
    ...    flag with the former.
    [Tags]    req:RFC2507-6-6
    Traffic Should Be Compressed By The Rules    tcp-timestamps    packets=200    types=COMPRESSED_TCP
    Traffic Should Be Compressed By The Rules    tcp-options    packets=100    types=COMPRESSED_TCP

R Octet
    [Documentation]    Section 6 a). Sends traffic classes and TCP flags of congestion notification. Expects the R-octet
    ...    as long as they differ from the context, which they do not change.
    [Tags]    req:RFC2507-6-7    req:RFC2507-6-8    req:RFC2507-6-4    req:RFC2507-7.12.1-3
    Traffic Should Be Compressed By The Rules    tcp-ipv6    flows=3    packets=120    types=COMPRESSED_TCP
    Traffic Should Be Compressed By The Rules    tcp-connections    packets=40    types=COMPRESSED_TCP

Tunnels
    [Documentation]    Section 6 a). Sends TCP in a tunnel. Expects the identification of the outer header in front of
    ...    the changes, that of the inner one among them.
    [Tags]    req:RFC2507-6-3    req:RFC2507-6-5    req:RFC2507-7.13-2
    Traffic Should Be Compressed By The Rules    tcp-in-a-tunnel    packets=100    types=COMPRESSED_TCP

Without Changes
    [Documentation]    Sections 6 b) and 7.12.2. Sends changes that COMPRESSED_TCP does not have. Expects a whole TCP
    ...    header or a full one.
    [Tags]    req:RFC2507-6-9    req:RFC2507-7.12.2-1    req:RFC2507-7.12.2-2
    The Implementation Has    compressor    no-delta
    Traffic Should Be Compressed By The Rules    tcp-urgent-and-window    flows=3    packets=120
    Traffic Should Be Compressed By The Rules    tcp-in-a-tunnel    packets=100

Datagrams
    [Documentation]    Section 6 c). Sends readings. Expects CID, generation and RANDOM fields.
    [Tags]    req:RFC2507-6-10
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    udp-readings    packets=100    types=COMPRESSED_NON_TCP

Flags And Changes
    [Documentation]    Section 6 a). Sends PUSH, special masks, changes of all fields in one octet and three, and urgent
    ...    pointers. Expects the values that they mean.
    [Tags]    req:RFC2507-6-1    req:RFC2507-6-2    req:RFC2507-7.12.1-2
    Vectors Should Be Decompressed    push    echoed-data    changes-in-their-order    window-shrinks
    ...    largest-changes    urgent

Options That Change
    [Documentation]    Section 6 a). Sends options behind the changes, and leaves them out. Expects them, or those of
    ...    the context.
    [Tags]    req:RFC2507-6-6
    Vectors Should Be Decompressed    options    options-behind-changes

R Octets
    [Documentation]    Section 6 a). Sends R-octets. Expects their bits in their packet alone.
    [Tags]    req:RFC2507-6-7    req:RFC2507-6-8    req:RFC2507-7.12.1-3
    Vectors Should Be Decompressed    r-octet    r-octet-updates-nothing    reserved-field-of-the-context

RANDOM Fields
    [Documentation]    Sections 6 a) and 7.13. Sends compressed TCP headers of tunnels, and of IPv4 headers with
    ...    options. Expects RANDOM fields in their places.
    [Tags]    req:RFC2507-6-3    req:RFC2507-6-5    req:RFC2507-7.13-3
    Vectors Should Be Decompressed    tunnel    ipv4-with-options

TCP Header As It Is
    [Documentation]    Sections 6 b) and 7.12.2. Sends COMPRESSED_TCP_NODELTA over IPv4, IPv6 and a tunnel. Expects the
    ...    packet, and its header as the context.
    [Tags]    req:RFC2507-6-9    req:RFC2507-7.12.2-1    req:RFC2507-7.12.2-2
    The Implementation Has    decompressor    no-delta
    Vectors Should Be Decompressed    no-delta    no-delta-is-saved    no-delta-of-another-length    no-delta-ipv6
    Vectors Should Be Decompressed    no-delta-in-a-tunnel    no-delta-cut-short

Generations And CIDs
    [Documentation]    Sections 6 c) and d). Sends compressed non-TCP headers of both sizes.
    [Tags]    req:RFC2507-6-10    req:RFC2507-6-11
    The Implementation Has    decompressor    non-tcp
    Vectors Should Be Decompressed    compressed-non-tcp    sixteen-bits-of-cid    data-octets

Headers That End Too Early
    [Documentation]    Section 6 a). Sends headers that end before their fields do. Expects nothing, and contexts as
    ...    they were.
    [Tags]    req:RFC2507-6-1
    Vectors Should Be Decompressed    cut-short    no-identification-to-change

Headers Of Datagrams That End Too Early
    [Documentation]    Section 6 c). Sends headers that end before their fields do. Expects nothing.
    [Tags]    req:RFC2507-6-10
    The Implementation Has    decompressor    non-tcp
    Vectors Should Be Decompressed    non-tcp-cut-short
