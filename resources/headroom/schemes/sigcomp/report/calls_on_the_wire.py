# SPDX-License-Identifier: Apache-2.0
"""The report on SIP calls through nodes: the highest rate at which every call is completed, and the duration of a
call.
"""

from dataclasses import dataclass
from typing import Any

from headroom.core import metrics as core_metrics
from headroom.report import charts, data, wire_section
from headroom.report.columns import Shown, table_of
from headroom.report.data import Records
from headroom.report.page import Column, Section
from headroom.schemes.sigcomp import metrics

CALLED = {"null": "null codec", "sigcomp": "SigComp"}  # what a row calls the nodes that calls go through


@dataclass
class CallsThrough:
    """Calls of one sequence through one kind of nodes: the records of those at a given rate, and at the highest."""

    sequence: str
    nodes: str
    given: dict[str, Any] | None = None
    highest: dict[str, Any] | None = None

    @property
    def records(self) -> Records:
        return [record for record in (self.given, self.highest) if record]


def calls(records: Records) -> Section | None:
    """The part about calls of the section about nodes."""
    results = data.of_kind(records, "calls")
    if not results:
        return None
    section = wire_section.begin(results, results)
    section.add("heading", "SIP calls", id="wire-calls")
    through: dict[tuple[str, str], CallsThrough] = {}
    for record in results:
        parameters = record["parameters"]
        key = parameters["sequence"], CALLED[parameters.get("nodes", "null")]
        setattr(through.setdefault(key, CallsThrough(*key)), "highest" if "goal" in parameters else "given", record)
    bars = [
        {"sequence": entry.sequence, "rate": rate, "nodes": entry.nodes}
        for entry in through.values()
        if entry.highest and (rate := data.value(entry.highest, metrics.CALLS_PER_S)) is not None
    ]
    if bars:
        draw = charts.grouped_bars(
            bars, "sequence", "rate", "nodes", "", "calls/s, every one completed", order=list(CALLED.values())
        )
        caption = (
            "The highest rate at which every call was completed; where there is none, the generator was the limit."
        )
        section.add("figure", charts.figure("f-calls", "Calls a second", caption, draw))
    caption = (
        "The duration of a call is the median at the lower rate, from its first message until its last one arrived. "
        "The parties answer at once, without pauses."
    )
    section.add("table", table_of("t-calls", SHOWN, list(through.values()), caption))
    return section


def _given(metric: core_metrics.Metric, scale: float = 1) -> Any:
    """A metric of the calls at a given rate."""

    def of(entry: CallsThrough) -> Any:
        value = data.value(entry.given, metric) if entry.given else None
        return round(value / scale) if value is not None and scale != 1 else value

    return of


def _highest_rate(entry: CallsThrough) -> Any:
    if entry.highest is None:
        return None
    return wire_section.rate_shown(entry.highest, metrics.CALLS_PER_S, metrics.CALLS_PER_S_AT_LEAST)


SHOWN: list[Shown] = [
    (Column("Sequence"), lambda entry: entry.sequence),
    (Column("Nodes"), lambda entry: entry.nodes),
    (Column("Messages", number=True), lambda entry: entry.records[0]["parameters"]["messages"]),
    (Column("Calls", number=True), _given(metrics.CALLS)),
    (Column("Failed", number=True), _given(metrics.FAILED)),
    (Column("Changed", number=True), _given(metrics.MESSAGES_UNEXPECTED)),
    (Column("A call, µs", number=True), _given(metrics.CALL_TIME(figure="p50"), 1000)),
    (Column("Most calls/s", number=True), _highest_rate),
    (
        Column("messages/s", number=True),
        lambda entry: data.value(entry.highest, metrics.MESSAGES_PER_S) if entry.highest else None,
    ),
    *((column, lambda entry, of=of: of(entry.records[0])) for column, of in wire_section.OCTETS),
    (
        Column("Remarks", long=True, optional=True),
        lambda entry: " ".join(record["reason"] for record in entry.records if record["reason"]),
    ),
]
