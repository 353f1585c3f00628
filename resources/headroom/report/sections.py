# SPDX-License-Identifier: Apache-2.0
"""The sections of the report, in order.

Each takes records and returns a section, or None if there is nothing to show.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from headroom.core import metrics
from headroom.core.machine import pressure
from headroom.core.results.record import VERDICTS, worst
from headroom.core.text import percent, shown
from headroom.report import data, products
from headroom.report.capacity_section import target_name
from headroom.report.columns import Shown, figure, parameter, table_of
from headroom.report.data import Records
from headroom.report.page import Card, Cell, Column, Link, Section, Table, cell, table, verdict_cell

FOLDED_FROM = 60  # most rows of an open table; more would make the page very long on a phone


def summary(records: Records) -> Section:
    """The section with the most important figures, and the warnings that a reader needs first."""
    section = Section("summary", "Summary", "Summary")
    section.cards.append(_passed("Cases", "passed", records))
    section.cards += _capacity_cards(records)
    judged = [record for record in records if record["test"]["requirements"]]
    if judged:
        section.cards.append(_passed("Conformance", "cases that name a requirement passed", judged))
    must = [item for record in records for item in record["items"] if item["kind"] == "must-match"]
    if printed := [item for item in must if item["paper"] is not None]:
        section.cards.append(_passed("Paper", "printed figures that must match do match", printed))
    if bad := data.not_passed(records):
        section.add("heading", "Cases that did not pass", id="not-passed")
        section.add("table", table_of("t-not-passed", NOT_PASSED, bad))
    if any(record["parameters"].get("notes") for record in records):
        section.notes = [
            "The machine was not quiet while the load was measured: trials were disturbed or spread. Remarks stand "
            "beside each figure; every raw trial is kept."
        ]
    return section


NOT_PASSED: list[Shown] = [  # one (verdict, reason, cases)
    (Column("Verdict"), lambda bad: verdict_cell(bad[0])),
    (Column("Case"), lambda bad: _cases(bad[2])),
    (Column("Reason", long=True), lambda bad: bad[1]),
]


def _cases(cases: list[str]) -> Cell:
    return Cell(cases[0]) if len(cases) == 1 else Cell(f"{len(cases)} cases", len(cases), details=cases)


def _capacity_cards(records: Records) -> list[Card]:
    """The cards with the capacity of one core, the cost of a packet there, and the growth with the number of cores."""
    lines = [line for line in data.capacity_lines(records) if line.main]
    single = next((line for line in lines if line.cpus == "1c"), lines[0] if lines else None)
    if single is None or single.main is None:
        return []
    main, fifty = single.main, single.by_target.get(0.5)
    cores = "one core" if single.cpus == "1c" else single.cpus
    cost = f"compress and decompress, {main.profile}"
    cards = [
        Card(f"Flow pairs, {cores}", fifty.shown if fifty else "–", f"at 50 % load, {main.profile}"),
        Card("Cost of a packet", f"{shown(main.ns_per_operation)} ns", cost),
    ]
    if main.codec_only is not None:
        of = f"flow pairs at {target_name(main.target_load)}, without the cost of the harness"
        cards.append(Card("Codec only", main.shown_codec_only, of))
    if main.ratio_to_null is not None:
        cards.append(
            Card("Ratio to null", f"{main.ratio_to_null:.1f} ×", "cost of a packet over the cost of copying it")
        )
    floor = data.value(main.record, metrics.FLOOR_NS)
    if floor is not None:
        of = "compress and decompress with the null adapter, which copies"
        cards.append(Card("Floor", f"{shown(floor)} ns", of))
    return [*cards, *_scaling_card(single, lines)]


def _scaling_card(single: data.CapacityLine, lines: list[data.CapacityLine]) -> list[Card]:
    """A card that compares one core with the CPU configuration of the most cores, if the run has both."""
    best = max(lines, key=lambda line: len(line.main.cores) if line.main else 0)
    of_single, many = single.flow_pairs(0.5), best.flow_pairs(0.5)
    if best is single or best.main is None or not of_single or not many:
        return []
    about = "≈ " if any(line.by_target[0.5].is_rough for line in (single, best)) else ""
    of = f"flow pairs at 50 % load, {len(best.main.cores)} cores"
    return [Card(f"Scaling to {best.cpus}", f"{about}{many / of_single:.2f} ×", of)]


def _passed(title: str, of: str, judged: list[dict[str, Any]]) -> Card:
    """A card with the passed share of the cases that ran. Unsupported cases, which did not run, are named beside it."""
    count = Counter(case["verdict"] for case in judged)
    unsupported = count["unsupported"]
    beside = f"; {unsupported} more {'is' if unsupported == 1 else 'are'} unsupported" if unsupported else ""
    return Card(title, f"{count['pass']} of {len(judged) - unsupported}", of + beside)


def flows_come_and_go(records: Records) -> Section | None:
    """The section with the cost of an operation at start-up, in steady state and under churn."""
    churn = data.of_kind(records, "churn")
    if not churn:
        return None
    section = Section("churn", "Flows that come and go", "Churn")
    section.intro = [
        "An operation is compressing and decompressing one packet. Start-up: the first packets of all flows at once, "
        "including the time in which the kernel provides memory for their contexts. Churn: this share of the flow "
        "pairs is replaced by new ones each second."
    ]
    shown: list[Shown] = [
        (Column("Scheme"), lambda record: data.title_of_scheme(data.scheme_of(record))),
        parameter("CPUs", "cpus"),
        parameter("Flow pairs per core", "flow_pairs_per_core", number=True),
        (
            Column("Replaced a second", number=True),
            lambda record: percent(record["parameters"]["replaced_per_second"]),
        ),
        figure("Start-up, ns", metrics.PHASE_NS(phase="startup")),
        figure("Steady state, ns", metrics.PHASE_NS(phase="steady")),
        figure("Churn, ns", metrics.PHASE_NS(phase="churn")),
        figure("Load", metrics.LOAD, lambda load: percent(load or 0, 1)),
    ]
    section.add("table", table_of("t-churn", shown, churn))
    return section


def conformance(records: Records) -> Section | None:
    """The section with requirements x implementations, each verdict with its cases; and the requirements without a
    case.
    """
    tested = data.requirements(records)
    if not tested:
        return None
    section = Section("conformance", "Conformance by requirement", "Conformance")
    section.intro = [
        "Each requirement with its verdict on each implementation that it binds: the worst of the cases that name "
        "it. Click on the verdict to see the cases, and on the requirement to see the document's own words. "
        "Non-strict: a SHOULD was missed. Unsupported: not declared beforehand, or lacking here.",
        "A MAY or SHOULD leaves an implementation free. The last column names the doubles of the reference that use "
        "this freedom, or the reason why no double does. No case may fail such a double.",
    ]
    covered = data.coverage(records)
    section.add("table", _levels_table(data.levels(records)))
    section.add("table", _coverage_table(covered))
    matrix = _requirements_table(tested, records)
    present = [word for word in VERDICTS if any(coverage_row.by_verdict[word] for coverage_row in covered)]
    title = f"Show all {len(tested)} requirements with their cases" if len(tested) > FOLDED_FROM else ""
    section.add("table", matrix, filter=present, title=title)
    if rest := data.untested(records):
        section.add("heading", "Requirements that this run did not test", id="untested")
        title = f"Show all {len(rest)} requirements that it did not test" if len(rest) > FOLDED_FROM else ""
        section.add("table", _untested_table(rest), title=title)
    return section


def _requirements_table(tested: Sequence[data.Requirement], records: Records) -> Table:
    """A table of requirements x implementations: each verdict with its cases."""
    judged, cells = data.by_implementation(tested)
    numbers = {id(record): number for number, record in enumerate(records)}
    matrix = table(
        "t-requirements",
        [
            Column("Requirement"),
            Column("Level"),
            *(Column(f"{name} as {role}") for name, role in judged),
            Column("Requirement", long=True),
            Column("Doubles that use the freedom", long=True),
        ],
        [
            [
                Cell(entry.id, code=True),
                entry.level.upper(),
                *(_evidence(cells.get(entry.id, {}).get(who, []), numbers, entry.id) for who in judged),
                _quoted(entry.text, entry.citation),
                data.freedom(entry.id),
            ]
            for entry in tested
        ],
    )
    for row, entry in zip(matrix.rows, tested, strict=True):
        row.verdict = worst([case["verdict"] for case in entry.cases])
    return matrix


def _untested_table(rest: Sequence[data.Untested]) -> Table:
    """A table of the requirements that no case of the run names, and the reasons."""
    columns = [
        Column("Requirement"),
        Column("Level"),
        Column("Binds"),
        Column("Requirement", long=True),
        Column("Why", long=True),
        Column("Doubles that use the freedom", long=True),
    ]
    rows = [
        [
            Cell(requirement.id, code=True),
            requirement.level.upper(),
            requirement.side,
            _quoted(requirement.text, requirement.citation),
            requirement.reason,
            data.freedom(requirement.id),
        ]
        for requirement in rest
    ]
    return table("t-untested", columns, rows)


def _quoted(text: str, citation: str) -> Cell:
    """A cell with the paraphrase of a requirement; the document's own words fold out below it."""
    return Cell(text, details=[citation] if citation else [])


