# SPDX-License-Identifier: Apache-2.0
"""Imports point one way: a module imports what is below it, and no scheme knows of another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from headroom.core.paths import ROOT

PACKAGE = ROOT / "resources" / "headroom"

# From the top down.
LAYERS = ("__main__", "cli", "selftest", "schemes", "keywords", "decode", "report", "bench", "testbed", "core")
# Imports that still point the wrong way, by module. The list only gets shorter.
NOT_YET = {
    "core.implementations",
    "core.matrix_words",
    "core.tshark",
    "decode.comparing",
    "decode.compressed",
    "decode.ip_dissector",
    "decode.reading",
    "decode.signalling",
    "decode.text",
    "decode.tshark_reading",
    "keywords.paper",
    "report.interop_page",
    "report.matrix_data",
    "report.paper_section",
    "report.render",
    "schemes.rohc.interop.deviations",
    "schemes.sigcomp.interop.call_cells",
    "schemes.sigcomp.keywords.call",
    "testbed.calls",
    "testbed.line",
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
