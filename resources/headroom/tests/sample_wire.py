# SPDX-License-Identifier: Apache-2.0
"""What a run over interfaces leaves, made up for tests of the report. No figure here was measured."""

from __future__ import annotations

from typing import Any

from headroom.core.metric_registry import all_metrics
from headroom.core.results.record import Histogram, Measurement, Record, Series

TRAFFIC = {
    "generator": {"name": "memory", "version": "0.1.0"},
    "topology": {"name": "netns", "shape": "full", "note": "compressor, link and decompressor share core 1"},
}
SIDES = ("compressor", "decompressor", "link")
LOADS = [
    {"role": role, "core": 1, "source": source, "busy": busy, "reason": "" if busy else "nobody says"}
    for role in SIDES
    for source, busy in (("busy_share", 1.0), ("thread_cpu", 0.33), ("proc_stat", None if role == "link" else 0.99))
]
FIGURES = ("average", "jitter", "p50", "p90", "p99", "p999", "longest")


def metrics(**values: float | None) -> list[Measurement]:
    return [
        Measurement(all_metrics()[name], value, reason="" if value else "it was not found")
        for name, value in values.items()
    ]


def throughput(profile: str, mode: str, feedback: str, goal: str, rate: float | None) -> dict[str, Any]:
    controls: dict[str, float | None] = {f"null_{goal}": 93_332.0, f"bridge_{goal}_at_least": 120_000.0}
    rates = [{"x": 1000.0 * step, "y": max(0.0, 1 - 84 / step)} for step in (8, 32, 64, 84, 90, 128)]
    return {
        "parameters": {
            "kind": "throughput",
            "cpus": "1c",
            "profile": profile,
            "mode": mode,
            "feedback": feedback,
            "goal": goal,
            "loads": LOADS,
        },
        "metrics": metrics(**{goal: rate}, **controls) + metrics(plain_octets=691.0, link_octets=667.25),
        "series": [
            Series("loss_over_rate", "rate", "loss", "packets/s", "", rates, codec)
            for codec in ("asked", "null", "bridge")
        ],
    }


def latency(mode: str, feedback: str, share: float) -> dict[str, Any]:
    values = dict(zip(FIGURES, (5e5, 4e4, 2.1e5, 1.1e6, 5.7e6, 7e6, 7.8e6), strict=True))
    told = {
        f"{prefix}{way}_{figure}": factor * value * (0.5 + share)
        for prefix, factor in (("", 1.0), ("bridge_", 0.8))
        for way in ("forward", "reverse")
        for figure, value in values.items()
    }
    buckets: list[list[float]] = [[1e5, 100], [2.1e5, 800], [1.1e6, 90], [7.8e6, 10]]
    return {
        "parameters": {
            "kind": "wire_latency",
            "cpus": "1c",
            "profile": "voip-amr-nb-ipv6",
            "mode": mode,
            "feedback": feedback,
            "share_of_pdr": share,
        },
        "metrics": [*metrics(rate=84_000 * share), *metrics(**told)],
        "histograms": [
            Histogram(f"wire_latency_{nodes}{way}", "ns", buckets)
            for nodes in ("", "bridge_")
            for way in ("forward", "reverse")
        ],
    }


def scaling(cpus: str, cores: int, speed_up: float | None) -> dict[str, Any]:
    grown = None if speed_up is None else speed_up / cores
    rates = metrics(one_core_pdr=84_000.0, pdr=None if speed_up is None else 84_000.0 * speed_up)
    return {
        "parameters": {"kind": "scaling", "cpus": cpus, "goal": "pdr", "number_of_cores": cores, "loads": LOADS},
        "metrics": rates + metrics(speed_up=speed_up, efficiency=grown, null_speed_up=1.5),
    }


def calls(sequence: str, rate: float | None, nodes: str = "null") -> list[dict[str, Any]]:
    about = {"kind": "calls", "sequence": sequence, "messages": 7, "cpus": "1c", "nodes": nodes}
    found = {"calls_per_s": rate} if rate else {"calls_per_s": None, "calls_per_s_at_least": 20_480.0}
    return [
        {
            "parameters": about,
            "metrics": metrics(calls=50.0, failed=0.0, messages_unexpected=0.0, call_p50=8.5e5),
        },
        {"parameters": about | {"goal": "ndr"}, "metrics": metrics(**found, messages_per_s=7 * (rate or 1))},
    ]


def p_cscf(name: str, clock: str) -> dict[str, Any]:
    times = {
        f"{kind}_{figure}": factor * value
        for kind, factor in (("in_system", 1.0), ("in_buffer", 0.4), ("processing", 0.6), ("handed_over_late", 0.2))
        for figure, value in (("mean", 19_500.0), ("p50", 15_000.0), ("p99", 98_500.0))
        if clock == "real" or kind != "handed_over_late"
    }
    rates = metrics(sip=12.5, sigcomp=4.75) + metrics(messages_per_s=757.4)
    counts = metrics(calls_in_progress=20_011.5, calls_at_half_load=710_250.0)
    shares = metrics(load=0.014) + metrics(active_workers_seen=1.0)
    buckets: list[list[float]] = [[1e4, 100], [2e4, 800], [1e5, 90], [1e6, 10]]
    points = [{"x": float(second), "y": 0.014 + 0.001 * (second % 3)} for second in range(1, 30)]
    return {
        "parameters": {
            "kind": "p-cscf",
            "sequence": name,
            "clock": clock,
            "compartments": "per call",
            "organisation": "pinned",
            "workers": 1,
        },
        "metrics": [*rates, *counts, *shares, *metrics(**times), *metrics(memory_per_call=12_034.0)],
        "histograms": [Histogram("in_system", "ns", buckets)],
        "series": [Series("load_over_time", "time", "load", "s", "share", points)],
    }


def records(record: Any) -> list[Record]:
    """`record` makes one from its identity and parts."""
    modes = (("U", "none"), ("O", "own"), ("O", "piggybacked"))
    parts = [
        throughput(profile, mode, feedback, goal, None if goal == "ndr" and mode == "O" else 84_005.0)
        for profile in ("voip-amr-nb-ipv6", "gtpu-imix")
        for mode, feedback in modes
        for goal in ("ndr", "pdr")
    ]
    parts += [latency("U", "none", share) for share in (0.1, 0.5, 0.9)]
    parts += [latency(mode, feedback, 0.5) for mode, feedback in modes[1:]]
    parts += [scaling("1c", 1, 1.0), scaling("2c-l3", 2, 1.8), scaling("4c", 4, None)]
    parts += [*calls("basic-voice-call", 20_843.0), *calls("3gpp-video-call-re-invite-reliable", None)]
    parts += calls("basic-voice-call", 6_120.0, "sigcomp")
    parts += [p_cscf("basic-voice-call", "virtual"), p_cscf("3gpp-video-call-re-invite-reliable", "real")]
    counts = metrics(rate=1e4, sent=2e4, lost=0.0, unexpected=0.0)
    parts.append(
        {"parameters": {"kind": "delivery", "cpus": "1c", "profile": "gtpu-imix", "mode": "U"}, "metrics": counts}
    )
    return [
        record(f"performance/wire/{part['parameters']['kind']} {number}", **part, traffic=TRAFFIC)
        for number, part in enumerate(parts)
    ]
