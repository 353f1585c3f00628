*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Link packets that are damaged, cut short, made longer or no packets. Each is sent alone to a fresh
...              context, and an IR packet follows. They are made from every vector of resources/vectors/rohc, and the
...              judge reads each of them. Expected is that nothing comes out that the judge does not read in the
...              packet, that the context recovers, and that the adapter survives. The number of damaged headers that
...              come out is compared with what CRCs allow: a CRC of w bits misses an error with the probability 2^-w,
...              and never one that it detects for certain.

Resource         imports.resource

Test Tags        level:must    robustness    scheme:rohc


*** Test Cases ***
Truncations
    [Documentation]    Sends each packet cut at every octet of its header and the first of its payload. Expects what the
    ...    suite says.
    [Tags]    req:RFC5795-5.2.3-4
    Damaged Packets Should Be Withstood    truncated

Single Bit Errors
    [Documentation]    Sends each packet once for every bit of its header, that bit flipped. Of these, at most as many
    ...    as chance explains (99.9 %) may come out. Expects what the suite says.
    [Tags]    req:RFC3095-5.3.2.2.2-1    req:RFC5795-5.2.3-1
    Damaged Packets Should Be Withstood    one bit flipped

Errors In The CRC
    [Documentation]    Sends each packet with other bits in its CRC field, everything else as it was. None may come out.
    ...    Expects what the suite says.
    [Tags]    req:RFC3095-5.2.6-5    req:RFC3095-5.2.6-6    req:RFC3095-5.3.2.2.2-1
    Damaged Packets Should Be Withstood    CRC bits flipped

Bursts No Longer Than The CRC
    [Documentation]    Sends each packet with a burst of errors in an octet that stands for itself, no longer than the
    ...    CRC. None may come out: a CRC detects these for certain. Expects what the suite says.
    [Tags]    req:RFC5795-5.3.1.1-3    req:RFC5795-5.3.1.2-1    req:RFC5795-5.3.1.3-1
    Damaged Packets Should Be Withstood    short bursts

Random Octets
    [Documentation]    Sends octets drawn at random, alone and after a right first octet. At most as many as chance
    ...    explains (99.9 %) may come out. Expects what the suite says.
    [Tags]    req:RFC5795-5.2.3-4
    Damaged Packets Should Be Withstood    random octets

Packets That Are Too Long
    [Documentation]    Sends each packet with octets appended, up to more than an IP packet can have. Expects what the
    ...    suite says.
    [Tags]    req:RFC5795-5.2.3-4
    Damaged Packets Should Be Withstood    octets appended

Packets Twice
    [Documentation]    Sends each packet twice. Expects what the suite says.
    [Tags]    req:RFC3095-4.5.1-2
    Damaged Packets Should Be Withstood    repeated

Feedback That Is Hostile
    [Documentation]    Gives a compressor two hundred feedback elements of random octets, for contexts that are there
    ...    and others, in O-mode. Expects that it survives and that every packet after them is still right.
    [Tags]    req:RFC3095-5.7.6.10-1    req:RFC3095-5.7.6.3-1
    Hostile Feedback Should Be Withstood    200
