# SPDX-License-Identifier: Apache-2.0
"""Bit errors on a line (`core.scheme_kit.line`) whose link packets have no CRC: TCP's checksum alone decides what the
receiving host takes.

A wrong change of a field stays in the context, and so each later packet is wrong, too. A packet is therefore tried in a
context that is sound, by the judge; and in contexts as they become, by judge and implementation.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from headroom.core import implementations
from headroom.core.damaged_links import DamagedType, with_one_bit_flipped
from headroom.core.replay import ReplayConfig
from headroom.core.scheme_kit.line import Arrival, Line, Sent
from headroom.core.settings import Settings

SHARE = 0.1  # of the link packets that are hit, in one bit
FRONT = 24  # octets, in which the bit is: compressed headers are shorter
FLOWS, PACKETS = 4, 400
SIXTEEN_BITS = 2.0**-16
# What TCP's checksum does not cover: octets of an IPv4 header, and of an IPv6 header.
UNCOVERED = {4: (1, 4, 5, 6, 7, 8, 10, 11), 6: (0, 1, 2, 3, 7)}
SOUND = (
    "no CRC; one wrong bit changes TCP's checksum, a sum of 16 bits, or what it does not cover, such as IPv4's "
    "Identification"
)
IN_TURN = (
    "no CRC; a wrong change stays in the context, later damage may cancel it in TCP's sum, and what the sum does not "
    "cover stays wrong: expected is what the specification's decompressor restores"
)
SAME = "the decompressor does with each packet what the specification says"


@dataclass
class DamagedLine:
    """A line, the names of the types of link packets that are hit, and a function that is true if the receiving TCP
    takes a packet. `found` has what became of the packets, by name."""

    line: Line
    names: Mapping[int, str]
    accepts: Callable[[bytes], bool]
    found: dict[str, DamagedType] = field(default_factory=dict)

    def send(self, traffic: Sequence[str], seed: int) -> list[DamagedType]:
        """Sends traffic of profiles."""
        reference = implementations.find(Settings().compressor)
        for source in traffic:
            config = ReplayConfig(self.line.scheme, reference, None, source, FLOWS, PACKETS, seed=seed)
            sent, chance = self.line.compress(config).sent, Random(f"{seed}/{source}")
            hits = [self._hit(one, chance) for one in sent]
            self._in_sound_contexts(sent, hits)
            self._in_turn(config, sent, hits)
        return list(self.found.values())

    def _hit(self, one: Sent, chance: Random) -> bytes | None:
        """The link packet with a wrong bit; None where it is not hit."""
        if chance.random() >= SHARE or one.type not in self.names:
            return None
        return with_one_bit_flipped(one.link[:FRONT], chance) + one.link[FRONT:]

    def _in_sound_contexts(self, sent: Sequence[Sent], hits: Sequence[bytes | None]) -> None:
        """Gives each damaged packet to a copy of a judge that has had no other one."""
        judge = self.line.receiver({})
        for one, hit in zip(sent, hits, strict=True):
            if hit is not None:
                restored = copy.deepcopy(judge)(one.type, hit).restored
                row = self._row(f"{self.names[one.type]}, sound context", SOUND)
                row.packets += 1
                row.damaged += 1
                if restored is not None and restored != one.source:
                    row.wrong += self.accepts(restored)
                    row.expected += 1.0 if covered(restored) == covered(one.source) else SIXTEEN_BITS
            judge(one.type, one.link)

    def _in_turn(self, config: ReplayConfig, sent: Sequence[Sent], hits: Sequence[bytes | None]) -> None:
        """Gives all packets, the damaged ones among them, to a judge and to the implementation."""
        judge, arrivals = self.line.receiver({}), []
        for one, hit in zip(sent, hits, strict=True):
            octets = one.link if hit is None else hit
            made = judge(one.type, octets)
            arrivals.append(Arrival(one.type, octets, made.restored, 0, one.time_ns, one.source, made.other, made.free))
            row = self._row(f"{self.names.get(one.type, 'others')}, context as it becomes", IN_TURN)
            row.packets += 1
            row.damaged += hit is not None
            row.wrong += made.restored not in (None, one.source) and self.accepts(made.restored or b"")
            row.expected = float(row.wrong)
        assert config.compressor is not None
        row = self._row("unlike the judge", SAME)
        row.packets += len(arrivals)
        row.wrong += len(self.line.decompress(config.compressor, {}, arrivals, config.build))

    def _row(self, name: str, theory: str) -> DamagedType:
        return self.found.setdefault(name, DamagedType(name, theory))


def covered(packet: bytes) -> bytes:
    """A packet without what TCP's checksum does not cover."""
    octets = bytearray(packet)
    for at in UNCOVERED.get(packet[0] >> 4, ()) if packet else ():
        octets[at : at + 1] = b"\0"
    return bytes(octets)
