# SPDX-License-Identifier: Apache-2.0
"""A user plane behind a program that changes what goes in and what comes out: freedoms that an implementation may
use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from headroom.core.implementations import find
from headroom.schemes.gtpu import judge, packets, user_plane
from headroom.schemes.gtpu.conformance.check import Check
from headroom.schemes.gtpu.conversation import Conversation, Facts, read_tunnelled
from headroom.schemes.gtpu.user_plane import N3, N6, N9, Outcome, Step, UserPlane

Incoming = Callable[[bytes, str], bytes | None]
Outgoing = Callable[[bytes, str], bytes | None]


class ChangedPlane:
    """`incoming` changes a packet, or drops it; `outgoing` likewise one that was sent."""

    def __init__(
        self,
        plane: UserPlane,
        incoming: Incoming = lambda octets, side: octets,
        outgoing: Outgoing = lambda octets, side: octets,
    ) -> None:
        self.plane, self.incoming, self.outgoing = plane, incoming, outgoing

    def packets(self, packets: Sequence[tuple[bytes, str]], time_ns: int | None = None) -> Step:
        ((octets, side),) = packets
        changed = self.incoming(octets, side)
        if changed is None:
            return Step((Outcome("NOTHING"),))
        return self._changed(self.plane.packets([(changed, side)], time_ns))

    def n4(self, octets: bytes, peer: str, port: int, time_ns: int | None = None) -> Step:
        return self._changed(self.plane.n4(octets, peer, port, time_ns))

    def repeat(self, octets: bytes, side: str, count: int, interval_ns: int, time_ns: int | None = None) -> Step:
        return self.plane.repeat(octets, side, count, interval_ns, time_ns)

    def advance(self, time_ns: int) -> Step:
        return self._changed(self.plane.advance(time_ns))

    def _changed(self, step: Step) -> Step:
        outcomes, taken = [], []
        for one in step.outcomes:
            octets = self.outgoing(one.octets, one.side) if one.status == "OK" else one.octets
            outcomes.append(Outcome("NOTHING") if octets is None else replace(one, octets=octets))
        for sent in step.taken:
            if (octets := self.outgoing(sent.octets, sent.side)) is not None:
                taken.append(replace(sent, octets=octets))
        return replace(step, outcomes=tuple(outcomes), taken=tuple(taken))


@contextmanager
def opened(build: str, associated: bool = True, **changes: Callable) -> Iterator[tuple[Conversation, Check]]:
    """A conversation with the reference behind such a program."""
    found = find("reference")
    facts = Facts.of(found)
    with user_plane.of_implementation(found, facts.config(), build) as plane:
        talk = Conversation(ChangedPlane(plane, **changes), facts)
        if associated:
            talk.associate()
        yield talk, Check("TS29281-5.1-1")


# ---- parts of changes


def payload_of(octets: bytes, side: str) -> bytes:
    """The GTP-U message of a packet on N3 or N9; b"" if there is none."""
    return packets.read_udp(octets).payload if side in (N3, N9) else b""


def with_payload(octets: bytes, payload: bytes) -> bytes:
    """The same packet with another GTP-U message."""
    one = packets.read_udp(octets)
    ends = (one.packet.source, one.packet.destination, one.source_port, one.destination_port)
    return packets.udp(*ends, payload, tos=one.packet.tos, ttl=one.packet.ttl)


def edited(kind: int, edit: Callable[[bytes], bytes]) -> Outgoing:
    """Changes messages of a type that are sent."""

    def change(octets: bytes, side: str) -> bytes:
        payload = payload_of(octets, side)
        return with_payload(octets, edit(payload)) if payload[1:2] == bytes([kind]) else octets

    return change


def dropping(test: Callable[[judge.Message, int], bool]) -> Incoming:
    """Drops G-PDUs that come and for which a test of the message and its flags is true."""

    def change(octets: bytes, side: str) -> bytes | None:
        payload = payload_of(octets, side)
        try:
            return None if payload and test(judge.read(payload), payload[0] & 7) else octets
        except judge.GtpuError:
            return octets

    return change


def with_port_of_flow(octets: bytes, side: str) -> bytes:
    """Sends G-PDUs from a port of the sender's choice."""
    payload = payload_of(octets, side)
    if payload[1:2] != bytes([judge.G_PDU]):
        return octets
    one = packets.read_udp(octets)
    return packets.udp(one.packet.source, one.packet.destination, 49152 + one.payload[-1], 2152, payload)


def hop_counted(octets: bytes, side: str) -> bytes:
    """Counts a hop on N6, as a router does."""
    if side != N6 or octets[0] >> 4 != 4:
        return octets
    head = bytearray(octets[:20])
    head[8] -= 1
    head[10:12] = b"\0\0"
    head[10:12] = packets.checksum(head).to_bytes(2, "big")
    return bytes(head) + octets[20:]


def numbered(octets: bytes, side: str) -> bytes:
    """Gives G-PDUs a sequence number."""
    found = read_tunnelled(octets, side) if side == N3 else None
    if found is None or not found.is_of(judge.G_PDU) or found.message is None:
        return octets
    chain = [packets.Extension(one.type, one.content) for one in found.message.extensions]
    message = packets.gtpu(judge.G_PDU, found.message.teid, found.message.inner, sequence=9, extensions=chain)
    return with_payload(octets, message)
