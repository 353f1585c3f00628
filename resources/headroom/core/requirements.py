# SPDX-License-Identifier: Apache-2.0
"""The RFCs' requirements as data: resources/requirements, valid against requirement.schema.json.

Cases name requirements by id; nothing here names cases. A requirement with a `feature` concerns only implementations
that have the feature: a report says "not yet" about those that no implementation of ours has (`NOT_YET`).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from headroom.core.errors import UsageError
from headroom.core.paths import ROOT, SUITES, shown
from headroom.core.yamlfile import Document, check, read

FOLDER = ROOT / "resources" / "requirements"
LEVELS = ("must", "should", "may")
SURROUNDINGS = {  # sides that are no implementation of a scheme
    "channel": "It binds what is below the scheme or negotiates it, not an implementation.",
    "application": "It binds the application above the scheme, not an endpoint.",
}
NOT_YET = {  # features that no implementation of ours has, and what they are
    "negotiation": "how a channel's parameters are negotiated, which is done before an implementation is made",
    "null-esp": "headers behind ESP with NULL encryption, which look like encrypted ones",
    "reverse-decompression": "reverse decompression, which is optional",
}


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement. `profiles` and `modes` are None where it applies to all; `in_prose`: no keyword in capitals."""

    id: str
    scheme: str
    level: str
    side: str
    section: str
    text: str
    profiles: frozenset[str] | None = None
    modes: frozenset[str] | None = None
    feature: str | None = None
    in_prose: bool = False
    untested: str = ""  # why no case can ask for it, where neither its level nor its feature says so
    quote: str = ""  # the RFC's own words, "[...]" where some are left out
    quote_section: str = ""  # where they stand

    @property
    def rfc(self) -> int:
        return int(self.id.removeprefix("RFC").partition("-")[0])

    @property
    def source(self) -> str:
        """Where it stands, as reports show it: "RFC 3095, 5.7.1"."""
        return f"RFC {self.rfc}, {self.section}"

    @property
    def citation(self) -> str:
        """The RFC's own words and where they stand: `RFC 3095, 5.7.1: "R-0 packets do not update …"`."""
        return f'RFC {self.rfc}, {self.quote_section}: "{self.quote}"'

    @property
    def not_yet(self) -> bool:
        """Whether it is about something that no implementation of ours has."""
        return self.feature in NOT_YET

    @property
    def why_untested(self) -> str:
        """Why no case may name it, as a sentence; "" where a case should."""
        if self.untested:
            return self.untested
        if self.side in SURROUNDINGS:
            return SURROUNDINGS[self.side]
        if self.not_yet:
            return f"It is about {NOT_YET[self.feature or '']}; no case asks for it."
        if self.level == "may":
            return "Who makes use of a MAY is right, and so is who does not: no case could fail."
        return ""

    def concerns(
        self, profile: str | None = None, mode: str | None = None, features: frozenset[str] = frozenset()
    ) -> bool:
        """Whether it binds an implementation in this profile ("0x0001") and mode that has these features."""
        return (
            (profile is None or self.profiles is None or profile in self.profiles)
            and (mode is None or self.modes is None or mode in self.modes)
            and (self.feature is None or self.feature in features)
        )


class Requirements(Mapping[str, Requirement]):
    """All requirements by id, in the order of the files."""

    def __init__(self, requirements: list[Requirement]) -> None:
        self._by_id = {one.id: one for one in requirements}

    def __getitem__(self, key: str) -> Requirement:
        return self._by_id[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_id)

    def __len__(self) -> int:
        return len(self._by_id)

    def get_known(self, key: str, where: str = "") -> Requirement:
        """The requirement of that id. Raises UsageError with ids that may be meant if there is none."""
        if key in self._by_id:
            return self._by_id[key]
        import difflib

        section = key.rpartition("-")[0]
        mine = [known for known in self._by_id if known.rpartition("-")[0] == section]
        near = mine[-1:] or difflib.get_close_matches(key, self._by_id, 3)
        hint = f" Is {' or '.join(near)} meant?" if near else ""
        raise UsageError(f"{where + ': ' if where else ''}{key} is no requirement of {shown(FOLDER)}.{hint}")

    def select(
        self,
        *,
        level: str | None = None,
        side: str | None = None,
        profile: str | None = None,
        mode: str | None = None,
        features: frozenset[str] = frozenset(),
    ) -> list[Requirement]:
        """The requirements of a level, on a side ("either" is on both), for a profile, mode and set of features."""
        return [
            one
            for one in self._by_id.values()
            if (level is None or one.level == level)
            and (side is None or one.side in (side, "either"))
            and one.concerns(profile, mode, features)
        ]


@cache
def suites_of() -> dict[str, tuple[str, ...]]:
    """The suites whose cases name a requirement, by its id: as they are here, whichever of them a run had."""
    found: dict[str, list[str]] = {}
    for path in sorted(SUITES.rglob("*.robot")):
        suite = path.relative_to(SUITES).with_suffix("").as_posix()
        for name in dict.fromkeys(re.findall(r"\breq:(RFC\d+-\S+)", path.read_text(encoding="utf-8"))):
            found.setdefault(name, []).append(suite)
    return {name: tuple(suites) for name, suites in found.items()}


def level_of(name: str) -> str:
    """The level of a requirement, and so of each finding against it. A finding against none, "", is a missed SHOULD: no
    sentence makes it a failure. Raises UsageError where there is no such requirement."""
    return load().get_known(name).level if name else "should"


def load(folder: Path = FOLDER) -> Requirements:
    """All requirements of a folder. Raises UsageError with file and line on a file that is not valid."""
    return _load(folder.resolve())


@cache
def _load(folder: Path) -> Requirements:
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise UsageError(f"{shown(folder)} holds no requirements (*.yaml).")
    found: list[Requirement] = []
    seen: dict[str, str] = {}
    for path in paths:
        document = check(read(path), "requirement")
        _check_ids(document, seen)
        found += [_requirement(entry, document.data["scheme"]) for entry in document.data["requirements"]]
    return Requirements(found)


def _check_ids(document: Document, seen: dict[str, str]) -> None:
    """Checks what the schema cannot say: ids are unique, name their own RFC and section, and are numbered without
    gaps, except for those of withdrawn requirements.
    """
    rfc = document.data["rfc"]
    withdrawn = set(document.data.get("withdrawn", ()))
    numbers: Counter[str] = Counter()
    for index, entry in enumerate(document.data["requirements"]):
        where = ("requirements", index, "id")
        name, section = entry["id"], entry["section"]
        if name in seen:
            raise UsageError(document.complaint(where, f"{name} stands in {seen[name]} already."))
        seen[name] = shown(document.path)
        numbers[section] += 1
        while (expected := f"RFC{rfc}-{section}-{numbers[section]}") in withdrawn:
            numbers[section] += 1
        if name != expected:
            raise UsageError(
                document.complaint(where, f"the id is {name}; by its RFC, section and place it is {expected}.")
            )


def _requirement(entry: dict, scheme: str) -> Requirement:
    applies = entry["applies"] if isinstance(entry["applies"], dict) else {}
    return Requirement(
        entry["id"],
        scheme,
        entry["level"],
        entry["side"],
        entry["section"],
        entry["text"],
        frozenset(applies["profiles"]) if "profiles" in applies else None,
        frozenset(applies["modes"]) if "modes" in applies else None,
        entry.get("feature"),
        entry.get("wording") == "prose",
        entry.get("untested", ""),
        entry.get("quote", ""),
        entry.get("quote_section", entry["section"]),
    )
