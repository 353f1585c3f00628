# SPDX-License-Identifier: Apache-2.0
"""A user plane under load on the wire: a node between N3 and N6 with sessions by N4, and the generator at both ends.

A profile of packets in GTP-U gives the users and their tunnels. Uplink packets are sent in tunnels and arrive without
them; downlink packets are sent without tunnels and arrive in the tunnel of the user's session.
"""

from __future__ import annotations

import ipaddress
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from headroom.bench.throughput_search import SearchConfig
from headroom.core import engine, profiles
from headroom.core.capabilities import Inconclusive
from headroom.core.run.run import Run
from headroom.core.workload import COPIES
from headroom.schemes.gtpu import judge, packets, wire_plane
from headroom.schemes.gtpu.conversation import CONTROL, CONTROL_PORT, N4_HOST, Conversation, Facts, Session
from headroom.schemes.gtpu.pfcp import elements, message
from headroom.schemes.gtpu.pfcp.message import Message, PfcpError
from headroom.schemes.gtpu.pfcp.tables import Cause, Ie, MessageType
from headroom.schemes.gtpu.user_plane import N3, N6
from headroom.schemes.gtpu.wire_plane import Distribution
from headroom.testbed import choice
from headroom.testbed.captures import read, records
from headroom.testbed.line import Codec, Line, node_job
from headroom.testbed.sender import sender
from headroom.testbed.tunnel_path import TunnelPath

BRIDGE = "bridge"
ETHERNET = 14
ENDS = (wire_plane.PORTS[N3][1], wire_plane.PORTS[N6][1])  # the generator's first port is at N3: forward is uplink
BURST = 50  # session requests that are sent before their answers are read
FIRST_SEQUENCE = 1000  # of them, above those of the association
# Every flow sends in the first interval, but where its connections are silent in one direction.
SHOWN_INTERVALS = (1, 24, 96)


@dataclass(frozen=True)
class UserPlaneSearch(SearchConfig):
    """A search for the throughput of a user plane; `flows` are its active users. The bare bridge beside it uses its
    cores by `queues` in any case."""

    distribution: Distribution = "queues"

    @property
    def words(self) -> str:
        return "" if self.distribution == "queues" else self.distribution

    def of_controls(self) -> UserPlaneSearch:
        return replace(self, channel=COPIES, distribution="queues")

    def line(self, codec: Codec) -> AbstractContextManager[Line]:
        return line(self.run, self.cores, codec, self.profile, self.flows, self.distribution)

    def conditions(self, codec: Codec) -> dict[str, Any]:
        return super().conditions(codec) | {"tunnels": "ended", "distribution": self.distribution}


def sessions_of(profile: str, flows: int, seed: int, build: str) -> list[Session]:
    """The sessions of the users whose packets a profile holds, as its packets of both directions show them. Raises
    Inconclusive where some users are not shown."""
    sessions: list[Session] = []
    for intervals in SHOWN_INTERVALS:
        sessions = _sessions_shown(profile, flows, seed, build, intervals)
        if len(sessions) == flows:
            return sessions
    raise Inconclusive(
        f"Of {flows} users, {profile} shows {len(sessions)} in its first {SHOWN_INTERVALS[-1]} intervals."
    )


def _sessions_shown(profile: str, flows: int, seed: int, build: str, intervals: int) -> list[Session]:
    access_teids: dict[str, int] = {}
    sessions: dict[int, Session] = {}
    for is_downlink in (True, False):
        for octets in _first_packets(profile, flows, seed, build, is_downlink, intervals):
            outer = packets.read_udp(octets)
            tunnelled = judge.read(outer.payload)
            inner = packets.read_ip(tunnelled.inner)
            user = _user(inner.destination if is_downlink else inner.source)
            if is_downlink:
                access_teids[user] = tunnelled.teid
            elif tunnelled.teid not in sessions and user in access_teids:
                tunnel = (tunnelled.teid, outer.packet.destination)
                sessions[tunnelled.teid] = Session(
                    len(sessions) + 1, user, outer.packet.source, access_teids[user], *tunnel
                )
    return list(sessions.values())


def _first_packets(
    profile: str, flows: int, seed: int, build: str, is_downlink: bool, intervals: int
) -> Iterator[bytes]:
    """Packets of a profile in its first intervals, without their payloads."""
    loaded = profiles.load(profile)
    for variant in loaded["variants"]:
        variant["payload"]["length"] = 0
    longest_ms = max(entry["timing"]["interval_ms"] for entry in loaded["variants"])
    with tempfile.TemporaryDirectory(prefix="headroom-") as folder:
        path = Path(folder) / "first.pcap"
        job = {"profile": loaded, "flows": flows, "seed": seed, "reverse": is_downlink, "output": str(path)}
        limit = {"duration_s": intervals * longest_ms / 1000, "frames": "ethernet"}
        engine.run("render", job | limit, build=build)
        yield from (frame[ETHERNET:] for _, frame in records(read(path)))


