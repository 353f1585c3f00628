*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    ROHC over ULE: the packets of a compressor are the PDUs of SNDUs with the EtherType 0x22F1 (RFC 4326,
...              4.4), directly, in a bridged frame (5.2), or with others in one SNDU (RFC 5163, 3.2). Expects every
...              packet as it went in, and that the judge reads every ROHC packet from the TS packets.

Resource         imports.resource

Test Template    ROHC Should Be Carried

Test Tags        level:must    scheme:ule    req:RFC4326-4.4-1


*** Test Cases ***             TRAFFIC              CHANNEL OF ROHC, AND OF ULE
RTP, Small CIDs                voip-amr-nb-ipv6     profiles=0x0001    cids=small    flows=10
RTP, Large CIDs                voip-amr-nb-ipv4     profiles=0x0001    cids=large    max_cid=500    flows=200
RTP, Bridged, D = 1            voip-amr-nb-ipv6     flows=10    carrier.bridged=yes    carrier.address=absent
RTP, Bridged, D = 0            voip-amr-nb-ipv4     flows=10    carrier.bridged=yes    carrier.address=present
RTP, Whole Frames              voip-amr-nb-ipv4     profiles=0x0001    flows=10    carrier.ethernet=yes
RTP, D = 1                     voip-amr-nb-ipv6     profiles=0x0001    flows=10    carrier.address=absent
RTP, Padding                   voip-amr-nb-ipv6     profiles=0x0001    flows=10    carrier.packing=padding
RTP, PDU-Concat                voip-amr-nb-ipv6     profiles=0x0001    flows=10    carrier.concat=4
RTP, Extension Headers         voip-amr-nb-ipv6     flows=10    carrier.time_stamp=yes    carrier.padding_words=3
RTP, A PID For Each Channel    voip-amr-nb-ipv6     profiles=0x0001    channels=4    max_cid=3    flows=16
UDP                            udp-dns-like-ipv6    profiles=0x0002    flows=10
ESP                            esp-ipv6             profiles=0x0003    flows=10
IP                             ip-only-ipv4         profiles=0x0004    flows=10
UDP-Lite                       udplite-ipv6         profiles=0x0008    flows=10
RTP Over UDP-Lite              udplite-rtp-ipv6     profiles=0x0007    flows=10
Uncompressed                   fragments            profiles=0x0000    flows=4
O-Mode                         voip-amr-nb-ipv6     profiles=0x0001    mode=O    flows=10
