# SPDX-License-Identifier: Apache-2.0
"""The interop matrix: compressor, decompressor, axes of the scheme, traffic and link condition.

A row has one value of each axis. It is one case of a suite, and its cells run together. Differences between schemes are
data and functions of `core.contract.Scheme`.
"""

import gzip
import hashlib
import itertools
import os
import re
import shlex
import shutil
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypedDict, TypeVar, Unpack, cast

from headroom.core import implementations, profiles
from headroom.core.contract import LinkCondition, Scheme
from headroom.core.errors import UsageError
from headroom.core.options import flag
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.results.record import Verdict, worst
from headroom.core.scheme_registry import in_matrix

T = TypeVar("T")
MOST_OF_A_NAME = 160  # characters


class Result(TypedDict, total=False):
    """The result of a cell, as records have it (result.schema.json), without the values of its axes, whose keys belong
    to the scheme.
    """

    scheme: str
    compressor: str
    decompressor: str
    traffic: str
    link: str
    verdict: Verdict
    reason: str
    signature: str
    header_bytes: float | None
    message_bytes: float | None
    ns_per_packet: Mapping[str, float] | None
    packets: int | None
    delivered: int | None
    lost: int
    first: int
    capture: str
    evidence: str
    minimised: Mapping[str, object]
    command: str


@dataclass(frozen=True)
class Traffic:
    """The traffic of a cell. `word` names it after --traffic if its name does not; `links` restricts its links, unless
    empty.
    """

    name: str
    word: str = field(default="", kw_only=True)
    links: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def source(self) -> str:
        return self.word or self.name


@dataclass(frozen=True)
class Row:
    """Two implementations with one value of each axis. Without traffic or links, a row has all there are."""

    scheme: Scheme
    compressor: str
    decompressor: str
    axes: Mapping[str, str]
    traffic: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    seed: int = 1
    build: str = DEFAULT_BUILD

    def __getitem__(self, axis: str) -> str:
        return self.axes[axis]

    @property
    def sides(self) -> tuple[tuple[str, implementations.Role, str], ...]:
        """Each implementation with its role and its peer."""
        return (
            (self.compressor, "compressor", self.decompressor),
            (self.decompressor, "decompressor", self.compressor),
        )

    def declared(self, name: str) -> dict[str, Any]:
        """The capabilities that one of the two declares for the scheme."""
        return implementations.find(name).declared(self.scheme.name)

    def command(self) -> str:
        """The command that repeats the row, in the repository's root."""
        chosen = {
            "scheme": self.scheme.name,
            "compressors": self.compressor,
            "decompressors": self.decompressor,
            **{axis.option: self.axes[axis.name] for axis in self.scheme.axes},
            "traffic": ",".join(self.traffic),
            "links": ",".join(self.links),
            "build": self.build if self.build != DEFAULT_BUILD else "",
        }
        options = [word for name, value in chosen.items() if value for word in (flag(name), value)]
        return shlex.join(["./headroom", "interop", *options, "--seed", str(self.seed)])


@dataclass(frozen=True)
class Cell:
    """A row with one traffic over one link condition."""

    row: Row
    traffic: Traffic
    link: str

    @property
    def condition(self) -> LinkCondition:
        return self.row.scheme.link(self.link)

    def words(self) -> dict[str, str]:
        """The cell without its result, in the terms of `interop --json`."""
        row = self.row
        return {
            "scheme": row.scheme.name,
            "compressor": row.compressor,
            "decompressor": row.decompressor,
            **row.axes,
            "traffic": self.traffic.name,
            "link": self.link,
        }

    def command(self) -> str:
        """The command that repeats this cell alone."""
        return replace(self.row, traffic=(self.traffic.source,), links=(self.link,)).command()

    def result(self, **known: Unpack[Result]) -> Result:
        """The result of the cell: an error, unless `known` has entries of it."""
        unknown: Result = {
            "verdict": "error",
            "reason": "",
            "signature": "",
            "header_bytes": None,
            "ns_per_packet": None,
            "packets": None,
            "delivered": None,
            "command": self.command(),
        }
        return cast("Result", {**self.words(), **unknown, **known})


