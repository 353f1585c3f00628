# SPDX-License-Identifier: Apache-2.0
"""The base of conformance keywords: a case about one side of a scheme, from its configuration to its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from robot.api import SkipExecution

from headroom.core import capabilities, replay_metrics, replay_options, tshark
from headroom.core.contract import Scheme
from headroom.core.finding import Finding
from headroom.core.implementations import Implementation, Role
from headroom.core.replay import Packets, Replay, ReplayConfig
from headroom.core.results import collector
from headroom.core.run.run import Run
from headroom.core.scheme_kit.second_reading import LinkReading
from headroom.core.text import some
from headroom.core.vectors import select
from headroom.keywords import verdicts
from headroom.keywords.artefacts import keep_captures
from headroom.keywords.base import current_run

Vector = TypeVar("Vector")


@dataclass(frozen=True)
class Case:
    """The running case: about the implementation in a role, whom a judge looks at."""

    scheme: Scheme
    judge: str
    role: Role
    run: Run

    @property
    def found(self) -> Implementation:
        """The implementation under test."""
        return self.run.compressor if self.role == "compressor" else self.run.decompressor

    def config(self, source: str | Packets, named: Mapping[str, str]) -> ReplayConfig:
        """The replay of a traffic profile or of literal packets, with the named arguments of a replay; the record has
        it, too."""
        config = replay_options.config_of(self.scheme, source, named, self.run)
        collector.current().parameters |= config.described()
        return config

    def require(self, **asked: Any) -> None:
        """Raises NotDeclared where the implementation under test does not declare what the case takes."""
        capabilities.require(self.found, self.role, self.scheme, self.run.build, **asked)
        verdicts.note(self.role, self.found, self.run.build)

    def conclude(self, found: Iterable[Finding], done: Replay | None = None) -> bool:
        """A judge's findings as a verdict, with captures of the replay that they are about. One against no requirement
        is a missed SHOULD: no sentence makes it a MUST. Returns True if there are findings. Raises AssertionError where
        a MUST is broken."""
        findings = [Finding(one.sentence, one.requirement, one.packet, self.judge, "should") for one in found]
        if findings and done is not None:
            keep_captures(done)
        verdicts.conclude(findings, self.role)
        return bool(findings)

    def vectors(self, patterns: Sequence[str], vectors: Mapping[str, Vector], folder: Path) -> dict[str, Vector]:
        """The vectors that some patterns mean, by name, which the record has, too."""
        names = select(patterns, vectors, folder)
        collector.current().parameters |= {"kind": "vectors", "vectors": names}
        return {name: vectors[name] for name in names}


def about(scheme: Scheme, judge: str, role: Role) -> Case:
    """The running case, whose implementation under test the record has. Ends a case about a role that the run is not
    about."""
    case = Case(scheme, judge, role, current_run())
    verdicts.note(role, case.found, case.run.build)  # first: a case that is left out names whom it would have asked
    verdicts.leave_to_the_other_side(case.run, [role])
    return case


def must_be_empty(wrong: Sequence[str], title: str = "") -> None:
    """Raises AssertionError with the first sentences on what is wrong, if there are any."""
    if wrong:
        raise AssertionError(f"{f'{title}: ' if title else ''}{some(list(wrong), 3)}.")


def must_be_read_alike(read: Callable[[], LinkReading], done: Replay) -> LinkReading:
    """Compares tshark's reading of the link of a replay with the judge's. Skips the case without tshark; raises
    AssertionError where they differ."""
    if not tshark.available():
        raise SkipExecution("tshark is not installed, so the second reading is missing.")
    found, current = read(), collector.current()
    current.metric(replay_metrics.COMPARED_WITH_TSHARK, found.packets)
    current.metric(replay_metrics.FIELDS_COMPARED_WITH_TSHARK, found.fields)
    current.findings += [Finding(one, judge="tshark") for one in found.differences[: verdicts.MOST_FINDINGS]]
    if found.differences:
        keep_captures(done)
        raise AssertionError(f"{len(found.differences)} differences: {some(found.differences, 3)}")
    return found
