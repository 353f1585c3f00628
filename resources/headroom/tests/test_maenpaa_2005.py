# SPDX-License-Identifier: Apache-2.0
"""The thesis of J. Mäenpää (2005): its figures as data, and what is made of a sequence that went through."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from headroom.core.errors import UsageError
from headroom.core.papers import paper
from headroom.schemes.sigcomp.papers import maenpaa_2005, maenpaa_2005_load
from headroom.schemes.sigcomp.papers import maenpaa_2005_bytecode as bytecode
from headroom.schemes.sigcomp.papers.maenpaa_2005_runs import Configuration, Exchange, MeasuredMessage, cell, mean_state
from headroom.schemes.sigcomp.sip import counted


@pytest.fixture(scope="module")
def thesis() -> paper.Paper:
    return paper.load("maenpaa-2005")


def made_up(configuration: Configuration) -> Exchange:
    """A sequence through an endpoint that makes of every message a third and forty octets."""
    exchange = Exchange(configuration, dictionary=218)
    for number, message in enumerate(counted.load(configuration.sequence)[: configuration.messages]):
        third = len(message.octets) // 3
        exchange.sent.append(
            MeasuredMessage(
                message.name,
                message.from_caller,
                plain=len(message.octets),
                sigcomp=third + 40,
                compressed=third,
                code=216 if number < 2 else 0,
                state=1000 * (number + 1),
                compression=[3.0, 1.0, 2.0],
                decompression=[5.0, 5.0, 6.0],
            )
        )
    return exchange


# ---- the figures


def test_figures_as_printed(thesis: paper.Paper) -> None:
    assert thesis.items["table-14.shared-compression.ratio-memory-8192"].paper == 24.04
    assert thesis.items["h.8.4.1.180-ringing.compressed"].paper == 62
    assert thesis.items["k.11.5.1.total.time-compression"].paper == 76481
    assert thesis.items["n.14.1.2.1500-calls.load-1"].paper == 43.1
    assert thesis.items["m.workers-50.50-workers-average.active"].paper == 9.8


def test_every_cell_of_a_table_has_a_value(thesis: paper.Paper) -> None:
    cells = [
        identity for tables in thesis.tables.values() for table in tables for _, row in table.rows for identity in row
    ]
    assert [identity for identity in cells if identity and thesis.items[identity].paper is None] == []
    assert len(cells) > 2000


def test_totals_are_the_sums_of_their_columns(thesis: paper.Paper) -> None:
    """A wrong digit would show here; the printed totals are sums of what was not rounded yet."""
    checked = 0
    for where, tables in thesis.tables.items():
        for table in tables:
            total = dict(table.rows).get("TOTAL", ())
            rows = [identities for name, identities in table.rows if not name.startswith("TOTAL")]
            count = thesis.configurations[where].get("total") or len(rows) if total else 0
            for column, identity in enumerate(total):
                if not identity or ".ratio" in identity:
                    continue
                values = [thesis.items[row[column]].paper for row in rows[:count]]
                if None not in values:
                    assert sum(values) == pytest.approx(thesis.items[identity].paper, abs=3.1), identity  # type: ignore[arg-type]
                    checked += 1
    assert checked > 200


def test_lengths_are_those_of_the_messages(thesis: paper.Paper) -> None:
    for where, configuration in thesis.configurations.items():
        if not where.startswith("Appendix"):
            continue
        exchange = made_up(Configuration(**configuration))
        for table in thesis.tables[where]:
            for (name, identities), rows in zip(table.rows, maenpaa_2005.rows_of(table, exchange), strict=True):
                assert rows, (where, name)
                if identities[0].endswith(".length"):
                    theirs = thesis.items[identities[0]].paper
                    assert cell(exchange, rows, "length") == pytest.approx(theirs, abs=24 if "12.4" in where else 0)


class Played:
    """A runner that plays nothing."""

    def __init__(self, make: Callable[[Configuration], Exchange]) -> None:
        self.make = make
        self.runs: dict[Configuration, Exchange] = {}

    def __call__(self, configuration: Configuration) -> Exchange:
        return self.runs.setdefault(configuration, self.make(configuration))

    def in_turn(self, configurations: Sequence[Configuration]) -> list[Exchange]:
        return [self(one) for one in configurations]


def test_every_place_is_measured_or_says_why(thesis: paper.Paper) -> None:
    run = Played(made_up)
    for where in thesis.methods:
        if maenpaa_2005_load.is_load(where):
            continue
        measured = maenpaa_2005.measure(thesis, where, run)
        printed = [item for item in measured.items if not item.id.endswith(bytecode.COLUMN)]
        assert {item.id for item in printed} == {figure.id for figure in thesis.of(where)}, where
        assert [item.id for item in measured.items if item.verdict == "unsupported" and not item.note] == []
        assert [item.id for item in measured.items if item.verdict == "error"] == []


def test_without_a_sequence_every_figure_says_why(thesis: paper.Paper) -> None:
    for where in thesis.methods:
        if maenpaa_2005_load.is_load(where) or where == "Appendix G 14.7":
            continue
        measured = maenpaa_2005.measure(thesis, where, Played(lambda asked: Exchange(asked, missing="no endpoint")))
        assert {item.verdict for item in measured.items} == {"unsupported"}, where
        if where not in ("Table 10", "Appendix D 14.4.3"):
            assert {item.note.rpartition("; ")[2] for item in measured.items} == {"no endpoint"}, where


# ---- what is made of a sequence


def test_cells_of_a_table() -> None:
    exchange = made_up(Configuration("basic-voice-call", 5, "udp", 4096, "dynamic"))
    rows = exchange.sent[:2]
    assert cell(exchange, rows, "length") == 514 + 311
    assert cell(exchange, rows, "compressed") == 171 + 103
    assert cell(exchange, rows, "sigcomp") == 171 + 103 + 80
    assert cell(exchange, rows, "ratio") == pytest.approx((171 + 103 + 80) / (514 + 311))
    assert cell(exchange, rows, "state") == 2000, "it is cumulative"
    assert cell(exchange, rows, "time-compression") == 4.0, "the sum of medians"
    assert cell(exchange, rows, "sequence-decompression") == 0.01
    assert cell(exchange, rows[:1], "spread-compression") == 1.0
    assert cell(exchange, rows, "spread-compression") is None
    assert cell(exchange, rows, "sigcomp-saved") is None
    assert cell(exchange, rows, "sigcomp-saved", saved=exchange) == 171 + 103 + 80
    rows[0].compressed = None
    assert cell(exchange, rows, "compressed") is None
    assert mean_state(exchange) == 4000 + 5000, "the last of each side"


def test_rows_of_totals(thesis: paper.Paper) -> None:
    table = thesis.tables["Appendix L 14.12.3"][0]
    exchange = made_up(Configuration(**thesis.configurations["Appendix L 14.12.3"]))
    rows = dict(zip([name for name, _ in table.rows], maenpaa_2005.rows_of(table, exchange), strict=True))
    assert len(rows["TOTAL"]) == 6
    assert len(rows["TOTAL without BYE and 200 OK"]) == 4
    voice = thesis.tables["Appendix K 14.11.1.2"][0]
    exchange = made_up(Configuration(**thesis.configurations["Appendix K 14.11.1.2"]))
    assert len(maenpaa_2005.rows_of(voice, exchange)[-1]) == 5, "the thesis's totals are without BYE and its 200 OK"


def test_delay_of_the_radio_network() -> None:
    assert maenpaa_2005.delay([1200, 1200], 9600, 0.07) == pytest.approx(2.14)


# ---- names of places


def test_a_name_stands_for_all_places_that_begin_with_it(thesis: paper.Paper) -> None:
    assert thesis.places(["Table 10", "Appendix E"]) == ("Table 10", *(f"Appendix E 14.5.{n}" for n in (1, 2, 3)))
    assert thesis.places(["Appendix H 14.8.1.1"]) == ("Appendix H 14.8.1.1",)
    with pytest.raises(UsageError, match="No table, figure or section 'Table 1'"):
        thesis.places(["Table 1"])


def test_faults_of_a_table_are_told_by_line(tmp_path) -> None:  # type: ignore[no-untyped-def]
    whole = """
        key: maenpaa-2005
        title: t
        authors: a
        publisher: p
        year: 2005
        suite: s
        columns:
          octets: {quantity: length, unit: octets, kind: must-match}
          sha1-time: {quantity: time, unit: µs, kind: context}
          sha1-spread: {quantity: spread, unit: µs, kind: context}
        places: [{where: Table 10, title: t, items: []}]
    """
    part = (paper.PAPERS / "maenpaa-2005" / "appendix-g.yaml").read_text()
    (tmp_path / "maenpaa-2005.yaml").write_text(whole)
    folder = tmp_path / "maenpaa-2005"
    folder.mkdir()
    for text, message in (
        (part.replace("[ACK, 458, 120.9, 30.46]", "[ACK, 458, 120.9]"), r"2 values for 3 columns"),
        (part.replace("sha1-spread]", "sha1-width]"), r"no column 'sha1-width' is explained"),
        (part.replace("[ACK, 458", '["200 OK (3)", 458'), r"'g.7.200-ok-3.octets' stands twice"),
        (part.replace("part_of: maenpaa-2005", "part_of: other"), r"the folder of the paper maenpaa-2005"),
        (part.replace("Appendix G 14.7", "Table 10"), r"'Table 10' stands twice"),
        (part.replace("[ACK, 458", "[ACK, much"), r"appendix-g.yaml:\d+: /places/0/tables/0/rows/1"),
    ):
        (folder / "appendix-g.yaml").write_text(text)
        with pytest.raises(UsageError, match=message):
            paper.load("maenpaa-2005", tmp_path)