def _evidence(cases: Records, numbers: dict[int, int], requirement: str) -> Cell:
    """A cell with the verdict on one implementation, and its cases, the worst first."""
    if not cases:
        return Cell("–", "")
    by_weight = sorted(cases, key=lambda case: verdict_cell(case["verdict"]).sort or 0)
    cell = verdict_cell(worst([case["verdict"] for case in cases]))
    cell.details = [Link(_named(case, requirement), f"case-{numbers[id(case)]}") for case in by_weight]
    return cell


def _named(case: dict[str, Any], requirement: str) -> str:
    """The case, and its verdict unless that is pass; with what its findings are about if that is not `requirement`."""
    identity = str(case["test"]["id"])
    if case["verdict"] == "pass":
        return identity
    broken = (finding["requirement"] for finding in case["findings"] if finding["severity"] != "note")
    found = list(dict.fromkeys(filter(None, broken)))
    few = f"{', '.join(found[:MOST_FOUND])}{', …' * (len(found) > MOST_FOUND)}"
    about = f" (finding: {few})" if found and requirement not in found else ""
    return f"{case['verdict']}{about}: {identity}"


MOST_FOUND = 3  # requirements of findings beside a case


UNCOVERED: tuple[Shown, ...] = (
    (Column("Not yet", number=True), lambda one: one.not_yet),
    (Column("Not selected", number=True), lambda one: one.not_selected),
    (Column("No case", number=True), lambda one: one.without_case),
)


