# SPDX-License-Identifier: Apache-2.0
"""One link packet, parsed field by field by `parse_packet`, which reads the channel's contexts and changes nothing."""

from dataclasses import dataclass, field

from headroom.schemes.rohc.judge.framework import crc, framing, profiles
from headroom.schemes.rohc.judge.framework.bits import Reader
from headroom.schemes.rohc.judge.framework.errors import (
    CrcMismatch,
    MalformedPacket,
    NoContext,
    RohcError,
    Unsupported,
    WrongState,
)
from headroom.schemes.rohc.judge.framework.fields import Field
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.tcp import packets as tcp_packets
from headroom.schemes.rohc.judge.v1 import base_header, chains
from headroom.schemes.rohc.judge.v1.base_header import CompressedHeader
from headroom.schemes.rohc.judge.v1.chains import DynamicChain, StaticChain
from headroom.schemes.rohc.judge.v1.context import STATIC_CONTEXT, Channel, Context
from headroom.schemes.rohc.judge.v1.profiles import PROFILES, TCP, UNCOMPRESSED, Profile

FAMILY = PROFILES.keys() - {UNCOMPRESSED.number}  # a channel without any of these has ROHC-TCP alone


@dataclass(slots=True)
class Packet:
    """A parsed link packet. `kind` is the RFC's name ("UO-1-ID", "IR-DYN"), "Normal", "segment" or "feedback".

    A packet of type 0, 1 or 2 has `header`; IR and IR-DYN have their chains in `static` and `dynamic`; one of ROHC-TCP
    has `tcp`, restored and verified, and the name of its format as kind.
    """

    octets: bytes
    kind: str
    cid: int
    fields: list[Field]
    profile: Profile | None = None
    padding: int = 0
    feedback: list[bytes] = field(default_factory=list)
    start: int = 0  # octet at which the header (with its Add-CID octet) begins
    end: int = 0  # octet behind the header
    payload: bytes = b""
    static: StaticChain | None = None
    dynamic: DynamicChain | None = None
    header: CompressedHeader | None = None
    tcp: tcp_packets.Packet | None = None
    final: bool = False  # of a segment
    remarks: list[Remark] = field(default_factory=list)

    @property
    def header_octets(self) -> int:
        """Octets on the link that stand for the uncompressed header: CID and CRC included, padding and feedback not."""
        return self.end - self.start

    def value(self, name: str) -> int | None:
        """Value of the first field of that name; None if there is none."""
        return next((field.value for field in self.fields if field.name == name), None)

    def trace(self) -> str:
        """The packet field by field, one line each: position of the first bit, width in bits, name, value."""
        what = f"{self.kind}, CID {self.cid}" + (f", profile {self.profile}" if self.profile else "")
        lines = [f"{what}: {self.header_octets} octets of header, {len(self.payload)} of payload"]
        lines += [trace_line(field) for field in self.fields]
        return "\n".join(lines)


def trace_line(field: Field) -> str:
    if field.width <= 8:
        shown = f"{field.value:0{field.width}b} = {field.value}"
    elif field.width <= 32:
        shown = f"0x{field.value:0{field.width // 4}x} = {field.value}"
    else:
        octets = field.octets()
        shown = octets[:24].hex() + ("…" if len(octets) > 24 else "")
    return f"  bit {field.position:4d}  {field.width:4d}  {field.name:<28} {shown}"


def parse_packet(octets: bytes, channel: Channel, reconstructed: bool = False) -> Packet:
    """Parses a link packet as the contexts allow. Raises a RohcError whose `fields` hold what was read until then."""
    reader = Reader(octets)
    try:
        return _parse(reader, channel, reconstructed)
    except RohcError as error:
        error.fields = reader.fields
        raise


