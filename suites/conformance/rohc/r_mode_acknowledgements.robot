*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Acknowledgements in bidirectional reliable mode and their effect: RFC 3095, sections 5.5.1.2, 5.5.2.1,
...              5.5.2.2 and 6.3.2. Each side is alone, and the packets or feedback of the other side are written by
...              hand.

Resource         imports.resource

Test Tags        mode:r    profile:rtp    scheme:rohc


*** Test Cases ***
Compressor: IR Until An ACK
    [Documentation]    Sends a flow in R-mode; the compressor is given STATIC-NACK(R), much later an ACK(R). Expects IR
    ...    packets and nothing else until then, and packets of type 0 afterwards.
    [Tags]    level:must    req:RFC3095-5.5.1.2-3
    A Compressor    rtp-ipv4                   mode=R
    It Sends        10
    It Is Given     ACK(R) with CRC
    It Sends        10                         update
    It Is Given     ACK(R) with CRC
    It Sends        20                         at the end type 0, type 1
    It Is Given     STATIC-NACK(R) with CRC
    It Sends        40                         IR
    It Is Given     ACK(R) with CRC
    It Sends        30                         at the end type 0, type 1
    So It Should Be

Compressor: FEEDBACK-1 That Looks Like An Add-CID Octet
    [Documentation]    Sends a flow in R-mode whose TTL changes; the update is acknowledged by FEEDBACK-1, whose octet
    ...    of SN is 0xE2. Expects packets of type 0 at once, as after any ACK.
    [Tags]    level:must    req:RFC3095-5.2.2-8
    A Compressor    rtp-ipv4           mode=R
    It Sends        10
    It Is Given     ACK(R) with CRC
    It Sends        10                 update
    It Is Given     ACK(R) with CRC
    It Sends        230
    It Sends        1                  update             ttl to 9
    It Is Given     FEEDBACK-1
    It Sends        5                  type 0, type 1
    So It Should Be

Decompressor: Width Of The SN
    [Documentation]    Sends an UOR-2 packet with fourteen bits of SN to a decompressor in R-mode. Expects an ACK(R)
    ...    with as many bits at least.
    [Tags]    level:must    req:RFC3095-5.5.2.2-10
    Vectors Should Be Decompressed    r-uor-2-extension-3-sn

Decompressor: Two ACKs For A Pattern
    [Documentation]    Sends pairs of UOR-2 packets, each with another offset of the IP-ID, in R-mode. Expects that both
    ...    of a pair are acknowledged: who does not know how many ACKs it takes sends two.
    [Tags]    level:should    req:RFC3095-5.5.2.2-7
    A Decompressor      rtp-ipv4      mode=R
    It Receives         3             IR                      delivered
    It Receives         2             UOR-2-ID with mode R    delivered    each ACK(R)
    It Receives         20            R-0                     delivered
    Its Flow Changes    ip-id by 7
    It Receives         2             UOR-2-ID                delivered    each ACK(R)
    It Receives         20            R-0                     delivered
    Its Flow Changes    ip-id by 5
    It Receives         2             UOR-2-ID                delivered    each ACK(R)
    So It Should Be

Decompressor: ACKs Go On
    [Documentation]    Sends 300 R-0-CRC packets in a row to a decompressor in R-mode. Expects an ACK among each
    ...    hundred.
    [Tags]    level:should    req:RFC3095-5.5.2.2-9
    A Decompressor    rtp-ipv4    mode=R
    It Receives       3           IR                      delivered
    It Receives       2           UOR-2-ID with mode R    delivered
    It Receives       100         R-0-CRC                 delivered    some ACK(R)
    It Receives       100         R-0-CRC                 delivered    some ACK(R)
    It Receives       100         R-0-CRC                 delivered    some ACK(R)
    So It Should Be

Decompressor: STATIC-NACK In No Context
    [Documentation]    Damages a context in R-mode until the decompressor is in No Context, and goes on with updates
    ...    that are no IR packets. Expects STATIC-NACK(R), again and again.
    [Tags]    level:must    req:RFC3095-5.5.2.2-12
    A Decompressor    rtp-ipv4    mode=R
    It Receives       3           IR                      delivered
    It Receives       2           UOR-2-ID with mode R    delivered
    It Receives       5           R-0                     delivered
    It Receives       32          garbled UOR-2-ID        withheld     some NACK(R)
    It Receives       32          garbled UOR-2-ID        withheld     some STATIC-NACK(R)
    It Receives       64          IR-DYN                  withheld     some STATIC-NACK(R)
    It Receives       3           IR with mode R          delivered    some ACK(R)
    It Receives       5           R-0                     delivered
    So It Should Be

Decompressor: Damage Among Packets Without CRC
    [Documentation]    Sends updates with wrong CRCs to a decompressor in R-mode, each after eight packets of type R-0,
    ...    which have no CRC. Expects NACK(R) or STATIC-NACK(R): they count for nothing.
    [Tags]    level:must    req:RFC3095-5.5.2.1-3
    A Decompressor    rtp-ipv4    mode=R
    It Receives       3           IR                      delivered
    It Receives       2           UOR-2-ID with mode R    delivered
    It Receives       8           R-0                     delivered
    It Receives       1           garbled UOR-2-ID        withheld
    It Receives       8           R-0                     delivered unless NACK
    It Receives       1           garbled UOR-2-ID        withheld
    It Receives       8           R-0                     delivered unless NACK
    It Receives       1           garbled UOR-2-ID        withheld
    It Receives       8           R-0                     anything
    It Receives       30          garbled UOR-2-ID        withheld     some any(R)
    So It Should Be

Decompressor: O To R
    [Documentation]    A decompressor in O-mode is set to R-mode. Expects that it asks for it with a CRC in
    ...    answer to each packet, stays in O-mode until a packet says R, and reads R-0 after it.
    [Tags]    level:must    req:RFC3095-6.3.2-1
    A Decompressor    rtp-ipv4         mode=O
    It Receives       16               IR                      delivered    some ACK(O) with CRC
    It Receives       10               UO-0                    delivered
    It Is Set To      {"mode": "R"}
    It Receives       16               UO-0                    delivered    some any; only any(R) with CRC
    It Receives       2                UOR-2-ID with mode R    delivered    some ACK(R) with CRC
    It Receives       10               R-0                     delivered
    So It Should Be