def _levels_table(levels: list[data.Level]) -> Any:
    shown: list[Shown] = [
        (Column("Level"), lambda level: level.level.upper()),
        (Column("Known", number=True), lambda level: level.known),
        (Column("With a case", number=True), lambda level: level.with_case),
        (Column("Share", number=True), lambda level: percent(level.share)),
        *UNCOVERED,
    ]
    caption = (
        "Requirements on an implementation that the cases of this run cover. The share excludes requirements about "
        "features that no implementation of ours has (not yet). Not selected: this run left out the cases that name "
        "it. A MAY leaves an implementation free."
    )
    return table_of("t-levels", shown, levels, caption)


def _coverage_table(covered: list[data.Coverage]) -> Any:
    shown: list[Shown] = [
        (
            Column("Document"),
            lambda coverage: Cell(coverage.document, details=[coverage.title] if coverage.title else []),
        ),
        (Column("Known", number=True), lambda coverage: coverage.known),
        *((Column(word, number=True), lambda coverage, word=word: coverage.by_verdict[word]) for word in VERDICTS),
        *UNCOVERED,
    ]
    caption = (
        "Requirements on an implementation, by the worst verdict of their cases. Not yet: about a feature that no "
        "implementation of ours has. Not selected: this run left out its cases. No case: no case names it."
    )
    return table_of("t-documents", shown, covered, caption)


def all_cases(records: Records) -> Section:
    """The section with every case of the run."""
    section = Section("cases", "All cases", "Cases")
    rows = [
        [
            Cell(r["test"]["id"], anchor=f"case-{number}"),
            verdict_cell(r["verdict"]),
            f"{(r['compressor'] or {}).get('name') or '–'} → {(r['decompressor'] or {}).get('name') or '–'}",
            cell(round(r["duration_s"], 2)),
            r["reason"].strip(),
            Cell(_files(len(r["artefacts"])), details=[artefact["path"] for artefact in r["artefacts"]])
            if r["artefacts"]
            else "–",
        ]
        for number, r in enumerate(records)
    ]
    columns = [
        Column("Case"),
        Column("Verdict"),
        Column("Compressor → decompressor"),
        Column("s", number=True),
        Column("Reason", long=True),
        Column("Kept in the run's folder", long=True, optional=True),
    ]
    present = [word for word in VERDICTS if any(record["verdict"] == word for record in records)]
    title = f"Show all {len(rows)} cases" if len(rows) > FOLDED_FROM else ""
    section.add("table", table("t-cases", columns, rows), filter=present, title=title)
    return section


