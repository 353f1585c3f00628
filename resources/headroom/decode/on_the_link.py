# SPDX-License-Identifier: Apache-2.0
"""Compares a capture of a link with the packets that were sent through it.

Three checks, packet by packet. tshark reads the same as our judge on the link. The packet that the judge restores, or
that is there uncompressed, equals the sent packet octet by octet. tshark reads the same as our reader in the sent
packet, including packets in tunnels.
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
    """The counts of a comparison. `on_the_link` counts packets by the outcome of tshark's reading, `inside` those whose
    content it read.
    """

    on_the_link: Counter[str] = field(default_factory=Counter)
    inside: int = 0
    values: int = 0  # values that both read alike, on the link and inside
    missing: int = 0  # packets that were sent but never on the link
    wrong: list[str] = field(default_factory=list)


def look(capture: Path, sent: Mapping[str, Sequence[bytes]], words: Mapping[str, Any]) -> LinkComparison:
    """Compares a capture with the sent packets. `sent` holds the packets of each direction, by the name of its
    interface in the capture, in order. `words` describe the channels, as in `DecodeOptions`.

    Raises EnvironmentLacks without tshark, HeadroomError if tshark fails or the capture cannot be decoded whole.
    """
    read = run.read(DecodeOptions(capture, words))
    if read.faults:
        raise HeadroomError(" ".join(read.faults))
    comparison = LinkComparison()
    came: dict[str, list[bytes]] = {name: [] for name in sent}
    for packet in read.decoded():
        _on_the_link(packet, comparison)
        if (octets := uncompressed(packet)) is not None:
            also = packet.ours.also_restored if packet.ours is not None else []
            came.setdefault(packet.captured.interface.name, []).extend([octets, *also])
    for name, packets in came.items():
        _inside(name, packets, sent.get(name, ()), comparison)
    return comparison


def uncompressed(packet: DecodedPacket) -> bytes | None:
    """The packet that a link packet stands for; None if there is none, as for feedback."""
    if packet.frame.kind == framing.IP:
        return packet.frame.octets
    return packet.ours.restored if packet.ours is not None else None


def _on_the_link(packet: DecodedPacket, comparison: LinkComparison) -> None:
    where = f"packet {packet.captured.number} ({packet.channel})"
    if packet.ours is None:
        comparison.on_the_link["something else"] += 1
        return
    if packet.ours.error:
        comparison.wrong.append(f"{where}: {packet.ours.error}")
    comparison.values += len(packet.compared.agreed)
    comparison.on_the_link[packet.compared.silent or packet.compared.verdict] += 1
    if packet.compared.differences:
        comparison.wrong.append(f"{where}, {packet.ours.title}: {text.verdict_text(packet.compared)}")


def _inside(name: str, came: list[bytes], sent: Sequence[bytes], comparison: LinkComparison) -> None:
    """Checks that the packets of the link were sent, in order, and that tshark reads the same in them."""
    flows = ip_dissector.rtp_flows(sent)
    matched: list[bytes] = []
    at = 0
    for number, octets in enumerate(came):
        try:
            at = sent.index(octets, at) + 1  # type: ignore[arg-type]
        except ValueError:
            comparison.wrong.append(f"{name}: {nth('packet', number)} of those restored was never sent")
            continue
        matched.append(octets)
    comparison.missing += len(sent) - len(matched)
    if not matched:
        comparison.wrong.append(f"{name}: no sent packet was on the link")
        return
    packets = [CapturedPacket(number, RAW, 0, octets, len(octets)) for number, octets in enumerate(matched, 1)]
    for number, (octets, reading) in enumerate(zip(matched, tshark_reading.read_ip(packets), strict=True)):
        ours = ip_dissector.read(octets, flows)
        compared = compare_ip(ours, reading)
        comparison.inside += bool(compared.agreed)
        comparison.values += len(compared.agreed)
        if compared.differences or compared.silent:
            comparison.wrong.append(
                f"{name}: {nth('packet', number)} as it was sent, {ours.title}: {text.verdict_text(compared)}"
            )
