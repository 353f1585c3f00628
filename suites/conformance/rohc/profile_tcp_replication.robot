*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Profile 0x0006, TCP: contexts that begin as copies of others. RFC 6846, section 7.2, and RFC 4164:
...              IR-CR packets, their base context, and their two CRCs.

Resource         imports.resource

Test Tags        level:must    profile:tcp    scheme:rohc


*** Test Cases ***
IR-CR
    [Documentation]    Sends IR-CR packets with a base CID, with all optional fields, and without a base CID. Expects
    ...    what they leave out from the base context, which stays as it is.
    [Tags]    req:RFC4164-3-1    req:RFC4164-3.4.1-2    req:RFC4164-3.4.2-2    req:RFC4164-3.5.2-1
    ...       req:RFC4164-3.5.2-3    req:RFC4164-3.5.3-1    req:RFC4164-3.5.3-2    req:RFC6846-5.1-2
    ...       req:RFC6846-5.3.1.1-2    req:RFC6846-5.3.3-1    req:RFC6846-6.2-4    req:RFC6846-6.3.7-1
    ...       req:RFC6846-7.2-1    req:RFC6846-7.2-2    req:RFC6846-8.2-14    req:RFC6846-8.2-31    smoke
    Vectors Should Be Decompressed    tcp-ir-cr    tcp-ir-cr-fields    tcp-ir-cr-own-cid    tcp-reach-ports

Wrong CRCs
    [Documentation]    Sends an IR-CR packet whose CRC-8 is wrong, and one whose CRC-7 over the original header is.
    ...    Expects nothing delivered, and no context from it.
    [Tags]    req:RFC4164-3.4.1-1    req:RFC4164-3.4.2-1    req:RFC4164-3.4.2-4    req:RFC4164-3.4.3-1
    ...       req:RFC4164-3.5.1.1-1    req:RFC4164-3.5.1.2-1    req:RFC6846-7.2-3    req:RFC6846-7.2-4
    Vectors Should Be Decompressed    tcp-ir-cr-wrong-crc-7    tcp-ir-cr-wrong-crc-8

Reserved Bits And No Base
    [Documentation]    Sends IR-CR packets with reserved bits other than zero, with the CID of no context as base, and
    ...    with presence bits that mean nothing. Expects nothing delivered.
    [Tags]    req:RFC4164-3.4.1-2    req:RFC6846-7.2-6    req:RFC6846-8.2-31
    Vectors Should Be Decompressed    tcp-ir-cr-reserved    tcp-ir-cr-no-base    tcp-ir-cr-impossible
