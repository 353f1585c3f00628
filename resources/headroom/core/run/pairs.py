# SPDX-License-Identifier: Apache-2.0
"""The interop suites' rows, one for each chosen pair of implementations.

A row of a suite names a value of each axis of a scheme. Under `./headroom interop` it becomes one row for each pair;
with plain Robot Framework it is about ${COMPRESSOR} and ${DECOMPRESSOR}.
"""

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robot.api import SuiteVisitor
from robot.utils import escape

from headroom.core import implementations, matrix, scheme_registry
from headroom.core.contract import Scheme
from headroom.core.options import split_names

PAIR = "{first} to {second}: {row}"
KEYWORD = "Cells Should Interwork"
LINKS, TRAFFIC = "links", "traffic"

Matrix = Mapping[str, Mapping[str, list[str]]]  # by scheme: values by the options of `interop`


class Pairs(SuiteVisitor):
    """A pre-run modifier of Robot that makes a row for each pair."""

    def __init__(self, choice: Matrix) -> None:
        self.choice = choice

    def start_suite(self, suite: Any) -> None:
        rows = [(test, words) for test in suite.tests if (words := words_of(test)) is not None]
        if not self.choice or not rows:
            return
        of = scheme_registry.of_axes([name for name in rows[0][1] if name != LINKS], Path(suite.source or "").stem)
        choice = self.choice.get(of.name, {})
        chosen = [(test, more) for test, words in rows if (more := _common(of, words, choice)) is not None]
        compressors, decompressors = choice.get("compressors", []), choice.get("decompressors", [])
        words = {*compressors, *decompressors}
        names = implementations.short_names({word: implementations.find(word).name for word in words})
        suite.tests = [
            _with(test, {**more, "compressor": first, "decompressor": second}, names)
            for first in compressors
            for second in decompressors
            for test, more in chosen
        ]


def words_of(test: Any) -> dict[str, str] | None:
    """Values of axes, and links, by name; None for a test that is not a row of a matrix."""
    if len(test.body) != 1 or (test.template or "") != KEYWORD:
        return None
    return dict(str(word).split("=", 1) for word in test.body[0].args)


def _common(of: Scheme, words: dict[str, str], choice: Mapping[str, list[str]]) -> dict[str, str] | None:
    """The chosen traffic and links of a row; None if the row is not chosen."""
    axes = matrix.row_axes(of, {name: word for name, word in words.items() if name != LINKS})
    if any(choice.get(axis.option) and axes[axis.name] not in choice[axis.option] for axis in of.axes):
        return None
    links = choice.get(LINKS, [])
    if LINKS in words and links:
        links = [name for name in split_names(words[LINKS]) if name in links]
        if not links:
            return None
    return {name: ",".join(names) for name, names in ((TRAFFIC, choice.get(TRAFFIC, [])), (LINKS, links)) if names}


def _with(test: Any, named: dict[str, str], names: Mapping[str, str]) -> Any:
    """A row with more arguments. They and its name are escaped: they hold names of others' folders, in which Robot
    would take ${…} for a variable, and ${{…}} for Python."""
    clone = copy.deepcopy(test)
    sides = (names[named[side]] for side in ("compressor", "decompressor"))
    clone.name = PAIR.format(first=escape(next(sides)), second=escape(next(sides)), row=test.name)
    arguments = [word for word in clone.body[0].args if str(word).split("=", 1)[0] not in named]
    clone.body[0].args = (*arguments, *(f"{name}={escape(word)}" for name, word in named.items()))
    return clone
