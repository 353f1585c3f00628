# SPDX-License-Identifier: Apache-2.0
"""The Robot Framework listener that writes one result record the moment a test ends.

`./headroom run` hands an instance to Robot. With plain Robot: `robot --listener
headroom.core.results.listener.Listener:out/mine suites/…`.
"""

import hashlib
import json
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from robot.api.interfaces import ListenerV3
from robot.running.signalhandler import STOP_SIGNAL_MONITOR
from robot.utils import escape

import headroom
from headroom.core import clock, engine, implementations
from headroom.core.errors import HeadroomError, disk_error
from headroom.core.machine import environment, pressure
from headroom.core.machine.build import engine_program
from headroom.core.options import Option
from headroom.core.paths import PROFILES, SUITES
from headroom.core.results import collector, store
from headroom.core.results.record import Evidence, Record, Test, Verdict, in_process
from headroom.core.settings import OTHER_SIDE, Settings, from_robot

COMPARISONS = ("performance/", "papers/", "interop/", "judge/")
# With adapters of the project's own.
OF_HARNESS = tuple(
    f"robustness/{name}/" for name in ("freedoms", "misbehaving_adapters", "sudden_ends", "wrong_outputs")
)
MOST_OF_A_JOB = 8 << 20  # octets
TERMINATED = "Execution terminated by signal"
ALL_ROWS_SKIPPED = "All iterations skipped."  # what Robot says of such a template
# Robot's own sentences, at the beginning of a line: within one they may be names that an adapter chose.
NOT_THE_IMPLEMENTATION = re.compile(
    r"^(?:\d+\) )?(?:Parent suite setup failed|(Test|Keyword|Setup|Teardown|Suite) timeout .* exceeded"
    r"|No keyword with name|Variable '.*' not found)",
    re.MULTILINE,
)


def test_id(source: Path | str | None, name: str) -> str:
    """The identity of a test: path of its suite below suites/ without suffix, and its name."""
    path = Path(source) if source else Path("unknown")
    try:
        path = path.resolve().relative_to(SUITES)
    except ValueError:
        path = Path(path.name)
    return f"{path.with_suffix('').as_posix()}/{name}"


