# SPDX-License-Identifier: Apache-2.0
"""What becomes of a change of time alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from headroom.core import metrics
from headroom.history.assessment import Flag
from headroom.history.confirmation import NEW, OLD
from headroom.history.detection import Baseline, Change
from headroom.nightly.binaries import Binary
from headroom.nightly.changes import Decisions, Question, TimeOnly, settle
from headroom.tests.history.support import KEY, night, series

METRIC = metrics.STAGE_NS(stage="compress")


OLD_BUILD = Binary("digest", Path("adapter.so"))


def settled(ratio: float, layouts: Sequence[float], before: float = 100.0) -> Decisions:
    """A series whose time changed by `ratio`, and by `layouts` where the builds are linked again."""
    values = series([100.0] * 12 + [before, 100 * ratio])
    flag = Flag(values, Change("candidate", ratio - 1, 0.008, Baseline(100.0, 0.001, 12)), night(13), before)
    done = Decisions(time_only=[TimeOnly(Question(flag, OLD_BUILD), ratio, 0.003, "evidence")])
    found = [{OLD: {METRIC: [100.0]}, NEW: {METRIC: [100 * one]}} for one in layouts]
    settle(done, {(KEY.test, "digest"): found} if layouts else {})
    return done


@pytest.mark.parametrize(
    ("ratio", "layouts", "outcome"),
    [
        (1.03, [1.03, 1.02, 1.04], "change"),
        (0.97, [0.97, 0.98, 0.96], "change"),
        (1.03, [1.03, 0.999, 1.04], "change"),  # one layout that differs within the noise contradicts nothing
        (1.03, [1.03, 0.98, 1.04], "pending"),  # and one that does is a doubt
        (1.03, [1.002, 1.0, 1.003], "layout"),  # less than half of it
        (1.03, [1.012, 1.013, 1.014], "pending"),  # about half of it
        (1.012, [1.009, 1.009, 1.009], "pending"),  # less than a change has to be
        (0.97, [1.03, 1.03, 1.03], "layout"),
        (1.03, [], "pending"),
    ],
)
def test_layouts_decide(ratio: float, layouts: Sequence[float], outcome: str) -> None:
    done = settled(ratio, layouts)
    assert (len(done.changes), len(done.layout), len(done.pending)) == (
        outcome == "change",
        outcome == "layout",
        outcome == "pending",
    )
    assert len(done.notes) == (outcome != "change")


@pytest.mark.parametrize(("before", "is_change"), [(102.0, True), (100.1, False), (98.0, False), (float("nan"), False)])
def test_a_second_night_decides_without_layouts(before: float, is_change: bool) -> None:
    assert len(settled(1.03, [], before).changes) == is_change


def test_the_evidence_names_the_layouts() -> None:
    (found,) = settled(1.03, [1.03, 1.02, 1.04]).changes
    assert found.confirmed and found.changed.ratio == 1.03
    assert found.changed.evidence == "evidence; +3.00 % where both are linked in 3 other orders"
