# SPDX-License-Identifier: Apache-2.0
"""TS packets that no encapsulator sends: kinds by name, each drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from itertools import count

from headroom.core.errors import UsageError
from headroom.schemes.ule import builder
from headroom.schemes.ule.builder import sndu, ts_packet
from headroom.schemes.ule.vectors import FIRST_PID, OWN, Arrival

NPA = bytes.fromhex(OWN.replace(":", ""))
CHANNELS = 4000  # of the kind with thousands of PIDs
WHOLE = sndu(0x0800, builder.ipv4(60, 7))  # after what is hostile: a receiver has to find it
SIZES = (1, 2, 3, 4, 5, 6, 187, 189, 192, 204, 376, 1316)

Kind = Callable[[random.Random], Iterator[Arrival]]


def _line(payloads: Iterator[tuple[int | None, bytes]]) -> Iterator[Arrival]:
    """TS packets of payloads, each with its Payload Pointer, their continuity counters in order."""
    for counter, (pointer, payload) in zip(count(), payloads, strict=False):
        yield Arrival(ts_packet(payload, counter, pointer=pointer))


def payload_pointers(chance: random.Random) -> Iterator[Arrival]:
    """Every Payload Pointer, for an idle receiver, and within an SNDU that lacks as many octets as the pointer says,
    one more, or one less. A whole SNDU follows each.
    """

    def payloads() -> Iterator[tuple[int | None, bytes]]:
        for pointer in range(256):
            yield pointer, (builder.filler(pointer, 1) + WHOLE)[:183]
            for missing in {max(1, min(180, pointer + more)) for more in (-1, 0, 1)}:
                long = sndu(0x0800, builder.ipv4(175 + missing, 3))
                yield 0, long[:183]
                yield pointer, (long[183:] + WHOLE)[:183]
            yield 0, WHOLE

    return _line(payloads())


def lengths(chance: random.Random) -> Iterator[Arrival]:
    """Length fields of SNDUs that are too small for the required content, or close to the largest value, with both
    values of the D-bit: at the beginning of a TS packet, after an SNDU, and in the last octets.
    """

    def payloads() -> Iterator[tuple[int | None, bytes]]:
        for value in (*range(20), *range(0x7F00, 0x8000), *range(0x8000, 0x8014), *range(0xFF00, 0x10000)):
            field = value.to_bytes(2) + b"\x08\0" + builder.filler(40, value & 255)
            yield 0, field
            yield 0, WHOLE + field
            yield 0, (sndu(0x0800, builder.ipv4(173)) + field)[:183]
            yield None, field
            yield 0, WHOLE

    return _line(payloads())


def short_contents(chance: random.Random) -> Iterator[Arrival]:
    """SNDUs with the right CRC whose content is shorter than their headers announce: addresses, chains of extension
    headers beyond the end, bridged frames, TS-Concat and PDU-Concat of any octets."""

    def payloads() -> Iterator[tuple[int | None, bytes]]:
        for octets in range(1, 24):
            for type_ in (0x0000, 0x0001, 0x0002, 0x0003, 0x0100, 0x0500, 0x0301, 0x00FF, 0x05FF, 0x0600):
                content = chance.randbytes(octets)
                yield 0, sndu(type_, content, d_bit=0) + WHOLE
                yield 0, sndu(type_, content) + WHOLE
        for _ in range(300):
            content = b""
            for _ in range(chance.randrange(1, 12)):
                words = chance.randrange(1, 6)
                content += bytes(2 * words - 2) + bytes([chance.choice((words, 1, 5, 0)), chance.randrange(4)])
            content = content[2:][: chance.randrange(1, 80)]
            yield 0, sndu(0x0100 * chance.randrange(1, 6) + 0x42, content, chance.choice((None, NPA))) + WHOLE
        for _ in range(300):
            parts = b"".join(
                (chance.choice((0, 1, 20, 21, 0x7FFF, 0x8014))).to_bytes(2) + builder.filler(20, 9)
                for _ in range(chance.randrange(1, 5))
            )
            type_ = chance.choice((0x0800, 0x86DD, 0x0001, 0x0003, 0x0042))
            yield 0, sndu(0x0003, (type_.to_bytes(2) + parts)[: chance.randrange(1, 100)]) + WHOLE
        for octets in (1, 187, 188, 189, 375, 376, 377):
            whole = sndu(0x0002, builder.filler(octets, 5))
            yield 0, whole[:183]
            for at in range(183, len(whole), 184):
                yield None, whole[at : at + 184]

    return _line(payloads())


def sizes(chance: random.Random) -> Iterator[Arrival]:
    """Link packets that are no TS packets, for they have another number of octets, or another sync octet; within an
    SNDU, which they leave as it is."""
    long = sndu(0x0800, builder.ipv4(300, 3))
    for counter, octets in enumerate(SIZES):
        yield Arrival(ts_packet(long[:183], 2 * counter, pointer=0))
        yield Arrival((ts_packet(WHOLE, 2 * counter + 1, pointer=0) * 8)[:octets])
        yield Arrival(b"\x48" + ts_packet(long[183:], 2 * counter + 1)[1:])
        yield Arrival(ts_packet(long[183:], 2 * counter + 1))


def random_octets(chance: random.Random) -> Iterator[Arrival]:
    """Octets drawn at random, alone, after a sync octet, and after a right header."""
    for counter in range(1500):
        octets = chance.randbytes(188)
        yield Arrival(octets)
        yield Arrival(b"\x47" + octets[1:])
        header = ts_packet(b"", counter, pointer=0)[:4]
        yield Arrival(header + octets[4:])
        yield Arrival(header + bytes([chance.randrange(182)]) + octets[5:])
        yield Arrival(ts_packet(WHOLE, counter + 1, pointer=0))


def pids(chance: random.Random) -> Iterator[Arrival]:
    """Thousands of PIDs, each with half an SNDU, then the other halves in another order; a gap on every tenth."""
    long = sndu(0x0800, builder.ipv4(300, 3))
    order = list(range(CHANNELS))
    for channel in order:
        yield Arrival(ts_packet(long[:183], channel, pid=FIRST_PID + channel, pointer=0), channel)
    chance.shuffle(order)
    for channel in order:
        counter = channel + (2 if channel % 10 == 0 else 1)
        yield Arrival(ts_packet(long[183:], counter, pid=FIRST_PID + channel), channel)


KINDS: Mapping[str, Kind] = {
    "payload pointers": payload_pointers,
    "lengths": lengths,
    "short contents": short_contents,
    "sizes": sizes,
    "random octets": random_octets,
    "pids": pids,
}


def arrivals(kind: str, seed: int) -> tuple[list[Arrival], dict[str, int]]:
    """TS packets of a kind, and the configuration that they are for. Raises UsageError if there is no such kind."""
    if kind not in KINDS:
        raise UsageError(f"'{kind}' is no kind of hostile TS packets. Known: {', '.join(KINDS)}.")
    channels = CHANNELS if kind == "pids" else 1
    return list(KINDS[kind](random.Random(seed))), {"channels": channels, "first_pid": FIRST_PID}
