# SPDX-License-Identifier: Apache-2.0
"""The detector: exact cases, and how often it is wrong on 1,000 seeded series of each kind of noise."""

import math

import numpy as np
import pytest

from headroom.core.sentinels import best
from headroom.history import detection
from headroom.history.confirmation import Session, confirm, ratio_of_best, session_deviation
from headroom.tests.nightly.noise import KINDS, NIGHTS, Values

pytestmark = pytest.mark.slow

SERIES = 1000
SESSION_SPREAD = 0.002  # of a minimum of 30 interleaved trials


def flat(*last: float, nights: int = 20) -> list[float]:
    """Nights that alternate by 0.2 %, and then these."""
    return [100 + 0.1 * (-1) ** night for night in range(nights)] + list(last)


def test_ten_nights_are_needed() -> None:
    assert detection.judge(flat(150, nights=9)) == []
    assert [one.kind for one in detection.judge(flat(150, nights=10))] == ["candidate"]


def test_five_nights_suffice_after_a_change() -> None:
    assert detection.judge(flat(150, nights=4), after_change=True) == []
    assert detection.judge(flat(150, nights=5), after_change=True)


def test_the_baseline_has_thirty_nights_at_most() -> None:
    found = detection.baseline([50.0] * 40 + [100.0] * 30)
    assert found is not None
    assert (found.median, found.nights) == (100.0, 30)


def test_the_spread_is_the_largest_of_three() -> None:
    # Constant: the floor. Alternating by 1 of 100: |Δ| = 2, and MAD = 1.
    assert detection.spread([100.0] * 10) == detection.LEAST_SPREAD
    alternating = [99.0, 101.0] * 5
    assert detection.spread(alternating) == pytest.approx(max(1.4826 * 1.4 / 100, 2 / 0.954 / 100))


def test_a_candidate_needs_eight_thousandths() -> None:
    assert detection.judge([100.0] * 20 + [100.7]) == []
    (found,) = detection.judge([100.0] * 20 + [100.9])
    assert (found.kind, found.step) == ("candidate", pytest.approx(0.009))
    assert found.limit == detection.CANDIDATE_LIMIT


def test_a_fence_needs_three_nights_on_one_side() -> None:
    assert "fence" in [one.kind for one in detection.judge([100.0] * 20 + [101.2, 101.2, 101.2])]
    assert "fence" not in [one.kind for one in detection.judge([100.0] * 20 + [101.2, 98.8, 101.2])]
    assert "fence" not in [one.kind for one in detection.judge([100.0] * 20 + [101.2, 100.4, 101.2])]


@pytest.mark.parametrize("last", [math.nan, math.inf])
def test_a_last_night_without_a_value_shows_nothing(last: float) -> None:
    assert detection.judge([100.0] * 20 + [last]) == []


def test_gaps_are_no_nights() -> None:
    with_gaps = [value for one in [100.0] * 12 for value in (one, math.nan)] + [110.0]
    assert [one.kind for one in detection.judge(with_gaps)] == ["candidate"]


def test_a_median_of_zero_has_infinite_steps() -> None:
    assert detection.judge([0.0] * 20 + [0.0]) == []
    (found,) = detection.judge([0.0] * 20 + [1.0])
    assert found.step == math.inf


def test_negative_values_keep_their_direction() -> None:
    (found,) = detection.judge([-100.0] * 20 + [-90.0])
    assert found.step == pytest.approx(0.1)


def test_empty_and_single_series_show_nothing() -> None:
    assert detection.judge([]) == detection.judge([1.0]) == []
    assert detection.drift([1.0]) is None


def test_drift_is_a_slope_over_thirty_nights() -> None:
    assert detection.drift(np.linspace(100, 100 + 2 * 29 / 30, 30)) == pytest.approx(0.02, rel=0.02)
    assert not detection.is_drift(detection.drift([100.0] * 30))
    assert detection.is_drift(detection.drift(np.linspace(100, 103, 30)))


def test_the_best_sixth_counts() -> None:
    trials = [float(value) for value in range(100, 130)]
    assert best(trials) == best(trials[::-1]) == 102.0
    assert best(trials, "higher") == 127.0
    assert best([5.0, 4.0, math.nan]) == 4.0
    assert math.isnan(best([]))


