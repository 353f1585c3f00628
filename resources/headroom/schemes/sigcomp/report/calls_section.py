# SPDX-License-Identifier: Apache-2.0
"""A P-CSCF under the load of calls: what each row served, how long messages took, and what a call costs in memory."""

from __future__ import annotations

import statistics
from typing import Any

from headroom.report import charts, data
from headroom.report.data import Records
from headroom.report.page import Column, Section, table

KIND = "p-cscf"
MOST_POINTS = 150  # of a line
PARTS = ("in the buffer", "in processing")
LEAST_LOAD, LEAST_CALLS = 0.001, 100  # from which on there is something to say by proportion, and by call


def calls(records: Records) -> Section | None:
    """One row for each load; the time in the system by the organisation of the workers."""
    found = [record for record in records if record["parameters"].get("kind") == KIND and record["metrics"]]
    if not found:
        return None
    section = Section("p-cscf", "Calls through a P-CSCF", "Calls")
    section.intro = [
        "It decompresses what users send and compresses what they are sent (maenpaa-2005, chapter 11). Load is "
        "processor time over time, of one core. A message is in the buffer from the moment it is due until a worker "
        "begins with it. With a virtual clock processor time is measured and the queue is simulated; with the real one "
        "there are threads, a queue, and a generator beside them."
    ]
    served = [record for record in found if record["parameters"]["organisation"] != "both"]
    if served:
        section.add("table", table("t-p-cscf", _COLUMNS, [_row(record) for record in served], BY_PROPORTION))
        section.add("table", table("t-p-cscf-times", _TIMES, [_times(record) for record in served], ALL_MEANS))
    if points := [point for record in served for point in _cumulative(record)]:
        draw = charts.lines(points, "time in the system, µs (logarithmic)", "messages", y_format=".0%", log_x=True)
        caption = "Share of the messages that took no longer than this, from due until done with."
        section.add("figure", charts.figure("f-p-cscf", "Time of a message in the system", caption, draw))
    if loads := [point for record in served for point in _over_time(record)]:
        draw = charts.lines(loads, "s", "load of a core", y_format="%")
        caption = "Processor time of the worker by time, of the worker that had most of it."
        section.add("figure", charts.figure("f-p-cscf-load", "Load over time", caption, draw))
    compared = [line for record in found if record["parameters"]["organisation"] == "both" for line in _lines(record)]
    if compared:
        section.add("table", table("t-organisations", _ORGANISATIONS, compared, OF_TRIALS))
        rows = [
            {"name": f"{workers} workers, {organisation}", "part": part, "value": value / 1000}
            for organisation, workers, _, _, *times in compared
            for part, value in zip(PARTS, times[::2], strict=False)
            if value is not None
        ]
        caption = (
            "Mean time of a message in the system: waiting in the buffer, and in processing. Both organisations are "
            "simulated with the same arrivals and service times, so that nothing else differs between them."
        )
        draw = charts.stacked_bars(rows, "µs", "", list(PARTS))
        section.add("figure", charts.figure("f-organisations", "A common queue, or a worker for each", caption, draw))
    return section


BY_PROPORTION = (
    "Calls at 50 % are by proportion from the load that these calls made, and not measured at that number: with as "
    "many, caches hold less of each; below a load of 0.1 % there is no telling. Memory per call is what the process "
    "has grown by since the endpoint was made; of less than 100 calls, what does not grow with them is most of it."
)
ALL_MEANS = (
    "Times in the system, µs; but for p50 and p99 they are means. Late: what of the time in the buffer is the "
    "generator's doing, with the real clock. Active workers: as messages see them, themselves included."
)
OF_TRIALS = (
    "Means, and ±, the standard deviation over trials. Each trial has other arrivals, the same for both organisations; "
    "the wait is compared trial by trial."
)

