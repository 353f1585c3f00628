# SPDX-License-Identifier: Apache-2.0
"""Rows of the interop matrix: one encapsulator, one receiver, and the judges of both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from headroom.core import implementations
from headroom.core.contract import CellTitles
from headroom.core.matrix import Cell, Row
from headroom.core.scheme_kit.evidence import side_by_side
from headroom.core.scheme_kit.one_way import Judged, OneWay, chance_of
from headroom.core.text import nth
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


def judge(cell: Cell, sent: line.Encapsulated) -> Judged:
    """The encapsulator by the rules of 3 to 6, then the receiver by those of 7, over the link of the cell."""
    row, config = cell.row, channel(cell.row)
    findings = encapsulator.judge(line.setting_of(config), sent.pdus, sent.packets).findings
    chance = chance_of(cell)
    arrivals = damage.across([octets for _, octets in sent.packets], damage.Damage(**cell.condition.words), chance)
    result = comparison.compare(
        implementations.find(row.decompressor), [Arrival(octets) for octets in arrivals], config, row.build
    )
    pdus, wrong, lacking = [pdu.octets for pdu in sent.pdus], result.wrong, ""
    if not wrong and cell.condition.harmless and list(result.judged) != pdus:
        lacking = f"the judge's receiver delivers {len(result.judged)} of {len(pdus)} PDUs, or not as sent"
    elif not wrong and cell.condition.harmless and list(result.units) != pdus:
        wrong = f"{len(result.units)} of {len(pdus)} PDUs come out, or not as sent"
    if not wrong and (strange := set(result.units) - set(pdus)):
        wrong = f"{len(strange)} units come out that no PDU was; a CRC missed them"
    return Judged(findings, wrong, result.milder, len(result.units), _shown(findings, sent, result), lacking)


def _shown(
    findings: Sequence[encapsulator.Finding], sent: line.Encapsulated, result: comparison.Comparison
) -> list[str]:
    """The TS packet of the first finding, or the first unit that not both receivers deliver."""
    if findings:
        number = findings[0].packet
        return [] if number is None else [f"{nth('TS packet', number)}: {sent.packets[number][1].hex()}"]
    pairs = zip_longest(result.judged, result.units)
    entry, other = next(((item, other) for item, other in pairs if item != other), (None, None))
    return side_by_side("the judge delivers", entry or b"", "came out", other) if entry or other else []


def _header(sent: line.Encapsulated) -> float:
    """Octets on the link per PDU, beyond its own."""
    octets = sum(len(packet) for _, packet in sent.packets)
    return (octets - sum(len(pdu.octets) for pdu in sent.pdus)) / max(1, len(sent.pdus))


CELLS = OneWay(
    dict.fromkeys(TRAFFIC, FLOWS),
    PACKETS,
    lambda row: {name: [row[name]] for name in ("packing", "address", "carriage")},
    channel,
    line.encapsulate,
    judge,
    source=lambda sent: [
        {"time_ns": pdu.time_ns, "channel": pdu.channel, "hex": pdu.octets.hex()} for pdu in sent.pdus
    ],
    header=_header,
)
INTEROP = CELLS.interop(
    CellTitles(
        sender="Encapsulator",
        traffic="Traffic",
        size="header_bytes",
        size_title="octets on the link per PDU, beyond its own",
        size_format=".2f",
        evidence="the judges' findings",
        passed="The encapsulator follows the rules of RFC 4326, 3 to 6, and the receiver delivers and counts the same "
        "units and errors as the judge's receiver, also after lost, doubled and damaged TS packets.",
        what="each encapsulator with each receiver: packing, addresses, bridged frames, traffic and link conditions",
    )
)
