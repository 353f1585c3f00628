*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Extension headers: RFC 4326, 5, and RFC 5163, 3. Chains of headers that a receiver gets, and those that
...              an encapsulator sends.

Resource         imports.resource

Test Tags        level:must    scheme:ule


*** Test Cases ***
Optional Headers Of Each Length
    [Documentation]    Section 5. Sends unknown optional headers with an H-LEN of 1 to 5. Expects the PDUs after them,
    ...    or nothing: 8 has them skipped, 7.2 discarded.
    [Tags]    req:RFC4326-5-1
    Vectors Should Be Received    optional-headers

Chains
    [Documentation]    Section 5. Sends several headers, one behind another. Expects the PDUs.
    [Tags]    req:RFC4326-5-1    req:RFC4326-5-4    req:RFC4326-7.2-8
    Vectors Should Be Received    chain

Unknown Mandatory Headers
    [Documentation]    Section 7.2. Sends mandatory headers that are not known. Expects that their SNDUs are discarded
    ...    and counted, and the SNDUs after them passed on.
    [Tags]    req:RFC4326-5-1    req:RFC4326-7.2-9    req:RFC4326-7.2-10
    Vectors Should Be Received    mandatory-unknown    mandatory-unknown-behind-optional

Chains Beyond The End
    [Documentation]    Section 5. Sends chains that the SNDU ends too early for. Expects nothing of them, and the SNDUs
    ...    after them.
    [Tags]    req:RFC4326-5-1
    Vectors Should Be Received    chain-beyond-the-end    chain-without-a-type

Test SNDUs
    [Documentation]    Section 5.1. Sends Test SNDUs, with and without an address. Expects that they are discarded.
    [Tags]    req:RFC4326-5.1-3
    Vectors Should Be Received    test-sndu    test-sndu-addressed

Bridged Frames Sent
    [Documentation]    Section 5.2. Sends IP packets in frames, and frames with an EtherType and with an LLC length.
    ...    Expects them after the last extension header.
    [Tags]    req:RFC4326-5.2-1    req:RFC4326-5.2-4
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv6 60    bridged=yes    padding_words=2
    PDUs Should Be Encapsulated By The Rules    frame 60    frame 1514    llc 46 of 46    llc 20 of 46

Frames That Say More Than They Hold
    [Documentation]    Sections 5.2 and 10. Gives an encapsulator frames whose LLC length is greater than their payload.
    ...    Expects that they are refused: no receiver may take them. One that sends them breaks no rule of its own.
    [Tags]    req:RFC4326-5.2-1
    PDUs Should Be Refused    llc 47 of 46    llc 1500 of 46

Bridged Frames Received
    [Documentation]    Section 5.2. Sends frames with and without an address, and after another header. Expects them,
    ...    as frames or as the packets in them.
    [Tags]    req:RFC4326-5.2-3
    Vectors Should Be Received    bridged    bridged-behind-optional

Bridged Frames For Others
    [Documentation]    Section 5.2. Sends frames to another receiver, to a group, and without an address. Expects the
    ...    last two.
    [Tags]    req:RFC4326-5.2-2    req:RFC4326-5.2-3
    Vectors Should Be Received    bridged-addresses

LLC Lengths
    [Documentation]    Sections 5.2 and 10. Sends frames whose LLC length is greater than their payload. Expects that
    ...    they are discarded and counted; a field of 1536 and more is no length.
    [Tags]    req:RFC4326-5.2-5    req:RFC4326-10-1    req:RFC4326-10-2
    Vectors Should Be Received    llc-length-too-large    llc-length-1535    bridged-too-short

Extension-Padding Sent
    [Documentation]    Section 5.3. Sends Extension-Padding of one to five words. Expects an H-LEN that says so, zeros,
    ...    and the Type of the PDU at its end.
    [Tags]    req:RFC4326-4.2-1    req:RFC4326-5-1    req:RFC4326-5.3-1
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv6 60    padding_words=1
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv6 60    padding_words=2    address=absent
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv6 60    padding_words=5