def _parse(reader: Reader, channel: Channel, reconstructed: bool) -> Packet:
    parameters = channel.parameters
    frame = framing.read(reader, parameters.large_cids, reconstructed)
    packet = Packet(
        reader.octets,
        frame.kind,
        frame.cid,
        reader.fields,
        padding=frame.padding,
        feedback=frame.feedback,
        start=frame.start,
    )
    if frame.kind == framing.FEEDBACK:
        packet.end = reader.position
        return packet
    if frame.kind == framing.SEGMENT:
        packet.final = bool(reader.split(("segment", 7), ("F", 1))[1])
        packet.end = reader.position
        packet.payload = reader.rest("segment")
        return packet
    if frame.cid > parameters.max_cid:
        raise NoContext("RFC5795-5.1.2-2", f"The packet is for CID {frame.cid}, but MAX_CID is {parameters.max_cid}.")
    try:
        _parse_header(reader, frame, packet, channel)
    except RohcError as error:
        error.cid = frame.cid
        error.feedback = frame.feedback  # It is for the compressor, whatever becomes of the header (5.2.6, step 4).
        raise
    return packet


def _parse_header(reader: Reader, frame: framing.Frame, packet: Packet, channel: Channel) -> None:
    context = channel.contexts.get(frame.cid)
    if _is_tcp(reader, frame, channel):
        if frame.kind != framing.IR:
            _refuse_unreadable(frame.cid, channel)
        _parse_tcp(reader, frame, packet, channel)
    elif frame.kind == framing.IR:
        _parse_ir(reader, frame, packet, channel)
    else:
        _refuse_unreadable(frame.cid, channel)
        if frame.kind == framing.IR_DYN:
            _parse_ir_dyn(reader, frame, packet, context, channel)
        elif context is None:
            requirement = "RFC3095-5.2.6-8" if channel.parameters.profiles & FAMILY else "RFC6846-5.3.1.3-1"
            raise NoContext(requirement, f"No IR packet has established a context for CID {frame.cid}.")
        elif context.profile is UNCOMPRESSED:
            _parse_normal(reader, frame, packet)
        else:
            _parse_compressed(reader, frame, packet, context)


def _refuse_unreadable(cid: int, channel: Channel) -> None:
    if cid in channel.unreadable:
        feature = channel.unreadable[cid]
        what = feature.replace("profile-", "profile ")
        raise Unsupported(
            "RFC5795-5.2.2-1", f"The context of CID {cid} is unknown since a packet with {what}.", feature
        )


