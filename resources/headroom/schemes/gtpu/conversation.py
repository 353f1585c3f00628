# SPDX-License-Identifier: Apache-2.0
"""A conversation with a user plane: a control plane, a base station, users and a data network in one object.

    talk = Conversation(plane, Facts(n4=True, features=("ftup",)))
    talk.associate()
    session = talk.establish()
    step = talk.uplink(session, talk.to_network(session))

A conversation builds and sends messages and packets; its callers judge the answers. A user plane without N4 has the
sessions of its configuration, and `establish` returns the first of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from headroom.core.capabilities import Inconclusive, Misbehaviour
from headroom.core.implementations import Implementation
from headroom.schemes.gtpu import judge, packets
from headroom.schemes.gtpu.packets import Extension
from headroom.schemes.gtpu.pfcp import elements, message
from headroom.schemes.gtpu.pfcp.message import Element, Message, PfcpError
from headroom.schemes.gtpu.pfcp.tables import Action, Cause, Ie, Interface, MessageType, ReportType
from headroom.schemes.gtpu.user_plane import N3, N6, N9, SENT, N4Sent, Sent, Step, UserPlane

CONTROL, CONTROL_PORT = "192.0.2.100", 8805
N4_HOST = "192.0.2.4"
N3_HOSTS = {4: "172.17.0.1", 6: "2001:db8:3::1"}  # of the user plane, by IP version
N9_HOSTS = {4: "172.18.0.1", 6: "2001:db8:9::1"}
ACCESS_HOSTS = {4: "172.16.0.1", 6: "2001:db8:16::1"}  # the base station
OTHER_HOSTS = {4: "172.18.0.2", 6: "2001:db8:9::2"}  # another user plane
NETWORK_HOSTS = {4: "198.51.100.10", 6: "2001:db8:100::10"}  # in the data network
NETWORK_PORT, USER_PORT = 443, 40000
FIRST_TEID = 0x00010001
# Of a user plane in a conversation, which needs a few reports; and one more each second, for heartbeats.
MOST_REQUESTS = 10_000
ECHOES_NS = 60_000_000_000  # at least so much time is between two Echo Requests on a path: TS 29.281, 7.2.1
QFI = 9
PREDEFINED = (
    {"name": "static-drop", "precedence": 10, "flow": "permit out udp from 198.51.100.66 53 to assigned"}
    | {"action": "drop"},
    {"name": "static-drop-more", "precedence": 20, "flow": "permit out udp from 198.51.100.67 53 to assigned"}
    | {"action": "drop"},
)
SECOND = 1_000_000_000
REQUESTS = (MessageType.SESSION_REPORT_REQUEST, MessageType.HEARTBEAT_REQUEST)  # of a user plane
ECHO_REQUEST = 1


@dataclass(frozen=True)
class Facts:
    """The declarations of a user plane: its features, and whether N4 controls it."""

    n4: bool = True
    features: tuple[str, ...] = ()

    @staticmethod
    def of(implementation: Implementation) -> Facts:
        declared = implementation.declared("gtpu")
        return Facts(bool(declared.get("n4", False)), tuple(declared.get("features", ())))

    def has_feature(self, feature: str) -> bool:
        return feature in self.features

    def config(self) -> dict[str, Any]:
        """The configuration of a user plane for a conversation."""
        versions = (4, 6) if self.has_feature("ipv6-transport") else (4,)
        config: dict[str, Any] = {"n3": _hosts(N3_HOSTS, versions)}
        if self.has_feature("n9"):
            config["n9"] = _hosts(N9_HOSTS, versions)
        if self.has_feature("predefined-rules"):
            config["predefined_rules"] = [dict(entry) for entry in PREDEFINED]
        if self.n4:
            return config | {"n4": {"address": N4_HOST}}
        first = {"count": 16, "teid": FIRST_TEID, "user": "10.45.0.1", "access": ACCESS_HOSTS[4]}
        return config | {"session_range": {**first, "access_teid": 0x0A000001, "qfi": QFI}}


def ends_of_tunnels(config: Mapping[str, Any]) -> list[str]:
    """The addresses of a user plane with this configuration at which tunnels end."""
    return [*config["n3"].values(), *config.get("n9", {}).values()]


def _hosts(hosts: Mapping[int, str], versions: Sequence[int]) -> dict[str, str]:
    return {f"ipv{version}": hosts[version] for version in versions}


@dataclass(frozen=True)
class Session:
    """A session. `teid` at `host` is the user plane's end of the tunnel, `access_teid` at `access` the base station's
    end. `seid` identifies the session at the user plane, `number` in the conversation.
    """

    number: int
    user: str
    access: str
    access_teid: int
    teid: int = 0
    host: str = ""
    seid: int = 0
    qfi: int | None = QFI
    answer: Message | None = field(default=None, compare=False, repr=False)

    @property
    def version(self) -> int:
        """The IP version of the user."""
        return 6 if ":" in self.user else 4

    @property
    def transport(self) -> int:
        """The IP version of the tunnel."""
        return 6 if ":" in self.access else 4


@dataclass(frozen=True)
class Tunnelled:
    """A GTP-U message as it was sent. `problem` says why the message or the datagram around it is not valid."""

    side: str
    datagram: packets.UdpDatagram
    message: judge.Message | None
    problem: str = ""

    def is_of(self, kind: int) -> bool:
        return self.message is not None and self.message.type == kind


class Conversation:
    """A conversation. `heard` are the requests that the user plane sent over N4, in order; `answers_reports` is True if
    they are answered at once, as a control plane does; `has_flooded` once there was a flood. Steps are without the Echo
    Requests that a user plane may send on its own: TS 29.281, 7.2.1. `unasked` are packets, End Markers aside, that it
    sent upon requests over N4 of which none lets packets go on, as a modification may."""

    def __init__(
        self, plane: UserPlane, facts: Facts, open_session: Callable[[Session], Session] | None = None
    ) -> None:
        """`open_session` makes a session of a user plane without N4, by default one of its configuration."""
        self.plane, self.facts = plane, facts
        self._open_session = open_session or configured_session
        self.now_ns = 0
        self.step = Step()  # of the last message over N4
        self.heard: list[Message] = []
        self.answers_reports = True
        self.has_flooded = False
        self.unasked: list[Sent] = []
        self._sequence = 0
        self._sessions = 0
        self._seids: dict[int, int] = {}  # the user plane's, by ours
        self._known: set[tuple[int, int]] = set()  # types and sequence numbers of `heard`
        self._requests = 0  # those that were sent again included
        self._echoes: dict[tuple[str, str], Sent] = {}  # the last one of a path, by its ends

    # ---- N4

    def exchange(self, octets: bytes, port: int = CONTROL_PORT) -> list[Message]:
        """Sends octets over N4 and returns what is sent back, unless it is a request. Raises PfcpError if that is no
        PFCP message, Misbehaviour if requests have no end."""
        self.step = self._without_echoes(self.plane.n4(octets, CONTROL, port, self.now_ns))
        return self._answers(self.step, port)

    def request(self, kind: int, *content: Element, seid: int | None = None) -> Message | None:
        """Sends a request and returns its answer; None if there is none. The sequence number must fit."""
        self._sequence += 1
        sent = Message(kind, self._sequence, tuple(content), seid)
        answers = self.exchange(sent.octets())
        if kind != MessageType.SESSION_MODIFICATION_REQUEST:
            self.unasked += [packet for packet in self.step.taken if not _ends_a_tunnel(packet)]
        return next((message for message in answers if message.sequence == self._sequence), None)

    def _answers(self, step: Step, port: int = CONTROL_PORT) -> list[Message]:
        """The messages of a step that are no requests, and that went to where the step's message came from. Answers the
        requests, those included that come in return."""
        answers, waiting = [], deque(step.n4)
        while waiting:
            sent = waiting.popleft()
            read = message.read(sent.octets)
            if read.type in REQUESTS:
                waiting += self._hear(read) if (sent.peer, sent.port) == (CONTROL, CONTROL_PORT) else ()
            elif (sent.peer, sent.port) == (CONTROL, port):
                answers.append(read)
        return answers

    def _hear(self, read: Message) -> tuple[N4Sent, ...]:
        """Answers a request, and returns what is sent in return."""
        # A request that is sent again has its sequence number (TS 29.244, 6.4).
        if (read.type, read.sequence) not in self._known:
            self._known.add((read.type, read.sequence))
            self.heard.append(read)
        self._requests += 1
        if self._requests > MOST_REQUESTS + self.now_ns // SECOND:
            within = f"within {self.now_ns / SECOND:g} s"
            raise Misbehaviour(f"It sent {self._requests} requests over N4 {within}, the last a {read.name}.")
        if not self.answers_reports:
            return ()
        if read.type == MessageType.HEARTBEAT_REQUEST:
            answer = Message(
                MessageType.HEARTBEAT_RESPONSE, read.sequence, (elements.recovery_time_stamp(3_900_000_000),)
            )
        else:
            cause = elements.number(Ie.CAUSE, Cause.REQUEST_ACCEPTED, 1)
            answer = Message(MessageType.SESSION_REPORT_RESPONSE, read.sequence, (cause,), self.seid_of(read))
        return self.plane.n4(answer.octets(), CONTROL, CONTROL_PORT, self.now_ns).n4

    def seid_of(self, report: Message) -> int:
        """The user plane's SEID of the session that a report is about; 0 if it is none of ours."""
        return self._seids.get(report.seid or 0, 0)

    def reports(self, kind: ReportType) -> list[Message]:
        """The Session Report Requests of a report type."""
        messages = [message for message in self.heard if message.type == MessageType.SESSION_REPORT_REQUEST]
        return [message for message in messages if (message.value(Ie.REPORT_TYPE) or 0) & kind]

    def usage_reports(self) -> list[Element]:
        """The usage reports that came in Session Report Requests."""
        return [
            element for report in self.reports(ReportType.USAGE) for element in report.all(Ie.USAGE_REPORT_IN_REPORT)
        ]

    def associate(self) -> Message | None:
        """Sets the association up, if N4 controls the user plane; else returns None."""
        if not self.facts.n4:
            return None
        stamp = elements.recovery_time_stamp(3_900_000_000)
        return self.request(MessageType.ASSOCIATION_SETUP_REQUEST, elements.node_id(CONTROL), stamp)

    def new_session(self, user: int = 4, transport: int = 4) -> Session:
        """A session that is not yet established, with users and tunnels of some IP versions."""
        self._sessions += 1
        number = self._sessions
        host = f"10.45.{number >> 8}.{number & 0xFF}" if user == 4 else f"2001:db8:45:{number:x}::"
        return Session(number, host, ACCESS_HOSTS[transport], 0x0A000000 + number)

    def pdi_up(self, session: Session, *more: Element) -> list[Element]:
        """The packet detection information of a session's uplink: tunnel and source address."""
        version = session.transport
        if session.teid:
            tunnel = elements.f_teid(session.teid, session.host)
        elif self.facts.has_feature("ftup"):
            tunnel = elements.choose_f_teid(version)
        else:
            tunnel = elements.f_teid(FIRST_TEID + session.number - 1, N3_HOSTS[version])
        user = elements.ue_ip_address(session.user, destination=False)
        return [elements.source_interface(Interface.ACCESS), tunnel, user, *more]

    def pdi_down(self, session: Session, *more: Element) -> list[Element]:
        user = elements.ue_ip_address(session.user, destination=True)
        return [elements.source_interface(Interface.CORE), user, *more]

    def plain_rules(self, session: Session, **more: Sequence[int]) -> list[Element]:
        """Rules by which everything of a user goes through both ways: PDRs and FARs 1 (up) and 2 (down), and QER 1 with
        the QFI of the downlink. `more` is `qers` and `urrs`, which both PDRs have, too."""
        removal = elements.REMOVE_IPV6 if session.transport == 6 else elements.REMOVE_IPV4
        marks = [1] if session.qfi is not None else []
        qers, urrs = list(more.get("qers", ())), more.get("urrs", ())
        rules = [
            elements.pdr(1, 100, self.pdi_up(session), far=1, removal=removal, qers=qers, urrs=urrs),
            elements.pdr(2, 100, self.pdi_down(session), far=2, qers=[*marks, *qers], urrs=urrs),
            elements.far(1, Action.FORWARD, Interface.CORE),
            self.far_down(session),
        ]
        return rules + ([elements.qer(1, qfi=session.qfi)] if marks else [])

    def far_down(self, session: Session, identifier: int = 2, **more: Any) -> Element:
        """The FAR towards the base station."""
        tunnel = {"teid": session.access_teid, "host": session.access}
        return elements.far(identifier, Action.FORWARD, Interface.ACCESS, **tunnel, **more)

    def ask_for(self, session: Session, rules: Sequence[Element]) -> Message | None:
        """A Session Establishment Request, and its answer."""
        seid = elements.f_seid(session.number, CONTROL)
        content = (elements.node_id(CONTROL), seid, *rules)
        return self.request(MessageType.SESSION_ESTABLISHMENT_REQUEST, *content, seid=0)

    def establish(
        self, rules: Sequence[Element] | None = None, session: Session | None = None, **more: Sequence[int]
    ) -> Session:
        """Establishes a session: by default one of `plain_rules`, with `more`. Raises Inconclusive if the user plane
        does not accept it: then there is nothing to judge."""
        session = session or self.new_session()
        if not self.facts.n4:
            return self._open_session(session)
        answer = self.ask_for(session, self.plain_rules(session, **more) if rules is None else rules)
        if answer is None or answer.value(Ie.CAUSE) != Cause.REQUEST_ACCEPTED:
            raise Inconclusive(f"The session was not established: {self.told(answer)}.")
        return self.established(session, answer)

    def established(self, session: Session, answer: Message) -> Session:
        """The session with the SEID and the tunnel endpoint that the answer to its establishment names. Raises
        PfcpError if the answer has no F-SEID, or an F-TEID without an address of the tunnel's IP version.
        """
        own = answer.find(Ie.F_SEID)
        if own is None:
            raise PfcpError("7.5.3.1", "A Session Establishment Response with success has no F-SEID.")
        seid = elements.read_f_seid(own).seid
        self._seids[session.number] = seid
        teid, host = FIRST_TEID + session.number - 1, N3_HOSTS[session.transport]
        for created in answer.all(Ie.CREATED_PDR):
            if tunnel := created.find(Ie.F_TEID):
                result = elements.read_f_teid(tunnel)
                teid, host = result.teid, result.host(session.transport)
                break
        return replace(session, teid=teid, host=host, seid=seid, answer=answer)

    def modify(self, session: Session, *content: Element) -> Message | None:
        return self.request(MessageType.SESSION_MODIFICATION_REQUEST, *content, seid=session.seid)

    def must_modify(self, session: Session, *content: Element) -> Message:
        """Raises Inconclusive if the user plane does not accept it."""
        answer = self.modify(session, *content)
        if answer is None or answer.value(Ie.CAUSE) != Cause.REQUEST_ACCEPTED:
            raise Inconclusive(f"The session was not modified: {self.told(answer)}.")
        return answer

    def delete(self, session: Session) -> Message | None:
        return self.request(MessageType.SESSION_DELETION_REQUEST, seid=session.seid)

    @staticmethod
    def told(answer: Message | None) -> str:
        """An answer in words, such as `the cause is 73 (Rule Failure)`."""
        if answer is None:
            return "there is no answer"
        cause = answer.value(Ie.CAUSE)
        if cause is None:
            return f"the {answer.name} has no cause"
        offending = answer.find(Ie.OFFENDING_IE)
        about = "" if offending is None else f", offending IE {offending.number()}"
        return f"the cause is {cause} ({message.name_of(cause, Cause, 'cause')}){about}"

    # ---- packets

    def to_network(self, session: Session, size: int = 64, port: int = NETWORK_PORT, **more: Any) -> bytes:
        """A user's UDP packet to the data network, with so many octets of payload."""
        user, network = user_host(session), NETWORK_HOSTS[session.version]
        return packets.udp(more.get("source", user), more.get("destination", network), USER_PORT, port, bytes(size))

    def to_user(self, session: Session, size: int = 64, port: int = NETWORK_PORT, **more: Any) -> bytes:
        """A packet of the data network to a user."""
        user, network = user_host(session), more.get("source", NETWORK_HOSTS[session.version])
        return packets.udp(network, user, port, USER_PORT, bytes(size), tos=more.get("tos", 0))

    def g_pdu(self, session: Session, packet: bytes, **more: Any) -> bytes:
        """A T-PDU of the base station as a GTP-U message, with a PDU session container where the session has a QFI.
        `more` is as for `packets.gtpu`."""
        chain: Sequence[Extension] = () if session.qfi is None else (packets.container(1, session.qfi),)
        more = {"extensions": chain} | more
        return packets.gtpu(judge.G_PDU, session.teid, packet, **more)

    def from_access(self, session: Session, payload: bytes, **more: Any) -> bytes:
        """A datagram of the base station to the user plane's end of the tunnel."""
        more = {"source_port": judge.PORT, "destination_port": judge.PORT} | more
        return packets.udp(session.access, session.host, payload=payload, **more)

    def uplink(self, session: Session, packet: bytes, **more: Any) -> Step:
        """Sends a user's packet in the tunnel; `more` is as for `packets.gtpu`."""
        return self.give(self.from_access(session, self.g_pdu(session, packet, **more)), N3)

    def downlink(self, packet: bytes) -> Step:
        return self.give(packet, N6)

    def give(self, octets: bytes, side: str) -> Step:
        """Gives the user plane a packet on a side. Takes the N4 messages that the user plane sends in the step."""
        return self.heeding(self.plane.packets([(octets, side)], self.now_ns))

    def flood(self, octets: bytes, side: str, count: int, interval_ns: int) -> Step:
        """Gives the user plane the same packet many times within some time."""
        self.has_flooded = True
        step = self.plane.repeat(octets, side, count, interval_ns, self.now_ns)
        self.now_ns = max(self.now_ns + count * interval_ns, step.time_ns)
        return self.heeding(step)

    def passed(self, step: Step, side: str) -> int:
        """How many packets of a flood on a side went on, those included that left later than they came in."""
        late = [packet for packet in step.taken if (packet.side == N6) != (side == N6)]
        return step.counts.get(SENT, 0) + len(late)

    def advance(self, seconds: float) -> Step:
        """Lets time pass."""
        self.now_ns += round(seconds * SECOND)
        return self.heeding(self.plane.advance(self.now_ns))

    def heeding(self, step: Step) -> Step:
        """Takes the N4 messages and the Echo Requests of a step, which is returned without the latter."""
        self._answers(step)
        return self._without_echoes(step)

    def _without_echoes(self, step: Step) -> Step:
        return replace(step, taken=tuple(packet for packet in step.taken if not self._may_be_an_echo(packet)))

    def _may_be_an_echo(self, packet: Sent) -> bool:
        """True for an Echo Request that comes no sooner than it may. One that is sent again is the same message."""
        if packet.side == N6 or not (read := read_tunnelled(packet.octets, packet.side)).is_of(ECHO_REQUEST):
            return False
        path = (read.datagram.packet.source, read.datagram.packet.destination)
        last = self._echoes.get(path)
        if last is not None and packet.time_ns < last.time_ns + ECHOES_NS:
            return _payload(last) == read.datagram.payload
        self._echoes[path] = packet
        return True


