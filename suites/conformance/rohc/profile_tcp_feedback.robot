*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Profile 0x0006, TCP: feedback to a compressor. RFC 6846, sections 5.2.2 and 8.3. The compressor is
...              alone and gets feedback written by hand. Feedback that it must discard has no effect: the link has the
...              same octets as without it.

Resource         imports.resource

Test Tags        profile:tcp    scheme:rohc


*** Variables ***
&{TCP}    profiles=0x0000,0x0006    mode=O    confidence=2


*** Test Cases ***
STATIC-NACK
    [Documentation]    Gives the compressor of a flow STATIC-NACK. Expects an IR packet at once, and compressed
    ...    headers in the end.
    [Tags]    level:should    req:RFC6846-5.2.2.2-3    smoke
    A Compressor    tcp-ipv4    &{TCP}
    It Sends        10
    It Is Given     ACK
    It Sends        30          at the end CO
    It Is Given     STATIC-NACK
    It Sends        4           first IR
    It Sends        30          at the end CO
    So It Should Be

NACK
    [Documentation]    Gives the compressor of a flow NACK. Expects an IR-DYN or IR packet at once, or a compressed
    ...    header with a CRC of seven bits, and compressed headers in the end.
    [Tags]    level:should    req:RFC6846-5.2.2.2-1
    A Compressor    tcp-ipv4    &{TCP}
    It Sends        10
    It Is Given     ACK
    It Sends        30          at the end CO
    It Is Given     NACK
    It Sends        4           first IR, IR-DYN, CRC-7
    It Sends        30          at the end CO
    So It Should Be

Feedback For One Of Several Contexts
    [Documentation]    Sends four flows; STATIC-NACK is for the third. Expects IR packets there and nowhere else.
    [Tags]    level:should    req:RFC6846-5.2.2.2-3
    A Compressor    tcp-ipv4       &{TCP}      flows=4
    It Sends        10
    It Is Given     ACK            flow=1
    It Is Given     ACK            flow=2
    It Sends        40
    It Is Given     STATIC-NACK    flow=2
    It Sends        4              first IR    flow=2
    It Sends        4              no IR       flow=1
    So It Should Be

Feedback With Large CIDs
    [Documentation]    Sends 140 flows over a channel with large CIDs; STATIC-NACK is for the last one, whose CID has
    ...    two octets. Expects an IR packet there.
    [Tags]    level:should    req:RFC6846-5.2.2.2-3
    A Compressor    tcp-ipv4       &{TCP}      flows=140    cids=large    max_cid=300
    It Sends        10
    It Is Given     ACK            flow=139
    It Sends        5
    It Is Given     STATIC-NACK    flow=139
    It Sends        2              first IR    flow=139
    So It Should Be

Acknowledgements Of What Was Before A Change
    [Documentation]    Changes the window, and acknowledges the packet before the change; the change is in one packet
    ...    so far. Expects that it is told again: a decompressor that has lost that packet restores the next ones,
    ...    too.
    [Tags]    level:must    req:RFC6846-5.2.2.1-2
    A Compressor    tcp-ipv4       &{TCP}
    It Sends        10
    It Is Given     ACK
    It Sends        30
    It Sends        1              any             window to 0x1000
    It Is Given     ACK            about=39
    It Sends        10
    It Sends        1              any             ttl to 61
    It Is Given     FEEDBACK-1     about=50
    It Sends        10
    So It Should Be

FEEDBACK-1 Is An Acknowledgement
    [Documentation]    Gives the compressor FEEDBACK-1. Expects that nothing gets worse: compressed headers follow.
    [Tags]    level:must    req:RFC6846-8.3.1-2
    A Compressor    tcp-ipv4       &{TCP}
    It Sends        10
    It Is Given     ACK
    It Sends        30
    It Is Given     FEEDBACK-1
    It Sends        30             some CO
    So It Should Be

Acknowledgements Within NACKs
    [Documentation]    Changes the window, and gives the compressor NACK with the MSN of the packet before. Expects
    ...    that the change is in what answers it, and that what it acknowledges is the reference at most.
    [Tags]    level:must    req:RFC6846-8.3.1-7
    A Compressor    tcp-ipv4       &{TCP}
    It Sends        10
    It Is Given     ACK
    It Sends        30
    It Sends        1              any             window to 0x1000
    It Is Given     NACK           about=39
    It Sends        10
    So It Should Be

