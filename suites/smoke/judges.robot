*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Two judges: what the reference compresses is restored by a decompressor made from the RFCs alone, and
...              tshark reads the same packet types, CIDs, sequence numbers and CRCs on the link.

Resource         imports.resource

Test Template    Every Judge Should Agree

Test Tags        smoke    scheme:rohc


*** Test Cases ***                  PROFILE                     CHANNEL AND TRAFFIC
RTP Over IPv4, U-Mode               voip-amr-nb-ipv4            mode=U
RTP Over IPv6, O-Mode               voip-amr-nb-ipv6            mode=O
Talk Spurts, Three Flows            voip-amr-nb-ipv4-silence    mode=O    flows=3
