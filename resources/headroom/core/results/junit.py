# SPDX-License-Identifier: Apache-2.0
"""junit.xml: a run's verdicts for continuous integration, from its records.

JUnit knows only pass, failure, error and skipped. A case with the verdict "unsupported" is written as skipped, with its
reason. A case with the verdict "non-strict" is written as passed, with the properties `verdict` and `reason`. Source:
the schema of Jenkins's xunit plugin (jenkins-junit.xsd); test cases have properties as those of pytest do.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from headroom.core.results.record import identity_of
from headroom.core.results.store import write_atomically
from headroom.core.text import printable

FILE = "junit.xml"
MOST_MESSAGE = 500  # most characters of a message; the element's text has the whole reason
TAGS = {"fail": "failure", "error": "error", "unsupported": "skipped"}  # elements by verdict


def write(records: Sequence[dict[str, Any]], folder: Path) -> Path:
    """Writes `<run>/junit.xml`. Raises OSError if it cannot be written."""
    path = folder / FILE
    write_atomically(path, render(records, folder.name))
    return path


def render(records: Sequence[dict[str, Any]], name: str) -> bytes:
    """The document; `name` is that of the run."""
    suites: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        suites.setdefault(_suite(record), []).append(record)
    root = ElementTree.Element("testsuites", {"name": printable(name), **_counts(records)})
    for suite, cases in suites.items():
        attributes = {"name": printable(suite), **_counts(cases), "skipped": _count(cases, "unsupported")}
        if began := _when(min(case["started"] for case in cases)):
            attributes["timestamp"] = began
        element = ElementTree.SubElement(root, "testsuite", attributes)
        for case in cases:
            element.append(_case(case, suite))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _case(record: dict[str, Any], suite: str) -> ElementTree.Element:
    verdict, reason = record["verdict"], printable(record["reason"])
    attributes = {
        "classname": printable(suite).replace("/", "."),
        "name": printable(record["test"]["name"]),
        "time": _seconds([record]),
    }
    element = ElementTree.Element("testcase", attributes)
    if verdict in TAGS:
        message = reason.splitlines()[0][:MOST_MESSAGE] if reason.strip() else "no reason given"
        child = ElementTree.SubElement(element, TAGS[verdict], {"message": message})
        if verdict != "unsupported":
            child.set("type", verdict)
        child.text = f"{reason}\n{printable(record['command'])}"
    elif verdict != "pass":
        properties = ElementTree.SubElement(element, "properties")
        for name, value in (("verdict", verdict), ("reason", reason)):
            ElementTree.SubElement(properties, "property", {"name": name, "value": value})
    return element


def _suite(record: dict[str, Any]) -> str:
    identity, name = identity_of(record), record["test"]["name"]
    return identity.removesuffix(f"/{name}") or identity


def _counts(cases: Sequence[dict[str, Any]]) -> dict[str, str]:
    return {
        "tests": str(len(cases)),
        "failures": _count(cases, "fail"),
        "errors": _count(cases, "error"),
        "time": _seconds(cases),
    }


def _count(cases: Sequence[dict[str, Any]], verdict: str) -> str:
    return str(sum(case["verdict"] == verdict for case in cases))


def _seconds(cases: Sequence[dict[str, Any]]) -> str:
    return f"{sum(case['duration_s'] for case in cases):.3f}"


def _when(started: str) -> str:
    """A time in the schema's format: in seconds, without a zone. It is UTC."""
    try:
        return datetime.fromisoformat(started).strftime("%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return ""
