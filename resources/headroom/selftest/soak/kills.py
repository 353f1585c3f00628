# SPDX-License-Identifier: Apache-2.0
"""Commands that are killed (SIGKILL) at random moments and continue: no existing record is lost or changed."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from headroom.core.errors import EXIT_ENVIRONMENT, EXIT_PASSED
from headroom.core.paths import ROOT, shown
from headroom.core.results.store import write_atomically
from headroom.core.scheme_registry import in_matrix
from headroom.core.yamlfile import violations
from headroom.selftest.soak.tally import Finding, Row, Tally

STAGE = "kills"
MOST_KILLS = 3  # kills of one command, before it may end
FIRST_S = 20.0  # seconds within which a command of unknown duration is killed
AFTER_RECORD_S = 2.0  # seconds after its first record within which every other kill comes
GLANCE_S = 0.05
SUITES = ("smoke/first_packets", "smoke/first_messages", "smoke/judges")
CAMPAIGN = f"""name: soak
repeats: 3
quiet: {{busy: 1, steal: 1}}
configurations: {{one: {{suites: [{SUITES[0]}]}}}}
"""

Snapshot = dict[Path, str]  # digests of records


@dataclass(frozen=True)
class KilledCommand:
    """A command. `begin` gives its words, and `again` those that continue it, None if the first ones do.

    `records` are patterns of the files that must stay, below the folder of results. `keeps_folder`: each command
    continues in the folder of the last one. `check` are the words of a command that fails if something is broken.
    """

    name: str
    begin: Callable[[Path, random.Random], list[str]]
    again: Callable[[Path], list[str] | None]
    records: tuple[str, ...]
    keeps_folder: bool = False
    check: tuple[str, ...] = ()


def _resume(command: str) -> Callable[[Path], list[str] | None]:
    """The words that continue the last run, if it has begun."""
    return lambda folder: [command, "--resume", "last"] if any(folder.glob("*/run.json")) else None


def _campaign(folder: Path, _: random.Random) -> list[str]:
    file = folder / "campaign.yaml"
    write_atomically(file, CAMPAIGN.encode())
    return ["campaign", str(file)]


def _interop(_: Path, chance: random.Random) -> list[str]:
    arguments = ["--implementations", "reference", "--links", "clean", "--seed", str(chance.randrange(1, 1000))]
    return ["interop", "--scheme", chance.choice(list(in_matrix())), *arguments]


NIGHT = ["nightly", "--quick", "--no-cases", "--no-ab", "--wait", "0s", "--budget", "60s"]
RESULTS = ("*/results/*.json",)
VICTIMS = (
    KilledCommand(
        "run",
        lambda _, chance: ["run", *SUITES, "--seed", str(chance.randrange(1, 1000))],
        _resume("run"),
        RESULTS,
    ),
    KilledCommand("interop", _interop, _resume("interop"), RESULTS),
    KilledCommand(
        "campaign",
        _campaign,
        lambda _: None,  # the same words continue
        ("campaigns/*/cells/*/*/results/*.json",),
    ),
    KilledCommand(
        "nightly",
        lambda _, __: NIGHT,
        lambda _: None,
        ("history/schema=*/**/*.parquet",),
        keeps_folder=True,
        check=("nightly", "check"),
    ),
)


@dataclass
class Kills:
    """The stage: its parts are commands."""

    share: float
    name: str = STAGE
    victims: Sequence[KilledCommand] = VICTIMS
    program: Sequence[str] = (sys.executable, "-P", "-m", "headroom")

    def parts(self) -> list[str]:
        return [victim.name for victim in self.victims]

    def run(self, part: str, seconds: float, tally: Tally) -> None:
        victim = next(victim for victim in self.victims if victim.name == part)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._trial(victim, until, tally)

    def _trial(self, victim: KilledCommand, until: float, tally: Tally) -> None:
        """Runs a command from its beginning, until it ends by itself or the time is over."""
        row = tally.row(self.name, victim.name)
        chance = random.Random(f"{tally.seed}/{victim.name}/{row.executions}")
        row.executions += 1
        folder = tally.folder / "kills" / victim.name
        if not victim.keeps_folder:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        words = victim.begin(folder, chance)
        before = _records(folder, victim)
        for kill in range(MOST_KILLS + 1):
            # A command takes its time to begin: even if the turn is short, it is killed at any moment.
            after_s = chance.uniform(0.3, FIRST_S) if kill < MOST_KILLS else max(FIRST_S, until - time.monotonic())
            if kill < MOST_KILLS and chance.random() < 0.5:
                # On a busy machine none of those moments would come after a record.
                most_s = max(FIRST_S, until - time.monotonic())
                after_record_s = chance.uniform(0.0, AFTER_RECORD_S)
                status = self._run(words, folder, most_s, partial(_has_new, victim, folder, before), after_record_s)
            else:
                status = self._run(words, folder, after_s)
            row.kills += status is None
            before = self._compare(victim, folder, before, row, tally)
            if status is not None or time.monotonic() >= until:
                break
            words = victim.again(folder) or words
        if status not in (None, EXIT_PASSED, EXIT_ENVIRONMENT):
            self._note(victim, tally, f"It ended with status {status} when it continued after a kill.", words, folder)
        if victim.check and (code := self._run(list(victim.check), folder, 60.0)) not in (None, EXIT_PASSED):
            self._note(victim, tally, f"`{' '.join(victim.check)}` ends with status {code}.", victim.check, folder)

    def _note(self, victim: KilledCommand, tally: Tally, sentence: str, words: Sequence[str], folder: Path) -> None:
        """Records a failure; the folder is kept as it is."""
        folder_kept = folder
        if not victim.keeps_folder:
            folder_kept = folder.with_name(f"{victim.name}-{tally.turns}")
            shutil.copytree(folder, folder_kept, symlinks=True, dirs_exist_ok=True)
        command = f"HEADROOM_OUT={shown(folder_kept)} ./headroom {' '.join(words)}"
        tally.note(Finding(self.name, victim.name, sentence, shown(folder_kept), command))

    def _run(
        self,
        words: Sequence[str],
        folder: Path,
        patience_s: float,
        has_come: Callable[[], bool] = lambda: False,
        after_s: float = 0.0,
    ) -> int | None:
        """Runs a command, and kills it and all its processes after `patience_s`, or `after_s` after `has_come` first
        returns True. Returns its exit status, None if it was killed.
        """
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT / "resources"),
            "HEADROOM_OUT": str(folder),
            "HEADROOM_LOCK": str(folder / "lock"),
        }
        with (folder / "output.log").open("ab") as log:
            process = subprocess.Popen(
                [*self.program, *words],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            until = time.monotonic() + patience_s
            try:
                while process.poll() is None and time.monotonic() < until and not has_come():
                    time.sleep(GLANCE_S)
                return process.wait(min(after_s, max(0.0, until - time.monotonic())))
            except subprocess.TimeoutExpired:
                return None
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()

    def _compare(self, victim: KilledCommand, folder: Path, before: Snapshot, row: Row, tally: Tally) -> Snapshot:
        """Counts the lost records among those before, and the broken ones now. Returns the present records."""
        now = _records(folder, victim)
        lost = [path for path, digest in before.items() if now.get(path) != digest]
        broken = [path for path, digest in now.items() if not digest]
        row.records += len(before)
        row.lost += len(lost) + len(broken)
        for path in (*lost, *broken):
            why = "is broken" if path in broken else "is gone" if path not in now else "was changed"
            self._note(victim, tally, f"The record {path.relative_to(folder)} {why} after a kill.", (), folder)
        return {path: digest for path, digest in now.items() if digest}


def _has_new(victim: KilledCommand, folder: Path, before: Snapshot) -> bool:
    """True if the folder has a record that was not there before."""
    return any(path not in before for pattern in victim.records for path in folder.glob(pattern))


def _records(folder: Path, victim: KilledCommand) -> Snapshot:
    """Digests of the records that must stay, "" for a broken one. A case that ended in an error is run again."""
    digests: Snapshot = {}
    for path in (path for pattern in victim.records for path in folder.glob(pattern)):
        octets = path.read_bytes()
        digests[path] = hashlib.sha256(octets).hexdigest()
        if path.suffix != ".json":
            continue
        try:
            record = json.loads(octets)
        except ValueError:
            record = None
        if record is None or violations(record, "result"):
            digests[path] = ""
        elif record["verdict"] == "error":
            del digests[path]
    return digests
