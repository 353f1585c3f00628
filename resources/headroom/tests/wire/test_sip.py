# SPDX-License-Identifier: Apache-2.0
"""The SIP sequences are whole messages that fit into one datagram each."""

from __future__ import annotations

import re

import pytest

from headroom.tests.wire import sip

MOST_UDP = 1500 - 20 - 8  # octets of a datagram in an Ethernet frame, over IPv4

# Octets of each message's body as maenpaa-2005 gives them in Content-Length, where it counts right: appendix C, 14.3.1
# and 14.3.2. They show that nothing was lost on the way from there.
BODIES = {
    "basic-voice-call": [105, 0, 161, 161, 0, 0, 0],
    "basic-video-call": [355, 0, 0, 163, 0, 0, 0],
}
# How many messages each of the publication's sequences has.
LENGTHS = {
    "basic-voice-call": 7,
    "basic-video-call": 7,
    "push-to-talk": 6,
    "3gpp-video-call": 14,
    "3gpp-video-call-re-invite": 8,
    "3gpp-video-call-re-invite-reliable": 10,
    "3gpp-registration": 4,
}


def test_all_sequences_are_there() -> None:
    assert {name: len(sip.messages(name)) for name in sip.NAMES} == LENGTHS


@pytest.mark.parametrize("name", sip.NAMES)
def test_messages_are_whole(name: str) -> None:
    for arrow, message in sip.messages(name):
        head, _, body = message.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        assert (
            re.fullmatch(r"SIP/2\.0 \d{3} .+", first) if arrow == "<" else re.fullmatch(r"[A-Z]+ \S+ SIP/2\.0", first)
        )
        names = [line.partition(":")[0].lower() for line in lines]
        assert {"via", "from", "to", "call-id", "cseq", "content-length"} <= set(names)  # RFC 3261, 8.1.1
        assert all(re.fullmatch(r"[A-Za-z-]+: \S.*", line) for line in lines)
        assert f"content-length: {len(body)}" in head.decode().lower()
        assert bool(body) == ("content-type" in names)
        assert len(message) <= MOST_UDP


@pytest.mark.parametrize(("name", "octets"), BODIES.items())
def test_bodies_are_those_of_the_publication(name: str, octets: list[int]) -> None:
    assert [len(message.partition(b"\r\n\r\n")[2]) for _, message in sip.messages(name)] == octets


@pytest.mark.parametrize("name", sip.NAMES)
def test_a_sequence_is_one_call(name: str) -> None:
    found = sip.messages(name)
    assert found[0][0] == ">"
    assert len({re.search(rb"(?i)\r\ncall-id: (.*?)\r\n", message)[1] for _, message in found}) == 1  # type: ignore[index]
