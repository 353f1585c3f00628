# SPDX-License-Identifier: Apache-2.0
"""Rows of the interop matrix: one compressor, one decompressor, and the judge between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headroom.core import implementations
from headroom.core.contract import CellTitles
from headroom.core.matrix import Cell, Row
from headroom.core.scheme_kit.evidence import side_by_side
from headroom.core.scheme_kit.one_way import Judged, OneWay, chance_of
from headroom.schemes.vj import line
from headroom.schemes.vj.judge.compressor import Finding

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


def judge(cell: Cell, link: line.Compressed) -> Judged:
    """The compressor by the rules of 3.2.3, then the decompressor by those of 3.2.4, over the link of the cell."""
    row, config = cell.row, channel(cell.row)
    findings, _ = line.judge_compressor(link.sent, config)
    seed = chance_of(cell).getrandbits(32)
    arrivals = line.across(link.sent, config, seed=seed, **cell.condition.words)
    wrong = line.decompress(implementations.find(row.decompressor), config, arrivals, row.build)
    return Judged(
        findings,
        f"{wrong[0].sentence} ({wrong[0].requirement})" if wrong else "",
        delivered=sum(one.restored is not None and not one.is_shifted for one in arrivals) - len(wrong),
        first=_shown([*findings, *wrong], link.sent, arrivals),
    )


def _shown(
    found: Sequence[Finding | line.Wrong], sent: Sequence[line.Sent], arrivals: Sequence[line.Arrival]
) -> list[str]:
    """The packet of the first finding: as it went in and is on the link, or as it had to come out and did."""
    if not found or found[0].packet is None:
        return []
    number = found[0].packet
    if isinstance(found[0], line.Wrong):
        return side_by_side("must come out", arrivals[number].restored or b"", "came out", found[0].output)
    return side_by_side("went in", sent[number].source, "on the link", sent[number].link)


CELLS = OneWay(
    TRAFFIC,
    FLOWS,
    PACKETS,
    lambda row: {"max_slot_id": int(row["max_slot_id"]), "slot_ids": [row["slot_ids"]]},
    channel,
    line.compress,
    judge,
    source=lambda link: [
        {"time_ns": one.time_ns, "channel": one.channel, "hex": one.source.hex()} for one in link.sent
    ],
    header=lambda link: link.done.header_length.get("mean"),
)
INTEROP = CELLS.interop(
    CellTitles(
        sender="Compressor",
        traffic="Traffic",
        size="header_bytes",
        size_title="octets of header per packet",
        size_format=".2f",
        evidence="what the judge says",
        passed="The compressor keeps the rules of RFC 1144, and the decompressor does with what arrives what the judge "
        "does, packet by packet, behind losses and damaged frames, too.",
        what="each compressor with each decompressor: slots, slot identifiers, traffic and link conditions",
    )
)