def _is_tcp(reader: Reader, frame: framing.Frame, channel: Channel) -> bool:
    """True if a packet is of profile 0x0006: by its Profile octet, or by the context of its CID."""
    if frame.kind == framing.OTHER:
        return frame.cid in channel.tcp_contexts
    at = reader.position + 1 + sum(field.width // 8 for field in frame.large_cid)
    octet = reader.octets[at : at + 1]
    return bool(octet) and profiles.select(octet[0], channel.parameters.profiles) == profiles.TCP


def _parse_tcp(reader: Reader, frame: framing.Frame, packet: Packet, channel: Channel) -> None:
    packet.profile = TCP
    packet.tcp = tcp_packets.read_header(reader, frame, channel.tcp_contexts, channel.parameters.large_cids)
    packet.kind, packet.payload, packet.end = packet.tcp.kind, packet.tcp.payload, packet.tcp.end


def _select_profile(octet: int, channel: Channel) -> Profile:
    parameters = channel.parameters
    number = profiles.select(octet, parameters.profiles)
    if number in PROFILES:
        return PROFILES[number]
    if number is None and parameters.profiles_known:
        raise MalformedPacket(
            "RFC5795-5.1.2-5", f"The Profile octet is 0x{octet:02x}, which no profile of the channel ends in."
        )
    candidates = [number] if number is not None else profiles.registered(octet)
    names = " or ".join(map(profiles.title, candidates)) or f"0x..{octet:02x}"
    feature = f"profile-0x{candidates[0]:04x}" if len(candidates) == 1 else f"profile-0x..{octet:02x}"
    raise Unsupported(
        "RFC5795-5.1.2-5", f"The packet is of profile {names}, which is not enabled or not implemented.", feature
    )


def _parse_ir(reader: Reader, frame: framing.Frame, packet: Packet, channel: Channel) -> None:
    """RFC 3095, 5.7.7.1 and 5.10.1."""
    x = reader.split(("IR", 7), ("D", 1))[1]
    frame.take_large_cid(reader)
    profile = packet.profile = _select_profile(reader.octet("Profile"), channel)
    crc_at = reader.position
    carried = reader.octet("CRC")
    if profile is UNCOMPRESSED:
        _verify_crc8(packet, reader.octets[frame.start : crc_at], carried)
        if x:
            raise MalformedPacket("RFC5795-5.4.1-2", "The res bit of an IR packet of profile 0x0000 is 1.")
    else:
        packet.static = chains.read_static(reader, profile, packet.remarks)
        if x:
            packet.dynamic = chains.read_dynamic(reader, profile, packet.static, packet.remarks)
        _verify_crc8(packet, _with_zero_crc(reader, frame.start, crc_at), carried)
    packet.end = reader.position
    packet.payload = reader.rest("payload")


def _parse_ir_dyn(
    reader: Reader, frame: framing.Frame, packet: Packet, context: Context | None, channel: Channel
) -> None:
    """RFC 3095, 5.7.7.2."""
    reader.split(("IR-DYN", 8))
    frame.take_large_cid(reader)
    profile = packet.profile = _select_profile(reader.octet("Profile"), channel)
    crc_at = reader.position
    carried = reader.octet("CRC")
    if profile is UNCOMPRESSED:
        raise MalformedPacket("RFC3095-5.10.1-1", "There is no IR-DYN packet in profile 0x0000.")
    if context is None or context.profile is UNCOMPRESSED:
        raise NoContext("RFC3095-5.2.6-7", f"No IR packet has established a static chain for CID {frame.cid}.")
    static = chains.prefix(context, profile)
    if static is None:
        raise MalformedPacket(
            chains.CHAIN_END[profile.number],
            f"IR-DYN names profile {profile}, but the static chain of the context, made by profile "
            f"{context.profile}, is too short.",
        )
    packet.dynamic = chains.read_dynamic(reader, profile, static, packet.remarks)
    _verify_crc8(packet, _with_zero_crc(reader, frame.start, crc_at), carried)
    packet.end = reader.position
    packet.payload = reader.rest("payload")


def _with_zero_crc(reader: Reader, start: int, crc_at: int) -> bytes:
    """The header with its CRC field set to zero, as the CRC is computed (RFC 3095, 5.9.1)."""
    return reader.octets[start:crc_at] + b"\0" + reader.octets[crc_at + 1 : reader.position]


def _verify_crc8(packet: Packet, covered: bytes, carried: int) -> None:
    expected = crc.crc8(covered)
    if expected != carried:
        requirement = "RFC3095-5.2.6-5" if packet.kind == framing.IR else "RFC3095-5.2.6-6"
        raise CrcMismatch(
            requirement,
            f"The {packet.kind} packet carries the wrong CRC 0x{carried:02x}: its octets give 0x{expected:02x}.",
        )


def _parse_normal(reader: Reader, frame: framing.Frame, packet: Packet) -> None:
    """A Normal packet of profile 0x0000: RFC 3095, 5.10.2. Its payload is the whole IP packet."""
    packet.kind, packet.profile = "Normal", UNCOMPRESSED
    first = reader.peek()
    if first & 0xF0 == 0xF0:
        raise MalformedPacket("RFC5795-5.2-1", f"The packet type octet 0x{first:02x} has no meaning in profile 0x0000.")
    reader.octet("first octet of IP packet")
    frame.take_large_cid(reader)
    packet.end = reader.position - 1  # What stands for the header is the CID alone.
    packet.payload = bytes([first]) + reader.rest("rest of IP packet")
    if first >> 4 not in (4, 6):
        packet.remarks.append(
            Remark("RFC3095-5.10.2-1", f"The packet begins with 0x{first:02x}: neither IPv4 nor IPv6.")
        )


def _parse_compressed(reader: Reader, frame: framing.Frame, packet: Packet, context: Context) -> None:
    packet.profile = context.profile
    if not context.dynamic:
        raise WrongState(
            "RFC3095-5.3.2.2.1-2", f"The context of CID {packet.cid} has no dynamic part yet: only IR and IR-DYN help."
        )
    if context.state == STATIC_CONTEXT and base_header.inner_type(reader, frame, context) & 0xE0 != 0xC0:
        raise WrongState("RFC3095-5.3.2.2.1-2", "In Static Context, packets of type 0 and 1 are not decompressed.")
    packet.header = base_header.read(reader, frame, context, packet.remarks)
    packet.kind = packet.header.kind
    packet.end = reader.position
    packet.payload = reader.rest("payload")
