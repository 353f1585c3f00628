*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    A freedom is a choice that specifications leave to an implementation. Each case runs conformance suites
...              against a double, which is the reference with one freedom used (doubles.yaml of each scheme), and
...              expects that no case of these suites fails. `./headroom test --doubles` runs all suites; these cases
...              run only those that the freedom concerns.

Resource         imports.resource

Test Template    No Case Should Fail

Test Tags        level:must    doubles


*** Test Cases ***
GTP-U Few Features
    [Documentation]    Of all features it declares the choice of tunnel endpoints alone.
    [Tags]    scheme:gtpu
    gtpu-few-features
IPHC Never Compresses
    [Documentation]    All packets keep their regular headers.
    [Tags]    scheme:iphc
    iphc-never-compresses
IPHC Full Headers For Changes
    [Documentation]    COMPRESSED_TCP_NODELTA is never sent; full headers take its place.
    [Tags]    scheme:iphc
    iphc-full-headers-for-changes
IPHC No Datagrams
    [Documentation]    What is not TCP keeps its regular headers, and that is declared.
    [Tags]    scheme:iphc
    iphc-no-datagrams
IPHC Leaves Checksums To TCP
    [Documentation]    What the context gives is passed on, be the TCP checksum right or wrong.
    [Tags]    scheme:iphc
    iphc-leaves-checksums-to-tcp
IPHC Drops Wrong Checksums
    [Documentation]    A packet whose TCP checksum is wrong is dropped without an attempt to repair it.
    [Tags]    scheme:iphc
    iphc-drops-wrong-checksums
IPHC Requests Once
    [Documentation]    One header is requested in an hour.
    [Tags]    scheme:iphc
    iphc-requests-once
IPHC Requests At Once
    [Documentation]    A header is requested as soon as a packet meets a context that is out of date, each
    ...    time.
    [Tags]    scheme:iphc
    iphc-requests-at-once
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
    [Documentation]    An IP-ID that jumps by up to 4,096 is still taken for a counter.
    [Tags]    scheme:rohc
    ip-id-as-it-is
Padding
    [Documentation]    Two octets of padding stand in front of every packet, and of every segment.
    [Tags]    scheme:rohc
    padding
TCP Without Replication
    [Documentation]    Contexts of ROHC-TCP begin with IR packets alone.
    [Tags]    scheme:rohc
    tcp-without-replication
Deaf To ACKs
    [Documentation]    Acknowledgements are not used, but for those of R-mode and those that change the mode.
    [Tags]    scheme:rohc
    deaf-to-acks
Deaf To Advice
    [Documentation]    LOSS, JITTER, CLOCK and CONTEXT_MEMORY change nothing.
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
    [Documentation]    In R-mode, after those that must be sent, one of sixty updates is acknowledged.
    [Tags]    scheme:rohc
    few-acks-in-r-mode
Impatient
    [Documentation]    Two CRC failures of four packets are damage of the context, and every further one is answered.
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
SigComp Without State
    [Documentation]    Messages are compressed without any state at the peer.
    [Tags]    scheme:sigcomp
    sigcomp-without-state
SigComp Shared
    [Documentation]    Messages are compressed against all that was sent and received, by DEFLATE.
    [Tags]    scheme:sigcomp
    sigcomp-shared
SigComp Without Dictionaries
    [Documentation]    There is no dictionary.
    [Tags]    scheme:sigcomp
    sigcomp-without-dictionaries
SigComp Plain
    [Documentation]    There is no optional feature beyond compression.
    [Tags]    scheme:sigcomp
    sigcomp-plain
SigComp Tells Nothing
    [Documentation]    Messages never say what their endpoint offers.
    [Tags]    scheme:sigcomp
    sigcomp-tells-nothing
TAROC Narrow Window
    [Documentation]    Estimates are as small as the draft has them, so that the window is narrow and CO state begins
    ...    soon.
    [Tags]    scheme:taroc
    taroc-narrow-window
TAROC Wide Window
    [Documentation]    The window holds as much as possible, and IR state lasts.
    [Tags]    scheme:taroc
    taroc-wide-window
TAROC Rescues
    [Documentation]    The third transmission of a segment goes as UNCOMPRESSED_TCP.
    [Tags]    scheme:taroc
    taroc-rescues
ULE Test SNDUs
    [Documentation]    A Test SNDU goes out, unasked, after each seventh PDU, and may fill a TS packet before its
    ...    Packing Threshold.
    [Tags]    scheme:ule
    ule-test-sndus
ULE Counts Nothing
    [Documentation]    Errors are not counted.
    [Tags]    scheme:ule
    ule-counts-nothing
ULE Bare Types
    [Documentation]    IP packets are passed on without their type, which their first octet tells.
    [Tags]    scheme:ule
    ule-bare-types
VJ Never Compresses
    [Documentation]    Every packet that could be compressed goes as UNCOMPRESSED_TCP.
    [Tags]    scheme:vj
    vj-never-compresses
VJ Compresses Now And Then
    [Documentation]    One packet of three is compressed, and two go as UNCOMPRESSED_TCP.
    [Tags]    scheme:vj
    vj-compresses-now-and-then
VJ Mends Checksums
    [Documentation]    A packet with a wrong IP checksum is compressed, and comes out with a right one (RFC 1144, 3.1).
    [Tags]    scheme:vj
    vj-mends-checksums
VJ Cuts Padding
    [Documentation]    Octets after the total length of IP do not travel; they are no data of the packet.
    [Tags]    scheme:vj
    vj-cuts-padding
VJ Refuses Ipv6
    [Documentation]    What is not IPv4 is refused.
    [Tags]    scheme:vj
    vj-refuses-ipv6
VJ Sixteen Slots Sent
    [Documentation]    There are sixteen slots, and no other number can be had.
    [Tags]    scheme:vj
    vj-sixteen-slots-sent
VJ Sixteen Slots Received
    [Documentation]    There are sixteen slots, and no other number can be had.
    [Tags]    scheme:vj
    vj-sixteen-slots-received
