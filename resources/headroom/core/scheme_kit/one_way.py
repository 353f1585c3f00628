# SPDX-License-Identifier: Apache-2.0
"""Cells of schemes that send one way and have a judge for each side: the compressor's link packets are judged, then
what the decompressor makes of those that arrive."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from headroom.core import deviations, engine, implementations, requirements
from headroom.core.capabilities import Misbehaviour
from headroom.core.contract import CellTitles, Interop
from headroom.core.errors import HeadroomError
from headroom.core.matrix import ArtefactStore, Cell, Result, Row, not_declared, traffic_profiles
from headroom.core.replay import Packets, Replay, ReplayConfig
from headroom.core.results.record import Verdict
from headroom.core.scheme_kit import cells, evidence
from headroom.core.scheme_kit.minimise import minimise
from headroom.core.scheme_kit.signature import plain


class Sent(Protocol):
    """A compressor's packets, as a scheme has them."""

    @property
    def done(self) -> Replay: ...


class Finding(Protocol):
    @property
    def requirement(self) -> str: ...
    @property
    def sentence(self) -> str: ...


@dataclass(frozen=True)
class Judged:
    """The judges' opinion of a cell: findings on the compressor; sentences about a broken MUST and about missed SHOULDs
    of the decompressor, "" where there are none; and the first packet that is wrong, as lines of text."""

    findings: Sequence[Finding]
    wrong: str
    milder: str = ""
    delivered: int = 0
    first: Sequence[str] = ()

    def verdict(self, row: Row) -> tuple[Verdict, str]:
        """The verdict on a cell of a row, and its reason."""
        musts = [one for one in self.findings if requirements.level_of(one.requirement) == "must"]
        if musts:
            return "fail", f"{row.compressor}: {musts[0].sentence} ({musts[0].requirement})"
        if self.wrong:
            return "fail", f"{row.decompressor}: {self.wrong}"
        if self.findings:
            return "non-strict", f"{row.compressor}: {self.findings[0].sentence} ({self.findings[0].requirement})"
        return ("non-strict", f"{row.decompressor}: {self.milder}") if self.milder else ("pass", "")


def chance_of(cell: Cell) -> random.Random:
    """The chance that decides what the link of a cell does: the same whenever the cell is repeated."""
    return random.Random(f"{cell.row.seed}/{cell.traffic.name}/{cell.link}")


S = TypeVar("S", bound=Sent)


@dataclass(frozen=True)
class OneWay(Generic[S]):
    """A scheme's cells: `traffic` are the profiles that they carry, `asked` what both sides must declare for a row.
    `send` runs a compressor alone, `judge` looks at its packets and at the decompressor over the link of the cell,
    `source` gives the packets that the compressor got, `header` the mean octets of a header."""

    traffic: tuple[str, ...]
    flows: int
    packets: int
    asked: Callable[[Row], dict[str, Any]]
    channel: Callable[[Row], dict[str, Any]]
    send: Callable[[ReplayConfig], S]
    judge: Callable[[Cell, S], Judged]
    source: Callable[[S], Packets]
    header: Callable[[S], float | None]

    def interop(self, titles: CellTitles) -> Interop:
        """The cells as the matrix has them."""
        return Interop(
            titles=titles,
            unsupported=lambda row: not_declared(row, **self.asked(row)),
            traffic=lambda row: traffic_profiles(row, self.traffic),
            traffic_names=lambda: self.traffic,
            run=self.run,
        )

    def run(self, row: Sequence[Cell], store: ArtefactStore) -> list[Result]:
        """Results of the cells of a row, in their order."""
        return cells.run_all(row, store, self._run)

    def _run(self, cell: Cell, store: ArtefactStore) -> Result:
        folder = store.folder_of(cell)
        trial = _Trial(self, cell, self._config(cell), folder, store)
        capture = folder / "link.pcapng"
        try:
            sent = self.send(replace(trial.config, outputs={"link": capture}))
            judged = self.judge(cell, sent)
        except (engine.EngineFailure, Misbehaviour) as failure:
            return cell.result(reason=str(failure), signature="harness")
        verdict, reason = judged.verdict(cell.row)
        header = self.header(sent)
        result = cell.result(
            verdict=verdict,
            reason=reason,
            signature=reason if verdict in ("fail", "non-strict") else "",
            header_bytes=None if header is None else round(header, 3),
            packets=sent.done.sent,
            delivered=judged.delivered,
        )
        if verdict == "fail":
            result |= trial.evidence(sent, judged)
        if capture.is_file():
            result["capture"] = store.packed(capture)
        return result | deviations.settle(cell, result)

    def _config(self, cell: Cell) -> ReplayConfig:
        row = cell.row
        return ReplayConfig(
            row.scheme.name,
            implementations.find(row.compressor),
            None,
            cell.traffic.name,
            self.flows,
            self.packets,
            seed=row.seed,
            channel=self.channel(row),
            build=row.build,
        )


@dataclass
class _Trial(Generic[S]):
    """A cell that failed, tried again with fewer packets."""

    scheme: OneWay[S]
    cell: Cell
    config: ReplayConfig
    folder: Path
    store: ArtefactStore

    def evidence(self, sent: S, judged: Judged) -> dict[str, Any]:
        """Writes the text about the cell; returns the entries of its result."""
        row, (_, reason) = self.cell.row, judged.verdict(self.cell.row)
        key = (plain(reason), row.compressor, row.decompressor, *row.axes.values())
        small = self.store.once(key, lambda: self._smallest(sent, plain(reason)))
        text = [
            f"{row.compressor} to {row.decompressor}, {', '.join(row.axes.values())}, {self.cell.traffic.name}, "
            f"{self.cell.link}",
            reason,
            f"repeat: {self.cell.command()}",
            "",
            *judged.first,
        ]
        return evidence.kept(self.folder, self.store, text, small)

    def _smallest(self, sent: S, signature: str) -> evidence.MinimisedFailure | None:
        """The fewest packets with the same signature; None where not even all of them show it as literal packets."""
        items = list(self.scheme.source(sent))
        if self._signature(items) != signature:
            return None
        left = minimise(items, lambda chosen: self._signature(chosen) == signature)
        return self._write(left)

    def _judged(self, packets: Packets, outputs: dict[str, Path]) -> Judged:
        sent = self.scheme.send(replace(self.config, source=packets, outputs=outputs))
        return self.scheme.judge(self.cell, sent)

    def _signature(self, packets: Packets) -> str:
        try:
            return plain(self._judged(packets, {}).verdict(self.cell.row)[1])
        except HeadroomError:
            return ""

    def _write(self, packets: Packets) -> evidence.MinimisedFailure:
        row = self.cell.row
        config = replace(self.config, source=packets, decompressor=implementations.find(row.decompressor))
        made, job = evidence.folder_and_job(self.folder, config)
        outputs = {name: made / f"{name}.pcapng" for name in ("source", "link")}
        judged = self._judged(packets, outputs)
        text = [f"{len(packets)} packets", judged.verdict(row)[1], "", *judged.first]
        # The job's link does no harm: what a link did, only the cell itself repeats.
        command = "" if self.cell.condition.harmless else self.cell.command()
        return evidence.minimised(len(packets), outputs["source"], job, text, self.store, row.build, command)
