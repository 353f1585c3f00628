*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Implementations that are right and have other habits than the reference: what RFC 3095 leaves to them
...              is not held against them. Each case asks some cases of the conformance suites of a reference with one
...              such habit (implementations/reference/rohc/habits.h), and expects that every one of them passes.

Resource         imports.resource

Test Template    Other Habits Should Be Right

Test Tags        scheme:rohc    level:must


*** Test Cases ***
CIDs In No Order
    [Documentation]    A compressor may give a flow any CID up to MAX_CID (RFC 3095, 5.1.2 and 6.1): feedback is for the
    ...    one that it has given, and what is seen of a flow is seen of that.
    compressor    {"options": {"habits": ["hashed-cids"]}}
    ...    conformance/rohc/compressor_states/Returns To IR After A While
    ...    conformance/rohc/compressor_states/Returns To FO More Often Than To IR
    ...    conformance/rohc/feedback_to_compressor/STATIC-NACK: UDP
    ...    conformance/rohc/feedback_to_compressor/Feedback For One Of Several Contexts
    ...    conformance/rohc/feedback_to_compressor/Feedback For Contexts That Are Not There
    ...    conformance/rohc/modes/Compressor: O To U
The Highest CIDs First
    [Documentation]    On a channel with large CIDs, all of them take two octets.
    compressor    {"options": {"habits": ["highest-cids"]}}
    ...    conformance/rohc/feedback_to_compressor/Feedback With Large CIDs
    ...    conformance/rohc/feedback_to_compressor/REJECT
    ...    conformance/rohc/framework/Large CIDs On The Link
Types 1 And 2 In The Place Of Type 0
    [Documentation]    Other cases test that the smallest packet is sent (RFC 3095, 5.3.1.2); a case about
    ...    anything else takes type 1 for as good as type 0.
    compressor    {"options": {"habits": ["no-type-0"]}}
    ...    conformance/rohc/compressor_states/Upward Without Feedback
    ...    conformance/rohc/feedback_to_compressor/NACK: RTP
    ...    conformance/rohc/modes/Compressor: O To U, IP Profile
SNs That Soon Wrap Around
    [Documentation]    The SN of profiles 0x0002 and 0x0004 begins with a random value (RFC 3095, 5.11.1), which may be
    ...    one of the last.
    compressor    {"options": {"habits": ["sn-near-end"]}}
    ...    conformance/rohc/feedback_to_compressor/NACK: UDP
    ...    conformance/rohc/modes/Compressor: O To U, IP Profile
IR Packets All The Time
    [Documentation]    How often a compressor returns to the IR state is its own affair (RFC 3095, 5.3.1.1.2).
    compressor    {"options": {"ir_refresh": {"packets": 5, "ms": 100}, "ir_refresh_start": 0}}
    ...    conformance/rohc/compressor_states/Returns To IR In U-Mode: UDP
    ...    conformance/rohc/feedback_to_compressor/STATIC-NACK: IP
Feedback Wherever It May Be
    [Documentation]    ACKs for every packet that may be acknowledged and NACKs for every one that may be refused (RFC
    ...    3095, 5.4.2.2 and 5.7.6), each with a long SN.
    decompressor    {"options": {"ack_updates": true, "nack_every": 1, "ack_ir_in_u_mode": 1, "sn_option": true}}
    ...    conformance/rohc/feedback_from_decompressor/CIDs Of Answers
    ...    conformance/rohc/contexts/Channels
U-Mode Alone
    [Documentation]    Cases that work in any mode run in one that the implementation declares.
    compressor    {"capabilities": {"modes": ["U"]}}
    ...    conformance/rohc/contexts/Channels
    ...    conformance/rohc/ip_id/Random IP-IDs Are Found Out
    ...    conformance/rohc/timestamp/Jitter
    ...    conformance/rohc/initialisation/Compressor Starts With IR: UDP Over IPv4
