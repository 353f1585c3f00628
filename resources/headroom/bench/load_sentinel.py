# SPDX-License-Identifier: Apache-2.0
"""Sentinels whose fixed work is the engine's `load`: flow pairs, tick after tick without pauses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headroom.bench import load
from headroom.core import metrics, profiles
from headroom.core.metrics import Metric
from headroom.core.sentinels import Sentinel, Values, Work

TICKS, WARMUP_TICKS = 240, 20  # 4.8 s of calls in steady state, in about 50 ms
COUNTED_TICKS = 40  # of a tenth of the flow pairs, so that contexts in steady state outweigh new ones


def sentinel(
    name: str,
    scheme: str,
    profile: str,
    flow_pairs: int,
    channel: Mapping[str, Any],
    octets: Metric,
    payload_octets: float = 0.0,
    needs: Mapping[str, Any] | None = None,
) -> Sentinel:
    """A sentinel of `flow_pairs` of a profile. `octets` is the metric for the octets that an average packet takes on
    the link, without `payload_octets` of them; `needs` are capabilities."""

    def config(work: Work) -> load.LoadConfig:
        return load.LoadConfig(
            scheme=scheme,
            compressor=work.arm.compressor,
            decompressor=work.arm.decompressor,
            profile=profile,
            build=work.build,
            seed=work.seed,
            pacing="none",
            ticks=COUNTED_TICKS if work.counted else TICKS,
            warmup_ticks=WARMUP_TICKS,
            channel=dict(channel),
        )

    def job(work: Work) -> dict[str, Any]:
        with profiles.located_by_line(profile, "/profile"):
            return load.job(config(work), max(1, flow_pairs // 10) if work.counted else flow_pairs, work.core)

    def read(document: dict[str, Any]) -> Values:
        last = document["phases"][-1]
        load.check_all(document)
        costs = load.costs(last)
        values = {metrics.STAGE_NS(stage=stage): costs[stage] for stage in ("compress", "decompress") if stage in costs}
        values[octets] = last["link_octets"] / last["packets"] - payload_octets
        if (memory := load.memory_per_flow(document)) is not None:
            values[metrics.MEMORY_PER_FLOW] = memory
        return values

    return Sentinel(
        name=name,
        scheme=scheme,
        profile=profile,
        command="load",
        job=job,
        read=read,
        operations=lambda document: sum(phase["packets"] for phase in document["phases"]),
        needs=needs or {},
    )
