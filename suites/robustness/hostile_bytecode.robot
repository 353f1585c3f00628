*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Messages whose bytecode is meant to take an endpoint's time or memory: the attack of maenpaa-2005,
...              11.7, and worse (resources/vectors/sigcomp/cases/hostile.yaml). Expected is that each fails with its
...              reason of RFC 4077, within the UDVM cycles of RFC 3320, 8.6, and that fifty of them leave no more in
...              memory than one. If an endpoint has the feature `guard`, the messages must fail with the guard on and
...              off, and the guard must bound the work, too: it must prove that bytecode with `seen_through=yes`
...              never ends. A source beyond its allowance must be refused, while other sources are
...              served. A flood consists of messages that are allowed one by one, and that together are meant to
...              exhaust an endpoint. Time is virtual. One verdict depends on a clock, that of the processor: an attack
...              of which eight messages a second fill a core, as in 2005, fails the case.

Resource         imports.resource

Test Tags        level:must    robustness    scheme:sigcomp


*** Test Cases ***
The Attack Of The Thesis
    [Documentation]    The attack of maenpaa-2005, 11.7, hashes one octet until the cycles have ended.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    thesis    seen_through=yes

Chain Of Hashes
    [Documentation]    Each hash is that of the one before it.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    chain-of-hashes    seen_through=yes

Hashes Of Nothing
    [Documentation]    A hash of nothing is one cycle, and costs a whole block of SHA-1.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    hashes-of-nothing    seen_through=yes

Hashes Without Jumps
    [Documentation]    Hashes of nothing in a row, with hardly a jump between them.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    hashes-without-jumps    seen_through=yes

Jump
    [Documentation]    The shortest loop there is.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    jump    seen_through=yes

Colliding Jumps
    [Documentation]    Jumps whose addresses differ in the high octet only: keeping instructions does not help.
    [Tags]    req:RFC3320-8.6-1
    Attack Should Fail Within Bounds    colliding-jumps

Sixteen Bits Count
    [Documentation]    A counter that goes round.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    sixteen-bits-count    seen_through=yes

Calls
    [Documentation]    A subroutine that is called again and again.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    calls    seen_through=yes

Copies In A Small Ring
    [Documentation]    Copies that go round a circular buffer of one octet.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    copies-in-a-small-ring    seen_through=yes

Copies Of Nothing
    [Documentation]    Copies of nothing.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    copies-of-nothing    seen_through=yes

Memset
    [Documentation]    All of the memory is set, over and over.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    memset    seen_through=yes

Sorting There And Back
    [Documentation]    A list is sorted, and then the other way round.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    sorting-there-and-back    seen_through=yes

Multiload
    [Documentation]    Many words are loaded by one instruction.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    multiload    seen_through=yes

CRC
    [Documentation]    A CRC over nearly all of the memory.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    crc    seen_through=yes

Dictionary
    [Documentation]    The dictionary is read, over and over.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    dictionary    seen_through=yes

Hashes For Each Bit
    [Documentation]    Three hashes for each bit of input, so that nothing is proven, and no end but giving up.
    [Tags]    req:RFC3320-8.6-1
    Attack Should Fail Within Bounds    hashes-for-each-bit

Self Modifying
    [Documentation]    A loop that writes its own operand in each round.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    self-modifying

Self Modifying Hashes
    [Documentation]    A loop that writes its own operand, and hashes of nothing: cycles do not bound what it costs.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    self-modifying-hashes

Output Bomb
    [Documentation]    More output than a message may have.
    [Tags]    req:RFC3320-9.4.8-1
    Attack Should Fail Within Bounds    output-bomb    seen_through=yes

Input Huffman
    [Documentation]    Codes are looked for that are not there.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    input-huffman    seen_through=yes

State Bomb
    [Documentation]    More states than a message may create.
    [Tags]    req:RFC3320-9.4.6-1
    Attack Should Fail Within Bounds    state-bomb

Stack Bomb
    [Documentation]    A subroutine that calls itself until the stack has filled the memory.
    [Tags]    req:RFC3320-9.3.3-1
    Attack Should Fail Within Bounds    stack-bomb

Long Instruction In Little Memory
    [Documentation]    A message leaves hardly any memory, and has an instruction of more cycles than there are octets.
    [Tags]    req:RFC3320-8.6-1
    Attack Should Fail Within Bounds    long-instruction

Arithmetic
    [Documentation]    Each instruction that reckons, over and over.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    arithmetic    seen_through=yes

Loading
    [Documentation]    The same word is loaded, over and over.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    loading    seen_through=yes

Comparing
    [Documentation]    A comparison that leads to itself.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    comparing    seen_through=yes

Switching
    [Documentation]    A switch that leads to itself.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    switching    seen_through=yes

Push And Pop
    [Documentation]    A word goes onto the stack and comes down again.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    push-and-pop    seen_through=yes

Literal Copies
    [Documentation]    Copies that go on where the last one ended, round a circular buffer.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    literal-copies    seen_through=yes

Input Of Nothing
    [Documentation]    No octets and no bits are taken from the message, over and over.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    input-of-nothing    seen_through=yes

Output Of Nothing
    [Documentation]    Nothing is put out, over and over.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    output-of-nothing    seen_through=yes

Multiload Over Itself
    [Documentation]    Words are loaded over the code that runs.
    [Tags]    req:RFC3320-8.6-3
    Attack Should Fail Within Bounds    multiload-over-itself    seen_through=yes

Free Bomb
    [Documentation]    More states are freed than a message may.
    [Tags]    req:RFC3320-9.4.7-1
    Attack Should Fail Within Bounds    free-bomb

Flood Of Feedback
    [Documentation]    A peer returns unrequested feedback, requests the longest item there is, and announces other
    ...    parameters and sixty other states with each message.
    Flood Should Leave Nothing Behind    feedback

Flood Of States
    [Documentation]    Eight compartments fill their state memory again and again; a ninth finds what it has stored.
    [Tags]    req:RFC3320-6.2-1
    Flood Should Leave Nothing Behind    states

Flood Of Octets
    [Documentation]    Messages that are longer than the memory which they would be decompressed in.
    [Tags]    req:RFC3320-8.7-3
    Flood Should Leave Nothing Behind    octets

Source That Takes Too Much Work
    [Documentation]    A source attacks until what it may cost is spent, and is refused; another goes on talking.
    Source Should Be Refused Beyond Its Allowance    work    thesis

Source Whose Messages Fail
    [Documentation]    A source sends nothing but failures, and is refused; another goes on talking.
    Source Should Be Refused Beyond Its Allowance    failures    state-bomb

Source That Nobody Knows
    [Documentation]    A source of which nothing has been accepted attacks; one that is known goes on talking.
    Source Should Be Refused Beyond Its Allowance    strangers    thesis
