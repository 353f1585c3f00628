# SPDX-License-Identifier: Apache-2.0
"""A network namespace with two interfaces for a test that needs one, gone again afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from headroom.testbed import netns

needs_namespaces = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("ip") is None, reason="network namespaces need root and ip(8)"
)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@contextlib.contextmanager
def loop(ipv6: bool = False) -> Iterator[str]:
    """A namespace in which what is sent on g0 arrives on g1 and the other way round, and nothing else."""
    with netns.alone() as place:
        name = place.name
        for which in () if ipv6 else ("all", "default"):
            ip("netns", "exec", name, "sysctl", "-q", "-w", f"net.ipv6.conf.{which}.disable_ipv6=1")
        ip("-n", name, "link", "add", "g0", "type", "veth", "peer", "name", "g1")
        for interface in ("lo", "g0", "g1"):
            ip("-n", name, "link", "set", interface, "up")
        yield name


SNIFFER = """
import signal, socket, struct, sys
door = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
door.setsockopt(socket.SOL_SOCKET, 33, 256 << 20)  # SO_RCVBUFFORCE
door.bind((sys.argv[1], 0))
door.settimeout(0.1)
stopping = []
signal.signal(signal.SIGTERM, lambda *_: stopping.append(1))
print("listening", flush=True)
seen = []
while True:
    try:
        frame, address = door.recvfrom(65536)
    except TimeoutError:
        if stopping:
            break
        continue
    if address[2] != 4:  # PACKET_OUTGOING
        seen.append(frame.hex())
print("\\n".join(seen))
"""


class Sniffer:
    """Everything that arrives on an interface of a namespace, as frames. Its buffer takes what a test sends."""

    def __init__(self, namespace: str, interface: str) -> None:
        command = ["ip", "netns", "exec", namespace, sys.executable, "-c", SNIFFER, interface]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "listening\n"

    def frames(self) -> list[bytes]:
        """Stops listening; what has arrived, in order."""
        self._process.terminate()
        told, _ = self._process.communicate(timeout=60)
        return [bytes.fromhex(line) for line in told.split()]

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
