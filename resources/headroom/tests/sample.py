# SPDX-License-Identifier: Apache-2.0
"""A run made up for tests of the report: every kind of record, every verdict, long words and odd characters.

No figure here was measured.
"""

from __future__ import annotations

from typing import Any

from headroom.core import metrics
from headroom.core.papers import paper as papers
from headroom.core.papers.paper import beside
from headroom.core.results.record import (
    CoreLoad,
    Finding,
    Histogram,
    Measurement,
    Record,
    Series,
    Test,
    Verdict,
    in_process,
)
from headroom.tests import sample_wire

ENVIRONMENT = {
    "cpu_model": "Example Processor 9000 with a rather long name @ 3.00 GHz",
    "microcode": "0x1",
    "clock_mhz": 3000.0,
    "memory_bytes": 16 << 30,
    "kernel": "6.1.0-example",
    "topology": {
        "cpus": [0, 1, 2, 3],
        "physical_cores": 4,
        "sockets": 1,
        "configurations": {"1c": [1], "2c-l3": [1, 2]},
    },
    "compiler": "GNU 12.2.0",
    "flags": "-O2 -g",
    "governor": None,
    "missing": {"governor": "the kernel shows no frequency scaling, as is usual in a virtual machine"},
}
SIDE = {"name": "reference", "version": "0.1.0", "build": "gcc-O2 (GNU 12.2.0)", "sha256": "ab" * 32}


def record(
    identity: str, verdict: Verdict = "pass", reason: str = "", tags: list[str] | None = None, **more: Any
) -> Record:
    suite, _, name = identity.rpartition("/")
    made = Record(
        run="20260102-030405-abcd",
        test=Test(identity, name, suite, "", tags or []),
        verdict=verdict,
        reason=reason,
        started="2026-01-02T03:04:05.000+00:00",
        duration_s=1.25,
        compressor=SIDE,
        decompressor=SIDE,
        harness={"version": "0.1.0", "commit": "0123456789abcdef", "changed": False},
        traffic=in_process("0.1.0"),
        seed=1,
        command=f"./headroom run {suite} --case '{name}' --seed 1",
        environment=ENVIRONMENT,
    )
    for key, value in more.items():
        setattr(made, key, value)
    return made


def capacity(cpus: str, cores: list[int], target: float | None, flow_pairs: float, notes: list[str]) -> Record:
    per_core = flow_pairs / len(cores)
    points = [
        {"x": share * per_core, "y": share * (target or 0.95), "trials": [share * (target or 0.95)] * 3}
        for share in (0.5, 1.0, 1.1)
    ]
    return record(
        f"performance/voip_flow_pairs/{cpus} At {target}",
        parameters={
            "kind": "capacity",
            "compressor": "reference",
            "decompressor": "reference",
            "profile": "voip-amr-nb-ipv6",
            "build": "gcc-O2",
            "cpus": cpus,
            "cores": cores,
            "target_load": target,
            "notes": notes,
        },
        metrics=[
            Measurement(metrics.FLOW_PAIRS, flow_pairs, [0.98 * flow_pairs, flow_pairs, 1.02 * flow_pairs]),
            Measurement(metrics.NS_PER_OPERATION, 44.5, [44.0, 44.5, 45.0]),
            Measurement(metrics.FLOOR_NS, 6.5),
            Measurement(metrics.FLOW_PAIRS_CODEC_ONLY, 1.25 * flow_pairs, [1.25 * flow_pairs]),
            Measurement(metrics.RATIO_TO_NULL, 6.75, [6.75]),
            Measurement(metrics.HARNESS_NS, 11.5, [11.5]),
            Measurement(metrics.MEMORY_PER_FLOW, 380.0),
            *(
                Measurement(metrics.STAGE_NS(stage=name, adapters=adapters), value * factor)
                for adapters, factor in (("asked", 1.0), ("null", 0.2))
                for name, value in (("generate", 5.0), ("compress", 25.0), ("decompress", 19.5), ("verify", 1.0))
            ),
        ],
        histograms=[
            Histogram("latency", "ns", [[500, 800], [900, 150], [2000, 40], [90000, 10]], core) for core in cores
        ],
        core_load=[CoreLoad(core, "thread_cpu", target or 0.95) for core in cores],
        series=[Series("load_over_flow_pairs", "flow pairs per core", "load", "flow pairs", "", points, cpus)],
    )


