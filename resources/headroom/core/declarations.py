# SPDX-License-Identifier: Apache-2.0
"""The declarations of implementation.yaml: capabilities, recordings and deviations, checked against schemes, suites and
requirements.
"""

import re
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

from headroom.core import profiles, requirements
from headroom.core.contract import Scheme
from headroom.core.errors import UsageError
from headroom.core.paths import SCHEMAS, SUITES
from headroom.core.scheme_registry import all_schemes, in_matrix, named
from headroom.core.yamlfile import Document, check, schema

ABI = "ABI-"  # prefix of the name of a check in a deviation's requirement
CAPTURES = (".pcap", ".pcapng", ".cap")
MOST_CASE = 250  # most characters of a case's name; parts of it stand in names of files, which have at most 255


def check_all(document: Document, peers: Collection[str]) -> None:
    """Raises UsageError, with file and line, if a declaration is not valid. `peers` are implementations that it may
    name.
    """
    _check_capabilities(document)
    _check_captures(document)
    _check_deviations(document, peers)


def _declared(document: Document) -> list[Scheme]:
    """The schemes of `capabilities` that are schemes of the matrix."""
    declared = [entry["scheme"] for entry in document.data["capabilities"]]
    return [scheme for name, scheme in in_matrix().items() if name in declared]


def _check_capabilities(document: Document) -> None:
    """Raises UsageError if a scheme has two entries, if an entry has roles that its scheme lacks, or if it has keys
    other than those of every scheme and its own.
    """
    common = schema("implementation")["$defs"]["capability"]
    seen: set[str] = set()
    for number, entry in enumerate(document.data["capabilities"]):
        name, at = entry["scheme"], ("capabilities", number)
        if name in seen:
            raise UsageError(document.complaint((*at, "scheme"), f"there are two entries of {name}: merge them"))
        seen.add(name)
        known = all_schemes()[name].roles if name in all_schemes() else entry["roles"]
        if wrong := [role for role in entry["roles"] if role not in known]:
            sentence = f"{wrong[0]} is no role of {name} (known: {', '.join(known)})"
            raise UsageError(document.complaint((*at, "roles"), sentence))
        own = schema_of(entry["scheme"], "capabilities")
        properties = {**common["properties"], **own.get("properties", {})}
        if name not in all_schemes() and set(entry) - set(properties):  # which belong to a scheme
            sentence = f"there is no scheme {name} (known: {', '.join(all_schemes())})"
            raise UsageError(document.complaint((*at, "scheme"), sentence))
        check(document, {**common, "properties": properties}, at)


@cache
def schema_of(scheme: str, what: str) -> dict[str, Any]:
    """The schema that a scheme adds to that of `capabilities` or `captures`; {} if it adds nothing."""
    name = f"schemes/{scheme}/{what}"
    return schema(name) if (SCHEMAS / f"{name}.schema.json").is_file() else {}


def _check_captures(document: Document) -> None:
    """Raises UsageError if the capabilities do not cover a recording: no cell would carry it. Also if there is an
    adapter, which no cell would run.
    """
    if "captures" in document.data and "adapter" in document.data:
        sentence = "captures stand for an implementation without an adapter, and this one has an adapter: name one only"
        raise UsageError(document.complaint(("captures",), sentence))
    for number, entry in enumerate(document.data.get("captures", ())):
        at = ("captures", number)
        try:
            scheme = scheme_of_capture(entry)
        except ValueError as wrong:
            raise UsageError(document.complaint(at, str(wrong))) from wrong
        common = schema("implementation")["$defs"]["capture"]
        own = {**{axis.name: {"enum": list(axis.names)} for axis in scheme.axes}, **own_keys(scheme)}
        check(document, {**common, "properties": {**common["properties"], **own}}, at)
        declared = next(
            (capability for capability in document.data["capabilities"] if capability["scheme"] == scheme.name), {}
        )
        for axis in scheme.axes if declared else ():
            known = declared.get(axis.option, ())
            if entry[axis.name] not in known:
                sentence = f"{entry[axis.name]} is not among the declared {axis.option}: "
                sentence += ", ".join(known) or "nothing"
                raise UsageError(document.complaint((*at, axis.name), sentence))


def own_keys(scheme: Scheme) -> dict[str, Any]:
    """The keys of a recording's configuration besides the axes: the limits of its scheme."""
    properties: dict[str, Any] = schema_of(scheme.name, "captures").get("properties", {})
    return properties


def scheme_of_capture(entry: dict[str, Any]) -> Scheme:
    """The scheme of a recording: the one that it names, or that has the axes that it names. Raises ValueError, with a
    sentence without its full stop, if there is none.
    """
    taking = [scheme for scheme in in_matrix().values() if scheme.cells().captures]
    for scheme in taking:
        if entry.get("scheme", scheme.name) == scheme.name and all(axis.name in entry for axis in scheme.axes):
            return scheme
    known = "; ".join(f"{', '.join(axis.name for axis in candidate.axes)} ({candidate.title})" for candidate in taking)
    raise ValueError(f"all of these are needed: {known}")


