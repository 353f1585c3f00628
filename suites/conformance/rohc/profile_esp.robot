*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Profile 0x0003, ESP: RFC 3095, sections 5.12 and 5.7.7.7. Its sequence number is that of the ESP
...              header, with 32 bits; its formats are those of profile 0x0002.

Resource         imports.resource

Test Tags        profile:esp    scheme:rohc


*** Test Cases ***
Initialisation
    [Documentation]    Sends IR and IR-DYN packets. Expects the SPI in the static chain, the sequence number and nothing
    ...    after it in the dynamic chain.
    [Tags]    level:must    req:RFC3095-5.12.1-1    req:RFC3095-5.7.7.7-1
    Vectors Should Be Decompressed    esp-ir    esp-ir-dyn    esp-for-a-cid    esp-large-cid

Chains That Do Not End With ESP
    [Documentation]    Sends IR and IR-DYN packets whose chain leads to another header, and one that is cut short.
    ...    Expects that nothing comes out and that no context is changed.
    [Tags]    level:must    req:RFC3095-5.7.7.2-3    req:RFC5795-5.2.3-4
    Vectors Should Be Decompressed    esp-ir-other-protocol    esp-ir-truncated    esp-ir-dyn-without-esp

UO-0
    [Documentation]    Sends UO-0 packets in a row, at both ends of the interpretation interval, with IPv6 and a random
    ...    IP-ID. Expects p = 1, as in RTP.
    [Tags]    level:must    req:RFC3095-4.5.5-1    req:RFC3095-5.12-1    req:RFC3095-5.7-3    req:RFC3095-5.7.7.7-2
    Vectors Should Be Decompressed    esp-uo-0-run    esp-uo-0-ahead    esp-uo-0-behind    esp-uo-0-ipv6
    ...    esp-uo-0-random-ip-id

Thirty-Two Bits
    [Documentation]    Sends UO-0 packets where the carry goes beyond 16 bits, and across the wrap-around of 32. Expects
    ...    all of the sequence number restored.
    [Tags]    level:must    req:RFC3095-5.12-1
    Vectors Should Be Decompressed    esp-uo-0-sixteen-bits    esp-uo-0-sn-wraps

UO-1 And UOR-2
    [Documentation]    Sends UO-1 and UOR-2 packets. Expects five bits of SN with p = 0, six bits of IP-ID in UO-1.
    [Tags]    level:must    req:RFC3095-5.11.3-1    req:RFC3095-5.12-1    req:RFC4815-8.8-1
    Vectors Should Be Decompressed    esp-uo-1    esp-uo-1-ahead    esp-uor-2

Extensions
    [Documentation]    Sends UOR-2 with extensions 0 to 3. Expects up to 13 bits of SN with p = 255.
    [Tags]    level:must    req:RFC3095-5.11.4-1    req:RFC3095-5.12-1
    Vectors Should Be Decompressed    esp-uor-2-extension-*

Wrong CRC
    [Documentation]    Sends a UO-0 packet with a wrong CRC. Expects that nothing comes out.
    [Tags]    level:must    req:RFC3095-5.12-1    req:RFC3095-5.3.2.2.2-1
    Vectors Should Be Decompressed    esp-uo-0-wrong-crc

Compressor: Constant Traffic
    [Documentation]    Sends ESP packets in a row. Expects an IR packet with both chains and nothing wrong after it.
    [Tags]    level:must    req:RFC3095-5.12-1    req:RFC3095-5.12.1-1    req:RFC3095-5.12.2-1    req:RFC3095-5.7.7.7-1
    Flow Should Be Compressed Correctly    esp-ipv4    packets=300
    It Should Begin With A Complete IR Packet
    Only Profiles 0x0003 Should Be Used

Compressor: IPv6
    [Documentation]    Sends ESP packets over IPv6. Expects nothing wrong.
    [Tags]    level:must    req:RFC3095-5.12-1    req:RFC3095-5.12.1-1    req:RFC3095-5.7.7.7-1
    Flow Should Be Compressed Correctly    esp-ipv6    packets=300
    Only Profiles 0x0003 Should Be Used

Compressor: Sequence Numbers
    [Documentation]    Sends ESP packets whose sequence number jumps near and far, beyond 16 bits and across the
    ...    wrap-around of 32. Expects that every packet can be decompressed when the one before is lost.
    [Tags]    level:must    req:RFC3095-4.5.2-1    req:RFC3095-5.12-1
    Flow Should Be Compressed Correctly    esp-ipv4    30: sn by 10    50: sn by 100    70: sn by 3000
    ...    90: sn to 65530    120: sn by 70000    150: sn to 4294967290    180: sn by 100000    packets=220

Compressor: Changes
    [Documentation]    Sends ESP packets whose TTL, TOS, DF and IP-ID change. Expects nothing wrong.
    [Tags]    level:must    req:RFC3095-5.11.4-1    req:RFC4815-8.8-1
    Flow Should Be Compressed Correctly    esp-ipv4    30: ttl to 9    50: tos to 8 and df to 0    70: ip-id by 100
    ...    90: ip-id by 9000    110: ip-id to random    140: ttl to 4    170: ip-id to swapped    packets=220

Compressor: Two IPv4 Headers
    [Documentation]    Sends ESP packets in a tunnel whose outer and inner fields change. Expects nothing wrong.
    [Tags]    level:must    req:RFC3095-5.11.4-1    req:RFC3095-5.12-1
    Flow Should Be Compressed Correctly    esp-ipv4-in-ipv4    30: outer-ttl to 9    50: ttl to 8
    ...    70: outer-ip-id by 100    90: sn by 300 and outer-ip-id by 7    120: outer-ip-id to random    packets=160

Compressor: Losses
    [Documentation]    Sends ESP packets with jumps. Expects that whichever single packet is lost, the others can be
    ...    read.
    [Tags]    level:must    req:RFC3095-4.5.2-1    req:RFC3095-5.12-1
    No Single Loss Should Hurt Another Packet    esp-ipv4    20: sn by 40    40: sn by 66000    60: ttl to 9
    ...    packets=90

Compressor: Changes Survive Losses
    [Documentation]    Sends ESP packets whose TTL changes; every pattern of losses around the change. Expects that what
    ...    is new is carried by at least two packets.
    [Tags]    level:must    req:RFC3095-4.3.1.2-1    req:RFC3095-5.3.1.1.1-1
    Change Should Survive Losses    esp-ipv4    ttl to 9

A Regular Flow Is Compressed To Type 0
    [Documentation]    Sends ESP packets in a row. Expects packets of type 0 after the start.
    [Tags]    level:should    req:RFC3095-4.3.1-2    req:RFC3095-5.3.1.2-1
    Flow Should Settle On Packets Of Type 0    esp-ipv4    packets=200

Decompressor: Answers
    [Documentation]    Sends IR, right and wrong packets to a decompressor in O-mode. Expects answers that name the
    ...    sequence number of the ESP header, and no CLOCK or JITTER.
    [Tags]    level:must    req:RFC3095-5.11.6-1    req:RFC3095-5.12-1    req:RFC3095-5.7.6.1-1
    A Decompressor    esp-ipv4    mode=O
    It Receives       16          IR               delivered    some ACK(O) with CRC
    It Receives       30          UO-0             delivered    only ACK(O)
    It Receives       32          garbled UOR-2    withheld     some NACK(O)
    It Receives       3           IR               delivered
    It Receives       5           UO-0             delivered
    So It Should Be
