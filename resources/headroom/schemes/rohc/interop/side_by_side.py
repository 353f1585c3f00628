# SPDX-License-Identifier: Apache-2.0
"""The text about a failed cell: the first packet that went wrong, as both sides and the judges read it."""

import shutil
import subprocess
from pathlib import Path

from headroom.core import excess
from headroom.core.captures import fields
from headroom.core.sandbox import Walls
from headroom.core.scheme_kit.evidence import side_by_side
from headroom.core.text import nth
from headroom.schemes.rohc.interop.signature import RTP_PROFILES
from headroom.schemes.rohc.interop.study import Study
from headroom.schemes.rohc.judge.v1.packet import trace_line

TSHARK_S = 30.0
WIDTH = 54


def text(seen: Study, profile: str) -> str:
    """Both decodes of the first packet that went wrong; a sentence if no packet did."""
    record = seen.first_bad()
    if record is None:
        return "No packet of its own went wrong."
    packet = record["packet"]
    original = seen.originals[packet] if packet < len(seen.originals) else b""
    arrival = seen.arrival(packet)
    lines = [f"{nth('packet', packet)}: {record['verdict'].replace('_', ' ')}"]
    if arrival is not None:
        lines += [f"on the link: {arrival.octets.hex()}", f"the decompressor says: {arrival.status}"]
        lines += ["", "The judge (headroom.schemes.rohc.judge) reads:", *_judge(arrival.outcome)]
    got = seen.got(packet)
    restored = arrival.outcome.delivered if arrival is not None and arrival.outcome is not None else None
    lines += ["", *_fields("went in", original, "came out", got, profile)]
    if restored is not None and restored != original:
        lines += ["", *_fields("went in", original, "the judge restores", restored, profile)]
    lines += ["", *side_by_side("went in", original, "came out", got)]
    return "\n".join(lines)


def _judge(outcome: object) -> list[str]:
    from headroom.schemes.rohc.judge import Outcome

    if not isinstance(outcome, Outcome):
        return ["  nothing: it does not know this profile"]
    if outcome.packet is not None:
        lines = [f"  {line}" for line in outcome.packet.trace().splitlines()]
    else:
        lines = [trace_line(field) for field in outcome.error.fields] if outcome.error else []
    if outcome.error is not None:
        lines.append(f"  and refuses it: {outcome.error}")
    return lines


def _fields(left: str, a: bytes, right: str, b: bytes | None, profile: str) -> list[str]:
    """Two packets field by field; a star marks what differs."""
    lines = [f"  {'field':<34}{left:<{WIDTH}}{right}"]
    if b is None:
        return [*lines[:-1], f"  {left}, and nothing {right}:"] + [
            f"  {part.name:<34}{part.value}" for part in fields.dissect(a, profile in RTP_PROFILES)
        ]
    theirs = {part.name: part for part in fields.dissect(b, profile in RTP_PROFILES)}
    for part in fields.dissect(a, profile in RTP_PROFILES):
        other = theirs.pop(part.name, None)
        sign = " " if other is not None and other.octets == part.octets else "*"
        lines.append(f"{sign} {part.name:<34}{part.value:<{WIDTH}}{other.value if other is not None else ''}".rstrip())
    lines += [f"* {name:<34}{'':<{WIDTH}}{part.value}" for name, part in theirs.items()]
    return lines


def tshark(capture: Path, packet: int) -> str:
    """tshark's reading of one link packet, counted from 0; a sentence where there is none."""
    program = shutil.which("tshark")
    if program is None:
        return "tshark is not installed."
    number = packet + 1
    command = [program, "-n", "-r", str(capture), "-O", "rohc", "-V", "-c", str(number)]
    command += ["-Y", f"frame.number == {number}"]
    walls = Walls(reads=(str(capture),))  # an adapter made the packets, and each dissector may have a flaw
    try:
        code, printed = excess.hear(command, walls, TSHARK_S)
    except (OSError, subprocess.SubprocessError) as error:
        return f"tshark could not read the capture: {error}."
    if code != 0 or not printed.strip():
        return f"tshark could not read the capture: it ended with status {code}."
    return printed.strip()
