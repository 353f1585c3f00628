# SPDX-License-Identifier: Apache-2.0
"""Renders records into one self-contained HTML file that needs no network."""

import contextlib
from datetime import datetime
from pathlib import Path

from headroom.core.console import warn
from headroom.core.contract import MakeSection, ReportSection
from headroom.core.errors import UsageError, disk_error
from headroom.core.machine import pressure
from headroom.core.results import chain
from headroom.core.results.record import count_verdicts
from headroom.core.results.store import name_of, write_atomically
from headroom.core.scheme_registry import all_schemes
from headroom.core.text import shortened, some
from headroom.report import capacity_section, interop_page, sections, template, traffic_section, wire_section
from headroom.report.data import Records
from headroom.report.interop_section import PAGE, interop
from headroom.report.matrix_data import without_cells
from headroom.report.page import Page, Section
from headroom.report.paper_section import paper
from headroom.report.unreadable import readable, unreadable, without


def write(records: Records, target: Path, run_folder: Path) -> Path:
    """Writes the report of some records and, beside it, the interop matrix if there is one.

    Raises EnvironmentLacks if they cannot be written.
    """
    html = render(records, run_folder)
    try:
        write_atomically(target, html.encode())
    except OSError as error:
        raise disk_error(
            error, f"writing the report {target}", False, f"say ./headroom report {run_folder.name}"
        ) from error
    if matrix := [record for record in records if record.get("cells")]:
        _write_matrix([*matrix, *without_cells(records)], target.with_name(PAGE), run_folder)
    return target


def _write_matrix(records: Records, target: Path, run_folder: Path) -> None:
    """Writes the interop matrix, without the records that it cannot read."""
    try:
        usable = readable(lambda few: interop_page.render(few, run_folder), records, "The interop matrix")
    except UsageError as error:
        warn(str(error))
        return
    interop_page.write(usable, target, run_folder)


def render(records: Records, run_folder: Path) -> str:
    """The report as HTML text."""
    return html_of(page(records, run_folder))


def html_of(content: Page) -> str:
    """A page as HTML text."""
    return template.render("report.html.j2", css=["report.css"], js="report.js", page=content)


def page(records: Records, run_folder: Path) -> Page:
    """The content of the report."""
    harness = records[-1]["harness"]
    version = f"Headroom {harness['version']}, commit {(harness['commit'] or 'unknown')[:12]}"
    changed = " with uncommitted changes" if harness.get("changed") else ""
    chained = chain.verify(run_folder, chain.RUN)
    summary = f" {chained.summary()}." if chained.lines else ""
    return Page(
        title=_title(records),
        subtitle=(
            f"Run {run_folder.name} · {_when(records)} · "
            f"{records[0]['environment'].get('cpu_model') or 'unknown processor'}"
        ),
        warnings=[*warnings(records), *chained.sentences()],
        verdicts={word: count for word, count in count_verdicts(records).items() if count},
        sections=_sections(records),
        footer=(
            f"{version}{changed}. Every figure rests on a result record of the run's folder; "
            f"raw trials are in the records.{summary}"
        ),
    )


REFERENCE = "reference"

FIRST = (
    sections.summary,
    capacity_section.capacity,
    capacity_section.latency_and_cost,
    sections.flows_come_and_go,
)
LAST = (
    wire_section.on_the_wire,
    paper,
    interop,
    sections.conformance,
    sections.all_cases,
    traffic_section.traffic,
    sections.environment,
    sections.repeating,
)


