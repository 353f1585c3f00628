# SPDX-License-Identifier: Apache-2.0
"""Runs tshark. The callers interpret its fields."""

import ipaddress
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from headroom.core import excess, process_group
from headroom.core.captures import writing
from headroom.core.captures.dissection import Row, Value
from headroom.core.errors import EnvironmentLacks, HeadroomError
from headroom.core.excess import MOST_HEARD
from headroom.core.sandbox import Walls

SEPARATOR, AMONG = "\x1f", "\x1e"  # separators of fields, and of the occurrences of a field: they occur in none
MALFORMED = "_ws.malformed"  # a field
BASE_S, PER_PACKET_S = 300.0, 0.005  # seconds: on an overloaded machine, starting takes a minute

Sent = Sequence[tuple[int, bytes, int]]  # time, octets, length on the wire


def is_available() -> bool:
    return shutil.which("tshark") is not None


def lines_of(capture: Path, fields: Sequence[str], options: Sequence[str] = (), timeout_s: float = 60.0) -> list[str]:
    """The output for a capture, one line a packet, the fields separated by SEPARATOR. Raises EnvironmentLacks without
    tshark, HeadroomError if it fails.
    """
    program = shutil.which("tshark")
    if program is None:
        raise EnvironmentLacks("tshark is not installed (apt-get install tshark).")
    command = [program, "-n", "-r", str(capture), "-T", "fields", "-E", f"separator={SEPARATOR}", *options]
    for name in fields:
        command += ["-e", name]
    walls = Walls(reads=(str(capture),))  # others made the packets, and each dissector may have a flaw
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as complaint:
        process = process_group.start(command, walls=walls, stdin=subprocess.DEVNULL, stdout=printed, stderr=complaint)
        try:
            code = excess.wait(process, command, timeout_s)
        except excess.TakesTooMuch as error:
            raise HeadroomError(f"tshark {error.reason} while it was reading {capture.name}.") from error
        except subprocess.TimeoutExpired as error:
            raise HeadroomError(f"tshark was still reading {capture.name} after {timeout_s:g} s.") from error
        if code != 0:
            complaint.seek(0)
            last_line = complaint.read(MOST_HEARD).decode(errors="replace").strip().splitlines()[-1:]
            raise HeadroomError(f"tshark could not read {capture.name}: {(last_line or ['it gave no reason'])[0]}")
        printed.seek(0)
        return printed.read().decode(errors="replace").split("\n")[:-1]


def rows_of(sent: Sent, link_type: int, fields: Sequence[str], options: Iterable[str]) -> list[Row] | None:
    """The fields of each packet, with all their occurrences; None if tshark's output is ambiguous. Raises as `lines_of`
    does.
    """
    options = ("-E", "occurrence=a", "-E", f"aggregator={AMONG}", *options)
    with tempfile.TemporaryDirectory(prefix="headroom-tshark-") as folder:
        path = Path(folder) / "channel.pcap"
        writing.write(path, link_type, sent)
        lines = lines_of(path, fields, options, BASE_S + PER_PACKET_S * len(sent))
    # A line break inside a field would shift all following fields: then nothing is known.
    return [_occurrences(fields, line) for line in lines] if len(lines) == len(sent) else None


def _occurrences(fields: Sequence[str], line: str) -> Row:
    cells = line.split(SEPARATOR)
    return {name: cell.split(AMONG) if cell else [] for name, cell in zip(fields, cells, strict=False)}


def numbers(texts: Iterable[str]) -> list[int]:
    """The numbers among the occurrences of a field: `0x1f`, `17`, `True`."""
    values = []
    for text in texts:
        try:
            values.append({"True": 1, "False": 0}[text] if text in ("True", "False") else int(text, 0))
        except ValueError:
            continue
    return values


def _address(text: str) -> str:
    """An address in the project's notation: tshark writes ::4.0.0.1 for ::400:1."""
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return text


def take(row: Row, fields: Mapping[str, tuple[str, bool]], values: dict[str, Value]) -> None:
    """Adds the values of some fields. `fields` maps each to the name of the value, and True if it is a list."""
    for field, (name, several) in fields.items():
        texts = row.get(field, [])
        taken: list[Value] = list(map(_address, texts)) if field.endswith((".src", ".dst")) else list(numbers(texts))
        if texts and several:
            values[name] = taken
        elif taken:
            values[name] = taken[0]
