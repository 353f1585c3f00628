# SPDX-License-Identifier: Apache-2.0
"""The axes of the interop matrix: Max-Slot-Id and Comp-Slot-Id (RFC 1332, 4.1); and the lines between two
implementations."""

from headroom.core.contract import CLEAN, Axis, LinkCondition, Value

COMPRESSED, EXPLICIT = "compressed", "explicit"  # Comp-Slot-Id of 1 and 0

AXES = (
    Axis(
        "max_slot_id",
        "max_slot_ids",
        "Max-Slot-Id",
        "Max-Slot-Id",
        (Value("15", "16 slots"), Value("3", "4 slots"), Value("255", "256 slots")),
    ),
    Axis("slot_ids", "slot_ids", "Slot ids", "treatment of slot identifiers", (Value(COMPRESSED), Value(EXPLICIT))),
)

# `words` are shares of the packets: lost without a trace, as a receiver that is not ready loses them, or damaged, which
# the FCS of PPP finds and the decompressor hears of (RFC 1144, 4.1).
LINKS = (
    LinkCondition(CLEAN, "clean", harmless=True),
    LinkCondition("lost-1", "1 % lost", words={"lost": 0.01}),
    LinkCondition("damaged-1", "1 % damaged", words={"damaged": 0.01}),
    LinkCondition("damaged-10", "10 % damaged", words={"damaged": 0.1}),
)
