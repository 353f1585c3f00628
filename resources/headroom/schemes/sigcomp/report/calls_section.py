# SPDX-License-Identifier: Apache-2.0
"""A P-CSCF under the load of calls: the served calls of each row, the times of messages, and the memory of a call."""

import statistics
from typing import Any

from headroom.core.metrics import LOAD, Metric
from headroom.core.text import percent
from headroom.report import charts, data
from headroom.report.columns import Shown, figure, parameter, table_of
from headroom.report.data import Records
from headroom.report.page import Column, Section, table
from headroom.schemes.sigcomp import metrics

KIND = "p-cscf"
MOST_POINTS = 150  # of a line
PARTS = ("in the buffer", "in processing")
LEAST_LOAD, LEAST_CALLS = 0.001, 100  # from which on there is something to say by proportion, and by call


def calls(records: Records) -> Section | None:
    """One row for each load; the time in the system by the organisation of the workers."""
    results = data.of_kind(records, KIND)
    if not results:
        return None
    section = Section("p-cscf", "Calls through a P-CSCF", "Calls")
    section.intro = [
        "The P-CSCF decompresses messages from users and compresses messages to users (maenpaa-2005, chapter 11). Load "
        "is processor time over elapsed time, of one core. A message is in the buffer from the moment it is due until "
        "a worker begins with it. With a virtual clock, processor time is measured and the queue is simulated. With "
        "the real clock, there are real threads, a queue and a generator."
    ]
    served = [record for record in results if record["parameters"]["organisation"] != "both"]
    if served:
        section.add("table", table_of("t-p-cscf", SERVED, served, BY_PROPORTION))
        section.add("table", table_of("t-p-cscf-times", TIMES, served, ALL_MEANS))
    if points := [point for record in served for point in _cumulative(record)]:
        draw = charts.lines(points, "time in the system, µs (logarithmic)", "messages", y_format=".0%", log_x=True)
        caption = "Share of the messages that took no longer than this, from the moment they are due to the end."
        section.add("figure", charts.figure("f-p-cscf", "Time of a message in the system", caption, draw))
    if loads := [point for record in served for point in _over_time(record)]:
        draw = charts.lines(loads, "s", "load of a core", y_format="%")
        caption = "Load of the busiest worker over time."
        section.add("figure", charts.figure("f-p-cscf-load", "Load over time", caption, draw))
    compared = [line for record in results if record["parameters"]["organisation"] == "both" for line in _lines(record)]
    if compared:
        section.add("table", table("t-organisations", ORGANISATIONS, compared, OF_TRIALS))
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
        section.add("figure", charts.figure("f-organisations", "A common queue, or pinned compartments", caption, draw))
    return section


BY_PROPORTION = (
    "Calls at 50 % are extrapolated from the load of the measured calls. With that many calls, caches would hold less "
    "of each; below a load of 0.1 % there is no estimate. Memory per call is the growth of the process since the "
    "endpoint was created; with fewer than 100 calls, fixed memory is most of it."
)
ALL_MEANS = (
    "Times in the system, µs: means, except p50 and p99. Late: the part of the time in the buffer that the generator "
    "caused (real clock only). Active workers: as an arriving message sees them, itself included."
)
OF_TRIALS = (
    "Means, and ±, the standard deviation over trials. Each trial has other arrivals, the same for both organisations; "
    "the wait is compared trial by trial."
)


def _load(load: float | None) -> str | None:
    return percent(load, 1 if (load or 0) >= 0.01 else 2)


def _microseconds(value: float | None) -> float | None:
    return None if value is None else value / 1000


def _calls_at_half_load(record: dict[str, Any]) -> float | None:
    loaded = (data.value(record, LOAD) or 0) >= LEAST_LOAD
    return data.value(record, metrics.CALLS_AT_HALF_LOAD) if loaded else None


def _memory_per_call(record: dict[str, Any]) -> float | None:
    """Memory per call, in thousands of octets."""
    loaded = (data.value(record, metrics.CALLS_IN_PROGRESS) or 0) >= LEAST_CALLS
    memory = data.value(record, metrics.MEMORY_PER_CALL)
    return memory / 1000 if loaded and memory is not None else None


def _time(title: str, time: str, figure_name: str, **column: bool) -> Shown:
    return figure(title, metrics.TIME(time=time, figure=figure_name), _microseconds, **column)


SERVED: list[Shown] = [
    parameter("Sequence", "sequence"),
    (Column("P-CSCF"), lambda record: record["compressor"]["name"]),
    parameter("Compartments", "compartments", "–", optional=True),
    parameter("Clock", "clock"),
    figure("Calls at once", metrics.CALLS_IN_PROGRESS),
    parameter("Held, s", "holding_s", number=True),
    parameter("Answer, s", "answer_s", number=True),
    figure("Load", LOAD, _load),
    (Column("Calls at 50 %", number=True), _calls_at_half_load),
    figure("Messages/s", metrics.MESSAGES_PER_S),
    (Column("Memory per call, kB", number=True), _memory_per_call),
]

TIMES: list[Shown] = [
    (Column("Case"), lambda record: record["test"]["name"]),
    _time("Mean", "in_system", "mean"),
    _time("p50", "in_system", "p50"),
    _time("p99", "in_system", "p99"),
    _time("In the buffer", "in_buffer", "mean"),
    _time("In processing", "processing", "mean"),
    _time("Late", "handed_over_late", "mean", optional=True),
    figure("Active workers", metrics.ACTIVE_WORKERS(figure="seen")),
    figure("SIP, Mbit/s", metrics.SIP),
    figure("SigComp, Mbit/s", metrics.SIGCOMP),
]

ORGANISATIONS = [
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


def _lines(record: dict[str, Any]) -> list[list[Any]]:
    """One line for each organisation that the case compares."""

    def with_spread(metric: Metric) -> list[float | None]:
        trials = data.trials(record, metric)
        return [data.value(record, metric), statistics.stdev(trials) if len(trials) > 1 else None]

    return [
        [
            organisation,
            record["parameters"]["workers"],
            data.value(record, metrics.ORGANISATION_CALLS_PER_S(organisation=organisation)),
            _load(data.value(record, metrics.ORGANISATION_LOAD(organisation=organisation))),
            *with_spread(metrics.ORGANISATION_TIME(organisation=organisation, time="in_buffer")),
            *with_spread(metrics.ORGANISATION_TIME(organisation=organisation, time="processing")),
            data.value(record, metrics.ORGANISATION_TIME(organisation=organisation, time="in_system", figure="p99")),
            *(with_spread(metrics.WAIT_OF_PINNED_TO_POOL) if organisation == "pinned" else [1, None]),
        ]
        for organisation in metrics.ORGANISATIONS
    ]
