*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The optimistic approach: RFC 3095, sections 5.3.1.1.1 and 4.3.1. Each row sends a regular flow of 80
...              packets that changes at packet 41, in sixteen copies. Each copy loses other packets at the change:
...              none, the first one to eight, single packets after it, every second packet. Expected is that the judge
...              finds nothing wrong on the link; that at least two packets in a row carry the change, so that the loss
...              of one does no harm; and that the decompressor delivers, in every copy, all packets that can be
...              restored from those that arrived. `carried_by` in the result is the number of packets in a row that
...              carry the change.

Resource         imports.resource

Test Template    Change Should Survive Losses

Test Tags        level:must    req:RFC3095-4.3.1.2-1    req:RFC3095-4.3.1.3-1    req:RFC3095-4.5.2-1
...              req:RFC3095-5.3.1.1.1-1    req:RFC3095-5.3.1.1.3-1    scheme:rohc


*** Test Cases ***                           FLOW                CHANGE
RTP: TTL                                     rtp-ipv4            ttl to 61
RTP: TOS                                     rtp-ipv4            tos to 184
RTP: DF                                      rtp-ipv4            df to 0
RTP: All Of The IP Header                    rtp-ipv4            ttl to 9 and tos to 8 and df to 0
RTP: Payload Type                            rtp-ipv4            pt to 13
RTP: Padding Bit                             rtp-ipv4            padding to 4
RTP: Extension Bit                           rtp-ipv4            x to 1
RTP: Marker                                  rtp-ipv4            marker
RTP: Talk Spurt                              rtp-ipv4            ts by 3200 and marker
RTP: Timestamp Off The Grid                  rtp-ipv4            ts by 12345
RTP: Timestamp Backwards                     rtp-ipv4            ts by 4294966016
RTP: Larger Step                             rtp-ipv4            step to 240
RTP: Step Of Zero                            rtp-ipv4            step to 0
RTP: Gap Of 20                               rtp-ipv4            sn by 20 and ts by 3200 and ip-id by 20
RTP: Sequence Number Jumps                   rtp-ipv4            sn by 1000
RTP: Sequence Number Half Around             rtp-ipv4            sn by 32768
RTP: IP-ID Jumps                             rtp-ipv4            ip-id by 3
RTP: IP-ID Jumps Far                         rtp-ipv4            ip-id by 20000
RTP: IP-ID Becomes Random                    rtp-ipv4            ip-id to random
RTP: IP-ID Becomes Swapped                   rtp-ipv4            ip-id to swapped
RTP: IP-ID Becomes Constant                  rtp-ipv4            ip-id to constant
RTP: UDP Checksum Comes                      rtp-ipv4            checksum to on
RTP: SSRC                                    rtp-ipv4            ssrc to 4711
RTP: Everything                              rtp-ipv4            ttl to 3, pt to 5, sn by 300, ts by 777, ip-id by 999
RTP Over IPv6: Hop Limit                     rtp-ipv6            ttl to 61
RTP Over IPv6: Traffic Class                 rtp-ipv6            tos to 184
RTP Over IPv6: Flow Label                    rtp-ipv6            flow-label to 74565
RTP Over IPv6: Talk Spurt                    rtp-ipv6            ts by 3200 and marker
RTP Over IPv6: Larger Step                   rtp-ipv6            step to 240
RTP, Two IPv4 Headers: Outer TTL             rtp-ipv4-in-ipv4    outer-ttl to 9
RTP, Two IPv4 Headers: Outer IP-ID Random    rtp-ipv4-in-ipv4    outer-ip-id to random
RTP, Two IPv4 Headers: Outer IP-ID Jumps     rtp-ipv4-in-ipv4    outer-ip-id by 500
RTP, Two IPv4 Headers: Both TOS              rtp-ipv4-in-ipv4    outer-tos to 8 and tos to 4
RTP, IPv6 In IPv4: Outer IP-ID Jumps         rtp-ipv6-in-ipv4    outer-ip-id by 500
RTP, IPv4 In IPv6: Both TTLs                 rtp-ipv4-in-ipv6    outer-ttl to 8 and ttl to 4
UDP: TTL                                     udp-ipv4            ttl to 61
UDP: TOS And DF                              udp-ipv4            tos to 184 and df to 0
UDP: IP-ID Jumps                             udp-ipv4            ip-id by 40
UDP: IP-ID Becomes Random                    udp-ipv4            ip-id to random
UDP: IP-ID Becomes Swapped                   udp-ipv4            ip-id to swapped
UDP: UDP Checksum Comes                      udp-ipv4            checksum to on
UDP Over IPv6: Hop Limit                     udp-ipv6            ttl to 61
IP: TTL                                      ip-ipv4             ttl to 61
IP: TOS And DF                               ip-ipv4             tos to 184 and df to 0
IP: IP-ID Jumps                              ip-ipv4             ip-id by 40
IP: IP-ID Becomes Random                     ip-ipv4             ip-id to random
IP: IP-ID Becomes Constant                   ip-ipv4             ip-id to constant
IP Over IPv6: Traffic Class                  ip-ipv6             tos to 184
IP, Two IPv4 Headers: Outer TTL              ip-ipv4-in-ipv4     outer-ttl to 9
