# SPDX-License-Identifier: Apache-2.0
"""TRex in the generator's container: this machine's TRex, mounted (docker/compose.trex.yaml).

The image `headroom/generator` has the agent, our profiles and the engine; all other input of TRex goes into a folder
that both sides see.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import IO

from headroom.core import process_group
from headroom.core.errors import EnvironmentLacks
from headroom.core.paths import ROOT
from headroom.testbed import containers, stopped_process
from headroom.testbed.trex.home import AGENT, PROFILES, Home, Process, is_listening
from headroom.testbed.trex.installation import Installation, find
from headroom.testbed.trex.server import LEFT

FILE = ROOT / "docker" / "compose.trex.yaml"
IMAGE = "headroom/generator:latest"  # as that file names it
MOUNTED, EXCHANGE = PurePosixPath("/opt/trex"), PurePosixPath("/exchange")
OURS = PurePosixPath("/opt/headroom")  # place of this repository's files in the image
INTERFACES = "/tmp/interfaces"  # lines "address name", which docker/engine/start writes
ENGINE = "headroom-engine"
SERVER = "_t-rex-64"
ANSWER_S = 20.0
COMMANDS = (  # commands that a dry run shows
    "docker exec -i -w /opt/trex hr-<run>-generator held ./_t-rex-64 -i --software … --cfg /exchange/trex.yaml",
    f"docker exec -i hr-<run>-generator python3 {OURS}/resources/trex/agent.py …",
)


@dataclass(frozen=True)
class Mount:
    """The mounts of a container: the folder that holds TRex, and a folder for files that are handed over.

    `inside` is TRex with its paths in the container.
    """

    source: Path
    exchange: Path
    inside: Installation

    @property
    def variables(self) -> dict[str, str]:
        """The variables for docker/compose.trex.yaml."""
        return {"HEADROOM_TREX": str(self.source), "HEADROOM_EXCHANGE": str(self.exchange)}


def mount(environment: Mapping[str, str] = os.environ) -> Mount:
    """The TRex at $TREX_ROOT, to be mounted; `unmount` removes the folder that this makes. Raises EnvironmentLacks."""
    installation = find(environment)
    source = source_of(installation)
    inside = replace(installation, folder=Path(MOUNTED / installation.folder.relative_to(source)))
    exchange = Path(tempfile.mkdtemp(prefix=f"{LEFT}{os.getpid()}-"))
    exchange.chmod(0o755)  # root in a container may be another user here
    return Mount(source, exchange, inside)


def unmount(mounted: Mount) -> None:
    shutil.rmtree(mounted.exchange, ignore_errors=True)


def source_of(installation: Installation) -> Path:
    """The folder to mount: TRex's own, or the folder above if a source tree's links lead there."""
    folder = installation.folder
    needed = [folder / SERVER, *(folder / "so" / os.uname().machine).glob("*.so*")]
    found = Path(os.path.commonpath([folder, *(path.resolve() for path in needed)]))
    if found not in (folder, folder.parent):
        raise EnvironmentLacks(
            f"In the TRex at {folder} are links that lead out of {folder.parent}: a container would not see what they "
            "name. Set TREX_ROOT to an unpacked release."
        )
    return found


class InContainer(Home):
    """A container that runs already, with TRex mounted. `pid` is its first process here; 0 if that is unknown."""

    def __init__(self, container: str, pid: int, mounted: Mount) -> None:
        self.container, self.pid, self.mounted = container, pid, mounted
        self.words = ("docker", "exec", container)
        self._server = 0

    @cached_property
    def interfaces(self) -> dict[str, str]:
        """The names of the container's interfaces by the addresses that Docker has given them."""
        process = subprocess.run(
            [*self.words, "cat", INTERFACES], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=ANSWER_S
        )
        return dict(columns for line in process.stdout.splitlines() if len(columns := line.split()) == 2)

    @property
    def namespace(self) -> str:
        """The file of its network namespace (namespaces(7)); "" if this process may not enter it."""
        path = f"/proc/{self.pid}/ns/net"
        return path if self.pid and os.geteuid() == 0 and os.path.exists(path) else ""

    def check(self) -> None:
        pass  # Docker's daemon does the privileged work, and the container's namespace is its own

    def launch(self, trex: Installation, command: Sequence[str], log: IO[bytes]) -> Process:
        words = self._exec(trex, "-w", str(trex.folder))
        return subprocess.Popen(
            [*words, "held", *command],  # it ends when we close its input, or die
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def _exec(self, trex: Installation, *options: str) -> list[str]:
        variables = [word for name, value in trex.libraries.items() for word in ("-e", f"{name}={value}")]
        return [*process_group.words(), "docker", "exec", "-i", *options, *variables, self.container]

    def is_up(self, process: Process) -> bool:
        with contextlib.suppress(EnvironmentLacks):
            return is_listening(self.words)
        return False  # the container has gone, which `how_it_ended` reports

    def release(self, process: Process) -> None:
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()

    def why_still(self, process: Process) -> str:
        if not self._server:
            self._server = _server_in(self.namespace)
        return stopped_process.why_still(self._server or process.pid)

    def how_it_ended(self, code: int) -> str:
        if not containers.is_daemon_up():
            return "cannot be reached any more: the Docker daemon does not answer"
        if not containers.inspect(self.container).get("State", {}).get("Running"):
            return "is gone: the generator's container does not run any more"
        if code < 0 or code > 128:  # so `held` reports a signal
            with contextlib.suppress(ValueError):
                return f"died from {signal.Signals(-code if code < 0 else code - 128).name}"
        return f"ended with exit status {code}"

    def agent(self, trex: Installation) -> tuple[list[str], dict[str, str]]:
        return [*self._exec(trex), "python3", self.seen(AGENT), str(trex.client)], dict(os.environ)

    def seen(self, path: Path) -> str:
        if path == AGENT or path.parent == PROFILES:
            return str(OURS / path.relative_to(ROOT))
        if path.name == ENGINE:
            return str(OURS / "bin" / ENGINE)
        new = self.mounted.exchange / f".{path.name}"
        new.unlink(missing_ok=True)
        try:
            os.link(path, new)
        except OSError:  # another file system, or another user's file
            shutil.copyfile(path, new)
            new.chmod(0o644)
        new.replace(self.mounted.exchange / path.name)
        return str(EXCHANGE / path.name)


def _server_in(namespace: str) -> int:
    """The process of the server in a network namespace; 0 if it is unknown."""
    for pid in process_group.processes() if namespace else ():
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/comm").read_text().startswith(SERVER) and os.path.samefile(
                f"/proc/{pid}/ns/net", namespace
            ):
                return pid
    return 0
