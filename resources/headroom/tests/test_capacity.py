# SPDX-License-Identifier: Apache-2.0
"""The search against machines whose capacity is known."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from headroom.bench.capacity_search import Rules, Search, Trial


class Machine:
    """A core whose load is `fixed + cost * flows`, with noise; ticks are missed from `limit` on."""

    def __init__(
        self, cost: float = 1e-5, fixed: float = 0.002, noise: float = 0.0, limit: int = 95_000, seed: int = 1
    ) -> None:
        self.cost, self.fixed, self.noise, self.limit = cost, fixed, noise, limit
        self.random = random.Random(seed)
        self.asked: list[int] = []

    def __call__(self, flow_pairs: int) -> Trial:
        self.asked.append(flow_pairs)
        load = (self.fixed + self.cost * flow_pairs) * (1 + self.random.uniform(-self.noise, self.noise))
        return Trial(flow_pairs, min(load, 1.0), int(flow_pairs > self.limit) * 5)

    def capacity(self, target: float) -> float:
        return (target - self.fixed) / self.cost


@pytest.mark.parametrize("target", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("cost", [1e-3, 1e-5, 3e-7])
def test_finds_the_flow_pairs_of_a_load(target: float, cost: float) -> None:
    machine = Machine(cost=cost)
    found = Search(machine, Rules(most=10_000_000)).for_load(target)
    assert found.flow_pairs == pytest.approx(machine.capacity(target), rel=0.02)
    assert found.notes == []
    assert not found.rough
    assert len(found.per_trial) == 3


def test_noise_is_averaged_and_said() -> None:
    machine = Machine(noise=0.15)
    found = Search(machine).for_load(0.5)
    assert found.flow_pairs == pytest.approx(machine.capacity(0.5), rel=0.15)
    assert any("differ by up to" in note for note in found.notes)
    assert max(len(point.trials) for point in found.points) > 3, "noisy points are measured again"


def test_highest_number_without_a_missed_tick() -> None:
    found = Search(Machine(limit=87_654)).without_missed_ticks()
    assert found.flow_pairs is not None
    assert 87_654 / 1.021 <= found.flow_pairs <= 87_654


def test_targets_share_points() -> None:
    machine = Machine()
    search = Search(machine)
    search.for_load(0.3)
    search.for_load(0.5)
    search.without_missed_ticks()
    first = len(machine.asked)
    search.for_load(0.3)
    search.for_load(0.5)
    assert len(machine.asked) == first, "nothing is measured twice"
    assert first <= 30, f"{first} trials: a search that takes too long"


def test_a_trial_that_fails_is_tried_again_for_the_next_target() -> None:
    def broken(flow_pairs: int) -> Trial:
        raise ArithmeticError

    search = Search(broken)
    for _ in range(2):
        with pytest.raises(ArithmeticError):
            search.for_load(0.3)
    with pytest.raises(ArithmeticError):
        search.without_missed_ticks()


def test_all_raw_trials_are_kept() -> None:
    machine = Machine()
    found = Search(machine).for_load(0.5)
    kept = sum(len(point.trials) for point in found.points)
    single = sum(1 for flow_pairs in set(machine.asked) if machine.asked.count(flow_pairs) < 3)
    assert kept + single == len(machine.asked)


def test_one_hiccup_does_not_decide() -> None:
    hiccups = iter([3] + [0] * 1000)
    machine = Machine()

    def measure(flow_pairs: int) -> Trial:
        trial = machine(flow_pairs)
        return trial if trial.ticks_missed else Trial(flow_pairs, trial.load, next(hiccups) if flow_pairs > 1000 else 0)

    found = Search(measure).without_missed_ticks()
    assert found.flow_pairs == pytest.approx(95_000, rel=0.021)


def test_disturbed_trials_are_repeated_and_do_not_count() -> None:
    machine = Machine()
    count = 0

    def measure(flow_pairs: int) -> Trial:
        nonlocal count
        count += 1
        trial = machine(flow_pairs)
        if count % 4 == 0:
            return Trial(flow_pairs, trial.load * 3, 9, disturbed="2 % of the time was stolen")
        return trial

    found = Search(measure).for_load(0.5)
    assert found.flow_pairs == pytest.approx(machine.capacity(0.5), rel=0.02)
    assert any("were disturbed (2 % of the time was stolen)" in note for note in found.notes)


def test_a_core_that_cannot_be_loaded() -> None:
    found = Search(lambda flow_pairs: Trial(flow_pairs, 1e-4, 0), Rules(most=10_000)).for_load(0.3)
    assert found.flow_pairs is None
    assert "even 10000 flow pairs" in found.reason


def test_a_machine_that_always_misses() -> None:
    found = Search(lambda flow_pairs: Trial(flow_pairs, 0.2, 1)).without_missed_ticks()
    assert found.flow_pairs is None
    assert "does not keep time" in found.reason
    assert not found.busy, "nobody else was there: it is the implementation that takes too long"


def test_a_machine_with_other_load() -> None:
    found = Search(lambda flow_pairs: Trial(flow_pairs, 0.2, 1, "other processes took the core")).without_missed_ticks()
    assert found.flow_pairs is None
    assert found.busy


def test_a_core_that_never_misses() -> None:
    found = Search(lambda n: Trial(n, min(1, n * 1e-6), 0), Rules(most=5_000)).without_missed_ticks()
    assert found.flow_pairs is None
    assert "even 5000 flow pairs per core miss no tick" in found.reason
    assert found.beyond and not found.out_of_time


@pytest.mark.parametrize("missed", [0, 1])
def test_a_search_that_has_to_end_before_it_finds_anything(missed: int) -> None:
    clock = iter(range(0, 10**9, 60))
    search = Search(lambda n: Trial(n, min(1, n * 1e-6), missed), Rules(seconds=24), clock=lambda: next(clock))
    found = search.without_missed_ticks()
    assert found.flow_pairs is None
    assert found.out_of_time
    assert "24 s" in found.reason


def test_a_falling_load_is_said() -> None:
    def load(n: int) -> float:
        return 0.4 if 30_000 < n < 36_000 else min(1.0, n * 1e-5)

    search = Search(lambda n: Trial(n, load(n), 0))
    for flow_pairs in (20_000, 35_000, 37_000):
        search.at(flow_pairs)
    assert any("does not always grow" in note for note in search.notes())


@pytest.mark.parametrize("behaviour", [lambda n: 0.0, lambda n: 1.0, lambda n: random.random()])
def test_it_ends_whatever_the_machine_does(behaviour: Callable[[int], float]) -> None:
    search = Search(lambda n: Trial(n, behaviour(n), 0), Rules(steps=6, most=100_000))
    search.for_load(0.5)
    search.without_missed_ticks()
    assert sum(len(point.trials) for point in search.points.values()) < 300


def test_time_runs_out_on_a_noisy_machine() -> None:
    machine = Machine(noise=0.4)
    now = 0.0

    def measure(flow_pairs: int) -> Trial:
        nonlocal now
        now += 1.3
        return machine(flow_pairs)

    search = Search(measure, Rules(seconds=20), clock=lambda: now)
    found = search.for_load(0.5)
    assert now < 30, "the search ended soon after its time"
    assert found.flow_pairs == pytest.approx(machine.capacity(0.5), rel=0.4)
    search.without_missed_ticks()
    assert now < 60


def test_a_search_that_was_cut_short_is_rough() -> None:
    machine = Machine()
    now = 0.0

    def measure(flow_pairs: int) -> Trial:
        nonlocal now
        now += 4.0
        return machine(flow_pairs)

    found = Search(measure, Rules(seconds=10), clock=lambda: now).for_load(0.5)
    assert found.rough
    assert any("the search ended after 10 s" in note for note in found.notes)
