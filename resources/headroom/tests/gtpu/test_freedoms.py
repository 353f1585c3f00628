# SPDX-License-Identifier: Apache-2.0
"""Behaviour that the specifications leave open fails no case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from headroom.schemes.gtpu import judge, packets
from headroom.schemes.gtpu.conformance import uplink
from headroom.schemes.gtpu.conformance.check import Check
from headroom.schemes.gtpu.conversation import Conversation
from headroom.schemes.gtpu.keywords.conformance import STORIES
from headroom.schemes.gtpu.user_plane import Step
from headroom.tests.gtpu import changed_plane as changed

Case = Callable[[Conversation, Check], None]


def told(group: str, name: str) -> Case:
    return STORIES[group][name].tell


def forwarded(**words: str) -> Case:
    return lambda talk, check: uplink.must_be_forwarded(talk, check, words)


CHAIN = "85:1009 20:0500 40:0868"
FREEDOMS: dict[str, dict[str, Any]] = {
    "a port for each flow": {"outgoing": changed.with_port_of_flow},
    "a hop is counted": {"outgoing": changed.hop_counted},
    "a sequence number": {"outgoing": changed.numbered},
    "no answer to unknown types": {"incoming": changed.dropping(lambda read, flags: read.type not in judge.MESSAGES)},
}


@pytest.mark.parametrize("name", FREEDOMS)
def test_what_is_left_open_fails_no_case(name: str, real_build: str) -> None:
    for case in (told("tunnels", "both ways"), told("path", "unknown message types"), forwarded(extensions=CHAIN)):
        with changed.opened(real_build, **FREEDOMS[name]) as (talk, check):
            case(talk, check)
        assert [str(one) for one in check.findings if one.severity == "must"] == []


@pytest.mark.parametrize("chain", [(), (packets.Extension(0x40, b"\x08\x68"),)])
def test_a_udp_port_may_be_in_an_error_indication(chain: tuple[packets.Extension, ...], real_build: str) -> None:
    """TS 29.281, 7.3.1."""

    def with_port(octets: bytes) -> bytes:
        body = octets[judge.read(octets).header_octets :]
        return packets.gtpu(judge.ERROR_INDICATION, 0, body, sequence=5, extensions=chain)

    change = changed.edited(judge.ERROR_INDICATION, with_port)
    with changed.opened(real_build, outgoing=change) as (talk, check):
        STORIES["tunnels"]["unknown TEID"].tell(talk, check)
    assert check.findings == []


def test_several_end_markers_may_end_a_tunnel(real_build: str) -> None:
    """TS 38.300, 9.2.3.2.1, step 10: one or more."""

    class Twice(changed.ChangedPlane):
        def n4(self, octets: bytes, peer: str, port: int, time_ns: int | None = None) -> Step:
            step = super().n4(octets, peer, port, time_ns)
            return replace(step, taken=step.taken * 2)

    story = STORIES["rules"]["End Marker when the tunnel changes"].tell
    with changed.opened(real_build) as (talk, check):
        talk.plane = Twice(talk.plane)
        story(talk, check)
    assert check.findings == []
