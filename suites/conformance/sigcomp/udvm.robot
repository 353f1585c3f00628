*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The UDVM's instructions: RFC 3320, sections 8 and 9.1 to 9.4.4; RFC 4896, sections 3 and 4.
...              rfc4465.robot has the tests of RFC 4465, which cover more of it.

Resource         imports.resource

Test Tags        scheme:sigcomp    level:must


*** Test Cases ***
Unknown Instruction
    [Documentation]    An opcode that is none.
    [Tags]    req:RFC3320-8.7-1
    Messages Should Be Met    udvm    unknown-instruction

Memory Ends
    [Documentation]    Running, reading and writing beyond the memory.
    [Tags]    req:RFC3320-8.4-2    req:RFC3320-9.3.1-1
    Messages Should Be Met    udvm    memory-ends

Logic
    [Documentation]    AND, OR, NOT and shifts on words.
    [Tags]    req:RFC3320-9.1.1-1
    Messages Should Be Met    udvm    logic

Arithmetic
    [Documentation]    Sums and products modulo 65536, quotients rounded down.
    [Tags]    req:RFC3320-9.1.2-1
    Messages Should Be Met    udvm    arithmetic

Division By Zero
    [Documentation]    DIVIDE and REMAINDER by 0.
    [Tags]    req:RFC3320-9.1.2-2
    Messages Should Be Met    udvm    division-by-zero

Sorting
    [Documentation]    The first list is sorted, the others move alike, equal words keep their order.
    [Tags]    req:RFC3320-9.1.3-1
    Messages Should Be Met    udvm    sorting

SHA-1
    [Documentation]    SHA-1 of a string, also of one that goes round the circular buffer.
    [Tags]    req:RFC3320-9.1.4-1    req:RFC3320-8.4-1
    Messages Should Be Met    udvm    sha-1

Load
    [Documentation]    LOAD writes a word, most significant octet first.
    [Tags]    req:RFC3320-9.2.1-1
    Messages Should Be Met    udvm    load

Multiload
    [Documentation]    MULTILOAD takes words that it has just loaded, and fails where it would overwrite itself.
    [Tags]    req:RFC3320-9.2.2-1    req:RFC4896-3.2-1
    Messages Should Be Met    udvm    multiload

Stack
    [Documentation]    PUSH, POP, CALL and RETURN.
    [Tags]    req:RFC3320-9.2.3-1    req:RFC3320-9.3.3-1
    Messages Should Be Met    udvm    stack

Empty Stack
    [Documentation]    Popping from an empty stack.
    [Tags]    req:RFC3320-8.3-1
    Messages Should Be Met    udvm    empty-stack

Stack Of 65535
    [Documentation]    A fill of 65535 becomes 0, whatever has been written over it.
    [Tags]    req:RFC4896-3.4-1
    Messages Should Be Met    udvm    stack-of-65535

Copy
    [Documentation]    Copying onto its own source repeats it.
    [Tags]    req:RFC3320-9.2.4-1
    Messages Should Be Met    udvm    copy

Copy Literal
    [Documentation]    COPY-LITERAL sets its destination to what follows, round the circular buffer.
    [Tags]    req:RFC3320-9.2.5-1    req:RFC3320-8.4-1
    Messages Should Be Met    udvm    copy-literal

Copy Offset
    [Documentation]    COPY-OFFSET counts back within the circular buffer.
    [Tags]    req:RFC3320-9.2.6-1
    Messages Should Be Met    udvm    copy-offset

Memset
    [Documentation]    MEMSET counts modulo 256, and goes on where it overwrites the registers.
    [Tags]    req:RFC3320-9.2.7-1    req:RFC3320-8.4-3
    Messages Should Be Met    udvm    memset

Around The Bounds
    [Documentation]    Byte copying from the left of the bounds into them, and to the right of them.
    [Tags]    req:RFC4896-4-1
    Messages Should Be Met    udvm    around-the-bounds

Compare
    [Documentation]    COMPARE goes three ways.
    [Tags]    req:RFC3320-9.3.2-1
    Messages Should Be Met    udvm    compare

