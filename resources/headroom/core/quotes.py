# SPDX-License-Identifier: Apache-2.0
"""Checks the quotes of requirements against the documents' own words.

The documents' texts are not part of the project. resources/requirements/digests holds, for each section that is quoted,
two characters for every run of `WINDOW` tokens of its text, in the order of the text: the digests of a verbatim quote
are a substring of them. A wrong word inside a quote changes the digests of `WINDOW` runs, at an end of it that of one:
one in 4096 such errors goes unseen.

`python -m headroom.core.quotes [KEY...]` checks the quotes; `--texts FOLDER` compares them with the documents' texts
there (rfc3095.txt, ts29281.txt), and `--update` writes the digests anew from those texts.
"""

import argparse
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from headroom.core.errors import UsageError
from headroom.core.paths import shown
from headroom.core.requirements import FOLDER, Requirement, load

DIGESTS = FOLDER / "digests"
TEXTS = "HEADROOM_TEXTS"  # the environment variable that names the folder of documents' texts
ELISION = "[...]"
WINDOW = 4  # tokens in a run
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
KEYWORDS = {  # RFC 2119's keywords, by level
    "must": frozenset({"MUST", "SHALL", "REQUIRED"}),
    "should": frozenset({"SHOULD", "RECOMMENDED"}),
    "may": frozenset({"MAY", "OPTIONAL"}),
}

# Frames of tables and drawings are not tokens, so a quote of a table's row needs none.
FRAME = re.compile(r"\||[-+=_~.:|]{2,}")
TOKEN = re.compile(r"\w+|[^\w\s]")
PAGE_BREAK = re.compile(r"\s*RFC \d+ {2,}\S.* (?:19|20)\d\d|.*\[Page [0-9ivx]+\]\s*")
# "7.3.1  Title" of an RFC; "7.3.1<tab>Title", "7.3A<tab>Title" and "Annex A (normative):" of 3GPP and ETSI.
HEADING = re.compile(
    r"( {3})?(?:(?:Appendix |Annex )?((?:[0-9]+|[A-Z])(?:\.[0-9]+)*|[0-9]+(?:\.[0-9]+)*[A-Za-z])(?:\. +| {2,}|\t *)"
    r"|Annex ([A-Z]) \((?=[a-z]+\):))\S"
)
CONTENTS = re.compile(
    r".*(?:\. ?\.|\S {2,}|\S\t)[ .]*[0-9]+\s*"
)  # a line of the table of contents ends with a page number


def tokens(text: str) -> list[str]:
    """The words and punctuation marks of a text. Line breaks and white space do not count."""
    return TOKEN.findall(FRAME.sub(" ", text))


def parts(quote: str) -> list[list[str]]:
    """The tokens of each part of a quote between elisions."""
    return [tokens(part) for part in quote.split(ELISION)]


@cache
def digest(run: str) -> str:
    number = int.from_bytes(hashlib.blake2b(run.encode(), digest_size=2).digest())
    return ALPHABET[number >> 6 & 63] + ALPHABET[number & 63]


def digests(words_of_text: list[str]) -> str:
    """Two characters for each run of `WINDOW` tokens, in order."""
    return "".join(digest(" ".join(words_of_text[at : at + WINDOW])) for at in range(len(words_of_text) - WINDOW + 1))


def sections(text: str) -> dict[str, str]:
    """The text of each section of a document without that of its subsections; headers and footers of pages are
    removed.
    """
    lines = [line for line in re.split(r"[\f\n]+", text) if not PAGE_BREAK.fullmatch(line)]
    # True in the oldest RFCs, whose headings are indented.
    indented = not any(re.match(r"1(?:\.? +|\t)\S", line) for line in lines)
    texts: dict[str, list[str]] = {}
    current = "0"
    for line in lines:
        heading = HEADING.match(line)
        number = (heading[2] or heading[3]) if heading else ""
        if heading and bool(heading[1]) == indented and not CONTENTS.fullmatch(line) and _can_follow(current, number):
            current = number
            texts[current] = [line[heading.end(2 if heading[2] else 3) :]]
        elif current in texts:
            texts[current].append(line)
    return {section: "\n".join(lines) for section, lines in texts.items()}


def _can_follow(section: str, number: str) -> bool:
    """True if a heading with this number can come next after a section. Other lines that begin with a number are not
    headings.
    """
    if suffixed := re.fullmatch(r"([0-9.]+)[A-Za-z]", number):  # 7.3A was added after 7.3 in a later version
        return re.match(rf"{re.escape(suffixed[1])}(?![0-9])", section) is not None
    section = re.sub(r"(?<=[0-9])[A-Za-z].*", "", section)
    old, new = section.split("."), number.split(".")
    if new[:-1] == old:
        return new[-1] == "1"
    last = len(new) - 1
    if last >= len(old) or new[:-1] != old[:last]:
        return False
    if new[-1].isalpha():
        return new[-1] == ("A" if old[0].isdigit() else chr(ord(old[0]) + 1))
    return old[last].isdigit() and int(new[-1]) == int(old[last]) + 1


