# SPDX-License-Identifier: Apache-2.0
"""Arrows point one way: a module imports what is below it, never what stands above or beside it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from headroom.core.paths import ROOT

PACKAGE = ROOT / "resources" / "headroom"

# From the top down. What stands in one line does not know of each other.
LAYERS = (
    ("__main__",),
    ("cli",),
    ("proving",),
    ("keywords",),
    ("mutation",),
    ("running",),
    ("decode", "report"),
    ("interop",),
    ("conformance", "papers", "words"),
    ("measure",),
    ("doctor", "results"),
    ("wire",),
    ("endpoints",),
    ("implementations", "oracle"),
    ("matrix_words",),
    ("profiles", "requirements", "sip"),
    ("engine",),
    ("ending", "machine"),
    ("captures", "leash", "ppp", "search", "settings", "yamlfile"),
    ("errors", "paths", "readable"),
)
FLOOR = {name: len(LAYERS) - floor for floor, names in enumerate(LAYERS) for name in names}


def part_of(path: Path) -> str:
    """The package or module directly below `headroom` that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(source: str) -> Iterator[str]:
    """Parts that a module imports anywhere, in functions, too."""
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            words = name.split(".")
            if words[0] == "headroom" and len(words) > 1 and not words[1].startswith("__"):
                yield words[1]


def against(part: str, source: str) -> list[str]:
    """Parts that a module of `part` must not import, and does."""
    return sorted({other for other in imported(source) if other != part and FLOOR[other] >= FLOOR[part]})


MODULES = sorted(p for p in PACKAGE.rglob("*.py") if part_of(p) not in ("tests", "__init__"))


def test_every_part_has_a_floor() -> None:
    assert {part_of(path) for path in MODULES} == set(FLOOR)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_point_down(path: Path) -> None:
    assert against(part_of(path), path.read_text(encoding="utf-8")) == []


def test_an_arrow_against_the_direction_is_seen() -> None:
    inside = "def f():\n    from headroom.core.run.selection import cases\n"
    assert against("conformance", inside) == ["running"]
    assert against("running", "from headroom import keywords, results") == ["keywords"]
    assert against("cli", "import headroom.report.render") == []
