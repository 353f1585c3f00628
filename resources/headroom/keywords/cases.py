# SPDX-License-Identifier: Apache-2.0
"""A conformance case about one role of a scheme, from its configuration to its verdict, for the keywords of all
schemes.
"""

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
    """The running case: the implementation in a role, and the judge that decides."""

    scheme: Scheme
    judge: str
    role: Role
    run: Run

    @property
    def found(self) -> Implementation:
        """The implementation under test."""
        return self.run.compressor if self.role == "compressor" else self.run.decompressor

    def config(self, source: str | Packets, named: Mapping[str, str]) -> ReplayConfig:
        """The replay of a traffic profile or of literal packets, with the named arguments of a replay. The record has
        it, too.
        """
        config = replay_options.config_of(self.scheme, source, named, self.run)
        collector.current().parameters |= config.described()
        return config

    def require(self, **asked: Any) -> None:
        """Raises NotDeclared if the implementation under test does not declare what the case needs."""
        capabilities.require(self.found, self.role, self.scheme, self.run.build, **asked)
        verdicts.note(self.role, self.found, self.run.build)

    def conclude(self, reported: Iterable[Finding], result: Replay | None = None) -> bool:
        """Turns a judge's findings into a verdict, and keeps captures of the replay. A finding that names no
        requirement is a missed SHOULD, because no sentence makes it a MUST. Returns True if there are findings. Raises
        AssertionError if a MUST is broken.
        """
        findings = [
            Finding(finding.sentence, finding.requirement, finding.packet, self.judge, "should") for finding in reported
        ]
        if findings and result is not None:
            keep_captures(result)
        verdicts.conclude(findings, self.role)
        return bool(findings)

    def vectors(self, patterns: Sequence[str], vectors: Mapping[str, Vector], folder: Path) -> dict[str, Vector]:
        """The vectors whose names match some patterns, by name. The record names them, too."""
        names = select(patterns, vectors, folder)
        collector.current().parameters |= {"kind": "vectors", "vectors": names}
        return {name: vectors[name] for name in names}


def about(scheme: Scheme, judge: str, role: Role) -> Case:
    """The running case. The record gets its implementation under test. Skips a case about a role that the run does not
    test.
    """
    case = Case(scheme, judge, role, current_run())
    # Before the case can be left out, so that the record names the implementation.
    verdicts.note(role, case.found, case.run.build)
    verdicts.leave_to_the_other_side(case.run, [role])
    return case


def must_be_empty(wrong: Sequence[str], title: str = "") -> None:
    """Raises AssertionError with the first of the sentences, if there are any."""
    if wrong:
        raise AssertionError(f"{f'{title}: ' if title else ''}{some(list(wrong), 3)}.")


def must_be_read_alike(read: Callable[[], LinkReading], result: Replay) -> LinkReading:
    """Compares tshark's reading of the link of a replay with the judge's. Skips the case without tshark; raises
    AssertionError if they differ.
    """
    if not tshark.is_available():
        raise SkipExecution("tshark is not installed, so the second reading is missing.")
    reading, current = read(), collector.current()
    current.metric(replay_metrics.COMPARED_WITH_TSHARK, reading.packets)
    current.metric(replay_metrics.FIELDS_COMPARED_WITH_TSHARK, reading.fields)
    current.findings += [
        Finding(difference, judge="tshark") for difference in reading.differences[: verdicts.MOST_FINDINGS]
    ]
    if reading.differences:
        keep_captures(result)
        raise AssertionError(f"{len(reading.differences)} differences: {some(reading.differences, 3)}")
    return reading
