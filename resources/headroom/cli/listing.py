# SPDX-License-Identifier: Apache-2.0
"""`./headroom list`: suites, profiles, implementations, papers, metrics, CPU configurations and more."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from headroom.core.console import examples, print_json, print_table
from headroom.core.errors import HeadroomError, UsageError

EPILOG = examples(
    "./headroom list suites", "./headroom list cpus", "./headroom list profiles --json | jq -r '.profiles[].name'"
)
WHAT = {
    "suites": "Suites and how many cases each has; with --cases, every case.",
    "profiles": "Traffic profiles.",
    "implementations": "Implementations and their declarations.",
    "papers": "Papers whose figures can be reproduced.",
    "documents": "Specifications whose requirements are catalogued.",
    "requirements": "Requirements of the specifications, by the ids that `run` takes.",
    "metrics": "Every metric that a record may hold, with its unit.",
    "cpus": "CPU configurations of this machine.",
    "builds": "Builds of engine and adapters.",
    "runs": "Runs that have results, with their verdicts.",
}
ONLY_JSON = {"implementations": ("vendor", "licence", "features"), "documents": ("url",)} | {
    "requirements": ("scheme", "suites", "quote")
}  # columns that do not fit into a table


def add_to(app: typer.Typer) -> None:
    app.command("list", help="List " + ", ".join(WHAT) + ".", epilog=EPILOG)(list_command)


def list_command(
    what: Annotated[
        str,
        typer.Argument(help="One of " + ", ".join(WHAT) + "; the names of all lists when left out.", metavar="WHAT"),
    ] = "",
    cases: Annotated[bool, typer.Option("--cases", help="With suites: print every case instead of counts.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    if what and what not in WHAT:
        raise UsageError(f"There is no list of '{what}'. Known: {', '.join(WHAT)}.")
    rows = {
        "": lambda: [{"name": name, "about": about} for name, about in WHAT.items()],
        "suites": lambda: case_rows() if cases else suite_rows(),
        "profiles": profile_rows,
        "implementations": implementation_rows,
        "papers": paper_rows,
        "documents": document_rows,
        "requirements": requirement_rows,
        "metrics": metric_rows,
        "cpus": cpu_rows,
        "builds": build_rows,
        "runs": run_rows,
    }[what]()
    if json:
        print_json({what or "lists": rows})
        return
    if not rows:
        print(f"There are no {what} yet.")
        return
    columns = [column for column in rows[0] if column not in ONLY_JSON.get(what, ())]
    print_table("", columns, [[_cell(row[column]) for column in columns] for row in rows])


def _cell(value: Any) -> Any:
    return ", ".join(str(item) for item in value) if isinstance(value, list) else value


def suite_rows() -> list[dict[str, Any]]:
    from headroom.core.paths import SUITES
    from headroom.core.run.selection import cases as all_cases

    rows: dict[str, dict[str, Any]] = {}
    for case in all_cases([SUITES]):
        row = rows.setdefault(case.suite, {"name": case.suite, "cases": 0, "about": ""})
        row["cases"] += 1
    from robot.api import TestSuite

    for name, row in rows.items():
        doc = str(TestSuite.from_file_system(SUITES / f"{name}.robot").doc)
        row["about"] = doc.split("\n\n")[0].replace("\n", " ").strip()
    return [rows[name] for name in sorted(rows)]


def case_rows() -> list[dict[str, Any]]:
    from headroom.core.paths import SUITES
    from headroom.core.run.selection import cases as all_cases

    return [{"id": case.id, "tags": list(case.tags)} for case in all_cases([SUITES])]


def profile_rows() -> list[dict[str, Any]]:
    from headroom.core import profiles

    rows = []
    for name in profiles.names():
        try:
            about = str(profiles.load(name)["title"])
        except HeadroomError as error:
            about = f"not valid: {error}"
        rows.append({"name": name, "about": about})
    return rows


def implementation_rows() -> list[dict[str, Any]]:
    from headroom.core import implementations

    rows = []
    for name in implementations.names():
        try:
            implementation = implementations.find(name)
        except HeadroomError as error:
            rows.append(_implementation_row(name, (), "no", f"not valid: {error}"))
            continue
        usable = f"no: {reason}" if (reason := implementation.unusable()) else "yes"
        about = implementation.description.strip()
        rows.append(
            _implementation_row(
                name, implementation.capabilities, usable, about, implementation.vendor, implementation.licence
            )
        )
    return rows


def _implementation_row(
    name: str, capabilities: Sequence[dict[str, Any]], usable: str, about: str, vendor: str = "", licence: str = ""
) -> dict[str, Any]:
    """A row with a column for each capability that a scheme lists."""
    from headroom.core.scheme_registry import all_schemes

    listed = dict.fromkeys(key for scheme in all_schemes().values() for key in scheme.listed)
    return {
        "name": name,
        "vendor": vendor,
        "licence": licence,
        "schemes": [entry["scheme"] for entry in capabilities],
        **{key: _declared(capabilities, key) for key in (*listed, "features")},
        "usable": usable,
        "about": about,
    }


def _declared(capabilities: Sequence[dict[str, Any]], key: str) -> list[str]:
    """The values of a key of any scheme, sorted. A value may be a list or a single one."""
    values = [entry[key] for entry in capabilities if key in entry]
    return sorted({_word(text) for value in values for text in (value if isinstance(value, list) else [value])})


def _word(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def paper_rows() -> list[dict[str, Any]]:
    from headroom.core.papers import paper
    from headroom.core.scheme_registry import all_schemes

    measured_by = {key: scheme.title for scheme in all_schemes().values() for key in scheme.papers()}
    return [
        {
            "name": known.key,
            "scheme": measured_by.get(known.key, ""),
            "year": str(known.year),
            "publisher": known.publisher,
            "title": known.title,
            "figures": len(known.items),
        }
        for known in map(paper.load, paper.names())
    ]


def document_rows() -> list[dict[str, Any]]:
    from headroom.core import requirements

    known = requirements.load()
    counts = Counter(document.document.key for document in known.values())
    return [
        {
            "key": document.key,
            "name": document.name,
            "version": document.version,
            "requirements": counts[document.key],
            "title": document.title,
            "url": document.url,
        }
        for document in known.documents.values()
    ]


def requirement_rows() -> list[dict[str, Any]]:
    from headroom.core import requirements

    return [
        {
            "id": requirement.id,
            "source": requirement.source,
            "scheme": requirement.scheme,
            "level": requirement.level,
            "side": requirement.side,
        }
        | {
            "suites": list(requirements.suites_of().get(requirement.id, ())),
            "text": requirement.text,
            "quote": requirement.citation,
        }
        for requirement in requirements.load().values()
    ]


def metric_rows() -> list[dict[str, Any]]:
    from headroom.core.metric_registry import all_metrics

    return [
        {"name": metric.name, "unit": metric.unit, "better": metric.better, "about": metric.description}
        for metric in all_metrics().values()
    ]


def cpu_rows() -> list[dict[str, Any]]:
    from headroom.core.machine import topology

    return [
        {"name": c.name, "about": c.description, "cpus": list(c.cpus), "reason": c.reason}
        for c in topology.configurations(topology.read())
    ]


def build_rows() -> list[dict[str, Any]]:
    from headroom.core.machine import build

    there = set(build.present(build.presets()))
    return [{"name": p.name, "about": p.title, "built": p.name in there} for p in build.presets().values()]


def run_rows() -> list[dict[str, Any]]:
    from headroom.core.paths import out_folder
    from headroom.core.results import store
    from headroom.core.results.record import count_verdicts

    rows = []
    for name in store.run_names():
        counts = count_verdicts(store.read_all(out_folder() / name))
        rows.append({"name": name, **counts})
    return rows
