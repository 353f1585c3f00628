*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Timer-based compression of the RTP timestamp: RFC 3095, section 4.5.4; RFC 4815, sections 4.3 and 4.7.
...              Packets of a vector come every 20 ms; TIME_STRIDE of 1 ms makes 20 units of that.

Resource         imports.resource

Test Tags        feature:timer-based    level:must    profile:rtp    scheme:rohc


*** Test Cases ***
Timestamp And Time
    [Documentation]    Sends UO-1-TS and UOR-2-TS at both ends of the interpretation interval. Expects p = 2^(k-1) - 1
    ...    around what the clock says, not around the reference.
    [Tags]    req:RFC3095-4.5.4-1    req:RFC4815-4.3-1
    Vectors Should Be Decompressed    timer-behind    timer-ahead    timer-lowest    timer-extension-3

The Reference Is The Last Packet
    [Documentation]    Sends UO-1-TS packets in a row. Expects timestamp and arrival of the last packet as the reference
    ...    of the next.
    [Tags]    req:RFC3095-4.5.4-1
    Vectors Should Be Decompressed    timer-reference

Without TS Bits
    [Documentation]    Sends UO-0 packets. Expects the timestamp to follow from the SN, whatever the clock says.
    [Tags]    req:RFC4815-4.2-1    req:RFC4815-4.7-1    req:RFC4815-4.7-2
    Vectors Should Be Decompressed    timer-without-bits

On And Off
    [Documentation]    Sends UOR-2 with TIME_STRIDE in extension 3, not zero and zero. Expects that it is for the
    ...    packets after.
    [Tags]    req:RFC3095-4.5.4-1    req:RFC3095-5.7-12    req:RFC3095-5.7.5-10    req:RFC4815-4.3-1
    Vectors Should Be Decompressed    timer-switched-*

Compressor: No Clock
    [Documentation]    Sends a call with silences; the compressor is given CLOCK with the resolution zero, which says
    ...    that there is no clock. Expects no TIME_STRIDE.
    [Tags]    req:RFC3095-5.7.6.7-2    req:RFC4815-4.7-1
    A Compressor    rtp-ipv4        mode=O    needs=timer-based
    It Sends        10
    It Is Given     ACK(O) with CLOCK of 0
    It Sends        50
    It Sends        50              any       ts by 16000 and marker
    So It Should Be

Compressor: A Clock
    [Documentation]    Sends a call with silences after the compressor was given CLOCK. Expects that a
    ...    decompressor with a clock reads every packet right: timestamps ahead of the time, behind it and with it.
    [Tags]    req:RFC3095-4.5.4-2    req:RFC4815-4.7-1
    A Compressor    rtp-ipv4                    mode=O    needs=timer-based
    It Sends        10
    It Is Given     ACK(O) with CRC and CLOCK
    It Sends        30
    It Sends        30                          any       ts by 16000 and marker
    It Sends        30                          any       ts by 160 and marker
    It Sends        30                          any       ts by 3200
    So It Should Be

Compressor: A Reused CID Has Another Flow's TIME_STRIDE
    [Documentation]    Sends a call by the clock and then another one, over a channel with one context: timestamps that
    ...    are ahead of the time, and, after a minute, behind it. IR packets do not clear the context. Expects
    ...    that the new flow is read right by a decompressor that still has the TIME_STRIDE of the old one.
    [Tags]    req:RFC4815-4.7-1    req:RFC4815-6.3-1
    A Compressor    rtp-ipv4                    mode=O    max_cid=0    needs=timer-based
    It Sends        10
    It Is Given     ACK(O) with CRC and CLOCK
    It Sends        60
    It Sends        10                          any       ssrc to 9
    It Sends        1                           any       ts by 3200 and marker
    60 Seconds Pass
    It Sends        1                           any       ts by 1600 and marker
    It Sends        30
    So It Should Be

Compressor: TIME_STRIDE Survives Losses
    [Documentation]    Sends a call after the compressor was given CLOCK. Expects that TIME_STRIDE, whenever it comes,
    ...    is carried by more than one packet: whichever single packet is lost, the others can be read.
    [Tags]    req:RFC3095-5.3.1.1.1-1    req:RFC4815-4.7-1
    A Compressor    rtp-ipv4                    mode=O    needs=timer-based
    It Sends        10
    It Is Given     ACK(O) with CRC and CLOCK
    It Sends        60
    It Sends        30                          any       ts by 3200
    So It Should Be
    No Single Loss Behind The Last Feedback Should Hurt Another Packet

Decompressor: No CLOCK In Other Profiles
    [Documentation]    Sends UDP to a decompressor that has a clock. Expects answers without CLOCK and JITTER, which
    ...    mean nothing there.
    [Tags]    profile:udp    req:RFC3095-5.11.6-1
    A Decompressor    udp-ipv4    mode=O    needs=timer-based
    It Receives       16          IR        delivered            some ACK(O)
    It Receives       10          UO-0      delivered
    It Receives       16          IR        delivered            some ACK(O)
    So It Should Be

Compressor: A Coarse Clock
    [Documentation]    Sends a call; the compressor is given CLOCK with a resolution of 255 ms, more than ten times
    ...    TIME_STRIDE. Timestamps fall back by five strides where such a clock has just moved. Expects enough
    ...    bits for such a clock.
    [Tags]    req:RFC3095-4.5.4-3
    A Compressor    rtp-ipv4                           mode=O    needs=timer-based
    It Sends        10
    It Is Given     ACK(O) with CRC and coarse CLOCK
    It Sends        20
    It Sends        72                                 any       ts by 3200 and marker
    It Sends        13                                 any       ts by 4294966496 and marker
    It Sends        13                                 any       ts by 4294966496 and marker
    It Sends        13                                 any       ts by 4294966496 and marker
    So It Should Be

Compressor: TIME_STRIDE Is Established First
    [Documentation]    Sends a call after the compressor was given CLOCK, half a second of silence before each packet.
    ...    Expects that the loss of any one packet harms no other: the first to have TIME_STRIDE is not yet
    ...    relied upon.
    [Tags]    req:RFC4815-4.7-3
    A Compressor    rtp-ipv4                    mode=O    needs=timer-based
    It Sends        10
    It Is Given     ACK(O) with CRC and CLOCK
    FOR    ${_}    IN RANGE    40
        0.5 Seconds Pass
        It Sends    1    any    ts by 4000
    END
    So It Should Be
    No Single Loss Behind The Last Feedback Should Hurt Another Packet
