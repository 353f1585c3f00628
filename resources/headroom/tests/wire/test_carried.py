# SPDX-License-Identifier: Apache-2.0
"""Four nodes in a row, what is recorded between them, and round trips."""

from __future__ import annotations

import itertools
import os
import struct

import pytest

from headroom.core.errors import EnvironmentLacks
from headroom.testbed import carried, echo, interfaces
from headroom.testbed.carried import CarriedJobs
from headroom.testbed.netns import Netns
from headroom.testbed.packet_socket import packet_socket
from headroom.testbed.recorder import Recorder, RecordingGap
from headroom.tests.wire.test_netns import root, topology

pytestmark = pytest.mark.usefixtures("state")  # of conftest.py


def ip(number: int, payload: int = 20) -> bytes:
    """An IPv4 packet of a protocol for experiments."""
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + payload, number, 0, 64, 253, 0, b"\n\0\0\1", b"\n\0\0\2") + bytes(
        payload
    )


def reply(packet: bytes) -> bytes:
    return packet[:12] + packet[16:20] + packet[12:16] + packet[20:]


def test_each_end_of_the_stream_receives_what_the_other_sends() -> None:
    jobs = CarriedJobs({"compressor": "inner"}, {"compressor": "outer"}, packets=6, rate_bps=8_000_000)
    one, other = (jobs.of(role)["stream"] for role in carried.GROUPS)
    assert (one["send"]["address"], one["send"]["port"]) == (other["receive"]["address"], other["receive"]["port"])
    assert (other["send"]["address"], other["send"]["port"]) == (one["receive"]["address"], one["receive"]["port"])
    assert (one["send"]["packets"], one["send"]["rate_bps"]) == (6, 8_000_000)
    assert jobs.of("encapsulator")["compressor"] == "outer"
    assert jobs.of("decompressor")["compressor"] == "inner"
    assert "stream" not in jobs.of("compressor")


def datagram(payload: bytes, protocol: int = 17) -> bytes:
    return bytes(12) + b"\x08\0" + bytes(9) + bytes([protocol]) + bytes(10 + 8) + payload


def test_link_packets_of_a_datagram() -> None:
    assert carried.link_packets(datagram(b"abcdef"), 3) == [b"abc", b"def"]
    assert carried.link_packets(datagram(b"abcde"), 3) == [], "no whole number of them"
    assert carried.link_packets(datagram(b"abcdef", protocol=6), 3) == []
    assert carried.link_packets(bytes(14), 3) == []


def test_losses_by_role_and_cause() -> None:
    errors = {"compressor": {}, "decompressor": {"CRC": 2, "NO_CONTEXT": 1}, "too_long": 0}
    stream = dict.fromkeys(carried.STREAM_LOSSES, 0)
    workers = {
        "decompressor": {"errors": errors},
        "decapsulator": {"errors": {}, "stream": stream | {"queue_full": 4, "idle_sent": 9}},
    }
    assert carried.losses(workers) == ["decompressor: 3 decompressor", "decapsulator: 4 queue_full"]  # type: ignore[arg-type]


def send(made: Netns, port: str, packets: list[bytes]) -> None:
    seat = made.seats["generator"]
    with interfaces.inside(seat.place.name, lambda: packet_socket(seat.ports[port].interface)) as opened:
        for packet in packets:
            opened.send(b"\xff" * 6 + bytes(6) + b"\x08\0" + packet)


@root
def test_a_recorder_has_what_arrives_with_its_times_and_not_what_leaves() -> None:
    packets = [ip(number) for number in range(100)]
    with topology("loop") as made:
        with Recorder(made, [("generator", "0"), ("generator", "1")]) as recorder:
            send(made, "0", packets)
        arrivals = recorder.arrivals["generator", "1"]
        assert [arrival.frame[14:] for arrival in arrivals] == packets
        assert all(one.time_ns <= other.time_ns for one, other in itertools.pairwise(arrivals))
        assert recorder.arrivals["generator", "0"] == []


@root
def test_a_recorder_that_missed_frames_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headroom.testbed.packet_socket.BUFFER", 1 << 12)
    monkeypatch.setattr("headroom.testbed.recorder.DRAIN_S", 1.0)
    with topology("loop") as made:
        with pytest.raises(RecordingGap, match="frames came too fast"), Recorder(made, [("generator", "1")]):
            send(made, "0", [ip(number, 1000) for number in range(100)])
        with pytest.raises(ZeroDivisionError), Recorder(made, [("generator", "1")]):
            send(made, "0", [ip(number, 1000) for number in range(100)])
            raise ZeroDivisionError


@root
def test_an_interface_that_is_not_there_cannot_be_recorded() -> None:
    with topology("loop") as made:
        seat = made.seats["generator"]
        interfaces.inside(seat.place.name, lambda: os.system("ip link del dev g0"))
        with pytest.raises(EnvironmentLacks, match="cannot be listened on"), Recorder(made, [("generator", "0")]):
            raise AssertionError("the block must not run")


@root
def test_round_trips_are_those_of_packets_that_come_back_as_they_were_answered() -> None:
    packets = [ip(number) for number in range(20)]
    with topology("loop") as made:
        trips = echo.round_trips(made, packets, [0.001] * len(packets), reply)
        assert all(trip.there_ns and trip.back_ns for trip in trips)
        assert all(trip.whole_ns == (trip.there_ns or 0) + (trip.back_ns or 0) for trip in trips)


@root
def test_a_packet_that_nobody_answers_has_no_round_trip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(echo, "DRAIN_S", 0.2)
    with topology("loop") as made:
        trips = echo.round_trips(made, [ip(1), ip(2)], [0.0, 0.0], lambda packet: b"\x45" + bytes(19))
        assert [trip.whole_ns for trip in trips] == [None, None], "what came back is no whole IP packet"
        assert all(trip.there_ns for trip in trips)
