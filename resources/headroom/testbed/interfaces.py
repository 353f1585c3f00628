# SPDX-License-Identifier: Apache-2.0
"""Settings of network interfaces inside a namespace, made by a thread that enters it.

Source: setns(2), netdevice(7), linux/ethtool.h, and ip-sysctl of the kernel's documentation.
"""

import array
import ctypes
import fcntl
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from headroom.core.errors import EnvironmentLacks

Result = TypeVar("Result")
Key = TypeVar("Key")

NAMESPACES = Path("/run/netns")
CLONE_NEWNET = 0x40000000
SIOCETHTOOL = 0x8946
SIOCGIFFLAGS = 0x8913
IFF_UP, IFF_LOOPBACK, IFF_RUNNING = 0x1, 0x8, 0x40
NETLINK_ROUTE, RTM_NEWLINK, RTM_GETLINK, NLM_F_REQUEST, NLM_F_DUMP = 0, 16, 18, 0x1, 0x300
IFLA_ADDRESS, IFLA_IFNAME, IFLA_CARRIER_CHANGES = 1, 3, 35
NETLINK_ANSWER_S = 5.0
# Commands of ETHTOOL_S… that take one flag, each with its ETHTOOL_G… .
OFFLOADS = {
    "receive checksum": (0x15, 0x14),
    "send checksum": (0x17, 0x16),
    "scatter-gather": (0x19, 0x18),
    "TCP segmentation": (0x1F, 0x1E),
    "generic segmentation": (0x24, 0x23),
    "generic receive": (0x2C, 0x2B),
}


def inside(namespace: str, work: Callable[[], Result]) -> Result:
    """Does some work in a thread that has entered a network namespace, given by its name or the path of its file.
    Sockets that it returns stay in there.

    Raises as the work does, and EnvironmentLacks if the namespace cannot be entered.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def enter() -> None:
        try:
            descriptor = os.open(NAMESPACES / namespace, os.O_RDONLY)
            try:
                if ctypes.CDLL(None, use_errno=True).setns(descriptor, CLONE_NEWNET) != 0:
                    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
            finally:
                os.close(descriptor)
        except OSError as error:
            raise EnvironmentLacks(f"The network namespace {namespace} cannot be entered: {error.strerror}.") from error

    def run() -> None:
        try:
            enter()
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name=f"in {namespace}")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def quieten() -> None:
    """Makes this namespace send nothing by itself: no IPv6, whose neighbour discovery and reports would be packets that
    were never sent, and no forwarding of IPv4, which a namespace inherits from its machine.
    """
    for path, value in (
        ("ipv6/conf/all/disable_ipv6", "1"),
        ("ipv6/conf/default/disable_ipv6", "1"),
        ("ipv4/conf/all/forwarding", "0"),
        ("ipv4/conf/default/forwarding", "0"),
    ):
        setting = Path("/proc/sys/net") / path
        if setting.exists():  # a kernel without IPv6 has nothing to switch off
            setting.write_text(f"{value}\n", encoding="ascii")


def without_offloads(names: Iterable[str]) -> None:
    """Turns off offloads that would join, split or leave unfinished the packets of interfaces, as far as they have
    them.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for name in names:
            for command, _ in OFFLOADS.values():
                _ethtool(any_socket, name, command, 0)


def wait_until_running(names: Iterable[str], timeout_s: float = 5.0) -> None:
    """Waits until interfaces pass packets: the kernel reports a carrier up to a second late, and drops packets before
    that.

    Raises EnvironmentLacks if one does not in time, or does not exist.
    """
    deadline = time.monotonic() + timeout_s
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for name in names:
            while not _flags(any_socket, name) & IFF_RUNNING:
                if time.monotonic() > deadline:
                    raise EnvironmentLacks(f"The interface {name} is not up after {timeout_s:g} s.")
                time.sleep(0.01)


@dataclass(frozen=True)
class State:
    """The present state of an interface: if it is up, its MAC address, and how often it has lost or found its
    carrier.
    """

    up: bool
    carrier_changes: int
    mac: str = ""


def states() -> dict[str, State]:
    """The interfaces of this namespace except its loopback, by name. Source: rtnetlink(7), linux/if_link.h."""
    request = struct.pack("=IHHIIBxHiII", 32, RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 1, 0, 0, 0, 0, 0, 0)
    by_name: dict[str, State] = {}
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_ROUTE) as connection:
        connection.settimeout(NETLINK_ANSWER_S)
        connection.send(request)
        while True:
            answer = connection.recv(1 << 17)
            for kind, message in _messages(answer):
                if kind != RTM_NEWLINK:  # the end of the list, or an error
                    return by_name
                flags = struct.unpack_from("=I", message, 8)[0]
                attributes = dict(_attributes(message[16:]))
                name = attributes.get(IFLA_IFNAME, b"").rstrip(b"\0").decode(errors="replace")
                changes = struct.unpack("=I", attributes.get(IFLA_CARRIER_CHANGES, bytes(4)))[0]
                if not flags & IFF_LOOPBACK:
                    by_name[name] = State(bool(flags & IFF_UP), changes, attributes.get(IFLA_ADDRESS, b"").hex(":"))


def gone_down(before: Mapping[Key, State], now: Mapping[Key, State]) -> tuple[Key, str] | None:
    """The first interface that has been down since the last look, and its state.

    An interface that is down takes the carrier of the other end, too, so it comes before those that have lost theirs.
    """
    for name in before:
        if name not in now or not now[name].up:
            return name, "is down or gone"
    for name, then in before.items():
        if now[name].carrier_changes != then.carrier_changes:
            return name, "has been down in between"
    return None


def _messages(answer: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 16 <= len(answer):
        length, kind = struct.unpack_from("=IH", answer, at)
        yield kind, answer[at + 16 : at + length]
        at += max(16, (length + 3) & ~3)


def _attributes(octets: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(octets):
        length, kind = struct.unpack_from("=HH", octets, at)
        yield kind, octets[at + 4 : at + length]
        at += max(4, (length + 3) & ~3)


def _flags(any_socket: socket.socket, name: str) -> int:
    try:
        answer = fcntl.ioctl(any_socket, SIOCGIFFLAGS, struct.pack("16s24x", name.encode()))
    except OSError as error:
        raise EnvironmentLacks(f"The state of the interface {name} cannot be read: {error.strerror}.") from error
    return int(struct.unpack_from("16xH", answer)[0])


def offloads(name: str) -> dict[str, bool]:
    """The offloads of an interface, and True for each that is on."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        return {what: bool(_ethtool(any_socket, name, get, 0)) for what, (_, get) in OFFLOADS.items()}


def _ethtool(any_socket: socket.socket, name: str, command: int, value: int) -> int:
    """Runs an ethtool command with one value; returns 0 if the interface does not support it."""
    words = array.array("I", [command, value])
    request = struct.pack("16sP16x", name.encode(), words.buffer_info()[0])
    try:
        fcntl.ioctl(any_socket, SIOCETHTOOL, request)
    except OSError:
        return 0
    return words[1]
