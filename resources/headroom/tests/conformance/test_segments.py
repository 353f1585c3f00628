# SPDX-License-Identifier: Apache-2.0
"""Packets that went as segments, as the judge reads them: what they make up, and how a compressor may cut them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from headroom.core import replay
from headroom.core.replay import Replay
from headroom.schemes.rohc import judging
from headroom.schemes.rohc.conformance import arrivals, losses
from headroom.schemes.rohc.conformance.losses import literal
from headroom.schemes.rohc.conformance.observation import Observation, observe
from headroom.schemes.rohc.judge import Checker, Parameters
from headroom.schemes.rohc.judge.framework import crc
from headroom.tests.conformance.support import BEGINNING, document, record, sent
from headroom.tests.runs import replay_of

MRRU = {"mrru": 200}


def cut(packet: bytes, *lengths: int) -> list[bytes]:
    """The segments of a packet, of such lengths and the rest: RFC 3095, 5.2.5.2."""
    unit = packet + crc.crc32(packet).to_bytes(4, "little")
    pieces = []
    for length in lengths:
        pieces.append(unit[:length])
        unit = unit[length:]
    return [b"\xfe" + piece for piece in pieces] + [b"\xff" + unit]


def record_of(index: int, links: list[bytes], **more: Any) -> dict[str, Any]:
    """What the engine records of a packet: of one with several link packets, that it went as segments."""
    if len(links) == 1:
        return record(index, links[0], **more)
    statuses = ["NOTHING"] * (len(links) - 1) + ["OK"]
    found = record(index, None, statuses=statuses, **more)
    fate = found.pop("fate")
    return found | {"segments": [{"link": link.hex(), "fate": fate} for link in links]}


Observer = Callable[..., Observation]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Observer:
    """Observes a stream of which some packets, by number, go as other link packets than themselves."""

    def observer(kinds: Iterable[str], instead: dict[int, list[bytes]], channel: dict[str, Any] = MRRU) -> Observation:
        links, originals = sent("rtp-ipv4", kinds)
        records = [record_of(n, instead.get(n, [link])) for n, link in enumerate(links)]
        monkeypatch.setattr(replay, "run", lambda now: Replay(now, document(records)))
        return observe(replay_of(source=literal(originals), channel=channel))

    return observer


def first_packet() -> bytes:
    return sent("rtp-ipv4", ["IR"])[0][0]


def found(seen: Observation) -> list[tuple[int | None, str]]:
    return [(one.packet, one.requirement) for one in seen.findings]


def test_segments_make_up_a_packet(play: Observer) -> None:
    ir = first_packet()
    seen = play([*BEGINNING, "UO-0"], {0: cut(ir, 20, 20)})
    assert found(seen) == []
    assert seen.restored == 4
    whole = seen.packets[0]
    assert (whole.kind, whole.cid, whole.link, len(whole.segments)) == ("IR", 0, ir, 3)
    assert whole.has_arrived
    assert seen.packets[3].segments == ()


def test_what_is_wrong_with_a_segmented_packet_is_said_of_it(play: Observer) -> None:
    wrong = bytearray(first_packet())
    wrong[20] ^= 1
    seen = play(BEGINNING, {0: cut(bytes(wrong), 20)})
    assert found(seen) == [(0, "RFC3095-5.2.6-5")]


@pytest.mark.parametrize(
    ("links", "channel", "findings"),
    [
        (cut(first_packet(), 20), {}, [(0, "RFC5795-5.1.2-6"), (0, "RFC5795-5.1.2-6")]),
        (cut(first_packet(), 20), {"mrru": 40}, [(0, "RFC5795-5.2.5.2-3")]),
        (cut(first_packet(), 20)[:1], MRRU, [(1, "RFC3095-5.2.5.2-1")]),
        ([*cut(first_packet(), 20)[:1], b"\xff"], MRRU, [(0, "RFC5795-5.2.5.2-3")]),
        (cut(b"\xe0" + first_packet(), 20), MRRU, [(0, "RFC5795-5.2.5.2-1")]),
    ],
    ids=["without MRRU", "beyond MRRU", "not finished", "no CRC-32", "padding inside"],
)
def test_units_that_are_not_right(
    play: Observer, links: list[bytes], channel: dict[str, Any], findings: list[tuple[int, str]]
) -> None:
    instead = {0: links if len(links) > 1 else [links[0]]}
    seen = play(BEGINNING, instead, channel)
    assert found(seen)[: len(findings)] == findings


def test_a_unit_that_the_stream_leaves_open(play: Observer) -> None:
    links, _ = sent("rtp-ipv4", BEGINNING)
    seen = play(BEGINNING, {2: cut(links[2], 20, 5)[:2]})
    assert found(seen) == [(2, "RFC3095-5.2.5.2-1")]


def test_feedback_between_segments_interrupts_them() -> None:
    ir, original = (one[0] for one in sent("rtp-ipv4", ["IR"]))
    first, last = cut(ir, 20)
    checker = Checker(Parameters(mrru=200))
    for link, source in ((first, original), (bytes.fromhex("f100"), None), (last, original)):
        checker.take(link, source)
    requirements = [(one.packet, one.requirement) for one in checker.findings]
    assert (1, "RFC3095-5.2.5.2-1") in requirements
    assert (2, "RFC5795-5.2.5.2-3") in requirements


def test_losses_are_looked_at_packet_by_packet(play: Observer) -> None:
    seen = play([*BEGINNING, "UO-0"], {0: cut(first_packet(), 20, 20)})
    assert losses.disagreements(seen.packets, seen.parameters) == []
    assert [arrival.octets[0] for arrival in arrivals.in_order(seen)][:4] == [0xFE, 0xFE, 0xFF, 0xFD]
    balance = arrivals.balance(seen)
    assert (balance.arrived, balance.restored_by_judge, balance.at_risk) == (4, 4, 0)
    seen.packets[0].record["segments"][1]["fate"] = "lost"
    assert not seen.packets[0].has_arrived
    assert len(arrivals.in_order(seen)) == 5


def test_a_link_of_short_packets_before_the_second_judge() -> None:
    """What a traffic profile becomes on a link that takes 40 octets at once."""
    done = replay.run(replay_of(source="voip-amr-nb-ipv4", packets=100, channel={"mrru": 1000, "largest_packet": 40}))
    judgement = judging.second_judge(done)
    assert (judgement.packets, judgement.restored) == (100, 100)
    assert judgement.findings == judgement.not_judged == []
    seen = observe(done.config)
    assert seen.restored == 100
    assert {seen.kind for seen in seen.packets if seen.segments} == {"IR"}
