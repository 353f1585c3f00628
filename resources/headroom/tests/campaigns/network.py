# SPDX-License-Identifier: Apache-2.0
"""Namespaces for the machines of a campaign: a hub with a scheduler and a client, and workers, on one bridge."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from headroom.core import process_group
from headroom.core.paths import ROOT
from headroom.testbed import netns, runs

SUBNET = "10.87.65"
HUB = 1  # the last number of the hub's address
PATIENCE_S = 60.0
HEADROOM = (sys.executable, "-P", "-m", "headroom", "campaign")


@dataclass
class Network:
    """Namespace 0 is the hub; the others are those of machines."""

    run: str
    folder: Path  # for logs
    environment: dict[str, str]
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def scheduler(self) -> str:
        return f"tls://{SUBNET}.{HUB}:8786"

    def inside(self, number: int, command: Sequence[str]) -> list[str]:
        return ["ip", "netns", "exec", _name(self.run, number), *command]

    def start(self, number: int, log: str, *command: str) -> subprocess.Popen[bytes]:
        """Starts a process in a namespace; what it says goes to a log."""
        with (self.folder / log).open("wb") as file:
            process = process_group.start(
                self.inside(number, command), self.environment, stdout=file, stderr=subprocess.STDOUT, cwd=ROOT
            )
        self.processes.append(process)
        return process

    def start_scheduler(self, keys: Path, log: str = "scheduler") -> subprocess.Popen[bytes]:
        process = self.start(0, log, *HEADROOM, "scheduler", "--listen", self.scheduler, "--keys", str(keys))
        self.wait_for(log, "listens at")
        return process

    def start_worker(self, number: int, machine: str, keys: Path, log: str = "") -> subprocess.Popen[bytes]:
        return self.start(
            number, log or machine, *HEADROOM, "worker", self.scheduler, "--machine", machine, "--keys", str(keys)
        )

    def output(self, log: str) -> str:
        return (self.folder / log).read_text(encoding="utf-8", errors="replace")

    def wait_for(self, log: str, words: str) -> None:
        wait_until(lambda: words in self.output(log), lambda: f"{log} never said '{words}': {self.output(log)}")

    def cut_off(self, number: int) -> None:
        """Takes a machine from the network without a word to anyone."""
        subprocess.run(["ip", "-n", _name(self.run, 0), "link", "set", f"p{number}", "down"], check=True)

    def end_all_in(self, number: int) -> None:
        """Ends every process of a machine at once, as a power cut does."""
        found = subprocess.run(["ip", "netns", "pids", _name(self.run, number)], capture_output=True, text=True)
        for pid in found.stdout.split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


def wait_until(condition: Callable[[], bool], complaint: Callable[[], str], patience_s: float = PATIENCE_S) -> None:
    until = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < until, complaint()
        time.sleep(0.1)


def lacks() -> str:
    """Why this machine cannot have such a network; "" where it can."""
    return netns.probe() or ("" if shutil.which("openssl") else "it has no openssl")


@contextlib.contextmanager
def network(machines: int, folder: Path, out: Path) -> Iterator[Network]:
    numbers = range(machines + 1)
    run, _ = runs.claim("netns", lambda run: [_name(run, number) for number in numbers])
    made = Network(run, folder, {**os.environ, "HEADROOM_OUT": str(out), "PYTHONPATH": str(ROOT / "resources")})
    try:
        for number in numbers:
            _ip("netns", "add", _name(run, number))
            _ip("-n", _name(run, number), "link", "set", "lo", "up")
        hub = _name(run, 0)
        _ip("-n", hub, "link", "add", "bridge", "type", "bridge")
        _ip("-n", hub, "link", "set", "bridge", "up")
        _ip("-n", hub, "address", "add", f"{SUBNET}.{HUB}/24", "dev", "bridge")
        for number in numbers[1:]:
            name = _name(run, number)
            _ip("-n", hub, "link", "add", f"p{number}", "type", "veth", "peer", "name", "e", "netns", name)
            _ip("-n", hub, "link", "set", f"p{number}", "master", "bridge", "up")
            _ip("-n", name, "address", "add", f"{SUBNET}.{HUB + number}/24", "dev", "e")
            _ip("-n", name, "link", "set", "e", "up")
        yield made
    finally:
        for process in made.processes:
            process_group.stop(process)
        for number in numbers:
            made.end_all_in(number)
            subprocess.run(["ip", "netns", "del", _name(run, number)], capture_output=True)
        runs.release(run)


def _name(run: str, number: int) -> str:
    return f"{runs.PREFIX}-{run}-m{number}"


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
