# SPDX-License-Identifier: Apache-2.0
"""Capture files in place of an adapter: the packets in them, and the judgement of a decompressor by its output on
file."""

import tempfile
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from headroom.core import implementations, replay
from headroom.core.captures import engine_pcapng, fields, framing, reading
from headroom.core.engine import EngineFailure
from headroom.core.errors import UsageError
from headroom.core.implementations import null
from headroom.core.matrix import Cell
from headroom.core.paths import DEFAULT_BUILD, shown
from headroom.core.scheme_kit.cells import Trial
from headroom.core.text import nth
from headroom.schemes.rohc import NAME
from headroom.schemes.rohc.interop.matrix import channel_of, recording_of
from headroom.schemes.rohc.interop.signature import RTP_PROFILES
from headroom.schemes.rohc.judge import Decompressor, Parameters
from headroom.schemes.rohc.judge.framework import profiles
from headroom.schemes.rohc.judge.framework.cid import MAX_LARGE_CID, MAX_SMALL_CID
from headroom.schemes.rohc.judge.v1.packet import Packet

ETHERNET_HEADER = 14


def frames(path: str, build: str = DEFAULT_BUILD) -> list[bytes]:
    """The IP packets of a capture in any format that the engine reads. Raises EngineFailure if it reads none."""
    with tempfile.TemporaryDirectory(prefix="headroom-frames-") as folder:
        copy = Path(folder) / "packets.pcapng"
        replay.run(
            replay.ReplayConfig(
                NAME,
                null(),
                source=path,
                channel={"mode": "U"},
                outputs={"source": copy},
                build=build,
            )
        )
        return [packet.octets for packet in engine_pcapng.read(copy)]


def header_octets(cell: Cell, link: Path) -> float | None:
    """Mean header on the link as the judge reads it, octets; None if it cannot read them all."""
    entries = list(_read(cell, link))
    lengths = [] if None in entries else [entry[0].header_octets for entry in entries if entry]
    return sum(lengths) / len(lengths) if lengths else None


def has_packet_by(cell: Cell, link: Path) -> bool | None:
    """True if the judge reads a packet of the cell's profile on the link; None if it first meets one that it cannot
    read."""
    for entry in _read(cell, link):
        if entry is None:
            return None
        if entry[1] == int(cell.row["profile"], 16):
            return True
    return False


def _read(cell: Cell, link: Path) -> Iterator[tuple[Packet, int] | None]:
    """The packets on the link, each with the number of its profile; None for the first that the judge cannot read,
    which is the last."""
    judge = Decompressor(Parameters.of(channel_of(cell)))
    for packet in engine_pcapng.read(link):
        outcome = judge.decompress(packet.octets[ETHERNET_HEADER:])
        if outcome.packet is None:
            yield None
            return
        profile = outcome.after.profile if outcome.after else outcome.packet.profile
        yield outcome.packet, profile.number if profile else 0


def undeclared(cell: Cell) -> str:
    """Returns why a decompressor is not held to a recording: packets of profiles that it does not declare."""
    recording = recording_of(cell)
    link = recording.file(cell.row.scheme.name) if recording is not None else None
    if recording is None or link is None:
        return ""
    agreed = channel_of(cell)
    known = {int(profile, 16) & 0xFF for profile in agreed["profiles"]}
    stat = link.stat()
    others = sorted(_profile_octets(link, agreed["cids"] == "large", stat.st_mtime_ns, stat.st_size) - known)
    if not others:
        return ""
    names = ", ".join(_named(octet, recording.config.get("profiles", ())) for octet in others)
    decompressor = implementations.find(cell.row.decompressor).name
    return f"The recording {recording.name} has packets of profile {names}, which {decompressor} does not declare."


def _named(octet: int, own: Sequence[str]) -> str:
    numbers = [int(profile, 16) for profile in own if int(profile, 16) & 0xFF == octet] or profiles.registered(octet)
    return " or ".join(map(profiles.title, numbers)) or f"0x..{octet:02x}"


@lru_cache(maxsize=64)
def _profile_octets(link: Path, large_cids: bool, changed_ns: int, octets: int) -> frozenset[int]:
    """The Profile octets of the IR and IR-DYN packets in a capture; it is read again when the file changes."""
    judge = Decompressor(
        Parameters(large_cids, MAX_LARGE_CID if large_cids else MAX_SMALL_CID, mrru=0xFFFF, profiles_known=False)
    )
    results = set()
    try:
        for captured in reading.read(link):
            outcome = judge.decompress(framing.unwrap(captured.interface.link_type, captured.octets).octets)
            known = outcome.packet.fields if outcome.packet else outcome.error.fields if outcome.error else ()
            results |= {field.value for field in known if field.name == "Profile"}
    except UsageError:
        pass  # The engine says what is wrong with the capture.
    return frozenset(results)


def judge(cell: Cell) -> Trial:
    """The verdict on a decompressor of which only a recording of its output exists: compares that with the source.

    A packet that is missing in the output was not delivered; a packet that is not in the source was restored wrongly.
    """
    recording = recording_of(cell)
    assert recording is not None
    source = frames(str(recording.file(implementations.SOURCE)), cell.row.build)
    came = frames(str(recording.file(implementations.RESTORED)), cell.row.build)
    pairs, wrong = align(source, came)
    figures: dict[str, Any] = {"packets": len(source), "delivered": pairs}
    if wrong is None and pairs == len(source):
        return Trial("pass", figures=figures)
    if wrong is None:
        missing = (
            f"{len(source) - pairs} of {len(source)} packets of {shown(recording.file(implementations.SOURCE))} are "
            f"not in {shown(recording.file(implementations.RESTORED))}, the capture of what came out."
        )
        return Trial("fail", missing, "recorded packets are missing", figures)
    expected, got = (source[wrong] if wrong < len(source) else b""), came[wrong]
    at = next((n for n, (a, b) in enumerate(zip(expected, got, strict=False)) if a != b), min(len(expected), len(got)))
    rtp = cell.row["profile"] in RTP_PROFILES
    name = fields.name_at(expected, at, rtp) if expected else "a packet that is not in the source"
    return Trial(
        "fail",
        f"{nth('Packet', wrong)} of what came out is not the source's: it differs from octet {at} on ({name}).",
        f"recorded packet comes out wrong · {name}",
        figures | {"first": wrong},
    )


def misfit(cell: Cell, failure: EngineFailure) -> str:
    """The engine's sentence about a recording whose files do not fit each other, with their names; "" for another."""
    recording = recording_of(cell)
    if recording is None or not failure.where.startswith("/expected"):
        return ""
    source, link = recording.file(implementations.SOURCE), recording.file(cell.row.scheme.name)
    if source is None or link is None or "expected packets for" not in failure.message:
        return ""
    return (
        f"{shown(source)} and {shown(link)} do not fit each other: {failure.message} Each packet on the link stands "
        "for the one at its place in the source; has one of the files been cut off?"
    )


def align(source: list[bytes], came: list[bytes]) -> tuple[int, int | None]:
    """Returns the number of packets that came out unchanged and in order before the first wrong one, and the number of
    that one; None if there is none.

    Packets may be missing; a packet that is neither the next nor a later one of the source is wrong.
    """
    at = matched = 0
    for number, packet in enumerate(came):
        try:
            at = source.index(packet, at) + 1
        except ValueError:
            return matched, number
        matched += 1
    return matched, None
