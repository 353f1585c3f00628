*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Three readings of the link between two nodes: the judge made from the RFCs, tshark, and the
...              sender.
...
...              A slow trial over network namespaces, both ways at once, while the link keeps a capture. The judge
...              restores every packet, and what it restores is what was sent, octet by octet. tshark reads the same on
...              the link wherever it can read ROHC: packet type, CID, SN, CRC and more of the RTP profile, IR packets
...              of all; the rest is counted with the reason. And it reads the same as we do in what was sent: of GTP-U
...              the tunnel, the QFI and the user's packet. SENT says whether the nodes compress. Rows need
...              `--topology netns`; `./headroom decode` shows such a capture packet by packet.

Resource         imports.resource

Test Template    All Decoders Should Agree On The Link

Test Tags        performance    scheme:rohc


*** Test Cases ***               SCHEME    PROFILE             SENT          MODE                        FLOWS
RTP Over IPv4, Small CIDs        rohc      voip-amr-nb-ipv4    compressed    U, small CIDs               10
RTP Over IPv6, Large CIDs        rohc      voip-amr-nb-ipv6    compressed    U                           40
RTP With Feedback Piggybacked    rohc      voip-mixed          compressed    O piggybacked, small CIDs   10
GTP-U                            rohc      gtpu-imix           as it is      U, small CIDs               40
GTP-U In ROHC                    rohc      gtpu-imix           compressed    U                           40
