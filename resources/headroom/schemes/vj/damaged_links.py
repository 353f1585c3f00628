# SPDX-License-Identifier: Apache-2.0
"""Bit errors on a line of RFC 1144, which relies on the CRC of the frames below it and on TCP's checksum."""

from __future__ import annotations

from headroom.core.contract import Scheme
from headroom.core.damaged_links import DamagedType
from headroom.core.scheme_kit.damaged_line import DamagedLine
from headroom.schemes.vj.judge.header import has_right_tcp_checksum
from headroom.schemes.vj.judge.packet import COMPRESSED, TYPE_NAMES
from headroom.schemes.vj.line import LINE

TRAFFIC = ("tcp-interactive", "tcp-acknowledgements", "tcp-retransmissions")


def damaged(_: Scheme, seed: int) -> list[DamagedType]:
    return DamagedLine(LINE, {COMPRESSED: TYPE_NAMES[COMPRESSED]}, has_right_tcp_checksum).send(TRAFFIC, seed)
