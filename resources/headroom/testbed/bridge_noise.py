# SPDX-License-Identifier: Apache-2.0
"""Packets that the bridges between containers send by themselves."""

from collections.abc import Mapping
from typing import Any


def strays_in(direction: Mapping[str, Any]) -> int:
    """The number of bridge packets among the unexpected packets of a direction, of which the engine keeps some."""
    return sum(is_stray(bytes.fromhex(text)) for text in direction.get("unexpected_list", ()))


def is_stray(packet: bytes) -> bool:
    """True if a host's bridges send the packet by themselves when they come up.

    Neighbour discovery and similar protocols (RFC 4861, RFC 3810): IPv6 from a link-local or no address to a group of
    this link. A container cannot prevent its bridge from sending them.
    """
    if len(packet) < 48 or packet[0] >> 4 != 6 or packet[6] not in (0, 58):
        return False
    source, group = packet[8:24], packet[24:26]
    return group == b"\xff\x02" and (source == bytes(16) or (source[0] == 0xFE and source[1] & 0xC0 == 0x80))