def _check_deviations(document: Document, peers: Collection[str]) -> None:
    """Raises UsageError, with file and line, if a deviation names something that does not exist: the deviation
    would never occur, and no run would show that.
    """
    complaints = []
    for number, entry in enumerate(document.data.get("deviations", ())):
        at = ("deviations", number)
        if (name := entry.get("requirement")) and not name.startswith(ABI) and name not in requirements.load():
            complaints.append(document.complaint((*at, "requirement"), f"there is no requirement '{name}'"))
        for place, name in enumerate(entry.get("breaks", ())):
            if name not in requirements.load():
                complaints.append(document.complaint((*at, "breaks", place), f"there is no requirement '{name}'"))
        named_cases = [(("case",), entry["case"])] if "case" in entry else []
        named_cases += [(("cases", place), case) for place, case in enumerate(entry.get("cases", ()))]
        for where, case in named_cases:
            if not _is_case(case):
                sentence = f"there is no case '{case}'; see list suites --cases"
                complaints.append(document.complaint((*at, *where), sentence))
        complaints += _wrong_words(document, number, peers)
    if complaints:
        raise UsageError("\n".join(complaints))


def _wrong_words(document: Document, number: int, peers: Collection[str]) -> list[str]:
    """Complaints about the words by which a deviation names cells of the matrix."""
    entry = document.data["deviations"][number]
    cells, at = entry.get("cells", {}), ("deviations", number, "cells")
    complaints = []
    known = _known_words(document, peers) if cells else {}
    for option, values in cells.items():
        if option not in known:
            sentence = f"'{option}' is not known here (known: {', '.join(known)})"
            complaints.append(document.complaint((*at, option), sentence))
            continue
        for place, word in enumerate(values):
            if word not in known[option] and not (option == "traffic" and word.endswith(CAPTURES)):
                what = {"peers": "implementation", "traffic": "traffic"}.get(option)
                sentence = f"there is no {what} '{word}'" if what else f"'{word}' is not one of {known[option]}"
                sentence += "; see list profiles, and traffic-profiles" if what == "traffic" else ""
                complaints.append(document.complaint((*at, option, place), sentence))
    if complaints:
        return complaints
    try:
        scheme_of_deviation(entry, document)
    except ValueError as wrong:
        complaints.append(document.complaint(at, str(wrong)))
    return complaints


def _known_words(document: Document, peers: Collection[str]) -> dict[str, list[str]]:
    """The values that each word of `cells` may have, in any scheme of the matrix."""
    recorded = [Path(capture["folder"]).name for capture in document.data.get("captures", ())]
    known: dict[str, list[str]] = {
        "peers": [*peers],
        "traffic": [*profiles.names(), *recorded],
        "links": [],
    }
    for scheme in in_matrix().values():
        known["traffic"] += scheme.cells().traffic_names()
        known["links"] += [link.name for link in scheme.links]
        for axis in scheme.axes:
            known.setdefault(axis.option, []).extend(axis.names)
    return {option: list(dict.fromkeys(values)) for option, values in known.items()}


def scheme_of_deviation(entry: dict[str, Any], document: Document) -> str:
    """The scheme whose cells a deviation is about, of those that its implementation declares; "" if it is not about
    cells. Raises ValueError, with a sentence without its full stop, if there is none, or more than one.
    """
    declared = _declared(document)
    of_packets = "breaks" in entry or "fields" in entry
    if not of_packets and "cells" not in entry:
        return ""
    words_of_schemes = named(entry.get("cells", {}))
    judging = [scheme.name for scheme in in_matrix().values() if scheme.cells().judges_packets]
    if "scheme" in entry:
        words_of_schemes = {entry["scheme"]: "scheme", **words_of_schemes}
    elif of_packets and len(judging) == 1:
        words_of_schemes.setdefault(judging[0], "breaks or fields")
    titles = {name: scheme.title for name, scheme in all_schemes().items()}
    if len(words_of_schemes) > 1:
        both = " and ".join(f"{word} ({titles.get(scheme, scheme)})" for scheme, word in words_of_schemes.items())
        raise ValueError(f"no cell has both {both}; make two deviations of it")
    if not words_of_schemes:
        if len(declared) != 1:
            which = " or of ".join(scheme_declared.title for scheme_declared in declared or in_matrix().values())
            raise ValueError(f"cells of {which}? Say it by a word that only one of them has, or by `scheme`")
        return declared[0].name
    ((scheme, word),) = words_of_schemes.items()
    if scheme not in [scheme_declared.name for scheme_declared in declared]:
        raise ValueError(f"{word} is of {titles.get(scheme, scheme)}, which `capabilities` do not declare")
    return scheme


def _is_case(case: str) -> bool:
    """True if a suite may have a case. Unknown are the rows that a run makes (a pair, cores of this machine), and cases
    of suites elsewhere, whose name has no folder.
    """
    if case.count("/") == 1:
        return True
    if len(case) > MOST_CASE:
        return False
    for end in (at for at, letter in enumerate(case) if letter == "/"):
        suite, name = SUITES / f"{case[:end]}.robot", case[end + 1 :]
        if suite.is_file():
            is_made_by_run = case.startswith(("interop/", "performance/"))
            lines = suite.read_text(encoding="utf-8").splitlines()
            return is_made_by_run or any(re.split(r"\s{2,}", line)[0] == name for line in lines)
    return False
