# SPDX-License-Identifier: Apache-2.0
"""The requirements of specifications as data: resources/requirements, valid against requirement.schema.json.

A file holds those of one document: an RFC, a technical specification of 3GPP, a standard of ETSI, an Internet-Draft. An
id is the document's key, a section and a number, joined by hyphens: RFC3095-5.7.1-2, TS29281-7.3.1-1, ROHCTCP-7-1.

Cases name requirements by id; nothing here names cases. A requirement with a `feature` concerns only implementations
that have the feature: a report says "not yet" about those that no implementation of ours has. The words of `applies`
and the features are data of the scheme (`core.contract.RequirementWords`).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from headroom.core.contract import RequirementWords
from headroom.core.errors import UsageError
from headroom.core.paths import ROOT, SUITES, shown
from headroom.core.scheme_registry import find
from headroom.core.text import natural
from headroom.core.yamlfile import Document as File
from headroom.core.yamlfile import Pointer, check, read

FOLDER = ROOT / "resources" / "requirements"
KINDS = ("RFC", "3GPP TS", "ETSI EN", "ETSI TS", "Internet-Draft")  # kinds of documents, in the order of reports
KEY = r"[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*"
SECTION = r"[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*"
ID = rf"{KEY}-{SECTION}-[1-9][0-9]*"
# A document, a section or a requirement on the command line, in letters of either case.
REFERENCE = re.compile(rf"{KEY}(?:-{SECTION}(?:-[1-9][0-9]*)?)?", re.IGNORECASE)
EXAMPLES = "Write a document as RFC3095, its section as RFC3095-5.7.1, a requirement as RFC3095-5.7.1-2."
LEVELS = ("must", "should", "may")
SURROUNDINGS = {  # sides that are not implementations of a scheme
    "channel": "It binds what is below the scheme or negotiates it, not an implementation.",
    "application": "It binds the application above the scheme, not an endpoint.",
}


@dataclass(frozen=True, slots=True)
class Document:
    """A specification: `key` begins the ids of its requirements, `name` is its name in citations."""

    key: str
    name: str  # "RFC 3095", "3GPP TS 29.281"
    kind: str  # one of KINDS
    title: str
    url: str  # where it is published
    version: str = ""  # the version that the requirements are taken from, if documents of the kind have versions

    @property
    def full_title(self) -> str:
        """The title, and the version if there is one."""
        return f"{self.title}, {self.version}" if self.version else self.title

    @property
    def order(self) -> tuple[int, list[tuple[int, int | str]]]:
        """A key to sort documents by: their kind, then their number."""
        return KINDS.index(self.kind), natural(self.key)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement. `applies` holds the values that it is for, by words of its scheme; without a word, it is for all
    of its values. `feature` is a feature that the implementation must have; `not_yet` describes it if no implementation
    of ours has it. `in_prose`: the sentence has no keyword in capitals.
    """

    id: str
    document: Document
    scheme: str
    level: str
    side: str
    section: str
    text: str
    applies: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    feature: str | None = None
    not_yet: str = ""
    in_prose: bool = False
    untested: str = ""  # the reason why no case can test it, unless its level or its feature is the reason
    quote: str = ""  # the document's own words, with "[...]" for omissions
    quote_section: str = ""  # where they stand
    checked: tuple[str, ...] = ()  # the source that it was checked against, if there is no quote

    @property
    def source(self) -> str:
        """Its place, as reports show it: "RFC 3095, 5.7.1"."""
        return f"{self.document.name}, {self.section}"

    @property
    def citation(self) -> str:
        """The document's own words and their place: `RFC 3095, 5.7.1: "R-0 packets do not update …"`. Without a quote,
        the source that the clause was checked against: `3GPP TS 29.281, 5.1, checked against public text and tshark`.
        """
        if not self.quote:
            return f"{self.source}, checked against {' and '.join(self.checked)}"
        return f'{self.document.name}, {self.quote_section}: "{self.quote}"'

    @property
    def why_untested(self) -> str:
        """The reason why no case may name it, as a sentence; "" if a case should."""
        if self.untested:
            return self.untested
        if self.side in SURROUNDINGS:
            return SURROUNDINGS[self.side]
        if self.not_yet:
            return f"It is about {self.not_yet}; no case tests it."
        if self.level == "may":
            return "A MAY leaves an implementation free to do it or not: no case could fail it."
        return ""

    def is_binding(self, use: Mapping[str, str], features: Collection[str] = ()) -> bool:
        """True if it binds an implementation with these features, in a use given as values of words of `applies`."""
        return all(name not in self.applies or value in self.applies[name] for name, value in use.items()) and (
            self.feature is None or self.feature in features
        )