def _user(address: str) -> str:
    """A user's address as sessions have it: of IPv6, the prefix (TS 23.501, 5.8.2.2.3)."""
    return str(ipaddress.ip_network(f"{address}/64", strict=False)[0]) if ":" in address else address


def establish(plane: wire_plane.WireUserPlane, facts: Facts, sessions: Sequence[Session]) -> dict[int, int]:
    """Establishes sessions; returns the TEIDs that the user plane has chosen, by those of the profile. Raises
    Inconclusive where a session is not accepted."""
    try:
        return _chosen(plane, Conversation(plane, facts), sessions)
    except PfcpError as error:
        raise Inconclusive(f"The octets received over N4 are no PFCP message: {error}") from error


def _chosen(plane: wire_plane.WireUserPlane, talk: Conversation, sessions: Sequence[Session]) -> dict[int, int]:
    talk.associate()
    teids: dict[int, int] = {}
    for first in range(0, len(sessions), BURST):
        burst = {FIRST_SEQUENCE + session.number: session for session in sessions[first : first + BURST]}
        answers: dict[int, Message] = {}
        step = plane.n4_burst([_request(talk, *pair) for pair in burst.items()], CONTROL, CONTROL_PORT)
        until = time.monotonic() + wire_plane.PATIENCE_S
        while True:
            answers |= {
                answer.sequence: answer for answer in (message.read(n4_message.octets) for n4_message in step.n4)
            }
            if burst.keys() <= answers.keys() or time.monotonic() > until:
                break
            step = plane.advance(0)  # another worker than that of N4 may have answered address resolution
        for sequence, session in burst.items():
            answer = answers.get(sequence)
            if answer is None or answer.value(Ie.CAUSE) != Cause.REQUEST_ACCEPTED:
                raise Inconclusive(f"The session was not established: {talk.told(answer)}.")
            teids[session.teid] = talk.established(session, answer).teid
    return teids


def _request(talk: Conversation, sequence: int, session: Session) -> bytes:
    """A Session Establishment Request. A user plane that can choose TEIDs has to (TS 29.244, 5.5.3)."""
    asked = replace(session, teid=0) if talk.facts.has_feature("ftup") else session
    content = (elements.node_id(CONTROL), elements.f_seid(session.number, CONTROL), *talk.plain_rules(asked))
    return Message(MessageType.SESSION_ESTABLISHMENT_REQUEST, sequence, content, 0).octets()


@contextmanager
def line(
    run: Run, cores: tuple[int, ...], codec: Codec, profile: str, users: int, distribution: Distribution = "queues"
) -> Iterator[Line]:
    """A line with the user plane under test, or with a bare bridge in its place. With rx-cores the first of `cores`
    receives. Raises NotOnThisTopology or EnvironmentLacks if there are no interfaces, EngineFailure if the node has
    ended."""
    more = 1 if run.generator == "trex" else 0  # TRex measures latency with one more flow, which needs a session
    with choice.make(run.topology, wire_plane.SHAPE, cores, run.build, run.generator) as topology:
        path = TunnelPath("kept")
        if codec == BRIDGE:
            node = topology.start_node(wire_plane.ROLE, node_job(run, BRIDGE))
            topology.crew.wait_until_ready()
        else:
            implementation = run.compressor
            facts = Facts.of(implementation)
            threads = wire_plane.threads(distribution, topology.seats[wire_plane.ROLE].cores)
            node = wire_plane.start(topology, implementation, facts.config() | {"seed": run.seed}, run.build, **threads)
            with wire_plane.WireUserPlane(topology, node, N4_HOST) as plane:
                teids = establish(plane, facts, sessions_of(profile, users + more, run.seed, run.build))
            path = TunnelPath("ended", tuple(teids.items()), endpoint_and_user)
        with sender(run, topology, profile, users, True, path, ENDS) as generator:
            yield Line(topology, generator, {wire_plane.ROLE: node})


def endpoint_and_user(packet: bytes) -> bytes:
    """The TEID and the user's packet of a G-PDU; another packet as it is."""
    try:
        result = judge.read(packets.read_udp(packet).payload)
    except judge.GtpuError:
        return packet
    return result.teid.to_bytes(4, "big") + result.inner if result.type == judge.G_PDU else packet
