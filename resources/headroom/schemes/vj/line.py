# SPDX-License-Identifier: Apache-2.0
"""A line between a compressor and a decompressor, each of which is tried alone before the judge.

The compressor gets traffic; the judge follows what it puts on the link. What arrives there, damaged and lost packets
included, then goes to the decompressor, which has to do packet by packet what the judge's does: the decompressor of RFC
1144 decides nothing itself, so that behind a loss even its wrong packets are known.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from headroom.core.implementations import Implementation
from headroom.core.replay import Replay, ReplayConfig
from headroom.core.scheme_kit import one_side
from headroom.schemes.vj.axes import COMPRESSED
from headroom.schemes.vj.judge.compressor import CompressorJudge, Finding
from headroom.schemes.vj.judge.decompressor import ERROR, Decompressor, Outcome
from headroom.schemes.vj.judge.packet import COMPRESSED as COMPRESSED_TCP
from headroom.schemes.vj.judge.packet import IP, UNCOMPRESSED


@dataclass(frozen=True)
class Sent:
    """A packet of the source, and the link packet that it became."""

    source: bytes
    type: int
    link: bytes
    channel: int = 0
    time_ns: int = 0


@dataclass(frozen=True)
class Arrival:
    """What arrives at the decompressor: a link packet, or the report of a damaged one.

    `restored` is what the judge makes of it, None for nothing; `other` may come out in its place, and anything where it
    is `free`. `source` is what it was made of.
    """

    type: int
    octets: bytes
    restored: bytes | None
    channel: int = 0
    time_ns: int = 0
    source: bytes | None = None
    other: bytes | None = None
    free: bool = False

    @property
    def requirement(self) -> str:
        """The requirement that a decompressor breaks which makes something else of it."""
        if self.type == COMPRESSED_TCP and self.restored is None:
            return "RFC1144-3.2.4-4"
        return {IP: "RFC1144-3.2.4-2", UNCOMPRESSED: "RFC1144-3.2.4-3", COMPRESSED_TCP: "RFC1144-3.2.4-5"}.get(
            self.type, "RFC1144-3.2.4-1"
        )

    @property
    def is_shifted(self) -> bool:
        """True if it comes out wrong, as behind a loss."""
        return self.restored is not None and self.restored != self.source

    def difference(self, output: bytes | None) -> str:
        """Returns what is wrong with an output, as words; "" where nothing is."""
        if self.free or output == self.restored or (self.other is not None and output == self.other):
            return ""
        if output is None or self.restored is None:
            return "nothing may come out, and something does" if self.restored is None else "nothing comes out"
        at = next((n for n, (a, b) in enumerate(zip(output, self.restored, strict=False)) if a != b), None)
        where = f"of {len(output)} octets" if at is None else f"another one from octet {at} on"
        return f"a packet of {len(self.restored)} octets must come out, and {where} does"


@dataclass(frozen=True)
class Wrong:
    """An `output` of a decompressor that is not right; None where nothing came out."""

    requirement: str
    sentence: str
    packet: int | None = None
    output: bytes | None = None


@dataclass(frozen=True)
class Compressed:
    """A compressor's link packets, and the packets that it refused."""

    sent: tuple[Sent, ...]
    refused: tuple[bytes, ...]
    done: Replay


def slots_of(channel: Mapping[str, Any]) -> int:
    return int(channel.get("max_slot_id", 15)) + 1


def compress(config: ReplayConfig) -> Compressed:
    """Replays, and returns what the compressor put on the link.

    Raises Misbehaviour where an adapter breaks a promise of the ABI.
    """
    done, (sources,) = one_side.compress(config, "source")
    sent, refused = [], []
    for one, source in zip(done.records, sources, strict=False):
        if "link" in one:
            link = bytes.fromhex(one["link"])
            sent.append(Sent(source.octets, one.get("link_type", 0), link, one["channel"], one["time_ns"]))
        else:
            refused.append(source.octets)
    return Compressed(tuple(sent), tuple(refused), done)


def judge_compressor(sent: Sequence[Sent], channel: Mapping[str, Any]) -> tuple[list[Finding], int]:
    """Findings on all link packets, by their place among `sent`; and how many compressed packets have changes that RFC
    1144 does not look for."""
    judges: dict[int, CompressorJudge] = {}
    found = []
    for number, one in enumerate(sent):
        follow = judges.setdefault(
            one.channel, CompressorJudge(slots_of(channel), channel.get("slot_ids", COMPRESSED) == COMPRESSED)
        )
        found += [replace(finding, packet=number) for finding in follow.sent(one.source, one.type, one.link)]
    return found, sum(one.unnoticed for one in judges.values())


def across(
    sent: Sequence[Sent], channel: Mapping[str, Any], lost: float = 0.0, damaged: float = 0.0, seed: int = 1
) -> list[Arrival]:
    """What arrives over a line that loses and damages shares of the packets, and what the judge makes of it."""
    chance = random.Random(seed)
    judges: dict[int, Decompressor] = {}
    arrivals = []
    for one in sent:
        draw = chance.random()
        if draw < lost:
            continue
        hurt = draw < lost + damaged
        type_, octets = (ERROR, b"") if hurt else (one.type, one.link)
        outcome = judges.setdefault(one.channel, Decompressor(slots_of(channel))).receive(type_, octets)
        arrivals.append(arrival_of(type_, octets, outcome, one))
    return arrivals


def arrival_of(type_: int, octets: bytes, outcome: Outcome, sent: Sent) -> Arrival:
    """A link packet with what the judge makes of it."""
    return Arrival(
        type_, octets, outcome.restored, sent.channel, sent.time_ns, sent.source, outcome.other, outcome.free
    )


def decompress(
    found: Implementation, channel: Mapping[str, Any], arrivals: Sequence[Arrival], build: str
) -> list[Wrong]:
    """Differences between a decompressor and the judge. Raises Misbehaviour."""
    if not arrivals:
        return []
    packets = [
        {"time_ns": one.time_ns, "channel": one.channel, "type": one.type, "hex": one.octets.hex()} for one in arrivals
    ]
    done, came_out = one_side.decompress("vj", found, packets, dict(channel), build)
    outputs = iter([packet.octets for packet in came_out])
    wrong = []
    for number, (arrival, record) in enumerate(zip(arrivals, done.records, strict=True)):
        statuses = [one["status"] for one in record.get("decompressor", ())]
        mine = [next(outputs) for status in statuses if status == "OK"]
        output = mine[0] if mine else None
        if difference := arrival.difference(output):
            names = ", ".join(statuses) or "nothing"
            sentence = f"link packet {number} (type 0x{arrival.type:04x}): {difference} ({names})"
            wrong.append(Wrong(arrival.requirement, sentence, number, output))
    return wrong