@dataclass
class ArtefactStore:
    """The files of a run's cells, and the values that its cells share: made once for each key."""

    folder: Path
    known: dict[tuple[str, ...], Future[object]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def once(self, key: tuple[str, ...], make: Callable[[], T]) -> T:
        """The result of `make`, which only the first cell with this key calls."""
        with self.lock:
            future = self.known.get(key)
            if mine := future is None:
                future = self.known[key] = Future()
        assert future is not None
        if mine:
            try:
                future.set_result(make())
            except BaseException as error:
                future.set_exception(error)
                raise
        return cast("T", future.result())

    def folder_of(self, cell: Cell) -> Path:
        """The folder of a cell's files; creates it."""
        folder = self.folder / "artefacts" / "interop" / slug(cell)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def name(self, path: Path) -> str:
        """The name of a file in results: relative to the run."""
        return str(path.resolve().relative_to(self.folder.resolve()))

    def packed(self, capture: Path) -> str:
        """Compresses a capture, which Wireshark and tshark can read, and returns its name."""
        packed = capture.with_name(f"{capture.name}.gz")
        # An adapter may have made it larger than our memory.
        with (
            capture.open("rb") as whole,
            packed.open("wb") as file,
            gzip.GzipFile("", "wb", 1, file, mtime=0) as into,
        ):
            shutil.copyfileobj(whole, into)
        capture.unlink()
        return self.name(packed)


def slug(cell: Cell) -> str:
    """The path of a cell's files, below artefacts/interop."""
    row, carried = cell.row, cell.traffic.name
    if cell.traffic.word:  # two captures may have one name
        carried += f"-{_digits(cell.traffic.word)}"
    pair = f"{row.compressor}-to-{row.decompressor}"
    if "/" in pair:  # a/b and a-b become one name
        pair += f"-{_digits(pair)}"
    names = [
        row.scheme.name,
        _short(pair),
        "-".join(row.axes.values()),
        f"{_short(carried)}--{cell.link}",
    ]
    # A name may be a path, and must not lead out of the run's folder.
    return "/".join(re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-") for name in names)


def _short(name: str) -> str:
    """A name for a part of a path, which has 255 octets at most."""
    return name if len(name) <= MOST_OF_A_NAME else f"{name[:MOST_OF_A_NAME]}-{_digits(name)}"


def _digits(word: str) -> str:
    return hashlib.sha256(word.encode()).hexdigest()[:8]


def candidates(scheme: Scheme, warn: implementations.Warn | None = None) -> list[str]:
    """The implementations that declare a scheme, usable here or not. `warn` gets sentences on invalid declarations."""
    valid = implementations.all_valid(warn=warn)
    return [implementation.name for implementation in valid if implementation.declared(scheme.name)]


# ---- rows and cells


def row_axes(scheme: Scheme, words: Mapping[str, str]) -> dict[str, str]:
    """A value of each axis, from `words` or else the first. Raises UsageError if one is unknown, or does not go with
    the others.
    """
    axes = {axis.name: axis.find(words[axis.name]) if axis.name in words else axis.names[0] for axis in scheme.axes}
    if not _is_combination(scheme, axes):
        raise UsageError(f"The matrix has no cells with {', '.join(f'{name} {word}' for name, word in axes.items())}.")
    return axes


def _is_combination(scheme: Scheme, axes: Mapping[str, str]) -> bool:
    chosen = (next(value for value in axis.values if value.name == axes[axis.name]) for axis in scheme.axes)
    return all(value.can_go_with(axes) for value in chosen)


class RowOptions(TypedDict, total=False):
    """Options that rows may share."""

    traffic: tuple[str, ...]
    links: tuple[str, ...]
    seed: int
    build: str


def rows(
    scheme: Scheme,
    compressors: Iterable[str],
    decompressors: Iterable[str],
    chosen: Mapping[str, Collection[str]] | None = None,
    **more: Unpack[RowOptions],
) -> Iterator[Row]:
    """Every row, pair by pair. `chosen` has values of axes by their options, all if it has none; `more` holds the
    common options.
    """
    values = [
        [name for name in axis.names if not (chosen or {}).get(axis.option) or name in chosen[axis.option]]  # type: ignore[index]
        for axis in scheme.axes
    ]
    for compressor, decompressor in itertools.product(compressors, list(decompressors)):
        for combination in itertools.product(*values):
            axes = dict(zip((axis.name for axis in scheme.axes), combination, strict=True))
            if _is_combination(scheme, axes):
                yield Row(scheme, compressor, decompressor, axes, **more)


def cells(row: Row) -> list[Cell]:
    """The cells of a row, by traffic and then link."""
    conditions = [
        link.name
        for link in row.scheme.links
        if link.can_go_with(row.axes) and (not row.links or link.name in row.links)
    ]
    return [
        Cell(row, carried, link)
        for carried in row.scheme.cells().traffic(row)
        for link in conditions
        if not carried.links or link in carried.links
    ]


def not_declared(row: Row, **needs: int | Sequence[str]) -> str:
    """The reason why an implementation of a row cannot run it, as a sentence; "" if each implementation declares
    `needs` and is usable.
    """
    for name, role, _ in row.sides:
        implementation = implementations.find(name)
        if reason := implementation.lacks(role, row.scheme.name, **needs) or implementation.unusable(row.build):
            return f"{reason}."
    return ""


def traffic_profiles(row: Row, names: Iterable[str]) -> list[Traffic]:
    """The existing ones of some traffic profiles, limited to those that the row names, if any."""
    known = set(profiles.names())
    return [Traffic(name) for name in names if name in known and (not row.traffic or name in row.traffic)]


def workers() -> int:
    """The number of engines at once: the cores that this process may use."""
    return max(1, len(os.sched_getaffinity(0)))


def run(row: Row, store: ArtefactStore) -> list[Result]:
    """The results of all cells of a row, in the order of the matrix."""
    rows, interop = cells(row), row.scheme.cells()
    if reason := interop.unsupported(row):
        return [cell.result(verdict="unsupported", reason=reason) for cell in rows]
    return interop.run(rows, store) if rows else []


def verdict(results: Sequence[Result]) -> tuple[Verdict, str]:
    """The verdict on a row, which is that of its worst cell, and the reason."""
    outcome = worst([result["verdict"] for result in results])
    bad = [result for result in results if result["verdict"] == outcome]
    if outcome == "pass" or not bad:
        return outcome, "" if bad else "There is no traffic for it."
    first = bad[0]
    more = f" ({len(bad)} of {len(results)} cells)" if len(bad) > 1 and outcome != "unsupported" else ""
    where = f"{first['traffic']}, {first['link']}: " if outcome != "unsupported" else ""
    return outcome, f"{where}{first['reason']}{more}"


def scheme_of_result(result: Mapping[str, object]) -> Scheme:
    """The scheme of a cell in a record. A cell that does not name its scheme has all axes of it. Raises UsageError if
    the cell was written by another version.
    """
    for scheme in in_matrix().values():
        if result.get("scheme", scheme.name) == scheme.name and all(axis.name in result for axis in scheme.axes):
            return scheme
    lacking = "its scheme's axes" if result.get("scheme") in in_matrix() else "a scheme of the matrix"
    raise UsageError(
        f"A cell of {result.get('compressor')} with {result.get('decompressor')} lacks {lacking}: another version of "
        "Headroom made it. Repeat the run, or make its report with that version."
    )
