# SPDX-License-Identifier: Apache-2.0
"""Rows of the interop matrix: one compressor, one decompressor, and the judge between them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from headroom.core import deviations, engine, implementations, requirements
from headroom.core.capabilities import Misbehaviour
from headroom.core.matrix import ArtefactStore, Cell, Result, Row, Traffic, not_declared, traffic_profiles
from headroom.core.replay import ReplayConfig
from headroom.core.results.record import Verdict
from headroom.core.scheme import CellTitles, Interop
from headroom.schemes.vj import line

FLOWS, PACKETS = 20, 600  # more connections than the smallest numbers of slots
TRAFFIC = (
    "tcp-bulk-data",
    "tcp-acknowledgements",
    "tcp-interactive",
    "tcp-options",
    "tcp-retransmissions",
    "tcp-urgent-and-window",
    "tcp-connections",
)


def channel(row: Row) -> dict[str, Any]:
    """The configuration of both sides."""
    return {"max_slot_id": int(row["max_slot_id"]), "slot_ids": row["slot_ids"]}


def unsupported(row: Row) -> str:
    return not_declared(row, max_slot_id=int(row["max_slot_id"]), slot_ids=[row["slot_ids"]])


def traffic_of(row: Row) -> Sequence[Traffic]:
    return traffic_profiles(row, TRAFFIC)


def run(cells: Sequence[Cell], store: ArtefactStore) -> list[Result]:
    """Results of the cells of a row, in their order."""
    return [_run(cell, store) for cell in cells]


def _run(cell: Cell, store: ArtefactStore) -> Result:
    row = cell.row
    capture = store.folder_of(cell) / "link.pcapng"
    config = ReplayConfig(
        row.scheme.name,
        implementations.find(row.compressor),
        None,
        cell.traffic.name,
        FLOWS,
        PACKETS,
        seed=row.seed,
        channel=channel(row),
        outputs={"link": capture},
        build=row.build,
    )
    try:
        link = line.compress(config)
        verdict, reason, figures = _judged(cell, link.sent)
    except (engine.EngineFailure, Misbehaviour) as failure:
        return cell.result(reason=str(failure), signature="harness")
    header = link.done.header_length.get("mean")
    result = cell.result(
        verdict=verdict,
        reason=reason,
        signature=reason if verdict in ("fail", "non-strict") else "",
        header_bytes=None if header is None else round(header, 3),
        packets=link.done.sent,
        **figures,
    )
    if Path(capture).is_file():
        result["capture"] = store.packed(capture)
    return result | deviations.settle(cell, result)


def _judged(cell: Cell, sent: Sequence[line.Sent]) -> tuple[Verdict, str, dict[str, Any]]:
    """The compressor by the rules of 3.2.3, then the decompressor by those of 3.2.4, over the link of the cell."""
    row, config = cell.row, channel(cell.row)
    findings, _ = line.judge_compressor(sent, config)
    seed = random.Random(f"{row.seed}/{cell.traffic.name}/{cell.link}").getrandbits(32)
    arrivals = line.across(sent, config, seed=seed, **cell.condition.words)
    wrong = line.decompress(implementations.find(row.decompressor), config, arrivals, row.build)
    figures = {"delivered": sum(one.restored is not None and not one.is_shifted for one in arrivals) - len(wrong)}
    if musts := [one for one in findings if requirements.level_of(one.requirement) == "must"]:
        return "fail", f"{row.compressor}: {musts[0].sentence} ({musts[0].requirement})", figures
    if wrong:
        return "fail", f"{row.decompressor}: {wrong[0].sentence} ({wrong[0].requirement})", figures
    if findings:
        return "non-strict", f"{row.compressor}: {findings[0].sentence} ({findings[0].requirement})", figures
    return "pass", "", figures


INTEROP = Interop(
    titles=CellTitles(
        sender="Compressor",
        traffic="Traffic",
        size="header_bytes",
        size_title="octets of header per packet",
        size_format=".2f",
        evidence="what the judge says",
        passed="The compressor keeps the rules of RFC 1144, and the decompressor does with what arrives what the judge "
        "does, packet by packet, behind losses and damaged frames, too.",
        what="each compressor with each decompressor: slots, slot identifiers, traffic and link conditions",
    ),
    unsupported=unsupported,
    traffic=traffic_of,
    traffic_names=lambda: TRAFFIC,
    run=run,
)
