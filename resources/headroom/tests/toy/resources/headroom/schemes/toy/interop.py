# SPDX-License-Identifier: Apache-2.0
"""Rows of the interop matrix."""

from __future__ import annotations

from headroom.schemes.toy.judge import judge_compressor
from headroom.schemes.toy.line import Compressed, compress, decompress

from headroom.core import implementations
from headroom.core.contract import CellTitles
from headroom.core.matrix import Cell
from headroom.core.scheme_kit.one_way import Judged, OneWay, chance_of


def _judge(cell: Cell, link: Compressed) -> Judged:
    row = cell.row
    lost = float(cell.condition.words.get("lost", 0.0))
    seed = chance_of(cell).getrandbits(32)
    found = implementations.find(row.decompressor)
    wrong, delivered = decompress(found, link.packets, int(row["sessions"]), row.build, lost, seed)
    sentence = f"{wrong[0].sentence} ({wrong[0].requirement})" if wrong else ""
    return Judged(judge_compressor(link.packets), sentence, delivered=delivered)


INTEROP = OneWay(
    ("udp-60", "voip-amr-nb-ipv6"),
    4,
    100,
    lambda row: {"sessions": int(row["sessions"])},
    lambda row: {"sessions": int(row["sessions"])},
    compress,
    _judge,
    source=lambda link: [{"time_ns": n, "channel": 0, "hex": one.hex()} for n, (one, _) in enumerate(link.packets)],
    header=lambda link: None,
).interop(
    CellTitles(
        sender="Compressor",
        traffic="Traffic",
        size="header_bytes",
        size_title="octets of header",
        size_format=".2f",
        evidence="what the judge says",
        passed="Packets come out as they went in.",
        what="each compressor with each decompressor",
    )
)
