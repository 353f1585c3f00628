# SPDX-License-Identifier: Apache-2.0
"""PDUs as suites name them: `ipv4 60`, `ipv6 60 to ff02::1`, `ipv4 52 at 999us on 3`, `llc 20 of 46`, `ts 49`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headroom.core.errors import UsageError
from headroom.core.replay import Packets
from headroom.schemes.ule import builder
from headroom.schemes.ule.judge.encapsulator import FRAME, TS_CONCAT

MAC_HEADER = bytes.fromhex("020000000003020000000004")
LLC = bytes.fromhex("aaaa03000000")  # IEEE 802.2, 5.1; IEEE 802, 9.4
_WORD = re.compile(
    r"(?P<kind>ipv4|ipv6|frame|llc|ts) (?P<octets>\d+)(?: of (?P<held>\d+))?(?: to (?P<to>\S+))?"
    r"(?: at (?P<time>\d+)us)?(?: on (?P<channel>\d+))?"
)


def read(parts: Sequence[str]) -> Packets:
    """Literal packets of a replay. `ipv4 60` has 60 octets; `frame 74` is a MAC frame of 74 octets with an IPv4 packet;
    `llc 20 of 46` says a length of 20 and holds 46 octets; `ts 49` is a TS packet of the PID 49; `at` is the time, `on`
    the channel.

    Raises UsageError on a word that is none.
    """
    return [_packet(word, number) for number, word in enumerate(parts, 1)]


def _packet(word: str, mark: int) -> dict[str, object]:
    match = _WORD.fullmatch(word)
    if not match:
        raise UsageError(f"'{word}' is no PDU. PDUs are such as: ipv4 60, ipv6 60 to ff02::1, frame 74 at 999us on 3.")
    try:
        octets = _octets(match["kind"], int(match["octets"]), match["held"], match["to"], mark)
    except ValueError as error:
        raise UsageError(f"'{word}' is no PDU: {error}.") from error
    result: dict[str, object] = {
        "hex": octets.hex(),
        "time_ns": int(match["time"] or 0) * 1000,
        "channel": int(match["channel"] or 0),
    }
    type_ = {"frame": FRAME, "llc": FRAME, "ts": TS_CONCAT}.get(match["kind"])
    return result | ({"type": type_} if type_ else {})


def _octets(kind: str, octets: int, held: str | None, to: str | None, mark: int) -> bytes:
    if kind == "ipv4":
        return builder.ipv4(octets, mark, to or builder.TO4)
    if kind == "ipv6":
        return builder.ipv6(octets, mark, to or builder.TO6)
    if kind == "frame":
        return MAC_HEADER + bytes.fromhex("0800") + builder.ipv4(octets - 14, mark)
    if kind == "ts":
        return builder.ts_packet(builder.filler(builder.PAYLOAD, mark), mark, pid=octets)
    body = LLC + builder.filler(int(held or octets) - len(LLC), mark)
    return MAC_HEADER + octets.to_bytes(2) + body
