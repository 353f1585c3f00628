*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Section 10.2: CONTEXT_STATE, by which a decompressor asks for full headers.

Resource         imports.resource

Test Tags        level:must    scheme:iphc


*** Test Cases ***
Requests For Headers
    [Documentation]    Section 10.2. Asks for CIDs that are in use while segments and acknowledgements are sent. Expects
    ...    FULL_HEADER or COMPRESSED_TCP_NODELTA in these streams next.
    [Tags]    req:RFC2507-10.2-4    req:RFC2507-10.2-5    req:RFC2507-7.12.2-1    req:RFC3544-4-2
    Header Requests Should Be Answered    tcp-bulk-data    flows=4    packets=400
    Header Requests Should Be Answered    tcp-in-a-tunnel    flows=4    packets=400
    Header Requests Should Be Answered    tcp-ipv6    flows=4    packets=400

Requests That Ask For Nothing
    [Documentation]    Section 10.2. Sends requests whose count is not that of the CIDs, of no CID, of CIDs that are not
    ...    in use, and of other types, between right ones. Expects that they do no harm.
    [Tags]    req:RFC2507-10.2-5
    Header Requests Should Be Answered    tcp-bulk-data    030500    0300    0301ff    010100    03    ff    flows=4
    ...    packets=400

A Flood Of Requests
    [Documentation]    Section 10.2. Sends sixteen requests for every CID in use before each of 200 packets. Expects
    ...    FULL_HEADER or COMPRESSED_TCP_NODELTA packets all the while, and nothing wrong after it.
    [Tags]    req:RFC2507-10.2-5    req:RFC2507-7.12.2-1
    Header Requests Should Be Answered    tcp-bulk-data    flows=4    packets=600    flood=16

Missing Contexts Are Requested
    [Documentation]    Section 10.2. Sends compressed headers of contexts that have had no full header. Expects requests
    ...    that name them.
    [Tags]    req:RFC2507-3.1-4    req:RFC2507-10.2-4    req:RFC3544-4-2
    Decompressor Should Request Headers    contexts-that-are-missing

Lost Contexts Are Requested
    [Documentation]    Section 10.2. Sends compressed headers that no repair makes right. Expects requests that name the
    ...    context, if any.
    [Tags]    req:RFC2507-10.2-4
    Decompressor Should Request Headers    a-context-that-is-lost

Requests Are Few
    [Documentation]    Section 10.2. Sends twelve compressed headers of three contexts that are missing. Expects fewer
    ...    requests than packets, and one for several contexts.
    [Tags]    -level:must    level:should    req:RFC2507-10.2-2    req:RFC2507-10.2-3
    Decompressor Should Request Headers    contexts-that-are-missing
