# SPDX-License-Identifier: Apache-2.0
"""Bit errors on a link of TAROC, whose decompressor passes on packets with the right TCP checksum (7.2)."""

from __future__ import annotations

from headroom.core.contract import Scheme
from headroom.core.damaged_links import DamagedType
from headroom.core.scheme_kit.damaged_line import DamagedLine
from headroom.schemes.taroc.judge.packet import COMPRESSED
from headroom.schemes.taroc.line import LINE

TRAFFIC = ("tcp-interactive", "tcp-acknowledgements", "tcp-retransmissions")


def damaged(_: Scheme, seed: int) -> list[DamagedType]:
    return DamagedLine(LINE, {COMPRESSED: "compressed"}, lambda packet: True).send(TRAFFIC, seed)
