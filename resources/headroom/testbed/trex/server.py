# SPDX-License-Identifier: Apache-2.0
"""Runs the server of a TRex (`installation.py`) in a network namespace or a container (`home.py`) for `client.py`.

Peculiarities of TRex, and the places that handle them:
- Its server works only from its own folder, and its ports 4500 and 4501 are bound on every address: `Server`, always in
  a namespace of its own.
- An interface that is only named gets rings so small that packets are lost at 50,000 a second: `settings` writes the
  driver's arguments out.
- With few cores (`low_end`) the receiving thread sleeps up to 1 ms, so latencies of about 0.5 ms are TRex's own:
  `LATENCY_NOTE` goes with every such figure.
- It leaves files behind when it dies: `Server.close`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from headroom.core import process_group
from headroom.core.errors import EnvironmentLacks, HeadroomError, UsageError
from headroom.testbed.trex.home import RPC_PORT, Home, Namespace, is_listening
from headroom.testbed.trex.installation import CLIENT, Installation
from headroom.testbed.trex.pipe import last_words

READY_WITHIN_S = 60.0  # seconds; 1.5 to 2.6 s on an idle machine of two cores
STOPPED_WITHIN_S = 5.0  # seconds; 0.3 s on an idle machine
# Rings of net_af_packet: 8,192 frames of 2,048 octets in blocks of 1 MiB, 16 MiB a direction.
RING = "blocksz=1048576,framesz=2048,framecnt=8192"
MOST_FRAME = 2048 - 64  # octets that fit into a frame of a ring besides its header
DPDK_STATE = Path("/var/run/dpdk")  # DPDK keeps a folder for each prefix there
LEFT = "headroom-trex-"  # beginning of the names of a server's files; the number of our process follows
CARD_MAC = "02:48:52:00:00:{:02x}"  # locally administered, as the generator's interfaces in a namespace are

LATENCY_NOTE = (
    "TRex had no core of its own to receive on: its receiving thread sleeps up to 1 ms, so about 0.5 ms of the average "
    "latency are TRex's own. Compare with the control, the same loop without the nodes."
)
BURST_NOTE = "From 10,000 packets/s on, TRex in software sends in bursts of about 1 ms, not evenly."


class TrexFailure(HeadroomError):
    """Raised if TRex crashed, hung or could not be started: an error of the measurement, never a limit."""

    verdict = "error"


@dataclass(frozen=True)
class Port:
    """A side of the server: a network interface of its namespace by name, or a NIC by PCI address.

    `mac` is its own address and `peer` that of the other port, to which everything is sent; both are looked up for
    interfaces without them.
    """

    interface: str
    mac: str = ""
    peer: str = ""

    @property
    def is_pci(self) -> bool:
        return bool(re.fullmatch(r"([0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]", self.interface))


CORES = 3  # most cores that it can use with two ports: one to manage, one to receive, one to send


@dataclass(frozen=True)
class Cores:
    """The cores that the server may have to itself: one to manage, one to receive, some to send; or one for
    everything.
    """

    manage: int
    receive: int
    send: tuple[int, ...]
    node: int = 0  # node of the memory that is next to the network cards (NUMA)

    @classmethod
    def of(cls, cores: Sequence[int], node: int = 0) -> Cores:
        """Assigns at least one core: if there are fewer than CORES, the first does all the work."""
        first = cores[0]
        return cls(first, cores[1], tuple(cores[2:]), node) if len(cores) >= CORES else cls(first, first, (first,))

    @property
    def is_one(self) -> bool:
        return {self.manage, self.receive, *self.send} == {self.manage}


def settings(ports: Sequence[Port], prefix: str, cores: Cores | None) -> str:
    """The server's configuration file. Without cores of its own it runs in its mode for small machines."""
    if len(ports) < 2 or len(ports) % 2:
        raise UsageError(f"TRex sends and receives on pairs of ports; {len(ports)} were given.")
    if len({port.is_pci for port in ports}) > 1:
        raise UsageError("TRex's ports are either all NICs by PCI address or all interfaces by name.")
    names = [port.interface if port.is_pci else _device(number, port) for number, port in enumerate(ports)]
    section: dict[str, Any] = {"version": 2, "prefix": prefix, "port_limit": len(ports), "interfaces": names}
    if cores is None:
        section["low_end"] = True  # on core 0
    elif cores.is_one:
        section |= {"low_end": True, "low_end_core": cores.manage}
    else:
        section["c"] = len(cores.send)
        section["platform"] = {
            "master_thread_id": cores.manage,
            "latency_thread_id": cores.receive,
            "dual_if": [{"socket": cores.node, "threads": list(cores.send)}],
        }
    section["port_info"] = [{"src_mac": port.mac, "dest_mac": port.peer} for port in ports]
    return json.dumps([section], indent=1) + "\n"  # YAML, too


