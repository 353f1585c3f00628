# SPDX-License-Identifier: Apache-2.0
"""Rows of the interop matrix: one encapsulator, one receiver, and the judges of both."""

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
from headroom.schemes.ule import comparison, damage, line
from headroom.schemes.ule.axes import BRIDGED
from headroom.schemes.ule.judge import encapsulator
from headroom.schemes.ule.vectors import FIRST_PID, Arrival

FLOWS, PACKETS = 10, 300
TRAFFIC = ("voip-amr-nb-ipv4", "voip-g711-ipv6", "udp-dns-like-ipv4", "tcp-bulk-data", "rtp-video")


def channel(row: Row) -> dict[str, Any]:
    """The configuration of both sides."""
    return {
        "first_pid": FIRST_PID,
        "packing": row["packing"],
        "address": row["address"],
        "bridged": row["carriage"] == BRIDGED,
    }


def unsupported(row: Row) -> str:
    return not_declared(row, **{name: [row[name]] for name in ("packing", "address", "carriage")})


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
        build=row.build,
    )
    try:
        sent = line.encapsulate(config, capture)
        verdict, reason, figures = _judged(cell, sent)
    except (engine.EngineFailure, Misbehaviour) as failure:
        return cell.result(reason=str(failure), signature="harness")
    octets = sum(len(packet) for _, packet in sent.packets)
    result = cell.result(
        verdict=verdict,
        reason=reason,
        signature=reason if verdict in ("fail", "non-strict") else "",
        header_bytes=round((octets - sum(len(one.octets) for one in sent.pdus)) / max(1, len(sent.pdus)), 3),
        packets=sent.done.sent,
        **figures,
    )
    if Path(capture).is_file():
        result["capture"] = store.packed(capture)
    return result | deviations.settle(cell, result)


def _judged(cell: Cell, sent: line.Encapsulated) -> tuple[Verdict, str, dict[str, Any]]:
    """The encapsulator by the rules of 3 to 6, then the receiver by those of 7, over the link of the cell."""
    row, config = cell.row, channel(cell.row)
    findings = encapsulator.judge(line.setting_of(config), sent.pdus, sent.packets).findings
    chance = random.Random(f"{row.seed}/{cell.traffic.name}/{cell.link}")
    arrivals = damage.across([octets for _, octets in sent.packets], damage.Damage(**cell.condition.words), chance)
    found = comparison.compare(
        implementations.find(row.decompressor), [Arrival(octets) for octets in arrivals], config, row.build
    )
    figures = {"delivered": len(found.units)}
    pdus = [one.octets for one in sent.pdus]
    if musts := [one for one in findings if requirements.level_of(one.requirement) == "must"]:
        return "fail", f"{row.compressor}: {musts[0].sentence} ({musts[0].requirement})", figures
    if found.wrong:
        return "fail", f"{row.decompressor}: {found.wrong}", figures
    if cell.condition.harmless and list(found.units) != pdus:
        return "fail", f"{row.decompressor}: {len(found.units)} of {len(pdus)} PDUs come out, or not as sent", figures
    if strange := set(found.units) - set(pdus):
        return "fail", f"{row.decompressor}: {len(strange)} units come out that no PDU was; a CRC missed them", figures
    if findings:
        return "non-strict", f"{row.compressor}: {findings[0].sentence} ({findings[0].requirement})", figures
    if found.milder:
        return "non-strict", f"{row.decompressor}: {found.milder}", figures
    return "pass", "", figures


INTEROP = Interop(
    titles=CellTitles(
        sender="Encapsulator",
        traffic="Traffic",
        size="header_bytes",
        size_title="octets on the link per PDU, beyond its own",
        size_format=".2f",
        evidence="what the judges say",
        passed="The encapsulator keeps the rules of RFC 4326, 3 to 6, and the receiver delivers and counts what the "
        "judge's receiver does, behind TS packets that are lost, doubled and damaged, too.",
        what="each encapsulator with each receiver: packing, addresses, bridged frames, traffic and link conditions",
    ),
    unsupported=unsupported,
    traffic=traffic_of,
    traffic_names=lambda: TRAFFIC,
    run=run,
)
