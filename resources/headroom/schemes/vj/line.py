# SPDX-License-Identifier: Apache-2.0
"""A line between a compressor and a decompressor, each of which is tried alone before the judge.

The compressor gets traffic; the judge follows what it puts on the link. What arrives there, damaged and lost packets
included, then goes to the decompressor, which has to do packet by packet what the judge's does: the decompressor of RFC
1144 decides nothing itself, so that behind a loss even its wrong packets are known.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from headroom.core import capabilities, engine, replay
from headroom.core.captures import engine_pcapng
from headroom.core.implementations import Implementation
from headroom.core.replay import Replay, ReplayConfig
from headroom.schemes.vj.axes import COMPRESSED
from headroom.schemes.vj.judge.compressor import CompressorJudge, Finding
from headroom.schemes.vj.judge.decompressor import ERROR, Decompressor


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

    `restored` is what the judge makes of it, None for nothing; `source` what it was made of.
    """

    type: int
    octets: bytes
    restored: bytes | None
    channel: int = 0
    time_ns: int = 0
    source: bytes | None = None

    @property
    def is_shifted(self) -> bool:
        """Whether it comes out wrong, as behind a loss."""
        return self.restored is not None and self.restored != self.source


def slots_of(channel: Mapping[str, Any]) -> int:
    return int(channel.get("max_slot_id", 15)) + 1


def compress(config: ReplayConfig) -> tuple[list[Sent], Replay]:
    """Replays, and returns what the compressor put on the link.

    Raises Misbehaviour where an adapter breaks a promise of the ABI.
    """
    with tempfile.TemporaryDirectory(prefix="headroom-vj-") as folder:
        path = Path(folder) / "source.pcapng"
        done = replay.run(replace(config, records="all", outputs={**config.outputs, "source": path}))
        sources = [packet.octets for packet in engine_pcapng.read(path)]
    capabilities.promise(done.document)
    sent = [
        Sent(octets, one.get("link_type", 0), bytes.fromhex(one["link"]), one["channel"], one["time_ns"])
        for one, octets in zip(done.records, sources, strict=False)
        if "link" in one
    ]
    return sent, done


def judge_compressor(sent: Sequence[Sent], channel: Mapping[str, Any]) -> list[Finding]:
    """Findings on all link packets, by their place among `sent`."""
    judges: dict[int, CompressorJudge] = {}
    found = []
    for number, one in enumerate(sent):
        follow = judges.setdefault(
            one.channel, CompressorJudge(slots_of(channel), channel.get("slot_ids", COMPRESSED) == COMPRESSED)
        )
        for finding in follow.sent(one.source, one.type, one.link):
            found.append(Finding(number, finding.requirement, finding.level, finding.sentence))
    return found


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
        arrivals.append(Arrival(type_, octets, outcome.restored, one.channel, one.time_ns, one.source))
    return arrivals


def decompress(found: Implementation, channel: Mapping[str, Any], arrivals: Sequence[Arrival], build: str) -> list[str]:
    """Differences between a decompressor and the judge, as sentences. Raises Misbehaviour."""
    if not arrivals:
        return []
    job = {
        "decompressor": capabilities.adapter(found, build, {"scheme": "vj", **channel, "feedback": False}),
        "source": {
            "packets": [
                {"time_ns": one.time_ns, "channel": one.channel, "type": one.type, "hex": one.octets.hex()}
                for one in arrivals
            ]
        },
        "expected": {
            "packets": [
                None if one.restored is None else {"time_ns": one.time_ns, "hex": one.restored.hex()}
                for one in arrivals
            ]
        },
        "records": "failures",
    }
    document = engine.run("replay", job, capabilities.PATIENCE_S, build)
    capabilities.promise(document)
    wrong = []
    for record in document["records"]:
        arrival = arrivals[record["packet"]]
        statuses = ", ".join(one["status"] for one in record.get("decompressor", ())) or "nothing"
        outcome = (
            "nothing may come out" if arrival.restored is None else f"{len(arrival.restored)} octets must come out"
        )
        wrong.append(
            f"link packet {record['packet']} (type 0x{arrival.type:04x}): {outcome}; {record['verdict']} ({statuses})"
        )
    return wrong
