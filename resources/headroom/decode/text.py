# SPDX-License-Identifier: Apache-2.0
"""A decoded packet as text, and as a JSON document."""

from typing import Any

from headroom.core.captures import fields, framing
from headroom.core.captures.dissection import Ours, Reading, ReadingComparison, Value
from headroom.decode.dissectors import links, shown
from headroom.decode.run import DecodedPacket

MOST_HEX = 2048  # most octets of a packet that are printed; an ellipsis follows
# Values that the line about an IP packet leaves out.
_ADDRESSES = ("IPv4 source", "IPv4 destination", "IPv6 source", "IPv6 destination")
_PORTS = ("UDP source port", "UDP destination port", "TCP source port", "TCP destination port")


def ours_text(decoded: DecodedPacket) -> str:
    """Our judge's reading, in a few lines."""
    ours = decoded.ours
    if ours is None:
        return decoded.frame.what
    lines = [_headline(ours, decoded.frame.kind)]
    if ours.header_octets is not None:
        lines.append(f"{_octets(ours.header_octets)} of header, {ours.payload_octets} of payload")
    if decoded.restored is not None and ours.restored is not None:
        lines.append(f"= {_headline(decoded.restored)}; {_octets(len(ours.restored))}")
        lines += [f"restored: {note}" for note in _remarks(decoded.restored)]
        for packet, reading in zip(ours.also_restored, decoded.also_restored, strict=True):
            lines.append(f"= {_headline(reading)}; {_octets(len(packet))}")
            lines += [f"restored: {note}" for note in _remarks(reading)]
    elif ours.header_octets is not None and not ours.error:
        lines.append("nothing is delivered")
    return "\n".join([*lines, *_remarks(ours)])


def theirs_text(packet: DecodedPacket) -> str:
    """tshark's reading, in a few lines."""
    if packet.theirs is None:
        return ""
    if not (packet.theirs.title or packet.theirs.values):
        return "\n".join(_remarks(packet.theirs)) or "nothing"
    return "\n".join([_headline(packet.theirs, packet.frame.kind), *_remarks(packet.theirs)])


def verdict_text(compared: ReadingComparison) -> str:
    """A sentence that says if the readings agree, or else the differences."""
    if compared.differences:
        return "differ: " + "; ".join(
            f"{difference.name} {shown(_plain(difference.name), difference.ours)}, tshark "
            f"{shown(_plain(difference.name), difference.theirs)}"
            for difference in compared.differences
        )
    if compared.agreed:
        return f"agree in {len(compared.agreed)}"
    return compared.silent


def _plain(name: str) -> str:
    return name.rpartition(" ")[2] if name.startswith("feedback") else name


def _octets(count: int) -> str:
    return f"{count} octet{'' if count == 1 else 's'}"


def _remarks(reading: Reading) -> list[str]:
    return [*([reading.error] if reading.error else []), *reading.notes]


def _headline(reading: Reading, kind: str = framing.IP) -> str:
    """Title and values in a line; `kind` is that of the frame."""
    dissector = links().get(kind)
    parts = [reading.title] if reading.title else []
    parts += _ends(reading.values)
    for name, value in reading.values.items():
        if name in (*_ADDRESSES, *_PORTS, "source port", "destination port"):
            continue
        phrases = dissector.phrases(name, value) if dissector else None
        parts += [f"{name} {shown(name, value)}"] if phrases is None else phrases
    return ", ".join(parts)


def _ends(values: dict[str, Value]) -> list[str]:
    """Addresses and ports from the outermost pair to the innermost: 10.0.0.1 → 172.16.0.1."""
    ends = []
    for version in ("IPv4", "IPv6"):
        sources, destinations = values.get(f"{version} source"), values.get(f"{version} destination")
        if isinstance(sources, list) and isinstance(destinations, list):
            ends += [f"{a} → {b}" for a, b in zip(sources, destinations, strict=False)]
    for name in ("UDP ", "TCP "):
        sources, destinations = values.get(f"{name}source port"), values.get(f"{name}destination port")
        if isinstance(sources, list) and isinstance(destinations, list):
            ends += [f"{name}{a} → {b}" for a, b in zip(sources, destinations, strict=False)]
    if "source port" in values:
        ends.append(f"ports {values['source port']} → {values.get('destination port')}")
    return ends


def in_full(decoded: DecodedPacket) -> list[str]:
    """The whole packet as lines: octets, the judge's trace with positions, the restored packet field by field."""
    octets = decoded.frame.octets
    lines = [f"  octets: {octets[:MOST_HEX].hex()}{'…' if len(octets) > MOST_HEX else ''}"]
    ours = decoded.ours
    if ours is None:
        return lines
    lines += [f"  {line}" for line in ours.trace]
    plain = ours.restored if ours.restored is not None else octets if decoded.frame.kind == framing.IP else None
    if plain is not None:
        lines.append("  restored:" if ours.restored is not None else "  fields:")
        for packet in (plain, *ours.also_restored):
            parts = fields.dissect(packet, ours.rtp)
            lines += [f"  octet {part.offset:4d}  {part.name:<36} {part.value}" for part in parts]
    return lines


def document(packet: DecodedPacket) -> dict[str, Any]:
    """The packet as a JSON document. Octets are in hexadecimal, values by name."""
    captured = packet.captured
    return {
        "number": captured.number,
        "time_ns": captured.time_ns,
        "since_first_ns": packet.since_ns,
        "channel": packet.channel,
        "carries": packet.frame.kind,
        "what": packet.frame.what,
        "vlans": list(packet.frame.vlans),
        "octets": packet.frame.octets.hex(),
        "captured": len(captured.octets),
        "length": captured.length,
        "comments": list(captured.comments),
        "judge": _judge(packet.ours, packet.restored, packet.also_restored),
        "tshark": _reading(packet.theirs),
        "verdict": packet.compared.verdict,
        "agreed": packet.compared.agreed,
        "differences": [{"name": d.name, "judge": d.ours, "tshark": d.theirs} for d in packet.compared.differences],
        "silent": packet.compared.silent,
    }


def _reading(reading: Reading | None) -> dict[str, Any] | None:
    if reading is None:
        return None
    return {"title": reading.title, "values": reading.values, "error": reading.error, "notes": reading.notes}


def _judge(ours: Ours | None, restored: Ours | None, also: list[Ours]) -> dict[str, Any] | None:
    result = _reading(ours)
    if ours is None or result is None:
        return None
    result["header_octets"] = ours.header_octets
    result["restored"] = ours.restored.hex() if ours.restored is not None else None
    result["restored_as"] = _reading(restored)
    if also:
        octets = (packet.hex() for packet in ours.also_restored)
        result["also_restored"] = [{"octets": a, "as": _reading(b)} for a, b in zip(octets, also, strict=True)]
    return result
