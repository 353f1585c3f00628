# SPDX-License-Identifier: Apache-2.0
"""Packets that are caught where they arrive, and compared with those that were sent."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from headroom.core.errors import EnvironmentLacks
from headroom.testbed.arrivals import (
    UNCOMPARED,
    ArrivalComparison,
    Listener,
    NotAsSent,
    Tap,
    compare,
    ip_packet,
    require,
)
from headroom.testbed.trial import Direction, Trial
from headroom.tests.wire.namespaces import ip, loop, needs_namespaces

IPV4 = bytes.fromhex("4500001a000040004011") + bytes(16)
IPV6 = bytes.fromhex("6000000000021140") + bytes(34)

SENDER = """
import socket, sys
door = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
door.bind((sys.argv[1], 0))
for number in range(int(sys.argv[2])):
    door.send(bytes(12) + b"\\x08\\x00" + bytes.fromhex("4500001a000040004011") + number.to_bytes(16, "big"))
"""


def test_an_ip_packet_without_what_fills_a_frame_up() -> None:
    assert ip_packet(bytes(12) + b"\x08\x00" + IPV4 + bytes(20)) == IPV4
    assert ip_packet(bytes(12) + b"\x86\xdd" + IPV6 + bytes(4)) == IPV6
    assert ip_packet(bytes(12) + b"\x08\x06" + bytes(46)) == b""  # ARP
    assert ip_packet(b"") == ip_packet(bytes(12) + b"\x08\x00" + IPV4[:12]) == b""


def direction(sent: int, received: int, unexpected: int = 0, compared: bool = True) -> Direction:
    return Direction(1000, 1000, sent, received, 100 * sent, sent - received, unexpected, False, compared)


def test_what_is_equal_and_what_nobody_has_sent() -> None:
    sent = [b"a", b"b", b"b", b"c"]
    assert compare(sent, [b"b", b"a", b"c", b"b"]) == ArrivalComparison(4)
    assert compare(sent, [b"a", b"b"]) == ArrivalComparison(2)
    assert compare(sent, [b"a", b"b", b"x", b"c"]) == ArrivalComparison(3, (b"x",))
    assert compare(sent, [b"a", b"a", b"b", b"b", b"c"]) == ArrivalComparison(4, (b"a",))


def test_a_trial_that_was_compared_says_what_arrived() -> None:
    said = require(Trial("trex", "v3.08", 1000, 1, direction(4, 4), direction(5, 3)))
    assert "4 of 4 forward and 3 of 5 reverse arrived, octet by octet" in said
    assert require(Trial("trex", "v3.08", 1000, 1, direction(4, 4, compared=False))) == UNCOMPARED


def test_what_came_out_otherwise_is_a_failure_and_no_loss() -> None:
    with pytest.raises(NotAsSent, match=r"^Reverse, 1 of 4 packets came out changed, or not at all"):
        require(Trial("trex", "v3.08", 1000, 1, direction(4, 4), direction(4, 3, 1)))
    with pytest.raises(NotAsSent, match=r"^Forward, all of 4 packets"):
        require(Trial("trex", "v3.08", 1000, 1, direction(4, 0)))


@needs_namespaces
def test_what_arrives_is_caught_in_order_and_what_leaves_is_not() -> None:
    with loop() as name, Listener(Tap(name, {0: "g1", 1: "g0"})) as listener:
        command = ["ip", "netns", "exec", name, sys.executable, "-c", SENDER, "g0", "500"]
        subprocess.run(command, check=True, timeout=60)
        deadline = time.monotonic() + 10
        while len(listener.packets(0)) < 500 and time.monotonic() < deadline:
            time.sleep(0.01)
        arrived = listener.packets(0)
        assert [int.from_bytes(packet[10:26], "big") for packet in arrived] == list(range(500))
        assert listener.packets(1) == []
        assert listener.missed() == 0
        listener.forget()
        assert listener.packets(0) == []


@needs_namespaces
def test_an_interface_that_is_not_there() -> None:
    with loop() as name, pytest.raises(EnvironmentLacks, match="interface g7 cannot be listened on"):
        Listener(Tap(name, {0: "g1", 1: "g7"})).__enter__()


@needs_namespaces
def test_an_interface_that_goes_down_is_told() -> None:
    with loop() as name, Listener(Tap(name, {0: "g1"})) as listener:
        ip("-n", name, "link", "set", "g1", "down")
        with pytest.raises(EnvironmentLacks, match=r"failed on the interface g1: Network is down"):
            for _ in range(100):
                listener.packets(0)
                time.sleep(0.05)
