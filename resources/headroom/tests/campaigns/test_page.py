# SPDX-License-Identifier: Apache-2.0
"""The page of a campaign: all cells, figures side by side, one column for the paper and one for each machine."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest

from headroom.campaigns import capacity_sections, measured, page, paper_sections, progress
from headroom.campaigns.campaign import Campaign, Cell
from headroom.campaigns.measured import CampaignData, Values
from headroom.campaigns.progress import Result
from headroom.core import metrics
from headroom.report import render
from headroom.report.page import Section, Table
from headroom.tests import browser, sample
from headroom.tests.campaigns.helpers import campaign, configuration

pytestmark = pytest.mark.slow

MACHINES = ("east", "north", "west")
FACTOR = {"east": 1.0, "north": 1.25}  # of flow pairs; west was lost


def faster(record: dict[str, Any], times: float, clock: float) -> dict[str, Any]:
    """A record of a machine that does so many times as much."""
    found = copy.deepcopy(record)
    found["environment"] = found["environment"] | {"clock_mhz": clock, "cpu_model": f"Processor at {clock:g} <MHz>"}
    for metric in found["metrics"]:
        if metric["name"] == metrics.FLOW_PAIRS.name:
            metric["value"] *= times
        if metric["name"] == metrics.NS_PER_OPERATION.name:
            metric["value"] /= times
    return found


@pytest.fixture
def data() -> CampaignData:
    """Made up: every kind of status, two machines with figures, two repeats. Nothing here was measured."""
    made = campaign(
        machines=MACHINES, repeats=2, builds=("gcc-O2", "clang-O2"), configurations={"one": configuration()}
    )
    found = CampaignData(made, {})
    for cell in made.cells():
        if cell.build == "clang-O2" and cell.machine != "east":
            if cell.repeat == 1:
                state = "busy" if cell.machine == "north" else "lost"
                found.results[cell] = Result(state, "<script>alert(1)</script> the load average is 3")
            continue
        if cell.machine == "west":
            found.results[cell] = Result("lost", "The machine west had no worker for 20 s.")
            continue
        times = FACTOR[cell.machine] * (1 + 0.02 * (cell.repeat - 1))
        records = [faster(one, times, 3000 * FACTOR[cell.machine]) for one in sample.records()]
        for one in records:
            if one["parameters"].get("kind") == "capacity":
                one["parameters"]["build"] = cell.build
        found.records[cell] = records
        found.results[cell] = Result(
            "whole",
            "",
            "fail",
            f"run-{cell.id}",
            began="2026-01-02T03:04:05",
            verdicts={"fail": 1},
            deaths=cell.repeat - 1,
        )
    return found


def tables(section: Section) -> dict[str, Table]:
    return {part.content.id: part.content for part in section.parts if part.kind == "table"}


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in table.rows]


def section(found: list[Section], identity: str) -> Section:
    (one,) = [one for one in found if one.id == identity]
    return one


def test_every_cell_is_shown_with_its_status(data: CampaignData) -> None:
    made = page.page(data)
    assert made.verdicts == {"fail": 6, "busy": 1, "lost": 3, "missing": 2}
    matrix = texts(tables(section(made.sections, "summary"))["t-matrix"])
    assert matrix == [
        ["one", "gcc-O2", "2 fail", "2 fail", "2 lost"],
        ["one", "clang-O2", "2 fail", "1 busy, 1 missing", "1 lost, 1 missing"],
    ]
    cells = tables(section(made.sections, "cells"))["t-cells"]
    assert [row.cells[0].text for row in cells.rows] == [cell.id for cell in data.campaign.cells()]
    (column,) = [number for number, one in enumerate(cells.columns) if one.title == "Workers that died"]
    died = {row.cells[0].text: row.cells[column].text for row in cells.rows}
    assert (died["east.gcc-O2.one.1"], died["east.gcc-O2.one.2"], died["west.gcc-O2.one.2"]) == ("–", "1", "–")


def test_flow_pairs_are_per_core_and_beside_the_best_machine(data: CampaignData) -> None:
    found = capacity_sections.sections(data)
    rows = texts(tables(section(found, "capacity"))["t-capacity"])
    assert ["1c, gcc-O2", "50 % load", "80,800 ±1.0 % (80 %)", "101,000 ±1.0 % (100 %)", "–"] in rows
    assert ["2c-l3, gcc-O2", "50 % load", "78,275 ±1.0 % (80 %)", "97,844 ±1.0 % (100 %)", "–"] in rows
    costs = {tuple(row[:2]): row[2:] for row in texts(tables(section(found, "cost"))["t-cost"])}
    # 44.5 ns at 3,000 MHz, and 44.5 / 1.25 ns at 3,750 MHz, each with a repeat that is 2 % faster.
    assert costs["1c, gcc-O2", "east"][:3] == ["44.1 ±1.0 %", "132 ±1.0 %", "6.75"]
    assert costs["1c, gcc-O2", "north"][:3] == ["35.3 ±1.0 %", "132 ±1.0 %", "6.75"]
    scaling = texts(tables(section(found, "scaling"))["t-scaling"])
    assert ["2c-l3, gcc-O2", "50 % load", "×1.94 (97 %)", "×1.94 (97 %)", "–"] in scaling
    assert "peers" not in {one.id for one in found}


def test_peers_are_compared_on_the_same_machine(data: CampaignData) -> None:
    for cell, records in list(data.records.items()):
        others = [copy.deepcopy(one) for one in records if one["parameters"].get("kind") == "capacity"]
        for one in others:
            one["parameters"] |= {"compressor": "peer", "decompressor": "peer"}
            for metric in one["metrics"]:
                if metric["name"] == metrics.NS_PER_OPERATION.name:
                    metric["value"] *= 2
        data.records[cell] = [*records, *others]
    rows = texts(tables(section(capacity_sections.sections(data), "peers"))["t-peers"])
    name = ["reference → reference", "peer → peer", "one", "1c", "voip-amr-nb-ipv6", "gcc-O2"]
    assert [*name, "0.5", "0.5", "–"] in rows
    assert [name[1], name[0], *name[2:], "2", "2", "–"] in rows


def test_a_paper_has_one_column_and_each_machine_another(data: CampaignData) -> None:
    (found,) = paper_sections.sections(data)
    assert found.id == "paper-effnet-2007"
    assert "2007" in found.title
    first = tables(found)["t-effnet-2007-table-1"]
    titles = [column.title for column in first.columns]
    assert titles == ["Quantity", "Unit", "Paper", "east clang-O2", "east gcc-O2", "north gcc-O2", "Kind", "Verdict"]
    for row in first.rows:
        paper, *machines = (cell.sort for cell in row.cells[2:6])
        assert machines == [paper] * 3
        assert row.cells[-1].text == "pass"


def test_a_figure_that_fails_on_one_machine_fails(data: CampaignData) -> None:
    cell = next(one for one in data.records if one.machine == "north")
    for record in data.records[cell]:
        for item in record["items"]:
            if item["where"] == "Table 1":
                item["verdict"], item["measured"] = "fail", 99
    (found,) = paper_sections.sections(data)
    assert {row[-1] for row in texts(tables(found)["t-effnet-2007-table-1"])} == {"fail"}


def test_values() -> None:
    assert Values((5.0,)).text == "5"
    assert Values((90.0, 100.0, 110.0)).text == "100 ±10.0 %"
    assert Values((0.0, 1.0, 0.0)).text == "0"
    assert measured.values([None, None]) is None
    assert measured.values([None, 2.0]) == Values((2.0,))


def test_the_page_is_one_file_and_escapes_what_it_shows(data: CampaignData) -> None:
    html = render.html_of(page.page(data))
    assert "<script>alert(1)</script>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "Processor at 3000 &lt;MHz&gt;" in html
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:|cells/)[^"']*""", html)