class Listener(ListenerV3):
    """Writes records into `folder`. `on_start(id)` and `on_end(record)` are callbacks for progress; no case begins once
    `is_enough()`.
    """

    ROBOT_LISTENER_API_VERSION = 3

    def __init__(
        self,
        folder: str | Path,
        settings: Settings | None = None,
        on_start: Callable[[str], None] | None = None,
        on_end: Callable[[Record], None] | None = None,
        on_left_out: Callable[[str], None] | None = None,
        is_enough: Callable[[], bool] = lambda: False,
    ) -> None:
        self.folder = Path(folder)
        self.run_folder = store.RunFolder(self.folder)
        self.given = settings
        self.on_start = on_start
        self.on_end = on_end
        self.on_left_out = on_left_out
        self.is_enough = is_enough
        self.stopped = False  # the cases so far suffice: later cases have no result
        self.left_out: list[str] = []  # cases that do not exercise the subject of the run
        self.interrupted = False
        self.failure: HeadroomError | None = None  # the reason why no further record can be written
        self.environment: dict[str, dict[str, Any]] = {}
        self.digests: dict[Path, str] = {}
        self.now = clock.steady()
        self.started = self.now()
        self.pressure = pressure.read()

    def start_test(self, data: Any, result: Any) -> None:
        collector.begin()
        engine.take_link_digest()
        engine.take_last_job()
        self.started = self.now()
        with self.noting(f"preparing '{data.name}'"):
            self.pressure = pressure.read()
            self.look_at_folder()
        self.stopped = self.stopped or self.is_enough()
        if self.failure or self.interrupted or self.stopped:
            # Results that cannot be kept are not worth measuring.
            data.body.clear()
            data.body.create_keyword(name="Fatal Error", args=[escape(str(self.failure or TERMINATED))])
        elif self.on_start:
            self.on_start(test_id(data.source, data.name))

    def end_invalid_keyword(self, data: Any, implementation: Any, result: Any) -> None:
        collector.current().judge("error", f"the suite is wrong: {result.message}")

    def end_test(self, data: Any, result: Any) -> None:
        if self.failure or self.stopped:
            return
        if self.interrupted or was_cut_short(result.message):
            self.interrupted = True  # A test that was cut short has no result; --resume repeats it.
            return
        self.failure = collector.current().exhausted
        if self.failure:
            return  # an exhausted resource says nothing about the implementation; --resume repeats the test
        with self.noting(f"keeping the result of '{data.name}'"):
            self.keep(data, result)

    @contextmanager
    def noting(self, doing: str) -> Iterator[None]:
        """Records any error as the reason why no further record can be kept: Robot logs and forgets an exception of a
        listener.
        """
        try:
            yield
        except HeadroomError as error:
            self.failure = self.failure or error
        except OSError as error:
            self.failure = disk_error(error, doing)
        except Exception as error:
            self.failure = HeadroomError(f"{doing[0].upper()}{doing[1:]} failed ({type(error).__name__}: {error}).")

    def keep(self, data: Any, result: Any) -> None:
        """Writes the record of a test that has just ended, unless the test does not exercise the run's subject."""
        record = self.record(data, result)
        if not is_about_subject(record.test.id, record, self.given or from_robot()):
            result.status, result.message = "SKIP", "This case does not exercise the implementation under test."
            self.left_out.append(record.test.id)
            if self.on_left_out:
                self.on_left_out(record.test.id)
            return
        self.run_folder.require()
        store.write(self.folder, record)
        if self.on_end:
            self.on_end(record)

    def look_at_folder(self) -> None:
        """Records that the run's folder is gone: a record would create an incomplete one."""
        try:
            self.run_folder.require()
        except HeadroomError as error:
            self.failure = self.failure or error

    def record(self, data: Any, result: Any) -> Record:
        """The record of a test that has just ended. Sets Robot's own status if a declaration changes it."""
        settings = self.given or from_robot()
        collected = collector.current()
        test = Test(
            id=test_id(data.source, data.name),
            name=data.name,
            suite=result.parent.full_name if result.parent else "",
            documentation=result.doc,
            tags=[str(tag) for tag in result.tags],
        )
        machine = pressure.between(self.pressure, pressure.read())
        verdict, reason = verdict_of(result.status, message_of(result), test, collected)
        if verdict in ("error", "unsupported") and collected.needs_processors:
            reason = f"{reason} {pressure.excuse(machine)}".rstrip()
        verdict, reason = after_deviations(verdict, reason, test, settings, collected)
        status = {"pass": "PASS", "non-strict": "PASS", "unsupported": "SKIP"}.get(verdict, "FAIL")
        if result.status != status or verdict != "pass":
            result.status = status
            result.message = f"{verdict}: {reason}" if reason else verdict
        record = Record(
            run=self.folder.name,
            test=test,
            part=settings.part,
            verdict=verdict,
            reason=reason,
            started=self.started.isoformat(timespec="milliseconds"),
            duration_s=(self.now() - self.started).total_seconds(),
            harness=self.harness_of(settings.build, collected.parameters.get("profile")),
            traffic=collected.traffic or in_process(headroom.__version__),
            machine=machine,
            quick=settings.quick,
            seed=settings.seed,
            command=collected.command or command(test, settings, lambda option: can_use(data, option)),
            environment=self.environment_of(settings.build),
            **{field.name: getattr(collected, field.name) for field in fields(Evidence)},
            link_sha256=engine.take_link_digest(),
        )
        for path, kind in collected.files:
            if path.is_file() and path.resolve().is_relative_to(self.folder.resolve()):
                record.artefacts.append(store.artefact(self.folder, path, kind))
        self.keep_job(record)
        return record

    def keep_job(self, record: Record) -> None:
        """Keeps the last job of a test that did not pass, and the command that repeats it in a debugger."""
        job = engine.take_last_job()
        if job is None or record.verdict not in ("fail", "non-strict", "error"):
            return
        program = engine_program(job.build)
        if not program.is_file():  # fixed work is measured through links, which are gone by now
            return
        # Files were in a folder that may be gone by now, in which case the engine would refuse the job.
        document = {key: value for key, value in job.document.items() if key not in ("outputs", "recording")}
        text = json.dumps(document, indent=1).encode() + b"\n"
        if len(text) > MOST_OF_A_JOB:
            return
        path = (
            self.folder / "artefacts" / store.file_name(record.test.id, record.part).removesuffix(".json") / "job.json"
        )
        store.write_atomically(path, text)
        record.artefacts.append(store.artefact(self.folder, path, "job"))
        arguments = [str(program), job.command, "--job", str(path)]
        record.debug = f"gdb --args {shlex.join(arguments)}"

    def harness_of(self, build: str, profile: Any) -> dict[str, Any]:
        """The harness, with the digests of the engine of a build and of a traffic profile by name, if they are
        known.
        """
        harness = {"version": headroom.__version__, **environment.commit()}
        files = {"engine_sha256": engine_program(build), "profile_sha256": PROFILES / f"{profile}.yaml"}
        return harness | {name: digest for name, path in files.items() if (digest := self.digest_of(path))}

    def digest_of(self, path: Path) -> str:
        """The SHA-256 of a file, "" if it cannot be read. A run reads each file once."""
        if path not in self.digests:
            try:
                with path.open("rb") as file:
                    self.digests[path] = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError:
                self.digests[path] = ""
        return self.digests[path]

    def environment_of(self, build: str) -> dict[str, Any]:
        if build not in self.environment:
            self.environment[build] = environment.read(build).as_json()
        return self.environment[build]


