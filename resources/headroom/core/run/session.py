# SPDX-License-Identifier: Apache-2.0
"""A run: its folder, its settings, Robot in this process, and its continuation after an interruption."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from robot.api import SuiteVisitor

from headroom.core import locks
from headroom.core.console import warn
from headroom.core.errors import EXIT_ENVIRONMENT, EXIT_FAILED, EXIT_PASSED, EnvironmentLacks, UsageError, disk_error
from headroom.core.paths import ROOT, document_of, out_folder, shown
from headroom.core.results import chain, store
from headroom.core.results.record import Record, count_verdicts
from headroom.core.run.selection import Case, cases, chosen, suite_files
from headroom.core.settings import Settings

ROBOT_FAILED, INTERRUPTED = 252, 253  # return codes of Robot Framework: it could not run, and Ctrl-C


@dataclass
class Plan:
    """The plan of a run, kept in run.json for --resume."""

    settings: Settings
    suites: list[str]
    tags: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    cases: list[str] = field(default_factory=list)
    matrix: dict[str, dict[str, list[str]]] = field(default_factory=dict)  # values for `interop`, by scheme and option

    @property
    def folder(self) -> Path:
        return self.settings.folder

    def as_json(self) -> dict[str, Any]:
        return {
            "schema": 1,
            "settings": self.settings.as_json(),
            "suites": self.suites,
            "tags": self.tags,
            "excluded": self.excluded,
            "cases": self.cases,
            **({"matrix": self.matrix} if self.matrix else {}),
        }

    @staticmethod
    def from_json(document: Any, folder: Path) -> Plan:
        """The plan that `as_json` wrote. Raises UsageError, KeyError and the like if it is damaged."""
        lists = {name: [str(item) for item in document[name]] for name in ("suites", "tags", "excluded", "cases")}
        matrix = {
            str(scheme): {str(option): [str(word) for word in values] for option, values in axes.items()}
            for scheme, axes in document.get("matrix", {}).items()
        }
        return Plan(Settings.from_json(document["settings"], folder), **lists, matrix=matrix)

    @property
    def robot_folder(self) -> Path:
        """The folder of Robot Framework's own output."""
        return self.folder / "robot" / self.settings.part


@dataclass
class Outcome:
    """The end of a run. `interrupted`: cases are missing; `failure` is the reason why no more records could be kept."""

    verdicts: dict[str, int]
    interrupted: bool = False
    failure: str = ""
    cases: int = 0
    stopped: bool = False  # cases are missing, because the first ones sufficed
    left_out: int = 0  # number of cases that ran, or would have, but do not exercise the subject of the run

    @property
    def has_passed(self) -> bool:
        return (
            self.cases > 0
            and not self.interrupted
            and not self.failure
            and not (self.verdicts["fail"] + self.verdicts["error"])
        )

    @property
    def is_all_unsupported(self) -> bool:
        """True if every case is unsupported: nothing failed, but nothing passed either."""
        return self.cases > 0 and self.verdicts["unsupported"] == self.cases

    @property
    def exit_status(self) -> int:
        if not self.has_passed:
            return EXIT_FAILED
        return EXIT_ENVIRONMENT if self.is_all_unsupported else EXIT_PASSED


def chosen_of(plan: Plan) -> list[Case]:
    """The cases of a plan, read but not run. Rows of CPU configurations that a run adds are not among them."""
    return chosen(cases(suite_files(plan.suites)), plan.cases, plan.tags, plan.excluded, plan.settings.cpus)


def new_folder() -> Path:
    """Makes the folder of a new run: `out/<date>-<time>-<four letters>`, so that two started at once differ."""
    name = f"{datetime.now():%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    folder = out_folder() / name
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise disk_error(error, f"making the run's folder {shown(folder)}", resumable=False) from error
    return folder


def keep(plan: Plan) -> None:
    """Writes run.json."""
    try:
        store.write_atomically(plan.folder / "run.json", json.dumps(plan.as_json(), indent=1).encode() + b"\n")
    except OSError as error:
        raise disk_error(error, "writing run.json") from error


def _keep_head(folder: Path, head: str) -> None:
    """Writes the head of the chain of records into run.json, if it exists; "" removes it. Raises OSError."""
    path = folder / chain.RUN.document
    if chain.head_in(path) == head:
        return
    try:
        document = dict(document_of(path))
    except (OSError, ValueError, TypeError):
        return  # plain Robot has no run.json
    document.pop(chain.HEAD, None)
    document |= {chain.HEAD: head} if head else {}
    store.write_atomically(path, json.dumps(document, indent=1).encode() + b"\n")


@contextlib.contextmanager
def _records_to_come(folder: Path) -> Iterator[None]:
    """Removes the head from run.json while records are written, and writes the final head at the end. Mends a chain
    whose last record was never written.
    """
    try:
        if file := chain.begin(folder, chain.RUN):
            warn(f"The run was cut short before {file} was written: its line is removed from {chain.FILE}.")
        _keep_head(folder, "")
    except OSError as error:
        raise disk_error(error, f"writing {chain.RUN.document}") from error
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # a run whose disk is full has no head, as if it had been killed
            _keep_head(folder, chain.head(folder))


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keeps other processes out of a run. Raises UsageError if one works on it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise disk_error(error, f"opening the run's folder {shown(folder)}") from error
    try:
        if not locks.take(descriptor, wait=False):
            raise UsageError(f"Another process works on the run {folder.name}: wait for its end.")
        yield
    finally:
        os.close(descriptor)


def recall(folder: Path) -> Plan:
    """Reads run.json again. Raises UsageError if it is damaged."""
    path = folder / "run.json"
    try:
        return Plan.from_json(document_of(path), folder)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{shown(path)} does not describe the run ({error}); start a new one.") from error


