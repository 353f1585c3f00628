# SPDX-License-Identifier: Apache-2.0
"""Each side alone, before the judge."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from headroom.schemes.toy.judge import Finding, Sessions

from headroom.core.implementations import Implementation
from headroom.core.replay import Replay, ReplayConfig
from headroom.core.scheme_kit import one_side


@dataclass(frozen=True)
class Compressed:
    done: Replay
    packets: tuple[tuple[bytes, bytes], ...]  # each with its link packet


def compress(config: ReplayConfig) -> Compressed:
    done, (sources,) = one_side.compress(config, "source")
    links = [bytes.fromhex(one["link"]) for one in done.records]
    return Compressed(done, tuple(zip((one.octets for one in sources), links, strict=True)))


def decompress(
    found: Implementation, packets: Sequence[tuple[bytes, bytes]], sessions: int, build: str, lost: float, seed: int
) -> tuple[list[Finding], int]:
    """Findings on a decompressor that gets what a share LOST leaves of the packets; and how many came out."""
    chance, judge = random.Random(seed), Sessions()
    arriving = [link for _, link in packets if chance.random() >= lost]
    expected = [packet for link in arriving if (packet := judge.receive(link)) is not None]
    literal = [{"time_ns": number, "channel": 0, "hex": link.hex()} for number, link in enumerate(arriving)]
    _, came_out = one_side.decompress("toy", found, literal, {"sessions": sessions}, build)
    output = [one.octets for one in came_out]
    wrong = next((n for n, (a, b) in enumerate(zip(output, expected, strict=False)) if a != b), None)
    if wrong is None and len(output) != len(expected):
        wrong = min(len(output), len(expected))
    return ([] if wrong is None else [Finding("TOYDRAFT-2-2", "another packet comes out", wrong)]), len(output)
