# SPDX-License-Identifier: Apache-2.0
"""tshark reads the link capture of a replay (Ethernet type 0x22F1): packet type, CID, SN and CRC as it parses them.

It parses ROHC and never decompresses: it holds against our own reading of the same octets, field by field, and is never
the only judge. What it reads well is RTP and Uncompressed with small CIDs. It does not know large CIDs on this link,
nor UO-0 of UDP and IP, nor ESP, TCP and the second version of ROHC; and it takes RND from IR packets alone, so that a
context whose IP flags an extension 3 has changed is compared no more until its next IR. It stops behind the first of
several IP headers, and at what it takes for malformed. Such packets are counted as skipped.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from headroom.core import tshark
from headroom.schemes.rohc.judge import Packet

FIELDS = (
    "frame.number",
    "frame.interface_id",
    "_ws.col.Info",
    "rohc.small_cid",
    "rohc.add_cid",
    "rohc.comp.sn",
    "rohc.r_0_crc",
    "rohc.crc",
    "rohc.rtp.sn",
    "_ws.malformed",
)
TYPES = re.compile(r"\b(IR-DYN|IR|UO-0|UO-1-ID|UO-1-TS|UO-1|UOR-2-ID|UOR-2-TS|UOR-2|Normal|Feedback)\b")
COMPARED = {"IR", "IR-DYN", "UO-0", "UO-1", "UO-1-ID", "UO-1-TS", "UOR-2", "UOR-2-ID", "UOR-2-TS"}


@dataclass(frozen=True)
class TsharkPacket:
    """What tshark says of one packet; None where it says nothing."""

    interface: int
    kind: str | None
    cid: int | None
    sn: int | None
    crc: int | None
    malformed: bool


def read(capture: Path, timeout_s: float = 60.0) -> list[TsharkPacket]:
    """Everything that tshark reads in a capture.

    Raises EnvironmentLacks without tshark, HeadroomError when it fails.
    """
    return [parse(line) for line in tshark.lines_of(capture, FIELDS, ("-E", "occurrence=f"), timeout_s)]


def parse(line: str) -> TsharkPacket:
    """One line of tshark's output."""
    values = dict(zip(FIELDS, [*line.split(tshark.SEPARATOR), *[""] * len(FIELDS)], strict=False))
    info = TYPES.search(values["_ws.col.Info"])
    kind = info[1] if info else None
    crc = _number(values["rohc.r_0_crc"])
    return TsharkPacket(
        interface=_number(values["frame.interface_id"]) or 0,
        kind=kind,
        cid=_number(values["rohc.small_cid"]) if values["rohc.small_cid"] else _number(values["rohc.add_cid"]),
        sn=_number(values["rohc.rtp.sn"] if kind in ("IR", "IR-DYN") else values["rohc.comp.sn"]),
        crc=crc if crc is not None else _number(values["rohc.crc"]),
        malformed=bool(values["_ws.malformed"]),
    )


def _number(text: str) -> int | None:
    try:
        return int(text, 0)
    except ValueError:
        return None


@dataclass(frozen=True)
class Comparison:
    """How far tshark and our own reading agree."""

    packets: int
    fields: int
    differences: list[str]
    skipped: int = 0


def compare(seen: Sequence[TsharkPacket], packets: Sequence[Packet]) -> Comparison:
    """Field by field, packet by packet, where tshark says anything; `packets` is our own reading of the same ones."""
    if len(seen) != len(packets):
        return Comparison(0, 0, [f"tshark reads {len(seen)} packets, there are {len(packets)}"])
    compared = fields = skipped = 0
    differences = []
    beyond: set[int] = set()  # CIDs whose IP flags tshark does not know
    tunnels: set[int] = set()  # CIDs with several IP headers
    for index, (theirs, ours) in enumerate(zip(seen, packets, strict=True)):
        if ours.kind in ("IR", "IR-DYN"):
            beyond.discard(ours.cid)
        if ours.static is not None:
            (tunnels.add if len(ours.static.ips) > 1 else tunnels.discard)(ours.cid)
        if ours.value("extension 3") is not None and (ours.value("ip") or ours.value("ip2")):
            beyond.add(ours.cid)
        unread = theirs.malformed or ours.cid in beyond or ours.cid in tunnels
        if unread or ours.kind not in COMPARED or ours.profile is None or ours.profile.number != 0x0001:
            skipped += 1
            continue
        compared += 1
        expected = {
            "type": (theirs.kind, ours.kind),
            "CID": (theirs.cid if theirs.cid is not None else 0, ours.cid),
            "SN": (theirs.sn, ours.value("RTP Sequence Number") if ours.dynamic else ours.value("SN")),
            "CRC": (theirs.crc, ours.value("CRC")),
        }
        for name, (they, we) in expected.items():
            if they is None or we is None:
                continue
            fields += 1
            if they != we:
                differences.append(f"packet {index} ({ours.kind}): {name} is {we}, tshark reads {they}")
    return Comparison(compared, fields, differences, skipped)
