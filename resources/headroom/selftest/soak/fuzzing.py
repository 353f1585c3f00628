# SPDX-License-Identifier: Apache-2.0
"""Turns of fuzz targets. Their corpora are kept in out/soak/corpus, and minimised when they have grown."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from headroom.core.paths import shown
from headroom.selftest.fuzz_targets import FuzzTarget
from headroom.selftest.soak.tally import Finding, Tally

GROWTH, LEAST = 2, 64  # a corpus is minimised when it has grown by both this factor and this number of files
MERGE_S = 120


@dataclass
class Fuzzing:
    """A stage of fuzz targets. `options` are more options of libFuzzer: its accounts of how rare each feature is
    (-entropic) take longer than calls of the ABI do.
    """

    name: str
    share: float
    targets: Sequence[FuzzTarget]
    options: Sequence[str] = ()

    def parts(self) -> list[str]:
        return [target.name for target in self.targets]

    def run(self, part: str, seconds: float, tally: Tally) -> None:
        target = next(target for target in self.targets if target.name == part)
        corpus, crashes, log = (tally.folder / name for name in (f"corpus/{part}", "crashes", f"logs/{part}.log"))
        for folder in (corpus, crashes, log.parent):
            folder.mkdir(parents=True, exist_ok=True)
        _restore(corpus)
        row = tally.row(self.name, part)
        command = target.words(corpus, seconds, f"{crashes}/{part}-")
        command[1:1] = [*self.options, "-print_final_stats=1", f"-seed={tally.seed + tally.turns}"]
        status = _logged(command, log)
        output = log.read_text(encoding="utf-8", errors="replace")
        row.executions += _number(r"stat::number_of_executed_units: +(\d+)", output)
        row.calls += _number(r"calls of the ABI: (\d+)", output)
        if status != 0:
            row.crashes += 1
            tally.note(_finding(self.name, target, status, output, log))
        is_due = len(os.listdir(corpus)) >= max(GROWTH * row.minimised, row.minimised + LEAST)
        if is_due and _minimise(target, corpus, log):
            row.minimised = len(os.listdir(corpus))
        row.corpus = len(os.listdir(corpus))


def _logged(words: Sequence[str], log: Path) -> int:
    """Runs a program with its output in a log. Returns its exit status."""
    with log.open("wb") as file:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
        try:
            return process.wait()
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait()


def _number(pattern: str, text: str) -> int:
    return sum(int(number) for number in re.findall(pattern, text))


def _finding(stage: str, target: FuzzTarget, status: int, output: str, log: Path) -> Finding:
    summary = re.search(r"^(?:SUMMARY: |==\d+== ?ERROR: )(.*)", output, re.MULTILINE)
    written = re.findall(r"Test unit written to (\S+)", output)
    sentence = summary[1] if summary else f"It ended with status {status}; its log is {shown(log)}."
    if not written:
        return Finding(stage, target.name, sentence)
    path = shown(Path(written[-1]))
    return Finding(stage, target.name, sentence, path, f"{shown(target.program)} {path}")


def _restore(corpus: Path) -> None:
    """Restores a corpus whose minimising was interrupted."""
    old = corpus.with_name(f"{corpus.name}.old")
    if old.is_dir():
        shutil.rmtree(corpus, ignore_errors=True)
        old.rename(corpus)


def _minimise(target: FuzzTarget, corpus: Path, log: Path) -> bool:
    """Leaves out files that reach nothing new. Returns True if it could."""
    smaller, old = (corpus.with_name(f"{corpus.name}.{suffix}") for suffix in ("new", "old"))
    shutil.rmtree(smaller, ignore_errors=True)
    smaller.mkdir()
    command = [str(target.program), "-merge=1", f"-max_total_time={MERGE_S}", str(smaller), str(corpus)]
    if _logged(command, log.with_suffix(".merge.log")) != 0 or not any(smaller.iterdir()):
        return False
    corpus.rename(old)
    smaller.rename(corpus)
    shutil.rmtree(old)
    return True
