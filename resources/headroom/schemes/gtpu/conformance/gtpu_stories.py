# SPDX-License-Identifier: Apache-2.0
"""Stories of GTP-U: path messages, Error Indications, End Markers, extension headers that are not known, tunnels over
IPv6 and in fragments."""

from __future__ import annotations

from dataclasses import replace

from headroom.schemes.gtpu import judge, packets
from headroom.schemes.gtpu.conformance.check import Check, Stories, story
from headroom.schemes.gtpu.conversation import (
    ACCESS_HOSTS,
    N3_HOSTS,
    N9_HOSTS,
    OTHER_HOSTS,
    Conversation,
    Session,
    Tunnelled,
    tunnelled,
)
from headroom.schemes.gtpu.packets import Extension
from headroom.schemes.gtpu.pfcp import elements
from headroom.schemes.gtpu.pfcp.tables import Action, Interface
from headroom.schemes.gtpu.user_plane import N3, N6, N9, Step

PATH: Stories = {}
TUNNELS: Stories = {}
ECHO_REQUEST, ECHO_RESPONSE, NOTIFICATION = 1, 2, 31
UNKNOWN_TEID = 0x0BADCAFE
RECOVERY, TEID_DATA, PEER_ADDRESS, TYPE_LIST, PRIVATE = 14, 16, 133, 141, 255
REQUIRED, NOT_REQUIRED = (0x86, 0xFE), (0x01, 0x7E)  # types of extension headers that nobody knows, by comprehension


def _echo(talk: Conversation, sequence: int, *, port: int = judge.PORT, version: int = 4, payload: bytes = b"") -> Step:
    octets = packets.gtpu(ECHO_REQUEST, 0, payload, sequence=sequence)
    ends = (ACCESS_HOSTS[version], N3_HOSTS[version])
    return talk.give(packets.udp(*ends, port, judge.PORT, octets), N3)


def _echoed(check: Check, step: Step, sequence: int, port: int = judge.PORT, version: int = 4) -> None:
    outputs = tunnelled(step, N3)
    if not check.expect(
        len(outputs) == 1, f"{len(outputs)} answers came to an Echo Request, not one.", "TS29281-7.2.2-1"
    ):
        return
    read = check.signalling(outputs[0], ECHO_RESPONSE, "TS29281-7.2.2-1")
    if read is None:
        return
    answered(check, outputs[0], port, version)
    sentence = f"The sequence number is {read.sequence}, and the request's {sequence}."
    check.expect(read.sequence == sequence, sentence, "TS29281-7.2.2-2")
    values = [element.value for element in read.elements if element.type == RECOVERY]
    sentence = f"The Recovery elements are {[value.hex() for value in values]}; expected is a single one of 00."
    check.expect(values == [b"\0"], sentence, "TS29281-7.2.2-3")


def answered(check: Check, output: Tunnelled, port: int, version: int = 4) -> None:
    """A response goes back to where the request came from."""
    outer = output.datagram.packet
    ends = (outer.source, outer.destination)
    wanted = (N3_HOSTS[version], ACCESS_HOSTS[version])
    check.expect(ends == wanted, f"It went from {ends[0]} to {ends[1]}.", "TS29281-4.4.3.2-1")
    ports = (output.datagram.source_port, output.datagram.destination_port)
    check.expect(ports == (judge.PORT, port), f"It went from port {ports[0]} to {ports[1]}.", "TS29281-4.4.2.2-1")


@story(PATH, "echo", n4=False)
def _an_echo(talk: Conversation, check: Check) -> None:
    for sequence in (0, 1, 0x1234, 0xFFFF):
        _echoed(check, _echo(talk, sequence), sequence)


@story(PATH, "echo from another port", n4=False)
def _an_echo_from_another_port(talk: Conversation, check: Check) -> None:
    _echoed(check, _echo(talk, 77, port=32000), 77, port=32000)


@story(PATH, "echo with a private extension", n4=False)
def _an_echo_with_more(talk: Conversation, check: Check) -> None:
    private = bytes([PRIVATE, 0, 4, 0, 9, 1, 2])
    _echoed(check, _echo(talk, 78, payload=private), 78)


@story(PATH, "echo over IPv6", "ipv6-transport", n4=False)
def _an_echo_over_ipv6(talk: Conversation, check: Check) -> None:
    _echoed(check, _echo(talk, 79, version=6), 79, version=6)


