# SPDX-License-Identifier: Apache-2.0
"""Judges the packets that a user plane sends: a Check collects findings, each with the requirement that it violates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from headroom.core.finding import Finding
from headroom.schemes.gtpu import judge, packets
from headroom.schemes.gtpu.conversation import Conversation, Session, Tunnelled, read_tunnelled, tunnelled
from headroom.schemes.gtpu.pfcp import message
from headroom.schemes.gtpu.pfcp.message import Message
from headroom.schemes.gtpu.pfcp.tables import Cause, Ie
from headroom.schemes.gtpu.user_plane import N3, N6, N9, Step

PSC = judge.PDU_SESSION_CONTAINER


@dataclass
class Check:
    """The findings of a case. `requirement` is the requirement of findings that name none of their own."""

    requirement: str = ""
    findings: list[Finding] = field(default_factory=list)

    def expect(self, met: bool, otherwise: str, requirement: str = "") -> bool:
        """Notes a finding unless an expectation is met. Returns True if it is."""
        if not met:
            self.findings.append(Finding(otherwise, requirement or self.requirement))
        return met

    # ---- packets

    def uplink(self, step: Step, packet: bytes, requirement: str = "") -> None:
        """Notes a finding unless a step sent exactly one packet to the data network: the user's packet, unchanged."""
        came = step.sent(N6)
        self.nowhere_else(step, N6, requirement)
        if not self.expect(len(came) == 1, f"{_packets(came)} went to the data network{_why(step)}", requirement):
            return
        if different := packets.differences(packet, came[0]):
            self.expect(False, f"The user's packet was changed: {different}.", requirement)

    def dropped(self, step: Step, requirement: str = "", side: str = N6) -> None:
        """Notes a finding if a step sent a packet on a side, or a user's packet on another. Messages that answer a
        dropped packet are none of these: GTP-U messages of other types, and ICMP in the data network."""
        came = step.sent(side)
        self.expect(not came, f"{_packets(came)} went on to {side}, but the packet must be dropped.", requirement)
        astray = [
            octets for other in (N3, N6, N9) if other != side for octets in step.sent(other) if _is_users(octets, other)
        ]
        sentence = f"{_packets(astray)} went on to another side than {side}, but the packet must be dropped."
        self.expect(not astray, sentence, requirement)

    def silent(self, step: Step, requirement: str = "") -> None:
        """Notes a finding if a step sent anything on any side."""
        came = step.sent()
        self.expect(not came, f"{_packets(came)} came, but none is expected.", requirement)

    def downlink(
        self, step: Step, session: Session, packet: bytes, requirement: str = "", side: str = N3
    ) -> Tunnelled | None:
        """A packet of the data network went into the session's tunnel, once and alone."""
        outputs = tunnelled(step, side)
        self.nowhere_else(step, side, requirement)
        if not self.expect(
            len(outputs) == 1, f"{_count(outputs, 'packet')} went into the tunnel{_why(step)}", requirement
        ):
            return None
        return self.g_pdu(outputs[0], session, packet, requirement)

    def nowhere_else(self, step: Step, side: str, requirement: str) -> None:
        """Notes a finding if a step sent packets on other sides than this one."""
        others = [octets for other in (N3, N6, N9) if other != side for octets in step.sent(other)]
        self.expect(not others, f"Not on {side}, {_packets(others)} came, but none is expected.", requirement)

    def nothing_late(self, talk: Conversation, requirement: str = "") -> None:
        """Notes a finding if a user plane sent packets that nothing called for: upon requests over N4, or after the
        last step. Those of a flood it may hold back."""
        unasked = [packet.octets for packet in talk.unasked]
        sentence = f"{_packets(unasked)} came upon requests over N4, but none is expected."
        self.expect(not unasked, sentence, requirement)
        if talk.has_flooded:
            return
        came = talk.advance(1).sent()
        sentence = f"{_packets(came)} came within 1 s after the last step, but none is expected."
        self.expect(not came, sentence, requirement)

    def g_pdu(self, output: Tunnelled, session: Session, packet: bytes, requirement: str = "") -> Tunnelled | None:
        """A G-PDU of the user plane has a packet, and is what its specifications say."""
        if not self.expect(
            output.is_of(judge.G_PDU), f"The message sent is no G-PDU: {output.problem or _name(output)}", requirement
        ):
            return None
        assert output.message is not None
        outer, read = output.datagram.packet, output.message
        to = (outer.destination, read.teid)
        wanted = (session.access, session.access_teid)
        self.expect(to == wanted, f"It went to {_end(to)}, and the rule says {_end(wanted)}.", "TS29244-8.2.26-2")
        self.expect(outer.source == session.host, f"It came from {outer.source}, not from {session.host}.", requirement)
        self.expect(output.datagram.destination_port == judge.PORT, _port(output), "TS29281-4.4.2.3-1")
        self.expect(not outer.is_fragment, "The datagram is a fragment.", requirement)
        self.octets(output)
        self.expect(read.sequence is None, "A G-PDU has a sequence number.", "TS29281-5.1-9")
        if different := packets.differences(packet, read.inner):
            self.expect(False, f"The user's packet was changed: {different}.", requirement)
        if session.qfi is not None:
            self.container(read, session.qfi)
        return output

    def chosen(self, session: Session, hosts: Collection[str], requirement: str = "TS29244-5.5.1-1") -> bool:
        """The tunnel endpoint of a session is one that the user plane can have chosen: at an address of its own."""
        end = f"The F-TEID is {session.teid:#x} at '{session.host}'"
        return self.expect(session.teid != 0, f"{end}.", requirement) and self.expect(
            session.host in hosts, f"{end}; the addresses of the user plane are {', '.join(hosts)}.", requirement
        )

    def container(self, read: judge.Message, qfi: int, rqi: int | None = None) -> None:
        """A G-PDU of the downlink has its PDU session container."""
        types = [extension.type for extension in read.extensions]
        if not self.expect(PSC in types, "The G-PDU has no PDU session container.", "TS29281-5.2.2.7-1"):
            return
        first = types.count(PSC) == 1 and types[0] == PSC
        self.expect(first, f"The extension headers are {_types(types)}.", "TS29281-5.2.2.7-2")
        container = read.container
        assert container is not None
        self.expect(
            container.pdu_type == 0, f"The PDU type is {container.pdu_type} in the downlink.", "TS38415-5.5.2.1-1"
        )
        self.expect(container.qfi == qfi, f"The QFI is {container.qfi}, and the rule says {qfi}.", "TS38415-5.4.1.1-1")
        content = next(extension.content for extension in read.extensions if extension.type == PSC)
        spare = content[0] & 0x01
        self.expect(not spare, "A spare bit of the PDU session container is 1.", "TS38415-5.5.3.2-1")
        if rqi is not None:
            self.expect(
                container.rqi == rqi, f"The RQI is {container.rqi}, and the rule says {rqi}.", "TS38415-5.4.1.1-2"
            )

    def octets(self, output: Tunnelled) -> None:
        """Flags and unused fields of a message that the user plane sent, and the layers below it."""
        octets = output.datagram.payload
        assert output.message is not None
        self.expect(not octets[0] & packets.SPARE, "The spare flag is 1.", "TS29281-5.1-7")
        flags = octets[0] & 7
        if flags:
            unused = b"" if flags & packets.S else octets[8:10]
            unused += b"" if flags & packets.PN else octets[10:11]
            unused += b"" if flags & packets.E else octets[11:12]
            self.expect(not any(unused), f"Optional fields without a flag are {unused.hex()}.", "TS29281-5.1-5")

    def signalling(self, output: Tunnelled, kind: int, requirement: str) -> judge.Message | None:
        """The message in an output, if it has the type `kind`; else notes a finding and returns None. Checks the fields
        that all messages of the type have.
        """
        name = judge.MESSAGES[kind]
        if not self.expect(
            output.is_of(kind), f"The message sent is no {name}: {output.problem or _name(output)}", requirement
        ):
            return None
        assert output.message is not None
        self.octets(output)
        if kind in judge.WITH_SEQUENCE:
            self.expect(output.message.sequence is not None, f"The {name} has no sequence number.", "TS29281-5.1-8")
            self.expect(
                output.message.teid == 0, f"The {name} has the TEID {output.message.teid:#x}.", "TS29281-5.1-11"
            )
        return output.message

    # ---- N4

    def expect_accepted(self, answer: Message | None, requirement: str) -> bool:
        good = answer is not None and answer.value(Ie.CAUSE) == Cause.REQUEST_ACCEPTED
        return self.expect(good, f"The request was not accepted: {Conversation.told(answer)}.", requirement)

    def expect_rejected(self, answer: Message | None, requirement: str, cause: Cause | None = None) -> bool:
        """Expects that a request was answered with a cause of rejection; `cause` is the required one, if any."""
        value = None if answer is None else answer.value(Ie.CAUSE)
        good = value is not None and value >= Cause.REQUEST_REJECTED and cause in (None, value)
        wanted = "a cause of rejection" if cause is None else f"{int(cause)} ({message.name_of(cause, Cause, '')})"
        sentence = f"The request must be rejected with {wanted}, but {Conversation.told(answer)}."
        return self.expect(good, sentence, requirement)


