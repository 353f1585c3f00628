# SPDX-License-Identifier: Apache-2.0
"""Registered profiles, whatever their family (IANA, ROHC Profile Identifiers), and which one a Profile octet names."""

from collections.abc import Iterable

# What this judge reads: profiles of one family, which a channel has unless it names others, and that of TCP.
OF_RFC_3095 = {
    0x0000: "Uncompressed",
    0x0001: "RTP",
    0x0002: "UDP",
    0x0003: "ESP",
    0x0004: "IP",
    0x0007: "RTP/UDP-Lite",
    0x0008: "UDP-Lite",
}
TCP = 0x0006
JUDGED = OF_RFC_3095 | {TCP: "ROHC-TCP, RFC 6846"}
NOT_JUDGED = {
    0x0005: "LLA, RFC 4362",
    0x0105: "LLA with R-mode, RFC 3408",
    0x0101: "ROHCv2 RTP, RFC 5225",
    0x0102: "ROHCv2 UDP, RFC 5225",
    0x0103: "ROHCv2 ESP, RFC 5225",
    0x0104: "ROHCv2 IP, RFC 5225",
    0x0107: "ROHCv2 RTP/UDP-Lite, RFC 5225",
    0x0108: "ROHCv2 UDP-Lite, RFC 5225",
}
REGISTERED = JUDGED | NOT_JUDGED
VERSION_2 = frozenset(number for number, name in NOT_JUDGED.items() if name.startswith("ROHCv2"))


def registered(octet: int) -> list[int]:
    """Numbers of the registered profiles with these 8 least significant bits."""
    return sorted(number for number in REGISTERED if number & 0xFF == octet)


def title(number: int) -> str:
    """A profile's number, with its name if it is registered."""
    name = REGISTERED.get(number)
    return f"0x{number:04x} ({name})" if name else f"0x{number:04x}"


def select(octet: int, allowed: Iterable[int]) -> int | None:
    """The highest-numbered of `allowed` with these 8 least significant bits (RFC 3095, 5.2.3); None if none has."""
    return max((number for number in allowed if number & 0xFF == octet), default=None)
