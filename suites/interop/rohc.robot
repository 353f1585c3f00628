*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    Who interworks with whom: each row is one profile, mode and CID type, sent by one implementation and
...              restored by the other, with all traffic of that profile over all conditions of the link. Clean, or with
...              feedback lost: every packet comes out as it went in. With loss, bursts of loss, bit errors or
...              reordering: a packet comes out as it was or not at all, but for those that the CRCs are bound to miss,
...              and most of what arrives comes out. `./headroom interop` asks every pair of implementations; plain
...              Robot Framework one, ${COMPRESSOR} and ${DECOMPRESSOR}.

Resource         imports.resource

Test Template    Implementations Should Interwork

Test Tags        interop    scheme:rohc


*** Test Cases ***                                PROFILE    MODE    CIDS
Uncompressed, U-Mode, Small CIDs                  0x0000     U       small
Uncompressed, U-Mode, Large CIDs                  0x0000     U       large
Uncompressed, O-Mode, Small CIDs                  0x0000     O       small
Uncompressed, O-Mode, Large CIDs                  0x0000     O       large
Uncompressed, R-Mode, Small CIDs                  0x0000     R       small
Uncompressed, R-Mode, Large CIDs                  0x0000     R       large
RTP, U-Mode, Small CIDs                           0x0001     U       small
RTP, U-Mode, Large CIDs                           0x0001     U       large
RTP, O-Mode, Small CIDs                           0x0001     O       small
RTP, O-Mode, Large CIDs                           0x0001     O       large
RTP, R-Mode, Small CIDs                           0x0001     R       small
RTP, R-Mode, Large CIDs                           0x0001     R       large
UDP, U-Mode, Small CIDs                           0x0002     U       small
UDP, U-Mode, Large CIDs                           0x0002     U       large
UDP, O-Mode, Small CIDs                           0x0002     O       small
UDP, O-Mode, Large CIDs                           0x0002     O       large
UDP, R-Mode, Small CIDs                           0x0002     R       small
UDP, R-Mode, Large CIDs                           0x0002     R       large
ESP, U-Mode, Small CIDs                           0x0003     U       small
ESP, U-Mode, Large CIDs                           0x0003     U       large
ESP, O-Mode, Small CIDs                           0x0003     O       small
ESP, O-Mode, Large CIDs                           0x0003     O       large
ESP, R-Mode, Small CIDs                           0x0003     R       small
ESP, R-Mode, Large CIDs                           0x0003     R       large
IP, U-Mode, Small CIDs                            0x0004     U       small
IP, U-Mode, Large CIDs                            0x0004     U       large
IP, O-Mode, Small CIDs                            0x0004     O       small
IP, O-Mode, Large CIDs                            0x0004     O       large
IP, R-Mode, Small CIDs                            0x0004     R       small
IP, R-Mode, Large CIDs                            0x0004     R       large
RTP Over UDP-Lite, U-Mode, Small CIDs             0x0007     U       small
RTP Over UDP-Lite, U-Mode, Large CIDs             0x0007     U       large
RTP Over UDP-Lite, O-Mode, Small CIDs             0x0007     O       small
RTP Over UDP-Lite, O-Mode, Large CIDs             0x0007     O       large
RTP Over UDP-Lite, R-Mode, Small CIDs             0x0007     R       small
RTP Over UDP-Lite, R-Mode, Large CIDs             0x0007     R       large
UDP-Lite, U-Mode, Small CIDs                      0x0008     U       small
UDP-Lite, U-Mode, Large CIDs                      0x0008     U       large
UDP-Lite, O-Mode, Small CIDs                      0x0008     O       small
UDP-Lite, O-Mode, Large CIDs                      0x0008     O       large
UDP-Lite, R-Mode, Small CIDs                      0x0008     R       small
UDP-Lite, R-Mode, Large CIDs                      0x0008     R       large
