# SPDX-License-Identifier: Apache-2.0
"""Requirements of documents that are no RFCs: a technical specification and a draft made up for these tests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from headroom.cli import listing
from headroom.core import quotes, requirements
from headroom.core.contract import Scheme
from headroom.core.errors import UsageError
from headroom.core.paths import SCHEMAS
from headroom.core.run import coverage
from headroom.core.run.selection import cases, chosen, requirement_tags
from headroom.core.text import natural
from headroom.report import data, sections
from headroom.tests import sample

FILE = """document:
  key: {key}
  name: "{name}"
  kind: {kind}
  title: "{title}"
  url: https://example.org/{key}
{version}scope: "all sections"
scheme: toy
requirements:
"""
ENTRY = """  - id: {id}
    level: {level}
    side: either
    section: "{section}"
    text: A toy does what its document says.
    quote: {quote}
    applies: all
"""
TS_TEXT = """
Contents
7\tTunnels\t4
7.3\tMessages\t5
7.3A\tLater messages\t6

1\tScope
2\tWords
3\tMore words
4\tFields
5\tTimers
6\tPaths
7\tTunnels
A tunnel SHALL have two ends.
7.3\tMessages
7.1\tEnds
An end shall have an address.
7.2\tOpening
7.3\tMessages
7.3.1\tEcho
An end shall answer each Echo Request.
An end SHALL answer each Echo Request with its own number.
7.3A\tLater messages
An end MAY send later messages than these.
7.4\tClosing
8\tCounters
Annex A (normative):
Values
A value SHALL be a whole number of octets.
A.1\tMore values
Each value SHALL be sent once and no more.
"""
TS_QUOTES = {
    "TS99281-7.3.1-1": ("must", "An end SHALL answer each Echo Request with its own number."),
    "TS99281-7.3A-1": ("may", "An end MAY send later messages than these."),
    "TS99281-A-1": ("must", "A value SHALL be a whole number of octets."),
    "TS99281-A.1-1": ("must", "Each value SHALL be sent once and no more."),
}
DRAFT_QUOTES = {"TOYDRAFT-7-1": ("should", "A sender SHOULD be shorter than this one.")}
DRAFT_TEXT = "1.  Words\n\n   None.\n\n" + "".join(f"{n}.  More\n\n" for n in range(2, 7))
DRAFT_TEXT += "7.  Packets\n\n   A sender SHOULD be\n   shorter than this one.\n"
SUITE = """*** Settings ***
Documentation    Cases of toys.

*** Test Cases ***
Echo
    [Tags]    req:TS99281-7.3.1-1    level:must
    Log    Echo

Later Messages
    [Tags]    req:TS99281-7.3A-1    level:may
    Log    Later

Draft
    [Tags]    req:TOYDRAFT-7-1    req:RFC9999-1-1    level:should
    Log    Draft
"""


def written(folder: Path, key: str, name: str, kind: str, version: str, entries: dict[str, tuple[str, str]]) -> None:
    """Writes a file of requirements; each entry is an id with its level and quote."""
    head = FILE.format(
        key=key, name=name, kind=kind, title=f"Title of {key}", version=f"  version: {version}\n" if version else ""
    )
    rows = [
        ENTRY.format(id=one, level=level, section=requirements.parts_of(one)[1], quote=quote)
        for one, (level, quote) in entries.items()
    ]
    (folder / f"{key.lower()}.yaml").write_text(head + "".join(rows))


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of requirements of an RFC, a TS and a draft, with a suite that names them."""
    folder, suites = tmp_path / "requirements", tmp_path / "suites"
    folder.mkdir()
    suites.mkdir()
    words = {"RFC9999-1-1": ("must", "A toy MUST be painted in red.")}
    written(folder, "RFC9999", "RFC 9999", "RFC", "", words)
    written(folder, "TS99281", "3GPP TS 99.281", "3GPP TS", "V18.0.0", TS_QUOTES)
    written(folder, "TOYDRAFT", "draft-toys-04", "Internet-Draft", '"04"', DRAFT_QUOTES)
    (suites / "toys.robot").write_text(SUITE)
    monkeypatch.setattr(requirements, "FOLDER", folder)
    monkeypatch.setattr(requirements, "find", lambda name: Scheme(name, "Toy", roles=("endpoint",)))
    monkeypatch.setattr(requirements, "SUITES", suites)
    requirements.suites_of.cache_clear()
    yield tmp_path
    requirements.suites_of.cache_clear()


