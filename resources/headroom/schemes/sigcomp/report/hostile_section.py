# SPDX-License-Identifier: Apache-2.0
"""The cost of hostile bytecode to a SigComp endpoint: messages per second that fill one core, and work per message."""

from typing import Any

from headroom.report import charts, data
from headroom.report.columns import Shown, figure, table_of
from headroom.report.data import Records
from headroom.report.page import Column, Section
from headroom.schemes.sigcomp import metrics

KIND = "attack"
THESIS = "thesis"  # the attack of maenpaa-2005, 11.7
THESIS_PER_S = 8.0  # that filled its Pentium 4 of 3.0 GHz (11.7)
PAPER, BEFORE, NOW = "maenpaa-2005", "the cycles of RFC 3320 alone", "with a guard"


def hostile(records: Records) -> Section | None:
    """Messages a second that fill one core, if measured, and the cost of the attacks."""
    attacks = data.of_kind(records, KIND)
    timed = [record for record in attacks if data.value(record, metrics.MESSAGES_PER_SECOND) is not None]
    bounded = [record for record in attacks if data.value(record, metrics.UDVM_CYCLES) is not None]
    if not attacks:
        return None
    section = Section("hostile", "Hostile bytecode", "Hostile")
    section.intro = [
        "Hostile messages are made to keep a decompressor busy. RFC 3320 limits each message by UDVM cycles per bit. "
        "The guard of an endpoint, if any, also limits the cost of instructions and detects endless loops. "
        f"maenpaa-2005, 11.7: {THESIS_PER_S:.0f} messages a second of its attack filled a Pentium 4 of 3.0 GHz."
    ]
    if timed:
        caption = (
            "Messages a second that fill one core, from the median time of a call. Where the gain is below 1, the "
            "guard costs more than it saves, because it can prove nothing about the program."
        )
        section.add("table", table_of("t-hostile", RATES, timed, caption))
        rows = [point for record in timed for point in _points(record)]
        series = [name for name in (PAPER, BEFORE, NOW) if any(row["series"] == name for row in rows)]
        caption = "Messages a second of each attack that fill one core; further to the right is better."
        draw = charts.dots(rows, "messages a second (logarithmic)", series)
        section.add("figure", charts.figure("f-hostile", "Messages that fill one core", caption, draw))
    if bounded:
        caption = "Cost of one message. A unit of work is about the time of an instruction of one cycle."
        section.add("table", table_of("t-hostile-costs", COSTS, bounded, caption))
    return section


def _before_and_now(record: dict[str, Any]) -> tuple[float | None, float | None]:
    """The messages a second without and with a guard; the second is None for an endpoint without a guard."""
    value = data.value(record, metrics.MESSAGES_PER_SECOND)
    without = data.value(record, metrics.MESSAGES_PER_SECOND_WITHOUT_GUARD)
    return (value, None) if without is None else (without, value)


def _points(record: dict[str, Any]) -> list[dict[str, Any]]:
    before, now = _before_and_now(record)
    paper = THESIS_PER_S if record["parameters"].get("case") == THESIS else None
    entry = ((PAPER, paper), (BEFORE, before), (NOW, now))
    return [{"name": record["test"]["name"], "series": name, "value": value} for name, value in entry if value]


ATTACK: Shown = (Column("Attack"), lambda record: record["test"]["name"])
RATES: list[Shown] = [
    ATTACK,
    (Column("The cycles of RFC 3320 alone", number=True), lambda record: _before_and_now(record)[0]),
    (Column("With a guard", number=True, optional=True), lambda record: _before_and_now(record)[1]),
    figure("Gain", metrics.GAIN, lambda gain: None if gain is None else f"{gain:,.3g}", optional=True),
]
COSTS: list[Shown] = [
    ATTACK,
    figure("UDVM cycles", metrics.UDVM_CYCLES),
    figure("Work without a guard", metrics.WORK_WITHOUT_GUARD, optional=True),
    figure("Work with a guard", metrics.WORK, optional=True),
]
