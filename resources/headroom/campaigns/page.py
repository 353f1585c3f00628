# SPDX-License-Identifier: Apache-2.0
"""campaign.html: machine × implementation × build × configuration, figures side by side, and papers beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from headroom.campaigns import capacity_sections, measured, paper_sections, progress, version_sections
from headroom.campaigns.campaign import Campaign, Cell
from headroom.campaigns.measured import CampaignData
from headroom.campaigns.progress import PAGE, STATUSES
from headroom.core.errors import disk_error
from headroom.core.results.store import name_of, write_atomically
from headroom.core.text import shortened
from headroom.report import page as blocks
from headroom.report import render
from headroom.report.page import Card, Column, Link, Page, Section, table
from headroom.report.unreadable import readable

MISSING = "missing"  # a cell without a result
WORST_FIRST = ("error", "fail", "unusable", "lost", "busy", MISSING, "non-strict", "unsupported", "pass")
MOST_REASON = 300  # most characters of the reason that a cell shows


def write(campaign: Campaign, warn: Callable[[str], None] = lambda sentence: None) -> Path | None:
    """Writes the page of a campaign's results so far; None if there are none. Raises EnvironmentLacks if it
    cannot be written.
    """
    data = measured.read(campaign, warn)
    if not data.results:
        return None
    target = campaign.folder / PAGE
    data = readable_part(data)
    try:
        write_atomically(target, render.html_of(page(data)).encode("utf-8", "replace"))
    except OSError as error:
        raise disk_error(error, f"writing {target}", False, "say the same command") from error
    return target


def readable_part(data: CampaignData) -> CampaignData:
    """The campaign with the records that the page can show; a warning names the others."""
    items = [(cell, record) for cell, records in data.records.items() for record in records]
    if not items:
        return data
    usable = readable(lambda few: page(_with(data, few)), items, "The page", lambda item: _name(*item))
    return _with(data, usable)


def _with(data: CampaignData, items: list[tuple[Cell, dict[str, Any]]]) -> CampaignData:
    """The campaign with only these records."""
    records: dict[Cell, list[dict[str, Any]]] = {}
    for cell, record in items:
        records.setdefault(cell, []).append(record)
    return replace(data, records=records)


def _name(cell: Cell, record: dict[str, Any]) -> str:
    return f"cells/{cell.id}: {name_of(record)}"


def page(data: CampaignData) -> Page:
    """The content of the page."""
    campaign = data.campaign
    counts = Counter(_status(data, cell) for cell in campaign.cells())
    sections = [
        _summary(data),
        *version_sections.sections(data),
        *capacity_sections.sections(data),
        *paper_sections.sections(data),
        _machines(data),
        _cells(data),
    ]
    return Page(
        title=f"Campaign {campaign.name}",
        subtitle=_subtitle(data),
        warnings=_warnings(data),
        verdicts={word: counts[word] for word in (*STATUSES, MISSING) if counts[word]},
        sections=sections,
        footer=f"{_version(data)}. Every figure rests on result records of the runs in cells/."
        + (f" Head of the cells' chain: {data.head}." if data.head else ""),
    )


def _status(data: CampaignData, cell: Cell) -> str:
    result = data.results.get(cell)
    return result.status if result else MISSING


def _subtitle(data: CampaignData) -> str:
    times = [time for result in data.results.values() for time in (result.began, result.ended) if time]
    when = f"{min(times)[:16].replace('T', ' ')} to {max(times)[:16].replace('T', ' ')} UTC" if times else ""
    machines = len(data.campaign.machines)
    return " · ".join(filter(None, (f"{machines} machine{'s' if machines > 1 else ''}", when)))


def _warnings(data: CampaignData) -> list[str]:
    """Warnings from the machines' runs, each with its machines."""
    machines_by_warning: dict[str, list[str]] = {}
    for machine in data.campaign.machines:
        mine = [record for cell, records in data.records.items() if cell.machine == machine for record in records]
        for sentence in render.warnings(mine) if mine else []:
            machines_by_warning.setdefault(sentence, []).append(machine)
    of_machines = [f"{', '.join(machines)}: {sentence}" for sentence, machines in machines_by_warning.items()]
    return [*data.changed, *version_sections.warnings(data), *of_machines]


def _version(data: CampaignData) -> str:
    harness = next((record["harness"] for record in data.all_records()), None)
    if harness is None:
        return "Headroom"
    changed = " with uncommitted changes" if harness.get("changed") else ""
    return f"Headroom {harness['version']}, commit {(harness['commit'] or 'unknown')[:12]}{changed}"


def _summary(data: CampaignData) -> Section:
    campaign, cells = data.campaign, data.campaign.cells()
    section = Section("summary", "Cells", "Cells")
    section.intro = [
        "A cell is one run: a configuration on a machine, with an implementation and a build. The text of a cell is "
        "the worst verdict of its run. Busy: the machine did not become quiet. Lost: it had no worker any more. "
        "Unusable: its command failed, or its run does not belong to the cell.",
    ]
    section.cards = [
        Card("Whole cells", f"{len(data.records)} of {len(cells)}", f"{campaign.repeats} of each"),
        Card("Machines", str(len(campaign.machines)), shortened(", ".join(campaign.machines), 60)),
        *_implementations_card(campaign),
        Card("Builds", str(len(campaign.builds)), shortened(", ".join(campaign.builds), 60)),
        Card("Configurations", str(len(campaign.configurations)), shortened(", ".join(campaign.configurations), 60)),
    ]
    rows = [
        [
            configuration,
            *([implementation] if implementation else []),
            build,
            *(
                _matrix_cell(data, Cell(machine, build, configuration, 1, implementation))
                for machine in campaign.machines
            ),
        ]
        for configuration in campaign.configurations
        for implementation in campaign.implementations or ("",)
        for build in campaign.builds
    ]
    columns = [Column("Configuration"), Column("Build", tight=True), *map(Column, _titles(data))]
    if campaign.implementations:
        columns.insert(1, Column("Implementation", tight=True))
    section.add("table", table("t-matrix", columns, rows))
    return section