class Requirements(Mapping[str, Requirement]):
    """All requirements by id, in the order of the documents. `documents` holds the documents by key."""

    def __init__(self, requirements: list[Requirement]) -> None:
        in_order = sorted(requirements, key=lambda requirement: requirement.document.order)
        self._by_id = {requirement.id: requirement for requirement in in_order}
        self.documents = {requirement.document.key: requirement.document for requirement in in_order}

    def __getitem__(self, key: str) -> Requirement:
        return self._by_id[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_id)

    def __len__(self) -> int:
        return len(self._by_id)

    def get_known(self, key: str, where: str = "") -> Requirement:
        """The requirement of an id. Raises UsageError with similar ids if there is none."""
        if key in self._by_id:
            return self._by_id[key]
        section = key.rpartition("-")[0]
        mine = [known for known in self._by_id if known.rpartition("-")[0] == section]
        hint = f" Is {mine[-1]} meant?" if mine else _near(key, self._by_id)
        if re.fullmatch(ID, key) and (document := parts_of(key)[0]) not in self.documents:
            hint = f" It has no document {document}.{_near(document, self.documents)}"
        raise UsageError(f"{where + ': ' if where else ''}{key} is no requirement of {shown(FOLDER)}.{hint}")

    def is_reference(self, word: str) -> bool:
        """True if a word of the command line refers to requirements: it begins as a known document does, or has the
        form of a reference, with a digit or in capitals. `check_reference` checks that they exist.
        """
        if any(re.match(rf"{key}(?![a-z0-9/])", word, re.IGNORECASE) for key in self.documents):
            return True
        return bool(REFERENCE.fullmatch(word)) and (word.isupper() or re.search(r"\d", word) is not None)

    def check_reference(self, word: str) -> None:
        """Raises UsageError if a word names no document, section or requirement, in letters of either case."""
        folded = word.upper()
        if any(re.match(rf"{re.escape(folded)}([-.]|$)", known.upper()) for known in self._by_id):
            return
        document = next((document for key, document in self.documents.items() if folded.startswith(f"{key}-")), None)
        if not REFERENCE.fullmatch(word):
            raise UsageError(f"'{word}' is no reference to requirements. {EXAMPLES}")
        if document:
            mine = [
                known.rpartition("-")[0]
                for known, requirement in self._by_id.items()
                if requirement.document is document
            ]
            raise UsageError(
                f"{shown(FOLDER)} has no requirement or section '{word}' of {document.name}.{_near(folded, set(mine))}"
            )
        hint = _near(folded.partition("-")[0], self.documents) or f" Known: {', '.join(self.documents)}."
        raise UsageError(f"{shown(FOLDER)} has no document '{word}'.{hint}")

    def select(
        self,
        *,
        level: str | None = None,
        side: str | None = None,
        use: Mapping[str, str] | None = None,
        features: Collection[str] = (),
    ) -> list[Requirement]:
        """The requirements of a level, on a side ("either" is on both), that bind implementations with some features in
        a use.
        """
        return [
            requirement
            for requirement in self._by_id.values()
            if (level is None or requirement.level == level)
            and (side is None or requirement.side in (side, "either"))
            and requirement.is_binding(use or {}, features)
        ]


def parts_of(name: str) -> tuple[str, str, str]:
    """The key of the document, the section and the number of an id; parts that a malformed id lacks are ""."""
    key, section, number = [*name.rsplit("-", 2), "", ""][:3]
    return key, section, number


def _near(word: str, known: Iterable[str]) -> str:
    """A sentence that suggests a similar known name; "" if there is none."""
    import difflib

    near = difflib.get_close_matches(word, list(known), 3)
    return f" Is {' or '.join(near)} meant?" if near else ""


@cache
def suites_of() -> dict[str, tuple[str, ...]]:
    """The suites whose cases name a requirement, by its id, as in this checkout."""
    by_requirement: dict[str, list[str]] = {}
    for path in sorted(SUITES.rglob("*.robot")):
        suite = path.relative_to(SUITES).with_suffix("").as_posix()
        for name in dict.fromkeys(re.findall(rf"\breq:({ID})(?!\S)", path.read_text(encoding="utf-8"))):
            by_requirement.setdefault(name, []).append(suite)
    return {name: tuple(suites) for name, suites in by_requirement.items()}


