*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The compressor of RFC 1144, 3.2.3: traffic goes in, and the judge follows each decision on the link.

Resource         imports.resource

Test Tags        level:must    scheme:vj


*** Test Cases ***
Data In One Direction
    [Documentation]    Sections 3.2.2 and 3.2.3. Sends segments one after another. Expects the mask of unidirectional
    ...    data, a header of 3 octets, and no connection number where it does not change.
    [Tags]    req:RFC1144-3.2.2-1    req:RFC1144-3.2.2-4    req:RFC1144-3.2.2-5    req:RFC1144-3.2.2-6
    ...       req:RFC1144-3.2.3-6    req:RFC1144-3.2.3-8    req:RFC1144-3.2.3-10    req:RFC1144-3.2.3-16
    ...       req:RFC1144-3.2.3-17    req:RFC1332-4-1
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    packets=200    octets=3    types=COMPRESSED_TCP

Acknowledgements
    [Documentation]    Section 3.2.2. Sends acknowledgements of 512 octets each. Expects a change of three octets, and
    ...    none of a field that stays as it is.
    [Tags]    req:RFC1144-3.2.2-1    req:RFC1144-3.2.2-2    req:RFC1144-3.2.2-3    req:RFC1144-3.2.3-8
    Traffic Should Be Compressed By The Rules    tcp-acknowledgements    packets=200    octets=6

Echoed Characters
    [Documentation]    Section 3.2.2. Sends terminal traffic whose characters are echoed. Expects the mask of echoed
    ...    traffic, with the PUSH bit, and a header of 3 octets.
    [Tags]    req:RFC1144-3.2.2-4    req:RFC1144-3.2.3-10    req:RFC1144-3.2.3-11
    Traffic Should Be Compressed By The Rules    tcp-interactive    packets=200    octets=3

Many Connections
    [Documentation]    Section 3.2.3. Sends 12 connections in turn. Expects one UNCOMPRESSED_TCP packet of each, and the
    ...    connection number where it changes.
    [Tags]    req:RFC1144-3.2.2-5    req:RFC1144-3.2.3-3    req:RFC1144-3.2.3-7    req:RFC1144-3.2.3-12
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    flows=12    packets=240    octets=4

More Connections Than Slots
    [Documentation]    Sections 3.2.3 and 5.1. Sends 20 connections through four slots. Expects numbers of 0 to 3, and
    ...    the slot reclaimed that was used longest ago.
    [Tags]    req:RFC1144-3.2.3-9    req:RFC1144-5.1-1    req:RFC1144-5.1-2    req:RFC1332-4.1-1
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    flows=20    packets=400    max_slot_id=3
    ...    types=UNCOMPRESSED_TCP

One Slot
    [Documentation]    Section 5.1. Sends two connections through one slot. Expects that nothing but the number 0 is on
    ...    the link.
    [Tags]    req:RFC1144-5.1-1    req:RFC1144-5.1-2    req:RFC1332-4.1-1
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    flows=2    packets=60    max_slot_id=0

All Slots There Can Be
    [Documentation]    Section 5.1. Sends 256 connections through 256 slots. Expects that none replaces another.
    [Tags]    req:RFC1144-3.2.3-9    req:RFC1144-5.1-2    req:RFC1332-4.1-1
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    flows=256    packets=1024    max_slot_id=255
    ...    octets=4

Slot Identifiers That Are Not Compressed
    [Documentation]    RFC 1332, section 4.1. Sends one connection with a Comp-Slot-Id of 0. Expects the connection
    ...    number in each packet.
    [Tags]    req:RFC1332-4.1-2
    Traffic Should Be Compressed By The Rules    tcp-bulk-data    packets=60    slot_ids=explicit    octets=4

Options That Stay
    [Documentation]    Section 3.2.3. Sends IP and TCP options that are the same in each packet. Expects compression.
    [Tags]    req:RFC1144-3.2.3-4    req:RFC1144-3.2.3-8
    Traffic Should Be Compressed By The Rules    tcp-options    packets=100    octets=3    types=COMPRESSED_TCP

Options That Change
    [Documentation]    Section 3.2.3. Sends time stamps that differ in each packet. Expects UNCOMPRESSED_TCP packets.
    [Tags]    req:RFC1144-3.2.3-4
    Traffic Should Be Compressed By The Rules    tcp-timestamps    packets=100    types=UNCOMPRESSED_TCP

Retransmissions
    [Documentation]    Sections 3.2.3 and 4.2. Sends segments and acknowledgements again. Expects them as
    ...    UNCOMPRESSED_TCP packets, which repair the decompressor's state.
    [Tags]    req:RFC1144-3.2.3-5    req:RFC1144-4.2-1
    Traffic Should Be Compressed By The Rules    tcp-retransmissions    packets=40    types=UNCOMPRESSED_TCP

Urgent Data And Windows
    [Documentation]    Sections 3.2.2 and 3.2.3. Sends urgent pointers with and without URG, windows that grow and
    ...    shrink, and changes of 2^16 and more. Expects each where figure 5 has it, or an UNCOMPRESSED_TCP packet.
    [Tags]    req:RFC1144-3.2.2-1    req:RFC1144-3.2.2-2    req:RFC1144-3.2.2-6    req:RFC1144-3.2.3-5
    Traffic Should Be Compressed By The Rules    tcp-urgent-and-window    packets=40
    ...    types=COMPRESSED_TCP,UNCOMPRESSED_TCP

Beginning And End
    [Documentation]    Section 3.2.3. Sends SYN, RST, FIN, a packet without ACK, and changes of fields that a compressed
    ...    header does not have. Expects TYPE_IP for the former, UNCOMPRESSED_TCP for the latter.
    [Tags]    req:RFC1144-3.2.3-2    req:RFC1144-3.2.3-4    req:RFC1144-3.2.3-15
    Traffic Should Be Compressed By The Rules    tcp-connections    packets=40
    ...    types=TYPE_IP,UNCOMPRESSED_TCP,COMPRESSED_TCP

What Is Not TCP
    [Documentation]    Section 3.2.3. Sends UDP. Expects TYPE_IP.
    [Tags]    req:RFC1144-3.2.3-2    req:RFC1144-3.2.3-13
    Traffic Should Be Compressed By The Rules    udp-constant-ipv4    packets=40    types=TYPE_IP

What Is Not IPv4
    [Documentation]    Section 3.2.3. Sends UDP over IPv6. Expects TYPE_IP.
    [Tags]    req:RFC1144-3.2.3-2    req:RFC1144-3.2.3-13
    Traffic Should Be Compressed By The Rules    udp-constant-ipv6    packets=40    types=TYPE_IP

Fragments
    [Documentation]    Section 3.2.3. Sends TCP segments in fragments, of which the first has a TCP header. Expects
    ...    TYPE_IP.
    [Tags]    req:RFC1144-3.2.3-14
    Traffic Should Be Compressed By The Rules    tcp-fragments    packets=40    types=TYPE_IP

The Link As Tshark Reads It
    [Documentation]    Section 3.2.2. Sends everything that changes. Expects that tshark reads the same change masks,
    ...    connection numbers, checksums and changes.
    [Tags]    req:RFC1144-3.2.2-1
    [Template]    Link Should Be Read Alike By Tshark
    tcp-urgent-and-window    flows=3    packets=120
    tcp-acknowledgements    flows=3    packets=120
    tcp-connections    flows=3    packets=120
