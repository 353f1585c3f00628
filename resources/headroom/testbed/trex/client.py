# SPDX-License-Identifier: Apache-2.0
"""A client of a running TRex server: loads streams and sessions, starts and stops them, reads statistics.

Only resources/trex/agent.py uses TRex's Python client, in a process of its own; this is the other end of its pipe.
"""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TextIO

from headroom.core.errors import HeadroomError
from headroom.core.paths import shown
from headroom.testbed.trex.home import AGENT, Home
from headroom.testbed.trex.installation import Installation, find
from headroom.testbed.trex.pipe import Pipe
from headroom.testbed.trex.server import Cores, Port, Server


class Trex:
    """A connected TRex: loads, starts, stops, reads statistics. Use `running` to get one.

    `seen` gives the path of a file of this machine at TRex's place.
    """

    def __init__(
        self,
        pipe: Pipe,
        described: Mapping[str, Any],
        notes: Sequence[str] = (),
        seen: Callable[[Path], str] = str,
    ) -> None:
        self._pipe, self._seen = pipe, seen
        self.version = str(described["version"])
        self.ports = [dict(port) for port in described["ports"]]
        self.notes = list(notes)

    def load(self, port: int, profile: Path, tunables: Mapping[str, object]) -> int:
        """Replaces the streams of a port by those of a profile file. Returns the number of packets that they will send.

        Streams without an end are not counted. `tunables` are the profile's own; `--help` among them lists them.
        """
        arguments = self._words(tunables)
        return int(
            self._pipe.call("load", 300.0, port=port, profile=self._seen(profile), tunables=arguments)["packets"]
        )

    def _words(self, tunables: Mapping[str, object]) -> list[str]:
        values = {key: self._seen(value) if isinstance(value, Path) else str(value) for key, value in tunables.items()}
        return [word for key, value in values.items() for word in (f"--{key}", value)]

    def start(self, ports: Sequence[int], duration_s: float = -1, multiplier: str = "1") -> None:
        """Starts the streams of ports; `duration_s` -1: until stopped."""
        self._pipe.call("start", 120.0, ports=list(ports), duration_s=duration_s, multiplier=multiplier)

    def push(self, captures: Mapping[int, Path], gap_us: float) -> None:
        """Sends captures of Ethernet frames, one for each port, a packet every `gap_us` microseconds."""
        files = {str(port): self._seen(path.resolve()) for port, path in captures.items()}
        self._pipe.call("push", 60.0, captures=files, gap_us=gap_us)

    def astf_load(self, profile: Path, tunables: Mapping[str, object]) -> None:
        """Replaces the sessions by those of a profile file (a server in mode "astf")."""
        self._pipe.call("astf_load", 120.0, profile=self._seen(profile), tunables=self._words(tunables))

    def astf_start(self, multiplier: float = 1, duration_s: float = -1, latency_pps: int = 0) -> None:
        """Starts the sessions, `multiplier` times as many a second as in the profile."""
        self._pipe.call("astf_start", 60.0, multiplier=multiplier, duration_s=duration_s, latency_pps=latency_pps)

    def active(self) -> list[int]:
        """The ports that still send."""
        return [int(port) for port in self._pipe.call("active")["active"]]

    def wait(self, timeout_s: float) -> bool:
        """Waits until no port sends any more. Returns False if some still did after `timeout_s`.

        TRex's own function raises an exception then, also if the sender has fallen behind.
        """
        deadline = time.monotonic() + timeout_s
        while self.active():
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.01)
        return True

    def sleep(self, seconds: float) -> None:
        """Waits, and notices within a second if the server dies meanwhile."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            time.sleep(min(left, 0.5))
            if left > 0.5:
                self._pipe.call("ping", 10.0)

    def stop(self) -> None:
        self._pipe.call("stop", 60.0)

    def clear(self) -> None:
        """Sets all statistics to zero."""
        self._pipe.call("clear")

    def stats(self) -> dict[str, Any]:
        """The statistics. `ports`: TRex's counters (opackets, ipackets, obytes, ibytes, oerrors, ierrors) by number of
        the port; `streams` and `latency`: by number of the packet group; `sessions` in mode "astf".
        """
        found = self._pipe.call("stats")
        return dict(found, ports={int(port): counters for port, counters in found["ports"].items()})

    def warnings(self) -> list[str]:
        """The server's own warnings since the last call."""
        return list(self._pipe.call("events")["warnings"])


@contextlib.contextmanager
def running(
    place: Home | Sequence[str],
    ports: Sequence[Port],
    mode: Literal["stl", "astf"] = "stl",
    cores: Cores | None = None,
    installation: Installation | None = None,
    record: TextIO | None = None,
    watch: Sequence[Callable[[], None]] = (),
) -> Iterator[Trex]:
    """A TRex of our own in a namespace or a container, connected; it is removed at the end in any case.

    `watch` are checks of other things that have to live while TRex works: each raises to end the wait.
    """
    installation = installation or find()
    with (
        Server(installation, place, ports, mode, cores) as server,
        _agent(installation, server.home, server.log.with_name("agent.log"), record, [server.look, *watch]) as pipe,
    ):
        cards = {"promiscuous": True} if mode == "stl" and all(port.is_pci for port in ports) else {}
        described = pipe.call("connect", 30.0, mode=mode, **cards)
        yield Trex(pipe, described, server.notes, server.home.seen)


@contextlib.contextmanager
def _agent(
    installation: Installation,
    home: Home,
    log: Path,
    record: TextIO | None,
    watch: Sequence[Callable[[], None]] = (),
) -> Iterator[Pipe]:
    command, environment = home.agent(installation)
    name = f"The agent ({shown(AGENT)})"
    with Pipe(command, name, log, environment, list(watch), record) as pipe:
        yield pipe
        with contextlib.suppress(HeadroomError):  # the results have been read; ending may fail
            pipe.call("quit", 10.0)