def level_of(name: str) -> str:
    """The level of a requirement, and so of each finding against it. A finding without a requirement, "", is a missed
    SHOULD: no sentence makes it a failure. Raises UsageError if there is no such requirement.
    """
    return load().get_known(name).level if name else "should"


def load(folder: Path | None = None) -> Requirements:
    """All requirements of a folder, by default FOLDER. Raises UsageError with file and line if a file is not valid."""
    return _load((folder or FOLDER).resolve())


@cache
def _load(folder: Path) -> Requirements:
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise UsageError(f"{shown(folder)} holds no requirements (*.yaml).")
    documents_read: list[Requirement] = []
    seen: dict[str, str] = {}
    for path in paths:
        file = check(read(path), "requirement")
        document = Document(**file.data["document"])
        _check_key(file, document.key, [requirement_read.document.key for requirement_read in documents_read])
        _check_ids(file, document.key, seen)
        words = _words_of(file)
        documents_read += [
            _requirement(entry, document, file.data["scheme"], words) for entry in file.data["requirements"]
        ]
    return Requirements(documents_read)


def _check_key(file: File, key: str, others: Iterable[str]) -> None:
    """Checks that a document's key names its file, and that its ids cannot be mistaken for those of another
    document.
    """
    where = ("document", "key")
    if file.path.stem != key.lower():
        raise UsageError(file.complaint(where, f"the requirements of {key} belong in a file {key.lower()}.yaml."))
    for other in others:
        if f"{key}-".startswith(f"{other}-") or f"{other}-".startswith(f"{key}-"):
            raise UsageError(file.complaint(where, f"ids of {key} could be taken for those of {other}."))


def _check_ids(document: File, key: str, seen: dict[str, str]) -> None:
    """Checks ids beyond the schema: they are unique, name their own document and section, and are numbered without
    gaps, except for withdrawn requirements.
    """
    withdrawn = set(document.data.get("withdrawn", ()))
    numbers: Counter[str] = Counter()
    for index, entry in enumerate(document.data["requirements"]):
        where = ("requirements", index, "id")
        name, section = entry["id"], entry["section"]
        if name in seen:
            raise UsageError(document.complaint(where, f"{name} stands in {seen[name]} already."))
        seen[name] = shown(document.path)
        numbers[section] += 1
        while (expected := f"{key}-{section}-{numbers[section]}") in withdrawn:
            numbers[section] += 1
        if name != expected:
            raise UsageError(
                document.complaint(where, f"the id is {name}; by its document, section and place it is {expected}.")
            )


def _words_of(file: File) -> RequirementWords:
    """The words of a file's scheme. Raises UsageError if there is no such scheme, or if a requirement uses
    other words.
    """
    try:
        scheme = find(file.data["scheme"])
    except UsageError as wrong:
        raise UsageError(file.complaint(("scheme",), str(wrong))) from wrong
    known_words = scheme.requirement_words
    applying = {axis.option: axis.names for axis in scheme.axes} | {**known_words.applies}
    for index, entry in enumerate(file.data["requirements"]):
        at = ("requirements", index)
        for name, values in entry["applies"].items() if isinstance(entry["applies"], dict) else ():
            where, whose = (*at, "applies", name), f"of {scheme.title}"
            _check_known(file, where, name, applying, f"words that requirements {whose} apply to")
            for place, value in enumerate(values):
                _check_known(file, (*where, place), value, applying[name], f"{name} {whose}")
        if feature := entry.get("feature"):
            known = (*known_words.features, *known_words.not_yet)
            _check_known(file, (*at, "feature"), feature, known, f"features of {scheme.title}")
    return known_words


def _check_known(file: File, where: Pointer, word: str, known: Collection[str], what: str) -> None:
    if word not in known:
        listed = f"Known: {', '.join(known)}" if known else "It has none"
        raise UsageError(file.complaint(where, f"'{word}' is none of the {what}. {listed}."))


def _requirement(entry: dict, document: Document, scheme: str, words: RequirementWords) -> Requirement:
    applies = entry["applies"] if isinstance(entry["applies"], dict) else {}
    return Requirement(
        entry["id"],
        document,
        scheme,
        entry["level"],
        entry["side"],
        entry["section"],
        entry["text"],
        {name: frozenset(values) for name, values in applies.items()},
        entry.get("feature"),
        words.not_yet.get(entry.get("feature", ""), ""),
        entry.get("wording") == "prose",
        entry.get("untested", ""),
        entry.get("quote", ""),
        entry.get("quote_section", entry["section"]),
        tuple(entry.get("checked", ())),
    )
