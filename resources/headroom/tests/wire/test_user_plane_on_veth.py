# SPDX-License-Identifier: Apache-2.0
"""A user plane in a node between two veth pairs: N4, both directions, and the messages of a path."""

from collections.abc import Iterator

import pytest

from headroom.core.implementations import find
from headroom.schemes.gtpu import packets, wire_plane
from headroom.schemes.gtpu.conversation import OTHER_HOSTS, Conversation, Facts, tunnelled
from headroom.schemes.gtpu.pfcp import elements
from headroom.schemes.gtpu.pfcp.tables import Cause, Ie, MessageType
from headroom.schemes.gtpu.user_plane import N3, N6
from headroom.testbed import choice, netns

BUILD = "gcc-O2"
ECHO_REQUEST, ECHO_RESPONSE, ERROR_INDICATION = 1, 2, 26

pytestmark = pytest.mark.skipif(
    bool(netns.lacks() or choice.build_lacks(BUILD)), reason=netns.lacks() or choice.build_lacks(BUILD)
)


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
