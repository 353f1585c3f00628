# SPDX-License-Identifier: Apache-2.0
"""A line that loses, doubles, swaps and damages TS packets."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, fields

from headroom.core.errors import UsageError

TRANSPORT_ERROR = 0x80  # in the second octet


@dataclass(frozen=True)
class Damage:
    """Shares of the TS packets: `lost`, `doubled`, `swapped` with the next one, `marked` by the transport error
    indicator; `bursts`, where a burst of losses of `burst` TS packets begins; `ber`, of the bits."""

    lost: float = 0.0
    doubled: float = 0.0
    swapped: float = 0.0
    marked: float = 0.0
    bursts: float = 0.0
    burst: int = 5
    ber: float = 0.0


def read(parameters: dict[str, str]) -> Damage:
    """The damage that named arguments describe. Raises UsageError for an unknown argument, and for a value that is no
    number or no share.
    """
    known = {field.name for field in fields(Damage)}
    try:
        result = {name: int(text) if name == "burst" else float(text) for name, text in parameters.items()}
    except ValueError as error:
        raise UsageError(f"A share of TS packets is a number from 0 to 1: {error}.") from error
    for name, value in result.items():
        if name not in known:
            raise UsageError(f"'{name}' is no damage. Known: {', '.join(sorted(known))}.")
        if name != "burst" and not 0 <= value <= 1:
            raise UsageError(f"{name}={value} must be a share between 0 and 1.")
    return Damage(**result)  # type: ignore[arg-type]


def across(packets: Sequence[bytes], damage: Damage, chance: random.Random) -> list[bytes]:
    """The TS packets that arrive."""
    arrivals: list[bytes] = []
    burst = 0
    for packet in packets:
        if burst == 0 and chance.random() < damage.bursts:
            burst = damage.burst
        if burst > 0 or chance.random() < damage.lost:
            burst = max(0, burst - 1)
            continue
        packet = _flipped(packet, damage.ber, chance)
        if chance.random() < damage.marked:
            packet = packet[:1] + bytes([packet[1] | TRANSPORT_ERROR]) + packet[2:]
        arrivals += [packet] * (2 if chance.random() < damage.doubled else 1)
        if len(arrivals) > 1 and chance.random() < damage.swapped:
            arrivals[-2:] = arrivals[:-3:-1]
    return arrivals


def _flipped(packet: bytes, ber: float, chance: random.Random) -> bytes:
    if not ber:
        return packet
    octets = bytearray(packet)
    at = _distance(ber, chance)
    while at < 8 * len(octets):
        octets[at // 8] ^= 0x80 >> at % 8
        at += 1 + _distance(ber, chance)
    return bytes(octets)


def _distance(ber: float, chance: random.Random) -> int:
    """Right bits in front of the next wrong one."""
    return int(chance.expovariate(ber))
