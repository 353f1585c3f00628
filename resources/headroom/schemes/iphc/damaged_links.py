# SPDX-License-Identifier: Apache-2.0
"""Bit errors on a link of RFC 2507, which relies on the CRC of the frames below it and on TCP's checksum."""

from __future__ import annotations

from headroom.core.contract import Scheme
from headroom.core.damaged_links import DamagedType
from headroom.core.scheme_kit.damaged_line import DamagedLine
from headroom.schemes.iphc.judge import link
from headroom.schemes.iphc.judge.chain import has_right_tcp_checksum
from headroom.schemes.iphc.line import LINE

TRAFFIC = ("tcp-interactive", "tcp-acknowledgements", "tcp-retransmissions")
NAMES = {link.TCP: "COMPRESSED_TCP", link.NODELTA: "COMPRESSED_TCP_NODELTA"}


def damaged(_: Scheme, seed: int) -> list[DamagedType]:
    return DamagedLine(LINE, NAMES, has_right_tcp_checksum).send(TRAFFIC, seed)
