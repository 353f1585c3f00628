# SPDX-License-Identifier: Apache-2.0
"""A conversation with one SigComp endpoint, act by act.

An endpoint is deterministic: it reads no clock and draws no numbers. So a conversation in which an act depends on what
came of earlier ones is played from its beginning each time that something new has to be known, and the engine needs no
way to wait for us. The endpoint must repeat its earlier output exactly.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from headroom.core.errors import HeadroomError
from headroom.schemes.sigcomp.conformance.endpoint_cases import MessageOutcome


@dataclass(frozen=True)
class Act:
    """An act of an endpoint: it decompresses `octets` that arrive, or compresses an application message. `compartment`
    is None if the application names none; `late` is True if it names the compartment only after decompression.
    """

    what: Literal["decompress", "compress"]
    octets: bytes
    compartment: int | None = 0
    late: bool = False


@dataclass(frozen=True)
class ActOutcome:
    """The outcome of an act. After `compress`, `octets` is the SigComp message, None if compression failed. After
    `decompress`, `seen` has the outcome of each message; a stream may bring several.
    """

    octets: bytes | None = None
    seen: tuple[MessageOutcome, ...] = ()


Play = Callable[[Sequence[Act]], list[ActOutcome]]


@dataclass
class Session:
    """Acts of one endpoint and their outcomes. `play` makes an endpoint and carries out all acts."""

    play: Play
    acts: list[Act] = field(default_factory=list)
    known: list[ActOutcome] = field(default_factory=list)

    def compress(self, message: bytes, compartment: int = 0) -> int:
        """Adds an act and returns its number; it runs when its outcome is read."""
        return self._add(Act("compress", message, compartment))

    def decompress(self, octets: bytes, compartment: int | None = 0, late: bool = False) -> int:
        return self._add(Act("decompress", octets, compartment, late))

    def done(self, number: int) -> ActOutcome:
        """The outcome of an act."""
        if number >= len(self.known):
            self._catch_up()
        return self.known[number]

    def message(self, number: int) -> bytes:
        """The SigComp message of an act. Raises AssertionError if there is none: compressing failed."""
        octets = self.done(number).octets
        if octets is None:
            raise AssertionError(f"Act {number + 1}: {len(self.acts[number].octets)} octets were not compressed.")
        return octets

    def _add(self, act: Act) -> int:
        self.acts.append(act)
        return len(self.acts) - 1

    def _catch_up(self) -> None:
        outcomes = self.play(self.acts)
        if len(outcomes) != len(self.acts):
            raise HeadroomError(f"{len(self.acts)} acts were played, and something is known of {len(outcomes)}.")
        for number, (before, now) in enumerate(zip(self.known, outcomes, strict=False), 1):
            if before != now:
                raise AssertionError(f"Act {number} came out otherwise when it was played again from the beginning.")
        self.known = outcomes


def described(acts: Sequence[Act]) -> list[dict[str, Any]]:
    """Acts for a record: what, how many octets, compartment."""
    return [{"what": act.what, "octets": len(act.octets), "compartment": act.compartment} for act in acts]
