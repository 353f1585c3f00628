# SPDX-License-Identifier: Apache-2.0
"""Standard output and standard error. Their reader may go away, and no text of other people controls the terminal.

When the reader of `./headroom run | head` has gone, further output is lost and nothing else: the command goes on, and
its exit status is that of the verdicts.
"""

from __future__ import annotations

import io
import os
import re
import sys
from typing import Any, TextIO

from headroom.core.text import spelled_out

# The escape sequences of our own tables and progress lines: colours, and movement of the cursor within its line.
_OWN = re.compile(r"(\x1b\[[0-9;]*[mAK]|\x1b\[\?25[lh]|\r)")


class _Raw(io.RawIOBase):
    """A file descriptor to write to. Once its reader has gone, output goes to /dev/null, also that of child
    processes.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, octets: bytes | memoryview) -> int:  # type: ignore[override]
        try:
            return os.write(self._descriptor, octets)
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._descriptor)
            os.close(nowhere)
            return len(octets)


class _Text(io.TextIOWrapper):
    """A text stream for a terminal. No control character of a printed text reaches the terminal."""

    def write(self, text: str) -> int:
        super().write(spelled_out(text))
        return len(text)

    @property
    def rich_proxied_file(self) -> _Styled:
        """The stream that rich's consoles write to in place of this one."""
        return _Styled(self)


class _Styled:
    """A stream for writers whose texts are printable already. It passes the sequences of `_OWN` and no others."""

    def __init__(self, text: _Text) -> None:
        self._text = text

    def write(self, text: str) -> int:
        parts = _OWN.split(text)  # alternately text and a sequence
        written = "".join(part if number % 2 else spelled_out(part) for number, part in enumerate(parts))
        io.TextIOWrapper.write(self._text, written)
        return len(text)

    @property
    def rich_proxied_file(self) -> _Styled:
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._text, name)


def _outlasting(stream: TextIO) -> TextIO:
    stream.flush()
    return _Text(
        io.BufferedWriter(_Raw(stream.fileno())),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=getattr(stream, "line_buffering", False),
    )


def outlast_readers() -> None:
    """Lets the readers of our output go away without a BrokenPipeError, for the rest of this process."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = _outlasting(sys.stdout)
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr = sys.__stderr__ = _outlasting(sys.stderr)  # type: ignore[misc]
