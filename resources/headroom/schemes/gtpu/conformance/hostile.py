# SPDX-License-Identifier: Apache-2.0
"""Hostile packets and N4 messages. Whatever comes of each: the adapter neither crashes nor breaks a promise, no packet
earns more than one answer, and sessions work afterwards as before, old ones and new ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from headroom.schemes.gtpu import judge, packets
from headroom.schemes.gtpu.conformance.check import Check
from headroom.schemes.gtpu.conformance.gtpu_stories import both_ways
from headroom.schemes.gtpu.conversation import (
    ACCESS_HOSTS,
    CONTROL,
    N3_HOSTS,
    NETWORK_HOSTS,
    Conversation,
    Session,
)
from headroom.schemes.gtpu.packets import Extension
from headroom.schemes.gtpu.pfcp import elements
from headroom.schemes.gtpu.pfcp.message import Element, Message, PfcpError, group
from headroom.schemes.gtpu.pfcp.tables import Action, Ie, Interface, MessageType, Trigger
from headroom.schemes.gtpu.user_plane import N3, N6

Packets = Callable[[Conversation, Session], Iterator[tuple[bytes, str]]]
Messages = Callable[[Conversation, Session], Iterator[bytes]]
SEED = 20
BEHIND_F_SEID = 16 + 9 + 17  # header, Node ID, F-SEID
FAR_USER = "10.200.77.7"
MUTATED = 2000
FLOOD = 4000
A_MONTH_S = 30 * 24 * 3600


@dataclass(frozen=True)
class Attack:
    """An attack by packets or by messages; the session that it is given is its target, and no other is to suffer."""

    packets: Packets | None = None
    messages: Messages | None = None
    features: tuple[str, ...] = ()
    still_s: float = 0  # how much time passes afterwards

    @property
    def n4(self) -> bool:
        return self.messages is not None


ATTACKS: dict[str, Attack] = {}


def by_packets(name: str, *features: str, still_s: float = 0) -> Callable[[Packets], Packets]:
    def add(attack: Packets) -> Packets:
        ATTACKS[name] = Attack(packets=attack, features=features, still_s=still_s)
        return attack

    return add


def by_messages(name: str, *features: str) -> Callable[[Messages], Messages]:
    def add(attack: Messages) -> Messages:
        ATTACKS[name] = Attack(messages=attack, features=features)
        return attack

    return add


def withstand(attack: Attack, talk: Conversation, check: Check) -> None:
    """Carries an attack out, between looks at a session that it does not concern."""
    target = talk.establish()
    # Changed octets of another session's rules do not make its address that of this one by chance.
    other = talk.establish(session=replace(talk.new_session(), user=FAR_USER) if talk.facts.n4 else None)
    both_ways(talk, check, other)
    for octets, side in attack.packets(talk, target) if attack.packets else ():
        step = talk.give(octets, side)
        came = len(step.sent())
        check.expect(came <= 1, f"{came} packets came out for one that went in: {octets[:64].hex()}.")
    for octets in attack.messages(talk, target) if attack.messages else ():
        try:
            answers = talk.exchange(octets)
        except PfcpError as error:
            check.expect(False, f"{octets[:64].hex()} was answered with octets that are no message: {error}")
            continue
        check.expect(len(answers) <= 1, f"{len(answers)} answers came to {octets[:64].hex()}; one at most is expected.")
    if attack.still_s:
        talk.advance(attack.still_s)
    both_ways(talk, check, other)
    both_ways(talk, check, talk.establish())
    del check.findings[8:]


def _datagram(talk: Conversation, session: Session, payload: bytes) -> tuple[bytes, str]:
    return talk.from_access(session, payload), N3


# ---- packets of N3


@by_packets("short messages")
def _short(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    whole = talk.g_pdu(session, talk.to_network(session))
    for size in range(len(whole)):
        yield _datagram(talk, session, whole[:size])


@by_packets("wrong lengths")
def _lengths(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    packet = talk.to_network(session)
    for length in (0, 1, 3, 4, 7, 11, len(packet), 0x7FFF, 0xFFF8, 0xFFFF):
        for first in (0x30, 0x32, 0x34, 0x37):
            octets = packets.gtpu(judge.G_PDU, session.teid, packet, sequence=1, first=first, length=length)
            yield _datagram(talk, session, octets)


@by_packets("endless extension headers")
def _endless(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    for kind in (0x01, 0x85, 0xC0, 0x20, 0x41, 0xFF):
        chain = [Extension(kind)] * 300
        yield _datagram(talk, session, packets.gtpu(judge.G_PDU, session.teid, extensions=chain))
        chain = [*chain[:-1], Extension(kind, bytes(1018))]
        yield _datagram(talk, session, packets.gtpu(judge.G_PDU, session.teid, b"x" * 20, extensions=chain))
        for length in (0, 1, 2, 127, 255):
            chain = [Extension(kind, b"\x10\x09", length), Extension(kind, b"\0\0", length)]
            octets = packets.gtpu(judge.G_PDU, session.teid, talk.to_network(session), extensions=chain)
            yield _datagram(talk, session, octets)


@by_packets("what is no IP")
def _no_ip(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    packet = talk.to_network(session)
    for first in (0x00, 0x15, 0x40, 0x44, 0x4F, 0x55, 0x60, 0x70, 0xF5):
        yield _datagram(talk, session, talk.g_pdu(session, bytes([first]) + packet[1:]))
    for size in range(0, 40, 3):
        yield _datagram(talk, session, talk.g_pdu(session, packet[:size]))
        yield _datagram(talk, session, talk.g_pdu(session, b"\x60" + bytes(max(0, size - 1))))


@by_packets("inner lengths beyond the T-PDU")
def _inner_lengths(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    for length in (0, 19, 20, 27, 93, 1500, 0xFFFF):
        packet = packets.ipv4(session.user, NETWORK_HOSTS[4], 17, bytes(64), total_length=length)
        yield _datagram(talk, session, talk.g_pdu(session, packet))
        packet = packets.ipv6("2001:db8::1", "2001:db8::2", 17, bytes(64), payload_length=length)
        yield _datagram(talk, session, talk.g_pdu(session, packet))


@by_packets("fragments that never end", still_s=120)
def _fragments(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    ends = (session.access, session.host)
    whole = talk.from_access(session, talk.g_pdu(session, talk.to_network(session, 1200)))
    for number in range(600):
        yield packets.fragments(whole, 400, identification=number)[0], N3
    for where in (0x1FFF, 0x3FFF, 0x2001, 0x0001, 0x2000):  # offsets at the end, overlapping, twice the first
        for size in (0, 1, 7, 8, 1200):
            yield packets.ipv4(*ends, 17, bytes(size), identification=9, fragment=where), N3
    for piece in packets.fragments(talk.to_network(session, 1200), 8)[:40]:
        yield _datagram(talk, session, talk.g_pdu(session, piece))


@by_packets("IPv4 options")
def _options(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    ends = (session.access, session.host)
    for options in (b"\x01" * 40, b"\x94\x04\0\0", b"\x07\xff\x04\0", b"\x83\0\0\0", b"\xff" * 8):
        inner = packets.ipv4(session.user, NETWORK_HOSTS[4], 17, bytes(8), options=options)
        yield _datagram(talk, session, talk.g_pdu(session, inner))
        datagram = packets.read_ip(talk.from_access(session, talk.g_pdu(session, inner))).payload
        yield packets.ipv4(*ends, 17, datagram, options=options), N3
        yield packets.ipv4(NETWORK_HOSTS[4], session.user, 17, bytes(8), options=options), N6


@by_packets("UDP checksums")
def _checksums(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    octets = talk.g_pdu(session, talk.to_network(session))
    for value in (0, 1, 0xFFFF):
        yield talk.from_access(session, octets, checksum_value=value), N3
        ends = (ACCESS_HOSTS[6], N3_HOSTS[6])
        yield packets.udp(*ends, judge.PORT, judge.PORT, octets, checksum_value=value), N3
    for length in (0, 7, 8, 9, 2000, 0xFFFF):
        yield talk.from_access(session, octets, length=length), N3


@by_packets("GTP-U in GTP-U")
def _nested(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    octets = talk.from_access(session, talk.g_pdu(session, talk.to_network(session)))
    for _ in range(20):
        octets = packets.udp(
            *(session.user, session.host, judge.PORT, judge.PORT),
            packets.gtpu(judge.G_PDU, session.teid, octets, extensions=(packets.container(1, 9),)),
        )
        yield _datagram(talk, session, talk.g_pdu(session, octets))


@by_packets("unknown tunnels", still_s=2)
def _unknown_tunnels(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    user = talk.to_network(session)
    for number in range(FLOOD):
        teid = 0 if number % 10 == 0 else 0xB0000000 + number
        yield _datagram(talk, session, packets.gtpu(judge.G_PDU, teid, user))


@by_packets("many flows")
def _flows(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    for number in range(FLOOD):
        remote = f"198.51.{number >> 8 & 0x7F}.{number & 0xFF}"
        packet = packets.udp(session.user, remote, 1024 + number, 443, bytes(8))
        yield _datagram(talk, session, talk.g_pdu(session, packet))


@by_packets("spoofed users")
def _spoofed(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    for number in range(500):
        packet = talk.to_network(session, source=f"10.{46 + number // 250}.1.{number % 250}")
        yield _datagram(talk, session, talk.g_pdu(session, packet))


@by_packets("changed octets")
def _changed(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    """Each octet of the messages around the user's packet may be another; the TEID stays, as a flipped bit would make
    it that of another session."""
    chance = random.Random(SEED)
    chain = (packets.container(1, 9), Extension(0xC0, b"\x12\x34"))
    base = talk.g_pdu(session, talk.to_network(session, 16), sequence=1, extensions=chain)
    for _ in range(MUTATED):
        octets = bytearray(base)
        for _ in range(chance.randint(1, 4)):
            at = chance.choice([*range(4), *range(8, len(octets))])
            octets[at] = chance.randrange(256)
        whole = bytes(octets[: chance.randint(0, len(octets))]) if chance.random() < 0.3 else bytes(octets)
        yield _datagram(talk, session, whole)


@by_packets("path messages")
def _path_messages(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    bodies = (
        b"",
        b"\x0e",
        b"\x0e\0",
        b"\x10\0\0\0",
        b"\x85\xff\xff",
        b"\x85\0\0",
        b"\x8d\x05\x85",
        b"\xff\0\0",
        b"\x7f",
    )
    for kind in (1, 2, 26, 31, 253, 254):
        for body in bodies:
            for sequence in (None, 5):
                yield _datagram(talk, session, packets.gtpu(kind, 0, body, sequence=sequence))


# ---- packets of N6 and outer packets


@by_packets("no IP on any side")
def _garbage(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    chance = random.Random(SEED)
    down = talk.to_user(session)
    up = talk.from_access(session, talk.g_pdu(session, talk.to_network(session)))
    for size in (1, 2, 8, 19, 20, 27, 28, 39, 40, 64):
        for side, whole in ((N3, up), (N6, down)):
            yield whole[:size], side
            yield bytes(size), side
            yield b"\xff" * size, side
            yield chance.randbytes(size), side
            yield b"\x60" + whole[1:size], side


@by_packets("addresses that are nobody's")
def _addresses(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    for host in ("0.0.0.0", "255.255.255.255", "127.0.0.1", "224.0.0.1", session.user, N3_HOSTS[4]):
        yield packets.udp(host, session.user, 1, 2, bytes(8)), N6
        yield packets.udp(NETWORK_HOSTS[4], host, 1, 2, bytes(8)), N6 if host != session.user else N3
        yield _datagram(talk, session, talk.g_pdu(session, packets.udp(host, host, 1, 2, bytes(8))))
        octets = talk.g_pdu(session, talk.to_network(session))
        yield packets.udp(host, session.host, judge.PORT, judge.PORT, octets), N3


# ---- time


@by_packets("time jumps", still_s=A_MONTH_S)
def _time(talk: Conversation, session: Session) -> Iterator[tuple[bytes, str]]:
    for seconds in (0, 1, 3600, A_MONTH_S, 0):
        talk.advance(seconds)
        yield talk.to_user(session), N6


# ---- messages of N4


def _establishment(talk: Conversation, *rules: Element, seid: int | None = None) -> bytes:
    number = talk.new_session().number if seid is None else seid
    content = (elements.node_id(CONTROL), elements.f_seid(number, CONTROL), *rules)
    return Message(MessageType.SESSION_ESTABLISHMENT_REQUEST, 0x100000 + number, content, 0).octets()


def _changes(talk: Conversation, session: Session, rules: list[Element]) -> bytes:
    talk.new_session()
    return Message(MessageType.SESSION_MODIFICATION_REQUEST, 0x200000, tuple(rules), session.seid).octets()


@by_messages("messages cut short")
def _cut(talk: Conversation, session: Session) -> Iterator[bytes]:
    whole = _establishment(talk, *talk.plain_rules(talk.new_session()))
    for size in range(len(whole)):
        yield whole[:size]  # the Length says more
        if size >= 4:
            yield whole[:2] + (size - 4).to_bytes(2, "big") + whole[4:size]


@by_messages("elements of no length")
def _empty(talk: Conversation, session: Session) -> Iterator[bytes]:
    for kind in (*range(1, 150), 0x7FFF, 0x8000, 0xFFFF):
        yield _establishment(talk, Element(kind))
        yield _establishment(talk, group(Ie.CREATE_PDR, [Element(kind), group(Ie.PDI, [Element(kind)])]))
        yield _establishment(
            talk, group(Ie.CREATE_FAR, [Element(kind), group(Ie.FORWARDING_PARAMETERS, [Element(kind)])])
        )
        yield _establishment(talk, group(Ie.CREATE_QER, [Element(kind)]), group(Ie.CREATE_URR, [Element(kind)]))


@by_messages("elements that are too long")
def _long(talk: Conversation, session: Session) -> Iterator[bytes]:
    for kind in (*range(1, 150), 0x8000):
        yield _establishment(talk, Element(kind, bytes(300)))
        yield _establishment(talk, Element(kind, b"\xff" * 8, length=0xFFFF))
        yield _establishment(
            talk, group(Ie.CREATE_PDR, [Element(kind, b"\xff" * 40), Element(kind, b"\1", length=200)])
        )
    yield _establishment(talk, Element(Ie.NETWORK_INSTANCE, b"x" * 60000))


@by_messages("groups in groups")
def _nested_groups(talk: Conversation, session: Session) -> Iterator[bytes]:
    for kind in (Ie.CREATE_PDR, Ie.PDI, Ie.CREATE_FAR, Ie.FORWARDING_PARAMETERS, Ie.CREATE_TRAFFIC_ENDPOINT):
        for depth in (2, 10, 1000):
            inner = b""
            for _ in range(depth):
                inner = kind.to_bytes(2, "big") + len(inner).to_bytes(2, "big") + inner
            yield _establishment(talk, Element(kind, inner))


@by_messages("rules that fit nothing")
def _misfits(talk: Conversation, session: Session) -> Iterator[bytes]:
    up = elements.source_interface(Interface.ACCESS)
    far = elements.far(1, Action.FORWARD, Interface.CORE)
    yield _establishment(talk)
    yield _establishment(talk, far)
    yield _establishment(talk, elements.pdr(1, 1, [up]))
    yield _establishment(talk, elements.pdr(1, 1, [up], far=9, qers=[9], urrs=[9]), far)
    yield _establishment(talk, *[elements.pdr(1, 1, [up], far=1)] * 3, *[far] * 3)
    yield _establishment(talk, *(elements.pdr(number, number, [up], far=1) for number in range(1, 500)), far)
    for action in (0, 3, 7, 0x1F, 0xFF):
        yield _establishment(
            talk, group(Ie.CREATE_FAR, [elements.number(Ie.FAR_ID, 1, 4), Element(44, bytes([action]))])
        )
    for kind in (Ie.REMOVE_PDR, Ie.REMOVE_FAR, Ie.REMOVE_QER, Ie.REMOVE_URR):
        yield _changes(talk, session, [elements.remove(kind, 99)])
    yield _changes(talk, session, [])
    yield _changes(talk, session, [elements.qer(1, rates=((1 << 40) - 1, 0), qfi=63, kind=Ie.UPDATE_QER)])
    yield _changes(talk, session, [elements.urr(1, Trigger(0x3FF), elements.volume_quota(0), period=0)])
    yield _changes(talk, session, [elements.urr(2, Trigger.PERIODIC, period=0xFFFFFFFF)])


@by_messages("filters that are none")
def _filters(talk: Conversation, session: Session) -> Iterator[bytes]:
    texts = (
        "",
        " ",
        "permit",
        "permit out",
        "deny in ip from any to any",
        "permit out ip from",
        "permit out 17 from 1.2.3",
    )
    texts += (
        "permit out 300 from any to assigned",
        "permit out 17 from 1.2.3.4/33 to assigned",
        "permit out 17 from any x to assigned",
    )
    texts += (
        "permit out 17 from any 70000 to assigned",
        "permit out 17 from any 9-1 to assigned",
        "permit out 17 from ::1/200 to any",
    )
    texts += (
        "permit out 17 from any " + ",".join(map(str, range(3000))) + " to assigned",
        "\0" * 50,
        "%n%s" * 20,
        "permit out ip from any to assigned" * 40,
    )
    far = elements.far(1, Action.FORWARD, Interface.CORE)
    for text in texts:
        pdi = [elements.source_interface(Interface.CORE), elements.sdf_filter(text)]
        yield _establishment(talk, elements.pdr(1, 1, pdi, far=1), far)
    for value in (b"", b"\1", b"\1\0", b"\1\0\0", b"\1\0\xff\xff", b"\1\0\0\5abc", b"\xff\0\0\0", b"\x1f\0\0\1a"):
        pdi = [elements.source_interface(Interface.CORE), Element(Ie.SDF_FILTER, value)]
        yield _establishment(talk, elements.pdr(1, 1, pdi, far=1), far)


@by_messages("doubled identifiers")
def _doubled(talk: Conversation, session: Session) -> Iterator[bytes]:
    own = talk.plain_rules(session)  # with the F-TEID and the address of the target
    for number in range(3):
        yield _establishment(talk, *own, seid=9000)
        yield _establishment(talk, *own, seid=9000 + number)
    yield _establishment(talk, *own, *own)


@by_messages("changed octets of messages")
def _changed_messages(talk: Conversation, session: Session) -> Iterator[bytes]:
    """Header, Node ID and F-SEID stay: another message might rightly end the association or another session."""
    chance = random.Random(SEED)
    rules = [*talk.plain_rules(talk.new_session(), qers=[2], urrs=[1]), elements.qer(2, rates=(1000, 1000))]
    rules.append(
        elements.urr(1, Trigger.VOLUME_THRESHOLD, elements.volume_threshold(1000), elements.volume_quota(2000))
    )
    bases = [bytearray(_establishment(talk, *rules)), bytearray(_changes(talk, session, rules))]
    for number in range(MUTATED):
        octets = bytearray(chance.choice(bases))
        octets[12:15] = (0x300000 + number).to_bytes(3, "big")
        for _ in range(chance.randint(1, 4)):
            octets[chance.randrange(BEHIND_F_SEID, len(octets))] = chance.choice((0, 1, 0xFF, chance.randrange(256)))
        yield bytes(octets)


@by_messages("messages of other types")
def _types(talk: Conversation, session: Session) -> Iterator[bytes]:
    ends = {MessageType.ASSOCIATION_RELEASE_REQUEST, MessageType.SESSION_SET_DELETION_REQUEST}
    for kind in set(range(256)) - ends:
        for seid in (None, 0, session.seid, 0xFFFFFFFFFFFFFFFF):
            yield Message(kind, 0x400000 + kind, (), seid).octets()