@story(PATH, "echo response", n4=False)
def _an_echo_response(talk: Conversation, check: Check) -> None:
    octets = packets.gtpu(ECHO_RESPONSE, 0, bytes([RECOVERY, 0]), sequence=9)
    check.silent(talk.give(packets.udp(ACCESS_HOSTS[4], N3_HOSTS[4], judge.PORT, judge.PORT, octets), N3))


@story(PATH, "unknown message types", n4=False)
def _unknown_types(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    for kind in (0, 3, 25, 100, 200):
        octets = packets.gtpu(kind, session.teid, talk.to_network(session), sequence=1)
        check.silent(talk.give(talk.from_access(session, octets), N3), "TS29281-6.1-1")
        check.findings = check.findings[:1]
    _still_forwards(talk, check, session)


def _still_forwards(talk: Conversation, check: Check, session: Session) -> None:
    packet = talk.to_network(session)
    check.uplink(talk.uplink(session, packet), packet, "TS29244-8.2.26-2")


# ---- Error Indication


def _to_unknown(talk: Conversation, teid: int, kind: int = judge.G_PDU, version: int = 4) -> Step:
    user = packets.udp("10.45.0.200", "198.51.100.10", 1, 2, bytes(20))
    sequence = None if kind in (judge.G_PDU, judge.END_MARKER) else 5
    octets = packets.gtpu(kind, teid, user if kind == judge.G_PDU else b"", sequence=sequence)
    return talk.give(packets.udp(ACCESS_HOSTS[version], N3_HOSTS[version], 2152, judge.PORT, octets), N3)


def _indicated(check: Check, step: Step, teid: int, version: int = 4) -> None:
    check.dropped(step, "TS29281-7.3.1-1")
    outputs = tunnelled(step, N3)
    sentence = f"{len(outputs)} messages came back for a G-PDU of an unknown tunnel, not one."
    if not check.expect(len(outputs) == 1, sentence, "TS29281-7.3.1-2"):
        return
    error_indication(check, outputs[0], ACCESS_HOSTS[version], teid, N3_HOSTS[version])


def error_indication(check: Check, output: Tunnelled, host: str, teid: int, peer: str) -> None:
    """A message is an Error Indication to a host, about a tunnel at `peer`."""
    read = check.signalling(output, judge.ERROR_INDICATION, "TS29281-7.3.1-2")
    if read is None:
        return
    outer = output.datagram
    sentence = f"The Error Indication went to {outer.packet.destination}, port {outer.destination_port}."
    check.expect(outer.packet.destination == host, sentence, "TS29281-7.3.1-2")
    check.expect(outer.destination_port == judge.PORT, sentence, "TS29281-4.4.2.4-1")
    values = {element.type: element.value for element in read.elements}
    there = values.get(TEID_DATA, b"").hex()
    sentence = f"The Tunnel Endpoint Identifier Data I is {there or 'not there'}."
    check.expect(there == f"{teid:08x}", sentence, "TS29281-7.3.1-3")
    address = values.get(PEER_ADDRESS, b"").hex()
    sentence = f"The GTP-U Peer Address is {address or 'not there'}."
    check.expect(address == packets.address(peer).hex(), sentence, "TS29281-7.3.1-4")


@story(TUNNELS, "unknown TEID", n4=False)
def _unknown_teid(talk: Conversation, check: Check) -> None:
    _indicated(check, _to_unknown(talk, UNKNOWN_TEID), UNKNOWN_TEID)


@story(TUNNELS, "unknown TEID over IPv6", "ipv6-transport", n4=False)
def _unknown_teid_over_ipv6(talk: Conversation, check: Check) -> None:
    _indicated(check, _to_unknown(talk, UNKNOWN_TEID, version=6), UNKNOWN_TEID, 6)


@story(TUNNELS, "TEID of a deleted session")
def _deleted_session(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    check.expect_accepted(talk.delete(session), "TS29244-7.5.7-1")
    _indicated(check, talk.uplink(session, talk.to_network(session)), session.teid)


@story(TUNNELS, "TEID 0", n4=False)
def _teid_zero(talk: Conversation, check: Check) -> None:
    check.silent(_to_unknown(talk, 0), "TS29281-7.3.1-5")


@story(TUNNELS, "no Error Indication for an Error Indication", n4=False)
def _for_error_indication(talk: Conversation, check: Check) -> None:
    body = bytes([TEID_DATA]) + UNKNOWN_TEID.to_bytes(4, "big") + bytes([PEER_ADDRESS, 0, 4])
    body += packets.address(ACCESS_HOSTS[4])
    octets = packets.gtpu(judge.ERROR_INDICATION, 0, body, sequence=1)
    ends = (ACCESS_HOSTS[4], N3_HOSTS[4])
    check.silent(talk.give(packets.udp(*ends, 2152, judge.PORT, octets), N3), "TS29281-7.3.1-8")
    # With the TEID of a tunnel in its header, which is to be 0, it is an Error Indication all the same.
    octets = packets.gtpu(judge.ERROR_INDICATION, UNKNOWN_TEID, body, sequence=1)
    check.silent(talk.give(packets.udp(*ends, 2152, judge.PORT, octets), N3), "TS29281-7.3.1-8")


@story(TUNNELS, "no Error Indication without a rule")
def _without_rule(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    session = talk.establish(_filtered(talk, session), session)
    other = talk.to_network(session, port=80)
    step = talk.uplink(session, other)
    check.dropped(step, "TS29244-5.2.1-3")
    check.expect(not tunnelled(step), "A packet that matches no rule was answered.", "TS29281-7.3.1-6")
    passes = talk.to_network(session, port=443)
    check.uplink(talk.uplink(session, passes), passes, "TS29244-8.2.26-2")


def _filtered(talk: Conversation, session: Session) -> list[elements.Element]:
    """Rules that pass UDP to port 443 alone."""
    only = elements.sdf_filter("permit out 17 from any 443 to assigned")
    return [
        elements.pdr(1, 100, talk.pdi_up(session, only), far=1, removal=elements.REMOVE_IPV4),
        elements.pdr(2, 100, talk.pdi_down(session), far=2),
        elements.far(1, Action.FORWARD, Interface.CORE),
        talk.far_down(session),
    ]


# ---- End Marker


def _end_marker(talk: Conversation, teid: int, host: str, side: str, source: str) -> Step:
    octets = packets.gtpu(judge.END_MARKER, teid)
    return talk.give(packets.udp(source, host, judge.PORT, judge.PORT, octets), side)


@story(TUNNELS, "End Marker with an unknown TEID", n4=False)
def _unknown_end_marker(talk: Conversation, check: Check) -> None:
    step = _end_marker(talk, UNKNOWN_TEID, N3_HOSTS[4], N3, ACCESS_HOSTS[4])
    check.silent(step, "TS29281-7.3.2-1")


@story(TUNNELS, "End Marker ends nothing in the uplink", n4=False)
def _end_marker_of_a_session(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    step = _end_marker(talk, session.teid, session.host, N3, session.access)
    check.dropped(step, "TS29281-7.3.2-1")
    check.expect(not step.sent(N3), "An End Marker was answered.", "TS29281-7.3.1-8")
    _still_forwards(talk, check, session)


@story(TUNNELS, "tunnel to tunnel", "n9")
def _tunnel_to_tunnel(talk: Conversation, check: Check) -> None:
    session, inner = _relayed(talk)
    packet = talk.to_user(session)
    octets = packets.gtpu(judge.G_PDU, inner.teid, packet, extensions=(packets.container(0, 9),))
    step = talk.give(packets.udp(OTHER_HOSTS[4], inner.host, judge.PORT, judge.PORT, octets), N9)
    check.downlink(step, replace(session, host=N3_HOSTS[4]), packet, "TS29244-8.2.26-2")
    packet = talk.to_network(session)
    outputs = tunnelled(talk.uplink(session, packet), N9)
    if check.expect(len(outputs) == 1, "A packet of the uplink did not go on to N9.", "TS29244-8.2.26-2"):
        away = replace(session, access=OTHER_HOSTS[4], access_teid=0x0C000001, host=N9_HOSTS[4], qfi=None)
        check.g_pdu(outputs[0], away, packet, "TS29244-8.2.26-2")


@story(TUNNELS, "End Marker is passed on", "n9")
def _end_marker_passed_on(talk: Conversation, check: Check) -> None:
    session, inner = _relayed(talk)
    outputs = tunnelled(_end_marker(talk, inner.teid, inner.host, N9, OTHER_HOSTS[4]), N3)
    sentence = f"An End Marker went in, and {len(outputs)} messages came out on the other side, not one."
    if check.expect(len(outputs) == 1, sentence, "TS29281-7.3.2-2"):
        end_marker(check, outputs[0], session.access, session.access_teid, "TS29281-7.3.2-2")


def end_marker(check: Check, output: Tunnelled, host: str, teid: int, requirement: str) -> None:
    """A message is an End Marker of a tunnel."""
    read = check.signalling(output, judge.END_MARKER, requirement)
    if read is None:
        return
    ends = (output.datagram.packet.destination, read.teid)
    check.expect(ends == (host, teid), f"The End Marker went to TEID {ends[1]:#010x} at {ends[0]}.", requirement)
    check.expect(output.datagram.destination_port == judge.PORT, "It went to another port.", "TS29281-4.4.2.4-1")
    check.expect(read.sequence is None, "The End Marker has a sequence number.", "TS29281-5.1-10")


def _relayed(talk: Conversation) -> tuple[Session, Session]:
    """A session between a base station and another user plane: its end towards the base station, and towards the
    other."""
    session = talk.new_session()
    if talk.facts.has_feature("ftup"):
        far_side = elements.choose_f_teid()
    else:
        far_side = elements.f_teid(0x00020000 + session.number, N9_HOSTS[4])
    rules = [
        elements.pdr(1, 100, talk.pdi_up(session), far=1, removal=elements.REMOVE_IPV4),
        elements.pdr(
            *(2, 100, [elements.source_interface(Interface.CORE), far_side]),
            far=2,
            removal=elements.REMOVE_IPV4,
            qers=[1],
        ),
        elements.far(1, Action.FORWARD, Interface.CORE, teid=0x0C000001, host=OTHER_HOSTS[4]),
        talk.far_down(session),
        elements.qer(1, qfi=session.qfi),
    ]
    session = talk.establish(rules, session)
    assert session.answer is not None
    chosen = [element.find(elements.Ie.F_TEID) for element in session.answer.all(elements.Ie.CREATED_PDR)]
    tunnels = [elements.read_f_teid(element) for element in chosen if element is not None]
    if len(tunnels) > 1:
        return session, replace(session, teid=tunnels[1].teid, host=tunnels[1].host(4))
    return session, replace(session, teid=0x00020000 + session.number, host=N9_HOSTS[4])


# ---- extension headers


def _with_extension(talk: Conversation, session: Session, kind: int) -> Step:
    chain = (packets.container(1, session.qfi or 0), Extension(kind, b"\x12\x34"))
    return talk.uplink(session, talk.to_network(session), extensions=chain)


@story(TUNNELS, "unknown extension headers that have to be understood", n4=False)
def _required_extensions(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    for kind in REQUIRED:
        step = _with_extension(talk, session, kind)
        check.dropped(step, "TS29281-5.2.1-3")
        outputs = tunnelled(step, N3)
        sentence = f"{len(outputs)} messages came back for the unknown extension header {kind:#04x}; one is expected."
        if check.expect(len(outputs) == 1, sentence, "TS29281-7.2.3-1"):
            _notified(check, outputs[0], session)


def _notified(check: Check, output: Tunnelled, session: Session) -> None:
    read = check.signalling(output, NOTIFICATION, "TS29281-7.2.3-1")
    if read is None:
        return
    host, port = output.datagram.packet.destination, output.datagram.destination_port
    check.expect(host == session.access, f"The notification went to {host}.", "TS29281-7.2.3-1")
    check.expect(port == judge.PORT, f"The notification went to UDP port {port}.", "TS29281-4.4.2.4-1")
    lists = [element.value for element in read.elements if element.type == TYPE_LIST]
    sentence = f"The notification has {len(lists)} lists of extension header types."
    if check.expect(len(lists) == 1, sentence, "TS29281-7.2.3-2"):
        unknown = [kind for kind in REQUIRED if kind in lists[0]]
        check.expect(not unknown, "The list of supported types has the unsupported one.", "TS29281-7.2.3-2")


@story(TUNNELS, "unknown extension headers that may be skipped", n4=False)
def _skipped_extensions(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    for kind in NOT_REQUIRED:
        step = _with_extension(talk, session, kind)
        check.uplink(step, talk.to_network(session), "TS29281-5.2.1-4")
        check.expect(not tunnelled(step), "A packet that must be forwarded was answered.", "TS29281-5.2.1-4")


# ---- both ways, IPv6, fragments


@story(TUNNELS, "both ways", n4=False)
def _both_ways(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    for size in (0, 1, 26, 536, 1372):
        both_ways(talk, check, session, size)


@story(TUNNELS, "tunnel over IPv6", "ipv6-transport")
def _over_ipv6(talk: Conversation, check: Check) -> None:
    session = talk.establish(session=talk.new_session(transport=6))
    both_ways(talk, check, session, 64, "TS29244-8.2.56-1")


@story(TUNNELS, "users of IPv6", "ipv6-users")
def _ipv6_users(talk: Conversation, check: Check) -> None:
    session = talk.establish(session=talk.new_session(user=6))
    both_ways(talk, check, session, 64, "TS29244-8.2.62-1")
    inside = f"{session.user}abcd:12"
    packet = talk.to_network(session, source=inside)
    check.uplink(talk.uplink(session, packet), packet, "TS29244-8.2.62-1")
    outside = packets.udp("2001:db8:46:1::1", "2001:db8:100::10", 1, 2, bytes(9))
    check.dropped(talk.uplink(session, outside), "TS29244-5.2.1-2")


@story(TUNNELS, "users of IPv6 over IPv6", "ipv6-users", "ipv6-transport")
def _ipv6_over_ipv6(talk: Conversation, check: Check) -> None:
    both_ways(talk, check, talk.establish(session=talk.new_session(6, 6)), 64, "TS29244-8.2.56-1")


def both_ways(talk: Conversation, check: Check, session: Session, size: int = 64, requirement: str = "") -> None:
    """A packet in each direction goes through."""
    requirement = requirement or "TS29244-8.2.26-2"
    packet = talk.to_network(session, size)
    check.uplink(talk.uplink(session, packet), packet, requirement)
    packet = talk.to_user(session, size)
    check.downlink(talk.downlink(packet), session, packet, requirement)


@story(TUNNELS, "fragments of the tunnel", "fragments", n4=False, fragmented=True)
def _outer_fragments(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    packet = talk.to_network(session, 1400)
    whole = talk.from_access(session, talk.g_pdu(session, packet))
    pieces = packets.fragments(whole, 600)
    for order in (pieces, pieces[::-1]):
        steps = [talk.give(piece, N3) for piece in order]
        came = [octets for step in steps for octets in step.sent(N6)]
        sentence = f"Of a datagram in {len(pieces)} fragments, {len(came)} packets went to the data network."
        if check.expect(len(came) == 1, sentence, "RFC1122-3.3.2-1"):
            different = packets.differences(packet, came[0])
            check.expect(not different, f"The packet was changed: {different}.", "RFC1122-3.3.2-1")


@story(TUNNELS, "fragments of users", n4=False, fragmented=True)
def _inner_fragments(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    for piece in packets.fragments(talk.to_network(session, 1400), 600):
        check.uplink(talk.uplink(session, piece), piece, "TS29244-8.2.26-2")


@story(TUNNELS, "source address of another user")
def _spoofed(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    spoofed = talk.to_network(session, source="10.45.0.99")
    step = talk.uplink(session, spoofed)
    check.dropped(step, "TS29244-5.2.1-2")
    check.expect(not tunnelled(step), "A packet that matches no rule was answered.", "TS29281-7.3.1-6")


@story(TUNNELS, "Length short of the end", n4=False)
def _short_length(talk: Conversation, check: Check) -> None:
    """If the T-PDU ends within the user's packet, the octets after its end are not forwarded."""
    session = talk.establish()
    packet = talk.to_network(session, 64)
    octets = talk.g_pdu(session, packet)
    size = int.from_bytes(octets[2:4], "big") - 8
    step = talk.give(talk.from_access(session, octets[:2] + size.to_bytes(2, "big") + octets[4:]), N3)
    came = step.sent(N6)
    longest = max(map(len, came), default=0)
    sentence = f"A packet of {longest} octets went on, and the T-PDU had {len(packet) - 8}."
    check.expect(longest <= len(packet) - 8, sentence, "TS29281-5.1-6")
    _still_forwards(talk, check, session)


@story(TUNNELS, "addresses without a session", n4=False)
def _unknown_user(talk: Conversation, check: Check) -> None:
    talk.establish()
    step = talk.downlink(packets.udp("198.51.100.10", "10.45.99.1", 443, 40000, bytes(64)))
    for side in (N3, N9):
        check.dropped(step, "TS29244-5.2.1-3", side)
