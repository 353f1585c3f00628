# SPDX-License-Identifier: Apache-2.0
"""The trials of one search in a file: one JSON object a line, the conditions first, the ending last."""

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from headroom.core.errors import disk_error
from headroom.testbed.trial import Trial

MOST_OCTETS = 1 << 30  # a file of ours has some megabytes

Measure = Callable[[float, float], Trial]


class TrialLog:
    """Trials that were kept under the same conditions, and the file for further ones. No path: no file.

    Trials in a damaged file, or measured under other conditions, are ignored.
    """

    def __init__(self, path: Path | None, conditions: Mapping[str, Any]) -> None:
        self.path = path
        self.conditions = dict(conditions)
        self.trials: list[Trial] = []
        self.ending: dict[str, Any] = {}
        self._lines: list[str] = [json.dumps({"conditions": self.conditions})]
        self._fresh = True  # True if the file does not hold exactly these lines
        if path is not None and path.is_file():
            self._read(path)

    def answering(self, measure: Measure) -> Measure:
        """Returns `measure` with kept trials in front: they are given back in order, as long as the search repeats
        them.

        At the first different trial, the rest of them is dropped.
        """
        given = 0

        def trial(rate_pps: float, duration_s: float) -> Trial:
            nonlocal given
            if given < len(self.trials):
                known = self.trials[given]
                if (known.rate_pps, known.duration_s) == (rate_pps, duration_s):
                    given += 1
                    return known
                self._forget(given)
            measured = measure(rate_pps, duration_s)
            self.trials.append(measured)
            given += 1
            self._add({"trial": measured.as_json()})
            return measured

        return trial

    def end(self, entry: Mapping[str, Any]) -> None:
        """Writes the ending of the search."""
        self.ending = dict(entry)
        self._add({"ending": self.ending})

    def set_aside(self) -> None:
        """Renames the file: the trials stay in the run's folder, under a name that no search reads."""
        if self.path is not None and self.path.is_file():
            with contextlib.suppress(OSError):
                number = sum(1 for _ in self.path.parent.glob(f"{self.path.stem}.aside-*"))
                os.replace(self.path, self.path.with_suffix(f".aside-{number + 1}.jsonl"))

    def _forget(self, first: int) -> None:
        del self.trials[first:]
        del self._lines[1 + first :]
        self.ending = {}
        self._fresh = True

    def _add(self, entry: dict[str, Any]) -> None:
        self._lines.append(json.dumps(entry))
        if self.path is None:
            return
        try:
            if self._fresh:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                part = self.path.with_suffix(".part")
                part.write_text("".join(f"{line}\n" for line in self._lines), encoding="utf-8")
                os.replace(part, self.path)
            else:
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(f"{self._lines[-1]}\n")
        except OSError as error:
            raise disk_error(error, "keeping a trial") from error
        self._fresh = False

    def _read(self, path: Path) -> None:
        """Reads the file. An incomplete last line comes from a run that was killed while it wrote."""
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            if path.stat().st_size > MOST_OCTETS:
                return
            first, *rest = path.read_text(encoding="utf-8").split("\n")
            if json.loads(first) != {"conditions": self.conditions}:
                return
            for text in rest:
                entry = json.loads(text)
                if "ending" in entry:
                    self.ending = dict(entry["ending"])
                else:
                    self.trials.append(Trial.from_json(entry["trial"]))
                self._lines.append(text)