def configured_session(session: Session) -> Session:
    """The session of that number of the `session_range` that `Facts.config` asks for."""
    first = {"teid": FIRST_TEID + session.number - 1, "host": N3_HOSTS[4]}
    station = f"{ACCESS_HOSTS[4].rpartition('.')[0]}.{session.number}"
    return replace(session, access=station, access_teid=0x0A000000 + session.number, **first)


def user_host(session: Session) -> str:
    """An address of the session's user; of an IPv6 prefix, the address that ends with 1."""
    return f"{session.user}1" if session.version == 6 else session.user


def _payload(packet: Sent) -> bytes:
    return packets.read_udp(packet.octets).payload


def _ends_a_tunnel(packet: Sent) -> bool:
    return packet.side != N6 and read_tunnelled(packet.octets, packet.side).is_of(judge.END_MARKER)


def tunnelled(step: Step, side: str = "") -> list[Tunnelled]:
    """The GTP-U messages that were sent in a step, on a side or on both that have tunnels."""
    outputs = []
    for where in (N3, N9):
        if side in ("", where):
            outputs += [read_tunnelled(octets, where) for octets in step.sent(where)]
    return outputs


def read_tunnelled(octets: bytes, side: str = N3) -> Tunnelled:
    datagram = packets.read_udp(octets)
    if datagram.problem:
        return Tunnelled(side, datagram, None, datagram.problem)
    try:
        return Tunnelled(side, datagram, judge.read(datagram.payload))
    except judge.GtpuError as error:
        return Tunnelled(side, datagram, None, str(error))
