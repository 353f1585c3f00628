*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The decompressor's states No Context, Static Context and Full Context: RFC 3095, sections 4.3.2, 5.3.2
...              and 5.4.2. The decompressor is alone and gets packets written by hand, 20 ms apart; damaged packets
...              have a wrong CRC. A decompressor chooses the number of failures after which it assumes damage (k out of
...              n); 32 failures in a row suffice for every choice.

Resource         imports.resource

Test Tags        scheme:rohc


*** Test Cases ***
No Context
    [Documentation]    Sends packets of types 0, 1 and 2 and IR-DYN to a context that is not there, then IR. Expects
    ...    that nothing comes out before the IR packet, and everything from it on.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.3.2-1    req:RFC3095-5.1.2-1    req:RFC3095-5.2.6-8
    ...       req:RFC3095-5.3.2.2.1-1    smoke
    A Decompressor    rtp-ipv4
    It Receives       2    UO-0        withheld
    It Receives       2    UO-1-TS     withheld
    It Receives       2    UOR-2-ID    withheld
    It Receives       2    IR-DYN      withheld
    It Receives       1    IR          delivered
    It Receives       5    UO-0        delivered
    So It Should Be

Static Context Without Dynamic Part
    [Documentation]    Sends IR without dynamic chain, then packets of types 0 and 1, then IR-DYN. Expects that nothing
    ...    comes out before the IR-DYN packet, and everything from it on.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.2.2.1-2    req:RFC4815-6.3-1    req:RFC5795-5.2.3-5
    A Decompressor    rtp-ipv4
    It Receives       1    IR without dynamic chain    withheld
    It Receives       2    UO-0                        withheld
    It Receives       2    UO-1-TS                     withheld
    It Receives       1    IR-DYN                      delivered
    It Receives       5    UO-0                        delivered
    So It Should Be

Damage Of The Dynamic Part
    [Documentation]    Sends 32 packets of type 0 with a wrong CRC, then right ones of types 0 and 1, then one of type
    ...    2. Expects that nothing comes out until the packet of type 2, which the decompressor in Static
    ...    Context waits for, and everything after it.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.2.1-1    req:RFC3095-5.3.2.2.1-2    req:RFC3095-5.3.2.2.3-10
    ...       req:RFC3095-5.4.2.2-5
    A Decompressor    rtp-ipv4
    It Receives       3     IR              delivered
    It Receives       10    UO-0            delivered
    It Receives       32    damaged UO-0    withheld
    It Receives       3     UO-0            withheld
    It Receives       2     UO-1-TS         withheld
    It Receives       1     UOR-2-ID        delivered
    It Receives       10    UO-0            delivered
    So It Should Be

Damage Of The Dynamic Part, Mended By IR-DYN
    [Documentation]    As before, but an IR-DYN packet ends it.
    [Tags]    level:must    profile:udp    req:RFC3095-5.3.2.2.1-2    req:RFC3095-5.3.2.2.3-10
    A Decompressor    udp-ipv4
    It Receives       3     IR              delivered
    It Receives       10    UO-0            delivered
    It Receives       32    damaged UO-0    withheld
    It Receives       3     UO-0            withheld
    It Receives       1     IR-DYN          delivered
    It Receives       10    UO-0            delivered
    So It Should Be

Damage Of The Static Part
    [Documentation]    Sends 32 packets of type 0 and then 24 of type 2 with a wrong CRC, then right packets of type 2
    ...    and IR-DYN, then IR. Expects that nothing comes out until the IR packet, which the decompressor
    ...    in No Context waits for.
    [Tags]    level:must    profile:rtp    req:RFC3095-5.3.2.2.1-1    req:RFC3095-5.3.2.2.3-12
    A Decompressor    rtp-ipv4
    It Receives       3     IR                  delivered
    It Receives       10    UO-0                delivered
    It Receives       32    damaged UO-0        withheld
    It Receives       24    damaged UOR-2-ID    withheld
    It Receives       2     UOR-2-ID            withheld
    It Receives       2     IR-DYN              withheld
    It Receives       1     IR                  delivered
    It Receives       10    UO-0                delivered
    So It Should Be

Occasional Failures
    [Documentation]    Sends a packet with a wrong CRC after each ten right ones, five times, in O-mode. Expects that
    ...    the right ones are delivered: the decompressor stays in Full Context.
    [Tags]    level:must    profile:rtp    req:RFC3095-4.3.2-1
    A Decompressor    rtp-ipv4    mode=O
    It Receives       3           IR              delivered
    It Receives       10          UO-0            delivered
    It Receives       1           damaged UO-0    withheld
    It Receives       10          UO-0            delivered
    It Receives       1           damaged UO-0    withheld
    It Receives       10          UO-0            delivered
    It Receives       1           damaged UO-0    withheld
    It Receives       10          UO-0            delivered
    It Receives       1           damaged UO-0    withheld
    It Receives       10          UO-0            delivered
    It Receives       1           damaged UO-0    withheld
    It Receives       10          UO-0            delivered
    So It Should Be

No NACK For Occasional Failures
    [Documentation]    Sends a packet with a wrong CRC after each ten right ones, in O-mode. Expects no NACK.
    [Tags]    level:should    profile:rtp    req:RFC3095-5.3.2.2.3-7
    A Decompressor    rtp-ipv4    mode=O
    It Receives       3           IR
    It Receives       10          UO-0            delivered    none
    It Receives       1           damaged UO-0    withheld     none
    It Receives       10          UO-0            delivered    none
    It Receives       1           damaged UO-0    withheld     none
    It Receives       10          UO-0            delivered    none
    It Receives       1           damaged UO-0    withheld     none
    It Receives       10          UO-0            delivered    none
    It Receives       1           damaged UO-0    withheld     none
    So It Should Be

NACK For Damage
    [Documentation]    Sends 32 packets of type 0 with a wrong CRC in O-mode. Expects a NACK.
    [Tags]    level:should    profile:rtp    req:RFC3095-5.3.2.2.3-8    req:RFC3095-5.3.2.2.3-9
    A Decompressor    rtp-ipv4    mode=O
    It Receives       3           IR              delivered
    It Receives       10          UO-0            delivered
    It Receives       32          damaged UO-0    withheld    some NACK(O)
    So It Should Be

STATIC-NACK For Static Damage
    [Documentation]    Sends 32 packets of type 0 and 24 of type 2 with a wrong CRC in O-mode. Expects a STATIC-NACK.
    [Tags]    level:should    profile:rtp    req:RFC3095-5.3.2.2.3-11
    A Decompressor    rtp-ipv4    mode=O
    It Receives       3           IR                  delivered
    It Receives       10          UO-0                delivered
    It Receives       32          damaged UO-0        withheld
    It Receives       24          damaged UOR-2-ID    withheld    some STATIC-NACK(O)
    So It Should Be

Any Success Leads To Full Context
    [Documentation]    Sends IR packets in each state: in No Context, in Static Context and in Full Context. Expects
    ...    that each is delivered and that packets of type 0 after it are.
    [Tags]    level:must    profile:ip    req:RFC3095-5.3.2.1-1    req:RFC3095-5.3.2.2.1-1    req:RFC3095-5.3.2.2.3-10
    A Decompressor    ip-ipv4
    It Receives       1     IR               delivered
    It Receives       5     UO-0             delivered
    It Receives       32    damaged UO-0     withheld
    It Receives       1     IR               delivered
    It Receives       5     UO-0             delivered
    It Receives       32    damaged UO-0     withheld
    It Receives       24    damaged UOR-2    withheld
    It Receives       1     IR               delivered
    It Receives       5     UO-0             delivered
    So It Should Be
