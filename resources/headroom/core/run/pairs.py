# SPDX-License-Identifier: Apache-2.0
"""The interop suites' rows, one for each pair of implementations asked for.

A row of a suite names a ROHC profile, a mode and a CID type; or a mechanism, a transport and a link of SigComp. Under
`./headroom interop` it becomes one row for each pair; with plain Robot Framework it is about ${COMPRESSOR} and
${DECOMPRESSOR}.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from robot.api import SuiteVisitor

PAIR = "{first} to {second}: {row}"


@dataclass(frozen=True)
class Kind:
    """Rows with one template. `lists` of the matrix restrict their columns, which have `defaults` where a row leaves
    them out; `sides` are the lists that pairs are made of, and the keyword's arguments for them."""

    lists: tuple[str, ...]
    sides: dict[str, str]
    defaults: tuple[str, ...] = ()

    def words(self, row: Any) -> list[str]:
        given = [str(word) for word in row.body[0].args][: len(self.lists)]
        return [*given, *self.defaults[len(given) :]]


ROHC = {"compressors": "compressor", "decompressors": "decompressor"}
SIGCOMP = {"callers": "caller", "called": "called"}
KINDS = {
    "Implementations Should Interwork": Kind(("profiles", "modes", "cids"), ROHC),
    "Calls Should Be Understood": Kind(
        ("mechanisms", "transports", "call_links"), SIGCOMP, ("default", "udp", "clean")
    ),
    "Calls In Several Compartments Should Be Understood": Kind(
        ("mechanisms", "transports", "call_links"), SIGCOMP, ("default", "udp", "clean")
    ),
}
TOLD = ("traffic", "recordings", "links", "sequences")  # lists that the rows have in common, told by variables


def variables(matrix: dict[str, list[str]]) -> list[str]:
    """What the rows have in common, as `NAME:value` for Robot's --variable."""
    return [f"INTEROP_{name.upper()}:{','.join(matrix[name])}" for name in TOLD if matrix.get(name)]


class Pairs(SuiteVisitor):
    """A pre-run modifier of Robot. `matrix` has lists of words by the names in KINDS."""

    def __init__(self, matrix: dict[str, list[str]]) -> None:
        self.matrix = matrix

    def start_suite(self, suite: Any) -> None:
        rows = [(test, kind) for test in suite.tests if (kind := _kind(test)) is not None]
        if not self.matrix or not rows:
            return
        chosen = [(test, kind) for test, kind in rows if self._asked(kind, kind.words(test))]
        sides = rows[0][1].sides
        suite.tests = [
            _with(test, dict(zip(sides.values(), (first, second), strict=True)))
            for first in self.matrix.get(next(iter(sides)), ())
            for second in self.matrix.get(list(sides)[1], ())
            for test, _ in chosen
        ]

    def _asked(self, kind: Kind, words: list[str]) -> bool:
        return all(
            not self.matrix.get(name) or word in self.matrix[name] for name, word in zip(kind.lists, words, strict=True)
        )


def _kind(test: Any) -> Kind | None:
    """What kind of a row it is; None when it is none of a matrix."""
    return KINDS.get(test.template or "") if len(test.body) == 1 else None


def _with(test: Any, pair: dict[str, str]) -> Any:
    clone = copy.deepcopy(test)
    first, second = pair.values()
    clone.name = PAIR.format(first=first, second=second, row=test.name)
    clone.body[0].args = (*clone.body[0].args, *(f"{name}={word}" for name, word in pair.items()))
    return clone
