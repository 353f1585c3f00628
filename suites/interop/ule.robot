*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The interop matrix of ULE: each row is a treatment of the rest of a TS packet, an address or none, and
...              direct or bridged IP packets, with all traffic over all conditions of the line. The encapsulator
...              follows the rules of RFC 4326, 3 to 6, and the receiver treats each TS packet that arrives as the judge
...              does.

Resource         imports.resource

Test Template    Cells Should Interwork

Test Tags        interop    scheme:ule


*** Test Cases ***              PACKING            ADDRESS            CARRIAGE
Packed, Addressed               packing=packing    address=present    carriage=direct
Packed                          packing=packing    address=absent     carriage=direct
Packed, Addressed, Bridged      packing=packing    address=present    carriage=bridged
Packed, Bridged                 packing=packing    address=absent     carriage=bridged
Padded, Addressed               packing=padding    address=present    carriage=direct
Padded                          packing=padding    address=absent     carriage=direct
Padded, Addressed, Bridged      packing=padding    address=present    carriage=bridged
Padded, Bridged                 packing=padding    address=absent     carriage=bridged