def test_documents_are_sorted_by_kind(toys: Path) -> None:
    known = requirements.load()
    assert list(known.documents) == ["RFC9999", "TS99281", "TOYDRAFT"]
    echo = known["TS99281-7.3.1-1"]
    assert echo.source == "3GPP TS 99.281, 7.3.1"
    assert echo.citation.startswith('3GPP TS 99.281, 7.3.1: "An end SHALL answer')
    assert known["TOYDRAFT-7-1"].source == "draft-toys-04, 7"


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("TS99281-7.3.1-1", ["Echo"]),
        ("TS99281-7.3.1", ["Echo"]),
        ("TS99281-7.3", ["Echo"]),
        ("TS99281-7", ["Echo", "Later Messages"]),
        ("ts99281-7.3a", ["Later Messages"]),
        ("TS99281", ["Echo", "Later Messages"]),
        ("TOYDRAFT-7", ["Draft"]),
        ("toydraft", ["Draft"]),
        ("RFC9999-1-1", ["Draft"]),
    ],
)
def test_a_run_selects_by_document_section_and_requirement(toys: Path, word: str, names: list[str]) -> None:
    suites, tags = requirement_tags([word])
    assert suites == []
    found = cases([toys / "suites" / "toys.robot"])
    assert [case.name for case in chosen(found, tags=tags)] == names


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("TS99282-7.3.1", "has no document 'TS99282-7.3.1'. Is TS99281 meant?"),
        ("EN301192", "has no document 'EN301192'. Known: RFC9999, TS99281, TOYDRAFT."),
        ("OTHERTHING-7", "has no document 'OTHERTHING-7'."),
        ("TS99281-7.3.2", "or section 'TS99281-7.3.2' of 3GPP TS 99.281. Is TS99281-7.3.1 or"),
        ("TS99281-7.3.1-9", "or section 'TS99281-7.3.1-9' of 3GPP TS 99.281. Is TS99281-7.3.1"),
        ("TS99281-7..3", "'TS99281-7..3' is no reference to requirements. Write a document as RFC3095"),
        ("TS99281_7.3", None),
        ("ts99281-", "'ts99281-' is no reference to requirements."),
        ("TOYDRAFT-7-0", "or section 'TOYDRAFT-7-0' of draft-toys-04. Is TOYDRAFT-7 meant?"),
    ],
)
def test_what_names_no_requirement(toys: Path, word: str, sentence: str | None) -> None:
    sentence = sentence or f"'{word}' is no reference to requirements."
    with pytest.raises(UsageError, match=re.escape(sentence)):
        requirement_tags([word])


@pytest.mark.parametrize(
    "word", ["smoke", "toydrafts", "performance/rfc9999", "toys.robot", "suites/TS99281", "./RFC9999-1"]
)
def test_other_words_are_suites(toys: Path, word: str) -> None:
    assert requirement_tags([word]) == ([word], [])


def test_an_unknown_id_in_data(toys: Path) -> None:
    with pytest.raises(UsageError, match=r"case: TS99280-7-1 is no requirement .* no document TS99280\. Is TS99281"):
        requirements.load().get_known("TS99280-7-1", "case")
    with pytest.raises(UsageError, match=r"TS99281-7\.3\.1-7 is no requirement .* Is TS99281-7\.3\.1-1 meant"):
        requirements.load().get_known("TS99281-7.3.1-7")


def test_lists(toys: Path) -> None:
    documents = listing.document_rows()
    assert [(one["name"], one["version"], one["requirements"]) for one in documents] == [
        ("RFC 9999", "", 1),
        ("3GPP TS 99.281", "V18.0.0", 4),
        ("draft-toys-04", "04", 1),
    ]
    rows = {one["id"]: one for one in listing.requirement_rows()}
    assert rows["TS99281-A.1-1"]["source"] == "3GPP TS 99.281, A.1" and rows["TS99281-A.1-1"]["suites"] == []
    assert rows["TOYDRAFT-7-1"]["suites"] == ["toys"]


