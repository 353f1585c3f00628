# SPDX-License-Identifier: Apache-2.0
"""A conversation with a user plane: messages that it takes, and those that it does not believe."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from headroom.core.capabilities import Misbehaviour
from headroom.schemes.gtpu import packets
from headroom.schemes.gtpu.conformance.check import Check
from headroom.schemes.gtpu.conformance.usage_stories import _counted
from headroom.schemes.gtpu.conversation import CONTROL, CONTROL_PORT, SECOND, Conversation, Facts
from headroom.schemes.gtpu.pfcp import elements
from headroom.schemes.gtpu.pfcp.message import Element, Message, PfcpError, group
from headroom.schemes.gtpu.pfcp.tables import Cause, Ie, MessageType
from headroom.schemes.gtpu.user_plane import N3, N6, N4Sent, Sent, Step

PACKET = packets.udp("10.45.0.1", "198.51.100.10", 40000, 443, b"user")
STAMP = elements.recovery_time_stamp(1)


def _echo(sequence: int, time_ns: int) -> Sent:
    message = packets.gtpu(1, 0, b"", sequence=sequence)
    return Sent(N3, packets.udp("172.17.0.1", "172.16.0.1", 2152, 2152, message), time_ns)


def _talk(**plane: Any) -> Conversation:
    return Conversation(SimpleNamespace(**plane), Facts())  # type: ignore[arg-type]


def test_an_echo_request_beside_a_packet_is_none_of_the_step() -> None:
    talk = _talk(packets=lambda given, time_ns: Step(taken=(Sent(N6, PACKET), _echo(1, time_ns))))
    assert talk.give(PACKET, N3).sent() == [PACKET]


def test_an_echo_request_comes_once_a_minute_or_again() -> None:
    talk = _talk(advance=lambda time_ns: Step(taken=(_echo(time_ns // (30 * SECOND), time_ns),)))
    assert [len(talk.advance(seconds).sent()) for seconds in (1, 1, 28, 32)] == [0, 0, 1, 0]


def test_packets_of_a_flood_that_leave_late_have_passed() -> None:
    late = Step(taken=(Sent(N6, PACKET),) * 3, counts={"OK": 4, "NOTHING": 6})
    talk = _talk(repeat=lambda *_: late)
    assert talk.passed(talk.flood(PACKET, N3, 10, 1000), N3) == 7


def test_requests_without_an_end_are_misbehaviour() -> None:
    """Also if each of them answers the answer to the one before."""
    numbers = iter(range(1 << 20))

    def n4(*_: object) -> Step:
        octets = Message(MessageType.HEARTBEAT_REQUEST, next(numbers), (STAMP,)).octets()
        return Step(n4=(N4Sent(octets, CONTROL, CONTROL_PORT),))

    with pytest.raises(Misbehaviour, match="10001 requests over N4 within 0 s, the last a Heartbeat Request"):
        _talk(n4=n4).associate()


def test_a_heartbeat_a_minute_for_a_month_is_none() -> None:
    def advance(time_ns: int) -> Step:
        beats = (Message(MessageType.HEARTBEAT_REQUEST, number, (STAMP,)).octets() for number in range(43_200))
        return Step(n4=tuple(N4Sent(octets, CONTROL, CONTROL_PORT) for octets in beats))

    talk = _talk(advance=advance, n4=lambda *_: Step())
    talk.advance(30 * 24 * 3600)
    assert len(talk.heard) == 43_200


@pytest.mark.parametrize(("peer", "port"), [("192.0.2.101", CONTROL_PORT), (CONTROL, 8806)])
def test_an_answer_to_others_is_none(peer: str, port: int) -> None:
    octets = Message(MessageType.HEARTBEAT_RESPONSE, 1, (STAMP,)).octets()
    for place, number in (((peer, port), 0), ((CONTROL, CONTROL_PORT), 1)):
        talk = _talk(n4=lambda *_, place=place: Step(n4=(N4Sent(octets, *place),)))
        assert len(talk.exchange(b"")) == number


def test_what_is_too_long_is_no_number() -> None:
    """Python writes no number of so many digits."""
    answer = Message(MessageType.HEARTBEAT_RESPONSE, 1, (Element(Ie.CAUSE, bytes([1]) * 5000),))
    with pytest.raises(PfcpError, match="The Cause has 5000 octets, too many for a number"):
        Conversation.told(answer)


def test_a_tunnel_has_an_address_of_its_version() -> None:
    talk = _talk()
    created = group(Ie.CREATED_PDR, [elements.number(Ie.PDR_ID, 1, 2), elements.f_teid(7, "2001:db8:3::1")])
    cause = elements.number(Ie.CAUSE, Cause.REQUEST_ACCEPTED, 1)
    answer = Message(51, 1, (cause, elements.f_seid(1, "192.0.2.4"), created), 1)
    with pytest.raises(PfcpError, match="The F-TEID 0x7 has no IPv4 address"):
        talk.established(talk.new_session(), answer)


def test_a_report_says_how_much_passed() -> None:
    check = Check("TS29244-5.2.2.2-1")
    for value, findings in ((b"\0", 1), (bytes([1]) + (128).to_bytes(8, "big"), 1)):
        _counted(check, group(Ie.USAGE_REPORT_IN_DELETION, [Element(Ie.VOLUME_MEASUREMENT, value)]), up=128, down=0)
        assert len(check.findings) == findings


def test_requests_over_n4_call_for_no_packets() -> None:
    """A modification may let buffered packets go on; any request may end a tunnel."""
    end = packets.udp("172.17.0.1", "172.16.0.1", 2152, 2152, packets.gtpu(254, 7))
    talk = _talk(
        n4=lambda *_: Step(taken=(Sent(N6, PACKET), Sent(N3, end))), advance=lambda time_ns: Step(time_ns=time_ns)
    )
    for kind, findings in ((MessageType.SESSION_MODIFICATION_REQUEST, 0), (MessageType.SESSION_DELETION_REQUEST, 1)):
        talk.request(kind, seid=1)
        check = Check("TS29244-7.5.7-1")
        check.nothing_late(talk)
        assert len(check.findings) == findings
