*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The shortest way through everything: packets in, compressed, over a link, decompressed, compared, a
...              record written.

Resource         imports.resource

Test Template    Flow Should Come Out As It Went In

Test Tags        smoke    scheme:rohc    profile:rtp


*** Test Cases ***              PROFILE                 CHANNEL AND TRAFFIC
RTP Over IPv6, U-Mode           voip-amr-nb-ipv6        mode=U
RTP Over IPv6, O-Mode           voip-amr-nb-ipv6        mode=O
RTP Over IPv4, U-Mode           voip-amr-nb-ipv4        mode=U
RTP Over IPv4, O-Mode           voip-amr-nb-ipv4        mode=O
Ten Flows, Large CIDs           voip-amr-nb-ipv6        mode=O    cids=large    max_cid=1000    flows=10