Extension-Padding Received
    [Documentation]    Section 5.3. Sends Extension-Padding of one to five words that are not zero. Expects that they
    ...    are ignored, but for the Type.
    [Tags]    req:RFC4326-5.3-2
    Vectors Should Be Received    padding-header

TS-Concat
    [Documentation]    RFC 5163, section 3.1. Sends one and two TS packets in an SNDU. Expects them one by one.
    [Tags]    req:RFC5163-3.1-1    req:RFC5163-3.1-3
    Vectors Should Be Received    ts-concat    ts-concat-behind-optional

TS-Concat Of Parts
    [Documentation]    RFC 5163, section 3.1. Sends 187 and 189 octets. Expects that all are discarded, and counted.
    [Tags]    req:RFC5163-3.1-1    req:RFC5163-3.1-2
    Vectors Should Be Received    ts-concat-187    ts-concat-189

PDU-Concat
    [Documentation]    RFC 5163, section 3.2. Sends several PDUs in an SNDU, of odd lengths, after other headers, in
    ...    bridged frames. Expects them one by one.
    [Tags]    req:RFC5163-3.2-13
    Vectors Should Be Received    pdu-concat    pdu-concat-bridged    pdu-concat-behind-optional

PDU-Concat With An R Bit
    [Documentation]    RFC 5163, section 3.2. Sends an R bit of 1 in front of each PDU. Expects that it is ignored.
    [Tags]    req:RFC5163-3.2-4
    Vectors Should Be Received    pdu-concat-r-bit

PDU-Concat And Addresses
    [Documentation]    RFC 5163, section 3.2. Sends PDUs to another receiver, and to a group. Expects all of the latter.
    [Tags]    req:RFC5163-3.2-6
    Vectors Should Be Received    pdu-concat-addresses

PDU-Concat Of Unsupported Types
    [Documentation]    RFC 5163, section 3.2. Sends PDUs of an unknown type, and PDU-Concat within itself. Expects that
    ...    they are discarded, and counted.
    [Tags]    req:RFC5163-3.2-11    req:RFC5163-3.2-12
    Vectors Should Be Received    pdu-concat-type

PDU-Concat Whose Lengths Are Wrong
    [Documentation]    RFC 5163, section 3.2. Sends a last PDU that is shorter than its length, and octets after it.
    ...    Expects no partial PDU, and that the whole SNDU is discarded and counted.
    [Tags]    req:RFC5163-3.2-13    req:RFC5163-3.2-14    req:RFC5163-3.2-15    req:RFC5163-3.2-16
    Vectors Should Be Received    pdu-concat-partial    pdu-concat-discarded-as-a-whole    pdu-concat-remainder

Time Stamps Sent
    [Documentation]    RFC 5163, section 3.3. Sends packets at times of an hour of Universal Time, which is not that
    ...    of the injected clock. Expects the microseconds past the hour, zero at its beginning.
    [Tags]    req:RFC5163-3.3-1
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv6 60 at 1us    ipv4 60 at 123456789us
    ...    ipv4 60 at 1709999999us    ipv4 60 at 1710000000us    ipv4 60 at 7300000005us    time_stamp=yes
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv6 60 at 1us    ipv4 60 at 3599999999us
    ...    ipv4 60 at 3600000000us    time_stamp=yes    universal_time_ns=0
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv4 60 at 400us    ipv4 60 at 800us    time_stamp=yes
    ...    concat=3    universal_time_ns=3599999500000

Time Stamps With Extension-Padding
    [Documentation]    RFC 5163, section 3.3. Sends time stamps and Extension-Padding in one chain. Expects both.
    [Tags]    req:RFC5163-3.3-1    req:RFC4326-5.3-1
    PDUs Should Be Encapsulated By The Rules    ipv4 60 at 5us    ipv6 60 at 70us    time_stamp=yes    padding_words=3

Time Stamps Received
    [Documentation]    RFC 5163, section 3.3. Sends time stamps. Expects the PDUs after them.
    [Tags]    req:RFC5163-3.3-4
    Vectors Should Be Received    time-stamp

