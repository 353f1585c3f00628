# SPDX-License-Identifier: Apache-2.0
"""The detector on a public series of another project, which has steps, an outlier and a slope."""

from pathlib import Path

import numpy as np

from headroom.history import detection

# What Apache Otava 0.8.0 finds on the whole series (window 50, p at most 0.001): a second opinion, with hindsight.
OTAVA = (15, 61, 71, 95, 117, 131, 192, 212)


def series() -> np.ndarray:
    path = Path(__file__).with_name("tigerbeetle.csv")
    return np.loadtxt(path, comments="#")


def fences(values: np.ndarray) -> list[tuple[int, float]]:
    """Night by night: the first night of each fence and its step. Each is accepted, so that a new baseline begins."""
    found, start = [], 0
    for night in range(1, len(values) + 1):
        changes = detection.judge(values[start:night], after_change=start > 0)
        if fence := next((one for one in changes if one.kind == "fence"), None):
            found.append((night - detection.FENCE_NIGHTS, fence.step))
            start = night - detection.FENCE_NIGHTS
    return found


def test_the_steps_are_found_where_they_are() -> None:
    found = fences(series())
    nights = [night for night, _ in found]
    print(found)
    for step, sign in ((15, -1), (61, 1), (71, 1), (95, -1)):
        assert any(abs(night - step) <= 1 and np.sign(change) == sign for night, change in found), (step, found)
    assert not any(abs(night - 10) <= 1 for night in nights), "one slow run is no change"


def test_the_quiet_half_has_few() -> None:
    later = [one for one in fences(series()) if one[0] >= 210]
    assert len(later) <= 1, later


def test_each_change_is_one_of_another_detector() -> None:
    for night, step in fences(series()):
        assert any(abs(night - known) <= 5 for known in OTAVA), (night, step)
