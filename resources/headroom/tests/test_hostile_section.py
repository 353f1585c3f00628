# SPDX-License-Identifier: Apache-2.0
"""What hostile bytecode costs, in the report."""

from __future__ import annotations

from typing import Any

from headroom.core.metric_registry import all_metrics
from headroom.core.results.record import Measurement
from headroom.schemes.sigcomp.report.hostile_section import hostile
from headroom.tests import sample


def record(name: str, case: str, **values: float) -> dict[str, Any]:
    found = [Measurement(all_metrics()[key], value) for key, value in values.items()]
    made = sample.record(
        f"performance.hostile_bytecode/{name}", parameters={"kind": "attack", "case": case}, metrics=found
    )
    return made.as_json()


def test_the_attack_of_the_thesis_stands_beside_the_thesis() -> None:
    thesis = record("Theirs", "thesis", messages_per_second=1e5, messages_per_second_without_guard=1e3, gain=100.0)
    bare = record("Bare", "jump", messages_per_second=5e4)  # of an endpoint that has no guard
    bounded = record("Bounded", "jump", udvm_cycles=16_896, work=100, work_without_guard=17_000)
    section = hostile([thesis, bare, bounded])
    assert section is not None
    figures, chart, costs = (part.content for part in section.parts)
    assert [cell.text for cell in figures.rows[0].cells] == ["Theirs", "1,000", "100,000", "100"]
    assert [cell.text for cell in figures.rows[1].cells] == ["Bare", "50,000", "–", "–"]
    assert "maenpaa-2005" in chart.wide and "Theirs" in chart.narrow
    assert [cell.text for cell in costs.rows[0].cells] == ["Bounded", "16,896", "17,000", "100"]


def test_other_records_are_not_for_it() -> None:
    assert hostile([sample.record("smoke/first_packets/U", parameters={"kind": "replay"}).as_json()]) is None
