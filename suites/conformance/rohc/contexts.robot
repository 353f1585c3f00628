*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Contexts and their identifiers: RFC 5795, sections 5.1 and 5.2.1.3; RFC 3095, sections 5.1.1 to 5.1.3;
...              RFC 4815, section 7.

Resource         imports.resource

Test Tags        scheme:rohc


*** Test Cases ***
Contexts Of Their Own
    [Documentation]    Sends two flows with CIDs 0 and 1 in turn, and packets for a CID that is not there. Expects each
    ...    flow in its own context.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.2.6-8    req:RFC5795-5.2.1.3-1
    Vectors Should Be Decompressed    two-cids    unknown-cid

Reuse Of A CID
    [Documentation]    Sends IR packets that give a CID to another flow, of the same profile and of another one. Expects
    ...    the new flow.
    [Tags]    level:must    req:RFC4815-6.3-1    req:RFC5795-5.1.1-2
    Vectors Should Be Decompressed    rtp-ir-reuses-cid    udp-profile-by-ir    uncompressed-becomes-rtp
    ...    uncompressed-takes-over-from-rtp

Compressor: One Context For Eight Flows
    [Documentation]    Sends eight RTP flows over a channel whose MAX_CID is 0. Expects no other CID on the link, and
    ...    every packet delivered although contexts are reused all the time.
    [Tags]    level:must    req:RFC3095-5.1.1-1    req:RFC5795-5.1.2-2
    Flow Should Be Compressed Correctly    voip-amr-nb-ipv4    flows=8    packets=240    max_cid=0
    No CID Should Be Above 0

Compressor: Two Contexts For Eight Flows
    [Documentation]    Sends eight RTP flows over a channel whose MAX_CID is 1. Expects no other CID on the link, and
    ...    every packet delivered although contexts are reused all the time.
    [Tags]    level:must    req:RFC3095-5.1.1-1    req:RFC5795-5.1.2-2
    Flow Should Be Compressed Correctly    voip-amr-nb-ipv4    flows=8    packets=240    max_cid=1
    No CID Should Be Above 1

Compressor: Four Contexts For Eight Flows
    [Documentation]    Sends eight RTP flows over a channel whose MAX_CID is 3. Expects no other CID on the link, and
    ...    every packet delivered although contexts are reused all the time.
    [Tags]    level:must    req:RFC3095-5.1.1-1    req:RFC5795-5.1.2-2
    Flow Should Be Compressed Correctly    voip-amr-nb-ipv4    flows=8    packets=240    max_cid=3
    No CID Should Be Above 3

Compressor: More Flows Than Contexts
    [Documentation]    Sends forty flows of every kind over a channel with sixteen contexts. Expects every packet
    ...    delivered.
    [Tags]    level:must    req:RFC5795-5.1.2-2    req:RFC5795-5.2.2-1
    Flow Should Be Compressed Correctly    voip-mixed    flows=40    packets=1200    max_cid=15
    No CID Should Be Above 15

Compressor: Large CIDs Up To MAX_CID
    [Documentation]    Sends 320 flows over a channel with large CIDs whose MAX_CID is 299. Expects no CID above it, and
    ...    every packet delivered.
    [Tags]    level:must    req:RFC3095-5.1.1-1    req:RFC3095-5.1.3-2    req:RFC5795-5.1.2-2
    Flow Should Be Compressed Correctly    voip-amr-nb-ipv6    flows=320    packets=1600    cids=large    max_cid=299
    No CID Should Be Above 299

Compressor: Many Profiles At Once
    [Documentation]    Sends tunnels, fragments, queries and calls one after the other over one channel. Expects every
    ...    packet delivered.
    [Tags]    level:must    req:RFC5795-5.1.1-2
    Flow Should Be Compressed Correctly    udp-dns-like-ipv4    flows=6    packets=200    max_cid=3
    Flow Should Be Compressed Correctly    icmp-ipv4            flows=6    packets=200    max_cid=3
    Flow Should Be Compressed Correctly    ip-only-ipv6         flows=6    packets=200    max_cid=3
    Flow Should Be Compressed Correctly    ipv6-options         flows=6    packets=200    max_cid=3

