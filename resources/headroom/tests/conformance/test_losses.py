# SPDX-License-Identifier: Apache-2.0
"""One change, many patterns of losses: what is sent, and what a decompressor owes of what arrives."""

from __future__ import annotations

from typing import Any

import pytest

from headroom.core.replay import ReplayConfig
from headroom.schemes.rohc.conformance import capabilities, losses
from headroom.schemes.rohc.conformance.flow import Flow
from headroom.schemes.rohc.conformance.observation import Observation
from headroom.schemes.rohc.judge import Parameters
from headroom.tests.conformance.support import BEGINNING, observed, record, sent
from headroom.tests.runs import replay_of

PARAMETERS = Parameters()


def test_packets_of() -> None:
    packets = losses.packets_of(Flow.of("rtp-ipv4"), {2: "ttl to 9"}, 4)
    assert [packet[8] for packet in packets] == [64, 64, 9, 9]


def test_literal() -> None:
    found = losses.literal([b"\x01", b"\x02"], channels=2, interval_ns=5, start_ns=7)
    assert found == [
        {"time_ns": 7, "channel": 0, "hex": "01"},
        {"time_ns": 7, "channel": 1, "hex": "01"},
        {"time_ns": 12, "channel": 0, "hex": "02"},
        {"time_ns": 12, "channel": 1, "hex": "02"},
    ]


def arrivals(verdicts: dict[int, str], lost: tuple[int, ...] = ()) -> Observation:
    links, originals = sent("rtp-ipv4", [*BEGINNING, *["UO-0"] * 7])
    records = []
    for n, link in enumerate(links):
        one = record(n, link, verdicts.get(n, "identical"))
        if n in lost:
            one |= {"fate": "scripted_drop", "verdict": "lost_on_link", "decompressor": []}
        records.append(one)
    return observed(links, originals, records=records)


def test_no_complaint_about_what_is_right() -> None:
    assert losses.disagreements(arrivals({}).packets, PARAMETERS) == []
    assert losses.disagreements(arrivals({}, lost=(4, 5)).packets, PARAMETERS) == []


def test_what_the_decompressor_owes() -> None:
    seen = arrivals({6: "not_delivered"}, lost=(5,))
    assert losses.disagreements(seen.packets, PARAMETERS, "losing c: ") == [
        "losing c: packet 7 (UO-0) is not delivered (ERR_CRC), though the packets that arrived suffice"
    ]


def test_what_comes_out_wrong() -> None:
    assert losses.disagreements(arrivals({6: "mismatched"}).packets, PARAMETERS) == [
        "packet 7 (UO-0) is delivered with other octets"
    ]


def test_nothing_is_owed_where_the_judge_is_lost() -> None:
    """Without any IR packet nobody can restore the rest."""
    seen = arrivals(dict.fromkeys(range(3, 10), "not_delivered"), lost=(0, 1, 2))
    assert losses.disagreements(seen.packets, PARAMETERS) == []


class Engine:
    """In place of `observe`: a compressor that carries the change in `carriers` packets, a decompressor as told."""

    def __init__(self, carriers: int, verdicts: dict[tuple[int, int], str]) -> None:
        self.carriers = carriers
        self.verdicts = verdicts  # by channel and packet of the flow
        self.asked: list[ReplayConfig] = []

    def __call__(self, wanted: ReplayConfig, judged: set[int] | None = None) -> Observation:
        self.asked.append(wanted)
        channels = wanted.channel.get("channels", 1)
        kinds = [*BEGINNING, *["UO-0"] * 37, "ttl to 9: IR-DYN", *["IR-DYN"] * (self.carriers - 1)]
        kinds += ["UO-0"] * (losses.PACKETS - len(kinds))
        links, originals = sent("rtp-ipv4", kinds)
        by_channel: list[Observation] = []
        for channel in range(channels):
            records = []
            for n, link in enumerate(links):
                dropped = n * channels + channel in wanted.forward["drop"]
                one = record(n, link, "lost_on_link" if dropped else self.verdicts.get((channel, n), "identical"))
                one |= {"fate": "scripted_drop", "decompressor": []} if dropped else {}
                records.append(one)
            by_channel.append(observed(links, originals, records=records))
        for channel, one in enumerate(by_channel):
            for packet in one.packets:
                packet.channel = channel
        whole = by_channel[0]
        whole.packets = [one.packets[n] for n in range(len(links)) for one in by_channel]
        return whole


@pytest.fixture
def many_channels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capabilities, "channels_of", lambda name, channel: 5)


def survey(monkeypatch: pytest.MonkeyPatch, carriers: int, verdicts: dict[Any, str]) -> tuple[losses.Survey, Engine]:
    engine = Engine(carriers, verdicts)
    monkeypatch.setattr(losses, "observe", engine)
    return losses.survey(Flow.of("rtp-ipv4"), "ttl to 9", replay_of()), engine


@pytest.mark.usefixtures("many_channels")
@pytest.mark.parametrize("carriers", [1, 2, 4])
def test_survey_counts_the_packets_that_carry_the_change(monkeypatch: pytest.MonkeyPatch, carriers: int) -> None:
    found, engine = survey(monkeypatch, carriers, {})
    assert found.carried == carriers
    assert found.patterns == len(losses.PATTERNS)
    # Five patterns at a time; pattern 2 loses the change and the packet behind it: packets 40 and 41 of channel 2.
    drops = [sorted(asked.forward["drop"]) for asked in engine.asked]
    assert len(drops) == -(-len(losses.PATTERNS) // 5)
    assert [drop for drop in drops[0] if drop % 5 == 2] == [40 * 5 + 2, 41 * 5 + 2]
    assert not [drop for drop in drops[0] if drop % 5 == 0]
    assert [packet["channel"] for packet in engine.asked[0].source[:6]] == [0, 1, 2, 3, 4, 0]


@pytest.mark.usefixtures("many_channels")
def test_survey_complains_about_the_decompressor(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = survey(monkeypatch, 4, {(1, 44): "not_delivered"})
    # In the first batch channel 1 loses the change itself, in the second the first six packets.
    assert "losing packets c: packet 45 (UO-0) is not delivered (ERR_CRC), though the packets that arrived suffice" in (
        found.complaints
    )
