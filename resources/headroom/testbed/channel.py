# SPDX-License-Identifier: Apache-2.0
"""How the channels between two nodes work: CIDs, the mode, and the way of feedback."""

from dataclasses import dataclass
from typing import Any, Literal

from headroom.core import scheme

Path = Literal["none", "own", "piggybacked"]
PATHS: tuple[Path, ...] = ("none", "own", "piggybacked")
MODES = ("U", "O", "R")

MAX_CID = 16383  # the most that large CIDs can say: RFC 5795, 5.1.2


@dataclass(frozen=True)
class Channel:
    """CIDs, in a mode. `feedback` is how it travels: in frames of its own, in front of packets, or not at all."""

    mode: str = "U"
    feedback: Path = "none"
    max_cid: int = MAX_CID
    cids: Literal["small", "large"] = "large"

    def config(self) -> dict[str, Any]:
        """Its part of an adapter's configuration."""
        return {
            "scheme": scheme.default().name,
            "cids": self.cids,
            "max_cid": self.max_cid,
            "mode": self.mode,
            **({} if self.has_feedback else {"feedback": False}),
        }

    @property
    def has_feedback(self) -> bool:
        return self.feedback != "none"

    @property
    def words(self) -> str:
        """As a row names it."""
        return f"{self.mode} {self.feedback}" if self.has_feedback else self.mode


def channel_of(words: str) -> Channel:
    """A channel from `U`, or from a mode with a way of feedback: `O own`, `O piggybacked`. Raises ValueError."""
    mode, _, path = words.strip().partition(" ")
    feedback = path.strip() or "none"
    if mode not in MODES or feedback not in PATHS or (mode != "U" and feedback == "none"):
        raise ValueError(f"'{words}' is no mode of a channel, such as U, O own or O piggybacked")
    return Channel(mode, feedback)  # type: ignore[arg-type]
