# SPDX-License-Identifier: Apache-2.0
"""Files of MPEG-2 TS packets (.ts), one after another: of 188 octets (ISO/IEC 13818-1, 2.4.3), with four octets of
time in front (.m2ts), or with the 16 octets of a Reed-Solomon code behind (EN 300 429).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from headroom.core.captures.reading import CapturedPacket, Interface, is_capture

LINK_TYPE = 243
OCTETS, SYNC = 188, 0x47
_FRONTS = {188: 0, 192: 4, 204: 0}  # octets in front of a packet, by the octets that a packet takes in the file
_ENOUGH = 5  # packets that identify a file that does not begin with a packet
_AT_ONCE = 1 << 16  # octets
_TICKS_PER_S = 27_000_000
_TIME_BITS = 30


def layout(path: Path) -> tuple[int, int] | None:
    """The octets in front of the first packet, and those that each packet takes; None for another file, or for a pipe,
    which can be read only once.
    """
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            begun = file.read((_ENOUGH + 1) * max(_FRONTS))
    except OSError:
        return None
    if is_capture(begun):
        return None
    for octets, front in _FRONTS.items():
        syncs = begun[front::octets][:2]
        if syncs and set(syncs) == {SYNC} and (len(syncs) > 1 or len(begun) == octets):
            return 0, octets
    for skipped in range(1, max(_FRONTS)):
        for octets, front in _FRONTS.items():
            if begun[skipped + front :: octets][:_ENOUGH] == bytes([SYNC]) * _ENOUGH:
                return skipped, octets
    return None


def read(path: Path, skipped: int, octets: int) -> Iterator[CapturedPacket]:
    """The packets of a file. Where the sync octet is missing, the octets up to the next one become a packet that
    belongs to no transport stream.
    """
    interface, front = Interface(0, LINK_TYPE), _FRONTS[octets]
    with path.open("rb") as file:
        file.seek(skipped)
        for number, piece in enumerate(_pieces(file, octets, front), 1):
            packet = piece[front : front + OCTETS] if len(piece) == octets else piece
            yield CapturedPacket(number, interface, _time_ns(piece, front), packet, len(packet))


def _pieces(file: BinaryIO, octets: int, front: int) -> Iterator[bytes]:
    held = b""
    while piece := file.read(_AT_ONCE):
        held += piece
        at = 0
        while at + 2 * octets <= len(held):
            length = octets if held[at + front] == SYNC else _until_sync(held, at, octets, front)
            yield held[at : at + length]
            at += length
        held = held[at:]
    yield from (held[at : at + octets] for at in range(0, len(held), octets))


def _until_sync(held: bytes, at: int, octets: int, front: int) -> int:
    """The octets up to a place with a sync octet in two packets; those of one packet if there is none so near."""
    for place in range(at + 1, at + octets):
        if held[place + front] == SYNC and held[place + front + octets : place + front + octets + 1] in (b"", b"\x47"):
            return place - at
    return octets


def _time_ns(piece: bytes, front: int) -> int:
    ticks = int.from_bytes(piece[:front], "big") & ((1 << _TIME_BITS) - 1)
    return ticks * 1_000_000_000 // _TICKS_PER_S
