# SPDX-License-Identifier: Apache-2.0
"""The sections of the report, in order.

Each takes records and returns a section, or None when there is nothing to show.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from headroom.core import metrics
from headroom.core.machine import pressure
from headroom.core.results.record import VERDICTS, worst
from headroom.core.text import percent, shown
from headroom.report import data
from headroom.report.capacity_section import target_name
from headroom.report.columns import Shown, figure, parameter, table_of
from headroom.report.data import Records
from headroom.report.page import Card, Cell, Column, Link, Section, Table, cell, table, verdict_cell

FOLDED_FROM = 60  # cases; more would make the page endless on a phone


def summary(records: Records) -> Section:
    """The figures that most readers want, and what a reader must know before trusting them."""
    section = Section("summary", "Summary", "Summary")
    section.cards.append(_passed("Cases", "passed", records))
    section.cards += _capacity_cards(records)
    judged = [record for record in records if record["test"]["requirements"]]
    if judged:
        section.cards.append(_passed("Conformance", "cases that name a requirement passed", judged))
    must = [item for record in records for item in record["items"] if item["kind"] == "must-match"]
    if printed := [item for item in must if item["paper"] is not None]:
        section.cards.append(_passed("Paper", "figures that the paper prints and that must match do", printed))
    if bad := data.not_passed(records):
        section.add("heading", "What did not pass", id="not-passed")
        section.add("table", table_of("t-not-passed", NOT_PASSED, bad))
    if any(record["parameters"].get("notes") for record in records):
        section.notes = [
            "The machine was not quiet while the load was measured: trials were disturbed or spread. What was noticed "
            "stands beside each figure; every raw trial is kept."
        ]
    return section


NOT_PASSED: list[Shown] = [  # of (verdict, reason, cases)
    (Column("Verdict"), lambda bad: verdict_cell(bad[0])),
    (Column("Case"), lambda bad: _cases(bad[2])),
    (Column("Reason", long=True), lambda bad: bad[1]),
]


def _cases(cases: list[str]) -> Cell:
    return Cell(cases[0]) if len(cases) == 1 else Cell(f"{len(cases)} cases", len(cases), details=cases)


def _capacity_cards(records: Records) -> list[Card]:
    """The capacity of one core, the cost of a packet there, and the growth with the number of cores."""
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
        of = f"flow pairs at {target_name(main.target_load)}, were there no harness"
        cards.append(Card("Codec only", main.shown_codec_only, of))
    if main.ratio_to_null is not None:
        cards.append(Card("Ratio to null", f"{main.ratio_to_null:.1f} ×", "cost of a packet over that of copying it"))
    floor = data.value(main.record, metrics.FLOOR_NS)
    if floor is not None:
        of = "compress and decompress with the null adapter, which copies"
        cards.append(Card("Floor", f"{shown(floor)} ns", of))
    return [*cards, *_scaling_card(single, lines)]


def _scaling_card(single: data.CapacityLine, lines: list[data.CapacityLine]) -> list[Card]:
    """A card that compares one core with the CPU configuration of the most cores, where the run has both."""
    best = max(lines, key=lambda line: len(line.main.cores) if line.main else 0)
    one, many = single.flow_pairs(0.5), best.flow_pairs(0.5)
    if best is single or best.main is None or not one or not many:
        return []
    about = "≈ " if any(line.by_target[0.5].rough for line in (single, best)) else ""
    of = f"flow pairs at 50 % load, {len(best.main.cores)} cores"
    return [Card(f"Scaling to {best.cpus}", f"{about}{many / one:.2f} ×", of)]


def _passed(title: str, of: str, judged: list[dict[str, Any]]) -> Card:
    """How many passed of the cases that ran. Unsupported ones did not run and stand beside them."""
    count = Counter(one["verdict"] for one in judged)
    unsupported = count["unsupported"]
    beside = f"; {unsupported} more {'is' if unsupported == 1 else 'are'} unsupported" if unsupported else ""
    return Card(title, f"{count['pass']} of {len(judged) - unsupported}", of + beside)


def flows_come_and_go(records: Records) -> Section | None:
    """The cost of an operation at start-up, in steady state and under churn."""
    found = data.of_kind(records, "churn")
    if not found:
        return None
    section = Section("churn", "When flows come and go", "Churn")
    section.intro = [
        "An operation is compressing and decompressing one packet. Start-up: the first packets of all flows at once, "
        "with the time in which the kernel gives memory for their contexts. "
        "Churn: that share of the flow pairs makes way for new ones each second."
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
    section.add("table", table_of("t-churn", shown, found))
    return section


def conformance(records: Records) -> Section | None:
    """Requirements x implementations, each verdict with the cases that it rests on; and what no case covers."""
    found = data.requirements(records)
    if not found:
        return None
    section = Section("conformance", "Conformance by requirement", "Conformance")
    section.intro = [
        "Each requirement with the verdict on each implementation that it binds, the worst of the cases that name it; "
        "a click on it shows them. A click on what the requirement asks shows the document's own words. Non-strict: a "
        "SHOULD was missed. Unsupported: declared beforehand.",
        "A MAY or SHOULD leaves an implementation free. The last column names the doubles of the reference which use "
        "that freedom, and which no case may fail, or the reason why no double does.",
    ]
    covered = data.coverage(records)
    section.add("table", _levels_table(data.levels(records)))
    section.add("table", _coverage_table(covered))
    matrix = _requirements_table(found, records)
    present = [word for word in VERDICTS if any(one.by_verdict[word] for one in covered)]
    title = f"Show all {len(found)} requirements with their cases" if len(found) > FOLDED_FROM else ""
    section.add("table", matrix, filter=present, title=title)
    if rest := data.untested(records):
        section.add("heading", "What this run did not ask", id="untested")
        title = f"Show all {len(rest)} requirements that it did not ask" if len(rest) > FOLDED_FROM else ""
        section.add("table", _untested_table(rest), title=title)
    return section


def _requirements_table(found: Sequence[data.Requirement], records: Records) -> Table:
    """Requirements x implementations: each verdict with the cases that it rests on."""
    judged, cells = data.by_implementation(found)
    numbers = {id(record): number for number, record in enumerate(records)}
    matrix = table(
        "t-requirements",
        [
            Column("Requirement"),
            Column("Level"),
            *(Column(f"{name} as {role}") for name, role in judged),
            Column("What it asks", long=True),
            Column("What uses the freedom", long=True),
        ],
        [
            [
                Cell(entry.id, code=True),
                entry.level.upper(),
                *(_evidence(cells.get(entry.id, {}).get(who, []), numbers) for who in judged),
                _quoted(entry.text, entry.citation),
                data.freedom(entry.id),
            ]
            for entry in found
        ],
    )
    for row, entry in zip(matrix.rows, found, strict=True):
        row.verdict = worst([case["verdict"] for case in entry.cases])
    return matrix


def _untested_table(rest: Sequence[data.Untested]) -> Table:
    """The requirements that no case of the run names, and why."""
    columns = [
        Column("Requirement"),
        Column("Level"),
        Column("Binds"),
        Column("What it asks", long=True),
        Column("Why", long=True),
        Column("What uses the freedom", long=True),
    ]
    rows = [
        [
            Cell(one.id, code=True),
            one.level.upper(),
            one.side,
            _quoted(one.text, one.citation),
            one.reason,
            data.freedom(one.id),
        ]
        for one in rest
    ]
    return table("t-untested", columns, rows)


def _quoted(text: str, citation: str) -> Cell:
    """The paraphrase of a requirement; the document's own words fold out below it."""
    return Cell(text, details=[citation] if citation else [])


