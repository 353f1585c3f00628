# SPDX-License-Identifier: Apache-2.0
"""The evidence of a failed case: a text with both decodes of the packet in question side by side."""

from headroom.core.finding import Finding
from headroom.core.scheme_kit.evidence import side_by_side
from headroom.core.text import nth
from headroom.schemes.rohc.conformance.observation import Observation, ObservedPacket
from headroom.schemes.rohc.conformance.vectors import VectorOutcome
from headroom.schemes.rohc.judge.v1.packet import trace_line


def of_finding(seen: Observation, finding: Finding) -> str:
    """The packet that a finding is about: the link as the judge reads it, the original beside what the judge
    restores."""
    observed = next((packet for packet in seen.packets if packet.index == finding.packet), None)
    lines = [str(finding), ""]
    if observed is None:
        return "\n".join([*lines, "There is no such packet."])
    return "\n".join([*lines, *of_packet(observed)])


def of_packet(packet: ObservedPacket) -> list[str]:
    """Lines about one packet: its fields on the link, and the original beside what the judge restores."""
    lines = [f"on the link: {packet.link.hex() if packet.link is not None else 'nothing'}"]
    lines += [f"as {nth('segment', n)}: {segment.hex()}" for n, segment in enumerate(packet.segments)]
    outcome = packet.outcome
    if outcome is not None and outcome.packet is not None:
        lines += outcome.packet.trace().splitlines()
    elif outcome is not None and outcome.error is not None:
        lines += [f"refused: {outcome.error}", *(trace_line(field) for field in outcome.error.fields)]
    if outcome is not None and outcome.error is not None and outcome.packet is not None:
        lines.append(f"refused: {outcome.error}")
    restored = outcome.delivered if outcome is not None else None
    lines += ["", *side_by_side("original", packet.original, "restored by the judge", restored)]
    statuses = ", ".join(arrival["status"] for arrival in packet.record.get("decompressor", ()))
    lines += ["", f"the decompressor: {packet.verdict}" + (f" ({statuses})" if statuses else "")]
    return lines


def of_vector(played: VectorOutcome) -> str:
    """A vector: its purpose, its fault, and each link packet with its fields and outcome."""
    vector = played.vector
    lines = [
        f"{vector.name}: {vector.shows}",
        *(f"  RFC {entry['rfc']}, {entry['section']}: {entry['text']}" for entry in vector.rests_on),
    ]
    lines += ["", *played.wrong, ""]
    for number, step in enumerate(vector.steps):
        record = played.records[number] if number < len(played.records) else {}
        statuses = ", ".join(arrival["status"] for arrival in record.get("decompressor", ())) or "nothing"
        lines.append(f"{nth('link packet', number)}: {step.link.hex()}")
        lines += [
            f"  {field.bits:4d} bits  {field.name:<28} 0x{field.value:x}  {field.why}".rstrip() for field in step.fields
        ]
        lines.append(f"  must be {step.outcome}; {record.get('verdict', 'not played')} ({statuses})")
        if step.packet is not None:
            lines.append(f"  original {step.packet.hex()}")
    return "\n".join(lines)
