# SPDX-License-Identifier: Apache-2.0
"""Packets that a user plane sends beside those that it must send."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from headroom.schemes.gtpu import packets
from headroom.schemes.gtpu.conformance.check import Check
from headroom.schemes.gtpu.conversation import SECOND, Conversation, Facts
from headroom.schemes.gtpu.user_plane import N3, N6, N9, Sent, Step

PACKET = packets.udp("10.45.0.1", "198.51.100.10", 40000, 443, b"user")


@pytest.mark.parametrize("side", [N3, N9])
def test_a_copy_on_another_side_is_a_finding(side: str) -> None:
    """Both ways, so that no user plane can pass on to others what is a user's."""
    check = Check("TS29244-8.2.26-2")
    check.uplink(Step(taken=(Sent(N6, PACKET),)), PACKET)
    assert not check.findings
    check.uplink(Step(taken=(Sent(N6, PACKET), Sent(side, PACKET))), PACKET)
    assert [str(entry) for entry in check.findings] == [
        "Not on N6, 1 packet came, but none is expected. (TS29244-8.2.26-2)"
    ]
    session: Any = SimpleNamespace()
    check.findings.clear()
    check.downlink(Step(taken=(Sent(N6, PACKET),)), session, PACKET, side=side)
    assert f"Not on {side}, 1 packet came" in str(check.findings[0])


def test_what_comes_after_the_last_step_is_a_finding() -> None:
    asked = []

    def advance(time_ns: int) -> Step:
        asked.append(time_ns)
        return Step(taken=(Sent(N6, PACKET, time_ns),))

    plane: Any = SimpleNamespace(advance=advance, repeat=lambda *_: Step())
    talk, check = Conversation(plane, Facts()), Check("TS29244-8.2.26-2")
    check.nothing_late(talk)
    assert asked == [SECOND] and len(check.findings) == 1
    assert str(check.findings[0]).startswith("1 packet came within 1 s after the last step")
    talk.flood(PACKET, N6, 10, 1000)
    check.nothing_late(talk)
    assert len(check.findings) == 1, "a user plane may hold back a flood"


def test_an_echo_request_may_be_sent_at_any_time() -> None:
    echo = packets.udp("172.17.0.1", "172.16.0.1", 2152, 2152, packets.gtpu(1, 0, b"", sequence=1))
    plane: Any = SimpleNamespace(advance=lambda time_ns: Step(taken=(Sent(N3, echo, time_ns),)))
    check = Check("TS29244-8.2.26-2")
    check.nothing_late(Conversation(plane, Facts()))
    assert check.findings == []


def test_what_must_be_dropped_goes_nowhere() -> None:
    """Not back either: a user's packet of the uplink in a tunnel, one of the downlink in the data network."""
    back = packets.udp("172.17.0.1", "172.16.0.1", 2152, 2152, packets.gtpu(255, 7, PACKET))
    check = Check("TS29244-8.2.26-1")
    check.dropped(Step(taken=(Sent(N3, back),)))
    assert [str(entry) for entry in check.findings] == [
        "1 packet went on to another side than N6, but the packet must be dropped. (TS29244-8.2.26-1)"
    ]
    check.dropped(Step(taken=(Sent(N6, PACKET),)), side=N3)
    assert len(check.findings) == 2


def test_what_is_dropped_may_be_answered() -> None:
    """With an Error Indication (TS 29.281, 7.3.1), or with ICMP in the data network."""
    answer = packets.udp("172.17.0.1", "172.16.0.1", 2152, 2152, packets.gtpu(26, 0, b"", sequence=0))
    unreachable = packets.ip("10.45.0.1", "198.51.100.10", packets.ICMP, bytes([3, 1]) + bytes(6) + PACKET)
    check = Check("TS29244-8.2.26-1")
    check.dropped(Step(taken=(Sent(N3, answer),)))
    check.dropped(Step(taken=(Sent(N6, unreachable),)), side=N3)
    assert check.findings == []
