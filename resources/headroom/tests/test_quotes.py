# SPDX-License-Identifier: Apache-2.0
"""The quotes of requirements: each is in its RFC, in its section, and has the keyword of its level."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import pytest

from headroom.core import quotes, requirements

RFC = """
Table of Contents

   1.  Introduction ........... 1
       1.1.  Words ............ 2

1.  Introduction

   A compressor MUST keep
   the end-
   to-end checksum.  It MAY do
   more.

Somebody                    Standards Track                     [Page 1]
\f
RFC 9999                         A Test                        July 2001

   1. It sends a packet.

   +---+---+
   | 1 | D |   IR type octet, when X >= 5
   +---+---+

1.1.  Words

   A packet is a packet in this text.

Appendix A.  More

   A compressor SHOULD say so.
"""
SECTIONS = quotes.sections(RFC)
ALL = requirements.load()
DOCUMENTS = list(ALL.documents)


def quoting(quote: str, section: str = "1", **changes) -> requirements.Requirement:
    one = ALL["RFC3095-5.7.1-1"]
    changes = {"level": "must", "in_prose": False} | changes
    document = dataclasses.replace(one.document, key="RFC9999", name="RFC 9999")
    return dataclasses.replace(
        one, id=f"RFC9999-{section}-1", document=document, quote=quote, quote_section=section, **changes
    )


@pytest.fixture
def digests_of_the_test(tmp_path, monkeypatch):
    """The digests of `RFC` in the place of ours."""
    folder = tmp_path / "digests"
    folder.mkdir()
    mine = [quoting("", section) for section in SECTIONS]
    (folder / "rfc9999.json").write_text(quotes.render(mine, SECTIONS))
    monkeypatch.setattr(quotes, "DIGESTS", folder)
    quotes._known.cache_clear()
    yield
    quotes._known.cache_clear()


def test_sections() -> None:
    assert list(SECTIONS) == ["1", "1.1", "A"]
    assert "1. It sends" in SECTIONS["1"] and "July 2001" not in SECTIONS["1"] and "Page" not in SECTIONS["1"]
    assert " ".join(SECTIONS["1.1"].split()) == ". Words A packet is a packet in this text."


GOOD = [
    "A compressor MUST keep the end-to-end checksum.",
    "A compressor MUST keep [...] It MAY do more.",
    "It MAY do more. 1. It sends a packet.",
    "1 D IR type octet, when X >= 5",
    "| 1 | D | IR type octet",
]
WRONG = [
    ("A compressor MUST keep the end-to-end length.", "length <"),
    ("A compressor MAY keep the end-to-end checksum.", "A compressor MAY keep <"),
    ("It MAY do more. [...] A compressor MUST keep the", "A compressor MUST keep <"),
    ("A compressor MUST keep [...] more", "fewer than 4"),
    ("D IR type octet, when X > 5", "X > 5 <"),
    ("A packet is a packet", "A packet is a <"),
]


@pytest.mark.parametrize("quote", GOOD)
def test_a_verbatim_quote(digests_of_the_test, quote: str) -> None:
    assert quotes.complaint(quoting(quote)) == ""
    assert quotes.text_complaint(quote, SECTIONS["1"]) == ""


@pytest.mark.parametrize(("quote", "complaint"), WRONG)
def test_a_quote_that_the_section_does_not_have(digests_of_the_test, quote: str, complaint: str) -> None:
    assert complaint in quotes.complaint(quoting(quote))
    assert "fewer" in complaint or quotes.text_complaint(quote, SECTIONS["1"])


def test_a_quote_of_another_section(digests_of_the_test) -> None:
    words = "A packet is a packet in this text."
    assert quotes.complaint(quoting(words, "1.1")) == ""
    assert "does not have" in quotes.complaint(quoting(words, "A"))
    assert "No digests of section 7" in quotes.complaint(quoting(words, "7"))


def test_keywords_of_a_quote() -> None:
    words = "A compressor MUST keep the checksum."
    assert quotes.wording_complaint(quoting(words, level="must")) == ""
    assert quotes.wording_complaint(quoting(words, level="should")) == (
        "Its level is should, and its quote has no RECOMMENDED or SHOULD."
    )
    assert "prose" in quotes.wording_complaint(quoting(words, level="must", in_prose=True))
    assert quotes.wording_complaint(quoting(words.lower(), level="must", in_prose=True)) == ""


def quoted_from(key: str) -> list[requirements.Requirement]:
    return [one for one in ALL.values() if one.document.key == key]


@pytest.mark.parametrize("key", DOCUMENTS)
def test_the_document_has_the_quotes(key: str) -> None:
    complaints = {one.id: quotes.complaint(one) or quotes.wording_complaint(one) for one in quoted_from(key)}
    assert not {identity: complaint for identity, complaint in complaints.items() if complaint}


def test_a_changed_word_is_seen() -> None:
    """Every word of every quote, one at a time. At the end of a part, one error in 4096 goes unseen."""
    changed = seen = 0
    for one in ALL.values():
        words = one.quote.split()
        for at, word in enumerate(words):
            if not word[0].isalnum():
                continue
            other = " ".join([*words[:at], "x" + word, *words[at + 1 :]])
            changed += 1
            seen += quotes.complaint(dataclasses.replace(one, quote=other)) != ""
    assert changed > 0 and seen / changed > 0.999


def test_digests_are_of_the_quoted_sections() -> None:
    for key in DOCUMENTS:
        mine = [one for one in quoted_from(key) if one.quote]
        if not mine:
            continue  # the clauses were checked on something else
        digests = json.loads((quotes.DIGESTS / f"{key.lower()}.json").read_text())
        quoted = {one.quote_section for one in mine}
        assert quoted <= set(digests) <= quoted | {one.section for one in mine}


@pytest.mark.skipif(quotes.TEXTS not in os.environ, reason=f"needs the documents' texts, in ${quotes.TEXTS}")
def test_texts_have_the_quotes_and_the_digests() -> None:
    for key in DOCUMENTS:
        mine = [one for one in quoted_from(key) if one.quote]
        if not mine:
            continue
        texts = quotes.read_text(Path(os.environ[quotes.TEXTS]), key)
        assert (quotes.DIGESTS / f"{key.lower()}.json").read_text() == quotes.render(mine, texts)
        wrong = {one.id: quotes.text_complaint(one.quote, texts[one.quote_section]) for one in mine}
        assert not {identity: complaint for identity, complaint in wrong.items() if complaint}
