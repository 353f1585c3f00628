# SPDX-License-Identifier: Apache-2.0
"""The places of a TRex server and its agent, and their view of this machine's files: a network namespace here, a
container in `container.py`.
"""

import contextlib
import os
import signal
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from headroom.core import process_group
from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.paths import ROOT
from headroom.testbed import stopped_process
from headroom.testbed.trex.installation import Installation

AGENT = ROOT / "resources" / "trex" / "agent.py"
PROFILES = ROOT / "traffic-profiles" / "trex"
RPC_PORT, ASYNC_PORT = 4501, 4500
LISTENING = "0A"  # proc(5), /proc/net/tcp: TCP_LISTEN
Process = subprocess.Popen[bytes]


class Home(ABC):
    """A place where TRex's ports are free. `words` before a program run it there, to look around."""

    words: tuple[str, ...]

    @abstractmethod
    def check(self) -> None:
        """Raises EnvironmentLacks or UsageError if a server cannot run there."""

    @abstractmethod
    def launch(self, trex: Installation, command: Sequence[str], log: IO[bytes]) -> Process:
        """Starts the server in its own folder; it ends with this process, however that ends."""

    @abstractmethod
    def is_up(self, process: Process) -> bool:
        """True if the server listens."""

    @abstractmethod
    def release(self, process: Process) -> None:
        """Asks the server to close its ports and end, and does not wait."""

    @abstractmethod
    def why_still(self, process: Process) -> str:
        """The reason why the server lives and does nothing: the end of a sentence; "" if there is none."""

    @abstractmethod
    def how_it_ended(self, code: int) -> str:
        """The end of the server as a sentence, from the status of the process that `launch` has started."""

    @abstractmethod
    def agent(self, trex: Installation) -> tuple[list[str], dict[str, str]]:
        """The agent's command and its environment."""

    @abstractmethod
    def seen(self, path: Path) -> str:
        """The path of a file of this machine at that place."""


class Namespace(Home):
    """A network namespace of this machine; `words` lead into it (ip-netns(8))."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)

    def check(self) -> None:
        if os.geteuid() != 0:
            raise EnvironmentLacks("TRex needs root: it opens raw sockets and network devices.")
        if not self.words:
            raise UsageError("TRex's ports 4500 and 4501 are bound on every address: run it in a namespace of its own.")

    def launch(self, trex: Installation, command: Sequence[str], log: IO[bytes]) -> Process:
        return subprocess.Popen(
            [*process_group.words(), *self.words, *command],
            cwd=trex.folder,
            env={**os.environ, **trex.libraries},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def is_up(self, process: Process) -> bool:
        return is_listening((), process.pid)

    def release(self, process: Process) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGINT)

    def why_still(self, process: Process) -> str:
        return stopped_process.why_still(process.pid)

    def how_it_ended(self, code: int) -> str:
        return f"died from {signal.Signals(-code).name}" if code < 0 else f"ended with exit status {code}"

    def agent(self, trex: Installation) -> tuple[list[str], dict[str, str]]:
        # -P would be right for our scripts, but TRex's profiles import their neighbours.
        words = [*self.words, sys.executable, str(AGENT), str(trex.client)]
        return words, {**os.environ, **trex.libraries}

    def seen(self, path: Path) -> str:
        return str(path)


def is_listening(words: Sequence[str] = (), process: int | None = None) -> bool:
    """True if a process listens on the server's port, in the namespace of a process or where `words` run a program."""
    tables = [f"/proc/{process or 'self'}/net/tcp{version}" for version in ("", "6")]
    if process is not None:
        with contextlib.suppress(OSError):
            return _is_in_listening_table("".join(Path(table).read_text() for table in tables if Path(table).exists()))
        return False
    done = subprocess.run([*words, "cat", *tables], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if not done.stdout:
        raise EnvironmentLacks(f"`{' '.join(words)}` does not work: {done.stderr.strip()}")
    return _is_in_listening_table(done.stdout)


def _is_in_listening_table(table: str) -> bool:
    rows = [line.split() for line in table.splitlines()]
    return any(
        len(row) > 3 and row[3] == LISTENING and row[1].endswith(f":{RPC_PORT:04X}") for row in rows if row[0] != "sl"
    )