def records_of(plan: Plan) -> list[dict[str, Any]]:
    """The records of a plan, also if it is a part of a judgement."""
    return [record for record in store.read_all(plan.folder) if record.get("part", "") == plan.settings.part]


def finished(plan: Plan) -> set[str]:
    """The identities of the tests that need not be repeated: all that have a record, except those that ended in an
    error.
    """
    return {record["test"]["id"] for record in records_of(plan) if record["verdict"] != "error"}


class _Messages:
    """Robot's messages to its user; shown only if it could not run at all."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text = (self.text + text)[-8000:]

    def flush(self) -> None:
        pass

    def last(self) -> str:
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        telling = [line for line in lines if "ERROR" in line] or lines[-1:]
        return " ".join(telling)[-600:] or "it gave no reason."

    def has_full_disk_message(self) -> bool:
        return "No space left on device" in self.text


def run_robot(
    plan: Plan,
    on_start: Callable[[str], None] | None = None,
    on_end: Callable[[Record], None] | None = None,
    on_total: Callable[[int], None] | None = None,
    on_left_out: Callable[[str], None] | None = None,
    resume: bool = False,
    is_enough: Callable[[], bool] = lambda: False,
    order: SuiteVisitor | None = None,
) -> Outcome:
    """Runs the suites of a plan in this process. Robot's own output goes to `<run>/robot/`. No case begins once
    `is_enough()`. `order` is a pre-run modifier that arranges the cases of the run. Raises UsageError if another
    process works on the run.
    """
    from headroom.core.results.listener import Listener
    from headroom.core.run import pairs
    from headroom.core.run.selection import Selection

    listener = Listener(plan.folder, plan.settings, on_start, on_end, on_left_out, is_enough)
    messages = _Messages()
    with _alone(plan.folder), _records_to_come(plan.folder):
        selection = Selection(plan.settings.cpus, finished(plan) if resume else ())
        modifiers = [pairs.Pairs(plan.matrix), selection, *([order] if order else []), _Counter(plan, on_total)]
        code = _robot(plan, listener, modifiers, messages)
    listener.look_at_folder()  # the folder may be gone after the last case
    if listener.failure:
        raise listener.failure
    verdicts = count_verdicts(records_of(plan))
    total = sum(verdicts.values())
    interrupted = listener.interrupted or code == INTERRUPTED
    if code >= ROBOT_FAILED and not interrupted:
        if messages.has_full_disk_message():
            raise _full_disk()
        log = plan.robot_folder / "output.xml"
        if not log.is_file():
            raise EnvironmentLacks(
                f"Robot's log could not be written, because its file {shown(log)} no longer exists: {messages.last()} "
                f"Every finished result is kept ({total} in {shown(plan.folder / 'results')}); `./headroom report "
                f"{plan.folder.name}` makes the report."
            )
        raise EnvironmentLacks(f"Robot Framework could not run the suites: {messages.last()}")
    return Outcome(verdicts, interrupted, cases=total, left_out=len(listener.left_out), stopped=listener.stopped)


def _robot(plan: Plan, listener: Any, modifiers: list[SuiteVisitor], messages: _Messages) -> int:
    """Robot's return code. Raises the listener's failure, or EnvironmentLacks if the disk is full."""
    import robot

    theirs, sys.__stderr__ = sys.__stderr__, _SignalMessages(sys.__stderr__)  # type: ignore[misc, assignment]
    try:
        return robot.run(
            *suite_files(plan.suites),
            name="Headroom",
            outputdir=str(plan.robot_folder),
            report=None,
            xunit="xunit.xml",
            console="quiet",  # errors alone
            stdout=messages,
            stderr=messages,
            variable=plan.settings.robot_variables(),
            include=plan.tags,
            exclude=plan.excluded,
            test=plan.cases,
            listener=[listener],
            prerunmodifier=modifiers,
            pythonpath=[str(ROOT / "resources")],
            runemptysuite=True,
            loglevel="INFO",
        )
    except (OSError, ValueError) as error:
        # Robot's own log has its own exceptions for a full disk.
        full = messages.has_full_disk_message() or getattr(error, "errno", None) == errno.ENOSPC
        if not listener.failure and not full:
            raise
        raise listener.failure or _full_disk() from error
    finally:
        sys.__stderr__ = theirs  # type: ignore[misc]


def _full_disk() -> EnvironmentLacks:
    return disk_error(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "writing Robot's log")


class _Counter(SuiteVisitor):
    """Counts the cases that will run. It comes last among the pre-run modifiers, but before Robot filters by name and
    tag: it applies these filters itself.
    """

    def __init__(self, plan: Plan, tell: Callable[[int], None] | None) -> None:
        self.plan = plan
        self.tell = tell

    def visit_suite(self, suite: Any) -> None:
        if self.tell:
            filtered = suite.deepcopy()
            filtered.filter(
                included_tests=self.plan.cases or None,
                included_tags=self.plan.tags or None,
                excluded_tags=self.plan.excluded or None,
            )
            self.tell(filtered.test_count)


ENDING = {
    "Second signal will force exit.": "headroom: stopping and cleaning up; a second Ctrl-C ends it at once.",
    "Execution forcefully stopped.": "",
}


class _SignalMessages:
    """Replaces standard error while Robot runs: rewrites the messages with which Robot reacts to a signal."""

    def __init__(self, real: TextIO | None) -> None:
        self.real = real

    def write(self, text: str) -> int:
        signal_name = ENDING.get(text.strip())
        if self.real is not None and signal_name != "":
            self.real.write(text if signal_name is None else f"{signal_name}\n")
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)
