*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The RTP timestamp, scaled and unscaled: RFC 3095, sections 4.5.3 and 5.7; RFC 4815, section 4.

Resource         imports.resource

Test Tags        profile:rtp    scheme:rohc


*** Test Cases ***
Scaled
    [Documentation]    Sends scaled TS bits at both ends of their intervals, and packets without any. Expects TS_SCALED
    ...    times TS_STRIDE plus TS_OFFSET, and without bits a move by as many strides as the SN moves.
    [Tags]    level:must    req:RFC3095-4.5.3-1    req:RFC3095-4.5.5-2    req:RFC3095-5.7-4    req:RFC3095-5.7-5
    ...       req:RFC3095-5.7.1-1    req:RFC3095-5.7.3-1    req:RFC3095-5.7.3-2    req:RFC3095-5.9.2-1
    ...       req:RFC4815-4.1-1    req:RFC4815-4.2-1    req:RFC4815-4.3-1    smoke
    Vectors Should Be Decompressed    rtp-uo-1-ts-talk-spurt    rtp-uo-1-ts-farthest-ahead
    ...    rtp-uo-1-ts-farthest-behind    rtp-uo-1-ts-same    rtp-uo-1-farthest    rtp-uo-0-next

Unscaled
    [Documentation]    Sends unscaled TS bits in every length. Expects the TS itself, and TS_OFFSET recalculated for
    ...    what follows.
    [Tags]    level:must    req:RFC3095-4.5.7-1    req:RFC3095-5.7.5-3    req:RFC4815-4.2-2    req:RFC4815-4.5-1
    Vectors Should Be Decompressed    rtp-uor-2-extension-3-ts-4-octets-unscaled
    ...    rtp-uor-2-extension-3-ts-unscaled-short    rtp-uor-2-extension-3-unscaled-base-bits-only
    ...    rtp-uor-2-extension-3-unscaled-without-ts

TS_STRIDE
    [Documentation]    Sends a new TS_STRIDE with an unscaled TS, one together with a scaled TS, and one in a UO-1-ID
    ...    packet. Expects the first one to hold and the others to be ignored.
    [Tags]    level:must    req:RFC3095-5.7.5-10    req:RFC4815-4.6-2    req:RFC4815-4.6-3    req:RFC4815-6.2-1
    ...       req:RFC4815-6.3-1
    Vectors Should Be Decompressed    rtp-uor-2-extension-3-new-stride    rtp-uor-2-extension-3-stride-ignored
    ...    rtp-uo-1-id-extension-3-stride-not-kept    rtp-ir-refresh-keeps-stride

Wrap-Around
    [Documentation]    Sends timestamps across the wrap-around, with a TS_STRIDE that is a power of two and with one
    ...    that is not. Expects the right TS and TS_OFFSET behind it.
    [Tags]    level:must    req:RFC4815-4.2-1    req:RFC4815-4.5-1
    Vectors Should Be Decompressed    rtp-uo-0-ts-wraps    rtp-uor-2-ts-wraps-unscaled

Talk Spurts
    [Documentation]    Sends a call with pauses, through which timestamps go on. Expects nothing wrong.
    [Tags]    level:must    req:RFC3095-4.5.3-1    req:RFC3095-5.7-4    req:RFC4815-4.3-1    req:RFC4815-4.4.1-1
    Flow Should Be Compressed Correctly    voip-g711-ipv4-silence    packets=1500

Video
    [Documentation]    Sends video: several packets with one timestamp, the last one with the marker. Expects nothing
    ...    wrong.
    [Tags]    level:must    req:RFC3095-4.5.3-1    req:RFC3095-5.7-5    req:RFC4815-4.1-1
    Flow Should Be Compressed Correctly    rtp-video    packets=800

Jumps
    [Documentation]    Sends timestamps that jump by ten steps, by an odd number and backwards. Expects unscaled TS bits
    ...    where scaled ones would not do, and nothing wrong.
    [Tags]    level:must    req:RFC3095-4.5.3-1    req:RFC4815-4.1-1    req:RFC4815-4.1-2
    Flow Should Be Compressed Correctly    rtp-timestamp-jump    packets=400

Change Of The Step
    [Documentation]    Sends frames of 20 ms, then of 30 ms, then of 20 ms. Expects TS_STRIDE along with an unscaled TS,
    ...    and that no single packet is needed to read the others.
    [Tags]    level:must    req:RFC3095-4.5.3-2    req:RFC4815-4.4.3-1
    Flow Should Be Compressed Correctly    rtp-timestamp-step-change    packets=300
    No Single Loss Should Hurt Another Packet    rtp-timestamp-step-change    packets=300

Step Of Zero
    [Documentation]    Sends a flow whose timestamp stands still from the start and then moves. Expects no scaled TS
    ...    while TS_STRIDE is zero.
    [Tags]    level:must    req:RFC4815-4.4.1-1
    Flow Should Be Compressed Correctly    rtp-ipv4    0: step to 0    40: step to 160    80: step to 0    packets=120

Wrap-Around Of The Compressor
    [Documentation]    Sends timestamps that wrap after 50 packets, not on a multiple of the step. Expects every packet
    ...    delivered.
    [Tags]    level:must    req:RFC3095-4.5.1-1    req:RFC3095-4.5.3-1
    Flow Should Be Compressed Correctly    rtp-timestamp-wrap    packets=200

Unscaled On Wrap-Around
    [Documentation]    Sends timestamps that wrap; TS_STRIDE is no power of two. Expects an unscaled TS there.
    [Tags]    level:should    req:RFC4815-4.4.2-1    req:RFC4815-4.4.3-2
    Observe Flow    rtp-timestamp-wrap    packets=200    decompressor=none

Scaled And Strided
    [Documentation]    Sends a TS_STRIDE change together with other changes of the header. Expects that TS_STRIDE never
    ...    travels with a scaled TS.
    [Tags]    level:should    req:RFC4815-4.6-1
    Observe Flow    rtp-ipv4    40: step to 240 and ttl to 9    60: step to 80 and pt to 3    packets=100
    ...    decompressor=none

Jitter
    [Documentation]    Sends packets that are up to 15 ms late. Expects nothing wrong: arrival times are not the
    ...    timestamp's.
    [Tags]    level:must    req:RFC3095-4.5.3-1
    Flow Should Be Compressed Correctly    rtp-jitter    packets=400    mode=O or U

Losses Around Jumps
    [Documentation]    Sends timestamps that jump. Expects that whichever single packet is lost, the others can be read.
    [Tags]    level:must    req:RFC3095-4.5.2-1    req:RFC3095-4.5.2-2
    No Single Loss Should Hurt Another Packet    rtp-timestamp-jump          packets=400
    No Single Loss Should Hurt Another Packet    rtp-video                   packets=300
    No Single Loss Should Hurt Another Packet    voip-amr-nb-ipv4-silence    packets=500

Ends Of The Intervals: Compressor
    [Documentation]    Sends an RTP flow in O-mode. Each time its last packet is acknowledged, so that this is the only
    ...    reference, the timestamp jumps to one of both sides of the last values that five and eight bits carry: 24
    ...    strides and 192 beyond the reference, 7 and 63 behind it. Expects enough bits for every jump.
    [Tags]    level:must    req:RFC3095-4.5.1-1    req:RFC3095-4.5.2-1    req:RFC4815-4.3-1
    Jumps From One Reference Should Be Carried    rtp-ipv4
    ...    ts by 3680
    ...    ts by 3840
    ...    ts by 30560
    ...    ts by 30720
    ...    ts by 4294966016
    ...    ts by 4294965856
    ...    ts by 4294957056
    ...    ts by 4294956896