Decompressor: Contexts Are Kept
    [Documentation]    Makes contexts 0, 7 and 15, sends 200 packets for CID 7 and nothing for ten minutes. Expects that
    ...    packets of type 0 for CIDs 0 and 15 are delivered as before.
    [Tags]    level:must    profile:rtp    req:RFC4815-7.1-1    req:RFC5795-5.1.2-3    req:RFC5795-5.1.3-1
    A Decompressor    rtp-ipv4
    It Receives       3      IR
    It Receives       3      IR for CID 7
    It Receives       3      IR for CID 15
    It Receives       200    UO-0 for CID 7
    600 Seconds Pass
    It Receives       5      UO-0
    It Receives       5      UO-0 for CID 15
    It Receives       5      UO-0 for CID 7
    So It Should Be

Decompressor: Contexts Are Kept, Large CIDs
    [Documentation]    Makes contexts 0, 300 and 16383 and sends nothing for ten minutes. Expects that packets of type 0
    ...    for each are delivered.
    [Tags]    level:must    profile:udp    req:RFC3095-5.1.3-2    req:RFC4815-7.1-1    req:RFC5795-5.1.2-3
    A Decompressor    udp-ipv6    cids=large    max_cid=16383
    It Receives       3           IR
    It Receives       3           IR for CID 300
    It Receives       3           IR for CID 16383
    600 Seconds Pass
    It Receives       5           UO-0
    It Receives       5           UO-0 for CID 16383
    It Receives       5           UO-0 for CID 300
    So It Should Be

Decompressor: CIDs Above MAX_CID
    [Documentation]    Makes context 3 of a channel whose MAX_CID is 3, and sends IR packets for CIDs 4, 7 and 15.
    ...    Expects that context 3 is kept, whatever becomes of them.
    [Tags]    level:must    profile:rtp    req:RFC5795-5.1.2-3
    A Decompressor    rtp-ipv4    max_cid=3
    It Receives       3           IR for CID 3      delivered
    It Receives       2           IR for CID 4      anything
    It Receives       2           IR for CID 7      anything
    It Receives       2           IR for CID 15     anything
    It Receives       5           UO-0 for CID 3    delivered
    So It Should Be

Decompressor: Damage Of One Context
    [Documentation]    Damages the context of CID 1 until it waits for an update. Expects that CID 0 is not affected.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.2.2.3-10    req:RFC5795-5.1.2-3
    A Decompressor    rtp-ipv4
    It Receives       3     IR                        delivered
    It Receives       3     IR for CID 1              delivered
    It Receives       10    UO-0 for CID 1            delivered
    It Receives       32    damaged UO-0 for CID 1    withheld
    It Receives       3     UO-0 for CID 1            withheld
    It Receives       10    UO-0                      delivered
    It Receives       1     UOR-2-ID for CID 1        delivered
    It Receives       5     UO-0 for CID 1            delivered
    So It Should Be

Compressor: A Reused CID Keeps Its Mode
    [Documentation]    Sends two flows in turn over a channel with one context, in O-mode. Expects that the mode of the
    ...    context is kept: mode parameters say O.
    [Tags]    level:should    profile:rtp    req:RFC4815-7.2.1-1
    A Compressor    rtp-ipv4    mode=O    max_cid=0
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        20
    It Sends        20          mode O    ssrc to 9
    So It Should Be

Compressor: A CID Reused With Another Profile Starts In U-Mode
    [Documentation]    Sends a UDP flow in O-mode and then an RTP flow, over a channel with one context. Expects that
    ...    the new flow starts in U-mode: no mode parameter says O before there was any feedback on it.
    [Tags]    level:must    profile:rtp    req:RFC4815-7.2.2-1
    A Compressor    udp-ipv4    mode=O    max_cid=0    profiles=0x0000,0x0001,0x0002
    It Sends        10
    It Is Given     ACK(O) with CRC
    It Sends        20
    It Sends        20          first IR; no mode O    layers to rtp
    So It Should Be

Channels
    [Documentation]    Sends 32 flows over two channels with sixteen contexts each. Expects that the same CIDs on both
    ...    have nothing to do with each other.
    [Tags]    level:must    req:RFC3095-5.1.3-1
    Flow Should Be Compressed Correctly    voip-mixed    flows=32    packets=960    max_cid=15    channels=2
    ...    mode=O or U
