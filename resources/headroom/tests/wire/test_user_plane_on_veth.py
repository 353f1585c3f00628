# SPDX-License-Identifier: Apache-2.0
"""A user plane in a node between two veth pairs: N4, both directions, and the messages of a path."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from headroom.core.implementations import find
from headroom.core.run.run import Run
from headroom.schemes.gtpu import packets, wire_load, wire_plane
from headroom.schemes.gtpu.conversation import (
    ACCESS_HOSTS,
    N3_HOSTS,
    N4_HOST,
    NETWORK_HOSTS,
    OTHER_HOSTS,
    Conversation,
    Facts,
    tunnelled,
)
from headroom.schemes.gtpu.pfcp import elements
from headroom.schemes.gtpu.pfcp.tables import Cause, Ie, MessageType
from headroom.schemes.gtpu.user_plane import N3, N6
from headroom.testbed import choice, generator, netns
from headroom.testbed.generator import EmbeddedGenerator
from headroom.tests.runs import run_of

BUILD = "gcc-O2"
ECHO_REQUEST, ECHO_RESPONSE, ERROR_INDICATION = 1, 2, 26

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(netns.lacks() or choice.build_lacks(BUILD)), reason=netns.lacks() or choice.build_lacks(BUILD)
    ),
]


@pytest.fixture(scope="module")
def talk() -> Iterator[Conversation]:
    """A conversation with the reference, over the wire, that has an association."""
    reference = find("reference")
    facts = Facts.of(reference)
    peers = list(OTHER_HOSTS.values())
    with wire_plane.of_implementation(reference, facts.config(), n9_peers=peers, build=BUILD) as plane:
        talk = Conversation(plane, facts)
        answer = talk.associate()
        assert answer is not None
        assert answer.value(Ie.CAUSE) == Cause.REQUEST_ACCEPTED
        yield talk
        plane.end()
        assert plane.place["name"] == "netns"
        assert not any(plane.statistics["errors"][name] for name in ("malformed", "no_memory", "too_long"))


def test_uplink_and_downlink_of_a_session(talk: Conversation) -> None:
    session = talk.establish()
    up, down = talk.to_network(session, 700), talk.to_user(session, 1300)
    (arrived,) = talk.uplink(session, up).sent(N6)
    assert packets.differences(up, arrived) == ""
    (tunnel,) = tunnelled(talk.downlink(down), N3)
    assert tunnel.message is not None
    assert tunnel.message.teid == session.access_teid
    assert packets.differences(down, tunnel.message.inner) == ""


def test_users_of_ipv6(talk: Conversation) -> None:
    session = talk.establish(session=talk.new_session(user=6))
    up = talk.to_network(session)
    (arrived,) = talk.uplink(session, up).sent(N6)
    assert packets.differences(up, arrived) == ""
    assert tunnelled(talk.downlink(talk.to_user(session)), N3)


def test_an_echo_request_is_answered_and_an_unknown_tunnel_is_indicated(talk: Conversation) -> None:
    session = talk.establish()
    request = packets.gtpu(ECHO_REQUEST, 0, b"", sequence=77)
    (answer,) = tunnelled(talk.give(talk.from_access(session, request), N3))
    assert answer.message is not None
    assert (answer.message.type, answer.message.sequence) == (ECHO_RESPONSE, 77)
    talk.delete(session)
    (indication,) = tunnelled(talk.uplink(session, talk.to_network(session)))
    assert indication.is_of(ERROR_INDICATION)


def test_n4_comes_and_goes_by_udp(talk: Conversation) -> None:
    answer = talk.request(MessageType.HEARTBEAT_REQUEST, elements.recovery_time_stamp(3_900_000_000))
    assert answer is not None
    assert answer.type == MessageType.HEARTBEAT_RESPONSE


def test_what_a_step_takes_is_not_taken_from_the_next_wait() -> None:
    """A period of 10 s that began late in a step is over when the caller has let 10 s pass."""
    slow_s = 5
    plane = wire_plane.WireUserPlane(SimpleNamespace(bridged=False), None, N4_HOST)  # type: ignore[arg-type]
    plane._start_ns = time.monotonic_ns() - slow_s * 1_000_000_000
    assert plane.advance(50_000_000).time_ns >= slow_s * 1_000_000_000 + 50_000_000
    begin = time.monotonic()
    plane.advance(50_000_000)
    assert time.monotonic() - begin < 1, "no time has passed since"


def run() -> Run:
    return run_of(topology="netns", build=BUILD, quick=True)


CORES = tuple(sorted(os.sched_getaffinity(0)))


@pytest.mark.parametrize("profile", ["gtpu-imix", "upf-carrier"])
def test_packets_of_a_profile_go_through_sessions_both_ways(profile: str) -> None:
    with wire_load.line(run(), CORES[:1], "asked", profile, 20) as made:
        trial = made.trial(1000, 0.5)
        (worker,) = made.watched["compressor"].statistics()["workers"]
    assert [(one.received, one.lost, one.unexpected) for one in trial.directions] == [(500, 0, 0)] * 2
    assert worker["compressed"] == worker["decompressed"] == 1000  # with those that warmed up


@pytest.mark.skipif(not os.environ.get("TREX_ROOT"), reason="TREX_ROOT names no TRex")
@pytest.mark.skipif(len(CORES) < 2, reason="TRex needs a core beside the node's")
@pytest.mark.parametrize(
    ("codec", "profile"), [("asked", "gtpu-imix"), ("asked", "upf-carrier"), ("bridge", "gtpu-imix")]
)
def test_trex_sends_through_sessions_and_measures_latency(codec: str, profile: str) -> None:
    trex = run_of(topology="netns", generator="trex", build=BUILD, quick=True)
    with wire_load.line(trex, CORES[:1], codec, profile, 20) as made:  # packets are compared as it is made
        compared, trial = made.compared(1000, 0.5), made.trial(1000, 1)
        (worker,) = made.watched["compressor"].statistics()["workers"]
    assert [(one.compared, one.received, one.lost, one.unexpected) for one in compared.directions] == [
        (True, 500, 0, 0)
    ] * 2
    assert [(one.received, one.lost, one.unexpected) for one in trial.directions] == [(1000, 0, 0)] * 2
    assert all(one.latency is not None and one.latency.count == 100 for one in trial.directions)
    assert worker["compressed"] == worker["decompressed"]
    assert (worker["compressed"] > 2500) == (codec == "asked")


@pytest.mark.skipif(not os.environ.get("TREX_ROOT"), reason="TREX_ROOT names no TRex")
@pytest.mark.skipif(len(CORES) < 2, reason="TRex needs a core beside the node's")
@pytest.mark.parametrize("profile", ["gtpu-imix", "upf-carrier"])
def test_trex_sends_captures_through_sessions(profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator, "streams_for", lambda profile: None)
    trex = run_of(topology="netns", generator="trex", build=BUILD, quick=True)
    with wire_load.line(trex, CORES[:1], "asked", profile, 20) as made:
        trial = made.compared(1000, 0.5)
    assert [(one.compared, one.received, one.lost, one.unexpected) for one in trial.directions] == [
        (True, 500, 0, 0)
    ] * 2
    assert all("capture" in one.latency_missing for one in trial.directions)


def test_a_node_that_leaves_tunnels_as_they_are_forwards_nothing_that_was_expected() -> None:
    with wire_load.line(run(), CORES[:1], "bridge", "gtpu-imix", 20) as made:
        assert [one.lost for one in made.trial(1000, 0.2).directions] == [0, 0]
        assert isinstance(made.generator, EmbeddedGenerator)
        made.generator.common = {**made.generator.common, "tunnels": "ended"}
        trial = made.trial(1000, 0.2)
    assert [(one.received, one.lost) for one in trial.directions] == [(0, 200)] * 2
    assert all(one.unexpected >= 200 for one in trial.directions)


@pytest.mark.skipif(len(CORES) < 2, reason="two workers need two cores")
@pytest.mark.parametrize("distribution", ["queues", "hand-over"])
def test_queues_give_each_user_one_worker(distribution: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel's queues are those of the workers, so that none hands a packet over."""
    start = wire_plane.start
    monkeypatch.setattr(wire_plane, "start", lambda *given, **more: start(*given, distribution=distribution, **more))
    with wire_load.line(run(), CORES[:2], "asked", "gtpu-imix", 200) as made:
        trial = made.trial(2000, 0.5)
        workers = made.watched["compressor"].statistics()["workers"]
    assert [(one.lost, one.unexpected) for one in trial.directions] == [(0, 0)] * 2
    assert sum(one["compressed"] + one["decompressed"] for one in workers) == 4000
    assert all(one["compressed"] > 300 and one["decompressed"] > 300 for one in workers)
    handed_over = sum(one["handed_over"] for one in workers)
    assert handed_over == 0 if distribution == "queues" else handed_over > 500


