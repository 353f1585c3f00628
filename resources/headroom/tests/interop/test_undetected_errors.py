# SPDX-License-Identifier: Apache-2.0
"""What bit errors and losses excuse, and what they do not: packets that never were at risk, compressors at fault."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headroom.core import replay
from headroom.schemes.rohc.interop import undetected_errors
from headroom.schemes.rohc.interop.arrival import Arrival
from headroom.schemes.rohc.interop.study import Study
from headroom.schemes.rohc.judge import Outcome
from headroom.schemes.rohc.judge.framework.errors import CrcMismatch
from headroom.tests.interop import support

ORIGINAL = b"original"


def arrivals(kinds: str, wrong: set[int], refused: set[int], judged: bytes = ORIGINAL) -> Study:
    """Arrivals of one context: `wrong` came out wrong, `refused` by the judge, which makes `judged` of the others."""
    no = CrcMismatch("RFC3095-5.3.2.2.2-1", "no")

    def arrival(index: int) -> Arrival:
        packet: Any = SimpleNamespace(kind=kinds, cid=0)
        outcome = Outcome(packet, None, no) if index in refused else Outcome(packet, judged)
        return Arrival(index, b"", "OK", "mismatched" if index in wrong else "identical", outcome)

    found: list[Arrival] = [arrival(index) for index in range(20)]
    done: Any = SimpleNamespace(records=[])
    return Study(done, [ORIGINAL] * 20, found)


@pytest.mark.parametrize(("kind", "least", "most"), [("R-0", 10, 50), ("UO-0", 4, 12), ("UOR-2", 1, 4)])
def test_wrong_packets_that_a_crc_is_bound_to_miss(kind: str, least: int, most: int) -> None:
    """Ten arrivals that the judge refuses, and three behind them: without a CRC each may come out wrong, with 7 bits
    hardly any."""
    found = arrivals(kind, set(range(10)), set(range(10))).chance()
    assert least <= found.allowed <= most
    assert found.unexplained == ()


def test_what_the_judge_restores_had_no_chance_to_go_wrong() -> None:
    found = arrivals("UO-0", {3, 10, 17}, set()).chance()
    assert found == undetected_errors.Chance(0, (3, 10, 17))


def test_behind_a_packet_at_risk_until_four_in_a_row_come_out_right() -> None:
    assert arrivals("UO-0", {4, 5, 6}, {4}).chance().unexplained == ()
    assert arrivals("UO-0", {4, 8, 12}, {4}).chance().unexplained == ()  # three each between them
    assert arrivals("UO-0", {4, 9}, {4}).chance().unexplained == (9,)
    assert arrivals("UO-0", {3, 5}, {4}).chance().unexplained == (3,)


def test_other_contexts_are_not_at_risk_unless_nobody_knows_whose_a_packet_was() -> None:
    seen = arrivals("UO-0", {5}, {4})
    seen.arrivals[4].outcome.packet.cid = 7
    assert seen.chance().unexplained == (5,)
    seen.arrivals[4].outcome.packet = None
    assert seen.chance().unexplained == ()


def test_flipped_payload_is_no_risk() -> None:
    """The judge gives the payload as it arrived, which is not the original's; what had to come out is the same."""
    seen = arrivals("UO-0", {3}, set(), judged=b"originam")
    for arrival in seen.arrivals:
        arrival.flips = (1,)  # l, 0x6c, becomes m, 0x6d
    assert seen.chance() == undetected_errors.Chance(0, (3,))
    seen.arrivals[3].flips = ()
    assert seen.chance().unexplained == ()


@pytest.mark.long
@pytest.mark.parametrize("link", ["ber-1e-3", "loss-1", "burst-loss", "reorder-2"])
def test_a_decompressor_that_is_wrong_without_a_cause(
    tmp_path: Path, real_build: str, monkeypatch: pytest.MonkeyPatch, link: str
) -> None:
    """Every seventh packet that came out right is said to have come out wrong, as a decompressor of that sort does."""
    monkeypatch.setattr("headroom.core.replay.run", _spoiling(replay.run))
    monkeypatch.setattr("headroom.core.scheme_kit.minimise.MOST_TRIALS", 2)
    one = support.cell("reference", "reference", real_build, "voip-mixed", link, packets=480, profile="0x0001")
    result = support.result_of(one, support.store(tmp_path))
    assert result["verdict"] == "fail", result["reason"]
    assert "undamaged and after no damage" in result["reason"]
    assert "comes out wrong" in result["signature"]


def _spoiling(run: Callable[[replay.ReplayConfig], replay.Replay]) -> Callable[[replay.ReplayConfig], replay.Replay]:
    def spoiled(wanted: replay.ReplayConfig) -> replay.Replay:
        done = run(wanted)
        forward = done.direction()
        right = done.count("identical")
        forward["verdicts"]["identical"] = right - right // 7
        forward["verdicts"]["mismatched"] = done.count("mismatched") + right // 7
        came = [record for record in done.records if record.get("verdict") == "identical"]
        for record in came[6::7]:
            record["verdict"] = "mismatched"
            forward["mismatch_list"].append(
                {"packet": record["packet"], "first_difference": 0, "expected": "45", "got": "44"}
            )
        return done

    return spoiled
