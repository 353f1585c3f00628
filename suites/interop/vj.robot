*** Comments ***
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation    The interop matrix of VJ: each row is a number of slots and a treatment of slot identifiers, with all
...              traffic over all conditions of the line. The compressor follows the rules of RFC 1144, 3.2.3, and the
...              decompressor treats each packet that arrives as the judge does.

Resource         imports.resource

Test Template    Cells Should Interwork

Test Tags        interop    scheme:vj


*** Test Cases ***                      MAX-SLOT-ID        SLOT IDS
16 Slots, Compressed Identifiers        max_slot_id=15     slot_ids=compressed
16 Slots, Explicit Identifiers          max_slot_id=15     slot_ids=explicit
4 Slots, Compressed Identifiers         max_slot_id=3      slot_ids=compressed
4 Slots, Explicit Identifiers           max_slot_id=3      slot_ids=explicit
256 Slots, Compressed Identifiers       max_slot_id=255    slot_ids=compressed
256 Slots, Explicit Identifiers         max_slot_id=255    slot_ids=explicit
