# SPDX-License-Identifier: Apache-2.0
"""Bit errors on a line (`core.scheme_kit.line`) whose link packets have no CRC: only TCP's checksum decides what the
receiving host accepts.

A wrong change of a field stays in the context, and each later packet is then wrong, too. So a packet is tried twice: in
a sound context, by the judge; and in the contexts as they evolve, by judge and implementation.
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

SHARE = 0.1  # share of the link packets that are hit, in one bit
FRONT = 24  # octets in which the bit lies: compressed headers are shorter
FLOWS, PACKETS = 4, 400
SIXTEEN_BITS = 2.0**-16
# Parts that TCP's checksum does not cover: octets of an IPv4 header, and of an IPv6 header.
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
    accepts a packet. `found` holds the counts by name.
    """

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
            hits = [self._hit(packet, chance) for packet in sent]
            self._in_sound_contexts(sent, hits)
            self._in_turn(config, sent, hits)
        return list(self.found.values())

    def _hit(self, packet: Sent, chance: Random) -> bytes | None:
        """The link packet with a wrong bit; None if it is not hit."""
        if chance.random() >= SHARE or packet.type not in self.names:
            return None
        return with_one_bit_flipped(packet.link[:FRONT], chance) + packet.link[FRONT:]

    def _in_sound_contexts(self, sent: Sequence[Sent], hits: Sequence[bytes | None]) -> None:
        """Gives each damaged packet to a copy of a judge that has had no other damaged one."""
        judge = self.line.receiver({})
        for packet, hit in zip(sent, hits, strict=True):
            if hit is not None:
                restored = copy.deepcopy(judge)(packet.type, hit).restored
                row = self._row(f"{self.names[packet.type]}, sound context", SOUND)
                row.packets += 1
                row.damaged += 1
                if restored is not None and restored != packet.source:
                    row.wrong += self.accepts(restored)
                    row.expected += 1.0 if covered(restored) == covered(packet.source) else SIXTEEN_BITS
            judge(packet.type, packet.link)

    def _in_turn(self, config: ReplayConfig, sent: Sequence[Sent], hits: Sequence[bytes | None]) -> None:
        """Gives all packets, including the damaged ones, to a judge and to the implementation."""
        judge, arrivals = self.line.receiver({}), []
        for packet, hit in zip(sent, hits, strict=True):
            octets = packet.link if hit is None else hit
            judged = judge(packet.type, octets)
            arrivals.append(
                Arrival(
                    packet.type, octets, judged.restored, 0, packet.time_ns, packet.source, judged.other, judged.free
                )
            )
            row = self._row(f"{self.names.get(packet.type, 'others')}, context as it becomes", IN_TURN)
            row.packets += 1
            row.damaged += hit is not None
            row.wrong += judged.restored not in (None, packet.source) and self.accepts(judged.restored or b"")
            row.expected = float(row.wrong)
        assert config.compressor is not None
        row = self._row("unlike the judge", SAME)
        row.packets += len(arrivals)
        row.wrong += len(self.line.decompress(config.compressor, {}, arrivals, config.build))

    def _row(self, name: str, theory: str) -> DamagedType:
        return self.found.setdefault(name, DamagedType(name, theory))


def covered(packet: bytes) -> bytes:
    """A packet without the parts that TCP's checksum does not cover."""
    octets = bytearray(packet)
    for at in UNCOVERED.get(packet[0] >> 4, ()) if packet else ():
        octets[at : at + 1] = b"\0"
    return bytes(octets)
