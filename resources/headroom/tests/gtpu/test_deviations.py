# SPDX-License-Identifier: Apache-2.0
"""Deviations that others were seen to have are found by the cases that are about them; and what is right but different
is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from headroom.schemes.gtpu import judge, packets
from headroom.schemes.gtpu.conformance import uplink
from headroom.schemes.gtpu.conformance.check import Check
from headroom.schemes.gtpu.conversation import Conversation
from headroom.schemes.gtpu.keywords.conformance import STORIES
from headroom.tests.gtpu import changed_plane as changed

Case = Callable[[Conversation, Check], None]
ECHO_RESPONSE = 2


def told(group: str, name: str) -> Case:
    return STORIES[group][name].tell


def forwarded(**words: str) -> Case:
    return lambda talk, check: uplink.must_be_forwarded(talk, check, words)


def dropped(**words: str) -> Case:
    return lambda talk, check: uplink.must_be_dropped(talk, check, words, 1)


CHAIN = "85:1009 20:0500 40:0868"
DEVIATIONS: dict[str, tuple[Case, dict[str, Any]]] = {
    "no Error Indication": (told("tunnels", "unknown TEID"), {"outgoing": changed.without(judge.ERROR_INDICATION)}),
    "no Recovery": (
        told("path", "echo"),
        {"outgoing": changed.edited(ECHO_RESPONSE, lambda octets: octets[:2] + b"\0\4" + octets[4:12])},
    ),
    "sequence number not echoed": (
        told("path", "echo"),
        {"outgoing": changed.edited(ECHO_RESPONSE, lambda octets: octets[:8] + b"\0\0" + octets[10:])},
    ),
    "S without E dropped": (
        forwarded(flags="S"),
        {"incoming": changed.dropping(lambda read, flags: flags in (1, 2, 3))},
    ),
    "PN without E dropped": (
        forwarded(flags="PN"),
        {"incoming": changed.dropping(lambda read, flags: flags in (1, 2, 3))},
    ),
    "chains dropped": (
        forwarded(extensions=CHAIN),
        {"incoming": changed.dropping(lambda read, flags: len(read.extensions) > 1)},
    ),
    "long extension headers dropped": (
        forwarded(extensions="85:1009 01/255:" + "00" * 1018),
        {"incoming": changed.dropping(lambda read, flags: any(len(one.content) > 2 for one in read.extensions))},
    ),
    "required extension headers not looked at": (
        told("tunnels", "unknown extension headers that have to be understood"),
        {"incoming": changed.stripped},
    ),
    "version 2 forwarded": (dropped(first="0x50", extensions=""), {"incoming": changed.repaired}),
    "protocol type 0 forwarded": (dropped(first="0x20", extensions=""), {"incoming": changed.repaired}),
    "extension length 0 forwarded": (dropped(extensions="85:1009 20/0:0500"), {"incoming": changed.stripped}),
    "extension past the end forwarded": (dropped(extensions="85:1009 20/255:0500"), {"incoming": changed.stripped}),
    "Length past the end ignored": (dropped(length="4"), {"incoming": changed.repaired}),
    "Length ignored": (told("tunnels", "Length short of the end"), {"incoming": changed.sized_by_datagram}),
    "source address not checked": (told("tunnels", "source address of another user"), {"on": changed.let_through}),
    "off-filter packets answered": (
        told("tunnels", "no Error Indication without a rule"),
        {"on": changed.answered_off_filter},
    ),
    "End Markers not passed on": (told("tunnels", "End Marker is passed on"), {"outgoing": changed.without(254)}),
}
FREEDOMS: dict[str, dict[str, Any]] = {
    "a port for each flow": {"outgoing": changed.with_port_of_flow},
    "a hop is counted": {"outgoing": changed.hop_counted},
    "a sequence number": {"outgoing": changed.numbered},
    "no answer to unknown types": {"incoming": changed.dropping(lambda read, flags: read.type not in judge.MESSAGES)},
}


@pytest.mark.parametrize("name", DEVIATIONS)
def test_a_deviation_is_found(name: str, real_build: str) -> None:
    case, changes = DEVIATIONS[name]
    with changed.opened(real_build) as (talk, check):
        case(talk, check)
    assert check.findings == [], "the reference as it is"
    with changed.opened(real_build, **changes) as (talk, check):
        case(talk, check)
    assert [one for one in check.findings if one.severity == "must"], name


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
