# SPDX-License-Identifier: Apache-2.0
"""The axes of the interop matrix: mechanism, transport and compartments; and the links between two endpoints."""

from headroom.core.contract import CLEAN, Axis, LinkCondition, Value

DEFAULT = "default"  # the mechanism that an endpoint takes when none is named
MECHANISMS = (
    DEFAULT,
    *("stateless-basic", "stateful-basic", "stateless-static", "stateful-static", "dynamic", "shared"),
)
UDP, TCP = "udp", "tcp"
ONE, SEVERAL = "1", "3"  # compartments that have the call, one after another


def _datagrams(*mechanisms: str) -> dict[str, tuple[str, ...]]:
    """The rows of a link that harms datagrams: those with mechanisms that depend on earlier messages."""
    return {"mechanism": mechanisms, "transport": (UDP,), "compartments": (ONE,)}


AXES = (
    Axis(
        "mechanism",
        "mechanisms",
        "Mechanism",
        "mechanism",
        (Value(DEFAULT, "as it is"), *(Value(name, name.replace("-", " ")) for name in MECHANISMS[1:])),
    ),
    Axis("transport", "transports", "Transport", "transport", (Value(UDP, "UDP"), Value(TCP, "TCP"))),
    Axis(
        "compartments",
        "compartments",
        "Compartments",
        "number of compartments",
        (Value(ONE), Value(SEVERAL, only={"mechanism": ("stateful-basic", "dynamic"), "transport": (UDP,)})),
    ),
)

# `words` are the engine's, of both directions.
LINKS = (
    LinkCondition(CLEAN, "clean", harmless=True),
    LinkCondition("loss", "10 % lost", _datagrams("stateful-basic", "dynamic", "shared"), {"loss": 0.1}),
    LinkCondition(
        "reorder", "20 % late by 1", _datagrams("dynamic", "shared"), {"reorder": {"probability": 0.2, "depth": 1}}
    ),
    LinkCondition("duplicates", "20 % twice", _datagrams("dynamic"), {"duplicate": 0.2}, harmless=True),
)
