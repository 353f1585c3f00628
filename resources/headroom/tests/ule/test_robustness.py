# SPDX-License-Identifier: Apache-2.0
"""Damaged and hostile TS packets, and a receiver beside the judge's."""

from __future__ import annotations

import itertools
import random

import pytest

from headroom.core import matrix, scheme_registry
from headroom.core.errors import UsageError
from headroom.core.implementations import find
from headroom.core.matrix import ArtefactStore, Row
from headroom.schemes.ule import builder, comparison, damage, events, hostile, line
from headroom.schemes.ule.damage import Damage
from headroom.schemes.ule.judge.receiver import CRC_ERROR, Receiver
from headroom.schemes.ule.scheme import SCHEME
from headroom.schemes.ule.vectors import Arrival

PACKETS = [builder.ts_packet(builder.sndu(0x0800, builder.ipv4(100, n)), n, pointer=0) for n in range(4000)]


def across(**words: float) -> list[bytes]:
    return damage.across(PACKETS, Damage(**words), random.Random(1))


def test_a_line_without_damage() -> None:
    assert across() == PACKETS


def test_shares() -> None:
    assert 0.03 < 1 - len(across(lost=0.05)) / len(PACKETS) < 0.07
    assert 0.15 < len(across(doubled=0.2)) / len(PACKETS) - 1 < 0.25
    swapped = across(swapped=0.1)
    assert sorted(swapped) == sorted(PACKETS) and swapped != PACKETS
    marked = across(marked=0.1)
    assert 300 < sum(one[1] & 0x80 != 0 for one in marked) < 500
    wrong = sum(
        (x ^ y).bit_count()
        for one, other in zip(across(ber=1e-3), PACKETS, strict=True)
        for x, y in zip(one, other, strict=True)
    )
    assert 0.9e-3 < wrong / (len(PACKETS) * 188 * 8) < 1.1e-3


def test_bursts_are_as_long_as_configured() -> None:
    places = [PACKETS.index(one) for one in across(bursts=0.001, burst=7)]
    gaps = [after - before - 1 for before, after in itertools.pairwise(places) if after - before > 1]
    assert 7 in gaps and all(gap >= 7 for gap in gaps)


@pytest.mark.parametrize("words", [{"lots": "1"}, {"lost": "much"}, {"lost": "2"}, {"burst": "0.5"}])
def test_wrong_words(words: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        damage.read(words)
    with pytest.raises(UsageError, match="Known: payload pointers"):
        hostile.arrivals("no kind", 1)


@pytest.mark.parametrize("kind", sorted(hostile.KINDS))
def test_each_kind_leads_to_errors_and_to_units(kind: str) -> None:
    """The judge notes errors, and finds what stands behind them."""
    arrivals, channel = hostile.arrivals(kind, 1)
    assert hostile.arrivals(kind, 1) == (arrivals, channel)
    first = channel["first_pid"]
    receiver = Receiver(pids=frozenset(range(first, first + channel["channels"])))
    units = [unit for one in arrivals for unit in receiver.take(one.octets)]
    assert units and receiver.events


def test_differences_of_counters() -> None:
    statistics = {counter: 0 for counters in events.OF_THE_JUDGE.values() for counter in counters}
    assert events.differences({}, statistics) == []
    assert events.differences({CRC_ERROR: 2}, statistics | {"crc_errors": 2}) == []
    assert events.differences({CRC_ERROR: 2}, statistics) == ["crc_errors: 0, and the judge notes 2"]
    assert events.differences({CRC_ERROR: 1}, {}) == ["the statistics have no crc_errors; the judge notes 1"]


@pytest.mark.parametrize(
    ("units", "wrong", "missing"),
    [([0, 1, 2], False, 0), ([0, 2], False, 1), ([], False, 3), ([1, 0], True, 1), ([0, 0], True, 2)],
)
def test_units_of_a_receiver_beside_those_of_the_judge(
    monkeypatch: pytest.MonkeyPatch, units: list[int], wrong: bool, missing: int
) -> None:
    pdus = [builder.ipv4(100, n) for n in range(3)]
    made = line.Received(tuple(pdus[n] for n in units), {}, (0x0800,) * len(units))
    monkeypatch.setattr(line, "receive", lambda *_: made)
    found = comparison.compare(find("reference"), [Arrival(one) for one in PACKETS[:3]], {}, "any")
    assert found.judged == tuple(pdus)
    assert (bool(found.wrong), found.missing) == (wrong, missing)
    assert bool(found.milder) == bool(missing)


def test_a_unit_of_another_type_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    pdu = builder.ipv4(100, 0)
    for types, wrong in (((0x86DD,), True), ((0x0800,), False), ((0,), False)):
        made = line.Received((pdu,), {}, types)
        monkeypatch.setattr(line, "receive", lambda *_, made=made: made)
        found = comparison.compare(find("reference"), [Arrival(PACKETS[0])], {}, "any")
        assert ("type 0x86DD" in found.wrong) == wrong


def test_units_from_behind_a_wrong_crc_are_a_missed_should(monkeypatch: pytest.MonkeyPatch) -> None:
    right = builder.ipv4(60, 2)
    wrong = builder.sndu(0x0800, builder.ipv4(60, 1), trailer=b"abcd")
    arrivals = [Arrival(builder.ts_packet(wrong + builder.sndu(0x0800, right), 0, pointer=0))]
    monkeypatch.setattr(line, "receive", lambda *_: line.Received((right,), {"crc_errors": 1}, (0,)))
    found = comparison.compare(find("reference"), arrivals, {}, "any")
    assert (found.judged, found.wrong, found.more) == ((), "", 1)
    assert "after a wrong CRC" in found.milder


@pytest.mark.engine
def test_a_row_of_the_matrix(tmp_path, real_build: str) -> None:
    axes = {"packing": "packing", "address": "absent", "carriage": "direct"}
    row = Row(SCHEME, "reference", "reference", axes, ("rtp-video",), build=real_build)
    results = matrix.run(row, ArtefactStore(tmp_path))
    assert [one["verdict"] for one in results] == ["pass"] * len(SCHEME.links)
    clean, *others = results
    assert (
        clean["delivered"] == clean["packets"] > max(one["delivered"] for one in others if "doubled" not in one["link"])
    )
    assert scheme_registry.of_axes(axes) is SCHEME
