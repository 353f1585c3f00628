*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The torture tests of RFC 4465, each message with the output, the UDVM cycles or the reason of failure
...              that the RFC prints (resources/vectors/sigcomp/rfc4465.json), at an endpoint with 2048 octets of
...              decompression and of state memory, 16 cycles per bit and the lowest SigComp_version that it has.

Resource         imports.resource

Test Tags        scheme:sigcomp    level:must


*** Test Cases ***
Bit Manipulation
    [Documentation]    RFC 4465, section 2.1.
    [Tags]    req:RFC3320-9.1.1-1
    Messages Should Be Met    rfc4465    bit-manipulation

Arithmetic
    [Documentation]    RFC 4465, section 2.2.
    [Tags]    req:RFC3320-9.1.2-1    req:RFC3320-9.1.2-2
    Messages Should Be Met    rfc4465    arithmetic

Sorting
    [Documentation]    RFC 4465, section 2.3.
    [Tags]    req:RFC3320-9.1.3-1
    Messages Should Be Met    rfc4465    sorting

SHA-1
    [Documentation]    RFC 4465, section 2.4.
    [Tags]    req:RFC3320-9.1.4-1
    Messages Should Be Met    rfc4465    sha-1

Load And Multiload
    [Documentation]    RFC 4465, section 2.5.
    [Tags]    req:RFC3320-9.2.1-1    req:RFC3320-9.2.2-1
    Messages Should Be Met    rfc4465    load-and-multiload

Copy
    [Documentation]    RFC 4465, section 2.6.
    [Tags]    req:RFC3320-9.2.4-1    req:RFC3320-8.4-1
    Messages Should Be Met    rfc4465    copy

Copy Literal And Copy Offset
    [Documentation]    RFC 4465, section 2.7.
    [Tags]    req:RFC3320-9.2.5-1    req:RFC3320-9.2.6-1
    Messages Should Be Met    rfc4465    copy-literal-and-copy-offset

Memset
    [Documentation]    RFC 4465, section 2.8.
    [Tags]    req:RFC3320-9.2.7-1
    Messages Should Be Met    rfc4465    memset

CRC
    [Documentation]    RFC 4465, section 2.9.
    [Tags]    req:RFC3320-9.3.5-1
    Messages Should Be Met    rfc4465    crc

Input Bits
    [Documentation]    RFC 4465, section 2.10.
    [Tags]    req:RFC3320-9.4.3-1    req:RFC3320-8.2-2    req:RFC3320-8.2-3
    Messages Should Be Met    rfc4465    input-bits

Input Huffman
    [Documentation]    RFC 4465, section 2.11.
    [Tags]    req:RFC3320-9.4.4-1
    Messages Should Be Met    rfc4465    input-huffman

Input Bytes
    [Documentation]    RFC 4465, section 2.12.
    [Tags]    req:RFC3320-9.4.2-1
    Messages Should Be Met    rfc4465    input-bytes

Stack Manipulation
    [Documentation]    RFC 4465, section 2.13.
    [Tags]    req:RFC3320-8.3-1    req:RFC3320-9.2.3-1    req:RFC3320-9.3.3-1
    Messages Should Be Met    rfc4465    stack-manipulation

Program Flow
    [Documentation]    RFC 4465, section 2.14.
    [Tags]    req:RFC3320-9.3.1-1    req:RFC3320-9.3.2-1    req:RFC3320-9.3.3-1    req:RFC3320-9.3.4-1
    Messages Should Be Met    rfc4465    program-flow

State Creation
    [Documentation]    RFC 4465, section 2.15.
    [Tags]    req:RFC3320-9.4.6-1    req:RFC3320-9.4.7-1    req:RFC3320-9.4.9-1
    Messages Should Be Met    rfc4465    state-creation

State Access
    [Documentation]    RFC 4465, section 2.16.
    [Tags]    req:RFC3320-9.4.5-1    req:RFC3320-9.4.5-3    req:RFC3320-7.2-1
    Messages Should Be Met    rfc4465    state-access

Useful Values
    [Documentation]    RFC 4465, section 3.1.
    [Tags]    req:RFC3320-7.2-3    req:RFC3320-8.6-3
    Messages Should Be Met    rfc4465    useful-values

Cycles Checking
    [Documentation]    RFC 4465, section 3.2.
    [Tags]    req:RFC3320-8.6-1    req:RFC3320-8.6-3
    Messages Should Be Met    rfc4465    cycles-checking

Message Based Transport
    [Documentation]    RFC 4465, section 3.3.
    [Tags]    req:RFC3320-7-1    req:RFC3320-7-2    req:RFC3320-4.2-1
    Messages Should Be Met    rfc4465    message-based-transport

Stream Based Transport
    [Documentation]    RFC 4465, section 3.4.
    [Tags]    req:RFC3320-4.2.2-1
    Streams Should Be Met    rfc4465    stream-based-transport

Input Past The End
    [Documentation]    RFC 4465, section 3.5.
    [Tags]    req:RFC4896-3.1-1
    Messages Should Be Met    rfc4465    input-past-the-end

Feedback
    [Documentation]    RFC 4465, section 4.1.
    [Tags]    req:RFC3320-9.4.9-5
    Messages Should Be Met    rfc4465    feedback

State Memory Management
    [Documentation]    RFC 4465, section 4.2.
    [Tags]    req:RFC3320-6.2-3
    Messages Should Be Met    rfc4465    state-memory-management

Multiple Compartments
    [Documentation]    RFC 4465, section 4.3.
    [Tags]    req:RFC3320-6.2-5    req:RFC4896-5.2-1
    Messages Should Be Met    rfc4465    multiple-compartments

Accessing RFC 3485 State
    [Documentation]    RFC 4465, section 4.4.
    [Tags]    req:RFC3485-3-1
    Messages Should Be Met    rfc4465    accessing-rfc-3485-state

Bytecode State Creation
    [Documentation]    RFC 4465, section 4.5.
    [Tags]    req:RFC3320-7.2-1    req:RFC4896-4.1-2
    Messages Should Be Met    rfc4465    bytecode-state-creation