def _implementations_card(campaign: Campaign) -> list[Card]:
    names = list(campaign.implementations)
    return [Card("Implementations", str(len(names)), shortened(", ".join(names), 60))] if names else []


def _titles(data: CampaignData) -> list[str]:
    """Machines with their processors."""
    titles = []
    for name in data.campaign.machines:
        environment = data.machine(name)
        model = shortened(environment.get("cpu_model") or "unknown processor", 40) if environment else ""
        titles.append(f"{name} ({model})" if model else name)
    return titles


def _matrix_cell(data: CampaignData, first: Cell) -> blocks.Cell:
    cells = [replace(first, repeat=number) for number in range(1, data.campaign.repeats + 1)]
    statuses = Counter(_status(data, cell) for cell in cells)
    worst = next(word for word in WORST_FIRST if statuses[word])
    text = ", ".join(f"{statuses[word]} {word}" for word in WORST_FIRST if statuses[word])
    details = [Link(f"repeat {cell.repeat}: {_status(data, cell)}", _anchor(cell)) for cell in cells]
    return blocks.Cell(text, WORST_FIRST.index(worst), worst, details=details)


def _anchor(cell: Cell) -> str:
    return f"c-{cell.id}"


FACTS: tuple[tuple[str, Callable[[dict[str, Any]], Any]], ...] = (
    ("Processor", lambda found: found.get("cpu_model")),
    ("Cores", lambda found: found.get("topology", {}).get("physical_cores")),
    ("Clock, MHz", lambda found: found.get("clock_mhz")),
    ("Microcode", lambda found: found.get("microcode")),
    ("Governor", lambda found: found.get("governor")),
    ("SMT", lambda found: found.get("topology", {}).get("smt")),
    ("Kernel", lambda found: found.get("kernel")),
    ("Mitigations", lambda found: found.get("mitigations")),
    ("Virtualisation", lambda found: found.get("virtualisation")),
)


def _machines(data: CampaignData) -> Section:
    section = Section("machines", "Machines", "Machines")
    rows, compilers = [], {}
    for name in data.campaign.machines:
        environment = data.machine(name)
        rows.append([name, *(of(environment) if environment else None for _, of in FACTS)])
        for cell, records in data.records.items():
            if cell.machine == name:
                facts_of_machine = records[0]["environment"]
                compilers[name, cell.build] = (facts_of_machine.get("compiler"), facts_of_machine.get("flags"))
    columns = [Column("Machine"), *(Column(title, long=title == "Mitigations", optional=True) for title, _ in FACTS)]
    section.add("table", table("t-machines", columns, rows))
    if compilers:
        rows = [[machine, build, *facts_of_machine] for (machine, build), facts_of_machine in sorted(compilers.items())]
        columns = [Column("Machine"), Column("Build"), Column("Compiler"), Column("Flags", long=True)]
        section.add("table", table("t-builds", columns, rows))
    return section


def _cells(data: CampaignData) -> Section:
    section = Section("cells", "All cells, in the order in which they ran", "All cells")
    rows = []
    for cell in data.campaign.cells():
        result, status = data.results.get(cell), _status(data, cell)
        word = blocks.Cell(status, WORST_FIRST.index(status), status)
        if result is None:
            rows.append([blocks.Cell(cell.id, anchor=_anchor(cell)), word, *5 * [None]])
            continue
        counts = ", ".join(f"{count} {verdict}" for verdict, count in (result.verdicts or {}).items() if count)
        report = progress.cell_folder(data.campaign, cell) / result.run / "report.html"
        address = f"cells/{cell.id}/{result.run}/report.html" if result.run and report.is_file() else ""
        rows.append(
            [
                blocks.Cell(cell.id, anchor=_anchor(cell)),
                word,
                result.began[:19].replace("T", " ") or None,
                counts or None,
                result.deaths or None,
                blocks.Cell("report", href=address) if address else None,
                shortened(" ".join(result.reason.split()), MOST_REASON) or None,
            ]
        )
    columns = [
        Column("Cell"),
        Column("Status"),
        Column("Began (UTC)", tight=True),
        Column("Cases", optional=True),
        Column("Workers that died", number=True, optional=True),
        Column("Report", optional=True),
        Column("Reason", long=True, optional=True),
    ]
    statuses = [word for word in WORST_FIRST if any(row[1].verdict == word for row in rows)]
    section.add("table", table("t-cells", columns, rows), filter=statuses if len(statuses) > 1 else [])
    section.add("text", f"Commands: ./headroom campaign --resume {data.campaign.name} --dry-run", style="soft small")
    return section