The MSN Option
    [Documentation]    Gives the compressor ACK and STATIC-NACK with the lower two bits of the MSN in an option.
    ...    Expects that they are heeded.
    [Tags]    level:must    req:RFC6846-8.3.2-1    req:RFC6846-8.3.2.3-1
    A Compressor    tcp-ipv4                  &{TCP}
    It Sends        10
    It Is Given     ACK with MSN
    It Sends        30
    It Is Given     STATIC-NACK with MSN
    It Sends        30
    It Is Given     NACK with MSN
    It Sends        30
    So It Should Be

The MSN Is Not Valid
    [Documentation]    Changes the window, and gives the compressor ACK with MSN-NOT-VALID and the MSN of the change.
    ...    Expects that it is told again. Then NACK with MSN-NOT-VALID and the MSN of no packet; expects what
    ...    STATIC-NACK alone brings.
    [Tags]    level:must    req:RFC6846-8.3.2.2-1    req:RFC6846-8.3.2.2-2
    A Compressor    tcp-ipv4                        &{TCP}
    It Sends        10
    It Is Given     ACK
    It Sends        30
    It Sends        1                               any         window to 0x1000
    It Is Given     ACK with MSN-NOT-VALID
    It Sends        20
    It Is Given     STATIC-NACK
    It Sends        30    as before first IR
    It Is Given     NACK with MSN of no packet and MSN-NOT-VALID
    It Sends        30                              as before first IR
    It Is Given     STATIC-NACK with MSN-NOT-VALID
    It Sends        30                              as before first IR
    So It Should Be

Unknown Options
    [Documentation]    Gives the compressor STATIC-NACK with unknown options, with and without data. Expects that they
    ...    are passed over and the feedback is heeded as it is without them.
    [Tags]    level:must    req:RFC6846-8.3.2-1    req:RFC6846-8.3.2.5-1
    A Compressor    tcp-ipv4                                               &{TCP}
    It Sends        10
    It Is Given     ACK
    It Sends        30
    It Is Given     STATIC-NACK
    It Sends        30    as before first IR
    It Is Given     STATIC-NACK with unknown option
    It Sends        30                                                     as before first IR
    It Is Given     STATIC-NACK with empty unknown option
    It Sends        30                                                     as before first IR
    It Is Given     STATIC-NACK with unknown option and unknown option
    It Sends        30                                                     as before first IR
    So It Should Be

Options In Any Order
    [Documentation]    Gives the compressor STATIC-NACK with the same options in one order and the other. Expects that
    ...    both are heeded as STATIC-NACK alone is.
    [Tags]    level:must    req:RFC6846-8.3.1-6
    A Compressor    tcp-ipv4                                               &{TCP}
    It Sends        10
    It Is Given     ACK
    It Sends        30
    It Is Given     STATIC-NACK
    It Sends        30    as before first IR
    It Is Given     STATIC-NACK with MSN-NOT-VALID and unknown option
    It Sends        30                                                     as before first IR
    It Is Given     STATIC-NACK with unknown option and MSN-NOT-VALID
    It Sends        30                                                     as before first IR
    It Is Given     STATIC-NACK with MSN and unknown option
    It Sends        30                                                     as before first IR
    It Is Given     STATIC-NACK with unknown option and MSN
    It Sends        30                                                     as before first IR
    So It Should Be

Size Octet
    [Documentation]    Gives the compressor STATIC-NACK in an element with a Size octet. Expects that it is heeded as
    ...    without: the CRC covers neither Code nor Size.
    [Tags]    level:must    req:RFC6846-8.3.1-5
    A Compressor    tcp-ipv4                       &{TCP}
    It Sends        10
    It Is Given     ACK
    It Sends        30
    It Is Given     STATIC-NACK
    It Sends        30    as before first IR
    It Is Given     STATIC-NACK with Size octet
    It Sends        30                             as before first IR
    So It Should Be

Wrong CRC
    [Documentation]    Gives the compressor feedback whose CRC is wrong, and, for a CID of an octet, one that leaves
    ...    the CID out. Expects that it leaves no trace.
    [Tags]    level:must    req:RFC6846-8.3.1-5    req:RFC6846-8.3.1-8
    A Compressor           tcp-ipv4                                  &{TCP}    flows=2
    It Sends               10
    It Is Given            ACK                                       flow=0
    It Is Given            ACK                                       flow=1
    It Sends               30
    It Is Given In Vain    STATIC-NACK with wrong CRC
    It Sends               10
    It Is Given In Vain    NACK with wrong CRC
    It Sends               10
    It Is Given In Vain    STATIC-NACK with REJECT and wrong CRC
    It Sends               10
    It Is Given In Vain    STATIC-NACK with CRC without CID          flow=1
    It Sends               10
    So It Should Be

