# SPDX-License-Identifier: Apache-2.0
"""Messages of the thesis of J. Mäenpää (2005) without bytecode, beside ours."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headroom.core.papers import paper
from headroom.core.results.record import Item
from headroom.schemes.sigcomp.papers import maenpaa_2005
from headroom.schemes.sigcomp.papers import maenpaa_2005_bytecode as bytecode
from headroom.schemes.sigcomp.papers.maenpaa_2005_runs import Configuration, Exchange, MeasuredMessage

VOICE = "Appendix I 14.9.2.2"  # shared compression over UDP, 4,096 octets


@pytest.fixture(scope="module")
def thesis() -> paper.Paper:
    return paper.load("maenpaa-2005")


def like_the_thesis(thesis: paper.Paper, where: str, ours: int, more: int = 0) -> Exchange:
    """The thesis's messages with bytecode of `ours` octets for its own, and so many octets more."""
    found = Exchange(Configuration(**thesis.configurations[where]))
    code = bytecode.length(thesis, found.configuration) or 0
    for name, identities in thesis.tables[where][0].rows:
        if name.startswith("TOTAL"):
            continue
        told = {one.rpartition(".")[2]: int(thesis.items[one].paper or 0) for one in identities}
        uploads = told["sigcomp"] - told["compressed"] >= code
        length = told["sigcomp"] + (ours - code if uploads else 0) + more
        found.sent.append(
            MeasuredMessage(name, True, told["length"], length, told["compressed"], ours if uploads else 0)
        )
    return found


def compared(thesis: paper.Paper, where: str, exchange: Exchange) -> tuple[paper.Table, dict[str, Item]]:
    table = thesis.tables[where][0]
    widened, items = bytecode.lengths(thesis, where, table, exchange, maenpaa_2005.rows_of(table, exchange))
    return widened, {item.quantity.partition(":")[0]: item for item in items}


def test_lengths_that_table_15_has(thesis: paper.Paper) -> None:
    asked = Configuration("basic-voice-call", 5, "udp", 4096, "shared")
    assert bytecode.length(thesis, asked) == 215, "the whole dictionary: an octet less than in Table 15"
    assert bytecode.length(thesis, replace(asked, priority=3)) == 216
    assert bytecode.length(thesis, replace(asked, memory=16384, mechanism="stateful-static", priority=3)) == 87
    assert bytecode.length(thesis, replace(asked, memory=8192, mechanism="stateless-basic")) == 69
    assert bytecode.length(thesis, replace(asked, memory=2048)) is None


def test_other_bytecode_is_not_another_message(thesis: paper.Paper) -> None:
    widened, items = compared(thesis, VOICE, like_the_thesis(thesis, VOICE, ours=100))
    assert list(items) == ["INVITE", "100 Trying", "180 Ringing", "200 OK (1)", "TOTAL"], "ACK brings none"
    assert {item.verdict for item in items.values()} == {"pass"}
    assert (items["INVITE"].model, items["INVITE"].measured) == (479 - 216, 479 - 216)
    assert items["TOTAL"].model == 1715 - 4 * 216
    assert items["TOTAL"].note == "the thesis's: 1715 - 4 x 216; ours: 1251 - 400"
    assert [ids[-1] for _, ids in widened.rows] == [
        *(items[name].id for name in ("INVITE", "100 Trying", "180 Ringing", "200 OK (1)")),
        "",
        items["TOTAL"].id,
    ]
    assert len(widened.columns) == len(widened.rows[0][1])


@pytest.mark.parametrize(("more", "verdict"), [(-7, "non-strict"), (-5, "pass"), (5, "pass"), (7, "fail")])
def test_longer_by_more_than_two_per_cent_fails(thesis: paper.Paper, more: int, verdict: str) -> None:
    _, items = compared(thesis, VOICE, like_the_thesis(thesis, VOICE, ours=100, more=more))
    assert items["INVITE"].verdict == verdict


def test_bytecode_that_only_ours_brings_is_seen(thesis: paper.Paper) -> None:
    exchange = like_the_thesis(thesis, VOICE, ours=216)
    exchange.sent[4].code = 216
    _, items = compared(thesis, VOICE, exchange)
    assert (items["ACK"].model, items["ACK"].measured, items["ACK"].verdict) == (73, 73 - 216, "fail")


def test_a_cell_that_the_thesis_does_not_give_is_not_compared(thesis: paper.Paper) -> None:
    where = "Appendix L 14.12.2"
    exchange = Exchange(Configuration(**thesis.configurations[where]))
    exchange.sent += [MeasuredMessage(name, True, 100, 300, 50, 200) for name in "abcde"]
    table = thesis.tables[where][0]
    assert compared(thesis, where, exchange)[1] != {}
    items = {key: replace(item, paper=None) for key, item in thesis.items.items() if item.where == where}
    assert compared(replace(thesis, items=thesis.items | items), where, exchange) == (table, {})
    lacking = Exchange(Configuration(**thesis.configurations[VOICE]), missing="no endpoint")
    assert compared(thesis, VOICE, lacking)[1] == {}


def test_ratios(thesis: paper.Paper) -> None:
    (table,) = thesis.tables["Table 16"]
    exchange = like_the_thesis(thesis, "Appendix L 14.12.1", ours=150)
    widened, items = bytecode.ratios(thesis, table, lambda row, column: exchange)
    first = items[0]
    assert first.model == pytest.approx(43.08 - 100 * 2 * 216 / 2428, abs=0.005)
    assert first.measured == pytest.approx(100 * (1046 - 2 * 216) / 2428)
    assert first.verdict == "pass"
    assert first.quantity == "Basic voice call: compression ratio without bytecode, TCP"
    assert [title for title in widened.columns if "without bytecode" in title] == [
        "compression ratio without bytecode, TCP, %",
        "compression ratio without bytecode, UDP, %",
    ]
    assert len(items) == 14, "seven sequences, two transports"


def test_what_is_the_bytecode_alone_says_so(thesis: paper.Paper) -> None:
    """As an appendix is measured: the plain length is better, and explained."""
    exchange = like_the_thesis(thesis, VOICE, ours=100)
    items = {item.id: item for item in maenpaa_2005.measure(thesis, VOICE, lambda asked: exchange).items}
    plain = items["i.9.2.2.invite.sigcomp"]
    assert plain.verdict == "non-strict"
    assert plain.note.endswith("; 100 octets of it are bytecode; without bytecode within 2 %")
    exchange = like_the_thesis(thesis, VOICE, ours=100, more=-7)
    items = {item.id: item for item in maenpaa_2005.measure(thesis, VOICE, lambda asked: exchange).items}
    assert items["i.9.2.2.invite.sigcomp"].note.endswith("100 octets of it are bytecode")
