*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Sections 8 and 9: CIDs that change hands, and packets that meet no context.

Resource         imports.resource

Test Tags        level:must    scheme:iphc


*** Test Cases ***
CIDs Change Hands
    [Documentation]    Section 8. Sends 20 streams of readings through 4 CIDs. Expects that the generation of a CID goes
    ...    on by one.
    [Tags]    req:RFC2507-8-2    req:RFC2507-3.3-2
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    udp-readings    flows=20    packets=800    non_tcp_space=3

Generations Do Not Wrap Too Soon
    [Documentation]    Sections 3.3 and 8. Sends 200 datagrams a second of 100 streams through 4 CIDs, so that a
    ...    generation would come again within MIN_WRAP seconds. Expects that none does.
    [Tags]    req:RFC2507-3.3-3    req:RFC2507-8-1
    The Implementation Has    compressor    non-tcp
    Traffic Should Be Compressed By The Rules    udp-readings    flows=100    packets=2400    non_tcp_space=3

Without A Full Header
    [Documentation]    Section 9. Sends compressed TCP headers of contexts that have had none. Expects nothing.
    [Tags]    req:RFC2507-9-1
    Vectors Should Be Decompressed    no-tcp-context    regular-headers

Datagrams Without A Full Header
    [Documentation]    Section 9. Sends compressed non-TCP headers of contexts that have had none, and of another
    ...    generation. Expects nothing.
    [Tags]    req:RFC2507-9-2
    The Implementation Has    decompressor    non-tcp
    Vectors Should Be Decompressed    no-non-tcp-context    another-generation
