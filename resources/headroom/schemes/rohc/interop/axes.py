# SPDX-License-Identifier: Apache-2.0
"""Axes of the interop matrix: profile, mode and CID type; and the link between two implementations.

Profile 0x0006 has no modes (RFC 6846, 5.2): its channel has no feedback in U, and feedback in O.
"""

from headroom.core.contract import CLEAN, Axis, LinkCondition, Value

UNCOMPRESSED, RTP, UDP, ESP, IP, TCP, LITE_RTP, LITE = (
    "0x0000",
    "0x0001",
    "0x0002",
    "0x0003",
    "0x0004",
    "0x0006",
    "0x0007",
    "0x0008",
)
WITH_MODES = (UNCOMPRESSED, RTP, UDP, ESP, IP, LITE_RTP, LITE)  # the family of RFC 3095
CIDS = {"small": 15, "large": 16383}  # highest CID, RFC 5795, 5.1.2
FEEDBACK_LOSS = "feedback_loss"

PROFILE = Axis(
    "profile",
    "profiles",
    "Profile",
    "ROHC profile",
    (
        Value(UNCOMPRESSED, "Uncompressed"),
        Value(RTP, "RTP"),
        Value(UDP, "UDP"),
        Value(ESP, "ESP"),
        Value(IP, "IP"),
        Value(TCP, "TCP"),
        Value(LITE_RTP, "RTP Over UDP-Lite"),
        Value(LITE, "UDP-Lite"),
    ),
)
AXES = (
    PROFILE,
    Axis("mode", "modes", "Mode", "mode", (Value("U"), Value("O"), Value("R", only={"profile": WITH_MODES}))),
    Axis("cids", "cids", "CIDs", "CID type", tuple(map(Value, CIDS))),
)


def _reordered(depth: int) -> LinkCondition:
    # RFC 3095, 4.1 and 5.1: the link keeps the order. Where it does not, what comes late may be lost with all that
    # rests on it, and still nothing wrong may come out.
    fields = {"reorder": "0.05", "depth": str(depth)}
    return LinkCondition(f"reorder-{depth}", f"5 % late by {depth}", words=fields, share=0.5, brief=depth == 4)


# `words` are named arguments of `./headroom replay`. With bit errors, a packet with a damaged header is dropped by the
# link, as most links do; its payload is delivered.
LINKS = (
    LinkCondition(CLEAN, "clean", harmless=True),
    LinkCondition("loss-1", "1 % lost", words={"loss": "0.01"}, share=0.9),
    LinkCondition("burst-loss", "bursts lost", words={"burst_loss": "0.01:0.3:1"}, share=0.5, brief=False),
    LinkCondition("ber-1e-5", "BER 1e-5", words={"ber": "0.00001"}, share=0.9, brief=False),
    LinkCondition("ber-1e-4", "BER 1e-4", words={"ber": "0.0001"}, share=0.9),
    LinkCondition("ber-1e-3", "BER 1e-3", words={"ber": "0.001"}, share=0.5, brief=False),
    *(_reordered(depth) for depth in (1, 2, 4, 8)),
    LinkCondition("feedback-lost", "feedback lost", {"mode": ("O", "R")}, {FEEDBACK_LOSS: "1"}, harmless=True),
)