@dataclass(frozen=True)
class Story:
    """A case as a function that makes its steps. It needs N4, unless `n4` is False, and some features."""

    tell: Callable[[Conversation, Check], None]
    features: tuple[str, ...] = ()
    n4: bool = True
    associated: bool = True  # before it begins
    fragmented: bool = False  # it sends fragments, which some bridges put together before a user plane sees them


Stories = dict[str, Story]


def story(
    stories: Stories, name: str, *features: str, n4: bool = True, associated: bool = True, fragmented: bool = False
) -> Callable[[Callable[[Conversation, Check], None]], Callable[[Conversation, Check], None]]:
    """Adds a function to some stories."""

    def add(tell: Callable[[Conversation, Check], None]) -> Callable[[Conversation, Check], None]:
        stories[name] = Story(tell, features, n4, associated, fragmented)
        return tell

    return add


def _is_users(octets: bytes, side: str) -> bool:
    """True if a packet that was sent on a side carries a user's packet."""
    if side == N6:
        return packets.read_ip(octets).protocol not in (packets.ICMP, packets.ICMPV6)
    return read_tunnelled(octets, side).is_of(judge.G_PDU)


def _packets(results: Sequence[bytes]) -> str:
    return _count(results, "packet")


def _count(results: Sequence[object], what: str) -> str:
    return f"no {what}" if not results else f"{len(results)} {what}{'s' if len(results) > 1 else ''}"


def _why(step: Step) -> str:
    """The adapter's own reason for packets that were not passed on, after a colon."""
    reasons = [f"{outcome.status} ({outcome.reason})" for outcome in step.outcomes if outcome.status != "OK"]
    return f": {', '.join(reasons)}." if reasons else "."


def _name(output: Tunnelled) -> str:
    return output.message.name if output.message else "nothing"


def _end(end: tuple[str, int]) -> str:
    return f"TEID {end[1]:#010x} at {end[0]}"


def _port(output: Tunnelled) -> str:
    return f"It went to UDP port {output.datagram.destination_port}."


def _types(types: Sequence[int]) -> str:
    return ", ".join(f"{number:#04x}" for number in types)