def arguments(ports: Sequence[Port], mode: Literal["stl", "astf"]) -> list[str]:
    """The server's options, without its configuration file."""
    cards = all(port.is_pci for port in ports)
    options = ["-i", *(["--astf"] if mode == "astf" else [])]
    # A card also accepts frames to other addresses: nodes forward frames unchanged.
    options += (["--prom"] if mode == "astf" else []) if cards else ["--software"]
    # No watchdog: on a shared core its threads may well be late. No terminal, no keys, no server for Scapy's GUI.
    return [*options, "--no-watchdog", "--no-scapy-server", "--iom", "0", "--no-termio", "--no-key"]


def plan(ports: Sequence[Port], cores: Cores | None, place: Sequence[str]) -> list[str]:
    """The commands of a server's life for a dry run; TRex need not be installed."""
    name = f"{LEFT}<run>"
    folder = f"{tempfile.gettempdir()}/{name}"
    written = json.dumps(json.loads(settings(_with_pairs(ports), name, cores)))
    inside = " ".join(place)
    return [
        f"echo '{written}' > {folder}/trex.yaml",
        f"cd $TREX_ROOT && {inside} ./_t-rex-64 {' '.join(arguments(ports, 'stl'))} --cfg {folder}/trex.yaml",
        f"{inside} python3 resources/trex/agent.py $TREX_ROOT/{CLIENT}",
    ]


def _device(number: int, port: Port) -> str:
    return f"--vdev=net_af_packet{number},iface={port.interface},{RING}"


class Server:
    """A TRex server in a network namespace or a container, from `start` to `close`. Use as a context manager.

    `place` is a home, or the words that run a program in a namespace of this machine (`in_namespace`); it holds the
    interfaces, and TRex's ports are free there. The server ends with this process, however that ends. `mode`: "stl"
    sends streams, "astf" sessions.
    """

    def __init__(
        self,
        installation: Installation,
        place: Home | Sequence[str],
        ports: Sequence[Port],
        mode: Literal["stl", "astf"] = "stl",
        cores: Cores | None = None,
    ) -> None:
        self.installation, self.mode, self.cores = installation, mode, cores
        self.home = place if isinstance(place, Home) else Namespace(place)
        self.ports = tuple(ports)
        self.prefix = f"{LEFT}{os.getpid()}-{secrets.token_hex(3)}"
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._banner = 0  # octets that it prints to its log while it starts: tables of ports and queues
        self._stopping = False

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def log(self) -> Path:
        assert self._folder is not None, "the server has not been started"
        return self._folder / "server.log"

    @property
    def pid(self) -> int:
        assert self._process is not None, "the server has not been started"
        return self._process.pid

    @property
    def notes(self) -> list[str]:
        """Remarks about its figures."""
        software = not all(port.is_pci for port in self.ports)
        return (
            self.installation.notes
            + ([LATENCY_NOTE] if self.cores is None or self.cores.is_one else [])
            + [BURST_NOTE] * software
        )

    def start(self) -> None:
        """Starts the server and waits until it answers. Raises EnvironmentLacks, UsageError, TrexFailure."""
        self.home.check()
        place_words = self.home.words
        if is_listening(place_words):
            raise EnvironmentLacks(
                f"A process listens on TRex's port {RPC_PORT} already where `{' '.join(place_words)}` leads; each "
                "server needs a namespace of its own."
            )
        remove_leftovers()
        self.ports = prepared(self.ports, place_words)
        self._folder = Path(tempfile.mkdtemp(prefix=f"{LEFT}{os.getpid()}-"))
        try:
            (self._folder / "trex.yaml").write_text(settings(self.ports, self.prefix, self.cores), encoding="utf-8")
            self._process = self._launch(self._folder / "trex.yaml")
            self._wait_until_ready()
        except BaseException:
            self.close()
            raise

    def _launch(self, configuration: Path) -> subprocess.Popen[bytes]:
        command = [str(self.installation.program), *arguments(self.ports, self.mode)]
        with self.log.open("wb") as log:
            return self.home.launch(self.installation, [*command, "--cfg", self.home.seen(configuration)], log)

    def _wait_until_ready(self) -> None:
        assert self._process is not None, "the server has not been started"
        deadline = time.monotonic() + READY_WITHIN_S
        while not self.home.is_up(self._process):
            self.look()
            if time.monotonic() > deadline:
                raise TrexFailure(f"The TRex server was not ready after {READY_WITHIN_S:g} s.{self._last_words()}")
            time.sleep(0.05)
        self._banner = self.log.stat().st_size

    def look(self) -> None:
        """Raises TrexFailure if the server has died, or has been stopped."""
        assert self._process is not None, "the server has not been started"
        code = self._process.poll()
        if self._stopping:
            return
        if code is None:
            if why := self.home.why_still(self._process):
                raise TrexFailure(f"The TRex server does nothing any more: {why}.")
            return
        how = self.home.how_it_ended(code)
        raise TrexFailure(f"The TRex server {how}: an error of the generator, not a limit.{self._last_words()}")

    def _last_words(self) -> str:
        return last_words(self.log, messages, self._banner)

    def close(self) -> None:
        """Stops the server and removes its files. Does nothing if there is nothing to stop."""
        self._stopping = True
        if self._process is not None:
            if self._process.poll() is None:
                self.home.release(self._process)  # it closes its ports in order
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(STOPPED_WITHIN_S)
            process_group.stop(self._process)
            self._process = None
        shutil.rmtree(DPDK_STATE / self.prefix, ignore_errors=True)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def messages(lines: Sequence[str]) -> list[str]:
    """The lines of a server's log that are messages, and not rows of its tables or of a trace of calls; complaints if
    there are any.
    """
    untraced = [line for line in lines if not TRACE.search(line)]
    complaints = [line for line in untraced if COMPLAINT.search(line)]
    return complaints or [line for line in untraced if len(WORD.findall(line)) > 1 and not ROW.search(line)]


