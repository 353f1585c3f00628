# SPDX-License-Identifier: Apache-2.0
"""The search for throughput, on nodes and generators made up for it: each loses what a formula says."""

from __future__ import annotations

import pytest

from headroom.bench.throughput import GeneratorFellBehind, NoThroughput, Rules, Search, Throughput, compact
from headroom.core.engine_result import EngineFailure
from headroom.testbed.trial import Direction, Trial

RULES = Rules(trial_s=1.0, sum_s=1.0, width=0.02)


class Line:
    """Nodes that forward `limit` packets/s and lose the rest, behind a generator that sends `most`."""

    def __init__(self, limit: float, most: float = 1e9, share: float = 0.0) -> None:
        self.limit, self.most, self.share = limit, most, share
        self.hiccups = 0

    def __call__(self, rate_pps: float, duration_s: float) -> Trial:
        achieved = min(rate_pps, self.most)
        if self.hiccups:
            self.hiccups, achieved = self.hiccups - 1, 0.5 * rate_pps
        sent = round(achieved * duration_s)
        lost = min(sent, round(max(0.0, achieved - self.limit) * duration_s + self.share * sent))
        one = Direction(rate_pps, achieved, sent, sent - lost, 60 * sent, lost, 0, achieved < 0.995 * rate_pps, True)
        return Trial("embedded", "1", rate_pps, duration_s, one, one)


def search(line: Line, rules: Rules = RULES) -> Throughput:
    return Search(line, rules).run()


@pytest.mark.parametrize("limit", [3_000, 41_000, 700_000])
def test_the_rates_are_found(limit: float) -> None:
    found = search(Line(limit))
    ndr, pdr = (found.rates[name].pps for name in ("ndr", "pdr"))
    assert ndr is not None and 0.97 * limit <= ndr <= limit
    assert pdr is not None and 0.97 * limit <= pdr <= limit / 0.995 * 1.001
    assert not found.held_by_generator


def test_little_loss_at_every_rate_has_a_pdr_and_no_ndr() -> None:
    found = search(Line(50_000, share=0.002))
    assert found.rates["ndr"].pps is None
    assert "lost already at 2,000 packets/s" in found.rates["ndr"].reason
    assert not found.rates["ndr"].error
    assert 48_000 < (found.rates["pdr"].pps or 0) < 50_500


def test_a_generator_that_falls_behind_is_no_limit() -> None:
    found = search(Line(1e9, most=60_000))
    for rate in found.rates.values():
        assert rate.pps is None and rate.error
        assert "the generator cannot send more" in rate.reason
        assert 30_000 < (rate.at_least_pps or 0) <= 60_400
    assert found.held_by_generator


def test_below_what_the_generator_can_send_rates_are_found() -> None:
    found = search(Line(40_000, most=60_000))
    assert 39_000 < (found.rates["ndr"].pps or 0) <= 40_000


def test_a_generator_that_is_slow_at_any_rate_is_an_error() -> None:
    with pytest.raises(GeneratorFellBehind, match="does not even keep up with 2,000"):
        search(Line(1e9, most=100))


def test_a_hiccup_of_the_generator_is_repeated_and_kept() -> None:
    line = Line(40_000)
    line.hiccups = 2
    found = search(line)
    assert 39_000 < (found.rates["ndr"].pps or 0) <= 40_000
    assert [trial.fell_behind for trial in found.trials[:3]] == [True, True, False]


def test_a_disturbed_trial_is_no_ceiling() -> None:
    line = Line(30_000)
    disturbed = iter([8_000.0])  # the first step of the way up

    def measure(rate_pps: float, duration_s: float) -> Trial:
        if rate_pps == 8_000 and next(disturbed, None):
            return Line(0)(rate_pps, duration_s)
        return line(rate_pps, duration_s)

    found = Search(measure, RULES).run()
    assert 29_000 < (found.rates["ndr"].pps or 0) <= 30_000
    assert not found.held_by_generator


def test_what_dies_ends_the_search() -> None:
    calls = []

    def dies(rate_pps: float, duration_s: float) -> Trial:
        calls.append(rate_pps)
        if len(calls) == 5:
            raise EngineFailure("crash", "The compressor died from SIGKILL.")
        return Line(40_000)(rate_pps, duration_s)

    with pytest.raises(EngineFailure, match="SIGKILL"):
        Search(dies, RULES).run()
    assert len(calls) == 5


def test_a_generator_that_drowns_at_high_rates_is_tried_at_lower_ones() -> None:
    class Drowns(Line):
        def __call__(self, rate_pps: float, duration_s: float) -> Trial:
            self.most = 0 if rate_pps > 100_000 else 1e9
            return super().__call__(rate_pps, duration_s)

    found = search(Drowns(40_000))
    assert 39_000 < (found.rates["ndr"].pps or 0) <= 40_000
    assert 60_000 < (search(Drowns(1e9)).rates["pdr"].at_least_pps or 0) <= 100_000


def test_nothing_sent_is_an_error() -> None:
    nothing = Direction(1.0, 0.0, 0, 0, 0, 0, 0, False, True)
    with pytest.raises(NoThroughput, match="sent nothing"):
        Search(lambda rate, seconds: Trial("trex", "1", rate, seconds, nothing), RULES).run()


def test_a_search_that_does_not_end_is_an_error() -> None:
    with pytest.raises(NoThroughput, match="No rate was found within"):
        search(Line(40_000), Rules(seconds=1e-9))


def test_a_record_keeps_the_counts_of_a_trial() -> None:
    kept = compact(Line(1_000)(2_000, 1.0))
    assert kept["reverse"] == {"achieved_pps": 2000, "sent": 2000, "received": 1000, "lost": 1000, "unexpected": 0}
    assert kept["fell_behind"] is False
