# SPDX-License-Identifier: Apache-2.0
"""Sentinels whose fixed work is a replay: packets from the source through compressor and decompressor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headroom.bench.load import EXACT_NS, WrongOutput, are_busy
from headroom.core import metrics, profiles, replay
from headroom.core.sentinels import Sentinel, Values, Work

PACKETS, COUNTED_PACKETS = 20_000, 4_000


def sentinel(name: str, scheme: str, profile: str, flows: int, channel: Mapping[str, Any]) -> Sentinel:
    """A sentinel of packets of a profile."""

    def job(work: Work) -> dict[str, Any]:
        config = replay.ReplayConfig(
            scheme,
            work.arm.compressor,
            work.arm.decompressor,
            profile,
            flows=flows,
            packets=COUNTED_PACKETS if work.counted else PACKETS,
            seed=work.seed,
            burst=32,
            channel=dict(channel),
            timing=True,
            build=work.build,
        )
        with profiles.located_by_line(profile, "/source/profile"):
            return replay.job(config)

    return Sentinel(
        name=name,
        scheme=scheme,
        profile=profile,
        command="replay",
        job=job,
        read=_read,
        operations=lambda document: document["forward"]["source"]["packets"],
    )


def _read(document: dict[str, Any]) -> Values:
    """The values of a replay's document. Raises WrongOutput if a packet did not come out as it went in, or if threads
    that are not measured used processor time."""
    forward = document["forward"]
    others = document.get("other_threads_cpu_ns", 0)  # the kept engines of earlier nights do not report it
    if are_busy(others, document.get("cpu_ns", 0), EXACT_NS):
        raise WrongOutput(
            f"Other threads of the adapters used {others / 1e6:.1f} ms of processor time, beside "
            f"{document['cpu_ns'] / 1e6:.1f} ms of the measured thread: adapters must not start threads."
        )
    if document["promise_broken"] or forward["verdicts"].get("identical") != forward["source"]["packets"]:
        raise WrongOutput(f"Packets did not come out as they went in: {forward['verdicts']}.")
    values: Values = {metrics.LINK_OCTETS: forward["link"]["octets"] / forward["source"]["packets"]}
    for stage, role in (("compress", "compressor"), ("decompress", "decompressor")):
        if (cost := forward[role].get("ns_per_packet")) is not None:
            values[metrics.STAGE_NS(stage=stage)] = cost
    return values
