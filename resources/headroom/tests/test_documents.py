# SPDX-License-Identifier: Apache-2.0
"""The documents, which are written by hand: their length, and the lists of README.md and GLOSSARY.md."""

from __future__ import annotations

import re

import pytest

from headroom.core import requirements
from headroom.core.paths import ROOT
from headroom.core.scheme_registry import all_schemes

README = (ROOT / "README.md").read_text(encoding="utf-8")
GLOSSARY = (ROOT / "GLOSSARY.md").read_text(encoding="utf-8")
MOST_TERMS = 40
MOST_WORDS = 15_000  # of all documents together


def entries() -> list[str]:
    """The list of schemes in README.md: one text per entry."""
    (found,) = re.findall(r"^(- \*\*.*?)\n\n", README, re.MULTILINE | re.DOTALL)
    return [" ".join(entry.split()) for entry in re.split(r"^- ", found, flags=re.MULTILINE)[1:]]


@pytest.mark.parametrize("name", sorted(all_schemes()))
def test_each_scheme_is_in_the_list_with_the_documents_of_its_requirements(name: str) -> None:
    title = re.escape(all_schemes()[name].title)
    (entry,) = [entry for entry in entries() if re.match(rf"\*\*[^*]+\*\* \({title}\)|\*\*{title}\*\*", entry)]
    required = {one.document for one in requirements.load().values() if one.scheme == name}
    numbers = {one.name.removeprefix("RFC ") for one in required if one.kind == "RFC"}
    assert set(re.findall(r"\b\d{4}\b", entry)) == numbers
    assert all(one.name in entry for one in required if one.kind != "RFC")


def test_the_list_has_no_other_entries() -> None:
    assert len(entries()) == len(all_schemes())


def test_each_document_is_linked_once() -> None:
    table = README[README.index("## Where to go next") :]
    linked = re.findall(r"\]\(([^)]+\.md)\)", table)
    assert sorted(linked) == sorted(set(linked))
    assert all((ROOT / path).is_file() for path in linked)
    folders = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("[!.]*/README.md")}
    folders |= {path.relative_to(ROOT).as_posix() for path in ROOT.glob("resources/*/README.md")}
    assert folders <= set(linked)


def test_the_glossary_is_short_and_in_order_within_each_subject() -> None:
    subjects = [re.findall(r"^- \*\*(.+?)\*\*: ", part, re.MULTILINE) for part in GLOSSARY.split("\n## ")[1:]]
    assert [terms for terms in subjects if not terms or terms != sorted(terms, key=str.casefold)] == []
    assert 0 < sum(map(len, subjects)) <= MOST_TERMS


def test_the_documents_together_are_short() -> None:
    made = re.compile(r"(^|/)(\.|build/|out/|target/)")
    kept = [path for path in ROOT.rglob("*.md") if not made.search(path.relative_to(ROOT).as_posix())]
    assert 0 < sum(len(path.read_text(encoding="utf-8").split()) for path in kept) <= MOST_WORDS
