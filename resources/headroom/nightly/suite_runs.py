# SPDX-License-Identifier: Apache-2.0
"""The suites of a night: conformance cases, and searches. Their runs are kept beside the history for 14 nights, and
while one of their alerts is open, so that a case that fails has its record and its captures; `./headroom report FOLDER`
makes their report.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from headroom.core.errors import disk_error
from headroom.core.metric_registry import all_metrics
from headroom.core.metrics import Metric
from headroom.core.paths import shown
from headroom.core.settings import Settings

CONFORMANCE, SEARCHES = "conformance", "performance/voip_flow_pairs"
RUNS = "runs"  # their folder in a history
KEPT_RUNS = 14  # runs of each suite
PARTS = 10  # parts of a run; progress is printed after each
PARAMETERS = {"profile": "profile", "cpus": "cpus", "load": "target_load"}  # names in a series: names in a record
Say = Callable[[str], None]
Records = list[dict[str, Any]]


@dataclass(frozen=True)
class SearchFigure:
    """A figure of a search: not repeatable enough to be judged."""

    test: str
    metric: Metric
    value: float
    trials: tuple[float, ...] = ()
    profile: str = ""
    cpus: str = ""
    load: str = ""


def folder_of(runs: Path, suite: str, night: str) -> Path:
    """The folder of a night's run of a suite."""
    return runs / suite.replace("/", "-") / night


def prune(runs: Path, suite: str, kept: Collection[str] = ()) -> None:
    """Makes room for a night's run of a suite: of earlier runs, the last 13 stay, and those of the nights `kept`."""
    earlier = sorted(path for path in folder_of(runs, suite, "").glob("*") if path.is_dir())
    for path in earlier[: max(0, len(earlier) - KEPT_RUNS + 1)]:
        if path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)


def run(
    folder: Path,
    implementation: str,
    build: str,
    suite: str,
    cases: Sequence[str] = (),
    say: Say = lambda sentence: None,
) -> Records:
    """The records of a suite, or of some of its cases, with an implementation on both sides. Raises KeyboardInterrupt
    after Ctrl-C, because Robot Framework takes the signal itself.
    """
    from headroom.core.results import store
    from headroom.core.run import session

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise disk_error(error, f"making the run's folder {shown(folder)}", resumable=False) from error
    settings = Settings.of({"compressor": implementation, "decompressor": implementation, "build": build})
    plan = session.Plan(replace(settings, folder=folder), [suite], cases=list(cases))
    session.keep(plan)
    progress = _Progress(suite, say)
    if session.run_robot(plan, on_end=progress.end, on_total=progress.begin).interrupted:
        raise KeyboardInterrupt
    return store.read_all(folder)


class _Progress:
    """Prints the progress of a run at each tenth of its cases."""

    def __init__(self, suite: str, say: Say) -> None:
        self.suite, self.say = suite, say
        self.total = self.done = 0

    def begin(self, total: int) -> None:
        self.total = total

    def end(self, record: object) -> None:
        self.done += 1
        if self.done * PARTS // max(1, self.total) > (self.done - 1) * PARTS // max(1, self.total):
            self.say(f"{self.suite}: {self.done} of {self.total} cases")


def figures_of(record: Mapping[str, Any]) -> list[SearchFigure]:
    """The figures of a record that the registry knows."""
    known = all_metrics()
    parameters = record["parameters"]
    names = {name: str(parameters.get(key) or "") for name, key in PARAMETERS.items()}
    return [
        SearchFigure(
            record["test"]["id"],
            known[metric["name"]],
            metric["value"],
            tuple(trial for trial in metric["trials"] if trial is not None),
            **names,
        )
        for metric in record["metrics"]
        if metric["value"] is not None and metric["name"] in known and metric["core"] is None
    ]
