# SPDX-License-Identifier: Apache-2.0
"""Bit errors in TS packets and BBFRAMEs: the errors that the CRC-32 of SNDUs, sections and PDUs in fragments detects,
and those in a whole PDU in a GSE packet, which nothing detects."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from headroom.core import implementations
from headroom.core.contract import Scheme
from headroom.core.damaged_links import DamagedType, with_one_bit_flipped
from headroom.core.replay import ReplayConfig
from headroom.core.settings import Settings
from headroom.schemes.ule import line
from headroom.schemes.ule.vectors import Arrival

FLOWS, PACKETS = 4, 400
SHARE = 0.05  # of the link packets that are hit, in one bit
CRC_32 = 2.0**-32
SHOWN = "a CRC of 32 bits shows the damage (RFC 4326, 4.7; EN 301 192, 7.1)"
NO_CRC = (
    "no CRC: a GSE packet of a whole PDU has none (TS 102 606-1, 4.2), so that what the FEC of DVB-S2 leaves "
    "comes out wrong"
)
WHOLE, FRAGMENTS = "GSE, whole PDUs", "GSE, PDUs in fragments"
GSE = {"encapsulation": "gse", "frame_octets": 384}
# Start and End Indicator make a first or a last fragment a whole PDU (TS 102 606-1, 4.2): a BBFRAME has one of each.
INDICATORS = 2 / (8 * 384)
MADE_WHOLE = "the CRC-32 shows the damage, unless it makes a fragment a whole PDU, which has none (TS 102 606-1, 4.2)"
THEORY = {WHOLE: (1.0, NO_CRC), FRAGMENTS: (CRC_32 + INDICATORS, MADE_WHOLE)}  # the share that comes out wrong
ROWS: dict[str, tuple[str, dict[str, Any]]] = {  # traffic and configuration
    "SNDUs": ("udp-690", {}),
    "sections of MPE": ("udp-690", {"encapsulation": "mpe"}),
    WHOLE: ("voip-g711-ipv4", {**GSE, "packing": "padding"}),
    FRAGMENTS: ("udp-690", GSE),
}


def damaged(_: Scheme, seed: int) -> list[DamagedType]:
    return [_damaged(name, *row, Random(f"{seed}/{name}"), seed) for name, row in ROWS.items()]


def _damaged(name: str, source: str, channel: dict[str, Any], chance: Random, seed: int) -> DamagedType:
    reference = implementations.find(Settings().compressor)
    config = ReplayConfig("ule", reference, None, source, FLOWS, PACKETS, seed=seed, channel=channel)
    sent = line.encapsulate(config)
    share, theory = THEORY.get(name, (CRC_32, SHOWN))
    damaged_type = DamagedType(name, theory)
    arrivals = []
    for _, octets in sent.packets:
        hit = chance.random() < SHARE
        damaged_type.packets += 1
        damaged_type.damaged += hit
        arrivals.append(Arrival(with_one_bit_flipped(octets, chance) if hit else octets))
    units = Counter(line.receive(reference, arrivals, channel, config.build).units)
    damaged_type.wrong = (units - Counter(pdu.octets for pdu in sent.pdus)).total()
    damaged_type.expected = damaged_type.damaged * share
    return damaged_type
