*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Each row runs cases on the reference with wrong outputs that also ends the process, at each place of an
...              adapter's life in turn, in ways that the seed chooses: an exit status, a signal, a forged result, shut
...              descriptors. Each case must fail or be an error, which blames nobody else.

Resource         imports.resource

Test Template    No End Should Help

Test Tags        level:must    wrong-outputs


*** Test Cases ***    SCHEME    OUTPUT    CHANGE    CASES
GTP-U Packets
    [Tags]    scheme:gtpu
    gtpu    forwarded    altered    gtpu/tunnels/Both Ways    pfcp/usage/Volume Threshold
PFCP Messages
    [Tags]    scheme:gtpu
    gtpu    n4    cut    pfcp/sessions/Establishment
IPHC Compressor
    [Tags]    scheme:iphc
    iphc    compressed    altered    iphc/packet_types/Types On The Link
ROHC Compressor
    [Tags]    scheme:rohc
    rohc    compressed    altered    rohc/crc/CRCs Of The Compressor
ROHC Decompressor
    [Tags]    scheme:rohc
    rohc    decompressed    altered    rohc/packet_types/RTP Over IPv4, U-Mode
ROHC Feedback
    [Tags]    scheme:rohc
    rohc    reverse    dropped    rohc/feedback_from_decompressor/Answers To IR
SigComp Messages Sent
    [Tags]    scheme:sigcomp
    sigcomp    compressed    altered    sigcomp/feedback/Parameters Are Told
SigComp Messages Received
    [Tags]    scheme:sigcomp
    sigcomp    decompressed    altered    sigcomp/messages/Destinations
TAROC Decompressor
    [Tags]    scheme:taroc
    taroc    decompressed    altered    taroc/decompressor/Fields Of WASI
ULE Receiver
    [Tags]    scheme:ule
    ule    decompressed    altered    ule/receiver/Packing And Padding
VJ Compressor
    [Tags]    scheme:vj
    vj    compressed    altered    vj/compressor/Data In One Direction
VJ Decompressor
    [Tags]    scheme:vj
    vj    decompressed    altered    vj/decompressor/Changes