WORD = re.compile(r"[A-Za-z]{2,}")
TRACE = re.compile(r"^\d+\s+0x[0-9a-f]+\s|^\*\*\*|^\?\?:")
ROW = re.compile(r"^[\w -]+:? *\d+$|^(link|driver capability) *:|^core, |^RX core uses ")
COMPLAINT = re.compile(
    r"error|fail|panic|abort|assert|fatal|signal|cannot|can't|could not|unable|invalid|no such|not found|denied|busy",
    re.IGNORECASE,
)


def node_of(card: str) -> int:
    """The NUMA node that a network card is next to; 0 if the kernel does not know it. Source: sysfs-bus-pci."""
    try:
        return max(0, int(Path("/sys/bus/pci/devices", card, "numa_node").read_text()))
    except (OSError, ValueError):
        return 0


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A temporary folder, which `remove_leftovers` finds if its owner could not remove it."""
    return tempfile.TemporaryDirectory(prefix=f"{LEFT}{os.getpid()}-")


def remove_leftovers() -> None:
    """Removes the files of servers whose owners were killed before they could."""
    for folder in (DPDK_STATE, Path(tempfile.gettempdir())):
        for path in folder.glob(f"{LEFT}*-*"):
            owner = path.name[len(LEFT) :].partition("-")[0]
            if owner.isdigit() and not Path("/proc", owner).exists():
                shutil.rmtree(path, ignore_errors=True)


# ----------------------------------------------------------------------------------------------------------------------
# Namespaces and interfaces


def in_namespace(namespace: str) -> list[str]:
    """The words before a program that run it in a network namespace (ip-netns(8))."""
    return ["ip", "netns", "exec", namespace]


def prepared(ports: Sequence[Port], place: Sequence[str]) -> tuple[Port, ...]:
    """The ports with their addresses. Their interfaces are up, and have no IPv6: stray packets would be counted."""
    return _with_pairs([port if port.is_pci else _with_address(port, place) for port in ports])


def _with_pairs(ports: Sequence[Port]) -> tuple[Port, ...]:
    """The ports with the addresses to which they send: those of their pairs. A card without an address gets one."""
    known = [
        Port(port.interface, port.mac or (CARD_MAC.format(number) if port.is_pci else ""), port.peer)
        for number, port in enumerate(ports)
    ]
    pairs = [known[number ^ 1] if number ^ 1 < len(known) else known[number] for number in range(len(known))]
    return tuple(Port(port.interface, port.mac, port.peer or pair.mac) for port, pair in zip(known, pairs, strict=True))


def _with_address(port: Port, place: Sequence[str]) -> Port:
    process = subprocess.run(
        [*place, "ip", "-j", "link", "show", "dev", port.interface], capture_output=True, text=True
    )
    if process.returncode != 0:
        raise EnvironmentLacks(f"There is no interface {port.interface} where TRex is to run: {process.stderr.strip()}")
    link = json.loads(process.stdout)[0]
    if "UP" not in link["flags"]:
        raise EnvironmentLacks(f"The interface {port.interface}, on which TRex is to send, is down.")
    if link["mtu"] > MOST_FRAME:
        raise EnvironmentLacks(
            f"The interface {port.interface} has an MTU of {link['mtu']}; TRex's rings here hold {MOST_FRAME} octets."
        )
    quiet = ["sysctl", "-q", "-w", f"net.ipv6.conf.{port.interface}.disable_ipv6=1"]
    subprocess.run([*place, *quiet], capture_output=True)  # fails if there is no IPv6 to switch off, which does as well
    return Port(port.interface, port.mac or link["address"], port.peer)
