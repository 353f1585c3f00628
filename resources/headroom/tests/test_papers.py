# SPDX-License-Identifier: Apache-2.0
"""Papers as data, verdicts on ours beside them, and the counting behind the Effnet paper's tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headroom.bench.capacity_search import Point, Trial
from headroom.cli import reproduce
from headroom.core import replay
from headroom.core.errors import UsageError
from headroom.core.papers import paper
from headroom.core.results import agreement
from headroom.core.results.record import _item
from headroom.schemes.rohc.papers import effnet_2007, effnet_2007_load
from headroom.tests.runs import replay_of, run_of


def figure(**changes: Any) -> paper.Figure:
    plain = {"id": "x", "where": "Table 1", "quantity": "q", "unit": "u", "paper": 100.0, "kind": "must-match"}
    return paper.Figure(**(plain | changes))


@pytest.mark.parametrize(
    ("changes", "measured", "spread", "verdict"),
    [
        ({}, 100.0, None, "pass"),
        ({}, 100.1, None, "fail"),
        ({"kind": "shape"}, 100.1, None, "non-strict"),
        ({"kind": "context"}, 5.0, None, None),
        ({"kind": "context"}, 100.0, None, None),
        ({"paper": None, "model": 100}, 100.0, None, "pass"),
        ({"paper": None, "model": 100}, 100.1, None, "fail"),
        ({"paper": None, "model": 100, "within": {"share": 0.05}, "kind": "shape"}, 94.0, None, "non-strict"),
        ({"paper": None}, 5.0, None, None),
        ({"unexplained": "why is not known"}, 100.1, None, "non-strict"),
        ({"unexplained": "why is not known"}, 100.0, None, "pass"),
        ({"within": {"distance": 2}}, 102.0, None, "pass"),
        ({"within": {"distance": 2}}, 102.1, None, "fail"),
        ({"within": {"share": 0.05}}, 95.0, None, "pass"),
        ({"within": {"share": 0.05}}, 94.0, None, "fail"),
        ({"within": {"deviations": 3}}, 129.0, 10.0, "pass"),
        ({"within": {"deviations": 3}}, 132.0, 10.0, "fail"),
        ({"within": {"deviations": 3}, "better": "lower"}, 50.0, 10.0, "pass"),
        ({"within": {"deviations": 3}, "better": "lower"}, 150.0, 10.0, "fail"),
        ({"better": "higher"}, 101.0, None, "pass"),
        ({"within": {"share": 0.05}, "better": "lower", "if_better": "non-strict"}, 96.0, None, "pass"),
        ({"within": {"share": 0.05}, "better": "lower", "if_better": "non-strict"}, 94.0, None, "non-strict"),
        ({"within": {"share": 0.05}, "better": "lower", "if_better": "non-strict"}, 106.0, None, "fail"),
        ({"within": {"share": 0.05}, "contradicted": "9.1: it is the same"}, 106.0, None, "non-strict"),
        ({"within": {"share": 0.05}, "contradicted": "9.1: it is the same"}, 104.0, None, "pass"),
        ({"paper": None, "kind": "shape"}, 1.0, None, None),
        ({"paper": None, "kind": "shape", "bound": {"at_least": 98}}, 97.9, None, "non-strict"),
        ({"paper": None, "kind": "shape", "bound": {"at_most": 0}}, 0.0, None, "pass"),
    ],
)
def test_verdicts(changes: dict[str, Any], measured: float, spread: float | None, verdict: str | None) -> None:
    item = paper.beside(figure(**changes), measured, spread, 40)
    assert item.verdict == verdict
    assert (item.note != "") == (verdict in ("fail", "non-strict") or "better" in item.note)
    assert item.note.endswith("why is not known") == ("unexplained" in changes and verdict == "non-strict")


def test_where_a_paper_contradicts_itself_it_says_so() -> None:
    item = paper.beside(figure(contradicted="9.1: it is the same"), 101.0)
    assert (
        item.note
        == "further than nothing (it must be exact) from the paper, which says otherwise in 9.1: it is the same"
    )
    linear, hashing = (
        [item for item in paper.load("maenpaa-2005").of(f"Appendix D 14.4.{number}") if item.kind == "must-match"]
        for number in (1, 2)
    )
    assert all(item.contradicted for item in linear)
    assert not any(item.contradicted for item in hashing)


def test_what_is_calculated_is_not_what_the_paper_prints(tmp_path: Path) -> None:
    """A number that the paper prints is judged by itself, or has no verdict."""
    before = "        paper: 112\n        kind: must-match\n"
    text = (paper.PAPERS / "effnet-2007.yaml").read_text()
    assert text.count(before) == 1
    (tmp_path / "effnet-2007.yaml").write_text(text.replace(before, "        model: 112\n" + before))
    with pytest.raises(UsageError, match="context"):
        paper.load("effnet-2007", tmp_path)
    item = paper.beside(figure(paper=None, model=100.0, kind="shape", within={"share": 0.1}), 120.0)
    assert (item.paper, item.model, item.ratio) == (None, 100.0, None)
    assert item.note == "further than 10 % from the model"


def test_figures_are_counted_by_what_they_are_compared_with() -> None:
    printed, said, ours, bound, context = (
        _item(paper.beside(figure(**changes), 100.0))
        for changes in (
            {},
            {"paper": None, "bound": {"at_least": 101}, "says": "more than that", "kind": "shape"},
            {"paper": None, "model": 100.0},
            {"paper": None, "bound": {"at_most": 100}},
            {"kind": "context"},
        )
    )
    older = context | {"verdict": "pass"}
    assert agreement.agreement([printed, said, ours, bound, context, older]) == {
        (agreement.PRINTED, "must-match"): {"pass": 1},
        (agreement.SAID, "shape"): {"non-strict": 1},
        (agreement.CALCULATED, "must-match"): {"pass": 2},
    }
    assert [agreement.verdict_of(item) for item in (printed, said, context, older)] == [
        "pass",
        "non-strict",
        None,
        None,
    ]
    assert reproduce.public(bound)["bound"] == "at most 100"
    assert {name: reproduce.public(ours)[name] for name in ("paper", "model", "ratio", "bound")} == {
        "paper": None, "model": 100.0, "ratio": None, "bound": None,
    }  # fmt: skip


def test_a_row_without_a_known_cause_is_one_of_the_table(tmp_path: Path) -> None:
    thesis = paper.load("maenpaa-2005")
    declared = [item.id for item in thesis.items.values() if item.unexplained and item.kind == "must-match"]
    assert declared == ["l.12.2.ack.length", "l.12.2.ack.compressed", "l.12.2.ack.sigcomp"]
    text = (paper.PAPERS / "maenpaa-2005" / "appendix-l.yaml").read_text()
    (tmp_path / "maenpaa-2005").mkdir()
    (tmp_path / "maenpaa-2005.yaml").write_text((paper.PAPERS / "maenpaa-2005.yaml").read_text())
    (tmp_path / "maenpaa-2005" / "appendix-l.yaml").write_text(text.replace("          ACK: ", "          NACK: "))
    with pytest.raises(UsageError, match="there is no row NACK"):
        paper.load("maenpaa-2005", tmp_path)


def test_what_was_not_measured_says_why() -> None:
    item = paper.beside(figure(), None, note="this machine has no 2c-socket")
    assert (item.verdict, item.ratio, item.note) == ("unsupported", None, "this machine has no 2c-socket")


def test_the_paper_as_printed() -> None:
    found = paper.load("effnet-2007")
    assert [item.paper for item in found.of("Table 1")] == [28, 1, 96.4, 40, 1, 97.5, 48, 3, 93.75, 60, 3, 95]
    assert found.items["table-2.with.lost"].paper == 1448
    assert found.items["table-4.4c.load-50"].paper == 29600
    scaling = found.items["table-4.4c.load-50"].paper / (4 * found.items["table-4.1c.load-50"].paper)
    assert round(100 * scaling) == found.items["table-4.4c.scaling-50"].paper


def test_a_figure_that_stands_twice(tmp_path: Path) -> None:
    text = (paper.PAPERS / "effnet-2007.yaml").read_text().replace("table-1.ipv4-udp.minimum", "table-1.ipv4-udp.size")
    (tmp_path / "effnet-2007.yaml").write_text(text)
    with pytest.raises(UsageError, match=r"effnet-2007\.yaml:\d+: .*'table-1.ipv4-udp.size' stands twice"):
        paper.load("effnet-2007", tmp_path)


# ---- counting


def packet(index: int, verdict: str = "identical", flipped: list[int] | None = None, header: int = 3) -> dict[str, Any]:
    return {
        "packet": index,
        "time_ns": index * 20_000_000,
        "verdict": verdict,
        "flipped": flipped or [],
        "link_header": header,
        "compressor": {},
    }


def test_lost_packets_of_a_call() -> None:
    records = [
        packet(0, header=60),
        packet(1, flipped=[24 + 5]),  # the payload begins with bit 24
        packet(2, "not_delivered", flipped=[3]),
        packet(3, "mismatched", flipped=[23]),
        packet(4, flipped=[2]),  # the decompressor did without the wrong bit
        {"inserted": True, "direction": "forward"},
    ]
    document = {"forward": {"source": {"packets": 5}, "link": {"bandwidth_bps": 10240.0}}, "records": records}
    counted = effnet_2007.call(replay.Replay(replay_of(), document))
    assert counted == effnet_2007.Call(packets=5, lost=3, header_lost=2, bandwidth=10.0, header=72 / 5)


def test_the_smallest_header_is_that_on_the_link(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compressor may say that its headers are smaller than they are."""
    records = [{**packet(index, header=33), "compressor": {"plain_header": 60}} for index in range(2)]
    forward = {"source": {"packets": 2}, "verdicts": {"identical": 2}, "compressor": {"header_length": {"min": 3}}}
    said = replay.Replay(replay_of(), {"forward": forward, "records": records})
    monkeypatch.setattr(effnet_2007.replay, "run", lambda config: said)
    items = effnet_2007.table_1(paper.load("effnet-2007"), run_of()).items
    assert {item.measured for item in items if item.id.endswith(".minimum")} == {33}


