# SPDX-License-Identifier: Apache-2.0
"""tshark's UDVM as the second judge: it decompresses SigComp messages by itself, octet by octet.

What it cannot do (tshark 4.0): SORT is missing, SHA-1 and COPY-LITERAL round a circular buffer are wrong, and it keeps
states for good, whatever compartment they are of and however much memory there is. So where it gives another output it
is a witness against a message only if the judge made from the RFCs says so, too; where it gives the same output the two
confirm each other.
"""

import re
import shlex
import struct
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from headroom.core import tshark
from headroom.core.captures import writing
from headroom.core.captures.framing import RAW

PORT = 5060  # registered by tshark for SigComp beside SIP
MESSAGE, CYCLES = "sigcomp.message_decompressed", "sigcomp.used_udvm_cycles"
FIELDS = (
    MESSAGE,
    CYCLES,
    "_ws.malformed",
    "sigcomp.length",
    "frame.protocols",
)
DECOMPRESSING = ("-o", "sigcomp.decomp.msg:TRUE")
PREFERENCES = (*DECOMPRESSING, "-o", "sip.display_raw_text:TRUE")
OPTIONS = ("-E", "occurrence=f", *PREFERENCES)
INTERVAL_NS = 1_000_000


@dataclass(frozen=True)
class TsharkMessage:
    """`output` is None where tshark did not decompress the message; `cycles` likewise."""

    output: bytes | None
    cycles: int | None


def command(capture: Path) -> str:
    """The shell command that shows the messages of a capture decompressed, which tshark does not do by default."""
    return shlex.join(["tshark", "-n", "-r", str(capture), *DECOMPRESSING])


def is_available() -> bool:
    return tshark.is_available()


def read(messages: Sequence[tuple[int, bytes]]) -> list[TsharkMessage]:
    """Returns tshark's reading of datagrams in their order, each with the number of its sender (0 to 255).

    Raises EnvironmentLacks without tshark, HeadroomError if it fails.
    """
    if not messages:
        return []
    with tempfile.TemporaryDirectory(prefix="headroom-") as folder:
        path = Path(folder) / "sigcomp.pcap"
        frames = [_datagram(sender, octets) for sender, octets in messages]
        writing.write(path, RAW, ((n * INTERVAL_NS, frame, len(frame)) for n, frame in enumerate(frames)))
        lines = tshark.lines_of(path, FIELDS, OPTIONS)
    return [_parse(line) for line in lines]


def _parse(line: str) -> TsharkMessage:
    output, cycles, *_ = [*line.split(tshark.SEPARATOR), "", ""]
    used = int(cycles) if cycles.isdecimal() else None
    if used is None:
        return TsharkMessage(None, None)
    return TsharkMessage(octets_of(output), used)


def octets_of(text: str) -> bytes:
    """A message that was decompressed, as the field has it."""
    return bytes.fromhex(text) if re.fullmatch(r"(?:[0-9a-f]{2})+", text) else b""


def _datagram(sender: int, payload: bytes) -> bytes:
    """UDP over IPv4 without checksums, which tshark does not miss."""
    udp = struct.pack(">HHHH", PORT, PORT, 8 + len(payload), 0) + payload
    source, destination = bytes((10, 0, sender, 1)), bytes((10, 0, sender ^ 1, 1))
    header = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, source, destination)
    return header + udp