def test_it_is_written_from_what_lies_on_the_disk(out: Path) -> None:
    from headroom.tests.campaigns.test_client import accepted, reply_of

    one: Campaign = campaign(repeats=2)
    assert page.write(one) is None
    result = accepted(one, reply_of(one))
    progress.write(one, one.cells()[1], Result("lost", "gone"))
    target = page.write(one)
    assert target == one.folder / "campaign.html"
    assert "1 of 2" in target.read_text()
    assert sorted(measured.read(one).records) == [one.cells()[0]]
    assert result.run
    assert measured.read(one).results[one.cells()[1]].status == "lost"


@pytest.mark.skipif(browser.program() is None, reason="there is no Chromium")
@pytest.mark.parametrize(("width", "mobile"), [(1200, False), (390, True)])
def test_nothing_has_to_be_scrolled_sideways(data: CampaignData, tmp_path: Path, width: int, mobile: bool) -> None:
    path = tmp_path / "campaign.html"
    path.write_text(render.html_of(page.page(data)), encoding="utf-8")
    with browser.Browser() as tab:
        tab.open(path, width, mobile=mobile)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.complaints == []
        assert [address for address in tab.requests if not address.startswith(("file:", "data:"))] == []
        tab.evaluate("document.querySelector('#t-capacity th:last-child button').click()")
        assert (
            tab.evaluate("document.querySelector('#t-capacity th:last-child').getAttribute('aria-sort')") == "ascending"
        )


def test_the_order_of_rows_does_not_follow_that_of_cells(data: CampaignData) -> None:
    rows = texts(tables(section(capacity_sections.sections(data), "capacity"))["t-capacity"])
    turned = CampaignData(data.campaign, data.results, dict(reversed(data.records.items())))
    assert texts(tables(section(capacity_sections.sections(turned), "capacity"))["t-capacity"]) == rows
    assert sorted(data.records) == sorted(Cell(**vars(cell)) for cell in turned.records)
