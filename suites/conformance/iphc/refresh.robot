*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Sections 3.1 to 3.3: packet types, retransmissions of TCP, and full headers of what is not TCP: their
...              rhythm, and the generation of a context.

Resource         imports.resource

Test Tags        level:must    scheme:iphc


*** Test Cases ***
Data In One Direction
    [Documentation]    Sections 3.1 and 3.2. Sends segments one after another. Expects full headers, and compressed ones
    ...    after them.
    [Tags]    req:RFC2507-3.1-1    req:RFC2507-5.3.1-1    req:RFC2507-6-1
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    packets=200    types=COMPRESSED_TCP

Retransmissions
    [Documentation]    Sections 3.1 and 3.2. Sends segments again. Expects a full header, and no COMPRESSED_TCP_NODELTA.
    [Tags]    req:RFC2507-3.1-2    req:RFC2507-3.2-1
    Traffic Should Be Compressed By The Rules    tcp-retransmissions    packets=40    types=COMPRESSED_TCP,FULL_HEADER

First Segments Again
    [Documentation]    Section 3.2. Sends a segment again right after itself, and older ones. Expects full headers.
    [Tags]    req:RFC2507-3.1-2    req:RFC2507-3.2-1
    Traffic Should Be Compressed By The Rules    tcp-first-segments-again    packets=40

Regular Headers
    [Documentation]    Section 3.1. Sends SYN, RST, FIN, and packets without ACK between others. Expects each as it was,
    ...    or in a full header.
    [Tags]    req:RFC2507-3.1-3    req:RFC2507-7.12.1-1
    Traffic Should Be Compressed By The Rules    tcp-connections    packets=40    types=COMPRESSED_TCP

Nothing In The First Seconds
    [Documentation]    Section 3.3. Sends datagrams for 2 seconds. Expects regular headers: MIN_WRAP seconds have not
    ...    passed.
    [Tags]    req:RFC2507-3.3-5
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    udp-constant-ipv4    packets=100    types=IPv4

Packets Of A Stream
    [Documentation]    Section 4. Sends 12 streams in turn. Expects each in a context of its own, so that compressed
    ...    headers follow.
    [Tags]    -level:must    level:should    req:RFC2507-4-2
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    flows=12    packets=240    types=COMPRESSED_TCP

Slow Start
    [Documentation]    Section 3.3.1. Sends datagrams at 50 a second. Expects that at most F_PERIOD compressed headers
    ...    follow a full one, and F_PERIOD doubles.
    [Tags]    req:RFC2507-3.3.1-1    req:RFC2507-3.3-2    req:RFC2507-14-4
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    udp-constant-ipv4    packets=500    types=COMPRESSED_NON_TCP

Full Headers No More Often
    [Documentation]    Section 3.3.3. Sends datagrams at 50 a second. Expects F_PERIOD compressed headers after a full
    ...    one.
    [Tags]    req:RFC2507-3.3.1-1
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    udp-constant-ipv4    packets=500    types=COMPRESSED_NON_TCP

F MAX PERIOD
    [Documentation]    Section 3.3.2. Sends datagrams with an F_MAX_PERIOD of 8. Expects a full header after 8
    ...    compressed ones.
    [Tags]    req:RFC2507-3.3.2-1    req:RFC2507-14-4
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    udp-constant-ipv4    packets=400    f_max_period=8
    ...    types=COMPRESSED_NON_TCP

F MAX TIME
    [Documentation]    Section 3.3.2. Sends two datagrams a second, with an F_MAX_TIME of 5 seconds, and of 2. Expects a
    ...    full header when they have passed.
    [Tags]    req:RFC2507-3.3.2-2    req:RFC2507-14-5
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    udp-readings    packets=100    types=COMPRESSED_NON_TCP
    Traffic Should Be Compressed By The Rules    udp-readings    packets=100    f_max_time=2
    ...    types=COMPRESSED_NON_TCP

No Limits
    [Documentation]    RFC 3544, 2.1. Sends datagrams with an F_MAX_PERIOD and an F_MAX_TIME of zero, which are no
    ...    limits.
    [Tags]    req:RFC3544-2.1-3    req:RFC3544-2.1-4
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    udp-constant-ipv4    packets=600    f_max_period=0    f_max_time=0
    ...    types=COMPRESSED_NON_TCP

Context Changes
    [Documentation]    Sections 3.3 and 3.3.1. Sends datagrams whose TTL, TOS and checksum change. Expects a full header
    ...    of the next generation for each change, and slow start after it.
    [Tags]    req:RFC2507-3.3-2    req:RFC2507-3.3.1-1    req:RFC2507-7-3    req:RFC2507-8-2
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    udp-readings    flows=4    packets=400    types=COMPRESSED_NON_TCP
    Traffic Should Be Compressed By The Rules    udp-readings-in-a-tunnel    flows=4    packets=400
    ...    types=COMPRESSED_NON_TCP

Another Generation
    [Documentation]    Section 3.3. Sends compressed headers of generations that the context does not have. Expects
    ...    nothing.
    [Tags]    req:RFC2507-3.3-1    req:RFC2507-9-2
    The Implementation Has    decompressor    non-tcp
    Vectors Should Be Decompressed    another-generation    generation-of-a-new-context

Datagrams Over A Line That Loses Packets
    [Documentation]    Sections 3.3 and 9. Loses 10 % of the packets of datagrams whose context changes. Expects nothing
    ...    of headers of another generation, and each other one.
    [Tags]    req:RFC2507-3.3-1    req:RFC2507-9-2
    The Implementation Has    decompressor    non-tcp
    Decompressor Should Do As The Judge Does    udp-readings    flows=8    packets=800    lost=0.1
    Decompressor Should Do As The Judge Does    udp-readings-in-a-tunnel    flows=8    packets=800    lost=0.1
