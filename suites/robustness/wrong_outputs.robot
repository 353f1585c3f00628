*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Each row runs conformance suites on the reference with all outputs of one kind changed in one way, and
...              expects that each case about these outputs notices. OTHERS is how many cases may pass: those about
...              other outputs, and those in which there is none to change. SUITES: by default all of the scheme.

Resource         imports.resource

Test Template    Suites Should Notice

Test Tags        level:must    wrong-outputs


*** Test Cases ***    SCHEME    OUTPUT    CHANGE    OTHERS    SUITES
GTP-U Packets
    [Tags]    scheme:gtpu
    gtpu    forwarded    altered    32
    gtpu    forwarded    dropped    33
    gtpu    forwarded    doubled    32
    gtpu    forwarded    delayed    33
    gtpu    forwarded    aside    32
    gtpu    forwarded    passed    64
GTP-U Messages
    [Tags]    scheme:gtpu
    gtpu    taken    altered    103
    gtpu    taken    doubled    104
PFCP Messages
    [Tags]    scheme:gtpu
    gtpu    n4    altered    11    conformance/pfcp/association    conformance/pfcp/errors    conformance/pfcp/sessions
    ...    conformance/pfcp/usage
    gtpu    n4    cut    0    conformance/pfcp/association    conformance/pfcp/errors    conformance/pfcp/sessions
    ...    conformance/pfcp/usage
IPHC Compressor
    [Tags]    scheme:iphc
    iphc    compressed    altered    19
    iphc    compressed    refused    19
IPHC Decompressor
    [Tags]    scheme:iphc
    iphc    decompressed    altered    52
    iphc    decompressed    doubled    52
    iphc    decompressed    passed    70
ROHC Compressor
    [Tags]    scheme:rohc
    rohc    compressed    altered    0    crc    framework    initialisation    packet_types    profile_udp
    ...    profile_tcp_formats
    rohc    compressed    refused    0    crc    framework    initialisation    packet_types    profile_udp
    ...    profile_tcp_formats
ROHC Decompressor
    [Tags]    scheme:rohc
    rohc    decompressed    altered    13    crc    framework    initialisation    packet_types    profile_udp
    ...    profile_tcp_formats
    rohc    decompressed    doubled    13    crc    framework    initialisation    packet_types    profile_udp
    ...    profile_tcp_formats
    rohc    decompressed    passed    13    crc    framework    decompressor_states    profile_tcp_states
ROHC Feedback
    [Tags]    scheme:rohc
    rohc    reverse    altered    1    feedback_from_decompressor    r_mode_acknowledgements    profile_tcp_feedback
    rohc    reverse    dropped    8    feedback_from_decompressor    r_mode_acknowledgements    profile_tcp_feedback
SigComp Messages Sent
    [Tags]    scheme:sigcomp
    sigcomp    compressed    altered    0    feedback
SigComp Messages Received
    [Tags]    scheme:sigcomp
    sigcomp    decompressed    altered    21    messages    rfc4465    udvm
    sigcomp    decompressed    doubled    5    messages    streams
SigComp NACKs
    [Tags]    scheme:sigcomp
    sigcomp    reverse    dropped    11    nack
TAROC Compressor
    [Tags]    scheme:taroc
    taroc    compressed    altered    0
    taroc    compressed    refused    0
TAROC Decompressor
    [Tags]    scheme:taroc
    taroc    decompressed    altered    14
    taroc    decompressed    doubled    14
    taroc    decompressed    passed    22
ULE Encapsulator
    [Tags]    scheme:ule
    ule    compressed    altered    44
    ule    compressed    dropped    44
ULE Receiver
    [Tags]    scheme:ule
    ule    decompressed    altered    43
    ule    decompressed    doubled    43
    ule    decompressed    passed    73
VJ Compressor
    [Tags]    scheme:vj
    vj    compressed    altered    1
    vj    compressed    refused    3
VJ Decompressor
    [Tags]    scheme:vj
    vj    decompressed    altered    17
    vj    decompressed    doubled    17
    vj    decompressed    passed    27
