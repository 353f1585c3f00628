# SPDX-License-Identifier: Apache-2.0
"""Cells of schemes that send one way and have a judge for each side: first the compressor's link packets are judged,
then the decompressor's output for those that arrive.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from headroom.core import implementations
from headroom.core.contract import CellTitles, Interop
from headroom.core.finding import Finding
from headroom.core.matrix import ArtefactStore, Cell, Result, Row, not_declared, traffic_profiles
from headroom.core.replay import Packets, Replay, ReplayConfig
from headroom.core.results.record import Verdict
from headroom.core.scheme_kit import evidence
from headroom.core.scheme_kit.cells import Runner, Trial, fewest, link_of
from headroom.core.scheme_kit.signature import plain


class Sent(Protocol):
    """A compressor's output; each scheme has a type of its own."""

    @property
    def done(self) -> Replay: ...
    @property
    def refused(self) -> Sequence[bytes]: ...


@dataclass(frozen=True)
class Judged:
    """The judges' result for a cell: findings on the compressor; sentences about a broken MUST and about missed SHOULDs
    of the decompressor, "" if there are none; and the first wrong packet, as lines of text. `lacking` is a sentence
    about packets that the compressor put on the link in no form from which the judge restores them, "" if there are
    none: a decompressor is not to blame for these.
    """

    findings: Sequence[Finding]
    wrong: str
    milder: str = ""
    delivered: int = 0
    first: Sequence[str] = ()
    lacking: str = ""

    def verdict(self, row: Row) -> tuple[Verdict, str]:
        """The verdict on a cell of a row, and its reason."""
        musts = [finding for finding in self.findings if finding.severity == "must"]
        if musts:
            return "fail", f"{row.compressor}: {musts[0].sentence} ({musts[0].requirement})"
        if self.lacking:
            return "fail", f"{row.compressor}: {self.lacking}"
        if self.wrong:
            return "fail", f"{row.decompressor}: {self.wrong}"
        if self.findings:
            return "non-strict", f"{row.compressor}: {self.findings[0].sentence} ({self.findings[0].requirement})"
        return ("non-strict", f"{row.decompressor}: {self.milder}") if self.milder else ("pass", "")


def chance_of(cell: Cell) -> random.Random:
    """The random numbers that decide what the link of a cell does: the same whenever the cell is repeated."""
    return random.Random(f"{cell.row.seed}/{cell.traffic.name}/{cell.link}")


S = TypeVar("S", bound=Sent)


@dataclass(frozen=True)
class OneWay(Generic[S]):
    """A scheme's cells. `traffic` has the flows of each of their profiles, `asked` gives the capabilities that both
    sides must declare for a row. `send` runs a compressor alone, `judge` judges its packets and the decompressor over
    the link of the cell, `source` gives the packets that the compressor got, `header` the mean octets of a header.
    """

    traffic: Mapping[str, int]
    packets: int
    asked: Callable[[Row], dict[str, Any]]
    channel: Callable[[Row], dict[str, Any]]
    send: Callable[[ReplayConfig], S]
    judge: Callable[[Cell, S], Judged]
    source: Callable[[S], Packets]
    header: Callable[[S], float | None]

    def interop(self, titles: CellTitles) -> Interop:
        """The cells in the form of the matrix."""
        return Interop(
            titles=titles,
            unsupported=lambda row: not_declared(row, **self.asked(row)),
            traffic=lambda row: traffic_profiles(row, self.traffic),
            traffic_names=lambda: tuple(self.traffic),
            run=self.run,
        )

    def run(self, row: Sequence[Cell], store: ArtefactStore) -> list[Result]:
        """The results of the cells of a row, in their order."""
        return Runner(lambda cells, store: [self._trial(cell, store) for cell in cells]).run(row, store)

    def _trial(self, cell: Cell, store: ArtefactStore) -> Trial:
        config = self._config(cell)
        sent = self.send(replace(config, outputs={"link": link_of(cell, store)}))
        judged = self._judged(cell, sent)
        verdict, reason = judged.verdict(cell.row)
        header = self.header(sent)
        figures = {
            "header_bytes": None if header is None else round(header, 3),
            "packets": sent.done.sent,
            "delivered": judged.delivered,
        }
        if verdict != "fail":
            return Trial(verdict, reason, reason, figures)
        return Trial(
            verdict,
            reason,
            reason,
            figures,
            text=lambda: judged.first,
            smallest=lambda: self._smallest(cell, config, sent, plain(reason), store),
            key=plain(reason),
        )

    def _judged(self, cell: Cell, sent: S) -> Judged:
        judged = self.judge(cell, sent)
        if not sent.refused:
            return judged
        return replace(judged, lacking=f"{len(sent.refused)} of {sent.done.sent} packets are not on the link")

    def _config(self, cell: Cell) -> ReplayConfig:
        row = cell.row
        return ReplayConfig(
            row.scheme.name,
            implementations.find(row.compressor),
            None,
            cell.traffic.name,
            self.traffic[cell.traffic.name],
            self.packets,
            seed=row.seed,
            channel=self.channel(row),
            build=row.build,
        )

    def _smallest(
        self, cell: Cell, config: ReplayConfig, sent: S, signature: str, store: ArtefactStore
    ) -> evidence.MinimisedFailure | None:
        """The fewest packets with the same signature, in the cell's folder; None if not even all of them show it as
        literal packets.
        """

        def judged(packets: Packets, **outputs: Path) -> Judged:
            return self._judged(cell, self.send(replace(config, source=packets, outputs=outputs)))

        left = fewest(self.source(sent), lambda packets: plain(judged(packets).verdict(cell.row)[1]), signature)
        if left is None:
            return None
        both = replace(config, source=left, decompressor=implementations.find(cell.row.decompressor))
        target, job = evidence.folder_and_job(store.folder_of(cell), both)
        outputs = {name: target / f"{name}.pcapng" for name in ("source", "link")}
        again = judged(left, **outputs)
        text = [f"{len(left)} packets", again.verdict(cell.row)[1], "", *again.first]
        # The job's link is harmless: only the cell itself repeats what its link did.
        command = "" if cell.condition.harmless else cell.command()
        return evidence.minimised(len(left), outputs["source"], job, text, store, config.build, command)
