# SPDX-License-Identifier: Apache-2.0
"""Two nodes on real interfaces: network namespaces on both sides, veth pairs, DPDK's drivers for them.

near:p - na:plain  na:link - nb:link  nb:plain - p:far

Four nodes in a row are a topology of the package (`headroom.testbed.carried`).
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from headroom.core import profiles
from headroom.testbed import carried, choice, echo
from headroom.testbed.generator import EmbeddedGenerator
from headroom.testbed.generator_session import GeneratorSession
from headroom.testbed.recorder import Recorder

ROOT = Path(__file__).resolve().parents[3]
ENGINE = Path(os.environ.get("HEADROOM_ENGINE", ROOT / "build" / "gcc-O2" / "bin" / "headroom-engine"))
LIBRARIES = ENGINE.parents[1] / "lib"
CORE = min(os.sched_getaffinity(0))
PLACES = ("near", "na", "nb", "far")
PATIENCE_S = 30


def missing() -> str | None:
    """What this machine lacks for these tests."""
    if not ENGINE.with_name("headroom-engine-wire").is_file():
        return f"there is no headroom-engine-wire beside {ENGINE}; install libdpdk-dev and build"
    if os.geteuid() != 0:
        return "network namespaces need root"
    return next((f"{tool} is not installed" for tool in ("ip", "ethtool") if shutil.which(tool) is None), None)


pytestmark = [pytest.mark.slow, pytest.mark.skipif(missing() is not None, reason=str(missing()))]


class Testbed:
    """Namespaces of this process in a row, and the nodes in the inner ones."""

    __test__ = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.nodes: dict[str, subprocess.Popen[bytes]] = {}

    def place(self, name: str) -> str:
        return f"hrnode-{os.getpid()}-{name}"

    def run(self, *command: str, place: str | None = None) -> subprocess.CompletedProcess[str]:
        inside = ["ip", "netns", "exec", self.place(place)] if place else []
        return subprocess.run([*inside, *command], capture_output=True, text=True, check=True, timeout=PATIENCE_S)

    def up(self) -> None:
        for place in PLACES:
            self.run("ip", "netns", "add", self.place(place))
            # Stray packets of IPv6 would be in everybody's counts.
            self.run("sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1", place=place)
        self.pair("near", "p", "na", "plain")
        self.pair("na", "link", "nb", "link")
        self.pair("nb", "plain", "far", "p")
        for place, address in (("near", "10.7.0.1/24"), ("far", "10.7.0.2/24")):
            self.run("ip", "address", "add", address, "dev", "p", place=place)

    def pair(self, one: str, interface: str, other: str, peer: str) -> None:
        self.run("ip", "link", "add", "name", interface, "type", "veth", "peer", "name", peer, "netns",
                 self.place(other), place=one)  # fmt: skip
        for place, name in ((one, interface), (other, peer)):
            self.run("ethtool", "-K", name, "tx", "off", "gso", "off", "tso", "off", "gro", "off", place=place)
            self.run("ip", "link", "set", "dev", name, "up", place=place)

    def start(self, driver: str, adapter: str | None, config: dict[str, Any], **more: Any) -> None:
        """Starts both nodes and waits until they forward. `of` has what one node's job has of its own, by its place."""
        side = (
            {"library": str(LIBRARIES / f"{adapter}.so"), "config": {"scheme": "rohc", **config}} if adapter else None
        )
        own = more.pop("of", {})
        for place in PLACES[1:-1]:
            job = {
                "plain": {"interface": "plain", "driver": driver},
                "link": {"interface": "link", "driver": driver},
                "compressor": side,
                "decompressor": side,
                "workers": [CORE],
                "idle": "sleep",
                "eal": {"huge": "never", "memory_mb": 64},
                "control": str(self.folder / place),
                **more,
                **own.get(place, {}),
            }
            path = self.folder / f"{place}.json"
            path.write_text(json.dumps(job))
            self.nodes[place] = subprocess.Popen(
                ["ip", "netns", "exec", self.place(place), ENGINE, "node", "--job", path],
                stdout=(self.folder / f"{place}.out").open("wb"),
                stderr=(self.folder / f"{place}.err").open("wb"),
            )
        deadline = time.monotonic() + PATIENCE_S
        while not all((self.folder / place).exists() for place in self.nodes):
            for place, node in self.nodes.items():
                assert node.poll() is None, (self.folder / f"{place}.out").read_text() + (
                    self.folder / f"{place}.err"
                ).read_text()
            assert time.monotonic() < deadline, "the nodes do not come up"
            time.sleep(0.05)

    def stop(self) -> tuple[dict[str, Any], ...]:
        """Ends the nodes; their only workers' results."""
        return tuple(self.stop_node(place) for place in list(self.nodes))

    def stop_node(self, place: str) -> dict[str, Any]:
        """Ends one node; its only worker's result."""
        node = self.nodes[place]
        node.send_signal(signal.SIGTERM)
        assert node.wait(timeout=PATIENCE_S) == 0
        del self.nodes[place]
        result: dict[str, Any] = json.loads((self.folder / f"{place}.out").read_text())["workers"][0]
        return result

    def down(self) -> None:
        for node in self.nodes.values():
            node.kill()
            node.wait()
        for place in PLACES:
            subprocess.run(["ip", "netns", "delete", self.place(place)], check=False, capture_output=True)