_COLUMNS = [
    Column("Sequence"),
    Column("P-CSCF"),
    Column("Compartments", optional=True),
    Column("Clock"),
    Column("Calls at once", number=True),
    Column("Held, s", number=True),
    Column("Answer, s", number=True),
    Column("Load", number=True),
    Column("Calls at 50 %", number=True),
    Column("Messages/s", number=True),
    Column("Memory per call, kB", number=True),
]

_TIMES = [
    Column("Case"),
    Column("Mean", number=True),
    Column("p50", number=True),
    Column("p99", number=True),
    Column("In the buffer", number=True),
    Column("In processing", number=True),
    Column("Late", number=True, optional=True),
    Column("Active workers", number=True),
    Column("SIP, Mbit/s", number=True),
    Column("SigComp, Mbit/s", number=True),
]

_ORGANISATIONS = [
    Column("Organisation"),
    Column("Workers", number=True),
    Column("Calls/s", number=True),
    Column("Load", number=True),
    Column("In buffer, ns", number=True),
    Column("±", number=True),
    Column("In processing, ns", number=True),
    Column("±", number=True),
    Column("In system, ns (p99)", number=True),
    Column("Wait to that in a pool", number=True),
    Column("±", number=True),
]


def _share(value: float | None) -> str | None:
    return None if value is None else f"{value:.{1 if value >= 0.01 else 2}%}".replace("%", " %")


def _thousandth(value: float | None) -> float | None:
    return None if value is None else value / 1000


def _cumulative(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Points of the distribution of the time in the system, in µs."""
    buckets = data.merged_histogram(record, "in_system")
    total = sum(count for _, count in buckets)
    points, seen = [], 0.0
    for edge, count in buckets:
        seen += count
        points.append({"series": record["test"]["name"], "x": edge / 1000, "y": seen / total})
    return [point for point in points[:: max(1, len(points) // MOST_POINTS)] if point["x"] > 0]


def _over_time(record: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"series": record["test"]["name"], "x": point["x"], "y": point["y"]}
        for series in record["series"]
        if series["name"] == "load_over_time"
        for point in series["points"]
    ]


def _row(record: dict[str, Any]) -> list[Any]:
    parameters = record["parameters"]
    load, at_once = data.value(record, "load"), data.value(record, "calls_in_progress")
    return [
        parameters["sequence"],
        record["compressor"]["name"],
        parameters.get("compartments", "–"),
        parameters["clock"],
        at_once,
        parameters.get("holding_s"),
        parameters.get("answer_s"),
        _share(load),
        data.value(record, "calls_at_half_load") if (load or 0) >= LEAST_LOAD else None,
        data.value(record, "messages_per_s"),
        _thousandth(data.value(record, "memory_per_call")) if (at_once or 0) >= LEAST_CALLS else None,
    ]


def _times(record: dict[str, Any]) -> list[Any]:
    names = ("in_system_mean", "in_system_p50", "in_system_p99", "in_buffer_mean", "processing_mean")
    return [
        record["test"]["name"],
        *(_thousandth(data.value(record, name)) for name in (*names, "handed_over_late_mean")),
        *(data.value(record, name) for name in ("active_workers_seen", "sip", "sigcomp")),
    ]


def _lines(record: dict[str, Any]) -> list[list[Any]]:
    """One line for each organisation that the case compares."""

    def with_spread(name: str) -> list[float | None]:
        trials = [trial for trial in data.metric(record, name).get("trials", []) if trial is not None]
        return [data.value(record, name), statistics.stdev(trials) if len(trials) > 1 else None]

    return [
        [
            organisation,
            record["parameters"]["workers"],
            data.value(record, f"{organisation}_calls_per_s"),
            _share(data.value(record, f"{organisation}_load")),
            *with_spread(f"{organisation}_in_buffer_mean"),
            *with_spread(f"{organisation}_processing_mean"),
            data.value(record, f"{organisation}_in_system_p99"),
            *(with_spread("wait_of_pinned_to_pool") if organisation == "pinned" else [1, None]),
        ]
        for organisation in ("pinned", "pool")
    ]