def _files(count: int) -> str:
    return f"{count} file{'s' if count != 1 else ''}"


FACTS = (
    ("Processor", "cpu_model"),
    ("Microcode", "microcode"),
    ("Clock now, MHz", "clock_mhz"),
    ("Memory, GiB", "memory_bytes"),
    ("Virtualisation", "virtualisation"),
    ("Kernel", "kernel"),
    ("Distribution", "distribution"),
    ("Governor", "governor"),
    ("Boost", "boost"),
    ("Clock source", "clock_source"),
    ("Transparent hugepages", "transparent_hugepages"),
    ("Hugepages reserved", "hugepages"),
    ("Isolated CPUs", "isolated_cpus"),
    ("Mitigations", "mitigations"),
    ("Compiler", "compiler"),
    ("Flags", "flags"),
    ("Sandbox", "sandbox"),
)


def environment(records: Records) -> Section:
    """The section about the machine, the build and the implementations."""
    section = Section("environment", "Environment", "Environment")
    latest = records[-1]["environment"]
    missing = latest.get("missing", {})
    facts = []
    for title, name in FACTS:
        amount = latest.get(name)
        if name == "memory_bytes" and amount:
            amount = amount / 2**30
        facts.append(
            (
                title,
                shown(amount)
                if amount is not None
                else f"not known: {missing.get(name, 'the kernel does not show it')}",
            )
        )
    topology = latest.get("topology", {})
    if topology:
        counts = f"{topology['physical_cores']} cores, {len(topology['cpus'])} CPUs, {topology['sockets']} sockets"
        names = "; ".join(
            f"{name} = {', '.join(map(str, cpus))}" for name, cpus in topology.get("configurations", {}).items()
        )
        facts.insert(1, ("Topology", f"{counts}. CPU configurations: {names}"))
    section.add("facts", [*facts, *_pressure(records)])
    rows = []
    seen = set()
    for record in records:
        for role in ("compressor", "decompressor"):
            side = record[role]
            if side and (key := (side["name"], side["build"], _digests(side))) not in seen:
                seen.add(key)
                rows.append(
                    [
                        side["name"],
                        side["version"] or "–",
                        side["build"] or "–",
                        Cell(_digests(side), code=True),
                    ]
                )
    if rows:
        columns = [Column("Implementation"), Column("Version"), Column("Build", long=True), Column("SHA-256 begins")]
        section.add("table", table("t-implementations", columns, rows))
    return section


def _pressure(records: Records) -> list[tuple[str, str]]:
    """Facts about the load of the machine, by this run and other work."""
    disturbances = pressure.summary(records)
    if disturbances is None:
        return []
    stolen = percent(disturbances.steal, 1) or "not known"
    if disturbances.most_steal is not None:
        stolen += f", at most {percent(disturbances.most_steal, 1)} in a case"
    load = (
        f"{disturbances.first_load:.1f} at the start, at most {disturbances.most_load:.1f}, on {disturbances.cpus} CPUs"
    )
    return [("Load average", load), ("Time given to other guests (steal)", stolen)]


def _digests(side: dict[str, Any]) -> str:
    """The beginnings of the adapter's digest and of those of its libraries."""
    more = (f"{name} {(digest or '–')[:16]}" for name, digest in products.libraries(side))
    return "; ".join(((side["sha256"] or side.get("reason", "–"))[:16], *more))


def repeating(records: Records) -> Section:
    """The section with the commands that repeat each row."""
    section = Section("repeat", "Commands that repeat each row", "Repeat")
    section.intro = ["Run these in the repository's root. The same seed puts the same octets on the link."]
    groups: dict[str, list[str]] = {}
    for record in records:
        suite = record["test"]["id"].removesuffix(f"/{record['test']['name']}")
        groups.setdefault(suite, []).append(record["command"])
    for suite, commands in groups.items():
        section.add(
            "folded", "\n".join(commands), title=f"{suite}: {len(commands)} case{'s' if len(commands) != 1 else ''}"
        )
    return section
