# SPDX-License-Identifier: Apache-2.0
"""A delay planted in an adapter: seen the first night, and found among 16 commits."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from headroom.core import instructions
from headroom.core.errors import UsageError
from headroom.core.paths import build_folder
from headroom.history.alerts import Alert, ChangedCase, ChangedSeries
from headroom.history.store import History
from headroom.nightly import bisect, night
from headroom.nightly.checkout import BuildFailed, Checkout
from headroom.nightly.measurer import default_measurer
from headroom.tests.nightly import planted

NIGHT = datetime(2026, 11, 24, tzinfo=UTC)
PLANTED, BROKEN = 11, 7
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(bool(instructions.lacking()), reason=instructions.lacking() or "valgrind is there"),
]


@pytest.fixture
def history_of_sixteen(tmp_path: Path) -> planted.PlantedRepository:
    made = planted.repository(tmp_path / "repository")
    for number in range(17):
        text = planted.source(delay=3 if number >= PLANTED else 0, remark=f"commit {number}")
        made.commit(text if number != BROKEN else "#error no\n", f"commit {number}")
    return made


def alert_of(made: planted.PlantedRepository, **more: object) -> Alert:
    series = ChangedSeries(
        "0", "calls", "performance/sentinels/Calls Over IPv6", "compress_instructions", "instructions", 1, 2, 1.0, NIGHT
    )
    return Alert("a", NIGHT, "m", "regression", True, made.commits[0], made.commits[-1], (series,), **more)


def test_the_commit_is_found_though_one_does_not_build(
    real_build: str, history_of_sixteen: planted.PlantedRepository, tmp_path: Path
) -> None:
    made = history_of_sixteen
    measurer = planted.measurer(made, tmp_path)
    found = bisect.run(alert_of(made), measurer, measurer.checkout, bisect.Range(), True, print)
    assert found.culprit == made.commits[PLANTED], found
    assert len(found.steps) <= 6
    assert made.git("status", "--porcelain") == ""  # the user's tree is as it was
    assert made.git("rev-parse", "HEAD") == made.commits[-1]


def test_a_broken_commit_before_the_culprit_leaves_two(real_build: str, tmp_path: Path) -> None:
    made = planted.repository(tmp_path / "repository")
    texts = [planted.source(0, "good"), "#error no\n", planted.source(3, "bad"), planted.source(3, "later")]
    for number, text in enumerate(texts):
        made.commit(text, f"commit {number}")
    measurer = planted.measurer(made, tmp_path)
    found = bisect.run(alert_of(made), measurer, measurer.checkout, bisect.Range(), True, print)
    assert found.culprit == ""
    assert all(commit[:12] in found.sentences[-1] for commit in made.commits[1:3]), found


def test_the_commit_that_fails_a_case_is_found(
    real_build: str, history_of_sixteen: planted.PlantedRepository, tmp_path: Path
) -> None:
    made = history_of_sixteen
    measurer = planted.measurer(made, tmp_path)
    good = measurer.kept(made.commits[0]).path
    asked: list[str] = []

    def verdict(test: str, adapter: Path) -> str:
        asked.append(test)
        return "pass" if adapter == good else "fail"  # all commits before the planted one have the same octets

    measurer.verdict = verdict  # type: ignore[method-assign]
    case = "conformance/rohc/Some Case"
    alert = replace(
        alert_of(made), direction="verdict", series=(), cases=(ChangedCase(case, "pass", "fail", "a reason"),)
    )
    found = bisect.run(alert, measurer, measurer.checkout, bisect.Range(), True, print)
    assert found.culprit == made.commits[PLANTED], found
    assert set(asked) == {case}


def test_the_verdict_of_a_case_is_that_of_the_adapter(real_build: str, tmp_path: Path) -> None:
    measurer = default_measurer(tmp_path, "reference", real_build, print)
    case = "conformance/ule/addresses/Sent Unicast"
    library = build_folder(real_build) / "lib"
    assert measurer.verdict(case, library / "reference.so") == "pass"
    assert measurer.verdict(case, library / "null.so") in ("fail", "error")


def test_equal_ends_are_not_attributable(
    real_build: str, history_of_sixteen: planted.PlantedRepository, tmp_path: Path
) -> None:
    made = history_of_sixteen
    measurer = planted.measurer(made, tmp_path)
    ends = bisect.Range(made.commits[0], made.commits[PLANTED - 1])
    found = bisect.run(alert_of(made), measurer, measurer.checkout, ends, True, print)
    assert found.culprit == ""
    assert "could not be reproduced" in found.sentences[0]


def test_the_first_night_shows_it_by_instructions(real_build: str, tmp_path: Path) -> None:
    made = planted.repository(tmp_path / "repository")
    measurer = planted.measurer(made, tmp_path)
    measurer.busy = lambda: ""  # type: ignore[method-assign]
    history = History(tmp_path)
    options = night.NightOptions(quick=True, cases=False)
    results = []
    for number, delay in enumerate((0, 3)):
        made.commit(planted.source(delay, f"commit {number}"), "a commit")
        when = NIGHT.replace(day=1 + number)
        with history.lock():
            results.append(night.run(history, measurer.store, measurer, options, lambda when=when: when, print))
    assert results[0].exit_status == 0
    assert results[1].exit_status == 1, results[1].notes
    changed = {series.metric for alert in results[1].opened for series in alert.series}
    assert "compress_instructions" in changed


def test_a_commit_that_does_not_build_says_why(tmp_path: Path) -> None:
    made = planted.repository(tmp_path / "repository")
    made.commit("#error this is broken\n", "broken")
    checkout = Checkout(tmp_path / "checkout", made.root)
    with pytest.raises(BuildFailed, match="this is broken"):
        checkout.build(made.commits[0], "lib/planted.so", planted.PRESET)


def test_an_unknown_commit_is_refused(tmp_path: Path) -> None:
    made = planted.repository(tmp_path / "repository")
    made.commit(planted.source(0, ""), "one")
    with pytest.raises(UsageError, match="There is no commit 'v9'"):
        Checkout(tmp_path / "checkout", made.root).resolve("v9")


def test_a_shallow_clone_says_so(tmp_path: Path) -> None:
    made = planted.repository(tmp_path / "repository")
    for number in range(3):
        made.commit(planted.source(0, str(number)), str(number))
    made.git("clone", "--quiet", "--depth", "1", f"file://{made.root}", str(tmp_path / "shallow"))
    with pytest.raises(UsageError, match="fetch --unshallow"):
        Checkout(tmp_path / "checkout", tmp_path / "shallow").resolve(made.commits[0])


def test_a_range_in_the_wrong_order_is_refused(tmp_path: Path) -> None:
    made = planted.repository(tmp_path / "repository")
    for number in range(2):
        made.commit(planted.source(0, str(number)), str(number))
    measurer = planted.measurer(made, tmp_path)
    with pytest.raises(UsageError, match="is not a successor"):
        bisect.run(alert_of(made), measurer, measurer.checkout, bisect.Range(*reversed(made.commits)), True, print)
