*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    State and its handler: RFC 3320, sections 6, 7.2 and 9.4.5 to 9.4.9; RFC 4896, sections 3.3, 4.1, 5 6
...              and 10.1; RFC 3321, section 5.2. Later messages show what state an endpoint keeps.

Resource         imports.resource

Test Tags        scheme:sigcomp    level:must


*** Test Cases ***
Created And Accessed
    [Documentation]    State that was created is found by 6 to 20 octets of its identifier.
    [Tags]    req:RFC3320-9.4.9-4    req:RFC3320-7.2-1
    Messages Should Be Met    state    created-and-accessed

Minimum Access Length
    [Documentation]    A partial identifier shorter than minimum_access_length finds nothing.
    [Tags]    req:RFC3320-7.2-2
    Messages Should Be Met    state    minimum-access-length

Several Of One Name
    [Documentation]    Two items whose identifiers begin with the same six octets: nine identify each.
    [Tags]    req:RFC3320-7.2-1    req:RFC3320-9.4.7-3
    Messages Should Be Met    state    several-of-one-name

Length Of Identifiers
    [Documentation]    Identifiers of fewer than 6 or more than 20 octets.
    [Tags]    req:RFC3320-9.4.5-1    req:RFC3320-9.4.7-2
    Messages Should Be Met    state    length-of-identifiers

Operands Of Zero
    [Documentation]    Operands of STATE-ACCESS that are 0 come from the item.
    [Tags]    req:RFC3320-9.4.5-2
    Messages Should Be Met    state    operands-of-zero

Part Of A State
    [Documentation]    Part of a state value, and beyond its end.
    [Tags]    req:RFC3320-9.4.5-3
    Messages Should Be Met    state    part-of-a-state

Beginning From State
    [Documentation]    A message that begins from a state runs its code, with Useful Values about it.
    [Tags]    req:RFC3320-7.2-3
    Messages Should Be Met    state    beginning-from-state

No State Memory
    [Documentation]    An endpoint without state memory creates nothing.
    [Tags]    req:RFC3320-6.2-1
    Messages Should Be Met    state    no-state-memory

State Too Long
    [Documentation]    State beyond the memory is cut, and is found by the identifier of what is left.
    [Tags]    req:RFC3320-6.2-2
    Messages Should Be Met    state    state-too-long

Oldest Goes First
    [Documentation]    Of equal priority the oldest state goes first.
    [Tags]    req:RFC3320-6.2-3
    Messages Should Be Met    state    oldest-goes-first

Memory Just Filled
    [Documentation]    Two states that take all of the memory between them both stay.
    [Tags]    req:RFC3320-6.2-3
    Messages Should Be Met    state    memory-just-filled

Lowest Priority Goes First
    [Documentation]    State of low priority goes before older state of a higher one.
    [Tags]    req:RFC3320-6.2-3    req:RFC4896-5.1-1
    Messages Should Be Met    state    lowest-priority-goes-first

New State Of Low Priority
    [Documentation]    New state is kept whatever its priority.
    [Tags]    req:RFC3320-6.2-3
    Messages Should Be Met    state    new-state-of-low-priority

Created Again
    [Documentation]    State that is created again counts once.
    [Tags]    req:RFC4896-5.2-2
    Messages Should Be Met    state    created-again

Created Again As The Youngest
    [Documentation]    State that is created again is freed after what was created before.
    [Tags]    req:RFC4896-6-1    level:should    -level:must
    Messages Should Be Met    state    created-again-as-the-youngest

Another Priority
    [Documentation]    State that is created again has the new priority.
    [Tags]    req:RFC4896-5.2-2
    Messages Should Be Met    state    another-priority

One State Of Two Compartments
    [Documentation]    State of two compartments has a priority in each, and stays while one of them has it.
    [Tags]    req:RFC3320-6.2-5    req:RFC4896-5.2-1
    Messages Should Be Met    state    one-state-of-two-compartments

Freed By Its Own Compartment
    [Documentation]    STATE-FREE frees state of its own compartment only, with any six octets of it.
    [Tags]    req:RFC4896-3.3-1    req:RFC4896-3.3-2
    Messages Should Be Met    state    freed-by-its-own-compartment

Freeing What Is Not There
    [Documentation]    STATE-FREE of nothing, and of a dictionary, is no failure.
    [Tags]    req:RFC4896-3.3-3    req:RFC4896-3.3-1    req:RFC3320-9.4.7-3
    Messages Should Be Met    state    freeing-what-is-not-there

State As It Is In The End
    [Documentation]    State holds the octets that are there when the message ends.
    [Tags]    req:RFC4896-4.1-2
    Messages Should Be Met    state    state-as-it-is-in-the-end

State Round The Buffer
    [Documentation]    State from a circular buffer.
    [Tags]    req:RFC4896-4.1-1
    Messages Should Be Met    state    state-round-the-buffer

Four Creations
    [Documentation]    Four requests to create state, and one more.
    [Tags]    req:RFC3320-9.4.6-1    req:RFC3320-9.4.9-2
    Messages Should Be Met    state    four-creations

Four Frees
    [Documentation]    Four requests to free state, and one more.
    [Tags]    req:RFC3320-9.4.7-1
    Messages Should Be Met    state    four-frees

Creations That May Not Be
    [Documentation]    A minimum_access_length or a priority that is none.
    [Tags]    req:RFC3320-9.4.6-2
    Messages Should Be Met    state    creations-that-may-not-be

End Message Creates
    [Documentation]    END-MESSAGE creates state where its operands allow it, and fails in no case where they do not.
    [Tags]    req:RFC3320-9.4.9-1
    Messages Should Be Met    state    end-message-creates

I Bit
    [Documentation]    The I-bit leaves what its sender has created, and what it creates after it.
    [Tags]    req:RFC4896-10.1-2
    Messages Should Be Met    state    i-bit

S Bit
    [Documentation]    The S-bit of one compartment leaves the state of another.
    [Tags]    req:RFC3320-6.2-5
    Messages Should Be Met    state    s-bit

Returned Parameters
    [Documentation]    Parameters and announced states are read to the end of their list.
    [Tags]    req:RFC3320-9.4.9-5    req:RFC4896-4.1-3
    Messages Should Be Met    state    returned-parameters

Feedback Beyond The Memory
    [Documentation]    Feedback that the memory does not hold.
    [Tags]    req:RFC3320-8.4-2    req:RFC4896-4.1-3
    Messages Should Be Met    state    feedback-beyond-the-memory

Shared: Announced State
    [Documentation]    The endpoint compresses; its peer keeps every other message that it sends, and announces those
    ...    alone. Expects that none of the others is referred to.
    [Tags]    req:RFC3321-5.2-2
    Shared State Should Be Announced Before It Is Used

Shared: Room
    [Documentation]    The peer's state leaves an octet too few for what the endpoint might keep of its own messages.
    ...    Expects that all of the peer's is still there.
    [Tags]    req:RFC3321-5.2-3
    Shared State Should Crowd Out Nothing