Switch
    [Documentation]    SWITCH takes its branch, and fails where there is none.
    [Tags]    req:RFC3320-9.3.4-1
    Messages Should Be Met    udvm    switch

CRC
    [Documentation]    CRC by the rules of byte copying.
    [Tags]    req:RFC3320-9.3.5-1    req:RFC4896-4.1-1
    Messages Should Be Met    udvm    crc

Operands
    [Documentation]    Operands of every encoding.
    [Tags]    req:RFC3320-8.5-1    req:RFC3320-8.7-4
    Messages Should Be Met    udvm    operands

Cycles At First
    [Documentation]    As many cycles as 8.6 grants, and not one more.
    [Tags]    req:RFC3320-8.6-1    req:RFC3320-8.6-3
    Messages Should Be Met    udvm    cycles-at-first

Cycles By Input
    [Documentation]    Each bit of input brings cycles_per_bit more; a request that fails brings none.
    [Tags]    req:RFC3320-8.6-1    req:RFC3320-8.6-2
    Messages Should Be Met    udvm    cycles-by-input

Bit Order
    [Documentation]    P-, F- and H-bit.
    [Tags]    req:RFC3320-8.2-2
    Messages Should Be Met    udvm    bit-order

Bit Order Beyond 7
    [Documentation]    An input_bit_order that is none.
    [Tags]    req:RFC3320-8.2-3
    Messages Should Be Met    udvm    bit-order-beyond-7

P Bit Changes
    [Documentation]    A change of the P-bit discards the rest of an octet, even with a request for no bits.
    [Tags]    req:RFC3320-8.2-1
    Messages Should Be Met    udvm    p-bit-changes

Input Bytes Discards
    [Documentation]    INPUT-BYTES discards the rest of an octet.
    [Tags]    req:RFC3320-9.4.2-1
    Messages Should Be Met    udvm    input-bytes-discards

Too Many Bits
    [Documentation]    More than 16 bits at once.
    [Tags]    req:RFC3320-9.4.3-1    req:RFC3320-9.4.4-2
    Messages Should Be Met    udvm    too-many-bits

Huffman
    [Documentation]    Codes by ranges, none that matches, and input that ends.
    [Tags]    req:RFC3320-9.4.4-1
    Messages Should Be Met    udvm    huffman

Request Beyond The End
    [Documentation]    A request for more than there is leaves what there is.
    [Tags]    req:RFC4896-3.1-1
    Messages Should Be Met    udvm    request-beyond-the-end

Most Output
    [Documentation]    65536 octets of output are possible, one more is not.
    [Tags]    req:RFC3320-9.4.8-1
    Messages Should Be Met    udvm    most-output

LZ77 Loop
    [Documentation]    Literals and matches as decompressors of the LZ77 family write them, round a small circular
    ...    buffer: matches that overlap, and that end where the buffer does.
    [Tags]    req:RFC3320-8.4-1    req:RFC3320-8.6-1    req:RFC3320-9.2.5-1    req:RFC3320-9.2.6-1
    Messages Should Be Met    udvm    lz77-loop

LZSS Codes
    [Documentation]    Codes of LZSS one after another: round a small circular buffer, in every bit order, one that is
    ...    none, text that changes the program, and more literals than the cycles of the header pay for.
    [Tags]    req:RFC3320-8.4-1    req:RFC3320-8.2-2    req:RFC3320-9.3.2-1    req:RFC3320-9.4.4-1
    Messages Should Be Met    udvm    lzss-codes

LZSS Cycles
    [Documentation]    Codes of LZSS with long matches of few bits, which take more cycles than they bring. Expects a
    ...    failure when no cycles are left.
    [Tags]    req:RFC3320-8.6-1    req:RFC3320-8.6-2
    Messages Should Be Met    udvm    lzss-cycles

Written Code
    [Documentation]    A loop that counts in an operand of its own: each round is executed as it has become.
    [Tags]    req:RFC3320-8.5-1
    Messages Should Be Met    udvm    written-code

Long Count
    [Documentation]    A loop that counts for thousands of rounds without input comes to its end.
    [Tags]    req:RFC3320-8.6-1
    Messages Should Be Met    udvm    long-count
