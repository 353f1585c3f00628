# SPDX-License-Identifier: Apache-2.0
"""Output of the command line: messages and progress to stderr, tables to stdout.

With --json, the last output on stdout is one document.
"""

import json
import shutil
import sys
import time
from collections.abc import Sequence
from functools import cache
from typing import Any, Self, TextIO

from headroom.core.results.record import Record, finite
from headroom.core.text import printable, printable_json, shortened, shown

ALL_UNSUPPORTED = "Every selected case is unsupported here, for the reasons given, so nothing passed."
SIGNS = {"pass": "green", "non-strict": "yellow", "fail": "red", "unsupported": "blue", "error": "magenta"}


def say(sentence: str) -> None:
    """Prints a line to stderr."""
    print(printable(sentence), file=sys.stderr, flush=True)


def say_in_place(sentence: str) -> None:
    """Replaces the last line of stderr, a terminal; clears it if the sentence is empty."""
    width = shutil.get_terminal_size().columns - 1
    print(f"\r\x1b[K{printable(sentence)[:width]}", end="", file=styled(sys.stderr), flush=True)


say.in_place = say_in_place  # type: ignore[attr-defined]  # for long work that is handed `say`


def styled(stream: TextIO) -> TextIO:
    """The stream behind one of ours, or of rich's, that accepts our own escape sequences: for texts that are
    printable.
    """
    while (inner := getattr(stream, "rich_proxied_file", stream)) is not stream:
        stream = inner
    return stream


def warn(sentence: str) -> None:
    say(f"warning: {sentence}")


@cache
def warn_once(sentence: str) -> None:
    """Prints a warning once, however often a command meets its cause."""
    warn(sentence)


def examples(*lines: str) -> str:
    """The end of a command's help: each example is a line of its own that can be copied.

    A remark is a comment of the shell, so that it can be copied, too. Empty lines keep typer from joining the lines;
    square brackets are rich's.
    """
    shown = [line.replace("[", r"\[") for line in lines]
    return "\n\n".join(["Examples:", *shown])


def print_json(document: Any) -> None:
    """Prints a JSON document to stdout. Numbers that JSON cannot hold become null."""
    text = json.dumps(finite(document), indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(printable_json(text) + "\n")
    sys.stdout.flush()


def print_table(
    title: str, columns: Sequence[str | tuple[str, str]], rows: Sequence[Sequence[Any]], to_stderr: bool = False
) -> None:
    """Prints a table.

    A column is its title, or (title, justify). Cells may carry rich markup only if they are `markup(...)`.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=plain(title, "bold") or None, title_justify="left", header_style="bold", pad_edge=False)
    for column in columns:
        name, justify = (column, "left") if isinstance(column, str) else column
        table.add_column(plain(name), justify=justify, overflow="fold")  # type: ignore[arg-type]
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else plain(shown(cell)) for cell in row))
    stream = styled(sys.stderr if to_stderr else sys.stdout)
    console = Console(file=stream)
    if not console.is_terminal:
        console = Console(file=stream, width=160)  # A log has no width; 80 columns would break every line.
    console.print(table)


def plain(text: str, style: str = "") -> Any:
    """A text from outside, for rich, which reads no markup in it."""
    from rich.text import Text

    return Text(printable(text), style=style)


def verdict_text(verdict: str) -> Any:
    return plain(verdict, SIGNS.get(verdict, ""))


class Progress:
    """Progress of a run: a live line on a terminal, one plain line per result in a log. Everything goes to stderr."""

    def __init__(self) -> None:
        self.total = 0
        self.done = 0
        self.left_out = 0  # cases since the last line that have no result
        self.began = time.monotonic()
        self.live: Any = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            self.live = Bar(
                TextColumn("{task.fields[now]}", style="bold", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=Console(file=styled(sys.stderr)),
                transient=True,
                refresh_per_second=2,  # the cores are being measured
            )
            self.live.start()
            self.task = self.live.add_task("", total=None, now="starting")
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            self.live.stop()

    def say(self, sentence: str) -> None:
        """Prints a line that stays, above the progress line."""
        if self.live:
            self.live.console.print(printable(sentence), highlight=False, markup=False)
        else:
            say(sentence)

    def expect(self, total: int) -> None:
        self.total = total
        if self.live:
            self.live.update(self.task, total=total)

    def leave_out(self, _: str) -> None:
        """Counts a case without a result. The total stays as it is: a total that shrinks looks like lost cases."""
        self.done += 1
        self.left_out += 1
        if self.live:
            self.live.update(self.task, completed=self.done)

    def start(self, what: str) -> None:
        if self.live:
            what = printable(what)
            self.live.update(self.task, now=what if len(what) < 70 else f"…{what[-69:]}")

    def end(self, record: Record) -> None:
        self.done += 1
        first = printable(record.reason.partition("\n")[0])
        reason = f"  {shortened(first, 160)}" if first else ""
        if self.live:
            self.live.update(self.task, completed=self.done)
            if record.verdict in ("fail", "error"):
                from rich.text import Text

                line = Text.assemble(verdict_text(record.verdict), printable(f" {record.test.id}{reason}"))
                self.live.console.print(line, highlight=False)
            return
        width = len(str(self.total))
        if self.left_out:
            cases = f"{self.left_out} case{'s' * (self.left_out != 1)}, not about the implementation under test"
            say(f"[{self.done - 1:{width}}/{self.total}] {'left out':<11} {cases}")
            self.left_out = 0
        say(
            f"[{self.done:{width}}/{self.total}] {record.verdict:<11} {record.test.id}  "
            f"{record.duration_s:.1f} s{reason}"
        )
