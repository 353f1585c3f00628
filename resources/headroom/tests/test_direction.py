# SPDX-License-Identifier: Apache-2.0
"""Imports point one way: a module imports what is below it, and no scheme knows of another. Names stay at home: no
scheme's name stands in a module outside its folder."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from headroom.core.paths import ROOT
from headroom.core.scheme import all_schemes

PACKAGE = ROOT / "resources" / "headroom"

# From the top down.
LAYERS = ("__main__", "cli", "selftest", "schemes", "keywords", "decode", "report", "bench", "testbed", "core")
# Imports that still point the wrong way, by module. The list only gets shorter.
NOT_YET: set[str] = set()

# Names of schemes, those to come included, as they stand in identifiers and sentences.
SCHEMES = {"rohc", "sigcomp", "gtpu", "vj", "iphc", "taroc", "ule"}
# Modules that still name a scheme which is not their own. The list only gets shorter.
NAMES_NOT_YET = {
    "cli.dry_run",
}

FLOOR = {name: len(LAYERS) - floor for floor, name in enumerate(LAYERS)}


def part_of(path: Path) -> str:
    """The package or module directly below `headroom` that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(source: str) -> Iterator[str]:
    """Modules below `headroom` that a module imports anywhere, in functions, too: `core.engine`."""
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            words = name.split(".")
            if words[0] == "headroom" and len(words) > 1 and not words[1].startswith("__"):
                yield ".".join(words[1:])


def against(module: str, source: str) -> list[str]:
    """What `module` (`core.engine`) imports from above, or from another scheme."""
    part, *rest = module.split(".")
    wrong = set()
    for name in imported(source):
        other, *inside = name.split(".")
        of_another_scheme = other == part == "schemes" and inside[0] != rest[0]
        if of_another_scheme or FLOOR[other] > FLOOR[part]:
            wrong.add(name)
    return sorted(wrong)


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


MODULES = sorted(p for p in PACKAGE.rglob("*.py") if part_of(p) not in ("tests", "__init__"))


def test_every_part_has_a_floor() -> None:
    assert {part_of(path) for path in MODULES} == set(FLOOR)


@pytest.mark.parametrize("path", MODULES, ids=module_of)
def test_imports_point_down(path: Path) -> None:
    found = against(module_of(path), path.read_text(encoding="utf-8"))
    assert bool(found) == (module_of(path) in NOT_YET), found


def test_an_import_from_above_is_found() -> None:
    inside = "def f():\n    from headroom.bench.load import run\n"
    assert against("core.engine", inside) == ["bench.load.run"]
    assert against("bench.load", "from headroom import cli, core") == ["cli"]
    assert against("schemes.a.scheme", "from headroom.schemes.b import judge") == ["schemes.b.judge"]


def words_of(source: str) -> set[str]:
    """All words of a module, in lower case; identifiers are split at underscores and camel case."""
    source = re.sub(r"(?i)\bgtp-u\b", "gtpu", source).replace("SigComp", "Sigcomp")
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", source)}


def names_of_others(path: Path) -> set[str]:
    """The schemes that a module names and does not belong to."""
    parts = path.relative_to(PACKAGE).parts
    own = {parts[1]} if parts[0] == "schemes" else set()
    return (words_of(path.read_text(encoding="utf-8")) & SCHEMES) - own


@pytest.mark.parametrize("path", MODULES, ids=module_of)
def test_no_scheme_is_named_outside_its_folder(path: Path) -> None:
    found = names_of_others(path)
    assert bool(found) == (module_of(path) in NAMES_NOT_YET), found


def test_names_are_found_in_identifiers_and_sentences() -> None:
    assert set(all_schemes()) <= SCHEMES
    assert words_of("TYPE_ROHC = RohcOption('vj')") >= {"rohc", "vj"}
    assert words_of("SigCompNode of GTP-U, GTPU_PORT") >= {"sigcomp", "gtpu"}
    assert not words_of("rules, module, Schedule") & SCHEMES
