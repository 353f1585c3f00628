*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    What specifications leave open is an implementation's freedom. Each case asks the conformance suites of
...              a double of the reference, which uses some of it (doubles.yaml of each scheme), and expects that none
...              of their cases fails. `./headroom test --doubles` asks all suites; these cases ask those in question.

Resource         imports.resource

Test Template    No Case Should Fail

Test Tags        level:must


*** Test Cases ***
One IR
    [Documentation]    A new flow has one IR packet, and then goes on; how many give confidence is left open.
    [Tags]    scheme:rohc
    one-ir
Fifty IRs
    [Documentation]    A new flow has fifty IR packets before it goes on.
    [Tags]    scheme:rohc
    fifty-irs
One Packet Of Confidence
    [Documentation]    Every change is sent once, and W-LSB encoded fields count from the last packet alone.
    [Tags]    scheme:rohc
    one-packet-of-confidence
Eight Packets Of Confidence
    [Documentation]    Every change is sent eight times.
    [Tags]    scheme:rohc
    eight-packets-of-confidence
No Type 0
    [Documentation]    Packets of types 1 and 2 are sent where type 0 would do.
    [Tags]    scheme:rohc
    no-type-0
Type 2 Only
    [Documentation]    Packets of type 2 are sent where types 0 and 1 would do.
    [Tags]    scheme:rohc
    type-2-only
Hashed CIDs
    [Documentation]    Flows have CIDs in no order (RFC 3095, 5.1.2 and 6.1).
    [Tags]    scheme:rohc
    hashed-cids
Highest CIDs
    [Documentation]    The first flow has the highest CID, so that all large CIDs take two octets.
    [Tags]    scheme:rohc
    highest-cids
SN Near End
    [Documentation]    Generated SNs begin at random among the last ones, and soon wrap around (RFC 3095, 5.11.1).
    [Tags]    scheme:rohc
    sn-near-end
Mode Restarts
    [Documentation]    A CID that is reused with the same profile starts in U-mode.
    [Tags]    scheme:rohc
    mode-restarts
Refreshes All The Time
    [Documentation]    The compressor returns to the IR state every five packets, and to the FO state less often.
    [Tags]    scheme:rohc
    refreshes-all-the-time
Refreshes Stop
    [Documentation]    Once an ACK(U) has come, refreshes all but stop.
    [Tags]    scheme:rohc
    refreshes-stop
IP ID As It Is
    [Documentation]    Random IP-IDs are not detected; each is sent as a change.
    [Tags]    scheme:rohc
    ip-id-as-it-is
Padding
    [Documentation]    Two octets of padding stand in front of every packet, and of every segment.
    [Tags]    scheme:rohc
    padding
Deaf To ACKs
    [Documentation]    Acknowledgements are not used, but for those that change the mode.
    [Tags]    scheme:rohc
    deaf-to-acks
Deaf To Advice
    [Documentation]    LOSS, JITTER, CLOCK, REJECT and CONTEXT_MEMORY change nothing.
    [Tags]    scheme:rohc
    deaf-to-advice
U Mode Compressor
    [Documentation]    The compressor knows U-mode alone, and declines others.
    [Tags]    scheme:rohc
    u-mode-compressor
RTP Compressor
    [Documentation]    Profiles 0x0000 and 0x0001 are all that there is.
    [Tags]    scheme:rohc
    rtp-compressor
UDP Compressor
    [Documentation]    Profiles 0x0000 and 0x0002 are all that there is, so that RTP goes as UDP.
    [Tags]    scheme:rohc
    udp-compressor
Plain Compressor
    [Documentation]    There is no optional feature.
    [Tags]    scheme:rohc
    plain-compressor
Sparse ACKs
    [Documentation]    One of three ACKs of U- and O-mode is sent, the last.
    [Tags]    scheme:rohc
    sparse-acks
Very Sparse ACKs
    [Documentation]    One of fifteen ACKs of U- and O-mode is sent, the last.
    [Tags]    scheme:rohc
    very-sparse-acks
Feedback 1
    [Documentation]    ACKs in U-mode that need no CRC go as FEEDBACK-1, which has no mode (RFC 3095, 5.7.6.1).
    [Tags]    scheme:rohc
    feedback-1
All Feedback
    [Documentation]    Every packet that may be acknowledged is, and every one that may be refused; each with a long SN.
    [Tags]    scheme:rohc
    all-feedback
Few ACKs In R Mode
    [Documentation]    In R-mode, behind those that must be sent, one of sixty updates is acknowledged.
    [Tags]    scheme:rohc
    few-acks-in-r-mode
No Repairs
    [Documentation]    CRC failures are not repaired.
    [Tags]    scheme:rohc
    no-repairs
Impatient
    [Documentation]    One CRC failure is damage of the context, and is told.
    [Tags]    scheme:rohc
    impatient
Patient
    [Documentation]    Damage is assumed after sixteen failures of twenty.
    [Tags]    scheme:rohc
    patient
Asks For Unknown Contexts
    [Documentation]    STATIC-NACK goes out for a CID that no IR packet has used, too.
    [Tags]    scheme:rohc
    asks-for-unknown-contexts
U Mode Decompressor
    [Documentation]    The decompressor never asks for another mode.
    [Tags]    scheme:rohc
    u-mode-decompressor
RTP Decompressor
    [Documentation]    Profiles 0x0000 and 0x0001 are all that there is.
    [Tags]    scheme:rohc
    rtp-decompressor
Plain Decompressor
    [Documentation]    There is no optional feature.
    [Tags]    scheme:rohc
    plain-decompressor
