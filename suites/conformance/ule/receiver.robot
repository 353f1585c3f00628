*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The receiver of RFC 4326, 3 and 7: TS packets written by hand, right and damaged, in and out of order.
...              Which units come out is a MUST; which errors are counted, a SHOULD.

Resource         imports.resource

Test Tags        level:must    scheme:ule


*** Test Cases ***
Examples Of Appendix A
    [Documentation]    Appendix A.1 to A.5. Sends the TS packets that are drawn there. Expects their PDUs.
    [Tags]    req:RFC4326-4.2-1    req:RFC4326-7-4    req:RFC4326-7.1.1-2    req:RFC4326-7.2-12
    Vectors Should Be Received    appendix-a*

Octets That Are Left
    [Documentation]    Section 6.2. Sends TS packets in which 0, 1, 2, 3 and 4 octets are left behind an SNDU, with and
    ...    without PUSI. Expects the PDUs, and no error.
    [Tags]    req:RFC4326-7-4    req:RFC4326-7.2-13    req:RFC4326-7.2-14
    Vectors Should Be Received    left-*

Packing And Padding
    [Documentation]    Section 7. Sends packed and padded SNDUs in one stream. Expects all PDUs.
    [Tags]    req:RFC4326-7-4
    Vectors Should Be Received    packed-and-padded    three-packed

Adaptation Fields
    [Documentation]    Section 3. Sends TS packets with an adaptation field control of 00, 10 and 11. Expects that they
    ...    are discarded.
    [Tags]    req:RFC4326-3-3
    Vectors Should Be Received    adaptation-field    adaptation-field-alone    adaptation-field-reserved

PIDs
    [Documentation]    Section 7. Interleaves two PIDs, one of them with a gap, and PIDs that are none of the
    ...    receiver's. Expects the SNDUs of each PID.
    [Tags]    req:RFC4326-7-1
    Vectors Should Be Received    pids    pid-with-an-error    other-pids

Payload Pointers Above 181
    [Documentation]    Section 7. Sends Payload Pointers of 182, 183 and 255, the first two with as many octets of an
    ...    SNDU after them. Expects that the SNDU is discarded, and the error counted.
    [Tags]    req:RFC4326-7-2    req:RFC4326-7-3
    Vectors Should Be Received    pointer-182    pointer-183    pointer-255

Idle State
    [Documentation]    Section 7.1.1. Sends TS packets without PUSI, and with Payload Pointers up to 181, to an idle
    ...    receiver. Expects the SNDUs that begin, and no other.
    [Tags]    req:RFC4326-7.1-1    req:RFC4326-7.1.1-1    req:RFC4326-7.1.1-2
    Vectors Should Be Received    idle-without-pusi    idle-pointer    pointer-181

Lengths That Cannot Be
    [Documentation]    Section 7.2. Sends Lengths of 0, 4 and 0xFFFF. Expects that the rest of the TS packet is
    ...    discarded, and the error counted.
    [Tags]    req:RFC4326-7.2-1    req:RFC4326-7.2-2
    Vectors Should Be Received    length-0    length-4    length-ffff

A Wrong CRC
    [Documentation]    Section 7.2. Sends SNDUs with a wrong CRC. Expects that they are discarded, and the error
    ...    counted.
    [Tags]    req:RFC4326-4.6-3    req:RFC4326-7.2-3    req:RFC4326-7.2-4
    Vectors Should Be Received    crc-wrong

Behind A Wrong CRC
    [Documentation]    Section 7.2. Puts an SNDU behind one with a wrong CRC. Expects that the rest of the TS packet is
    ...    discarded.
    [Tags]    -level:must    level:should    req:RFC4326-7.2-5
    Vectors Should Be Received    crc-wrong-drops-the-rest

The End Of An SNDU
    [Documentation]    Section 7.2 i to iii. Ends SNDUs with their TS packets, an octet before, and before an SNDU that
    ...    a PUSI of 0 rules out. Expects that the receiver is idle after them.
    [Tags]    req:RFC4326-7.2-11    req:RFC4326-7.2-12    req:RFC4326-7.2-13    req:RFC4326-7.2-15
    Vectors Should Be Received    sndu-ends-with-its-ts-packet    one-octet-left    one-octet-left-that-is-not-ff
    ...    behind-an-sndu-without-pusi

Payload Pointers That Do Not Match
    [Documentation]    Section 7.2.1. Sends Payload Pointers of less and more than the SNDU lacks, and of zero. Expects
    ...    that the partial SNDU is discarded, and the error counted.
    [Tags]    req:RFC4326-7.2.1-1    req:RFC4326-7.2.1-2
    Vectors Should Be Received    pointer-too-small    pointer-too-large    pointer-0-within-an-sndu

Transport Errors
    [Documentation]    Section 7.3. Sets the transport error indicator within an SNDU. Expects that the partial SNDU is
    ...    discarded, and the error counted.
    [Tags]    req:RFC4326-7.3-1    req:RFC4326-7.3-2    req:RFC4326-7.3-3
    Vectors Should Be Received    transport-error    transport-error-within-an-sndu

Duplicates
    [Documentation]    Section 7.3. Sends TS packets twice and three times. Expects each SNDU once, and no error.
    [Tags]    req:RFC4326-7.3-4
    Vectors Should Be Received    duplicates

Gaps
    [Documentation]    Section 7.3. Loses a TS packet within an SNDU, and swaps two. Expects that the partial SNDU is
    ...    discarded, and the errors counted; a counter that wraps is no gap.
    [Tags]    req:RFC4326-7.3-5    req:RFC4326-7.3-6
    Vectors Should Be Received    gap    gap-backwards    gap-with-a-beginning    counter-wraps
