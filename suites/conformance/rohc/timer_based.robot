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
    [Tags]    req:RFC4815-4.2-1    req:RFC4815-4.7-1
    Vectors Should Be Decompressed    timer-without-bits

On And Off
    [Documentation]    Sends UOR-2 with TIME_STRIDE in extension 3, not zero and zero. Expects that it is for the
    ...    packets behind.
    [Tags]    req:RFC3095-4.5.4-1    req:RFC4815-4.3-1
    Vectors Should Be Decompressed    timer-switched-*

Compressor: No Clock
    [Documentation]    Sends a call with silences; the compressor is given CLOCK with the resolution zero, which says
    ...    that there is no clock. Expects no TIME_STRIDE.
    [Tags]    req:RFC4815-4.7-1
    A Compressor    rtp-ipv4        mode=O    needs=timer-based
    It Sends        10
    It Is Given     raw f420005100
    It Sends        50
    It Sends        50              any       ts by 16000 and marker
    So It Should Be

Compressor: A Clock
    [Documentation]    Sends a call with silences after the compressor was given CLOCK. Expects that whatever it sends
    ...    is read right by whoever has a clock: timestamps ahead of the time, behind it and with it.
    [Tags]    req:RFC3095-4.5.4-2    req:RFC4815-4.7-1
    A Compressor    rtp-ipv4                    mode=O    needs=timer-based
    It Sends        10
    It Is Given     ACK(O) with CRC and CLOCK
    It Sends        30
    It Sends        30                          any       ts by 16000 and marker
    It Sends        30                          any       ts by 160 and marker
    It Sends        30                          any       ts by 3200
    So It Should Be