def _evidence(cases: Records, numbers: dict[int, int]) -> Cell:
    """The verdict on one implementation, and the cases that it rests on, the worst first."""
    if not cases:
        return Cell("–", "")
    by_weight = sorted(cases, key=lambda case: verdict_cell(case["verdict"]).sort or 0)
    made = verdict_cell(worst([case["verdict"] for case in cases]))
    made.details = [Link(_named(case), f"case-{numbers[id(case)]}") for case in by_weight]
    return made


def _named(case: dict[str, Any]) -> str:
    """The case, and its verdict where that is another than most have."""
    identity = str(case["test"]["id"])
    return identity if case["verdict"] == "pass" else f"{case['verdict']}: {identity}"


UNCOVERED: tuple[Shown, ...] = (
    (Column("Not yet", number=True), lambda one: one.not_yet),
    (Column("Not selected", number=True), lambda one: one.not_selected),
    (Column("No case", number=True), lambda one: one.without_case),
)


def _levels_table(found: list[data.Level]) -> Any:
    shown: list[Shown] = [
        (Column("Level"), lambda one: one.level.upper()),
        (Column("Known", number=True), lambda one: one.known),
        (Column("With a case", number=True), lambda one: one.with_case),
        (Column("Share", number=True), lambda one: percent(one.share)),
        *UNCOVERED,
    ]
    caption = (
        "How much the cases of this run cover, of what binds an implementation. The share is of what can be tested: "
        "all but what no implementation of ours has (not yet). Not selected: this run left out the cases that name "
        "it. An implementation may make use of a MAY or not."
    )
    return table_of("t-levels", shown, found, caption)