@pytest.mark.long
@pytest.mark.skipif(len(CORES) < 2, reason="two workers need two cores")
@pytest.mark.parametrize(("rx_cores", "workers"), [(CORES[:1], CORES[1:2]), (CORES[:1], CORES[:2]), (CORES[:2],) * 2])
def test_receiving_cores_give_each_user_one_worker(
    rx_cores: tuple[int, ...], workers: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    start = wire_plane.start
    threads = {"rx_cores": rx_cores, "workers": workers, "idle": "sleep"}
    monkeypatch.setattr(wire_plane, "start", lambda *given, **more: start(*given, **{**more, **threads}))
    with wire_load.line(run(), CORES[:2], "asked", "gtpu-imix", 200, "rx-cores") as made:
        trial = made.trial(2000, 0.5)
        found = made.topology.crew.stop(made.watched["compressor"])
    assert [(one.lost, one.unexpected) for one in trial.directions] == [(0, 0)] * 2
    assert sum(one["compressed"] + one["decompressed"] for one in found["workers"]) == 4000
    assert all(one["compressed"] > 300 and one["decompressed"] > 300 for one in found["workers"])
    for side in ("plain", "link"):
        received = [one[side]["received"]["packets"] for one in found["rx_cores"]]
        assert sum(received) == sum(one[side]["received"]["packets"] for one in found["workers"]) >= 2000
        assert all(received) == (len(rx_cores) == 1), "of two, each serves one port"
    assert all(one["errors"] == {"hand_over_full": 0} and one["cpu_ns"] > 0 for one in found["rx_cores"])
    assert all(one["handed_over"] == 0 for one in found["workers"]), "users have come to the right worker"


def test_what_the_kernels_ring_has_no_room_for_is_counted() -> None:
    """A node that is stopped for a while takes nothing out of its ring, which has room for 8,192 frames."""
    room, burst = 8192, 64
    with wire_load.line(run(), CORES[:1], "asked", "gtpu-imix", 2) as made:
        node = made.watched["compressor"]
        frame = bytes.fromhex("ffffffffffff020000000001") + b"\x88\xb5" + bytes(46)
        with made.topology.packet_socket("generator", wire_plane.PORTS[N6][1]) as sender:
            os.killpg(node.process.pid, signal.SIGSTOP)  # it has a sandbox around it
            try:
                for number in range(2 * room):
                    sender.send(frame)
                    if number % burst == 0:  # what a busy kernel drops in front of the ring is none of its drops
                        time.sleep(0.001)
            finally:
                os.killpg(node.process.pid, signal.SIGCONT)
        place = made.topology.seats[wire_plane.ROLE].place.name
        words = ["ip", "-n", place, "-s", "-j", "link", "show", "plain"]
        (link,) = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
        ports = made.topology.crew.stop(node)["ports"]
    plain = ports["plain"]
    assert room / 2 < plain["missed"] <= room
    assert plain["missed"] + plain["received"]["packets"] == link["stats64"]["rx"]["packets"]
    assert ports["link"]["missed"] == 0


@pytest.mark.long
@pytest.mark.skipif(len(CORES) < 2, reason="two workers need two cores")
def test_queues_know_users_behind_optional_fields_and_one_extension_header() -> None:
    container = packets.container(1, 9)
    users = [*(f"10.45.0.{number}" for number in range(1, 33)), *(f"2001:db8:{number:x}::1" for number in range(1, 33))]
    with wire_load.line(run(), CORES[:2], "asked", "gtpu-imix", 2) as made:
        node = made.watched["compressor"]
        with wire_plane.WireUserPlane(made.topology, node, N4_HOST) as plane:

            def handed_over(**more: object) -> int:
                """How many G-PDUs of the users, which have no session, the workers have handed over so far."""
                inner = [packets.udp(user, NETWORK_HOSTS[6 if ":" in user else 4], 1, 2, b"") for user in users]
                whole = [packets.gtpu(255, 7, one, **more) for one in inner]  # type: ignore[arg-type]
                plane.packets([(packets.udp(ACCESS_HOSTS[4], N3_HOSTS[4], 1, 2152, one), N3) for one in whole])
                return sum(worker["handed_over"] for worker in node.statistics()["workers"])

            assert handed_over() == 0
            assert handed_over(sequence=7) == 0
            assert handed_over(extensions=[container]) == 0
            # The program of the queues looks behind one header: from there, the first worker hands packets over.
            assert 10 < handed_over(extensions=[container, container]) < len(users)
