# SPDX-License-Identifier: Apache-2.0
"""Which requirements the suites ask for."""

from __future__ import annotations

import re

from headroom.core import requirements
from headroom.core.paths import SUITES
from headroom.core.run import coverage
from headroom.core.run.selection import Case


def case(name: str, *tags: str) -> Case:
    return Case(f"conformance/x/{name}", "x", name, "", tags)


MUST = "RFC3095-5.9.2-1"
SHOULD = "RFC3095-5.3.2.2.3-7"


def test_requirements_by_case() -> None:
    found = coverage.measure(
        [case("a", f"req:{MUST}", "level:must"), case("b", f"req:{MUST}", f"req:{SHOULD}", "level:must"), case("c")]
    )
    assert found.by_requirement == {MUST: ["conformance/x/a", "conformance/x/b"], SHOULD: ["conformance/x/b"]}
    assert found.unknown == found.wrong_level == []


def test_unknown_requirements() -> None:
    found = coverage.measure([case("a", "req:RFC3095-0.0-1", "level:must")])
    assert found.unknown == ["conformance/x/a: RFC3095-0.0-1"]


def test_levels() -> None:
    """A case has the level of the strictest of its requirements."""
    found = coverage.measure(
        [
            case("a", f"req:{SHOULD}", "level:must"),
            case("b", f"req:{MUST}", f"req:{SHOULD}", "level:should"),
            case("c", f"req:{MUST}"),
            case("d", f"req:{SHOULD}", "level:should"),
        ]
    )
    assert found.wrong_level == [
        "conformance/x/a: level must, its requirements say should",
        "conformance/x/b: level should, its requirements say must",
        "conformance/x/c: level none, its requirements say must",
    ]


def test_what_is_asked_for_and_what_is_not() -> None:
    found = coverage.measure([case("a", f"req:{MUST}", "level:must")])
    asked, missing = found.of("must")
    assert [one.id for one in asked] == [MUST]
    known = [
        one for one in requirements.load().values() if one.level == "must" and one.side not in requirements.SURROUNDINGS
    ]
    assert len(asked) + len(missing) == sum(not one.not_yet for one in known)
    assert not any(one.not_yet for one in missing)


def test_the_suites_of_the_repository() -> None:
    """Every tag is a requirement, every level that of its requirements, and nine in ten of the MUSTs are asked for."""
    found = coverage.measure()
    assert found.unknown == []
    assert found.wrong_level == []
    asked, missing = found.of("must")
    assert len(asked) >= 9 * len(missing)


def test_every_story_of_a_decompressor_demands_something() -> None:
    """A story in which everything may be withheld passes with a decompressor that is dead."""
    demanding: dict[str, bool] = {}
    for path in sorted((SUITES / "conformance").rglob("*.robot")):
        for block in re.split(r"\n(?=\S)", path.read_text(encoding="utf-8")):
            if "A Decompressor " not in block:
                continue
            rows = [re.split(r"\s{2,}", line.strip()) for line in block.splitlines() if "It Receives" in line]
            outcomes = [row[3] if len(row) > 3 else "delivered" for row in rows if row[2] != "lost"]
            demanding[f"{path.stem}: {block.splitlines()[0]}"] = "delivered" in outcomes
    assert len(demanding) > 40
    assert [name for name, demands in demanding.items() if not demands] == []
