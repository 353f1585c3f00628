# SPDX-License-Identifier: Apache-2.0
"""Fuzz targets (libFuzzer): the programs of the build `fuzz`, each with the folder of its seeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from headroom.core.machine import build

PRESET = "fuzz"
LIMITS = ("-timeout=20", "-rss_limit_mb=4096")


@dataclass(frozen=True)
class FuzzTarget:
    """A program, and the folder of its seeds."""

    program: Path
    seeds: Path

    @property
    def name(self) -> str:
        return self.program.name.removesuffix("_fuzz")

    def words(self, corpus: Path, seconds: float, artefacts: str) -> list[str]:
        """The command that runs it for a while, and adds new inputs to `corpus`. The names of inputs that break it
        begin with `artefacts`.
        """
        limits = [f"-max_total_time={max(1, round(seconds))}", *LIMITS, f"-artifact_prefix={artefacts}"]
        return [str(self.program), *limits, str(corpus), str(self.seeds)]


def built(say: Callable[[str], None] | None = None) -> list[FuzzTarget]:
    """Builds all targets, and returns them by name. Raises EnvironmentLacks if they cannot be built."""
    folder = build.ensure(PRESET, say=say)
    seeds = {path.name: Path(path.read_text(encoding="utf-8")) for path in (folder / "seeds").iterdir()}
    programs = {name: folder / "bin" / name for name in sorted(seeds)}
    return [FuzzTarget(program, seeds[name]) for name, program in programs.items() if program.is_file()]
