# SPDX-License-Identifier: Apache-2.0
"""Which profile a packet is for, and whether the compressor under test declares it and uses it.

A compressor that sends everything by Uncompressed breaks no rule of a packet format, and shows nothing about any: what
it does not declare is unsupported, and what it declares must work (implementations/README.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from headroom.conformance import sides
from headroom.oracle.rohc import headers

UNCOMPRESSED, RTP, UDP, IP = 0x0000, 0x0001, 0x0002, 0x0004
ENOUGH = 20  # packets for one profile, after which a compressor that compresses would have begun to


def profile_for(packet: bytes) -> int:
    """The most special profile that can carry a packet.

    Uncompressed when only that can: fragments, IPv4 options, IPv6 extension headers, wrong checksums and lengths, more
    than two IP headers, no IP, no payload. Taken for RTP is version 2 without an RTCP packet type behind ports from
    1024 up.
    """
    found = headers.parse(packet)
    if found is None or len(found.ips) > 2 or not _is_plain(packet, found):
        return UNCOMPRESSED
    inner = headers.parse(packet, ("UDP",))
    carried = headers.parse(packet, ("UDP", "RTP"))
    if len(packet) in {one.end for one in (found, inner, carried) if one is not None}:
        return UNCOMPRESSED  # without payload: an IR packet of one delivers nothing (RFC 3095, 5.7.7)
    if inner is None:
        return IP
    if int.from_bytes(packet[inner.udp + 4 : inner.udp + 6], "big") != len(packet) - inner.udp:
        return UNCOMPRESSED
    looks_like_rtp = carried is not None and not 64 <= packet[carried.rtp + 1] & 0x7F < 96
    return RTP if looks_like_rtp and min(inner.ports) >= 1024 else UDP


def _is_plain(packet: bytes, found: headers.Original) -> bool:
    at = 0
    for ip in found.ips:
        if ip.version == 4:
            header = packet[at : at + 20]
            whole = packet[at] & 0x0F == 5 and int.from_bytes(header[2:4], "big") == len(packet) - at
            if not whole or int.from_bytes(header[6:8], "big") & 0xBFFF or not headers.checksum_is_right(header):
                return False
            at += 20
        else:
            if (
                ip.protocol in (0, 43, 44, 60)
                or int.from_bytes(packet[at + 4 : at + 6], "big") != len(packet) - at - 40
            ):
                return False
            at += 40
    return True


def require(name: str, channel: dict[str, Any], packets: Sequence[bytes]) -> None:
    """Raises NotDeclared when most packets are for a profile of the channel that the compressor does not declare."""
    wanted = _wanted(channel, packets)
    if not wanted:
        return
    profile, count = wanted.most_common(1)[0]
    if 2 * count > len(packets) and not sides.declares(name, f"profile-0x{profile:04x}"):
        raise sides.NotDeclared(f"{name} does not declare profile 0x{profile:04x}, which these packets are for.")


def unused(name: str, channel: dict[str, Any], sent: Iterable[tuple[bytes, int | None]]) -> str:
    """What is wrong when a compressor uses no profile though it declares one that many packets are for; "" if nothing.

    `sent`: originals with the profile that each was sent by, None where that is not known.
    """
    known = [(packet, profile) for packet, profile in sent if profile is not None]
    wanted = _wanted(channel, [packet for packet, _ in known])
    if any(profile != UNCOMPRESSED for _, profile in known):
        return ""
    for profile, count in wanted.most_common():
        if count >= ENOUGH and sides.declares(name, f"profile-0x{profile:04x}"):
            return (
                f"{name} declares profile 0x{profile:04x} and sends {count} packets that it is for uncompressed: "
                "nothing is shown"
            )
    return ""


def _wanted(channel: dict[str, Any], packets: Sequence[bytes]) -> Counter[int]:
    """How many packets are for each profile that the channel allows."""
    allowed = channel.get("profiles")
    found = Counter(profile_for(packet) for packet in packets)
    del found[UNCOMPRESSED]
    return Counter(
        {profile: count for profile, count in found.items() if allowed is None or f"0x{profile:04x}" in allowed}
    )