def _coverage_table(covered: list[data.Coverage]) -> Any:
    shown: list[Shown] = [
        (Column("Document"), lambda one: Cell(one.document, details=[one.title] if one.title else [])),
        (Column("Known", number=True), lambda one: one.known),
        *((Column(word, number=True), lambda one, word=word: one.by_verdict[word]) for word in VERDICTS),
        *UNCOVERED,
    ]
    caption = (
        "Requirements on an implementation, by the worst verdict of their cases. Not yet: about a feature that no "
        "implementation of ours has. Not selected: this run left out its cases. No case: no case names it."
    )
    return table_of("t-documents", shown, covered, caption)


def all_cases(records: Records) -> Section:
    """Every case of the run."""
    section = Section("cases", "All cases", "Cases")
    rows = [
        [
            Cell(r["test"]["id"], anchor=f"case-{number}"),
            verdict_cell(r["verdict"]),
            f"{(r['compressor'] or {}).get('name') or '–'} → {(r['decompressor'] or {}).get('name') or '–'}",
            cell(round(r["duration_s"], 2)),
            r["reason"].strip(),
            Cell(_files(len(r["artefacts"])), details=[one["path"] for one in r["artefacts"]])
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
    """The machine, the build and the implementations."""
    section = Section("environment", "Environment", "Environment")
    found = records[-1]["environment"]
    missing = found.get("missing", {})
    facts = []
    for title, name in FACTS:
        amount = found.get(name)
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
    topology = found.get("topology", {})
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
            one = record[role]
            if one and (key := (one["name"], one["build"], _digests(one))) not in seen:
                seen.add(key)
                rows.append(
                    [
                        one["name"],
                        one["version"] or "–",
                        one["build"] or "–",
                        Cell(_digests(one), code=True),
                    ]
                )
    if rows:
        columns = [Column("Implementation"), Column("Version"), Column("Build", long=True), Column("SHA-256 begins")]
        section.add("table", table("t-implementations", columns, rows))
    return section


def _pressure(records: Records) -> list[tuple[str, str]]:
    """How busy the machine was, with this run and other work."""
    disturbances = pressure.summary(records)
    if disturbances is None:
        return []
    stolen = percent(disturbances.steal, 1) or "not known"
    if disturbances.most_steal is not None:
        stolen += f", at most {percent(disturbances.most_steal, 1)} in a case"
    load = (
        f"{disturbances.first_load:.1f} at the start, at most {disturbances.most_load:.1f}, on {disturbances.cpus} CPUs"
    )
    return [("Load average", load), ("Time given to others (steal)", stolen)]


def _digests(one: dict[str, Any]) -> str:
    """How the adapter's digest begins and, behind it, that of the library that it opens."""
    found = (one["sha256"] or one.get("reason", "–"))[:16]
    opens = one.get("opens")
    return f"{found}; {opens['path'].rpartition('/')[2]} {(opens['sha256'] or '–')[:16]}" if opens else found


def repeating(records: Records) -> Section:
    """How to repeat each row."""
    section = Section("repeat", "How to repeat each row", "Repeat")
    section.intro = ["Typed in the repository's root. The same seed puts the same octets on the link."]
    groups: dict[str, list[str]] = {}
    for record in records:
        suite = record["test"]["id"].removesuffix(f"/{record['test']['name']}")
        groups.setdefault(suite, []).append(record["command"])
    for suite, commands in groups.items():
        section.add(
            "folded", "\n".join(commands), title=f"{suite}: {len(commands)} case{'s' if len(commands) != 1 else ''}"
        )
    return section
