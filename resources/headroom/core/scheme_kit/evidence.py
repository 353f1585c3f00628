# SPDX-License-Identifier: Apache-2.0
"""The files that a failed cell leaves: a text, the fewest packets that show the failure, and a job that repeats it."""

import json
import shlex
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from headroom.core import replay
from headroom.core.machine.build import engine_program
from headroom.core.matrix import ArtefactStore
from headroom.core.replay import ReplayConfig
from headroom.core.results.store import write_atomically

PER_ROW = 8  # octets


@dataclass
class MinimisedFailure:
    """The fewest packets that show a failure, and where they are."""

    packets: int
    capture: str
    job: str
    command: str
    evidence: str


def kept(folder: Path, store: ArtefactStore, text: list[str], small: MinimisedFailure | None) -> dict[str, Any]:
    """Writes what a reader needs into a cell's folder; returns the entries of its result."""
    path = folder / "evidence.txt"
    if small is not None:
        text += ["", f"The fewest packets that show it: {small.packets}. {small.command}"]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    result: dict[str, Any] = {"evidence": store.name(path)}
    if (folder / "link.pcapng").is_file():
        result["capture"] = store.name(folder / "link.pcapng")
    if small is not None:
        result["minimised"] = asdict(small)
    return result


def folder_and_job(folder: Path, config: ReplayConfig) -> tuple[Path, Path]:
    """Makes the folder of a minimised failure below a cell's, and writes the engine's job into it."""
    made = folder / "minimised"
    made.mkdir(exist_ok=True)
    job = made / "job.json"
    write_atomically(job, json.dumps(replay.job(replace(config, records="all")), indent=1).encode() + b"\n")
    return made, job


def minimised(
    packets: int, capture: Path, job: Path, text: list[str], store: ArtefactStore, build: str, command: str = ""
) -> MinimisedFailure:
    """Writes the text about a minimised failure beside its job. `command` repeats it; by default the job does."""
    by_job = f"{shlex.quote(str(engine_program(build)))} replay --job {shlex.quote(str(job))}"
    path = job.with_name("evidence.txt")
    path.write_text("\n".join([*text, "", f"repeat: {by_job}"]) + "\n", encoding="utf-8")
    return MinimisedFailure(
        packets=packets,
        capture=store.name(capture) if capture.is_file() else "",
        job=store.name(job),
        command=command or by_job,
        evidence=store.name(path),
    )


def side_by_side(left: str, a: bytes, right: str, b: bytes | None) -> list[str]:
    """Two packets in hexadecimal, row by row; a star marks the octets that differ."""
    if b is None:
        return [f"{left}: {a.hex()}", f"{right}: nothing"]
    width = 3 * PER_ROW + PER_ROW
    lines = [f"octet  {left:<{width}}{right}"]
    for at in range(0, max(len(a), len(b)), PER_ROW):
        lines.append(f"{at:5d}  {_row(a, b, at):<{width}}{_row(b, a, at)}".rstrip())
    return lines


def _row(mine: bytes, other: bytes, at: int) -> str:
    return " ".join(
        f"{mine[n]:02x}{'*' if n >= len(other) or mine[n] != other[n] else ' '}"
        for n in range(at, min(at + PER_ROW, len(mine)))
    )