def test_quotes(toys: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv(quotes.TEXTS, raising=False)
    monkeypatch.setattr(quotes, "DIGESTS", toys / "digests")
    quotes._known.cache_clear()
    texts = ["--texts", str(toys)]
    (toys / "ts99281.txt").write_text(TS_TEXT)
    (toys / "toydraft.txt").write_text(DRAFT_TEXT)
    assert quotes.main(["TS99281", "TOYDRAFT", *texts, "--update"]) == 0, capsys.readouterr().out
    assert list(json.loads((toys / "digests" / "ts99281.json").read_text())) == ["7.3.1", "7.3A", "A", "A.1"]
    assert quotes.main(["TS99281", "TOYDRAFT"]) == 0
    draft = toys / "requirements" / "toydraft.yaml"
    draft.write_text(draft.read_text().replace("be shorter", "be longer"))
    requirements._load.cache_clear()
    capsys.readouterr()
    assert quotes.main(["TOYDRAFT", *texts]) == 1
    assert "TOYDRAFT-7-1: The section does not have: A sender SHOULD be longer <" in capsys.readouterr().out
    with pytest.raises(UsageError, match=r"rfc9999\.txt cannot be read"):
        quotes.main(["RFC9999", *texts])
    with pytest.raises(SystemExit):
        quotes.main(["RFC1"])
    assert "no document RFC1; known are RFC9999, TS99281, TOYDRAFT" in capsys.readouterr().err
    quotes._known.cache_clear()


def test_report(toys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "freedom", lambda _: "")  # the doubles use freedoms of other documents

    def record(name: str, level: str, *ids: str) -> dict:
        return sample.record(name, tags=[*(f"req:{one}" for one in ids), f"level:{level}"]).as_json()

    records = [
        record("toys/Old", "must", "RFC0001-4.1-1"),  # recorded when the document was known
        record("toys/Draft", "should", "TOYDRAFT-7-1"),
        record("toys/Echo", "must", "TS99281-7.3.1-1"),
    ]
    covered = data.coverage(records)
    assert [(one.document, one.title, one.known) for one in covered] == [
        ("3GPP TS 99.281", "Title of TS99281, V18.0.0", 4),
        ("draft-toys-04", "Title of TOYDRAFT, 04", 1),
        ("RFC0001", "", 1),
    ]
    assert [(one.id, one.section) for one in data.requirements(records)] == [
        ("TS99281-7.3.1-1", "7.3.1"),
        ("TOYDRAFT-7-1", "7"),
        ("RFC0001-4.1-1", "4.1"),
    ]
    reasons = {one.id: one.reason for one in data.untested(records)}
    assert set(reasons) == set(TS_QUOTES) - {"TS99281-7.3.1-1"}
    assert reasons["TS99281-A-1"] == "No case names it."
    section = sections.conformance(records)
    assert section is not None
    (table,) = [part.content for part in section.parts if part.kind == "table" and part.content.id == "t-documents"]
    assert [row.cells[0].text for row in table.rows] == ["3GPP TS 99.281", "draft-toys-04", "RFC0001"]


def test_coverage_of_suites(toys: Path) -> None:
    found = coverage.measure(cases([toys / "suites" / "toys.robot"]))
    assert found.unknown == []
    assert found.by_requirement["TS99281-7.3A-1"] == ["toys/Later Messages"]
    assert found.wrong_level == ["toys/Draft: level should, its requirements say must"]


@pytest.mark.parametrize(
    ("key", "kind", "version", "ids", "sentence"),
    [
        ("TS99282", "3GPP TS", "V1", ["TS99281-7-1"], r"ts99282\.yaml:\d+: .*it is TS99282-7-1"),
        ("TS99282", "3GPP TS", "", ["TS99282-7-1"], r"ts99282\.yaml:1: /document: 'version' is a required property"),
        ("TS99282", "3GPP TR", "V1", ["TS99282-7-1"], r"ts99282\.yaml:\d+: /document/kind: '3GPP TR' is not one of"),
        (
            "TS99282",
            "3GPP TS",
            "V1",
            ["TS99282-7..1-1"],
            r"/requirements/0/.*'(7\.\.1|TS99282-7\.\.1-1)' does not match",
        ),
        ("TS99281-2", "ETSI TS", "V1", ["TS99281-2-7-1"], "ids of TS99281 could be taken for those of TS99281-2"),
        ("CORD", "Internet-Draft", "V1", ["CORD-7-1"], r"cord\.yaml:2: /document/key: 'CORD' does not match"),
    ],
)
def test_files_that_are_refused(toys: Path, key: str, kind: str, version: str, ids: list[str], sentence: str) -> None:
    entries = dict.fromkeys(ids, ("must", "A toy MUST be painted in red."))
    written(toys / "requirements", key, key, kind, version, entries)
    with pytest.raises(UsageError, match=sentence):
        requirements.load()


def test_a_file_is_named_for_its_document(toys: Path) -> None:
    folder = toys / "requirements"
    (folder / "toydraft.yaml").rename(folder / "toy.yaml")
    with pytest.raises(UsageError, match=r"toy\.yaml:2: .*belong in a file toydraft\.yaml"):
        requirements.load()


def test_the_schema_has_the_patterns_of_the_code() -> None:
    schema = json.loads((SCHEMAS / "requirement.schema.json").read_text())["$defs"]
    assert schema["id"]["pattern"] == f"^{requirements.ID}$"
    assert schema["document"]["properties"]["key"]["pattern"] == f"^(?!.*(?:AND|OR|NOT)){requirements.KEY}$"
    assert schema["requirement"]["properties"]["section"]["pattern"] == f"^{requirements.SECTION}$"
    assert tuple(schema["document"]["properties"]["kind"]["enum"]) == requirements.KINDS


def test_natural_order() -> None:
    assert sorted(["5.10", "5.9", "5.9A", "A.1"], key=natural) == ["5.9", "5.9A", "5.10", "A.1"]
