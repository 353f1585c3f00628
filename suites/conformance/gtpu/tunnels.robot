*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Tunnels: 3GPP TS 29.281, 7.3, and the packets that they carry. Packets pass unchanged in both
...              directions, except for the hop limit, which may be decremented. Packets of unknown tunnels are answered
...              with an Error Indication, and no others are.

Resource         imports.resource

Test Tags        scheme:gtpu


*** Test Cases ***
Both Ways
    [Documentation]    Sends packets of 28 to 1,400 octets up and down. Expects each of them once, unchanged, in the
    ...    downlink with a container that has the QFI.
    [Tags]    req:TS29244-8.2.26-2    req:TS29244-8.2.64-1    req:TS29281-4.4.2.3-1    req:TS29281-5.1-5
    ...       req:TS29281-5.2.2.7-1    req:TS38415-5.5.2.1-1    level:must
    User Plane Should Follow    tunnels    both ways

No Sequence Number And One Container
    [Documentation]    Sends the packets of `Both Ways`. Expects G-PDUs without a sequence number, whose container comes
    ...    first.
    [Tags]    req:TS29281-5.1-9    req:TS29281-5.2.2.7-2    level:should
    User Plane Should Follow    tunnels    both ways

Unknown TEID
    [Documentation]    Sends a G-PDU into a tunnel that does not exist. Expects that it is discarded, and an Error
    ...    Indication with its TEID and its destination address.
    [Tags]    req:TS29281-7.3.1-1    req:TS29281-7.3.1-2    req:TS29281-7.3.1-3    req:TS29281-7.3.1-4
    ...       req:TS29281-4.4.2.4-1    level:must
    User Plane Should Follow    tunnels    unknown TEID

Unknown TEID Over IPv6
    [Documentation]    Sends a G-PDU over IPv6 into a tunnel that does not exist. Expects an Error Indication over IPv6.
    [Tags]    req:TS29281-7.3.1-2    req:TS29281-7.3.1-4    level:must
    User Plane Should Follow    tunnels    unknown TEID over IPv6

TEID Of A Deleted Session
    [Documentation]    Sends a G-PDU into the tunnel of a session that was deleted. Expects an Error Indication.
    [Tags]    req:TS29281-7.3.1-1    req:TS29281-7.3.1-2    level:must
    User Plane Should Follow    tunnels    TEID of a deleted session

TEID 0
    [Documentation]    Sends a G-PDU with the TEID 0. Expects that nothing comes back.
    [Tags]    req:TS29281-7.3.1-5    level:should
    User Plane Should Follow    tunnels    TEID 0

No Error Indication For An Error Indication
    [Documentation]    Sends Error Indications about tunnels that do not exist. Expects that nothing comes back.
    [Tags]    req:TS29281-7.3.1-8    level:must
    User Plane Should Follow    tunnels    no Error Indication for an Error Indication

No Error Indication Without A Rule
    [Documentation]    Sends a packet that no PDR of its session matches. Expects that it is dropped and not
    ...    answered.
    [Tags]    req:TS29281-7.3.1-6    req:TS29244-5.2.1-3    level:must
    User Plane Should Follow    tunnels    no Error Indication without a rule

End Marker With An Unknown TEID
    [Documentation]    Sends an End Marker into a tunnel that does not exist. Expects that it is ignored.
    [Tags]    req:TS29281-7.3.2-1    level:must
    User Plane Should Follow    tunnels    End Marker with an unknown TEID

End Marker Ends Nothing In The Uplink
    [Documentation]    Sends an End Marker into a tunnel of the uplink. Expects that packets still go through.
    [Tags]    req:TS29281-7.3.1-8    level:must
    User Plane Should Follow    tunnels    End Marker ends nothing in the uplink

End Marker Is Passed On
    [Documentation]    Sends an End Marker into a tunnel that is passed on into another. Expects it there.
    [Tags]    req:TS29281-7.3.2-2    req:TS29281-5.1-10    level:must
    User Plane Should Follow    tunnels    End Marker is passed on

Tunnel To Tunnel
    [Documentation]    Sends packets from a tunnel of another user plane to the base station, and back.
    [Tags]    req:TS29244-8.2.26-2    level:must
    User Plane Should Follow    tunnels    tunnel to tunnel

Tunnel Over IPv6
    [Documentation]    Sends packets both ways through a tunnel over IPv6.
    [Tags]    req:TS29244-8.2.56-1    level:must
    User Plane Should Follow    tunnels    tunnel over IPv6

Users Of IPv6
    [Documentation]    Sends packets of two addresses of a prefix both ways, and one of another prefix.
    [Tags]    req:TS29244-8.2.62-1    req:TS29244-5.2.1-2    level:must
    User Plane Should Follow    tunnels    users of IPv6

Users Of IPv6 Over IPv6
    [Documentation]    Sends packets of IPv6 both ways through a tunnel over IPv6.
    [Tags]    req:TS29244-8.2.56-1    req:TS29244-8.2.62-1    level:must
    User Plane Should Follow    tunnels    users of IPv6 over IPv6

Fragments Of The Tunnel
    [Documentation]    Sends a G-PDU in fragments of the outer IP, in their order and in the other. Expects its
    ...    packet.
    [Tags]    req:RFC1122-3.3.2-1    level:must
    User Plane Should Follow    tunnels    fragments of the tunnel

Fragments Of Users
    [Documentation]    Sends fragments of a user through the tunnel. Expects each as it is.
    [Tags]    req:TS29244-8.2.26-2    level:must
    User Plane Should Follow    tunnels    fragments of users

Source Address Of Another User
    [Documentation]    Sends a packet whose source address is not the session's. Expects that it is dropped and not
    ...    answered.
    [Tags]    req:TS29244-5.2.1-2    req:TS29281-7.3.1-6    level:must
    User Plane Should Follow    tunnels    source address of another user

Addresses Without A Session
    [Documentation]    Sends a packet of the data network to an address that no session has.
    [Tags]    req:TS29244-5.2.1-3    level:must
    User Plane Should Follow    tunnels    addresses without a session
