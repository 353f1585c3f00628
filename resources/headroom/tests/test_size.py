# SPDX-License-Identifier: Apache-2.0
"""A function of the product fits a screen."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from headroom.core.paths import ROOT

MOST_LINES = 60
PACKAGE = ROOT / "resources" / "headroom"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "tests" not in path.relative_to(PACKAGE).parts)


def long_functions(source: str) -> list[str]:
    """Functions of a module, those inside others too, that have more than `MOST_LINES` with signature and docstring."""
    return [
        f"{node.name}: {lines} lines"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > MOST_LINES
    ]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_functions_are_short(path: Path) -> None:
    assert long_functions(path.read_text(encoding="utf-8")) == []


def test_a_long_function_is_found() -> None:
    lines = "\n".join("        pass" for _ in range(MOST_LINES - 1))
    assert long_functions(f"def short():\n{lines}\n") == []
    assert long_functions(f"class A:\n    def long(self):\n{lines}\n        pass\n") == ["long: 61 lines"]
