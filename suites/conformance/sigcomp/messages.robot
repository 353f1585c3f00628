*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Messages as they come from the wire, the UDVM's initial memory, and the requirements of SIP on an
...              endpoint: RFC 3320, sections 3.3, 4 and 7; RFC 4896, sections 2.1 and 11; RFC 5049, sections 4 and 5;
...              RFC 3485. Each message is compared with the case's expectation and with the judge made from the RFCs:
...              output, UDVM cycles, and the reason of a failure with opcode and address.

Resource         imports.resource

Test Tags        level:must    scheme:sigcomp


*** Test Cases ***
Plain Message
    [Documentation]    A SIP message that is not compressed goes to the application as it came.
    [Tags]    req:RFC5049-5-1
    Messages Should Be Met    message    plain-message

Four Leading Bits
    [Documentation]    11110 is no SigComp message.
    [Tags]    req:RFC5049-5-1
    Messages Should Be Met    message    four-leading-bits

Well Known Uncompressed
    [Documentation]    The well-known bytecode puts out what follows it.
    [Tags]    req:RFC4896-11-1
    Messages Should Be Met    message    well-known-uncompressed

Too Short For Fields
    [Documentation]    A message that ends within its header.
    [Tags]    req:RFC3320-7-1
    Messages Should Be Met    message    too-short-for-fields

Destination Zero
    [Documentation]    A destination of 0 is reserved.
    [Tags]    req:RFC3320-7.3-2
    Messages Should Be Met    message    destination-zero

Destinations
    [Documentation]    Bytecode goes where the destination says, and begins there.
    [Tags]    req:RFC3320-7.3-1
    Messages Should Be Met    message    destinations

Useful Values
    [Documentation]    Useful Values, and zeros everywhere else.
    [Tags]    req:RFC3320-7.2-3    req:RFC3320-7.2-4
    Messages Should Be Met    message    useful-values

Memory On Datagrams
    [Documentation]    The UDVM has the decompression memory without the message.
    [Tags]    req:RFC3320-7-2    req:RFC4896-2.1-1
    Messages Should Be Met    message    memory-on-datagrams

Code Beyond The Memory
    [Documentation]    Bytecode for which there is no room.
    [Tags]    req:RFC4896-2.1-1    req:RFC3320-7-2
    Messages Should Be Met    message    code-beyond-the-memory

Nothing Without Output
    [Documentation]    A message without OUTPUT is none for the application.
    [Tags]    req:RFC3320-9.4.8-1
    Messages Should Be Met    message    nothing-without-output

Parameters For SIP
    [Documentation]    The minima of SIP are available without a request.
    [Tags]    req:RFC5049-4.1-1    req:RFC5049-4.3-1    req:RFC5049-4.4-1    req:RFC3320-3.3-1    req:RFC3320-3.3.1-1
    ...       req:RFC3320-3.3.1-2    req:RFC4077-2.4-1
    Messages Should Be Met    message    parameters-for-sip

State Memory For SIP
    [Documentation]    2048 octets of state memory are available without a request.
    [Tags]    req:RFC5049-4.2-1    req:RFC3320-3.3.1-3
    Messages Should Be Met    message    state-memory-for-sip

SIP Dictionary
    [Documentation]    The SIP/SDP dictionary, found by its identifier and read to its end.
    [Tags]    req:RFC3485-2-1    req:RFC3485-3-1    req:RFC5049-4.5-1
    Messages Should Be Met    message    sip-dictionary

Presence Dictionary
    [Documentation]    The presence dictionary, where there is one.
    [Tags]    req:RFC5112-3-2
    Messages Should Be Met    message    presence-dictionary

One Message One Machine
    [Documentation]    Nothing of a message is left in the memory for the next.
    [Tags]    req:RFC3320-4.2-1    req:RFC3320-7.2-4
    Messages Should Be Met    message    one-message-one-machine

Without A Compartment
    [Documentation]    Without a compartment no state is created.
    [Tags]    req:RFC3320-4.3-1    req:RFC3320-6.2-1
    Messages Should Be Met    message    without-a-compartment

Accepted Later
    [Documentation]    The application names the compartment when it has seen the message.
    [Tags]    req:RFC3320-4.3-1
    Messages Should Be Met    message    accepted-later

Failed Messages Leave Nothing
    [Documentation]    A message that fails gives no output and leaves no state.
    [Tags]    req:RFC3320-6.1-1    req:RFC3320-8.7-2
    Messages Should Be Met    message    failed-messages-leave-nothing