Test SNDUs Sent
    [Documentation]    Section 5.1. Has Test SNDUs sent between PDUs, alone and after other headers. Expects the header
    ...    of Test SNDUs at the end of its chain, and the PDUs as they are.
    [Tags]    req:RFC4326-5.1-1
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv4 60 at 5000us    ipv6 300 at 5001us    tests=1:100,2:500
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv4 60 at 5000us    tests=0:1    address=absent
    ...    time_stamp=yes    padding_words=2

PDU-Concat Sent
    [Documentation]    RFC 5163, section 3.2. Sends PDUs of several types and addresses, in turn, that may share SNDUs.
    ...    Expects one type and one address in each, an R bit of 0, and all PDUs.
    [Tags]    req:RFC5163-3.2-2    req:RFC5163-3.2-3
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv4 61    ipv6 60    ipv6 62    ipv4 60    frame 70
    ...    ipv4 60 to 224.0.0.1    ipv4 60 to 224.0.0.1    ipv4 60 to 224.0.0.2    concat=4    sndus=6
    PDUs Should Be Encapsulated By The Rules    ipv4 60    ipv4 61    ipv6 60    ipv4 63 to 224.0.0.1    bridged=yes
    ...    address=absent    concat=3
    Traffic Should Be Encapsulated By The Rules    voip-mixed    flows=20    packets=400    concat=8
    ...    concat_threshold_us=2000    padding_words=1

PDU-Concat Of The Longest PDUs
    [Documentation]    RFC 5163, section 3.2. Sends PDUs that fill an SNDU, and one of 32,758 octets, which is too long
    ...    for it. Expects the former, and that the latter is refused.
    [Tags]    req:RFC5163-3.2-5
    PDUs Should Be Encapsulated By The Rules    ipv4 20000    ipv4 20000    ipv4 32757    ipv4 60    address=absent
    ...    concat=4
    PDUs Should Be Refused    ipv4 32758    address=absent    concat=4

The PDU Packing Threshold
    [Documentation]    RFC 5163, section 3.2. Sends PDUs a microsecond before and after the threshold of an SNDU, into
    ...    padded TS packets, so that an SNDU leaves when it is made. Expects that it leaves at the threshold.
    [Tags]    req:RFC5163-3.2-7    req:RFC5163-3.2-8    req:RFC5163-3.2-9    req:RFC5163-3.2-10
    PDUs Should Be Encapsulated By The Rules    ipv4 40    ipv4 40 at 499us    concat=9    concat_threshold_us=500
    ...    packing=padding    sndus=1
    PDUs Should Be Encapsulated By The Rules    ipv4 40    ipv4 40 at 501us    concat=9    concat_threshold_us=500
    ...    packing=padding    sndus=2
    PDUs Should Be Encapsulated By The Rules    ipv4 40    ipv4 40 at 200us    ipv4 40 at 300us    concat=2
    ...    concat_threshold_us=500    packing=padding    sndus=2

TS-Concat Sent
    [Documentation]    RFC 5163, section 3.1. Sends TS packets that may share SNDUs, before and behind its threshold.
    ...    Expects whole TS packets, and that an SNDU leaves when it is full, and at the threshold.
    [Tags]    req:RFC5163-3.1-5    req:RFC5163-3.1-6    req:RFC5163-3.1-7    req:RFC5163-3.1-8
    PDUs Should Be Encapsulated By The Rules    ts 49    ts 49    ts 50    ts 51    ts 49    concat=2    sndus=3
    PDUs Should Be Encapsulated By The Rules    ts 49    ts 50 at 799us    ts 50 at 801us    concat=9
    ...    concat_threshold_us=800    packing=padding    sndus=2
    PDUs Should Be Encapsulated By The Rules    ts 49    ipv4 60    ts 50    concat=3    sndus=3

Null Packets In TS-Concat
    [Documentation]    RFC 5163, section 3.1. Gives null packets to be sent. Expects that they are refused.
    [Tags]    -level:must    level:should    req:RFC5163-3.1-4
    PDUs Should Be Refused    ts 8191    ts 8191
