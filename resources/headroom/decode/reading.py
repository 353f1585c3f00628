# SPDX-License-Identifier: Apache-2.0
"""What one judge says of one packet: a title, and values by name, so that two readings can be held against each other.

A value is a number, a text, or a list of them where a packet has the field several times: addresses from the outermost
IP header to the innermost, feedback elements in their order. Both sides use the names below.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from headroom.schemes.rohc.judge.packet import Packet

Value = int | str | list[Any]

# Names of values that are shown in hexadecimal, with the digits they have on the wire.
HEXADECIMAL = {"CRC": 2, "SSRC": 8, "TEID": 8, "SPI": 8}


@dataclass
class Reading:
    """One judge's reading. `error` says why there is no more; `notes` what else should be known of it."""

    title: str = ""
    values: dict[str, Value] = field(default_factory=dict)
    error: str = ""
    notes: list[str] = field(default_factory=list)


@dataclass
class Ours(Reading):
    """The reading of our own judges. `packet` and what goes with it are there for ROHC alone."""

    packet: Packet | None = None
    header_octets: int | None = None
    restored: bytes | None = None  # the packet as the judge restores it
    trace: list[str] = field(default_factory=list)  # field by field, with positions
    versions: tuple[int, ...] = ()  # of the IP headers of its context
    lists: bool = False  # whether it is of a context with extension headers
    rtp: bool = False  # whether UDP carries RTP, restored or plain


def shown(name: str, value: Value) -> str:
    """A value as people read it."""
    if isinstance(value, list):
        return ", ".join(shown(name, one) for one in value)
    if isinstance(value, int) and name in HEXADECIMAL:
        return f"0x{value:0{HEXADECIMAL[name]}x}"
    return str(value)
