# SPDX-License-Identifier: Apache-2.0
"""Axes of the interop matrix: TCP_SPACE and NON_TCP_SPACE (RFC 2507, 14); and the line between two
implementations."""

from headroom.core.contract import CLEAN, Axis, LinkCondition, Value

AXES = (
    Axis(
        "tcp_space",
        "tcp_spaces",
        "TCP_SPACE",
        "TCP_SPACE",
        (Value("15", "16 CIDs"), Value("3", "4 CIDs"), Value("255", "256 CIDs")),
    ),
    Axis(
        "non_tcp_space",
        "non_tcp_spaces",
        "NON_TCP_SPACE",
        "NON_TCP_SPACE",
        (Value("15", "16 CIDs"), Value("3", "4 CIDs"), Value("1023", "1,024 CIDs")),
    ),
)

# `words` are shares of the packets: lost without a trace, or damaged, of which the decompressor hears.
LINKS = (
    LinkCondition(CLEAN, "clean", harmless=True),
    LinkCondition("lost-1", "1 % lost", words={"lost": 0.01}),
    LinkCondition("lost-10", "10 % lost", words={"lost": 0.1}),
    LinkCondition("damaged-10", "10 % damaged", words={"damaged": 0.1}),
)
