*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Corrections and clarifications of RFC 4815, section by section, by their vectors: a decompressor that
...              follows only RFC 3095 gets some of these wrong. The suites on modes and feedback cover what RFC 4815
...              says about these.

Resource         imports.resource

Test Tags        level:must    profile:rtp    scheme:rohc


*** Test Cases ***
What The CRC Of IR Covers
    [Documentation]    Section 2.2. Sends IR after padding. Expects that neither padding nor an Add-CID octet for CID 0
    ...    is covered.
    [Tags]    req:RFC3095-5.2.6-2    req:RFC4815-2.2-1    req:RFC5795-5.2.1.1-1
    Vectors Should Be Decompressed    padding-before-ir

TS Bits
    [Documentation]    Sections 4.1 and 4.3. Sends scaled and unscaled TS in the self-describing format, and TS bits at
    ...    both ends of their interval. Expects p = 2^(k-2) - 1.
    [Tags]    req:RFC3095-4.5.6-1    req:RFC3095-4.5.7-1    req:RFC3095-5.7-4    req:RFC3095-5.7.5-3
    ...       req:RFC4815-4.1-1    req:RFC4815-4.3-1    req:RFC4815-4.5-1
    Vectors Should Be Decompressed    rtp-uor-2-extension-3-ts-*    rtp-uo-1-ts-farthest-*    rtp-uo-1-farthest

No TS Bits
    [Documentation]    Section 4.2. Sends packets without TS bits, with Tsc = 1 and 0. Expects a linear extrapolation,
    ...    and the other one discarded.
    [Tags]    req:RFC3095-4.5.5-2    req:RFC3095-5.7.1-1    req:RFC3095-5.9.2-1    req:RFC4815-4.2-1
    ...       req:RFC4815-4.2-2
    Vectors Should Be Decompressed    rtp-uo-0-next    rtp-uo-0-ts-wraps    rtp-uor-2-extension-3-unscaled-without-ts

Wrap-Around And TS_OFFSET
    [Documentation]    Sections 4.4 and 4.5. Sends an unscaled TS at the wrap-around and elsewhere. Expects TS_OFFSET
    ...    recalculated each time.
    [Tags]    req:RFC3095-4.5.7-1    req:RFC3095-5.7.5-3    req:RFC4815-4.5-1
    Vectors Should Be Decompressed    rtp-uor-2-ts-wraps-unscaled    rtp-uor-2-extension-3-ts-4-octets-unscaled
    ...    rtp-uor-2-extension-3-ts-unscaled-short

TS_STRIDE And Tsc
    [Documentation]    Section 4.6. Sends TS_STRIDE with a scaled TS. Expects that it is ignored.
    [Tags]    req:RFC4815-4.6-2    req:RFC4815-4.6-3
    Vectors Should Be Decompressed    rtp-uor-2-extension-3-stride-ignored    rtp-uor-2-extension-3-new-stride

What Updates The Context
    [Documentation]    Sections 6.1 and 6.2. Sends packets of types 0, 1 and 2 with extensions. Expects that all update
    ...    the context, UO-1-ID only SN, TS and IP-ID.
    [Tags]    req:RFC3095-4.5.1-3    req:RFC3095-5.7-1    req:RFC3095-5.7-5    req:RFC3095-5.7.3-2
    ...       req:RFC3095-5.7.4-2    req:RFC3095-5.7.5-7    req:RFC4815-6.1-1    req:RFC4815-6.2-1
    Vectors Should Be Decompressed    rtp-uo-1-id-extension-3-*    rtp-uor-2-extension-3-tos-ttl-df    rtp-uo-0-run

IR Updates
    [Documentation]    Section 6.3. Sends IR with and without dynamic chain to contexts that are there. Expects that
    ...    only what it carries is updated.
    [Tags]    req:RFC4815-6.3-1
    Vectors Should Be Decompressed    rtp-ir-refresh-keeps-stride    rtp-ir-static-only-on-context    rtp-ir-reuses-cid

P And X
    [Documentation]    Sections 6.4 and 6.5. Sends R-PT = 0 and RX = 0. Expects that they clear P and X.
    [Tags]    req:RFC4815-6.4-1    req:RFC4815-6.5-1
    Vectors Should Be Decompressed    rtp-uor-2-extension-3-padding-cleared    rtp-ir-refresh-clears-x    rtp-ir-x-and-p

Reuse Of CIDs
    [Documentation]    Section 7.2. Sends IR and IR-DYN with another profile. Expects the initial mode of the new
    ...    profile.
    [Tags]    req:RFC3095-5.11.1-3    req:RFC3843-3.5-2    req:RFC4815-7.2.2-1
    Vectors Should Be Decompressed    udp-profile-switch-from-rtp    ip-profile-switch-from-udp

NBO And IP-ID
    [Documentation]    Sections 8.1 and 8.2. Sends swapped IP-IDs in base headers, in extension 3 and in IR, and IP-ID
    ...    bits where there is no sequential IP-ID. Expects offsets but for IR, and the last ones ignored.
    [Tags]    req:RFC3095-4.5.5-3    req:RFC3095-5.7-2    req:RFC3095-5.7-3    req:RFC4815-8.1-1    req:RFC4815-8.2-1
    ...       req:RFC4815-8.2-2    req:RFC4815-8.2-3
    Vectors Should Be Decompressed    rtp-uo-0-swapped-ip-id    rtp-uor-2-extension-3-ip-id*
    ...    rtp-ir-identification-not-swapped    udp-uo-1-ipv6    udp-uo-1-random-ip-id

Flags That Change The Format
    [Documentation]    Section 8.3. Sends UOR-2 whose extension 3 changes RND of one and of both headers. Expects that
    ...    the base header is read again by the new flags.
    [Tags]    req:RFC3095-5.7-3    req:RFC3095-5.7-6    req:RFC3095-5.7.5.1-2    req:RFC4815-8.3-1
    Vectors Should Be Decompressed    rtp-uor-2-rnd-set    rtp-uor-2-rnd-cleared    rtp-uor-2-rnd2-set
    ...    rtp-uor-2-both-random

Two Markers
    [Documentation]    Section 8.4. Sends M in base header and extension 3. Expects that unequal ones are discarded.
    [Tags]    req:RFC4815-8.4-2
    Vectors Should Be Decompressed    rtp-uor-2-extension-3-marker*

One UOR-2 For UDP And IP
    [Documentation]    Section 8.8. Sends UOR-2 of profile 0x0002 and 0x0004 with RND 0 and 1. Expects one format.
    [Tags]    req:RFC3095-5.11-2    req:RFC3095-5.11.3-1    req:RFC3843-3-2    req:RFC4815-8.8-1
    Vectors Should Be Decompressed    udp-uor-2    udp-uor-2-random-ip-id    ip-uor-2

Constant IP-ID
    [Documentation]    Section 11. Sends SID for the inner and the outer header. Expects a flag for each.
    [Tags]    req:RFC3843-3.3-1    req:RFC3843-3.3-2    req:RFC4815-11-1
    Vectors Should Be Decompressed    ip-two-ipv4-outer-constant    ip-constant-ip-id
