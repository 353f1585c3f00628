*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The compressor's states IR, FO and SO in U- and O-mode: RFC 3095, sections 4.3.1, 5.3.1 and 5.4.1. The
...              suite optimistic_approach shows that every change survives losses. The RFC has a compressor in U-mode
...              return to lower states "periodically" and names no period; these cases expect one return in 5,000
...              packets, or in two minutes.

Resource         imports.resource

Test Tags        scheme:rohc


*** Test Cases ***
Returns To IR In U-Mode: RTP
    [Documentation]    Sends a regular RTP flow of 5,000 packets in U-mode without feedback. Expects IR packets in
    ...    between.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.1.1.2-1
    Observe Flow    rtp-ipv4    packets=${PERIOD IN PACKETS}    decompressor=none
    It Should Return To The IR State At Least 1 Times

Returns To IR In U-Mode: UDP
    [Documentation]    Sends a regular UDP flow of 5,000 packets in U-mode without feedback. Expects IR packets in
    ...    between.
    [Tags]    level:must    profile:udp    req:RFC3095-5.3.1.1.2-1
    Observe Flow    udp-ipv4    packets=${PERIOD IN PACKETS}    decompressor=none
    It Should Return To The IR State At Least 1 Times

Returns To IR In U-Mode: IP
    [Documentation]    Sends a regular IP flow of 5,000 packets in U-mode without feedback. Expects IR packets in
    ...    between.
    [Tags]    level:must    profile:ip    req:RFC3095-5.3.1.1.2-1
    Observe Flow    ip-ipv4    packets=${PERIOD IN PACKETS}    decompressor=none
    It Should Return To The IR State At Least 1 Times

Returns To IR After A While
    [Documentation]    Sends 40 RTP packets and then twelve more in twice as long as PERIOD IN SECONDS, in U-mode and
    ...    without feedback. Expects an IR packet among the twelve: a time-out, too, governs the returns.
    [Tags]    level:should    profile:rtp    req:RFC3095-5.3.1.1.2-3
    Observe Slow Flow    rtp-ipv4    ${PERIOD IN SECONDS}
    It Should Return To The IR State At Least 1 Times

Returns To FO More Often Than To IR
    [Documentation]    Sends a regular RTP flow of 10,000 packets in U-mode. Expects returns to the FO state, more of
    ...    them than to the IR state.
    [Tags]    level:should    profile:rtp    req:RFC3095-5.3.1.1.2-2
    Observe Flow    rtp-ipv4    packets=10000    decompressor=none
    It Should Return To The IR State Less Often Than To The FO State

No Returns In O-Mode
    [Documentation]    Sends a regular RTP flow; after ten packets feedback brings about O-mode. Expects 5,000 packets
    ...    of types 0 and 1 after it, without a single refresh.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.4.2-1
    A Compressor    rtp-ipv4                mode=O
    It Sends        10                      first IR
    It Is Given     ACK(O) with CRC
    It Sends        30
    It Sends        ${PERIOD IN PACKETS}    type 0, type 1
    So It Should Be

No Returns In O-Mode: UDP
    [Documentation]    Sends a regular UDP flow; after ten packets feedback brings about O-mode. Expects 5,000 packets
    ...    of types 0 and 1 after it, without a single refresh.
    [Tags]    level:must    profile:udp    req:RFC3095-4.4.2-1
    A Compressor    udp-ipv4                mode=O
    It Sends        10                      first IR
    It Is Given     ACK(O) with CRC
    It Sends        30
    It Sends        ${PERIOD IN PACKETS}    type 0, type 1
    So It Should Be

Upward Without Feedback
    [Documentation]    Sends an RTP flow in O-mode whose TTL changes, without any ACK. Expects updates at once and
    ...    packets of type 0 soon after them: ACKs are not expected.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.1.1.1-1    req:RFC3095-5.3.1.1.3-1    req:RFC3095-5.4.1.1.2-2
    ...       smoke
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        40          at the end type 0, type 1
    It Sends        40          first update; at the end type 0, type 1    ttl to 9
    It Sends        40          first update; at the end type 0, type 1    tos to 1
    So It Should Be

ACK Of An Older Packet
    [Documentation]    Sends an RTP flow in O-mode whose TTL changes twice; after the first packet with the second
    ...    change comes an ACK for a packet before it. Expects that the change goes on being told if the first one
    ...    was: such an ACK says nothing about it.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.3.1.2-1    req:RFC3095-5.3.1.1.1-1
    A Compressor    rtp-ipv4           mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30                 at the end type 0, type 1
    It Sends        1                  update              ttl to 20
    It Sends        1                  as before update
    It Sends        30                 at the end type 0, type 1
    It Sends        1                  update              ttl to 9
    It Is Given     ACK(O) with CRC    about=71
    It Sends        1                  as before update
    It Sends        30                 at the end type 0, type 1
    So It Should Be

ACK Without A Valid SN
    [Documentation]    As before, but the ACK comes with SN-NOT-VALID. Expects that the change goes on being told: the
    ...    SN says nothing about which packet has arrived.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.7.6.5-1
    A Compressor    rtp-ipv4           mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        30                 at the end type 0, type 1
    It Sends        1                  update              ttl to 20
    It Sends        1                  as before update
    It Sends        30                 at the end type 0, type 1
    It Sends        1                  update              ttl to 9
    It Is Given     ACK(O) with CRC and SN-NOT-VALID
    It Sends        1                  as before update
    It Sends        30                 at the end type 0, type 1
    So It Should Be

Static Change In O-Mode
    [Documentation]    Sends an RTP flow in O-mode whose SSRC changes. Expects an IR packet at once: the static part is
    ...    new.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.2-1    req:RFC3095-4.3.1.1-1
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        40          at the end type 0, type 1
    It Sends        40          first IR    ssrc to 99
    So It Should Be

Signal From Outside
    [Documentation]    Sends three RTP flows and then CONTEXT_REINITIALIZATION. Expects an IR packet with both
    ...    chains in the first context.
    [Tags]    level:must    profile:rtp    req:RFC3095-6.3.1-1    req:RFC3095-6.3.1-2
    A Compressor       rtp-ipv4    mode=O    flows=3
    It Sends           100         at the end type 0, type 1
    It Is Signalled    {"signal": "reinitialize"}
    It Sends           4           first IR    flow=0
    So It Should Be

Signal From Outside: Every Context
    [Documentation]    Sends three RTP flows and then CONTEXT_REINITIALIZATION. Expects that the third context, too,
    ...    begins again with IR.
    [Tags]    level:must    profile:rtp    req:RFC3095-6.3.1-2
    A Compressor       rtp-ipv4    mode=O    flows=3
    It Sends           100         at the end type 0, type 1
    It Is Signalled    {"signal": "reinitialize"}
    It Sends           4           first IR    flow=2
    So It Should Be

One ACK Is No Promise Of Others
    [Documentation]    Gives the compressor an ACK for one update in O-mode, and none for those that follow. Expects
    ...    that it does not wait for them: packets of type 0 after each.
    [Tags]    level:must    profile:rtp    req:RFC4815-8.10-2
    A Compressor    rtp-ipv4    mode=O
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        20          at the end type 0, type 1
    It Sends        1           no type 0            ttl to 9
    It Is Given     ACK(O)
    It Sends        20          at the end type 0, type 1
    It Sends        40          at the end type 0, type 1    ttl to 8
    It Sends        40          at the end type 0, type 1    tos to 4
    So It Should Be
