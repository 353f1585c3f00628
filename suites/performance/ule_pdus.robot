*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The cost of encapsulating a PDU in TS packets (RFC 4326, 6.2), and of receiving it, by the length of
...              PDUs, packed and padded, with an NPA address and without. 200 flows of UDP in each direction share a
...              PID, and there is no pause. Results also give the octets of TS packets per PDU, which show the cost of
...              padding on the link. Times are figures of this machine; the only verdict is that PDUs come out as they
...              went in.

Resource         imports.resource
Library          headroom.schemes.ule.keywords.performance.EncapsulationPerformanceKeywords    AS    Encapsulation

Test Template    Encapsulation Should Be Measured

Test Tags        performance    scheme:ule


*** Test Cases ***             PDU     PACKING    ADDRESS
60 Octets Packed               60      packing    present
60 Octets Padded               60      padding    present
690 Octets Packed              690     packing    present
690 Octets Padded              690     padding    present
690 Octets Without Address     690     packing    absent
1,500 Octets Packed            1500    packing    present
1,500 Octets Padded            1500    padding    present
