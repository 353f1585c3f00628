# SPDX-License-Identifier: Apache-2.0
"""The axes of the interop matrix: packing (RFC 4326, 6.2), address (4.1), direct or bridged PDUs (5.2); and the lines
between an encapsulator and a receiver."""

from headroom.core.contract import CLEAN, Axis, LinkCondition, Value

PACKING, PADDING = "packing", "padding"
PRESENT, ABSENT = "present", "absent"  # D-bits of 0 and 1
DIRECT, BRIDGED = "direct", "bridged"

AXES = (
    Axis("packing", "packing", "Packing", "treatment of what is left of a TS packet", (Value(PACKING), Value(PADDING))),
    Axis("address", "address", "Address", "destination address", (Value(PRESENT), Value(ABSENT))),
    Axis("carriage", "carriage", "Carriage", "carriage of IP packets", (Value(DIRECT), Value(BRIDGED))),
)

# `words` are those of `damage.Damage`.
LINKS = (
    LinkCondition(CLEAN, "clean", harmless=True),
    LinkCondition("ts-lost-2", "2 % of TS packets lost", words={"lost": 0.02}),
    LinkCondition("ts-doubled-5", "5 % of TS packets doubled", words={"doubled": 0.05}),
    LinkCondition("ts-bit-errors", "bit errors, 1e-4", words={"ber": 1e-4}),
    LinkCondition("ts-bursts", "bursts of 5 TS packets lost", words={"bursts": 0.02, "burst": 5}),
)
