# SPDX-License-Identifier: Apache-2.0
"""The conditions of the link between two implementations, and what may be expected of them over it."""

from __future__ import annotations

from dataclasses import dataclass, field

from headroom.core.errors import UsageError


@dataclass(frozen=True)
class Condition:
    """One condition of the link.

    `words` are named arguments of `./headroom replay`. `share` is the part of the packets that arrive which should come
    out, 0..1: missing it is non-strict, for how soon a context is repaired is left to implementations. 1 means all, and
    is a MUST: nothing happened on the link that could excuse a loss.
    """

    name: str
    title: str
    words: dict[str, str] = field(default_factory=dict)
    share: float = 1.0
    modes: tuple[str, ...] = ("U", "O", "R")

    @property
    def harmless(self) -> bool:
        """Whether the decompressor gets every packet, unchanged and in order."""
        return not set(self.words) - {"feedback_loss"}


def _reordered(depth: int) -> Condition:
    # RFC 3095, 4.1 and 5.1: the link keeps the order. Where it does not, what comes late may be lost with all that
    # rests on it, and still nothing wrong may come out.
    words = {"reorder": "0.05", "depth": str(depth)}
    return Condition(f"reorder-{depth}", f"5 % late by {depth}", words, share=0.5)


# With bit errors, a packet with a damaged header is dropped by the link, as most links do; its payload is delivered.
CONDITIONS: tuple[Condition, ...] = (
    Condition("clean", "clean"),
    Condition("loss-1", "1 % lost", {"loss": "0.01"}, share=0.9),
    Condition("burst-loss", "bursts lost", {"burst_loss": "0.01:0.3:1"}, share=0.5),
    Condition("ber-1e-5", "BER 1e-5", {"ber": "0.00001"}, share=0.9),
    Condition("ber-1e-4", "BER 1e-4", {"ber": "0.0001"}, share=0.9),
    Condition("ber-1e-3", "BER 1e-3", {"ber": "0.001"}, share=0.5),
    *(_reordered(depth) for depth in (1, 2, 4, 8)),
    Condition("feedback-lost", "feedback lost", {"feedback_loss": "1"}, modes=("O", "R")),
)


def names() -> list[str]:
    return [one.name for one in CONDITIONS]


def find(name: str) -> Condition:
    """A condition by name. Raises UsageError when there is none."""
    found = next((one for one in CONDITIONS if one.name == name), None)
    if found is None:
        raise UsageError(f"There is no link condition '{name}'. Known: {', '.join(names())}.")
    return found
