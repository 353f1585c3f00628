# SPDX-License-Identifier: Apache-2.0
"""The page of a judgement: one HTML file that needs no network and prints to one sheet of A4, and a PDF if Chromium is
installed. Details that do not fit on the sheet fold out on the screen, and stand in report.html.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from headroom.core.console import warn
from headroom.core.errors import disk_error
from headroom.core.results.record import VERDICTS, worst
from headroom.core.results.store import write_atomically
from headroom.core.text import number, shortened
from headroom.judge import summary
from headroom.judge.judgement import Judgement
from headroom.judge.summary import Summary
from headroom.report import template
from headroom.report.data import Records
from headroom.report.interop_page import SIGNS
from headroom.report.unreadable import readable

PAGE, PDF = "judge.html", "judge.pdf"
ON_THE_SHEET = 6  # most causes on the sheet; the others fold out
PATIENCE_S = 60.0  # seconds for Chromium


def write(summary: Summary, folder: Path) -> Path:
    """Writes judge.html, and judge.pdf if there is a browser. Raises EnvironmentLacks if one cannot be written."""
    target = folder / PAGE
    try:
        write_atomically(target, render(summary).encode())
    except OSError as error:
        raise disk_error(error, f"writing the page {target}", False, f"say ./headroom report {folder.name}") from error
    _print_to_pdf(target, folder / PDF)
    return target


def summary_of(judged: Judgement, records: Records) -> Summary:
    """The summary of the records that can be read; a warning names the others."""
    usable = readable(lambda few: render(summary.of(judged, few)), records, "The page of the judgement")
    return summary.of(judged, usable)


def render(summary: Summary) -> str:
    """The page as HTML text."""
    harness, first = summary.records[-1]["harness"], summary.records[0]
    return template.render(
        "judge.html.j2",
        css=["judge.css"],
        own_filters={"shortened": shortened, "figure": _figure},
        found=summary,
        subject=summary.found,
        outcome=summary.worst,
        signs=SIGNS,
        words=VERDICTS,
        worst=lambda counts: worst([word for word, count in counts.items() if count]),
        on_sheet=summary.causes[:ON_THE_SHEET],
        others=summary.causes[ON_THE_SHEET:],
        beside=[who for who in ("null", "reference") if any(who in cost.ns for cost in summary.costs)],
        date=first["started"][:10],
        minutes=sum(record["duration_s"] for record in summary.records) / 60,
        cpu=first["environment"].get("cpu_model") or "unknown processor",
        harness=f"Headroom {harness['version']}, commit {(harness.get('commit') or 'unknown')[:12]}",
        changed=harness.get("changed"),
        quick=any(record.get("quick") for record in summary.records),
    )


def _figure(value: Any) -> str:
    return "–" if value is None else number(float(value))


def _print_to_pdf(page: Path, target: Path) -> None:
    """Prints the page by a headless Chromium; without Chromium there is no PDF. A failure only causes a warning."""
    from headroom.testbed.doctor import find_browser

    browser = find_browser()
    if not browser:
        return
    with tempfile.TemporaryDirectory(prefix="headroom-print-") as scratch:
        printed = Path(scratch) / PDF
        switches = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-pdf-header-footer",
            f"--user-data-dir={scratch}",
        ]
        try:
            subprocess.run(
                [browser[0], *switches, f"--print-to-pdf={printed}", page.resolve().as_uri()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=PATIENCE_S,
                check=True,
            )
            shutil.copyfile(printed, target)
        except (OSError, subprocess.SubprocessError) as error:
            warn(f"The page is not printed to {PDF}: {error}")