def test_confirmation_takes_the_best_trials() -> None:
    found = confirm(Session((100.0, 140.0), (103.0, 150.0), (103.1, 180.0)), 0.03, 0.001)
    assert (found.decision, found.by) == ("confirmed", "time")
    assert found.ratio == pytest.approx(1.03)


def test_confirmation_wants_the_same_direction() -> None:
    assert confirm(Session((100.0,), (97.0,), (97.0,)), 0.03, 0.001).decision == "not confirmed"


def test_a_noisy_session_asks_the_instructions() -> None:
    noisy = {"old": (100.0,), "new": (105.0,), "copy": (110.0,)}
    assert confirm(Session(**noisy), 0.05, 0.001).decision == "cannot tell"
    assert confirm(Session(**noisy, instructions=(500.0, 500.0)), 0.05, 0.001).decision == "cannot tell"
    found = confirm(Session(**noisy, instructions=(500.0, 520.0)), 0.05, 0.001)
    assert (found.decision, found.by) == ("confirmed", "instructions")


def test_a_session_without_trials_cannot_tell() -> None:
    assert math.isnan(ratio_of_best((), (1.0,)))
    assert math.isnan(ratio_of_best((1.0,), (0.0,)))
    assert confirm(Session((), (1.0,), (1.0,)), 0.1, 0.0).decision == "cannot tell"
    assert session_deviation([]) == math.inf


def confirmed(random: np.random.Generator, step: float, real: float) -> bool:
    """Whether a session in which the new build differs by `real` confirms a step that the history shows."""
    old, new, copy = (float(1 + SESSION_SPREAD * random.standard_normal()) for _ in range(3))
    session = Session((old,), (new * (1 + real),), (copy * (1 + real),))
    return confirm(session, step, SESSION_SPREAD).decision == "confirmed"


def alerts_of(values: Values, random: np.random.Generator) -> tuple[bool, bool]:
    """Whether any night of a series in which nothing changes shows a fence; whether a session confirms a candidate."""
    fence = candidate = False
    for night in range(detection.LEAST_NIGHTS + 1, NIGHTS + 1):
        for found in detection.judge(values[:night]):
            fence |= found.kind == "fence"
            candidate |= found.kind == "candidate" and confirmed(random, found.step, 0.0)
    return fence, candidate


# False series in 1,000: with a fence alone, and with a candidate that an interleaved session confirmed. What a fence
# alone shows is never more than an unconfirmed alert.
MOST_FALSE = {
    "Gaussian": (5, 5),
    "dips": (10, 5),
    "drift": (10, 5),
    "heteroscedastic": (20, 5),
    "outliers": (20, 5),
    "AR(1)": (60, 5),
    "weekly": (10, 5),
    "virtual machine": (20, 5),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_false_alarms(kind: str) -> None:
    random = np.random.default_rng(17)
    found = [alerts_of(KINDS[kind](random), random) for _ in range(SERIES)]
    fences, candidates = (sum(column) for column in zip(*found, strict=True))
    print(f"{kind}: {fences} fences, {candidates} confirmed candidates of {SERIES}")
    assert (fences <= MOST_FALSE[kind][0], candidates <= MOST_FALSE[kind][1]) == (True, True), (fences, candidates)


def test_a_step_of_two_per_cent_is_seen() -> None:
    random = np.random.default_rng(17)
    by_fence = by_confirmation = 0
    for _ in range(SERIES):
        values = KINDS["Gaussian"](random)
        values[40:] *= 0.98
        nights = [detection.judge(values[:night]) for night in (41, 42, 43)]
        by_fence += any(one.kind == "fence" and one.step < 0 for found in nights for one in found)
        by_confirmation += any(
            one.step < 0 and confirmed(random, one.step, -0.02) for found in nights[:2] for one in found
        )
    print(f"seen by the third night: {by_fence}; confirmed by the second: {by_confirmation}")
    assert by_fence >= 0.9 * SERIES
    assert by_confirmation >= 0.99 * SERIES
