*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    SigComp endpoints in calls with each other: --compressor names the caller, --decompressor the called
...              party, and each compresses and decompresses. A row is one mechanism, for implementations that have it,
...              over one transport and link, with every SIP sequence. Over a clean link every message comes out octet
...              by octet, and tshark's UDVM, or the judge made from the RFCs, reads the same on the link. With loss or
...              reordering no message comes out different, and a message that does not come out was lost or refers to
...              state that had not arrived. NACKs travel back over the same link. In several compartments, the same
...              messages and bytecode create state that is one item for all compartments.

Resource         imports.resource

Test Template    Cells Should Interwork

Test Tags        interop    scheme:sigcomp


*** Test Cases ***                     MECHANISM                    TRANSPORT       LINKS              COMPARTMENTS
As They Are, UDP                       mechanism=default            transport=udp   links=clean
As They Are, TCP                       mechanism=default            transport=tcp   links=clean
Stateless Basic, UDP                   mechanism=stateless-basic    transport=udp   links=clean
Stateful Basic, UDP                    mechanism=stateful-basic     transport=udp   links=clean
Stateless Static, UDP                  mechanism=stateless-static   transport=udp   links=clean
Stateful Static, UDP                   mechanism=stateful-static    transport=udp   links=clean
Dynamic, UDP                           mechanism=dynamic            transport=udp   links=clean
Shared, UDP                            mechanism=shared             transport=udp   links=clean
Stateless Basic, TCP                   mechanism=stateless-basic    transport=tcp   links=clean
Stateful Basic, TCP                    mechanism=stateful-basic     transport=tcp   links=clean
Stateless Static, TCP                  mechanism=stateless-static   transport=tcp   links=clean
Stateful Static, TCP                   mechanism=stateful-static    transport=tcp   links=clean
Dynamic, TCP                           mechanism=dynamic            transport=tcp   links=clean
Shared, TCP                            mechanism=shared             transport=tcp   links=clean
Stateful Basic, Loss                   mechanism=stateful-basic     transport=udp   links=loss
Dynamic, Loss                          mechanism=dynamic            transport=udp   links=loss
Shared, Loss                           mechanism=shared             transport=udp   links=loss
Dynamic, Reordering                    mechanism=dynamic            transport=udp   links=reorder
Shared, Reordering                     mechanism=shared             transport=udp   links=reorder
Dynamic, Duplicates                    mechanism=dynamic            transport=udp   links=duplicates
Several Compartments, Stateful Basic   mechanism=stateful-basic     transport=udp   links=clean        compartments=3
Several Compartments, Dynamic          mechanism=dynamic            transport=udp   links=clean        compartments=3
