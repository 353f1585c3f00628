*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Requested feedback, and the parameters that an endpoint announces: RFC 3320, sections 5 and 9.4.9; RFC
...              4896, sections 9 and 10. The peer is the judge made from the RFCs: the feedback that it requests has to
...              come back in the messages that it receives.

Resource         imports.resource

Test Tags        scheme:sigcomp


*** Test Cases ***
Items Come Back
    [Documentation]    Asks for items of one octet, of several, of 128 and of none. Expects each unmodified in the next
    ...    message.
    [Tags]    req:RFC3320-5-6    req:RFC3320-5-7    level:should
    Feedback Should Be Returned

The Newest Item Comes Back
    [Documentation]    Asks for an item and for another one before anything is sent. Expects the second.
    [Tags]    req:RFC3320-5-6    level:should
    Newest Feedback Should Be Returned

Reserved Bits Of A Request
    [Documentation]    Asks for an item with the reserved bits of the request set. Expects the item.
    [Tags]    req:RFC3320-9.4.9-9    level:should
    Reserved Bits Of A Request Should Be Ignored

Items Are Repeated
    [Documentation]    Asks for an item once. Expects it in each message, also after messages that ask for nothing,
    ...    until a request without item takes its place.
    [Tags]    req:RFC4896-9.2-1    req:RFC4896-9.2-2    req:RFC4896-9.2-3    level:should
    Feedback Should Be Repeated

Items Come Back Without State Memory
    [Documentation]    The requests of `Items Come Back`, at an endpoint whose state memory is 0.
    [Tags]    req:RFC4896-9.1-1    level:should
    Feedback Should Be Returned    state=0

Parameters Are Told
    [Documentation]    An endpoint that offers more than the minima. Expects that its messages say what it offers.
    [Tags]    req:RFC3320-5-8    req:RFC3320-9.4.9-6    level:must
    Parameters Should Be Told    16384    4096    32

Large Parameters Are Told
    [Documentation]    An endpoint that offers the largest values. Expects that its messages say what it offers.
    [Tags]    req:RFC3320-5-8    req:RFC3320-9.4.9-6    level:must
    Parameters Should Be Told    131072    131072    128

Parameters Are Told After An I-Bit
    [Documentation]    The peer has announced that it refers to no local state. Expects the parameters all the same.
    [Tags]    req:RFC4896-10.1-1    level:should
    Parameters Should Be Told    16384    4096    32    i_bit=yes

Less Memory Is Told
    [Documentation]    A peer says that it has 2048 octets of decompression memory from now on. Expects that all later
    ...    messages can be decompressed there.
    [Tags]    req:RFC4896-10.2-1    req:RFC3320-9.4.9-8    level:must
    Less Should Be Used When Less Is Offered    default    memory=2048

No State Memory Is Told
    [Documentation]    A peer says that it has no state memory any more. Expects that later messages refer to no state.
    [Tags]    req:RFC4896-10.2-1    req:RFC3320-5.1-2    level:must
    Less Should Be Used When Less Is Offered    default    state=0

No State Memory Is Told, Dynamic
    [Documentation]    The peer of `No State Memory Is Told`, with dynamic compression.
    [Tags]    req:RFC4896-10.2-1    req:RFC3320-5.1-2    level:must
    Less Should Be Used When Less Is Offered    dynamic    state=0

State Is Not Announced After An I-Bit
    [Documentation]    The peer says that it refers to no local state. Expects that none is announced any more.
    [Tags]    req:RFC3320-9.4.9-7    level:may
    Shared State Should Not Be Announced After An I-Bit
