# SPDX-License-Identifier: Apache-2.0
"""The runner of cells: order, groups, cells without a verdict, and failures that share their fewest items."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from headroom.core.capabilities import Inconclusive, Misbehaviour
from headroom.core.captures.dissection import LinkPacket, LinkReader, Ours, PlainChannel, Reading
from headroom.core.engine_result import EngineFailure, Kind
from headroom.core.errors import HeadroomError
from headroom.core.matrix import ArtefactStore, Cell, Row, Traffic, row_axes
from headroom.core.results import collector
from headroom.core.scheme_kit import second_reading
from headroom.core.scheme_kit.cells import Runner, Trial, fewest
from headroom.core.scheme_kit.evidence import MinimisedFailure
from headroom.core.scheme_registry import all_schemes


def cells(*names: str, link: str = "clean", **axes: str) -> list[Cell]:
    vj = all_schemes()["vj"]
    return [Cell(Row(vj, "one", "two", row_axes(vj, axes)), Traffic(name), link) for name in names]


@pytest.fixture(autouse=True)
def nothing_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headroom.core.deviations.matching", lambda cell: [])


def test_cells_that_are_tried_together_keep_their_places(tmp_path: Path) -> None:
    groups: list[list[str]] = []

    def trial(group: Sequence[Cell], store: ArtefactStore) -> list[Trial]:
        groups.append([cell.traffic.name for cell in group])
        return [Trial("pass", cell.traffic.name) for cell in group]

    asked = [*cells("a"), *cells("b", link="lost-1"), *cells("c"), *cells("d", link="lost-1")]
    found = Runner(trial, together=lambda cell: cell.link, at_once=lambda: 1).run(asked, ArtefactStore(tmp_path))
    assert groups == [["a", "c"], ["b", "d"]]
    assert [(one["traffic"], one["reason"]) for one in found] == [(name, name) for name in "abcd"]


@pytest.mark.parametrize(
    ("failure", "crashed"),
    [(EngineFailure("crash", "It died."), True), (EngineFailure("timeout", "It hung."), False)]
    + [(Inconclusive("Nothing was lost."), False)],
)
def test_a_cell_without_a_verdict_is_an_error(tmp_path: Path, failure: HeadroomError, crashed: bool) -> None:
    def trial(group: Sequence[Cell], store: ArtefactStore) -> list[Trial]:
        raise failure

    current = collector.begin()
    (found,) = Runner(trial).run(cells("a"), ArtefactStore(tmp_path))
    assert (found["verdict"], found["reason"], found["signature"]) == ("error", str(failure), "harness")
    assert current.crashed == crashed
    named = Runner(trial, failed=lambda cell, failure: Trial("error", "because", cell.link))
    assert named.run(cells("a"), ArtefactStore(tmp_path))[0]["signature"] == "clean"


def test_what_keeps_all_cells_from_running_ends_the_row(tmp_path: Path) -> None:
    def trial(group: Sequence[Cell], store: ArtefactStore) -> list[Trial]:
        raise EngineFailure("output", "The disk is full.")

    with pytest.raises(EngineFailure):
        Runner(trial).run(cells("a", "b"), ArtefactStore(tmp_path))


def test_a_failure_is_made_small_once_for_each_signature_and_axis(tmp_path: Path) -> None:
    made: list[str] = []

    def trial(group: Sequence[Cell], store: ArtefactStore) -> list[Trial]:
        def small(name: str) -> MinimisedFailure:
            made.append(name)
            return MinimisedFailure(1, "", "", "", "")

        return [
            Trial("fail", "wrong", cell.traffic.name[0], text=list, smallest=partial(small, cell.traffic.name))
            for cell in group
        ]

    store = ArtefactStore(tmp_path)
    runner = Runner(trial, at_once=lambda: 1)
    found = runner.run([*cells("a1", "a2", "b1"), *cells("a3", max_slot_id="3")], store)
    assert made == ["a1", "b1", "a3"]
    assert all(one["minimised"]["packets"] == 1 for one in found)
    Runner(trial, at_once=lambda: 1, minimised_for=lambda row: ()).run(cells("a4", max_slot_id="255"), store)
    Runner(trial, at_once=lambda: 1, minimised_for=lambda row: ()).run(cells("a5", max_slot_id="15"), store)
    assert made == ["a1", "b1", "a3", "a4"]


def test_the_fewest_items() -> None:
    def signature(chosen: list[int]) -> str:
        if not chosen:
            raise HeadroomError("There is nothing.")
        return "wrong" if {3, 8} <= set(chosen) else ""

    assert fewest(range(10), signature, "wrong") == [3, 8]
    assert fewest(range(8), signature, "wrong") is None
    assert fewest([], signature, "wrong") is None


def test_two_readings_of_a_link() -> None:
    class Reader(LinkReader):
        def read(self, link: LinkPacket) -> Ours:
            octet = link.octets[0]
            return Ours("header", {"mask": octet}) if octet else Ours(error="There is nothing.")

    theirs = [Reading("header", {"mask": 1}), Reading("", {"mask": 9}), Reading("header", {"mask": 4, "length": 2})]
    channel = PlainChannel(Reader, lambda packets: [*theirs, Reading("header", {"length": 7}), Reading("header")])
    found = second_reading.compare(channel, [LinkPacket(bytes([octet])) for octet in (1, 2, 3, 4, 0)])
    assert (found.packets, found.fields, found.skipped) == (2, 2, 2)
    assert found.differences == [
        "packet 3 (header): mask is 3, and 4 as tshark reads it",
        "packet 5: the judge refuses it: There is nothing.",
    ]


def died_with(kind: Kind, *sides: str) -> EngineFailure:
    failure = EngineFailure(kind, "It ended.")
    failure.sides = sides
    return failure


@pytest.mark.parametrize(
    ("failure", "signature"),
    [
        (died_with("crash", "decompressor"), "decompressor · crash"),
        (died_with("crash", "compressor", "decompressor"), "harness"),
        (died_with("input", "decompressor"), "harness"),
        (Misbehaviour("It lies.", "compressor"), "compressor · broken promise"),
        (Misbehaviour("It lies."), "harness"),
    ],
)
def test_the_side_that_alone_can_have_failed_signs(tmp_path: Path, failure: HeadroomError, signature: str) -> None:
    def trial(group: Sequence[Cell], store: ArtefactStore) -> list[Trial]:
        raise failure

    collector.begin()
    assert Runner(trial).run(cells("a"), ArtefactStore(tmp_path))[0]["signature"] == signature
