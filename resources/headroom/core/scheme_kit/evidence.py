# SPDX-License-Identifier: Apache-2.0
"""The files of a failed cell: a text, the fewest packets that show the failure, and a job that repeats it."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from headroom.core import replay
from headroom.core.machine.build import engine_program
from headroom.core.matrix import ArtefactStore, Cell
from headroom.core.replay import ReplayConfig
from headroom.core.results.store import write_atomically
from headroom.core.text import spelled_out

PER_ROW = 8  # octets


@dataclass
class MinimisedFailure:
    """The fewest packets, or other `items`, that show a failure, and the place of their files."""

    packets: int
    capture: str
    job: str
    command: str
    evidence: str
    items: str = "packets"


def kept(
    cell: Cell, signature: str, reason: str, text: Sequence[str], small: MinimisedFailure | None, store: ArtefactStore
) -> dict[str, Any]:
    """Writes a text about a cell that did not pass into its folder. Returns the entries of its result."""
    row = cell.row
    axes = ", ".join(axis.title_of(row[axis.name]) for axis in row.scheme.axes)
    lines = [
        f"{row.compressor} to {row.decompressor}, {axes}, {cell.traffic.name}, {cell.link}",
        reason,
        *([f"signature: {signature}"] if signature != reason else []),
        f"repeat: {cell.command()}",
        "",
        *text,
    ]
    result: dict[str, Any] = {}
    if small is not None:
        lines += ["", f"The fewest {small.items} that show it: {small.packets}. {small.command}"]
        result["minimised"] = asdict(small)
    path = store.folder_of(cell) / "evidence.txt"
    path.write_text(spelled_out("\n".join(lines)) + "\n", encoding="utf-8")
    return {"evidence": store.name(path), **result}


def folder_and_job(folder: Path, job: dict[str, Any] | ReplayConfig) -> tuple[Path, Path]:
    """Makes the folder of a minimised failure below a cell's, and writes the engine's job, or that of a replay, into
    it.
    """
    job = replay.job(replace(job, records="all")) if isinstance(job, ReplayConfig) else job
    target = folder / "minimised"
    target.mkdir(exist_ok=True)
    path = target / "job.json"
    write_atomically(path, json.dumps(job, indent=1).encode() + b"\n")
    return target, path


def minimised(
    packets: int,
    capture: Path,
    job: Path,
    text: list[str],
    store: ArtefactStore,
    build: str,
    command: str = "",
    *,
    engine_command: str = "replay",
    items: str = "packets",
) -> MinimisedFailure:
    """Writes the text about a minimised failure beside its job for a command of the engine. `command` repeats it; by
    default the job does. `items` are its parts.
    """
    by_job = f"{shlex.quote(str(engine_program(build)))} {engine_command} --job {shlex.quote(str(job))}"
    path = job.with_name("evidence.txt")
    path.write_text(spelled_out("\n".join([*text, "", f"repeat: {by_job}"])) + "\n", encoding="utf-8")
    return MinimisedFailure(
        packets=packets,
        capture=store.name(capture) if capture.is_file() else "",
        job=store.name(job),
        command=command or by_job,
        evidence=store.name(path),
        items=items,
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
