*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The interop matrix of ROHC: each row is one profile, mode and CID type, sent by one implementation and
...              restored by the other, with all traffic of that profile over all conditions of the link. Over a clean
...              link, and one that loses feedback, every packet comes out as it went in. With loss, bursts of loss, bit
...              errors or reordering, a packet comes out unchanged or not at all, except for wrong packets that the
...              CRCs may miss by chance, and most packets that arrive come out. `./headroom interop` runs every pair
...              of implementations; plain Robot Framework runs one pair, ${COMPRESSOR} and ${DECOMPRESSOR}.

Resource         imports.resource

Test Template    Cells Should Interwork

Test Tags        interop    scheme:rohc


*** Test Cases ***                                PROFILE           MODE      CIDS
Uncompressed, U-Mode, Small CIDs                  profile=0x0000    mode=U    cids=small
Uncompressed, U-Mode, Large CIDs                  profile=0x0000    mode=U    cids=large
Uncompressed, O-Mode, Small CIDs                  profile=0x0000    mode=O    cids=small
Uncompressed, O-Mode, Large CIDs                  profile=0x0000    mode=O    cids=large
Uncompressed, R-Mode, Small CIDs                  profile=0x0000    mode=R    cids=small
Uncompressed, R-Mode, Large CIDs                  profile=0x0000    mode=R    cids=large
RTP, U-Mode, Small CIDs                           profile=0x0001    mode=U    cids=small
RTP, U-Mode, Large CIDs                           profile=0x0001    mode=U    cids=large
RTP, O-Mode, Small CIDs                           profile=0x0001    mode=O    cids=small
RTP, O-Mode, Large CIDs                           profile=0x0001    mode=O    cids=large
RTP, R-Mode, Small CIDs                           profile=0x0001    mode=R    cids=small
RTP, R-Mode, Large CIDs                           profile=0x0001    mode=R    cids=large
UDP, U-Mode, Small CIDs                           profile=0x0002    mode=U    cids=small
UDP, U-Mode, Large CIDs                           profile=0x0002    mode=U    cids=large
UDP, O-Mode, Small CIDs                           profile=0x0002    mode=O    cids=small
UDP, O-Mode, Large CIDs                           profile=0x0002    mode=O    cids=large
UDP, R-Mode, Small CIDs                           profile=0x0002    mode=R    cids=small
UDP, R-Mode, Large CIDs                           profile=0x0002    mode=R    cids=large
ESP, U-Mode, Small CIDs                           profile=0x0003    mode=U    cids=small
ESP, U-Mode, Large CIDs                           profile=0x0003    mode=U    cids=large
ESP, O-Mode, Small CIDs                           profile=0x0003    mode=O    cids=small
ESP, O-Mode, Large CIDs                           profile=0x0003    mode=O    cids=large
ESP, R-Mode, Small CIDs                           profile=0x0003    mode=R    cids=small
ESP, R-Mode, Large CIDs                           profile=0x0003    mode=R    cids=large
IP, U-Mode, Small CIDs                            profile=0x0004    mode=U    cids=small
IP, U-Mode, Large CIDs                            profile=0x0004    mode=U    cids=large
IP, O-Mode, Small CIDs                            profile=0x0004    mode=O    cids=small
IP, O-Mode, Large CIDs                            profile=0x0004    mode=O    cids=large
IP, R-Mode, Small CIDs                            profile=0x0004    mode=R    cids=small
IP, R-Mode, Large CIDs                            profile=0x0004    mode=R    cids=large
TCP, Without Feedback, Small CIDs                 profile=0x0006    mode=U    cids=small
TCP, Without Feedback, Large CIDs                 profile=0x0006    mode=U    cids=large
TCP, With Feedback, Small CIDs                    profile=0x0006    mode=O    cids=small
TCP, With Feedback, Large CIDs                    profile=0x0006    mode=O    cids=large
RTP Over UDP-Lite, U-Mode, Small CIDs             profile=0x0007    mode=U    cids=small
RTP Over UDP-Lite, U-Mode, Large CIDs             profile=0x0007    mode=U    cids=large
RTP Over UDP-Lite, O-Mode, Small CIDs             profile=0x0007    mode=O    cids=small
RTP Over UDP-Lite, O-Mode, Large CIDs             profile=0x0007    mode=O    cids=large
RTP Over UDP-Lite, R-Mode, Small CIDs             profile=0x0007    mode=R    cids=small
RTP Over UDP-Lite, R-Mode, Large CIDs             profile=0x0007    mode=R    cids=large
UDP-Lite, U-Mode, Small CIDs                      profile=0x0008    mode=U    cids=small
UDP-Lite, U-Mode, Large CIDs                      profile=0x0008    mode=U    cids=large
UDP-Lite, O-Mode, Small CIDs                      profile=0x0008    mode=O    cids=small
UDP-Lite, O-Mode, Large CIDs                      profile=0x0008    mode=O    cids=large
UDP-Lite, R-Mode, Small CIDs                      profile=0x0008    mode=R    cids=small
UDP-Lite, R-Mode, Large CIDs                      profile=0x0008    mode=R    cids=large
