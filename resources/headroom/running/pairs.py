# SPDX-License-Identifier: Apache-2.0
"""The interop suite's rows, one for each pair of implementations asked for.

A row of the suite names a ROHC profile, a mode and a CID type. Under `./headroom interop` it becomes one row for each
compressor and decompressor; with plain Robot Framework it is about ${COMPRESSOR} and ${DECOMPRESSOR}.
"""

from __future__ import annotations

import copy
from typing import Any

from robot.api import SuiteVisitor

TEMPLATE = "Implementations Should Interwork"
PAIR = "{compressor} to {decompressor}: {row}"


def variables(matrix: dict[str, list[str]]) -> list[str]:
    """What the rows have in common, as `NAME:value` for Robot's --variable."""
    return [f"INTEROP_{name.upper()}:{','.join(matrix[name])}" for name in ("traffic", "links") if matrix.get(name)]


class Pairs(SuiteVisitor):
    """A pre-run modifier of Robot. `matrix` has lists of words: compressors, decompressors, profiles, modes, cids."""

    def __init__(self, matrix: dict[str, list[str]]) -> None:
        self.matrix = matrix

    def start_suite(self, suite: Any) -> None:
        if not self.matrix or not any(_words(test) for test in suite.tests):
            return
        chosen = [test for test in suite.tests if self._asked(_words(test))]
        suite.tests = [
            _with(test, compressor, decompressor)
            for compressor in self.matrix["compressors"]
            for decompressor in self.matrix["decompressors"]
            for test in chosen
        ]

    def _asked(self, words: list[str]) -> bool:
        return bool(words) and all(
            not self.matrix.get(name) or word in self.matrix[name]
            for name, word in zip(("profiles", "modes", "cids"), words, strict=True)
        )


def _words(test: Any) -> list[str]:
    """Profile, mode and CID type of a row; nothing when it is no row of the matrix."""
    if test.template != TEMPLATE or len(test.body) != 1:
        return []
    return [str(word) for word in test.body[0].args][:3]


def _with(test: Any, compressor: str, decompressor: str) -> Any:
    clone = copy.deepcopy(test)
    clone.name = PAIR.format(compressor=compressor, decompressor=decompressor, row=test.name)
    clone.body[0].args = (*clone.body[0].args, f"compressor={compressor}", f"decompressor={decompressor}")
    return clone