Options That Come Twice
    [Documentation]    Gives the compressor feedback with two REJECT, MSN-NOT-VALID, MSN or CONTEXT_MEMORY options.
    ...    Expects that it leaves no trace.
    [Tags]    level:must    req:RFC6846-8.3.2.1-4    req:RFC6846-8.3.2.2-4    req:RFC6846-8.3.2.3-3
    ...       req:RFC6846-8.3.2.4-3
    A Compressor           tcp-ipv4                                              &{TCP}
    It Sends               10
    It Is Given            ACK
    It Sends               30
    It Is Given In Vain    STATIC-NACK with REJECT and REJECT
    It Sends               10
    It Is Given In Vain    NACK with MSN-NOT-VALID and MSN-NOT-VALID
    It Sends               10
    It Is Given In Vain    STATIC-NACK with MSN and MSN
    It Sends               10
    It Is Given In Vain    NACK with CONTEXT_MEMORY and CONTEXT_MEMORY
    It Sends               10
    So It Should Be

An MSN That Is There And Not Valid
    [Documentation]    Gives the compressor feedback with the options MSN and MSN-NOT-VALID, in either order. Expects
    ...    that it leaves no trace.
    [Tags]    level:must    req:RFC6846-8.3.2.2-4
    A Compressor           tcp-ipv4                                              &{TCP}
    It Sends               10
    It Is Given            ACK
    It Sends               30
    It Is Given In Vain    STATIC-NACK with MSN and MSN-NOT-VALID
    It Sends               10
    It Is Given In Vain    STATIC-NACK with MSN-NOT-VALID and MSN
    It Sends               10
    So It Should Be

Feedback That Cannot Be Parsed
    [Documentation]    Gives the compressor feedback with an option that ends too early, of two octets, which is no
    ...    format, and octets that are no feedback element. Expects that none leaves a trace.
    [Tags]    level:must    req:RFC5795-5.2.3-4    req:RFC6846-8.3.2-1
    A Compressor           tcp-ipv4                                &{TCP}
    It Sends               10
    It Is Given            ACK
    It Sends               30
    It Is Given In Vain    STATIC-NACK with truncated option
    It Sends               10
    It Is Given In Vain    raw f28000
    It Sends               10
    It Is Given In Vain    raw f0
    It Sends               10
    It Is Given In Vain    raw f680
    It Sends               10
    So It Should Be

Feedback For Contexts That Are Not There
    [Documentation]    Gives the compressor STATIC-NACK for a CID that is not used. Expects that it leaves no trace.
    [Tags]    level:must    req:RFC5795-5.2.4.1-6
    A Compressor           tcp-ipv4                         &{TCP}
    It Sends               10
    It Is Given            ACK
    It Sends               30
    It Is Given In Vain    STATIC-NACK with MSN-NOT-VALID    flow=unused
    It Sends               10
    It Is Given In Vain    STATIC-NACK                       flow=unused
    It Sends               10
    So It Should Be

REJECT
    [Documentation]    Gives the compressor STATIC-NACK with REJECT. Expects that it stops compressing the flow:
    ...    packets go by profile 0x0000 or not at all.
    [Tags]    level:must    req:RFC6846-8.3.1-3    req:RFC6846-8.3.2.1-1
    A Compressor    tcp-ipv4                   &{TCP}
    It Sends        10
    It Is Given     ACK
    It Sends        30
    It Is Given     STATIC-NACK with REJECT
    It Sends        100                        no profile 0x0006; perhaps nothing
    So It Should Be

REJECT Holds For A While
    [Documentation]    Gives the compressor REJECT, and fifty packets later another flow begins. Expects that it is
    ...    not compressed at once.
    [Tags]    level:should    req:RFC6846-8.3.2.1-2
    A Compressor    tcp-ipv4                   &{TCP}
    It Sends        10
    It Is Given     ACK
    It Sends        30
    It Is Given     STATIC-NACK with REJECT
    It Sends        50
    It Sends        50                         no profile 0x0006; perhaps nothing    port to 4000
    So It Should Be

CONTEXT_MEMORY
    [Documentation]    Gives the compressor CONTEXT_MEMORY. Expects that it stops compressing the flow, whose context
    ...    has no options that could be left out to take less of the decompressor's memory.
    [Tags]    level:should    req:RFC6846-8.3.2.4-1
    A Compressor    tcp-ipv4                         &{TCP}
    It Sends        10
    It Is Given     ACK
    It Sends        30
    It Is Given     NACK with CONTEXT_MEMORY
    It Sends        50                               no profile 0x0006; perhaps nothing
    So It Should Be
