# SPDX-License-Identifier: Apache-2.0
"""What is expected of a compressor's stream as a whole."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from headroom.schemes.rohc.conformance import stream
from headroom.schemes.rohc.conformance.flow import Flow
from headroom.schemes.rohc.conformance.sender import Sender
from headroom.tests.conformance.support import observed, sent
from headroom.tests.conformance.support import stream as seen_stream


def kinds(*runs: tuple[str, int]) -> list[Any]:
    """Packets of types, `(type, how many)` after another."""
    names = [kind for kind, count in runs for _ in range(count)]
    return [SimpleNamespace(index=100 + n, kind=kind, cid=0) for n, kind in enumerate(names)]


def test_begins_with_ir() -> None:
    assert stream.begins_with_ir(seen_stream("rtp-ipv4", ["IR", "UO-0"]).packets) == []


def test_begins_with_something_else() -> None:
    packets = seen_stream("rtp-ipv4", ["IR", "IR-DYN"]).packets[1:]
    assert stream.begins_with_ir(packets) == ["the first packet on the link is IR-DYN, not IR"]
    assert stream.begins_with_ir([]) == ["nothing was put on the link"]


def test_begins_with_an_ir_packet_that_is_not_complete() -> None:
    sender = Sender(Flow.of("rtp-ipv4"))
    link, original = sender.packet("IR", dynamic=False)
    packets = observed([link], [original]).packets
    assert stream.begins_with_ir(packets) == [
        "the first IR packet has no dynamic chain, so it holds no complete header"
    ]


def test_ir_of_profile_0x0000_has_no_chains() -> None:
    sender = Sender(Flow.of("udp-ipv4"), uncompressed=True)
    link, original = sender.packet("IR")
    assert stream.begins_with_ir(observed([link], [original]).packets) == []


def test_irs_at_start() -> None:
    assert stream.irs_at_start(kinds(("IR", 3), ("UO-0", 2), ("IR", 1))) == 3
    assert stream.irs_at_start(kinds(("IR", 4))) == 4
    assert stream.irs_at_start(kinds(("UO-0", 1))) == 0


def test_settled() -> None:
    assert stream.is_settled(kinds(("IR", 40), ("UO-0", 10))) == []
    assert stream.is_settled(kinds(("IR", 40), ("Normal", 10))) == []
    # Refreshes in between are right.
    assert stream.is_settled(kinds(("IR", 40), ("UO-0", 5), ("IR", 1), ("UO-0", 4))) == []


def test_not_settled() -> None:
    assert stream.is_settled(kinds(("IR", 3), ("UO-1", 60))) == [
        "after the first 40 packets, none is of type 0; packet 141 is UO-1"
    ]
    assert stream.is_settled(kinds(("IR", 40), ("UO-0", 4), ("UO-1", 96))) == [
        "after the first 40 packets, 4 of 100 are of type 0; packet 145 is UO-1"
    ]


def test_too_few_packets_say_nothing() -> None:
    assert stream.is_settled(kinds(("UO-0", 40))) == ["there are only 40 packets, none after the first 40"]


def test_refreshes() -> None:
    packets = kinds(("IR", 3), ("UO-0", 47), ("IR", 1), ("UO-0", 5), ("UOR-2-ID", 3), ("UO-0", 5), ("IR", 2))
    to_ir, to_lower = stream.refreshes(packets)
    assert to_ir == [50, 64]
    assert to_lower == [50, 56, 64]


def test_the_start_is_no_refresh() -> None:
    assert stream.refreshes(kinds(("IR", 40), ("UO-0", 10))) == ([], [])
    # Nor is one that began before and goes on.
    assert stream.positions(kinds(("IR", 42)), ("IR",)) == [40, 41]


def test_longest_without() -> None:
    assert stream.longest_without([100, 300, 350], 500) == 200
    assert stream.longest_without([], 500) == 460
    assert stream.longest_without([40], 100) == 60


@pytest.mark.parametrize(("cid", "most", "wrong"), [(3, 3, 0), (4, 3, 1), (None, 0, 0)])
def test_max_cid(cid: int | None, most: int, wrong: int) -> None:
    packets = kinds(("UO-0", 1))
    packets[0].cid = cid
    found = stream.above_max_cid(packets, most)
    assert len(found) == wrong
    assert not wrong or found == ["packet 101 uses CID 4, but MAX_CID is 3"]


def test_every_packet_is_there() -> None:
    links, originals = sent("rtp-ipv4", ["IR", "UO-0", "UO-0"])
    assert stream.not_sent(observed(links, originals).packets) == []
    broken: list[bytes | None] = [links[0], None, links[2]]
    records = observed(links, originals).done.records
    records[1]["compressor"] = {"status": "ERR_INTERNAL"}
    found = stream.not_sent(observed(broken, originals, records=records).packets)
    assert found == ["packet 2 is not put on the link (ERR_INTERNAL)"]


def test_a_packet_that_became_feedback_or_a_segment_is_no_packet_missing() -> None:
    """What the compressor keeps for later (HEADROOM_NOTHING) is not lost."""
    links, originals = sent("rtp-ipv4", ["IR", "UO-0"])
    records = observed(links, originals).done.records
    records[1]["compressor"] = {"status": "NOTHING"}
    assert stream.not_sent(observed([links[0], None], originals, records=records).packets) == []
