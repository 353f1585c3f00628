# SPDX-License-Identifier: Apache-2.0
"""Rules for a compressor's stream as a whole. Each function returns one sentence for each fault.

The packets are those of one context, as `observation` saw them.
"""

import itertools
from collections.abc import Sequence

from headroom.core.text import nth
from headroom.schemes.rohc.conformance.observation import TYPE_0, UPDATES, ObservedPacket

OPTIONS = ("NOP", "EOL", "mss", "window scale", "time stamps", "SACK permitted", "SACK")  # by index (RFC 6846, 6.3.4)
SETTLED = 40  # packets after which a flow that changes nothing is in its highest state


def begins_with_ir(packets: Sequence[ObservedPacket]) -> list[str]:
    """The faults of the first packet, which must be an IR packet, with a dynamic chain if it has a static chain (RFC
    3095, 4.3.1.1 and 5.3.1).
    """
    if not packets:
        return ["nothing was put on the link"]
    first = packets[0]
    if first.kind != "IR":
        return [f"the first packet on the link is {first.kind}, not IR"]
    packet = first.outcome.packet if first.outcome else None
    if packet is not None and packet.static is not None and packet.dynamic is None:
        return ["the first IR packet has no dynamic chain, so it holds no complete header"]
    return []


def irs_at_start(packets: Sequence[ObservedPacket]) -> int:
    """IR packets before the first packet of another type."""
    return next((n for n, seen in enumerate(packets) if seen.kind != "IR"), len(packets))


def is_settled(packets: Sequence[ObservedPacket], within: int = SETTLED) -> list[str]:
    """The faults of a regular flow, which must be compressed to packets of type 0, refreshes excepted (RFC 3095,
    4.3.1).
    """
    behind = packets[within:]
    if not behind:
        return [f"there are only {len(packets)} packets, none after the first {within}"]
    others = [seen for seen in behind if seen.kind not in TYPE_0]
    if 2 * len(others) <= len(behind):
        return []
    count = f"{len(behind) - len(others)} of {len(behind)} are" if len(others) < len(behind) else "none is"
    first = f"{nth('packet', others[0].index)} is {others[0].kind}"
    return [f"after the first {within} packets, {count} of type 0; {first}"]


def not_sent(packets: Sequence[ObservedPacket]) -> list[str]:
    """Packets that the compressor did not put on the link, nor kept for later (HEADROOM_NOTHING): lost by itself.

    RFC 3095, 5.10: what no profile fits goes uncompressed, so that every packet can be sent.
    """
    sentences = []
    for seen in packets:
        status = seen.record.get("compressor", {}).get("status", "no status")
        if seen.link is None and status != "NOTHING":
            sentences.append(f"{nth('packet', seen.index)} is not put on the link ({status})")
    return sentences


def positions(packets: Sequence[ObservedPacket], kinds: Sequence[str], behind: int = SETTLED) -> list[int]:
    """Places in the flow of packets of some types, those at the start left out."""
    return [n for n, seen in enumerate(packets) if n >= behind and seen.kind in kinds]


def refreshes(packets: Sequence[ObservedPacket], behind: int = SETTLED) -> tuple[list[int], list[int]]:
    """Returns to the IR state and to lower states at all, as places where they begin: RFC 3095, 5.3.1.1.2."""
    to_ir = _beginnings(positions(packets, ("IR",), behind))
    to_lower = _beginnings(positions(packets, UPDATES, behind))
    return to_ir, to_lower


def _beginnings(places: Sequence[int]) -> list[int]:
    return [place for n, place in enumerate(places) if n == 0 or places[n - 1] != place - 1]


def longest_without(places: Sequence[int], count: int, behind: int = SETTLED) -> int:
    """Most packets in a row without one of `places`, among `count`."""
    edges = [behind, *places, count]
    return max(b - a for a, b in itertools.pairwise(edges))


def above_max_cid(packets: Sequence[ObservedPacket], max_cid: int) -> list[str]:
    return [
        f"{nth('packet', seen.index)} uses CID {seen.cid}, but MAX_CID is {max_cid}"
        for seen in packets
        if (seen.cid or 0) > max_cid
    ]


def msns_of_bases(packets: Sequence[ObservedPacket]) -> tuple[int, int]:
    """IR-CR packets that begin the context of a CID: how many of them go on with the MSN of their base (RFC 6846,
    6.1.1), and how many there are."""
    last: dict[int, int] = {}
    results = []
    for seen in packets:
        packet = seen.outcome.packet.tcp if seen.outcome is not None and seen.outcome.packet is not None else None
        if packet is None:
            continue
        msn = packet.context.control["msn"] or 0
        if packet.kind == "IR-CR" and packet.cid not in last and packet.base is not None:
            results.append((msn - last[packet.base]) % (1 << 16) in (0, 1))
        last[packet.cid] = msn
    return sum(results), len(results)


def first_list(packets: Sequence[ObservedPacket]) -> list[str] | None:
    """Entries of the first list of TCP options, in words: `X mss` with its item, `mss` without. An index from 7 on is
    generic (RFC 6846, 6.3.4). None if there is no list."""
    for seen in packets:
        read = seen.outcome.packet if seen.outcome is not None else None
        fields = read.fields if read is not None and read.tcp is not None else []
        bits = [field.value for field in fields if field.name == "X"]
        indexes = [field.value for field in fields if field.name == "Index"]
        names = [OPTIONS[index] if index < len(OPTIONS) else "generic" for index in indexes]
        if names:
            return [f"X {name}" if present else name for present, name in zip(bits, names, strict=True)]
    return None


def has_list(packet: ObservedPacket) -> bool:
    """True if a packet of profile 0x0006 carries a list of TCP options."""
    read = packet.outcome.packet if packet.outcome is not None else None
    return read is not None and bool(read.value("list_present"))
