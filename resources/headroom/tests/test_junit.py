# SPDX-License-Identifier: Apache-2.0
"""junit.xml: what Jenkins's schema allows, each verdict in its form, and names that XML cannot hold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from headroom.core.results import junit
from headroom.core.text import printable
from headroom.tests import sample

NUMBER, TIME = r"\d+(\.\d+)?", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
# Of jenkins-junit.xsd, what we write: attributes (with their patterns; "!" is required), and children.
SCHEMA: dict[str, tuple[dict[str, str], set[str]]] = {
    "testsuites": (
        {"name": "(?s).*", "time": NUMBER, "tests": r"\d+", "failures": r"\d+", "errors": r"\d+"},
        {"testsuite"},
    ),
    "testsuite": (
        {
            "name!": "(?s).*",
            "tests!": r"\d+",
            "failures!": r"\d+",
            "errors!": r"\d+",
            "skipped": r"\d+",
            "time": NUMBER,
            "timestamp": TIME,
        },
        {"properties", "testcase"},
    ),
    "testcase": (
        {"name!": "(?s).*", "classname": "(?s).*", "time": NUMBER},
        {"properties", "skipped", "error", "failure"},
    ),
    "skipped": ({"message": "(?s).*"}, set()),
    "failure": ({"message": "(?s).*", "type": "(?s).*"}, set()),
    "error": ({"message": "(?s).*", "type": "(?s).*"}, set()),
    "properties": ({}, {"property"}),
    "property": ({"name!": ".+", "value!": "(?s).*"}, set()),
}


def wrong(element: ElementTree.Element) -> list[str]:
    """What the schema does not allow."""
    attributes, children = SCHEMA[element.tag]
    allowed = {name.rstrip("!"): pattern for name, pattern in attributes.items()}
    found = [name for name in element.attrib if not re.fullmatch(allowed.get(name, "(?!)"), element.attrib[name])]
    found += [f"no {name}" for name in attributes if name.endswith("!") and name[:-1] not in element.attrib]
    for child in element:
        found += [f"{child.tag} in {element.tag}"] if child.tag not in children else wrong(child)
    return found


def parsed(records: list[dict[str, Any]]) -> ElementTree.Element:
    return ElementTree.fromstring(junit.render(records, "20260102-030405-abcd"))


def case(root: ElementTree.Element, name: str) -> ElementTree.Element:
    (found,) = [one for one in root.iter("testcase") if one.get("name") == name]
    return found


def test_a_whole_run_follows_the_schema() -> None:
    records = sample.records()
    root = parsed(records)
    assert wrong(root) == []
    assert int(root.attrib["tests"]) == len(records) == len(list(root.iter("testcase")))
    for attribute, verdict, element in (("failures", "fail", "failure"), ("errors", "error", "error")):
        count = sum(record["verdict"] == verdict for record in records)
        assert int(root.attrib[attribute]) == count == len(list(root.iter(element))) > 0
        assert sum(int(suite.attrib[attribute]) for suite in root) == count
    assert sum(int(suite.attrib["skipped"]) for suite in root) == len(list(root.iter("skipped"))) > 0


def test_each_verdict_has_its_form() -> None:
    root = parsed(sample.records())
    failure = case(root, "b> Checked & Obeyed")[0]
    assert (failure.tag, failure.attrib["message"]) == ("failure", "packet 7 came out different")
    assert "… expected 45 [00], got 45 [01]" in (failure.text or "")
    assert "./headroom run" in (failure.text or "")
    assert case(root, "Garbage Is Refused")[0].tag == "error"
    skipped = case(root, "Lists Are Decompressed")[0]
    assert (skipped.tag, skipped.attrib) == ("skipped", {"message": "reference does not declare feature lists"})
    noted = case(root, "Refreshes Come In Time")
    assert [one.attrib for one in noted.iter("property")] == [
        {"name": "verdict", "value": "non-strict"},
        {"name": "reason", "value": "no IR packet for 2000 packets"},
    ]
    passed = case(root, "First Packets Are IR")
    assert list(passed) == []
    assert passed.attrib["classname"] == "conformance.rohc.context_establishment"


@pytest.mark.parametrize(
    "hostile",
    [
        '"><failure/>',
        "]]>",
        "&amp;&#0;",
        "\x00\x01\x1b[31m",
        "\ud800",
        "\ufffe\uffff",
        "line\nbreak\ttab",
        "😀 ünïcode",
        "",
    ],
)
def test_hostile_names_and_reasons(hostile: str) -> None:
    one = sample.record(f"suite{hostile}/Name{hostile}", "fail", f"reason {hostile}").as_json()
    one["test"]["name"] = f"Name{hostile}"
    root = parsed([one])
    assert wrong(root) == [] and len(list(root.iter("testcase"))) == 1
    found = next(root.iter("testcase"))
    shown = printable(hostile)
    assert found.attrib["name"] == f"Name{shown}"
    assert f"reason {shown}".strip() in (found[0].text or "")


def test_it_is_written_whole(tmp_path: Path) -> None:
    path = junit.write(sample.records(), tmp_path)
    assert path == tmp_path / "junit.xml"
    assert ElementTree.parse(path).getroot().attrib["name"] == tmp_path.name
    assert [one.name for one in tmp_path.iterdir()] == ["junit.xml"]
