*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The compressor of the draft's 7.1: traffic goes in, and the judge follows each packet on the link.
...              Every packet that the decompressor may use as its reference must lead to the right packet.

Resource         imports.resource

Test Tags        level:must    scheme:taroc


*** Test Cases ***
Data In One Direction
    [Documentation]    Sections 5 and 7.1.1. Sends segments one after another. Expects full headers in the rhythm of
    ...    slow start, and compressed ones between them.
    [Tags]    req:TAROC-4.1-1    req:TAROC-4.1-2    req:TAROC-4.2-1    req:TAROC-4.2.1-1    req:TAROC-5-2
    ...       req:TAROC-5-3    req:TAROC-7.1.1-1    req:TAROC-7.3.1-1    req:TAROC-7.3.2-1    req:TAROC-7.3.2.1-1
    ...       req:TAROC-7.3.2.1-2    req:TAROC-7.3.2.1-3    req:TAROC-A-1
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    packets=300    types=COMPRESSED_TCP,UNCOMPRESSED_TCP

Slow Start
    [Documentation]    Sections 7.1.1 and 7.1.2. Sends segments one after another. Expects that a full header is
    ...    followed by a compressed one, as a doubled F_PERIOD has it.
    [Tags]    -level:must    level:should    req:TAROC-7.1.1-3    req:TAROC-7.1.1-5    req:TAROC-7.1.2-2
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    packets=300    types=COMPRESSED_TCP

Acknowledgements
    [Documentation]    Sections 5 and 6.1. Sends acknowledgements, and no packet of the other direction. Expects
    ...    compression.
    [Tags]    req:TAROC-5-2    req:TAROC-6.1-3    req:TAROC-A-1
    Traffic Should Be Compressed By The Rules    tcp-acknowledgements    packets=300    types=COMPRESSED_TCP

Echoed Characters
    [Documentation]    Sections 5 and 7.3.2. Sends terminal traffic, in which both numbers and PUSH change.
    [Tags]    req:TAROC-5-2    req:TAROC-7.3.2-1    req:TAROC-A-1
    Traffic Should Be Compressed By The Rules    tcp-interactive    packets=300    types=COMPRESSED_TCP

Many Connections
    [Documentation]    Section 4.1. Sends 12 connections in turn. Expects a context of each.
    [Tags]    req:TAROC-4.1-1    req:TAROC-7.3.1-1
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    flows=12    packets=480    types=COMPRESSED_TCP

More Connections Than CIDs
    [Documentation]    Section 4.1. Sends 20 connections through 4 CIDs. Expects CIDs of 0 to 3, and a full header
    ...    where one is given to another connection.
    [Tags]    req:TAROC-4.1-1    req:TAROC-7.3.1-1
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    flows=20    packets=400    tcp_space=3
    ...    types=UNCOMPRESSED_TCP

All CIDs There Can Be
    [Documentation]    Section 4.1. Sends 256 connections through 256 CIDs.
    [Tags]    req:TAROC-4.1-1
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    flows=256    packets=1024    tcp_space=255
    ...    types=COMPRESSED_TCP

Time Stamps
    [Documentation]    Section 7.3.2.2. Sends time stamps that differ in each packet. Expects them W-LSB encoded.
    [Tags]    req:TAROC-5-3    req:TAROC-7.3.2.2-1
    Traffic Should Be Compressed By The Rules    tcp-timestamps    packets=200    types=COMPRESSED_TCP

Options That Stay
    [Documentation]    Section 7.3.2.2. Sends TCP options that are the same in each packet. Expects none on the link,
    ...    or the same.
    [Tags]    req:TAROC-7.3.2.2-2
    Traffic Should Be Compressed By The Rules    tcp-options    packets=100

Retransmissions
    [Documentation]    Section 7.1.2. Sends segments again within the window. Expects compression.
    [Tags]    req:TAROC-5-2    req:TAROC-A-1
    Traffic Should Be Compressed By The Rules    tcp-retransmissions    packets=40    types=COMPRESSED_TCP

First Segments Again
    [Documentation]    Sections 7.1.1 and 7.1.2. Sends the first segment again, and later ones that are older than all
    ...    others. Expects full headers for both.
    [Tags]    req:TAROC-7.1.1-2    req:TAROC-7.1.2-1
    Traffic Should Be Compressed By The Rules    tcp-first-segments-again    packets=40    types=UNCOMPRESSED_TCP

Urgent Data And Windows
    [Documentation]    Sections 7.3.2 and 7.3.2.1. Sends urgent pointers with and without URG, windows that grow and
    ...    shrink, and changes of 2^16 and more. Expects each where the formats have it, or a full header.
    [Tags]    req:TAROC-7.3.2-1    req:TAROC-7.3.2.1-2    req:TAROC-A-1
    Traffic Should Be Compressed By The Rules    tcp-urgent-and-window    packets=40    types=COMPRESSED_TCP

Beginning And End
    [Documentation]    Section 7.1. Sends SYN, RST, FIN, a packet without ACK, and changes of fields that a compressed
    ...    header does not have. Expects TYPE_IP for the former, full headers for the latter.
    [Tags]    req:TAROC-7.1-1    req:TAROC-7.3.2-1
    Traffic Should Be Compressed By The Rules    tcp-connections    packets=40    types=TYPE_IP,UNCOMPRESSED_TCP

What Is Not TCP
    [Documentation]    Section 7.1. Sends UDP over IPv4 and IPv6, and TCP in fragments. Expects TYPE_IP.
    [Tags]    req:TAROC-7.1-1
    [Template]    Traffic Should Be Compressed By The Rules
    udp-constant-ipv4    packets=40    types=TYPE_IP
    udp-constant-ipv6    packets=40    types=TYPE_IP
    tcp-fragments    packets=40    types=TYPE_IP
