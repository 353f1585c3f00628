*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    SigComp endpoints that have calls with each other: the compressor asked is the caller's, the
...              decompressor asked the called party's, and each compresses and decompresses. A row is one mechanism,
...              for those that have it, over one transport and link, with every SIP sequence. Without harm every
...              message comes out octet by octet, and tshark's UDVM, or the judge made from the RFCs, reads the same on
...              the link. With loss or reordering none comes out different, and one that does not come out was lost or
...              refers to state that was on its way; NACKs travel back over the same link.

Resource         imports.resource

Test Template    Calls Should Be Understood

Test Tags        interop    scheme:sigcomp


*** Test Cases ***                    MECHANISM           TRANSPORT    LINK
As They Are, UDP                      default             udp
As They Are, TCP                      default             tcp
Stateless Basic, UDP                  stateless-basic     udp
Stateful Basic, UDP                   stateful-basic      udp
Stateless Static, UDP                 stateless-static    udp
Stateful Static, UDP                  stateful-static     udp
Dynamic, UDP                          dynamic             udp
Shared, UDP                           shared              udp
Stateless Basic, TCP                  stateless-basic     tcp
Stateful Basic, TCP                   stateful-basic      tcp
Stateless Static, TCP                 stateless-static    tcp
Stateful Static, TCP                  stateful-static     tcp
Dynamic, TCP                          dynamic             tcp
Shared, TCP                           shared              tcp
Stateful Basic, Loss                  stateful-basic      udp          loss
Dynamic, Loss                         dynamic             udp          loss
Shared, Loss                          shared              udp          loss
Dynamic, Reordering                   dynamic             udp          reorder
Shared, Reordering                    shared              udp          reorder
Dynamic, Duplicates                   dynamic             udp          duplicates
Several Compartments, Stateful Basic
    [Documentation]    The same bytecode is state of each compartment: expects that it is one item for all of them.
    [Template]    Calls In Several Compartments Should Be Understood
    stateful-basic
Several Compartments, Dynamic
    [Documentation]    The same messages in each compartment: expects that what they leave is one item for all of them.
    [Template]    Calls In Several Compartments Should Be Understood
    dynamic