@pytest.fixture
def testbed(tmp_path: Path) -> Iterator[Testbed]:
    bed = Testbed(tmp_path)
    try:
        bed.up()
        yield bed
    finally:
        bed.down()


def can_xdp() -> bool:
    try:
        socket.socket(44, socket.SOCK_RAW).close()  # AF_XDP, which Python has no name for
    except OSError:
        return False
    return True


def ping(bed: Testbed, size: int) -> None:
    """Sends 5 echo requests with `size` octets of data, each when the one before has been answered.

    Not by ping(8): once it has an answer, it waits for the others for two round trips, whatever its -W says, and a
    busy machine is not a loss.
    """
    identifier = os.getpid() & 0xFFFF
    data = bytes(number % 256 for number in range(size))
    with socket_in(bed.place("near"), socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as near:
        near.connect(("10.7.0.2", 0))
        near.settimeout(PATIENCE_S)
        for sequence in range(5):
            near.send(echo_message(8, identifier, sequence, data))
            while near.recv(65536)[20:] != echo_message(0, identifier, sequence, data):
                pass


def echo_message(kind: int, identifier: int, sequence: int, data: bytes) -> bytes:
    """An Echo (8) or Echo Reply (0) Message (RFC 792)."""
    rest = struct.pack(">HH", identifier, sequence) + data
    checksum = internet_checksum(struct.pack(">BBH", kind, 0, 0) + rest)
    return struct.pack(">BBH", kind, 0, checksum) + rest


def internet_checksum(octets: bytes) -> int:
    octets += bytes(len(octets) % 2)
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def datagrams(bed: Testbed, sizes: list[int]) -> list[bytes]:
    """Sends a UDP datagram of each size from one end to the other; what arrives there, in order."""
    receiver, sender = (socket_in(bed.place(place), socket.AF_INET, socket.SOCK_DGRAM) for place in ("far", "near"))
    with receiver, sender:
        receiver.bind(("10.7.0.2", 5004))
        receiver.settimeout(PATIENCE_S)
        received = []
        for number, size in enumerate(sizes):
            sender.sendto(bytes([number % 256]) * size, ("10.7.0.2", 5004))
            received.append(receiver.recv(65536))
    return received


def converse(bed: Testbed) -> None:
    """Both ends send each other 20 datagrams in turns, in a new flow."""
    ends = tuple(socket_in(bed.place(place), socket.AF_INET, socket.SOCK_DGRAM) for place in ("near", "far"))
    with ends[0] as near, ends[1] as far:
        for end, address in ((near, "10.7.0.1"), (far, "10.7.0.2")):
            end.bind((address, 0))
            end.settimeout(PATIENCE_S)
        near.connect(far.getsockname())
        far.connect(near.getsockname())
        for number in range(20):
            for sender, receiver in ((near, far), (far, near)):
                sender.send(bytes([number]) * 100)
                assert receiver.recv(65536) == bytes([number]) * 100


def socket_in(namespace: str, *kind: int) -> socket.socket:
    """A socket of another namespace: it stays there when this thread has come back."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    try:
        set_namespace(there)
        return socket.socket(*kind)
    finally:
        set_namespace(home)
        os.close(home)
        os.close(there)


def set_namespace(descriptor: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, 0) != 0:
        raise OSError(ctypes.get_errno(), "setns")


@pytest.mark.parametrize("adapter", [None, "null", "reference"])
def test_ping_and_fragments_pass(testbed: Testbed, adapter: str | None) -> None:
    testbed.start("af_packet", adapter, {})
    for size in (10, 1472, 4000):  # the last goes in fragments
        ping(testbed, size)
    near, far = testbed.stop()
    for worker in (near, far):
        assert worker["passed"] >= 2  # ARP
        assert (worker["compressed"] > 0) == (adapter is not None)
        assert not any(worker["errors"].values())
    assert near["plain"]["received"] == far["plain"]["sent"]


@pytest.mark.parametrize("feedback", ["own", "piggybacked"])
def test_datagrams_arrive_as_they_were_sent_in_o_mode(testbed: Testbed, feedback: str) -> None:
    testbed.start("af_packet", "reference", {"mode": "O"}, feedback=feedback)
    sizes = [160] * 200 + [0, 1, 17, 18, 1400, 1472]
    assert datagrams(testbed, sizes) == [bytes([number % 256]) * size for number, size in enumerate(sizes)]
    ping(testbed, 100)
    deadline = time.monotonic() + PATIENCE_S
    # On a busy machine, feedback may have waited too long for something to travel with: so flow after flow.
    while feedback == "piggybacked" and not statistics(testbed, "nb")["feedback"]["piggybacked"]:
        assert time.monotonic() < deadline, "no feedback is piggybacked"
        converse(testbed)
    far = testbed.stop_node("nb")
    while (arrived := statistics(testbed, "na")["feedback"]["received"]) != sent_feedback(far):
        assert time.monotonic() < deadline + PATIENCE_S, (arrived, far["feedback"])
        time.sleep(0.05)
    near = testbed.stop_node("na")
    assert near["link"]["sent"]["octets"] < near["plain"]["received"]["octets"]
    assert (far["feedback"]["piggybacked"] > 0) == (feedback == "piggybacked")
    # The last may not have left when the far node was ended.
    assert 0 < near["statistics"]["compressor"]["acks"] <= far["statistics"]["decompressor"]["acks"]
    assert not any(near["errors"].values())
    assert not any(far["errors"].values())


def sent_feedback(worker: dict[str, Any]) -> int:
    """Messages of feedback that have left a node."""
    return int(worker["feedback"]["sent"]) + int(worker["feedback"]["piggybacked"])


@pytest.mark.parametrize("workers", [1, 2])
def test_tags_stay_whatever_the_channels_have(testbed: Testbed, workers: int) -> None:
    cores = sorted(os.sched_getaffinity(0))[:workers]
    if len(cores) < workers:
        pytest.skip(f"this machine has {len(cores)} cores")
    for place in ("na", "nb"):  # full frames with two tags
        testbed.run("ip", "link", "set", "dev", "link", "mtu", "1504", place=place)
    testbed.start("af_packet", "reference", {"mode": "O"}, workers=cores)
    sent = [udp_frame(flow, number, 100) for number in range(20) for flow in range(8)] + [udp_frame(1, 99, 1500)]
    assert sorted(through_tagged(testbed, sent, vid=7)) == sorted(sent)
    testbed.stop()


def udp_frame(flow: int, number: int, length: int) -> bytes:
    """An Ethernet frame without tag with a UDP packet of `length` octets."""
    header = struct.pack(">BBHHHBBH4s4s", 0x45, 0, length, number, 0, 64, 17, 0, b"\x0a\7\0\1", b"\x0a\7\0\2")
    ip = header[:10] + struct.pack(">H", internet_checksum(header)) + header[12:]
    payload = bytes([number]) * (length - 28)
    udp = struct.pack(">HHHH", 6000 + flow, 7000, length - 20, 0)
    return b"\2\0\0\0\0\2\2\0\0\0\0\1\x08\0" + ip + udp + payload


def through_tagged(bed: Testbed, frames: list[bytes], vid: int) -> list[bytes]:
    """Sends frames with a VLAN tag and returns those that arrive with it, without it."""
    raw = (socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))  # ETH_P_ALL
    sol_packet, packet_auxdata = 263, 8  # packet(7)
    with socket_in(bed.place("far"), *raw) as receiver, socket_in(bed.place("near"), *raw) as sender:
        receiver.bind(("p", 3))
        receiver.setsockopt(sol_packet, packet_auxdata, 1)
        receiver.settimeout(PATIENCE_S)
        sender.bind(("p", 3))
        arrived = []
        for frame in frames:
            sender.send(frame[:12] + struct.pack(">HH", 0x8100, vid) + frame[12:])
        while len(arrived) < len(frames):
            octets, ancillary, _, _ = receiver.recvmsg(4096, 256)
            # struct tpacket_auxdata: the kernel takes a frame's outer tag out and tells it there.
            tags = [struct.unpack("=3I4H", data[:20])[5] for _, _, data in ancillary]
            if tags == [vid]:
                arrived.append(octets)
        return arrived


def streams(**send: Any) -> dict[str, Any]:
    """Jobs of two nodes that send TS packets to each other: 7 in a datagram of UDP to a multicast group."""
    groups = {"na": "239.1.1.1", "nb": "239.1.1.2"}
    return {
        place: {
            "stream": {
                "send": {"address": groups[other], "port": 5000, "source": "10.9.0.1", **send},
                "receive": {"address": groups[place], "port": 5000},
            }
        }
        for place, other in (("na", "nb"), ("nb", "na"))
    }


TS = {"scheme": "ule", "mrru": 2000, "threshold_us": 500}


@pytest.mark.parametrize("rate_bps", [0, 8_000_000])
def test_frames_travel_in_a_transport_stream(testbed: Testbed, rate_bps: int) -> None:
    testbed.start("af_packet", "reference", TS, of=streams(rate_bps=rate_bps))
    with capturing(testbed, "na") as link:
        for size in (10, 1472, 4000):  # the last goes in fragments
            ping(testbed, size)
        sizes = [160] * 100 + [0, 1, 17, 18, 1400, 1472]
        assert datagrams(testbed, sizes) == [bytes([number % 256]) * size for number, size in enumerate(sizes)]
    near, far = testbed.stop()
    sent = [frame for frame in link if frame[12:14] == b"\x08\0" and frame[23] == 17]
    assert sent
    assert all((len(frame) - 42) % 188 == 0 and set(frame[42::188]) == {0x47} for frame in sent)
    assert {(len(frame) - 42) // 188 for frame in sent} <= ({7} if rate_bps else set(range(1, 8)))
    for one, other in ((near, far), (far, near)):
        assert one["stream"]["datagrams_sent"] > 0
        assert (one["stream"]["idle_sent"] > 0) == (rate_bps > 0)
        assert one["decompressed"] == other["compressed"] > 0
        assert not any(one["errors"].values())
        assert not any(one["stream"][cause] for cause in ("wrong_length", "lost_sync", "other_frames", "queue_full"))
        assert one["statistics"]["decompressor"]["continuity_errors"] == 0


@pytest.mark.long
def test_rohc_travels_in_bridged_frames_of_a_transport_stream() -> None:
    """The test-bed of a satellite link: compressor, encapsulator at 8 Mbit/s, receiver and decompressor, both ways."""
    rohc = {"scheme": "rohc", "mode": "U", "cids": "large", "max_cid": 100, "feedback": False}
    jobs = carried.CarriedJobs(both(rohc), both(TS | {"address": "absent"}), rate_bps=8_000_000)
    with choice.make("netns", carried.SHAPE, [CORE], str(ENGINE.parents[1])) as made:
        nodes = carried.start(made, jobs)
        trips = echo.round_trips(made, [udp_frame(0, number, 100)[14:] for number in range(20)], [0.02] * 20, answered)
        seat = made.seats["generator"]
        with GeneratorSession(made) as execute:
            ports = [seat.ports[name].as_job() for name in ("0", "1")]
            voice = EmbeddedGenerator(ports, profiles.load("voip-gsm-shared-ports-ipv4"), 10, run=execute)
            with Recorder(made, [("decapsulator", "link"), ("decompressor", "link")]) as recorder:
                trial = voice.trial(500, 2.0)
        workers = carried.stop(made, nodes)
    assert all(trip.whole_ns for trip in trips)
    assert [(way.lost, way.unexpected) for way in trial.directions] == [(0, 0), (0, 0)]
    assert [one for one in carried.losses(workers) if not one.endswith(" late")] == []  # nor is a busy machine a loss
    assert all(arrival.frame[12:14] == b"\x22\xf1" for arrival in recorder.arrivals["decompressor", "link"])
    datagrams = [carried.link_packets(arrival.frame, 188) for arrival in recorder.arrivals["decapsulator", "link"]]
    assert {len(datagram) for datagram in datagrams} == {7}
    assert {packet[0] for datagram in datagrams for packet in datagram} == {0x47}
    for one, other in (("compressor", "decompressor"), ("encapsulator", "decapsulator")):
        assert workers[one]["compressed"] == workers[other]["decompressed"] >= trial.sent / 2
        assert workers[other]["compressed"] == workers[one]["decompressed"] >= trial.sent / 2
    assert workers["encapsulator"]["stream"]["idle_sent"] > 0


def both(config: dict[str, Any]) -> dict[str, Any]:
    side = {"library": str(LIBRARIES / "reference.so"), "config": config}
    return {"compressor": side, "decompressor": side}


def answered(packet: bytes) -> bytes:
    """The same UDP packet, back to where it came from; the sum of its header stays."""
    return packet[:12] + packet[16:20] + packet[12:16] + packet[20:]


def test_what_is_no_datagram_of_the_stream_is_counted_by_its_reason(testbed: Testbed) -> None:
    testbed.start("af_packet", "reference", TS, of=streams())
    good = b"\x47\x1f\xff\x10" + b"\xff" * 184
    with socket_in(testbed.place("na"), socket.AF_PACKET, socket.SOCK_RAW) as link:
        link.bind(("link", 0))
        for payload in (good, good * 7, good[:-1], good * 2 + b"x", b"\x48" + good[1:], good + b"\0" * 188):
            link.send(stream_frame(payload, 5000))
        link.send(stream_frame(good, 5001))
    deadline = time.monotonic() + PATIENCE_S
    while (seen := statistics(testbed, "nb")["stream"])["other_frames"] < 1:
        assert time.monotonic() < deadline, seen
        time.sleep(0.05)
    ping(testbed, 100)
    _, far = testbed.stop()
    assert (far["stream"]["wrong_length"], far["stream"]["lost_sync"], far["stream"]["other_frames"]) == (2, 2, 1)
    assert far["statistics"]["decompressor"]["other_pids"] == 8


def stream_frame(payload: bytes, port: int) -> bytes:
    """A frame to the group of the far node."""
    udp = struct.pack(">HHHH", 5000, port, 8 + len(payload), 0) + payload
    header = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 1, 0, 16, 17, 0, b"\x0a\x09\0\1", b"\xef\1\1\2")
    header = header[:10] + struct.pack(">H", internet_checksum(header)) + header[12:]
    return b"\1\0\x5e\1\1\2\2\0\0\0\0\1\x08\0" + header + udp


def statistics(bed: Testbed, place: str) -> dict[str, Any]:
    """What the only worker of a running node has counted so far."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as control:
        control.settimeout(PATIENCE_S)
        control.connect(str(bed.folder / place))
        octets = b""
        while more := control.recv(65536):
            octets += more
    return json.loads(octets)["workers"][0]


@contextmanager
def capturing(bed: Testbed, place: str) -> Iterator[list[bytes]]:
    """The frames that pass the link interface of a node, complete when the block has ended."""
    frames: list[bytes] = []
    with socket_in(bed.place(place), socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as link:  # ETH_P_ALL
        link.bind(("link", 3))
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        yield frames
        link.setblocking(False)
        try:
            while True:
                frames.append(link.recv(65536))
        except BlockingIOError:
            return


@pytest.mark.skipif(not can_xdp(), reason="this kernel has no sockets of AF_XDP")
def test_af_xdp_carries_the_same(testbed: Testbed) -> None:
    testbed.start("af_xdp", "reference", {"mode": "O"})
    for size in (10, 1472, 4000):
        ping(testbed, size)
    near, far = testbed.stop()
    assert near["compressed"] == far["decompressed"] > 0
    assert near["plain"]["received"] == far["plain"]["sent"]


def test_a_node_whose_interface_goes_ends_with_the_reason(testbed: Testbed) -> None:
    testbed.start("af_packet", "null", {})
    testbed.run("ip", "link", "delete", "dev", "link", place="na")
    assert testbed.nodes["na"].wait(timeout=PATIENCE_S) == 1
    error = json.loads((testbed.folder / "na.out").read_text())["error"]
    assert error["kind"] == "input"
    assert error["where"] == "/link"
    assert "has gone" in error["message"]
