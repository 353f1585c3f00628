*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Negative acknowledgements, in both directions: RFC 4077. The endpoint's NACKs are compared octet by
...              octet with the judge's. After a NACK that it receives, the endpoint must send messages that a peer
...              without any state can decompress.

Resource         imports.resource

Test Tags        scheme:sigcomp    level:must


*** Test Cases ***
Sent: What It Says
    [Documentation]    A NACK has the SHA-1 of the whole message, opcode and address of the failed instruction.
    [Tags]    req:RFC4077-2.2-1    req:RFC4077-3.1-1    req:RFC4077-3.1-2    req:RFC4077-3.1-3    req:RFC3320-8.7-2
    Messages And NACKs Should Be Met    nack    what-it-says

Sent: What Succeeds Is Not Answered
    [Documentation]    Messages that are decompressed, and plain ones, are not answered.
    [Tags]    req:RFC4077-2.2-1
    Messages And NACKs Should Be Met    nack    what-succeeds-is-not-answered

Sent: States
    [Documentation]    Reasons about state, with the requested identifier.
    [Tags]    req:RFC4077-3.2-1    req:RFC4077-3.2-2    req:RFC4077-3.2-3
    Messages And NACKs Should Be Met    nack    states

Sent: Cycles
    [Documentation]    Cycles that are used up, with cycles_per_bit.
    [Tags]    req:RFC4077-3.2-1    req:RFC4077-3.2-2
    Messages And NACKs Should Be Met    nack    cycles

Sent: Cycles Of 128
    [Documentation]    Cycles that are used up, with another cycles_per_bit.
    [Tags]    req:RFC4077-3.2-2
    Messages And NACKs Should Be Met    nack    cycles-of-128

Sent: Room For Bytecode
    [Documentation]    Bytecode for which there is no room, with the size of the memory.
    [Tags]    req:RFC4077-3.2-1
    Messages And NACKs Should Be Met    nack    room-for-bytecode

Sent: Instructions
    [Documentation]    Reasons that single instructions have, without details.
    [Tags]    req:RFC4077-3.2-1    req:RFC4077-3.2-2
    Messages And NACKs Should Be Met    nack    instructions

Sent: Output That Overflows
    [Documentation]    More output than a message may have.
    [Tags]    req:RFC4077-3.2-1
    Messages And NACKs Should Be Met    nack    output-that-overflows

Sent: Nacks Are Not Answered
    [Documentation]    A NACK is never answered, be it about nothing that was ever sent, or too short.
    [Tags]    req:RFC4077-2.3-2
    Messages And NACKs Should Be Met    nack    nacks-are-not-answered

Sent: Version 1
    [Documentation]    An endpoint of version 1 fails to decompress a NACK, does no harm, and answers nothing.
    [Tags]    req:RFC4077-3-1    req:RFC4077-2.4-2
    Messages And NACKs Should Be Met    nack    version-1

Sent: Broken Stream
    [Documentation]    Sends a reserved code of record marking over a stream. Expects a NACK for FRAMING_ERROR with its
    ...    delimiter, whose SHA-1 is of no message.
    [Tags]    req:RFC4077-2.2-2    req:RFC4077-3.2-1    req:RFC3320-4.2.2-2
    A Broken Stream Should Be Answered

Sent: Failure On A Stream
    [Documentation]    Sends a message with FF in it, quoted, that fails. Expects a NACK with the delimiter, whose
    ...    SHA-1 is of the message without quoting.
    [Tags]    req:RFC4077-2.2-2    req:RFC4077-3.1-2
    A Failure On A Stream Should Be Answered

Received: State Is Lost
    [Documentation]    The peer loses all state and answers the next message with STATE_NOT_FOUND. Expects that later
    ...    messages can be decompressed without that state, and that the NACK is not answered.
    [Tags]    req:RFC4077-2.3-1    req:RFC4077-2.3.1-1    req:RFC4077-2.3.1-2
    NACK Should Be Heeded    default

Received: State Is Lost, Stateful Basic
    [Documentation]    The lost state of `Received: State Is Lost`, with the mechanism that keeps only bytecode.
    [Tags]    req:RFC4077-2.3-1    req:RFC4077-2.3.1-1
    NACK Should Be Heeded    stateful-basic

Received: State Is Lost, Dynamic
    [Documentation]    The lost state of `Received: State Is Lost`, with dynamic compression, which refers to earlier
    ...    messages.
    [Tags]    req:RFC4077-2.3-1    req:RFC4077-2.3.1-1
    NACK Should Be Heeded    dynamic

Received: State Is Lost, Shared
    [Documentation]    The lost state of `Received: State Is Lost`, with shared compression.
    [Tags]    req:RFC4077-2.3-1    req:RFC4077-2.3.1-1
    NACK Should Be Heeded    shared

Received: Cycles Are Exhausted
    [Documentation]    The peer has fewer cycles per bit than the endpoint assumes, and names the number in a NACK for
    ...    CYCLES_EXHAUSTED. Expects that later messages take no more cycles, also if the same message is sent again.
    [Tags]    req:RFC4077-2.3.1-3    req:RFC4077-2.3-1
    NACK About Cycles Should Be Heeded

Received: Bytecodes Are Too Large
    [Documentation]    The peer has less decompression memory than the endpoint assumes, and answers a message that
    ...    leaves no room for its bytecode with BYTECODES_TOO_LARGE. Expects that later messages fit into that memory.
    [Tags]    req:RFC4077-2.3.1-3    req:RFC4077-2.3-1
    NACK About Memory Should Be Heeded

Received: Another Compartment
    [Documentation]    Two peers; one of them loses its state. Expects that only the messages to that peer change.
    [Tags]    req:RFC4077-2.3-1
    NACK Should Concern Its Own Compartment    default

Received: About Nothing
    [Documentation]    A NACK about a message that was never sent. Expects that nothing changes.
    [Tags]    req:RFC4077-2.3-2
    NACK About Nothing Should Change Nothing    default
