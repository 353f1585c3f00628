# SPDX-License-Identifier: Apache-2.0
"""Trials that a run cut short has left: given back as long as the same is asked, never mistaken for anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.bench.throughput import Search
from headroom.bench.trial_log import TrialLog
from headroom.core.errors import EnvironmentLacks
from headroom.testbed.trial import Direction, Latency, Trial
from headroom.tests.wire.test_throughput import RULES, Line

CONDITIONS = {"codec": "asked", "flows": 100}


class CutShort(Exception):
    pass


class Nodes(Line):
    """A line that counts its trials, and is cut short in one of them."""

    def __init__(self, limit: float, until: int = 1000) -> None:
        super().__init__(limit)
        self.until, self.made = until, 0

    def __call__(self, rate_pps: float, duration_s: float) -> Trial:
        if self.made == self.until:
            raise CutShort
        self.made += 1
        return super().__call__(rate_pps, duration_s)


def searched(path: Path, nodes: Nodes, conditions: dict[str, object] = CONDITIONS) -> Search:
    search = Search(TrialLog(path, conditions).answering(nodes), RULES)
    search.run()
    return search


def test_a_search_goes_on_where_it_was_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "measurements" / "throughput.jsonl"
    whole = Search(Nodes(41_000), RULES)
    expected = whole.run()
    with pytest.raises(CutShort):
        searched(path, Nodes(41_000, until=7))
    with path.open("a") as file:
        file.write('{"trial": {"rate_p')  # killed while it wrote
    nodes = Nodes(41_000)
    search = searched(path, nodes)
    assert nodes.made == len(whole.trials) - 7
    assert search.trials == whole.trials
    again = Nodes(41_000, until=0)
    assert Search(TrialLog(path, CONDITIONS).answering(again), RULES).run().rates == expected.rates


def test_what_was_asked_otherwise_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    first = TrialLog(path, CONDITIONS)
    trial = first.answering(Nodes(1e9))
    for rate in (1000.0, 2000.0, 3000.0):
        trial(rate, 1.0)
    first.end({"loads": {}})
    second, nodes = TrialLog(path, CONDITIONS), Nodes(1e9)
    assert second.ending == {"loads": {}}
    trial = second.answering(nodes)
    trial(1000.0, 1.0)
    trial(2500.0, 1.0)
    assert nodes.made == 1
    assert second.ending == {}
    assert [one.rate_pps for one in TrialLog(path, CONDITIONS).trials] == [1000.0, 2500.0]


def test_other_conditions_count_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    TrialLog(path, CONDITIONS).answering(Nodes(1e9))(1000.0, 1.0)
    assert len(TrialLog(path, CONDITIONS).trials) == 1
    assert TrialLog(path, CONDITIONS | {"flows": 6000}).trials == []


@pytest.mark.parametrize("text", ["", "no JSON", "[]\n", '{"conditions": 7}\n{"trial": {}}\n', "\0\n"])
def test_a_file_that_is_none_counts_for_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "kept.jsonl"
    path.write_text(text)
    kept = TrialLog(path, CONDITIONS)
    assert (kept.trials, kept.ending) == ([], {})
    kept.answering(Nodes(1e9))(1000.0, 1.0)
    assert len(TrialLog(path, CONDITIONS).trials) == 1


def test_what_is_set_aside_is_not_found_again_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    for number in (1, 2):
        kept = TrialLog(path, CONDITIONS)
        assert kept.trials == []
        kept.answering(Nodes(1e9))(1000.0, 1.0)
        kept.set_aside()
        assert (tmp_path / f"kept.aside-{number}.jsonl").is_file()
    assert TrialLog(path, CONDITIONS).trials == []


def test_without_a_folder_nothing_is_written() -> None:
    kept = TrialLog(None, CONDITIONS)
    kept.answering(Nodes(1e9))(1000.0, 1.0)
    kept.end({})
    kept.set_aside()
    assert len(kept.trials) == 1


def test_a_disk_that_takes_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentLacks, match="Keeping a trial failed"):
        TrialLog(tmp_path / "file" / "kept.jsonl", CONDITIONS).answering(Nodes(1e9))(1000.0, 1.0)


def test_a_trial_is_the_same_after_json() -> None:
    latency = Latency(3, 1.5, None, 1.0, 9.0, ((1.0, 2), (9.0, 1)))
    one = Direction(1e3, 999.5, 10, 9, 600, 1, 0, False, True, latency)
    other = Direction(1e3, 999.5, 10, 10, 600, 0, 0, False, False, None, "nobody asked")
    for reverse in (other, None):
        trial = Trial("trex", "v3.08", 1e3, 1.0, one, reverse, ("a note",), {"ports": []})
        assert Trial.from_json(trial.as_json()) == trial