def made_of(make: MakeSection, records: Records) -> ReportSection | None:
    """The section made of some records. Unreadable records are left out, and the section lists them."""
    try:
        return make(records)
    except Exception as error:
        wrong, reason = unreadable(make, records), f"{type(error).__name__}: {error}"
    section: ReportSection | None = None
    if rest := without(records, wrong):
        with contextlib.suppress(Exception):
            section = make(rest)
    title = make.__name__.strip("_").replace("_", " ").capitalize()
    section = section or Section(f"unreadable-{make.__name__.replace('_', '-')}", title, title)
    note = f"This section cannot read the {len(records)} records together ({shortened(reason, 200)})."
    if wrong:
        note = (
            f"This section cannot read {len(wrong)} of {len(records)} records ({shortened(reason, 200)}) and leaves "
            f"them out: {some([name_of(record) for record in wrong])}."
        )
    section.notes.insert(0, note)
    return section


def _sections(records: Records) -> list[ReportSection]:
    """The sections that are not empty; those of the schemes stand in the middle."""
    first, last = (
        [section_made for make in makers if (section_made := made_of(make, records)) is not None]
        for makers in (FIRST, LAST)
    )
    there = {section.id: section for section in (*first, *last)}
    for scheme in all_schemes().values():
        for make in scheme.report_sections():
            if (section_made := made_of(make, records)) is None:
                continue
            if section_made.id in there:
                there[section_made.id].go_on(section_made)
            else:
                there[section_made.id] = section_made
                first.append(section_made)
    return [*first, *last]


def warnings(records: Records) -> list[str]:
    """Warnings at the top of the report: a quick run, a busy machine, a missing sandbox."""
    quick = sum(bool(record.get("quick")) for record in records)
    result = []
    if quick:
        of = "" if quick == len(records) else f" for {quick} of {len(records)} cases"
        result.append(f"Run with --quick{of}: fewer and shorter trials, fewer seeds. A first look, not a measurement.")
    disturbances = pressure.summary(records)
    measured = any(record["metrics"] or record["items"] for record in records)
    if disturbances and measured and (sentences := disturbances.sentences()):
        result.append(" ".join(sentences))
    missing = [record["environment"].get("missing") for record in records]
    reasons = [environment_entry.get("sandbox") for environment_entry in missing if isinstance(environment_entry, dict)]
    if weak := sorted({str(reason) for reason in reasons if reason}):
        result.append(f"Other people's code ran without the whole sandbox: {'; '.join(weak)}.")
    return result


def _title(records: Records) -> str:
    """The title: the implementations and the suites. The reference is not named if it is only the other side, nor are
    those that only the suites of smoke look at.
    """
    judged = [record for record in records if record["parameters"].get("kind") != "floor"]
    judged = [record for record in judged if not record["test"]["id"].startswith("smoke/")] or judged
    roles = [(record["compressor"], record["decompressor"]) for record in judged]
    # If there are no pairs, as with endpoints in conformance, the title names only the judged implementations.
    pairs = [pair for pair in roles if all(pair)] or roles
    sides = [{side_of_pair["name"] for side_of_pair in pair if side_of_pair} - {"null"} for pair in pairs]
    names = set().union(*sides)
    if names != {REFERENCE} and {REFERENCE} not in sides:
        names -= {REFERENCE}
    tags = {tag for record in records for tag in record["test"]["tags"]}
    subjects = dict.fromkeys(scheme.subject for scheme in all_schemes().values() if f"scheme:{scheme.name}" in tags)
    *most, last = [subject for subject in subjects if subject] or ["header compression"]
    subject_text = f"{', '.join(most)} and {last}" if most else last
    return f"{', '.join(sorted(names))}: {subject_text}" if names else subject_text[0].upper() + subject_text[1:]


def _when(records: Records) -> str:
    try:
        first = datetime.fromisoformat(records[0]["started"])
        last = datetime.fromisoformat(records[-1]["started"])
        minutes = (last - first).total_seconds() / 60 + records[-1]["duration_s"] / 60
    except (ValueError, TypeError):  # times with and without a time zone
        return records[0]["started"]
    return f"{first:%d %B %Y, %H:%M} UTC · {minutes:.0f} min" if minutes >= 1 else f"{first:%d %B %Y, %H:%M} UTC"
