# SPDX-License-Identifier: Apache-2.0
"""Our own reading of ROHC: one decompressor of the judge for each channel, which remembers earlier packets."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from headroom.core.captures import ip_headers
from headroom.core.captures.dissection import LinkPacket, LinkReader, Ours, Reading, ReadingComparison, Value
from headroom.schemes.rohc.decode.comparing import Limits, RohcReading, compare
from headroom.schemes.rohc.judge import (
    Channel,
    CrcMismatch,
    Decompressor,
    MalformedPacket,
    Outcome,
    Parameters,
    RohcError,
    Unsupported,
)
from headroom.schemes.rohc.judge.framework.cid import MAX_LARGE_CID, MAX_SMALL_CID
from headroom.schemes.rohc.judge.framework.profiles import VERSION_2, title
from headroom.schemes.rohc.judge.tcp import feedback as tcp_feedback
from headroom.schemes.rohc.judge.tcp.chains import Context as TcpContext
from headroom.schemes.rohc.judge.tcp.packets import Packet as TcpPacket
from headroom.schemes.rohc.judge.v1 import feedback
from headroom.schemes.rohc.judge.v1.context import Context
from headroom.schemes.rohc.judge.v1.packet import Packet, trace_line
from headroom.schemes.rohc.judge.v1.profiles import PROFILES, TCP, UNCOMPRESSED

Feedback = feedback.Feedback | tcp_feedback.Feedback
READ = {**PROFILES, TCP.number: TCP}  # profiles that are read here
MRRU = 65_535  # what was negotiated is not in a capture: the largest allows all segments
TRIED = 200  # packets that decide whether CIDs are small or large
RECENT = 64  # SN behind the last packet's that feedback may be about: it comes a round trip later


@dataclass(frozen=True)
class ChannelHints:
    """Known parameters of the channels. `large_cids` None: the reader finds out; `max_cid` None: the largest
    possible."""

    large_cids: bool | None = None
    max_cid: int | None = None
    profiles: frozenset[int] = frozenset(READ)
    evidence: list["CidEvidence"] = field(default_factory=list, compare=False)  # of each channel of the capture

    def parameters(self, large: bool) -> Parameters:
        largest = MAX_LARGE_CID if large else MAX_SMALL_CID
        most = largest if self.max_cid is None else min(self.max_cid, largest)
        return Parameters(large_cids=large, max_cid=most, profiles=self.profiles, mrru=MRRU, profiles_known=False)


class CidEvidence(NamedTuple):
    """Evidence that packets give of the size of their CIDs: above zero for large ones, below for small ones.

    Headers have the CIDs of their channel, feedback those of the channel in the other direction (RFC 3095, 5.2.2).
    """

    headers: int
    feedback: int


def evidence_of(packets: Iterable[bytes], hints: ChannelHints) -> CidEvidence:
    """Reads the first packets of a channel in both ways."""
    first = [packet for _, packet in zip(range(TRIED), packets, strict=False)]
    sense = {large: _sense(first, hints.parameters(large)) for large in (False, True)}
    return CidEvidence(sense[True].headers - sense[False].headers, sense[True].feedback - sense[False].feedback)


def _sense(packets: list[bytes], parameters: Parameters) -> CidEvidence:
    judge = Decompressor(parameters)
    headers = elements = 0
    for packet in packets:
        outcome = judge.decompress(packet)
        headers += 4 if outcome.error is None else _profile_sense(outcome.error, packet)
        elements += sum(_feedback_sense(data, parameters.large_cids) for data in outcome.feedback)
    return CidEvidence(headers, elements)


def _profile_sense(error: RohcError, octets: bytes) -> int:
    """Rates how well a refused packet fits a profile that is not implemented."""
    if isinstance(error, Unsupported):
        return 0 if ".." in error.feature else 2  # of several profiles, or of none that is registered
    return int(version_2(error, octets) is not None)


def _feedback_sense(data: bytes, large: bool) -> int:
    if _tcp_feedback(data, large) is not None:
        return 4
    try:
        element = feedback.parse(data, large)
    except RohcError:
        return -2
    if element.has_option(feedback.CRC):
        return 4 if element.is_protected else -4
    return -((element.mode == 0) + any(option.type not in feedback.OPTIONS for option in element.options))


def version_2(error: RohcError, octets: bytes) -> int | None:
    """The number of the ROHCv2 profile that an IR packet which does not hold as one of version 1 may be of.

    Its octet is that of both, it always has a dynamic chain, and its static chain begins with a part of IPv4 or IPv6
    (RFC 5225, 6.8.1 and 6.8.2.4).
    """
    known = {field.name: field for field in error.fields}
    if not isinstance(error, CrcMismatch | MalformedPacket) or not {"IR", "D", "Profile", "CRC"} <= known.keys():
        return None
    number, chain = 0x0100 | known["Profile"].value, octets[known["CRC"].position // 8 + 1 :][:1]
    if not known["D"].value or number not in VERSION_2 or not chain:
        return None
    return number if chain[0] in (0x00, 0x40) or chain[0] & 0xA0 == 0x80 else None


class RohcReader(LinkReader):
    """Reads the packets of one channel in their order. `feedback_large` is None if the CIDs of feedback are as large
    as those of headers."""

    def __init__(self, hints: ChannelHints, large: bool, feedback_large: bool | None = None) -> None:
        self.hints, self.large_cids = hints, large
        self.feedback_large = large if feedback_large is None else feedback_large
        self.judge = Decompressor(hints.parameters(large))
        self.limits = Limits()
        self._refused: dict[int, str] = {}  # CIDs whose last IR packet could not be read, and why perhaps
        self._elements: list[Feedback] = []  # the feedback in the last packet
        self._gap = False  # in front of the last packet

    def read(self, link: LinkPacket) -> RohcReading:
        # Lengths are inferred: octets that were not captured are there for the judge, and are taken away again.
        outcome = self.judge.decompress(link.octets + bytes(link.missing), link.time_ns)
        packet = outcome.packet
        ours = RohcReading(packet=packet)
        if packet is not None:
            _values(packet, outcome.after, ours)
            ours.versions = tuple(ip.version for ip in outcome.after.ips) if outcome.after else ()
            ours.lists = outcome.after is not None and any(ip.headers.items for ip in outcome.after.ips)
            ours.trace = packet.trace().splitlines()
            ours.notes += [f"{remark.sentence} ({remark.requirement})" for remark in packet.remarks]
            ours.notes += _constant_ip_id(packet, outcome.after)
        elif outcome.error is not None:
            ours.trace = [trace_line(field) for field in outcome.error.fields]
            ours.title = "refused"
            if outcome.error.cid is not None:
                ours.values["CID"] = outcome.error.cid
        if outcome.error is not None:
            ours.error = str(outcome.error)
            ours.unsupported = isinstance(outcome.error, Unsupported)
            ours.refuses_ir = any(field.name in ("IR", "IR-DYN") for field in outcome.error.fields)
            ours.notes += self._guess(outcome.error, link.octets)
        elif packet is not None and packet.kind == "IR":
            self._refused.pop(packet.cid, None)
        if outcome.is_unfinished:
            ours.notes.append("a segment: more of its unit are to come")
        elif outcome.is_segment and not ours.error:
            ours.notes.append("the last segment: this is the unit that it completes")
        ours.verified = _verified(outcome)
        self._gap = _has_gap(outcome)
        ours.is_feedback = outcome.error is None and packet is not None and packet.kind == "feedback"
        elements = [_feedback(data, self.feedback_large, ours) for data in outcome.feedback]
        ours.other_feedback_cids = self.feedback_large != self.large_cids
        self._elements = [feedback for feedback in elements if feedback is not None]
        if elements:
            ours.values["feedback"] = [_feedback_values(feedback) for feedback in self._elements]
        if outcome.delivered is not None:
            ours.restored = outcome.delivered[: len(outcome.delivered) - link.missing]
            ours.rtp = outcome.after is not None and outcome.after.profile.rtp
        return ours

    def _guess(self, error: RohcError, octets: bytes) -> list[str]:
        """Returns why a packet may have been refused though its sender is right."""
        if (number := version_2(error, octets)) is not None:
            guess = f"perhaps it is ROHCv2 (profile {title(number)}), which is not implemented"
            if error.cid is not None:
                self._refused[error.cid] = guess
            return [guess]
        if error.cid is not None and error.cid in self._refused and not isinstance(error, Unsupported):
            return [f"the last IR packet for CID {error.cid} was refused: {self._refused[error.cid]}"]
        return []

    def is_plausible(self, peer: LinkReader) -> bool:
        """False if SN leaves a gap, or feedback is for a context that the other direction has not set up."""
        assert isinstance(peer, RohcReader)
        channel = peer.judge.channel
        return not self._gap and all(
            feedback.cid in channel.contexts or feedback.cid in channel.tcp_contexts for feedback in self._elements
        )

    def answers(self, peer: LinkReader) -> int:
        assert isinstance(peer, RohcReader)
        channel = peer.judge.channel
        return min((_answers(feedback, channel) for feedback in self._elements), default=0)

    def copy(self) -> "RohcReader":
        copy = RohcReader(self.hints, self.large_cids, self.feedback_large)
        copy.judge, copy._refused = self.judge.copy(), dict(self._refused)
        return copy

    def compare(self, ours: Ours, theirs: Reading | None) -> ReadingComparison:
        assert isinstance(ours, RohcReading)
        return compare(ours, theirs, self.limits)


def _verified(outcome: Outcome) -> bool | None:
    """True if a CRC over the header is right; None: the packet has none, or is refused."""
    packet = outcome.packet
    if outcome.error is not None or packet is None or outcome.is_unfinished:
        return None
    if packet.tcp is not None:
        return True
    return True if packet.kind in ("IR", "IR-DYN") or (packet.header is not None and packet.header.has_crc) else None


def _has_gap(outcome: Outcome) -> bool:
    before, after, packet = outcome.before, outcome.after, outcome.packet
    if before is None or after is None or packet is None or packet.header is None or outcome.error is not None:
        return False
    return packet.header.has_crc and (after.sn - before.sn) % (1 << after.profile.sn_bits) != 1


def ends_of(octets: bytes, hints: ChannelHints) -> tuple[bytes, bytes] | None:
    """Source and destination address of the outermost header in an IR packet, the only one that has them whole; None
    of any other, and where the destination is a group."""
    for large in (False, True):
        outcome = Decompressor(hints.parameters(large)).decompress(octets)
        if outcome.error is None and outcome.packet is not None and outcome.packet.kind == "IR":
            packet = _addresses(outcome)
            half = len(packet) // 2
            source, destination = packet[:half], packet[half:]
            if half and source != destination and not ipaddress.ip_address(destination).is_multicast:
                return source, destination
    return None


def _addresses(outcome: Outcome) -> bytes:
    if outcome.after is not None and outcome.after.ips:
        return outcome.after.ips[0].addresses
    ips = ip_headers.read(outcome.delivered or b"")
    return ips[0].source + ips[0].destination if ips else b""


def _constant_ip_id(packet: Packet, context: Context | None) -> list[str]:
    """Says of a compressed packet that its IP-ID is restored by a flag which its profile does not have."""
    if packet.header is None or context is None or context.profile.constant_ip_id:
        return []
    if not any(ip.version == 4 and ip.sid and not ip.rnd for ip in context.ips):
        return []
    return [f"the IP-ID is constant by SID (RFC 3843, 3.3), which profile {context.profile} does not have"]


def _values(packet: Packet, context: Context | None, ours: Ours) -> None:
    ours.title = packet.kind
    if packet.kind in ("segment", "feedback"):
        return
    ours.header_octets, ours.payload_octets = packet.header_octets, len(packet.payload)
    ours.values["CID"] = packet.cid
    if packet.profile is not None:
        ours.values["profile"] = packet.profile.number
    if packet.tcp is not None:
        _tcp_values(packet.tcp, packet, ours.values)
    elif packet.header is not None:
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
    """The fields that IR and IR-DYN packets carry uncompressed."""
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


def _tcp_values(packet: TcpPacket, trace: Packet, values: dict[str, Value]) -> None:
    crc = next((value for name in ("CRC", "header_crc") if (value := trace.value(name)) is not None), None)
    if crc is not None:
        values["CRC"] = crc
    values["MSN"] = packet.context.control["msn"] or 0
    if packet.kind == "IR":
        tcp = packet.context.tcp
        values |= {"source port": tcp["src_port"] or 0, "destination port": tcp["dst_port"] or 0}


def _tcp_feedback(data: bytes, large_cids: bool) -> tcp_feedback.Feedback | None:
    """Feedback that is of profile 0x0006 by its CRC-8, unless the CRC option of another profile is right in it."""
    try:
        if feedback.parse(data, large_cids).is_protected:
            return None
    except RohcError:
        pass
    try:
        element = tcp_feedback.read_feedback(data, large_cids)
    except RohcError:
        return None
    return element if element.format == "FEEDBACK-2" else None


def _feedback(data: bytes, large_cids: bool, ours: Ours) -> Feedback | None:
    """One feedback element; what cannot be read is noted."""
    if (of_tcp := _tcp_feedback(data, large_cids)) is not None:
        return of_tcp
    try:
        element = feedback.parse(data, large_cids)
    except RohcError as error:
        ours.notes.append(f"feedback {data.hex()} cannot be read: {error}")
        return None
    if element.has_option(feedback.CRC) and not element.is_protected:
        ours.notes.append(f"the CRC option of feedback {data.hex()} is wrong")
    return element


def _feedback_values(element: Feedback) -> dict[str, Value]:
    if isinstance(element, tcp_feedback.Feedback):
        options = [tcp_feedback.OPTIONS[option] for option in sorted(element.options)]
        return {
            "type": element.format,
            "CID": element.cid,
            "MSN": element.msn,
            "acknowledgement": element.acktype,
            "options": options,
        }
    result: dict[str, Value] = {"type": element.kind, "CID": element.cid, "SN": element.sn.value}
    if element.kind == "FEEDBACK-2":
        result |= {"acknowledgement": element.acktype, "mode": feedback.mode_name(element) or f"{element.mode}"}
        result["options"] = [f"{option.name} {option.data.hex()}".strip() for option in element.options]
    return result


def _answers(element: Feedback, channel: Channel) -> int:
    """Returns how well feedback fits a context, as `LinkReader.answers` has it. FEEDBACK-1 looks the same in all
    profiles."""
    of_tcp = channel.tcp_contexts.get(element.cid)
    if of_tcp is not None:
        return _answers_tcp(element, of_tcp)
    context = channel.contexts.get(element.cid)
    if context is None or isinstance(element, tcp_feedback.Feedback):
        return 0
    if context.profile is UNCOMPRESSED:
        return 2 if element.kind == "FEEDBACK-1" and not element.sn.value else 0  # RFC 5795, 5.4.5
    behind = (context.sn - element.sn.value) % (1 << element.sn.width)
    return 2 if element.sn_is_valid and behind < RECENT else 1


def _answers_tcp(element: Feedback, context: TcpContext) -> int:
    if isinstance(element, tcp_feedback.Feedback):
        has_msn, msn, width = element.has_msn, element.msn, element.width
    else:
        has_msn, msn, width = element.kind == "FEEDBACK-1", element.sn.value, element.sn.width
    behind = ((context.control["msn"] or 0) - msn) % (1 << width)
    return 2 if has_msn and behind < RECENT else 1
