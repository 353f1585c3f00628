# SPDX-License-Identifier: Apache-2.0
"""The page of a soak: one table for each stage, and the defects with the commands that repeat them."""

from __future__ import annotations

from pathlib import Path

from headroom.core.errors import EXIT_PASSED, disk_error
from headroom.core.paths import TEMPLATES
from headroom.core.results.store import write_atomically
from headroom.core.text import in_template
from headroom.selftest.soak.tally import Row, Tally

PAGE = "soak.html"

# Columns of each stage: the title, and the field of a row. A sentence that describes the stage.
COLUMNS = {
    "fuzz": (("executions", "executions"), ("files of the corpus", "corpus"), ("crashes", "crashes")),
    "calls": (
        ("executions", "executions"),
        ("calls of the ABI", "calls"),
        ("files of the corpus", "corpus"),
        ("crashes", "crashes"),
    ),
    "links": (
        ("packets", "packets"),
        ("damaged headers", "damaged"),
        ("wrong deliveries", "wrong"),
        ("expected", "expected"),
        ("allowed", "allowed"),
        ("theory", "theory"),
    ),
    "kills": (
        ("commands", "executions"),
        ("kills", "kills"),
        ("records before them", "records"),
        ("lost", "lost"),
    ),
}
ABOUT = {
    "fuzz": "Fuzz targets of parsers, codecs and jobs, with AddressSanitizer and UndefinedBehaviorSanitizer.",
    "calls": "Any calls of the ABI in any order; each buffer is memory of its own, as long as the call says.",
    "links": "Bits are inverted on the link. A wrong delivery came out changed, and no check of the packet noticed it. "
    "Allowed is the upper limit (99.9 %) of a Poisson distribution whose mean is the number that the theory expects.",
    "kills": "Commands are killed (SIGKILL) at random moments and continue. Lost: a record that existed before a kill "
    "and is gone, changed or broken afterwards.",
}


def write(tally: Tally) -> Path:
    """Writes soak.html. Raises EnvironmentLacks if it cannot be written."""
    target = tally.folder / PAGE
    try:
        write_atomically(target, render(tally).encode())
    except OSError as error:
        raise disk_error(error, f"writing the page {target}", False) from error
    return target


def render(tally: Tally) -> str:
    """The page as HTML text."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        finalize=in_template,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["figure"] = figure
    stages = {name: [row for row in tally.rows if row.stage == name] for name in COLUMNS}
    return environment.get_template("soak.html.j2").render(
        tally=tally,
        total=tally.totals(),
        passed=tally.exit_status == EXIT_PASSED,
        stages={name: rows for name, rows in stages.items() if rows},
        columns=COLUMNS,
        about=ABOUT,
        spent={name: sum(parts.values()) / 60 for name, parts in tally.spent.items()},
        css=(TEMPLATES / "judge.css").read_text(encoding="utf-8"),
    )


def figure(row: Row, field: str) -> str:
    """A count as text."""
    value = getattr(row, field)
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