def was_cut_short(message: str) -> bool:
    """True if a signal ended a test. Its message alone does not tell: an adapter may say the same words."""
    return TERMINATED in message and getattr(STOP_SIGNAL_MONITOR, "_signal_count", 1) > 0


def message_of(result: Any) -> str:
    """The message of a test. Where Robot says of a template only that all its rows were skipped, what the rows say."""
    if result.message != ALL_ROWS_SKIPPED:
        return str(result.message)
    return " ".join(dict.fromkeys(_messages_of_rows(result))) or ALL_ROWS_SKIPPED


def _messages_of_rows(result: Any) -> Iterator[str]:
    for row in result.body:
        message = str(getattr(row, "message", ""))
        if message == ALL_ROWS_SKIPPED:
            yield from _messages_of_rows(row)
        elif message:
            yield message


def verdict_of(status: str, message: str, test: Test, collected: collector.Collected) -> tuple[Verdict, str]:
    """The verdict of a test from Robot's status and its keywords' evidence.

    An expectation that was not met is `fail`; if the requirement is not a MUST, it is `non-strict`, unless a keyword
    recorded that a MUST is broken all the same. Anything that kept the expectation from being checked is `error`.
    """
    message = message.removeprefix("*HTML*").strip()
    if status == "SKIP":
        return "unsupported", message
    if status == "PASS":
        if collected.verdict in ("fail", "error", "non-strict"):
            return collected.verdict, collected.reason
        return "pass", ""
    if collected.verdict == "error":
        return "error", collected.reason or message
    if NOT_THE_IMPLEMENTATION.search(message):
        return "error", message
    if collected.verdict == "fail":
        return "fail", message
    return ("non-strict" if test.level in ("should", "may") else "fail"), message


def is_about_subject(test: str, noted: Record | collector.Collected, settings: Settings) -> bool:
    """True if a test exercises the role that a run is about, by the implementations recorded in it.

    A case about the other role alone, or with adapters of its own choice, says nothing about the subject, so it must
    not count among its results. Measurements compare with other implementations on purpose.
    """
    role = settings.subject
    if not role or test.startswith(COMPARISONS):
        return True
    if test.startswith(OF_HARNESS):
        return False
    implementation, other = getattr(noted, role), getattr(noted, OTHER_SIDE[role])
    if implementation is None:
        return other is None
    return bool(implementation.get("name") == implementations.find(getattr(settings, role)).name)


def after_deviations(
    verdict: Verdict, reason: str, test: Test, settings: Settings, collected: collector.Collected
) -> tuple[Verdict, str]:
    """Applies declarations: a declared deviation is unsupported, and a declared deviation that no longer occurs is a
    failure, unless it depends on chance. A crash is a deviation only if it is declared as such. Those of an
    implementation that a test is not about change nothing.
    """
    about = {role: identity for role in OTHER_SIDE if (identity := getattr(collected, role)) is not None}
    crashed = collected.crashed
    for name, role in ((settings.compressor, "compressor"), (settings.decompressor, "decompressor")):
        try:
            found = implementations.find(name)
        except HeadroomError:
            continue
        if about and about.get(role, {}).get("name") != found.name:
            continue
        for deviation in found.deviations:
            if not deviation.is_about(role):
                continue
            if test.id not in deviation.cases and deviation.requirement not in test.requirements:
                continue
            what = deviation.requirement or test.id
            if verdict in ("fail", "non-strict") or (crashed and deviation.crashes):
                return "unsupported", f"declared deviation of {name} ({what}): {deviation.reason} Here: {reason}"
            if verdict == "pass" and not deviation.by_chance:
                return "fail", f"{name} declares to deviate ({what}), but the case passes: remove the declaration."
    return verdict, reason


def command(test: Test, settings: Settings, heeded: Callable[[Option], bool] = lambda option: True) -> str:
    """The command that repeats a test in the repository's root; `heeded` as for `Settings.words`."""
    suite = test.id.removesuffix(f"/{test.name}")
    return shlex.join(["./headroom", "run", suite, "--case", test.name, *settings.words(heeded)])


def can_use(test: Any, option: Option) -> bool:
    """True if a test of Robot's is a row that uses an option."""
    return option.rows is not None and any(getattr(step, "name", None) == option.rows.keyword for step in test.body)