def text_complaint(quote: str, text: str) -> str:
    """The reason why a text does not contain a quote, as a sentence; "" if it does. Compares the words themselves."""
    words_of_text, at = tokens(text), 0
    for part in parts(quote):
        starts = (
            start
            for start in range(at, len(words_of_text) - len(part) + 1)
            if words_of_text[start : start + len(part)] == part
        )
        start = next(starts, None)
        if start is None:
            return _sentence(part, len(part))
        at = start + len(part)
    return ""


def complaint(requirement: Requirement) -> str:
    """The reason why the digests of a section do not contain a requirement's quote, as a sentence; "" if they do."""
    if not requirement.quote:
        return ""
    known = _known(requirement.document.key).get(requirement.quote_section)
    if known is None:
        return f"No digests of section {requirement.quote_section}; write them with --update."
    at = 0
    for part in parts(requirement.quote):
        if len(part) < WINDOW:
            return f"A part has fewer than {WINDOW} words: {' '.join(part)}"
        mine = digests(part)
        start = _find(known, mine, at)
        if start < 0:
            longest = max(n for n in range(0, len(mine), 2) if n == 0 or _find(known, mine[:n], at) >= 0)
            return _sentence(part, longest // 2 + WINDOW)
        at = start + len(mine)
    return ""


def wording_complaint(requirement: Requirement) -> str:
    """The reason why the keywords of a quote do not fit its requirement's level and wording; "" if they do."""
    if not requirement.quote:
        return ""
    capitals = set(re.findall(r"\b[A-Z]+\b", requirement.quote))
    if requirement.in_prose:
        present = sorted(capitals & frozenset().union(*KEYWORDS.values()))
        return f"Its wording is prose, and its quote has {' and '.join(present)}." if present else ""
    keywords = sorted(KEYWORDS[requirement.level])
    if not capitals.intersection(keywords):
        return f"Its level is {requirement.level}, and its quote has no {' or '.join(keywords)}."
    return ""


def _find(known: str, mine: str, start: int) -> int:
    """Like str.find, but finds whole digests only."""
    while (start := known.find(mine, start)) % 2:
        if start < 0:
            return -1
        start += 1
    return start


def _sentence(part: list[str], good: int) -> str:
    return f"The section does not have: {' '.join(part[:good])} <"


@cache
def _known(key: str) -> dict[str, str]:
    path = DIGESTS / f"{key.lower()}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def read_text(folder: Path, key: str) -> dict[str, str]:
    """The sections of a document whose text is in a folder. Raises UsageError if it is not."""
    path = folder / f"{key.lower()}.txt"
    try:
        return sections(path.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise UsageError(f"{shown(path)} cannot be read: {error.strerror}.") from error


def render(requirements: Iterable[Requirement], texts: dict[str, str]) -> str:
    """The file of digests for the requirements of one document: one line for each quoted section."""
    quoted = {requirement.section for requirement in requirements} | {
        requirement.quote_section for requirement in requirements
    }
    lines = [f'"{section}": "{digests(tokens(text))}"' for section, text in texts.items() if section in quoted]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m headroom.core.quotes", description="Check requirements' quotes.")
    parser.add_argument("key", nargs="*", help="documents, such as RFC3095; all if none is given")
    parser.add_argument("--texts", type=Path, default=os.environ.get(TEXTS), help=f"folder of texts (${TEXTS})")
    parser.add_argument("--update", action="store_true", help="write the digests anew from the texts")
    options = parser.parse_args(arguments)
    if options.update and not options.texts:
        parser.error("--update needs --texts")
    everything = load()
    wrong = 0
    if unknown := set(options.key) - set(everything.documents):
        parser.error(f"no document {', '.join(sorted(unknown))}; known are {', '.join(everything.documents)}")
    for key in options.key or everything.documents:
        mine = [requirement for requirement in everything.values() if requirement.document.key == key]
        texts = read_text(Path(options.texts), key) if options.texts else {}
        if options.update:
            DIGESTS.mkdir(exist_ok=True)
            (DIGESTS / f"{key.lower()}.json").write_text(render(mine, texts), encoding="utf-8")
            _known.cache_clear()
        for requirement in mine:
            if complaint_text := _complaints(requirement, texts):
                wrong += 1
                print(f"{requirement.id}: {' '.join(complaint_text)}")
    print(f"{wrong} wrong" if wrong else "All quotes are in the documents.")
    return 1 if wrong else 0


def _complaints(requirement: Requirement, texts: dict[str, str]) -> list[str]:
    result = complaint(requirement) or (
        texts and requirement.quote and text_complaint(requirement.quote, texts.get(requirement.quote_section, ""))
    )
    return [sentence for sentence in (result, wording_complaint(requirement)) if sentence]


if __name__ == "__main__":
    sys.exit(main())
