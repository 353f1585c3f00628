# SPDX-License-Identifier: Apache-2.0
"""Packets, messages and their like in sentences: all are counted from 1, in one place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from headroom.core.finding import Finding
from headroom.core.paths import ROOT
from headroom.core.text import nth, nths

COUNTED = re.compile(r"(?i)\b(packet|message|segment|unit|datagram|frame)s? \(?$")
COUNTED_IN_ENGINE = re.compile(r'(?:packet|message|segment) "\s*(?:\+\s*std::to_string\(|<<)[^\n]*')

# No index stands behind these words: a number that counts from 1 as it is, a text, or an input as it came.
OTHERS = {
    "on_the_link.py: packet.captured.number",
    "fragments.py: number",  # a capture's own, too
    "fragments.py: listed",
    "run.py: len(packets)",
    "replay.py: some(nths(outside))",
    "rules_values.py: what",
    "columns.py: taken",  # how many there are
    "losses.py: places",  # behind the change c
    "conversation.py: entry",  # of drop=…, whose numbers begin at 0, as the sentence says
}


def unhelped(source: str) -> Iterator[str]:
    """Expressions that stand behind `packet` or the like in an f-string or a sum of strings."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            pairs = list(zip(node.values, node.values[1:], strict=False))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            pairs = [(node.left, node.right)]
        else:
            continue
        for left, right in pairs:
            if isinstance(left, ast.Constant) and isinstance(left.value, str) and COUNTED.search(left.value):
                yield ast.unparse(right.value if isinstance(right, ast.FormattedValue) else right)


def sources(*folders: str, suffix: str) -> list[Path]:
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob(f"*{suffix}"))]
    assert found
    return [path for path in found if not {"tests", "test"} & set(path.relative_to(ROOT).parts)]


def test_sentences_count_from_one() -> None:
    assert nth("packet", 30) == "packet 31" and nths([4, 5]) == [5, 6]
    assert str(Finding("It is wrong.", packet=30)) == "packet 31: It is wrong."


def test_what_counts_by_itself_is_found() -> None:
    assert list(unhelped("f'In packet {one.index}: wrong'")) == ["one.index"]
    assert list(unhelped("'link packet ' + str(n)")) == ["str(n)"]
    assert list(unhelped("""f"In {nth('packet', one.index)}: {count} packets" """)) == []
    assert COUNTED_IN_ENGINE.search('note("packet " + std::to_string(i) + " was given");')
    assert COUNTED_IN_ENGINE.search('line << "packet " << i;')
    assert not COUNTED_IN_ENGINE.search('note(nth("packet", i) + " was given");')


def test_no_sentence_counts_by_itself() -> None:
    """`headroom.core.text.nth` does."""
    found = {
        f"{path.name}: {what}"
        for path in sources("resources", "suites", "implementations", "traffic-profiles", suffix=".py")
        for what in unhelped(path.read_text(encoding="utf-8"))
    }
    assert found == OTHERS


def test_no_sentence_of_the_engine_counts_by_itself() -> None:
    """`nth` of base/nth.h does."""
    found = [
        f"{path.relative_to(ROOT)}: {one[0]}"
        for suffix in (".cc", ".h")
        for path in sources("resources/engine", suffix=suffix)
        for one in COUNTED_IN_ENGINE.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []
