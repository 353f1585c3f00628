# SPDX-License-Identifier: Apache-2.0
"""The findings about a receiver's output of a vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headroom.core import requirements
from headroom.core.finding import Finding
from headroom.core.text import nth
from headroom.schemes.ule.events import ERRORS
from headroom.schemes.ule.vectors import Expected, Vector

PASSED_ON = "RFC4326-7.2-8"  # "The SNDU payload is then passed to the next protocol layer specified."


def findings_of(
    vector: Vector, units: Sequence[bytes], types: Sequence[int], statistics: Mapping[str, Any]
) -> list[Finding]:
    """The first unit that is missing, different, of another type or superfluous; then wrong counters of errors."""
    findings = []
    if sentence := difference(vector.out, units) or other_type(vector.out, units, types):
        findings.append(_finding(vector, sentence, _requirement(vector, units)))
    for counter, requirement in ERRORS.items():
        expected, counted = vector.events.get(counter, 0), statistics.get(counter)
        if counter in vector.free or counted == expected:
            continue
        if counted is None:
            if expected:
                findings.append(_finding(vector, f"the statistics have no {counter}", requirement))
        elif vector.silent and not expected:
            findings.append(_finding(vector, f"{counter} is {counted}, and nothing is to be recorded", vector.silent))
        elif requirement:  # the others are left to receivers
            findings.append(_finding(vector, f"{counter} is {counted}, not {expected}", requirement))
    return findings


def _requirement(vector: Vector, units: Sequence[bytes]) -> str:
    """The requirement that wrong units miss. A receiver that leaves out a SHOULD passes on more than it should, but
    sound SNDUs all the same."""
    is_should = requirements.load()[vector.requirement].level == "should"
    lacks = any(entry.must and entry.octets not in units for entry in vector.out)
    return PASSED_ON if is_should and lacks else vector.requirement


def _finding(vector: Vector, sentence: str, requirement: str) -> Finding:
    return Finding(f"{vector.name}: {sentence}. {vector.shows}", requirement, severity="should")


def difference(expected: Sequence[Expected], units: Sequence[bytes]) -> str:
    """The first difference between what must come out and what did, as a sentence; "" if there is none."""
    rest = list(units)
    for number, entry in enumerate(expected):
        if rest and rest[0] == entry.octets:
            del rest[0]
        elif entry.must:
            got = f"{len(rest[0])} other octets come out" if rest else "nothing more comes out"
            return f"{nth('unit', number)}, of {len(entry.octets)} octets, must come out; {got}"
    if rest:
        return f"{len(rest)} units come out that must not, the first of {len(rest[0])} octets"
    return ""


def other_type(expected: Sequence[Expected], units: Sequence[bytes], types: Sequence[int]) -> str:
    """The first unit that has another type than it must have, as a sentence; "" if there is none. The units are
    those that are expected."""
    rest = iter(enumerate(zip(units, types, strict=True)))
    current = next(rest, None)
    for entry in expected:
        if current is None or current[1][0] != entry.octets:
            continue  # it may come out, and did not
        number, (_, type_) = current
        if entry.types and type_ not in entry.types:
            return f"{nth('unit', number)} comes out with the type 0x{type_:04X}, not 0x{entry.types[0]:04X}"
        current = next(rest, None)
    return ""