def test_silence_is_not_ended_by_a_silence_frame() -> None:
    times = [0, 20, 40, 200, 360, 380, 400, 500]
    found = effnet_2007.silences([{"time_ns": ms * 1_000_000} for ms in times])
    assert found == [(0.04, 0.36, 4), (0.4, 0.5, 7)]
    assert effnet_2007.silences([]) == []


def points(*pairs: tuple[int, float]) -> list[Point]:
    return [Point(x, [Trial(x, y, 0)]) for x, y in pairs]


def test_crossing_of_a_curve() -> None:
    assert effnet_2007_load.crossing(points((100, 0.2), (200, 0.4), (300, 0.6)), 0.5) == pytest.approx(250)
    assert effnet_2007_load.crossing(points((100, 0.1), (200, 0.2)), 0.5) == pytest.approx(500), (
        "beyond: along the line"
    )
    assert effnet_2007_load.crossing(points((100, 0.3)), 0.5) is None


def test_share_that_a_line_explains() -> None:
    straight = points(*((100 * n, 0.01 + 0.1 * n) for n in range(1, 8)))
    assert effnet_2007_load.explained(straight) == pytest.approx(1)
    bent = points((100, 0.1), (200, 0.1), (300, 0.1), (400, 0.9))
    assert effnet_2007_load.explained(bent) < 0.8
    assert effnet_2007_load.explained(points((100, 0.1))) == 1.0


def test_the_real_tables(real_build: str) -> None:
    found, settings = paper.load("effnet-2007"), run_of(build=real_build)
    assert [item.verdict for item in effnet_2007.table_1(found, settings).items] == ["pass"] * 12
    measured = effnet_2007.table_2(found, settings, runs=6)
    by_id = {item.id: item for item in measured.items}
    # What the link alone decides: 1 - (1 - 0.001)^728 and ^480 of 6,000 packets.
    assert by_id["table-2.without.lost"].measured == pytest.approx(3103, abs=60)
    assert by_id["table-2.without.header-lost"].measured == pytest.approx(2288, abs=60)
    assert by_id["table-2.without.bandwidth"].measured == pytest.approx(36400 / 1024, abs=0.05)
    assert by_id["table-2.with.header"].measured == pytest.approx(3.05, abs=0.1)
    assert {series.name for series in measured.series} == {"table_2_runs"}
    drawn = effnet_2007.figure_4(found, settings)
    assert len(drawn.series[0].points) > 300
    assert [item.verdict for item in drawn.items] == [None, None, "pass"]
