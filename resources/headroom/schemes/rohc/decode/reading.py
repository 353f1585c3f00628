# SPDX-License-Identifier: Apache-2.0
"""Our own reading of ROHC: one decompressor of the judge for each channel, which remembers what came before."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from headroom.core.captures.dissection import LinkPacket, LinkReader, Ours, Reading, ReadingComparison, Value
from headroom.schemes.rohc.decode.comparing import Limits, RohcReading, compare
from headroom.schemes.rohc.judge import Decompressor, Parameters, RohcError, feedback
from headroom.schemes.rohc.judge.cid import MAX_LARGE_CID, MAX_SMALL_CID
from headroom.schemes.rohc.judge.context import Context
from headroom.schemes.rohc.judge.packet import Packet, trace_line
from headroom.schemes.rohc.judge.profiles import PROFILES

MRRU = 65_535  # what was negotiated is not in a capture: the largest allows all segments
TRIED = 200  # packets that decide whether CIDs are small or large


@dataclass(frozen=True)
class ChannelHints:
    """What is known of the channels. `large_cids` None: found out; `max_cid` None: the largest there is."""

    large_cids: bool | None = None
    max_cid: int | None = None
    profiles: frozenset[int] = frozenset(PROFILES)

    def parameters(self, large: bool) -> Parameters:
        largest = MAX_LARGE_CID if large else MAX_SMALL_CID
        most = largest if self.max_cid is None else min(self.max_cid, largest)
        return Parameters(large_cids=large, max_cid=most, profiles=self.profiles, mrru=MRRU)


def reads_as_large(packets: Iterable[bytes], hints: ChannelHints) -> bool:
    """Whether the packets of a channel make more sense with large CIDs than with small ones."""
    first = [packet for _, packet in zip(range(TRIED), packets, strict=False)]
    good = {large: _readable(first, hints.parameters(large)) for large in (False, True)}
    return good[True] > good[False]


def _readable(packets: list[bytes], parameters: Parameters) -> int:
    judge = Decompressor(parameters)
    return sum(judge.decompress(packet).error is None for packet in packets)


class RohcReader(LinkReader):
    """Reads the packets of one channel in their order."""

    def __init__(self, hints: ChannelHints, large: bool) -> None:
        self.large_cids = large
        self.judge = Decompressor(hints.parameters(large))
        self.limits = Limits()

    def read(self, link: LinkPacket) -> RohcReading:
        outcome = self.judge.decompress(link.octets, link.time_ns)
        packet = outcome.packet
        ours = RohcReading(packet=packet)
        if packet is not None:
            _values(packet, outcome.after, ours)
            ours.versions = tuple(ip.version for ip in outcome.after.ips) if outcome.after else ()
            ours.lists = outcome.after is not None and any(ip.headers.items for ip in outcome.after.ips)
            ours.trace = packet.trace().splitlines()
            ours.notes += [f"{one.sentence} ({one.requirement})" for one in packet.remarks]
        elif outcome.error is not None:
            ours.trace = [trace_line(field) for field in outcome.error.fields]
            ours.title = "refused"
            if outcome.error.cid is not None:
                ours.values["CID"] = outcome.error.cid
        if outcome.error is not None:
            ours.error = str(outcome.error)
        if outcome.is_unfinished:
            ours.notes.append("a segment: more of its unit are to come")
        elif outcome.is_segment and not ours.error:
            ours.notes.append("the last segment: this is the unit that it completes")
        elements = [_feedback(data, self.large_cids, ours) for data in outcome.feedback]
        if elements:
            ours.values["feedback"] = [one for one in elements if one]
        if outcome.delivered is not None:
            ours.restored = outcome.delivered
            ours.rtp = outcome.after is not None and outcome.after.profile.rtp
        return ours

    def compare(self, ours: Ours, theirs: Reading | None) -> ReadingComparison:
        assert isinstance(ours, RohcReading)
        return compare(ours, theirs, self.limits)


def _values(packet: Packet, context: Context | None, ours: Ours) -> None:
    ours.title = packet.kind
    if packet.kind in ("segment", "feedback"):
        return
    ours.header_octets, ours.payload_octets = packet.header_octets, len(packet.payload)
    ours.values["CID"] = packet.cid
    if packet.profile is not None:
        ours.values["profile"] = packet.profile.number
    if packet.header is not None:
        _compressed(packet, ours.values)
    elif packet.static is not None or packet.dynamic is not None:
        _chains(packet, context, ours.values)
    elif (crc := packet.value("CRC")) is not None:
        ours.values["CRC"] = crc


def _compressed(packet: Packet, values: dict[str, Value]) -> None:
    """Bits of the base header as they stand; of what an extension lengthens, the whole, with its width."""
    header = packet.header
    assert header is not None
    if (sn := packet.value("SN")) is not None:
        values["SN bits"] = sn
    if header.crc.width:
        values["CRC"] = header.crc.value
    if header.extension is not None:
        values["extension"] = header.extension.number
    if header.ts.width:
        values["TS bits"] = header.ts.value
    if header.ip_id.width:
        values["IP-ID bits"] = header.ip_id.value
    if header.random_ip_ids[1] is not None:
        values["IP-ID"] = header.random_ip_ids[1]
    if (checksum := packet.value("UDP Checksum")) is not None:
        values["UDP checksum"] = checksum


def _chains(packet: Packet, context: Context | None, values: dict[str, Value]) -> None:
    """IR and IR-DYN: what they carry as it is."""
    if (crc := packet.value("CRC")) is not None:
        values["CRC"] = crc
    if packet.static is not None and context is not None:
        for ip in context.ips:
            half = len(ip.addresses) // 2
            for name, octets in (("source", ip.addresses[:half]), ("destination", ip.addresses[half:])):
                known: Any = values.setdefault(f"IPv{ip.version} {name}", [])
                known.append(str(ipaddress.ip_address(octets)))
        if context.ports:
            values["source port"] = int.from_bytes(context.ports[:2], "big")
            values["destination port"] = int.from_bytes(context.ports[2:], "big")
        if context.ssrc:
            values["SSRC"] = int.from_bytes(context.ssrc, "big")
    if packet.dynamic is not None:
        values["SN"] = packet.dynamic.sn
        if packet.dynamic.rtp is not None:
            values |= {"TS": packet.dynamic.rtp.ts, "PT": packet.dynamic.rtp.payload_type}


def _feedback(data: bytes, large_cids: bool, ours: Ours) -> dict[str, Value] | None:
    """One feedback element; what cannot be read is noted."""
    try:
        one = feedback.parse(data, large_cids)
    except RohcError as error:
        ours.notes.append(f"feedback {data.hex()} cannot be read: {error}")
        return None
    found: dict[str, Value] = {"type": one.kind, "CID": one.cid, "SN": one.sn.value}
    if one.kind == "FEEDBACK-2":
        found |= {"acknowledgement": one.acktype, "mode": feedback.mode_name(one) or f"{one.mode}"}
        found["options"] = [f"{option.name} {option.data.hex()}".strip() for option in one.options]
        if one.has(feedback.CRC) and not one.protected:
            ours.notes.append(f"the CRC option of feedback {data.hex()} is wrong")
    return found