def paper_records() -> list[Record]:
    found = papers.load("effnet-2007")
    about = {
        "title": found.title,
        "year": found.year,
        "notes": list(found.notes),
        "places": list(found.methods),
        "methods": found.methods,
    }
    result = []
    for place in found.methods:
        items = [
            beside(figure, figure.paper, 2.5 if "deviations" in figure.within else None, 40)
            if "socket" not in figure.id
            else beside(figure, None, note="this machine has no 2c-socket: all usable cores are in one socket")
            for figure in found.of(place)
        ]
        made = record(
            f"papers/effnet_2007/{place}", parameters={"kind": "paper", "paper": found.key, "about": about}, items=items
        )
        made.series = drawings().get(place, [])
        result.append(made)
    return result


def drawings() -> dict[str, list[Series]]:
    """Made-up points for each chart of the paper."""
    runs = [{"x": "Packets lost, with ROHC", "y": 1400.0 + 5 * n} for n in range(20)]
    runs.append({"x": "Packets lost, with ROHC", "y": 1448.0, "paper": True})
    sizes: list[dict[str, Any]] = [
        {"x": 0.02 * n, "y": 60 if n < 2 else 3 + n % 2, "kind": "IR" if n < 2 else ("UO-0", "UO-1")[n % 2]}
        for n in range(200)
    ]
    sizes.append({"x": 1.0, "y": 0, "to": 2.0, "what": "silence"})
    line = [{"x": 10_000 * n, "y": 0.12 * n, "trials": [0.12 * n, 0.125 * n]} for n in range(1, 6)]
    return {
        "Table 2": [Series("table_2_runs", "quantity", "value", "", "packets", runs)],
        "Figure 3": [
            Series(
                "digits", "year", "digits", "", "octets", [{"x": 1800 + n, "y": 1} for n in range(20)], "digits sent"
            )
        ],
        "Figure 4": [Series("packet_sizes", "time", "header", "s", "octets", sizes, "A call with silence")],
        "Figures 5 and 6": [
            Series("load_by_build", "flow pairs", "load", "", "", line, name) for name in ("gcc-O2", "clang-O2")
        ],
        "Figure 7": [Series("load_by_cpus", "flow pairs", "load", "", "", line, name) for name in ("1c", "2c-l3")],
    }


def records() -> list[dict[str, Any]]:
    """The whole run as the store reads it."""
    notes = ["3 of 24 trials were disturbed (other processes took the core 90 times a second) and repeated"]
    made = [
        record(
            f"conformance/rohc/context_establishment/{title}", verdict, reason, [f"req:{requirement}", f"level:{level}"]
        )
        for title, verdict, reason, requirement, level in (
            ("First Packets Are IR", "pass", "", "RFC3095-5.3.1.1.2-1", "must"),
            ("Refreshes Come In Time", "non-strict", "no IR packet for 2000 packets", "RFC3095-5.3.1.1.2-2", "should"),
            (
                "CRC <b>Is</b> Checked & Obeyed",
                "fail",
                "packet 7 came out different\n… expected 45 [00], got 45 [01]",
                "RFC3095-5.9.1-1",
                "must",
            ),
            (
                "Lists Are Decompressed",
                "unsupported",
                "reference does not declare feature lists",
                "RFC3095-5.8-1",
                "must",
            ),
            (
                "Garbage Is Refused",
                "error",
                "The engine died from SIGSEGV while it ran the adapter.",
                "RFC5795-5.1.1-1",
                "must",
            ),
        )
    ]
    made[2].findings = [Finding("The CRC is wrong.", "RFC3095-5.9.1-1", 7, "headroom.schemes.rohc.judge", "must")]
    for cpus, cores, base in (("1c", [1], 80_000.0), ("2c-l3", [1, 2], 155_000.0)):
        for target, share in ((0.3, 0.6), (0.5, 1.0), (None, 1.9)):
            made.append(capacity(cpus, cores, target, base * share, notes if cpus == "1c" else []))
    absent = capacity("2c-smt", [1, 3], 0.3, 1.0, [])
    absent.verdict, absent.reason = (
        "unsupported",
        "This machine has no 2c-smt (two hardware threads of one core): SMT is off.",
    )
    absent.metrics, absent.series, absent.histograms = [], [], []
    return [one.as_json() for one in [*made, absent, *sample_wire.records(record), *paper_records()]]
