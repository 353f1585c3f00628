# SPDX-License-Identifier: Apache-2.0
"""The report's section about the interop matrix: a summary. The page beside the report shows the cells."""

from headroom.core.results.record import VERDICTS, worst
from headroom.report import matrix_data
from headroom.report.data import Records
from headroom.report.page import Cell, Column, Section, table, verdict_cell

PAGE = "interop.html"


def interop(records: Records) -> Section | None:
    """The section with cells by pair and verdict, and cells that did not pass by signature."""
    cells = matrix_data.cells(records)
    if not cells:
        return None
    section = Section("interop", "Interoperability", "Interop")
    schemes = matrix_data.by_scheme(cells)
    section.intro = [f"{scheme.title}: {scheme.cells().titles.what}." for scheme, _ in schemes]
    section.add("link", "The matrix, cell by cell, with captures, decodes and commands", id=PAGE)
    rows = [
        [
            scheme.title,
            f"{compressor} → {decompressor}",
            verdict_cell(worst([word for word, count in counts.items() if count])),
            *(counts[word] or None for word in VERDICTS),
        ]
        for scheme, mine in schemes
        for (compressor, decompressor), counts in matrix_data.pairs(mine).items()
    ]
    columns = [Column("Scheme"), Column("Pair"), Column("Verdict"), *(Column(word, number=True) for word in VERDICTS)]
    section.add("table", table("t-interop", columns, rows, "Cells by verdict."))
    groups = matrix_data.groups(cells)
    if groups:
        rows = [
            [
                Cell(group.signature),
                verdict_cell(group.verdict),
                len(group.cells),
                ", ".join(group.pairs),
                group.example["reason"],
            ]
            for group in groups
        ]
        columns = [
            Column("Signature", long=True),
            Column("Verdict"),
            Column("Cells", number=True),
            Column("Between"),
            Column("One of them", long=True),
        ]
        section.add("table", table("t-interop-groups", columns, rows, "Cells that did not pass, by signature."))
    if broken := matrix_data.without_cells(records):
        rows = [[row["test"]["name"], verdict_cell(row["verdict"]), row["reason"]] for row in broken]
        columns = [Column("Row"), Column("Verdict"), Column("Reason", long=True)]
        section.add("table", table("t-interop-rows", columns, rows, "Rows that ended before their first cell."))
    return section
