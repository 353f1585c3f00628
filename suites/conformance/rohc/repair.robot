*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    A decompressor after a failed CRC: RFC 3095, sections 5.3.2.2.3 to 5.3.2.2.5. Packets are written by
...              hand and sent 20 ms apart. After a long loss the SN bits have wrapped around. A poisoned packet has a
...              residual error that no CRC detects, so that the decompressor has a wrong reference afterwards. No
...              update follows: only a repair can help.

Resource         imports.resource

Test Tags        scheme:rohc


*** Test Cases ***
SN Wrap-Around: RTP
    [Documentation]    Sends 20 packets of type 0, loses 20 with the time that they take, and goes on with packets of
    ...    type 0. Expects that the third one behind the gap is delivered, and all behind it.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.2.2.3-1    req:RFC3095-5.3.2.2.3-3
    A Decompressor    rtp-ipv4
    It Receives       3     IR      delivered
    It Receives       20    UO-0    delivered
    It Receives       20    lost
    It Receives       2     UO-0    delivered or withheld
    It Receives       20    UO-0    delivered
    So It Should Be

SN Wrap-Around: RTP Over IPv6
    [Documentation]    Sends 20 packets of type 0, loses 20 with the time that they take, and goes on with packets of
    ...    type 0. Expects that the third one behind the gap is delivered, and all behind it.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.2.2.3-1    req:RFC3095-5.3.2.2.3-3
    A Decompressor    rtp-ipv6
    It Receives       3     IR      delivered
    It Receives       20    UO-0    delivered
    It Receives       20    lost
    It Receives       2     UO-0    delivered or withheld
    It Receives       20    UO-0    delivered
    So It Should Be

SN Wrap-Around: UDP
    [Documentation]    Sends 20 packets of type 0, loses 27 with the time that they take, and goes on with packets of
    ...    type 0. Expects that the third one behind the gap is delivered, and all behind it.
    [Tags]    level:must    profile:udp    req:RFC3095-5.3.2.2.3-1    req:RFC3095-5.3.2.2.3-3
    A Decompressor    udp-ipv4
    It Receives       3     IR      delivered
    It Receives       20    UO-0    delivered
    It Receives       27    lost
    It Receives       2     UO-0    delivered or withheld
    It Receives       20    UO-0    delivered
    So It Should Be

SN Wrap-Around: First Two Packets
    [Documentation]    Sends 20 packets of type 0, loses 20 with the time that they take, and goes on. Expects that the
    ...    first two packets after the gap are not delivered.
    [Tags]    level:should    profile:rtp    req:RFC3095-5.3.2.2.4-1    req:RFC3095-5.3.2.2.4-2
    A Decompressor    rtp-ipv4
    It Receives       3     IR      delivered
    It Receives       20    UO-0    delivered
    It Receives       20    lost
    It Receives       2     UO-0    withheld
    It Receives       5     UO-0    delivered
    So It Should Be

A Correction That Fails
    [Documentation]    Sends 20 packets of type 0, loses 20 with the time that they take, and goes on with a right
    ...    packet and a damaged one. Expects that neither comes out: the damaged one shows that the correction
    ...    is not proven, and the one before it has not been delivered by then.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.2.2.4-3
    A Decompressor    rtp-ipv4
    It Receives       3     IR              delivered
    It Receives       20    UO-0            delivered
    It Receives       20    lost
    It Receives       1     UO-0            withheld
    It Receives       1     damaged UO-0    withheld
    It Receives       8     UO-0            delivered or withheld
    It Receives       1     IR              delivered
    It Receives       10    UO-0            delivered
    So It Should Be

SN Wrap-Around Of Longer Loss
    [Documentation]    Sends 20 packets of type 0, loses 40 with the time that they take, and goes on. Expects that
    ...    nothing wrong is delivered, and everything after the next IR packet.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.2.2.2-1
    A Decompressor    rtp-ipv4
    It Receives       3     IR      delivered
    It Receives       20    UO-0    delivered
    It Receives       40    lost
    It Receives       12    UO-0    delivered or withheld
    It Receives       1     IR      delivered
    It Receives       10    UO-0    delivered
    So It Should Be

Wrong Reference
    [Documentation]    Sends 20 packets of type 0, a poisoned one, and goes on. Expects that the third one behind it is
    ...    delivered, and all after it.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.2.2.3-5
    A Decompressor    rtp-ipv4
    It Receives       3     IR               delivered
    It Receives       20    UO-0             delivered
    It Receives       1     poisoned UO-0    anything
    It Receives       2     UO-0             delivered or withheld
    It Receives       20    UO-0             delivered
    So It Should Be

Wrong Reference: First Two Packets
    [Documentation]    Sends 20 packets of type 0, a poisoned one, and goes on. Expects that the first two behind it are
    ...    not delivered.
    [Tags]    level:should    profile:rtp    req:RFC3095-5.3.2.2.5-2
    A Decompressor    rtp-ipv4
    It Receives       3     IR               delivered
    It Receives       20    UO-0             delivered
    It Receives       1     poisoned UO-0    anything
    It Receives       2     UO-0             withheld
    It Receives       5     UO-0             delivered
    So It Should Be

A Repair That Fails
    [Documentation]    Sends 20 packets of type 0, a poisoned one, a right one and a damaged one. Expects that neither
    ...    comes out: the damaged one shows that the repair is not proven, and the one before it has not
    ...    been delivered by then.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.2.2.5-1    req:RFC3095-5.3.2.2.5-3
    A Decompressor    rtp-ipv4
    It Receives       3     IR               delivered
    It Receives       20    UO-0             delivered
    It Receives       1     poisoned UO-0    anything
    It Receives       1     UO-0             withheld
    It Receives       1     damaged UO-0     withheld
    It Receives       8     UO-0             delivered or withheld
    It Receives       1     IR               delivered
    It Receives       10    UO-0             delivered
    So It Should Be

A Repair Whose Third Packet Fails
    [Documentation]    Sends 20 packets of type 0, a poisoned one, two right ones and a damaged one. Expects that none
    ...    of them comes out.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.2.2.5-1    req:RFC3095-5.3.2.2.5-3
    A Decompressor    rtp-ipv4
    It Receives       3     IR               delivered
    It Receives       20    UO-0             delivered
    It Receives       1     poisoned UO-0    anything
    It Receives       2     UO-0             withheld
    It Receives       1     damaged UO-0     withheld
    It Receives       1     IR               delivered
    It Receives       10    UO-0             delivered
    So It Should Be

IR Ends Every Repair
    [Documentation]    Sends 20 packets of type 0, a poisoned one, a right one, then IR. Expects that the IR packet and
    ...    all after it are delivered at once.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.2.2.3-10    req:RFC5795-5.2.2-1
    A Decompressor    rtp-ipv4
    It Receives       3     IR               delivered
    It Receives       20    UO-0             delivered
    It Receives       1     poisoned UO-0    anything
    It Receives       1     UO-0             delivered or withheld
    It Receives       1     IR               delivered
    It Receives       10    UO-0             delivered
    So It Should Be
