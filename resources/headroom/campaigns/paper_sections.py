# SPDX-License-Identifier: Apache-2.0
"""The page's sections about papers: for each place a table with one column for the paper and one for each machine."""

from __future__ import annotations

from typing import Any

from headroom.campaigns.campaign import Cell
from headroom.campaigns.measured import CampaignData, CellGroup, Values, columns, values
from headroom.core.results.agreement import verdict_of
from headroom.core.results.record import VERDICTS, worst
from headroom.core.text import shown
from headroom.report import page as blocks
from headroom.report.data import Records, items_by_place
from headroom.report.page import Column, Section, table, verdict_cell
from headroom.report.paper_section import MOST_OPEN

Item = dict[str, Any]
Items = dict[str, dict[CellGroup, list[Item]]]  # by identity and column; one for each repeat


def sections(data: CampaignData) -> list[Section]:
    """The sections, one for each paper of which a cell has figures."""
    keys = {
        str(record["parameters"]["paper"])
        for record in data.all_records()
        if record["items"] and record["parameters"].get("paper")
    }
    return [_section(data, key) for key in sorted(keys)]


def _section(data: CampaignData, key: str) -> Section:
    mine = {
        cell: [record for record in records if record["parameters"].get("paper") == key]
        for cell, records in data.records.items()
    }
    mine = {cell: records for cell, records in mine.items() if records}
    about = next(iter(mine.values()))[0]["parameters"].get("about", {})
    section = Section(f"paper-{key}", f"{about.get('title', key)} ({about.get('year', '–')})", key)
    section.intro = [
        "The printed number, or else that of our model, or our bound, and the figure of each machine: the median "
        "over the repeats. Must-match figures follow from the protocol or the link. Shape figures must change in the "
        "same direction. Context comes from another machine in another year, and has no verdict. The verdict is the "
        "worst of all machines.",
    ]
    titles = columns(mine)
    places = items_by_place([record for records in mine.values() for record in records])
    order = about.get("places", [])
    named = {place: title for records in mine.values() for place, title in _titles(records).items()}
    for place in sorted(places, key=lambda name: (order.index(name) if name in order else len(order), name)):
        identity = f"{key}-{place.lower().replace(' ', '-').replace(',', '')}"
        items = _items(mine, place)
        section.add("heading", f"{place}: {named[place]}" if named.get(place) else place, id=f"p-{identity}")
        folded = _counted(items) if len(items) > MOST_OPEN else ""
        section.add("table", _table(f"t-{identity}", items, titles), title=folded)
    return section


def _titles(records: Records) -> dict[str, str]:
    return {
        place: title
        for record in records
        for place, title in record["parameters"].get("about", {}).get("titles", {}).items()
    }


def _items(mine: dict[Cell, Records], place: str) -> Items:
    """The figures of a place, in the order of the first cell that has them."""
    items: Items = {}
    for cell in sorted(mine):
        column = CellGroup.of(cell)
        for record in mine[cell]:
            for item in record["items"]:
                if item["where"] == place:
                    identity = item.get("id") or f"{item['quantity']} {item['unit']}"
                    items.setdefault(identity, {}).setdefault(column, []).append(item)
    return items


def _all(by_column: dict[CellGroup, list[Item]]) -> list[Item]:
    return [item for items in by_column.values() for item in items]


def _verdict(items: list[Item]) -> str:
    """The worst verdict of a figure; "measured" if there is nothing to agree with."""
    verdicts = [verdict for item in items if (verdict := verdict_of(item))]
    return worst(verdicts) if verdicts else "measured"


def _counted(items: Items) -> str:
    """The title of a table that is folded away: counts of its figures."""
    verdicts = [_verdict(_all(by_column)) for by_column in items.values()]
    counts = [f"{verdicts.count(word)} {word}" for word in (*VERDICTS, "measured") if word in verdicts]
    return f"{len(items)} figures: {', '.join(counts)}"


def _table(identity: str, items: Items, titles: dict[CellGroup, str]) -> blocks.Table:
    rows = []
    for by_column in items.values():
        everyone = _all(by_column)
        first, verdict = everyone[0], _verdict(everyone)
        judged = blocks.Cell("measured", 8) if verdict == "measured" else verdict_cell(verdict)
        cells = [_cell(by_column.get(column, [])) for column in titles]
        compared = [first["paper"], first.get("model"), first.get("expected")]
        rows.append([first["quantity"], first["unit"], *compared, *cells, first["kind"], judged])
    shown_columns = [
        Column("Quantity"),
        Column("Unit", tight=True),
        Column("Paper", number=True),
        Column("Model", number=True, optional=True),
        Column("Bound", optional=True),
        *(Column(title, number=True) for title in titles.values()),
        Column("Kind", tight=True),
        Column("Verdict"),
    ]
    return table(identity, shown_columns, rows)


def _cell(items: list[Item]) -> blocks.Cell:
    """A machine's figure; marked if it does not agree, and with the reason if it is missing."""
    measured: Values | None = values(item["measured"] for item in items)
    verdicts = [verdict for item in items if (verdict := verdict_of(item))]
    verdict = worst(verdicts) if verdicts else ""
    if measured is None:
        reason = next((item["note"] for item in items if item.get("note")), "")
        return blocks.Cell(verdict or "–", "", verdict, details=[reason] if reason else ())
    marked = verdict if verdict in ("fail", "non-strict", "error") else ""
    text = measured.text
    paper = items[0]["paper"]
    if paper and items[0]["kind"] == "context" and (ratio := shown(measured.median / paper)) not in ("0", "1"):
        text += f" (×{ratio})"
    return blocks.Cell(text, measured.median, marked)
