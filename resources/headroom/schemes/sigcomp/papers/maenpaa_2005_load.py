# SPDX-License-Identifier: Apache-2.0
"""The thesis of J. Mäenpää (2005), phase three: the P-CSCF under calls (chapter 11, Table 17, appendices M and N).

Calls and settings are those of 11.1; each number of calls is measured once, on one core, with a virtual clock: the
endpoint's processor time is measured and the queue before it simulated. There is one worker; the loads of two logical
processors are those of a pool of two. The messages are those that the thesis counted
(traffic-profiles/sip/as_counted.yaml). It counts each as it comes in and as it goes out, and so do we.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from headroom.core.papers.measured import PaperMeasurement
from headroom.core.papers.paper import Figure, Paper, beside
from headroom.core.results.record import Item, Series
from headroom.core.run.run import Run
from headroom.schemes.sigcomp import call_load
from headroom.schemes.sigcomp.papers.maenpaa_2005_runs import chart

PLACES = ("Table 17", "Section 11.6", "Appendix M", "Appendix N")
VOICE, VIDEO = "basic-voice-call", "3gpp-video-call"
MOST_WORKERS_CALLS = 5000  # 11.2
CONSECUTIVE_CALLS, CONSECUTIVE = 1000, 175  # Figure 66: calls, messages
MEMORY_CALLS = 1500  # 11.6
MINUTES = 600.0  # 11.1: a measurement takes ten

# Below this load a message that arrives finds all workers idle, whatever their number: waiting times and active workers
# say nothing then, and are not drawn.
LEAST_LOAD = 0.05

# 11.4: active workers of the thesis with so many voice calls. Figure 65 draws them all, the text names these two.
NAMED_ACTIVE = {500: 1.2, 1500: 2.5}

LOGICAL_PROCESSORS = 2  # of the Pentium 4 with Hyper-Threading (Table 8)


def is_load(where: str) -> bool:
    """True if a place belongs to phase three."""
    return where.startswith(PLACES)


@dataclass(frozen=True)
class CallLoadRow:
    """One measurement. `whole` begins with no calls and takes ten minutes."""

    sequence: str
    simultaneous: int
    workers: int = 1
    whole: bool = False


Runner = Callable[[CallLoadRow], call_load.CallLoadResult]


def runner(run: Run) -> Runner:
    """Measures each once."""

    @cache
    def measure_once(point: CallLoadRow) -> call_load.CallLoadResult:
        return call_load.measure(
            call_load.CallLoadConfig(
                proxy=run.compressor,
                user=run.decompressor,
                sequence=point.sequence,
                edition="counted",
                simultaneous=point.simultaneous,
                start="empty" if point.whole else "steady",
                duration_s=MINUTES if point.whole else 5.0 if run.quick else 30.0,
                sample_s=10.0 if point.whole else 1.0,
                consecutive=CONSECUTIVE,
                organisation="pinned" if point.workers == 1 else "pool",
                workers=point.workers,
                build=run.build,
                seed=run.seed,
            )
        )

    return measure_once


def measure(paper: Paper, where: str, run: Runner) -> PaperMeasurement:
    """Measures a place of phase three."""
    if where == "Section 11.6":
        return memory(paper, run)
    items: list[Item] = []
    for table in paper.tables[where]:
        for row, identities in table.rows:
            for identity in filter(None, identities):
                figure = paper.items[identity]
                point = _row(where, row)
                if _is_of_two(figure):
                    point = replace(point, workers=LOGICAL_PROCESSORS)
                value = _value(figure, run(point))
                items.append(beside(figure, value, runs=1, note="no message was sent" if value is None else ""))
    series = _workers(paper, run) if where.startswith("Appendix M") else []
    if where in ("Appendix N 14.14.1.1", "Appendix N 14.14.1.2"):
        series = _over_calls(paper, where, run)
    if where == "Appendix N 14.14.1.1":
        series.append(_one_after_the_other(run))
    return PaperMeasurement(items, series)


def _row(where: str, row: str) -> CallLoadRow:
    """Reads the row of a table: "750 calls", "50 video calls", "3 workers, run 2"."""
    count = int(row.split()[0])
    if where.startswith("Appendix M"):
        return CallLoadRow(VOICE, MOST_WORKERS_CALLS, count)
    video = "video" in row or where.endswith(".2")
    return CallLoadRow(VIDEO if video else VOICE, count)


def _is_of_two(figure: Figure) -> bool:
    """True if the figure is the load of one of two logical processors; here a pool of two workers stands for these."""
    column = figure.id.rpartition(".")[2]
    return column.startswith("load-ht") or (column.startswith("load") and figure.where.startswith("Appendix N 14.14.1"))


def _most_load(loaded: call_load.CallLoadResult, worker: int) -> float:
    """The most that a worker was busy in any sample, %."""
    return 100 * max((sample["busy_share"][worker] for sample in loaded.samples), default=0.0)


def _value(figure: Figure, loaded: call_load.CallLoadResult) -> float | None:
    packets = 2 * loaded.messages_per_s
    traffic = loaded.sip_mbit_s + loaded.link_mbit_s
    duration = loaded.document["duration_ns"] / 1e9
    column = figure.id.rpartition(".")[2]
    if column.startswith("load"):
        return _most_load(loaded, 1 if column.endswith("2") else 0)
    values: dict[str, float | None] = {
        "in-system": _micro(loaded, "in_system"),
        "in-buffer": _micro(loaded, "in_buffer"),
        "in-processing": _micro(loaded, "processing"),
        "active": loaded.active["seen"],
        "most-active": loaded.active["most"],
        "interval": 1 / loaded.document["calls_per_s"],
        "packet-rate": packets,
        "packet-size": 1e6 * traffic / 8 / packets if packets else None,
        "traffic": traffic,
        "sigcomp-traffic": loaded.link_mbit_s,
        "sip-traffic": loaded.sip_mbit_s,
        "messages": packets * duration,
        "duration": duration,
    }
    return values[column]


def _micro(loaded: call_load.CallLoadResult, name: str) -> float:
    return float(loaded.times[name]["mean"]) / 1e3


def memory(paper: Paper, run: Runner) -> PaperMeasurement:
    """Memory with 1,500 calls, and how it grows in ten minutes."""
    resident, each = {}, {}
    for name, sequence in (("voice", VOICE), ("video", VIDEO)):
        loaded = run(CallLoadRow(sequence, MEMORY_CALLS))
        resident[name] = loaded.document["memory"]["resident_at_end"] / 1e6
        each[name] = loaded.memory_per_call
    values = {
        "voice": resident["voice"],
        "video": resident["video"],
        "ratio": resident["video"] / resident["voice"],
        "voice-call": None if each["voice"] is None else each["voice"] / 1e3,
    }
    items = [
        beside(figure, value, note="" if value is not None else "no call was in progress")
        for figure in paper.of("Section 11.6")
        for value in (values[figure.id.partition(".")[2]],)
    ]
    whole = run(CallLoadRow(VOICE, MEMORY_CALLS, whole=True))
    points = [{"x": sample["at_ns"] / 6e10, "y": sample["resident"] / 1e6} for sample in whole.samples]
    return PaperMeasurement(items, [chart("figure-73", "here", points)] if points else [])


def _rows(paper: Paper, where: str) -> list[tuple[int, dict[str, float]]]:
    """Returns the thesis's values at `where`, in a table or in several that are merged: each row is a number of calls
    and its values by column.
    """
    rows: dict[int, dict[str, float]] = {}
    for table in paper.tables[where]:
        for row, identities in table.rows:
            result = rows.setdefault(int(row.split()[0]), {})
            for identity in filter(None, identities):
                if (value := paper.items[identity].paper) is not None:
                    result[identity.rpartition(".")[2]] = value
    return sorted(rows.items())


def _over_calls(paper: Paper, where: str, run: Runner) -> list[Series]:
    """Figures 63 to 65 and 67 to 72: time in system, active workers, throughput and memory by number of calls."""
    kind = "video" if where.endswith(".2") else "voice"
    sequence = VIDEO if kind == "video" else VOICE
    series = []
    for name, place in (("P4 HT 3.0 GHz", where), ("P4 2.66 GHz", where.replace("14.14.1", "14.14.2"))):
        rows = _rows(paper, place)
        series.append(chart(f"time-{kind}", name, [{"x": n, "y": figures["in-system"]} for n, figures in rows]))
        if "14.14.1" in place:
            series.append(
                chart(f"traffic-{kind}", "thesis", [{"x": n, "y": figures["traffic"]} for n, figures in rows])
            )
    ours = {n: run(CallLoadRow(sequence, n)) for n, _ in _rows(paper, where)}

    def line(of: Callable[[call_load.CallLoadResult], float | None]) -> list[dict[str, Any]]:
        return [{"x": n, "y": y} for n, loaded in ours.items() if (y := of(loaded)) is not None]

    return [
        *series,
        chart(f"time-{kind}", "here", line(lambda result: _micro(result, "in_system"))),
        chart(f"traffic-{kind}", "here", line(lambda result: result.sip_mbit_s + result.link_mbit_s)),
        *([] if kind == "video" else [chart("figure-65", "voice calls, thesis", _points(NAMED_ACTIVE))]),
        chart("figure-65", f"{kind} calls, here", line(lambda result: result.active["seen"])),
        *(
            [chart("figure-65", f"{kind} calls, here, at most", line(lambda result: result.active["most"]))]
            if _are_loaded(ours)
            else []
        ),
        chart(
            "figures-71-72", f"{kind} calls", line(lambda result: result.document["memory"]["resident_at_end"] / 1e6)
        ),
    ]


def _points(values: dict[int, float]) -> list[dict[str, Any]]:
    return [{"x": x, "y": y} for x, y in values.items()]


def _are_loaded(runs: dict[int, call_load.CallLoadResult]) -> bool:
    """True if the load of a run is high enough for messages to wait for each other."""
    return any(result.most_load >= LEAST_LOAD for result in runs.values())


def _one_after_the_other(run: Runner) -> Series:
    """Figure 66: times in system of messages in a row."""
    times = run(CallLoadRow(VOICE, CONSECUTIVE_CALLS)).document["consecutive_in_system_ns"]
    return chart("figure-66", "here", [{"x": number, "y": ns / 1e3} for number, ns in enumerate(times, 1)])


def _workers(paper: Paper, run: Runner) -> list[Series]:
    """Figures 59 to 62: times over the size of the pool."""
    series = []
    averages = {
        int(row.split()[0]): {
            identity.rpartition(".")[2]: paper.items[identity].paper for identity in identities if identity
        }
        for table in paper.tables["Appendix M 14.13"]
        for row, identities in table.rows
        if row.endswith("average")
    }
    ours = {count: run(CallLoadRow(VOICE, MOST_WORKERS_CALLS, count)) for count in averages}
    for column, text, key in (
        ("in-system", "in system", "in_system"),
        ("in-buffer", "in buffer", "in_buffer"),
        ("in-processing", "in processing", "processing"),
    ):
        thesis = [{"x": count, "y": figures[column]} for count, figures in averages.items()]
        series.append(chart("figures-59-60", f"{text}, thesis", thesis))
        # Logarithmic: a time of zero has no place.
        here = [{"x": count, "y": value} for count, result in ours.items() if (value := _micro(result, key)) > 0]
        if key != "in_buffer" or _are_loaded(ours):
            series.append(chart("figures-59-60", f"{text}, here", here))

    def over_active(processing: Callable[[int], float | None], active: Callable[[int], float | None]) -> list[Any]:
        pairs = [(count, processing(count), active(count)) for count in averages]
        return [{"x": count, "y": number / other} for count, number, other in pairs if number is not None and other]

    return [
        *series,
        chart(
            "figure-61",
            "thesis",
            over_active(lambda n: averages[n]["in-processing"], lambda n: averages[n]["active"]),
        ),
        chart(
            "figure-61",
            "here",
            over_active(lambda n: _micro(ours[n], "processing"), lambda n: ours[n].active["seen"]),
        ),
        chart("figure-62", "thesis", [{"x": count, "y": figures["active"]} for count, figures in averages.items()]),
        *(
            [chart("figure-62", "here", [{"x": count, "y": result.active["seen"]} for count, result in ours.items()])]
            if _are_loaded(ours)
            else []
        ),
    ]
