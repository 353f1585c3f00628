# SPDX-License-Identifier: Apache-2.0
"""A capture of a link beside what was sent through it: do all who read it read the same?

Three questions, packet by packet: does tshark read what our judge reads on the link; is what the judge restores, or
what is there uncompressed, what was sent, octet by octet; and does tshark read the same in it as our reader in what was
sent, packets in tunnels included.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headroom.core.captures import framing
from headroom.core.captures.reading import CapturedPacket, Interface
from headroom.core.errors import HeadroomError
from headroom.core.text import nth
from headroom.decode import ip_dissector, run, text, tshark_reading
from headroom.decode.comparing import compare_ip
from headroom.decode.run import DecodedPacket, DecodeOptions

RAW = Interface(0, framing.RAW)


@dataclass
class LinkComparison:
    """`on_the_link` counts packets by what became of tshark's reading, `inside` those of which it read the inside."""

    on_the_link: Counter[str] = field(default_factory=Counter)
    inside: int = 0
    values: int = 0  # read alike by both, on the link and inside
    missing: int = 0  # sent, and never on the link
    wrong: list[str] = field(default_factory=list)


def look(capture: Path, sent: Mapping[str, Sequence[bytes]], words: Mapping[str, Any]) -> LinkComparison:
    """`sent` has what each direction was sent, by the name of its interface in the capture, in order; `words` say what
    is known of the channels, as `DecodeOptions` has it.

    Raises EnvironmentLacks without tshark, HeadroomError when it fails or the capture cannot be read whole.
    """
    read = run.read(DecodeOptions(capture, words))
    if read.faults:
        raise HeadroomError(" ".join(read.faults))
    found = LinkComparison()
    came: dict[str, list[bytes]] = {name: [] for name in sent}
    for one in read.decoded():
        _on_the_link(one, found)
        if (octets := uncompressed(one)) is not None:
            also = one.ours.also_restored if one.ours is not None else []
            came.setdefault(one.captured.interface.name, []).extend([octets, *also])
    for name, packets in came.items():
        _inside(name, packets, sent.get(name, ()), found)
    return found


def uncompressed(one: DecodedPacket) -> bytes | None:
    """The packet that a link packet stands for; None where it stands for none, such as feedback."""
    if one.frame.kind == framing.IP:
        return one.frame.octets
    return one.ours.restored if one.ours is not None else None


def _on_the_link(one: DecodedPacket, found: LinkComparison) -> None:
    where = f"packet {one.captured.number} ({one.channel})"
    if one.ours is None:
        found.on_the_link["something else"] += 1
        return
    if one.ours.error:
        found.wrong.append(f"{where}: {one.ours.error}")
    found.values += len(one.compared.agreed)
    found.on_the_link[one.compared.silent or one.compared.verdict] += 1
    if one.compared.differences:
        found.wrong.append(f"{where}, {one.ours.title}: {text.verdict_text(one.compared)}")


def _inside(name: str, came: list[bytes], sent: Sequence[bytes], found: LinkComparison) -> None:
    """What came along a link is what was sent, in order, and tshark reads the same in it."""
    flows = ip_dissector.rtp_flows(sent)
    kept: list[bytes] = []
    at = 0
    for number, octets in enumerate(came):
        try:
            at = sent.index(octets, at) + 1  # type: ignore[arg-type]
        except ValueError:
            found.wrong.append(f"{name}: {nth('packet', number)} of those restored is none that was sent")
            continue
        kept.append(octets)
    found.missing += len(sent) - len(kept)
    if not kept:
        found.wrong.append(f"{name}: nothing that was sent was on the link")
        return
    packets = [CapturedPacket(number, RAW, 0, octets, len(octets)) for number, octets in enumerate(kept, 1)]
    for number, (octets, reading) in enumerate(zip(kept, tshark_reading.read_ip(packets), strict=True)):
        ours = ip_dissector.read(octets, flows)
        compared = compare_ip(ours, reading)
        found.inside += bool(compared.agreed)
        found.values += len(compared.agreed)
        if compared.differences or compared.silent:
            found.wrong.append(
                f"{name}: {nth('packet', number)} as it was sent, {ours.title}: {text.verdict_text(compared)}"
            )
