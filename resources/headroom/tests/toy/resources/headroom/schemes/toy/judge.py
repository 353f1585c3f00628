# SPDX-License-Identifier: Apache-2.0
"""The judge of the toy draft: what link packets carry, and what may be said against them."""

from __future__ import annotations

from dataclasses import dataclass, field

from headroom.core.finding import Finding

OPEN, MORE = 0, 1


@dataclass
class Sessions:
    """The sessions of a channel, by their numbers: the last packet of each."""

    last: dict[int, bytes] = field(default_factory=dict)

    def receive(self, link: bytes) -> bytes | None:
        """Returns the packet that a link packet carries; None where it has none."""
        if len(link) < 3 or link[0] not in (OPEN, MORE):
            return None
        if link[0] == OPEN:
            packet = link[2:]
        elif link[1] not in self.last or link[2] > len(self.last[link[1]]):
            return None
        else:
            packet = self.last[link[1]][: link[2]] + link[3:]
        self.last[link[1]] = packet
        return packet

    def restore(self, type_: int, link: bytes) -> Outcome:
        del type_
        return Outcome(self.receive(link))


@dataclass(frozen=True)
class Outcome:
    restored: bytes | None
    other: bytes | None = None
    free: bool = False


@dataclass
class Follower:
    """Follows the packets of a channel, each with its link packet."""

    sessions: Sessions = field(default_factory=Sessions)

    def sent(self, source: bytes, type_: int, link: bytes) -> list[Finding]:
        del type_
        found = []
        if link[:1] == bytes([OPEN]) and link[1] in self.sessions.last:
            found.append(Finding(f"session {link[1]} is opened again", "TOYDRAFT-2-3"))
        if self.sessions.receive(link) != source:
            found.append(Finding("another packet is on the link", "TOYDRAFT-2-1"))
        return found
