# SPDX-License-Identifier: Apache-2.0
"""Rules on a stream: which packets a compressor may send when, with which profile, in which mode."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from headroom.schemes.rohc.judge.framework import framing
from headroom.schemes.rohc.judge.framework.errors import NoContext, RohcError, WrongState
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.v1 import extension_headers, headers
from headroom.schemes.rohc.judge.v1.chains import RtpDynamic
from headroom.schemes.rohc.judge.v1.context import MODES, Context
from headroom.schemes.rohc.judge.v1.extension import RtpChanges
from headroom.schemes.rohc.judge.v1.feedback import CLOCK, Feedback, mode_name
from headroom.schemes.rohc.judge.v1.lists import CompressedList
from headroom.schemes.rohc.judge.v1.packet import Packet
from headroom.schemes.rohc.judge.v1.profiles import IP, RTP, UDP, UNCOMPRESSED
from headroom.schemes.rohc.judge.v1.rules_values import SecureReferences

TYPES_0_AND_1 = ("UO-0", "UO-1", "UO-1-ID", "UO-1-TS", "R-0", "R-0-CRC", "R-1", "R-1-ID", "R-1-TS")
UPDATES = ("IR", "IR-DYN", "UOR-2", "UOR-2-ID", "UOR-2-TS")
WITHOUT_CRC = ("R-0", "R-1", "R-1-ID", "R-1-TS")  # the context stays as it is (RFC 3095, 5.7.1 and 5.7.2)
CSRC = "CSRC list"
_GENERATED_SN = {0x0002: "RFC3095-5.11-1", 0x0004: "RFC3843-3-1", 0x0008: "RFC4019-5.2-1"}


@dataclass(slots=True)
class Flow:
    """State that the checker keeps for one CID beside the decompressor's context."""

    packets: int = 0
    since_ir: int = 0  # packets since the last IR
    since_rnd_change: int | None = None  # packets since an RND flag changed; None: long enough
    mode: str = "U"  # the compressor's mode, as feedback has set it
    requested_mode: str | None = None  # a mode that feedback requested and that is not granted at once
    turning_to: str | None = None  # C_TRANS is P: packets with the requested mode were sent, none was acknowledged
    turning_sns: list[int] = field(default_factory=list)  # their sequence numbers
    secure: SecureReferences = field(default_factory=SecureReferences)
    generations: dict[str, tuple[int, list[bytes]]] = field(default_factory=dict)  # last gen_id and items of each list
    last_sn: int | None = None  # of the last packet, whether or not it updated the context
    heard: bool = False  # feedback has arrived
    inherits_mode: bool = False  # the CID has another stream of the same profile, which has not said its mode yet
    ts_stride_updated: bool = False
    time_stride_updated: bool = False
    answer_to: str | None = None  # NACK or STATIC-NACK that the next packet must answer
    repair: str | None = None  # the same, until a packet of the right kind has come


def refused(error: RohcError) -> Remark:
    """A packet that the decompressor refused, seen from the compressor's side."""
    if isinstance(error, NoContext | WrongState) and error.requirement.startswith("RFC3095"):
        return Remark("RFC3095-4.3.1-1", f"{error.sentence} A stream starts with IR packets.")
    return Remark(error.requirement, error.sentence)


def interrupted(segments: int) -> Iterator[Remark]:
    """Segments of one unit that are not followed by the rest of it: RFC 3095, 5.2.5.2."""
    which = "a segment that is" if segments == 1 else f"{segments} segments that are"
    yield Remark("RFC3095-5.2.5.2-1", f"Behind {which} not final comes no other segment: the unit is given up.")


def profile_fits(packet: Packet, source: bytes) -> Iterator[Remark]:
    """Yields each reason why the packet's profile cannot carry this original: RFC 3095, 5.7.7.4 and 5.7.7.5."""
    profile = packet.profile
    if profile is None or profile is UNCOMPRESSED:
        return
    original = headers.parse(source, profile.after_ip, protocols=())
    if original is None:
        yield Remark("RFC3095-4.2-1", f"The original is not a packet that profile {profile} can describe.")
        return
    for ip in original.ips:
        if ip.options:
            yield Remark("RFC3095-5.7.7.4-2", "The original has IPv4 options, which are not compressed.")
        if ip.fragment:
            yield Remark(
                "RFC3095-5.7.7.4-2", "The original is a fragment, or has the reserved flag set; neither is compressed."
            )
        if ip.version == 4 and not ip.options and not headers.checksum_is_right(source[ip.start : ip.start + 20]):
            yield Remark(
                "RFC3095-5.7.7.4-6", "The IPv4 header checksum of the original is wrong: it cannot be inferred."
            )
        if not ip.length_matches:
            yield Remark(
                "RFC3095-5.7.7.4-6",
                "The length in an IP header of the original is not that of its octets: it cannot be inferred.",
            )
    if (
        profile.transport == "UDP"
        and int.from_bytes(source[original.udp + 4 : original.udp + 6], "big") != len(source) - original.udp
    ):
        yield Remark("RFC3095-5.7.7.5-1", "The UDP length of the original does not match the length of the packet.")


def empty_payload(packet: Packet, source: bytes | None) -> Iterator[Remark]:
    if (
        source is not None
        and packet.kind in (framing.IR, framing.IR_DYN)
        and packet.dynamic is not None
        and not packet.payload
    ):
        yield Remark(
            "RFC3095-5.7.7-2", f"The original has no payload, but it is sent as {packet.kind}: that delivers nothing."
        )


def new_context(packet: Packet, before: Context | None, after: Context, flow: Flow) -> Iterator[Remark]:
    """A packet that begins a new context in a CID takes its mode from the old one, or not: RFC 4815, 7.2.

    Another profile starts in its initial mode (7.2.2), so that the rules on modes below hold the packet to U-mode. The
    same profile should inherit the mode (7.2.1); one that starts in U-mode all the same is in U-mode from here on.
    """
    if before is None:
        return
    if before.profile is not after.profile:
        _restart_mode(flow)
        flow.ts_stride_updated = flow.time_stride_updated = False
        flow.secure.clear()
        flow.generations.clear()
        return
    if packet.kind == "IR" and not _is_same_stream(before, after):
        flow.generations.clear()
        flow.inherits_mode = True
    carried = MODES.get(_mode(packet) or 0)
    if not flow.inherits_mode or carried is None:
        return
    flow.inherits_mode = False
    if carried == "U" and "U" not in (flow.mode, flow.requested_mode):
        yield Remark(
            "RFC4815-7.2.1-1",
            f"The CID is reused with the same profile in mode U; its old context was in mode {flow.mode}.",
        )
        _restart_mode(flow)


def _restart_mode(flow: Flow) -> None:
    flow.inherits_mode = False
    flow.mode, flow.requested_mode, flow.turning_to = "U", None, None
    flow.turning_sns.clear()


def mode_bits(packet: Packet, flow: Flow) -> Iterator[Remark]:
    """Mode parameters are those of the mode that feedback brought about: RFC 3095, 4.4.1 and 5.6."""
    carried = _mode(packet)
    if carried is None:
        return
    if carried == 0:
        if packet.profile is not None and packet.profile.cancels_modes and flow.requested_mode is None:
            rule = "RFC3843-3.4-7" if packet.profile is IP else "RFC4019-5.6-3"
            yield Remark(rule, f"The {packet.kind} packet cancels a mode transition that was not requested.")
        return
    name = MODES[carried]
    if name not in (flow.mode, flow.requested_mode):
        rule = "RFC3095-5.6.2-1" if flow.heard else "RFC3095-4.4.1-1"
        yield Remark(rule, f"The {packet.kind} packet says mode {name}, but the compressor is in mode {flow.mode}.")


def _mode(packet: Packet) -> int | None:
    if packet.dynamic is not None and packet.dynamic.rtp is not None:
        return packet.dynamic.rtp.mode
    if packet.header is not None and packet.header.extension is not None and packet.kind != "UO-1-ID":
        return packet.header.extension.mode
    return None


def take_feedback(flow: Flow, feedback: Feedback) -> None:
    """Applies feedback to the flow: its mode, secure references, and the packet that has to answer: RFC 3095,
    5.4.1.1.1 and 5.6.
    """
    flow.heard = True
    if feedback.kind == "FEEDBACK-2" and feedback.is_protected:
        mode = mode_name(feedback)
        if flow.turning_to is not None:  # other requests are ignored (5.6.1)
            if mode == flow.turning_to and feedback.acktype == "ACK" and _is_about(feedback, flow.turning_sns):
                flow.mode, flow.requested_mode, flow.turning_to = mode, None, None
        elif mode == "O" and flow.mode == "U":
            flow.mode, flow.requested_mode = "O", None
        elif mode is not None and mode != flow.mode:
            flow.requested_mode = mode
    if feedback.acktype == "ACK" and feedback.sn_is_valid:
        flow.secure.acknowledge(feedback.sn)
    believed = feedback.is_protected or not _has_crc(feedback)
    if feedback.acktype != "ACK" and flow.mode != "U" and believed and flow.answer_to != "STATIC-NACK":
        flow.answer_to = flow.repair = feedback.acktype


def _is_about(feedback: Feedback, sns: list[int]) -> bool:
    mask = (1 << feedback.sn.width) - 1
    return any(not (sn ^ feedback.sn.value) & mask for sn in sns)


def transition(packet: Packet, flow: Flow) -> Iterator[Remark]:
    """From or to R-mode, packet types 0 and 1 wait for the end of the transition: RFC 3095, 5.6.1, 5.6.3, 5.6.5."""
    if flow.turning_to is None or packet.kind not in TYPES_0_AND_1 or "R" not in (flow.mode, flow.turning_to):
        return
    rule = {"R": "RFC3095-5.6.3-1", "O": "RFC3095-5.6.5-2", "U": "RFC3095-5.6.1-5"}[flow.turning_to]
    yield Remark(
        rule,
        f"{packet.kind} is sent during the transition from {flow.mode} to {flow.turning_to}, before an acknowledgement "
        "of a packet with the new mode.",
    )


def _has_crc(feedback: Feedback) -> bool:
    return any(option.name == "CRC" for option in feedback.options)


def answers(packet: Packet, flow: Flow) -> Iterator[Remark]:
    """The packet after a NACK or STATIC-NACK: RFC 3095, 5.4.1.1.1; RFC 4815, 8.11."""
    if packet.profile is UNCOMPRESSED:
        flow.answer_to = flow.repair = None
        return
    if flow.answer_to == "STATIC-NACK" and packet.kind != "IR":
        yield Remark("RFC3095-5.4.1.1.1-3", f"After a STATIC-NACK comes {packet.kind}, not an IR packet.")
    elif flow.answer_to == "NACK" and packet.kind not in UPDATES:
        yield Remark("RFC3095-5.4.1.1.1-1", f"After a NACK comes {packet.kind}, not an update (IR, IR-DYN or UOR-2).")
    flow.answer_to = None
    if flow.repair is None or packet.kind not in UPDATES:
        return
    for updated, name, has in (
        (flow.ts_stride_updated, "TS_STRIDE", _has_stride(packet, "ts_stride")),
        (flow.time_stride_updated, "TIME_STRIDE", _has_stride(packet, "time_stride")),
    ):
        if not updated or has:
            continue
        if flow.repair == "STATIC-NACK" and packet.kind == "IR":
            yield Remark("RFC4815-8.11-2", f"The IR packet after a STATIC-NACK lacks {name}, which was updated before.")
        elif flow.repair == "NACK" and packet.kind.startswith("UOR-2"):
            yield Remark(
                "RFC4815-8.11-1", f"The repair by {packet.kind} after a NACK lacks {name}, which was updated before."
            )
    flow.repair = None


def _has_stride(packet: Packet, stride: str) -> bool:
    part: RtpDynamic | RtpChanges | None = packet.dynamic.rtp if packet.dynamic else None
    if part is None and packet.header is not None and packet.header.extension is not None:
        part = packet.header.extension.rtp
    return part is not None and getattr(part, stride) is not None


def clock_ms(feedback: Feedback) -> int:
    """Resolution of the decompressor's clock in ms as feedback tells it, 0 for none: RFC 3095, 5.7.6.7."""
    return max((option.data[0] for option in feedback.options if option.type == CLOCK), default=0)


def time_stride(packet: Packet, clock: bool) -> Iterator[Remark]:
    """TIME_STRIDE comes only after a CLOCK option for any CID of the channel: RFC 4815, 4.7."""
    part = packet.dynamic.rtp if packet.dynamic else None
    extension = packet.header.extension if packet.header is not None else None
    sent = part or (extension.rtp if extension is not None else None)
    if sent is not None and sent.time_stride and not clock:
        yield Remark(
            "RFC4815-4.7-1",
            f"The {packet.kind} packet carries TIME_STRIDE {sent.time_stride}, but the decompressor never announced "
            "a clock.",
        )


def rnd_transition(packet: Packet, flow: Flow, confidence: int) -> Iterator[Remark]:
    """Packet type 1 must not be used while an RND flag is being established: RFC 3095, 5.7.5.1."""
    so_far = flow.since_rnd_change
    if so_far is None or so_far >= confidence or not packet.kind.startswith("UO-1"):
        return
    if packet.profile is None or not packet.profile.rtp:
        return
    rule = "RFC3095-5.7.5.1-3" if packet.kind == "UO-1" else "RFC3095-5.7.5.1-5"
    yield Remark(rule, f"{packet.kind} follows {so_far} packets with a new RND flag; {confidence} are to establish it.")


def generated_sn(
    packet: Packet, before: Context | None, after: Context, source: bytes, flow: Flow, sn: int
) -> Iterator[Remark]:
    """The compressor's own SN increases by one for each packet: RFC 3095, 5.11 and 5.11.1; RFC 3843, 3."""
    if not after.profile.generated_sn or before is None or (packet.kind == "IR" and packet.dynamic is None):
        return
    if before.profile is after.profile:
        if not before.dynamic or not _is_same_stream(before, after):
            return
        last = before.sn if flow.last_sn is None else flow.last_sn
        if sn != (last + 1) & 0xFFFF:
            rule = _GENERATED_SN[after.profile.number]
            yield Remark(rule, f"The SN goes from {last} to {sn}; it increases by one for each packet.")
    elif packet.kind == "IR-DYN" and before.profile is RTP and after.profile is UDP:
        original = headers.parse(source, RTP.after_ip, protocols=())
        own = int.from_bytes(source[original.rtp + 2 : original.rtp + 4], "big") if original else None
        if after.sn not in (before.sn, (before.sn + 1) & 0xFFFF, own):
            yield Remark(
                "RFC3095-5.11.1-2",
                f"The SN starts at {after.sn} after profile 0x0001; the RTP sequence number was {before.sn}.",
            )


def _is_same_stream(before: Context, after: Context) -> bool:
    return (
        len(before.ips) == len(after.ips)
        and (before.ports, before.ssrc) == (after.ports, after.ssrc)
        and all(a.has_same_static(b) for a, b in zip(before.ips, after.ips, strict=True))
    )


def generations(packet: Packet, flow: Flow) -> Iterator[Remark]:
    """gen_id increases by one each time the list changes, and only then: RFC 3095, 5.8.2.1."""
    if flow.mode == "R":
        return
    for name, compressed in _lists(packet):
        if compressed.gen_id is None:
            continue
        items = compressed.items if name == CSRC else [extension_headers.identity(item) for item in compressed.items]
        if name in flow.generations:
            gen_id, before = flow.generations[name]
            expected = gen_id if items == before else (gen_id + 1) & 0xFF
            if compressed.gen_id != expected:
                same = "the same" if items == before else "another"
                yield Remark(
                    "RFC3095-5.8.2.1-5",
                    f"The {packet.kind} packet has {same} {name} with gen_id {compressed.gen_id}, after {gen_id}.",
                )
        flow.generations[name] = compressed.gen_id, items


def _lists(packet: Packet) -> Iterator[tuple[str, CompressedList]]:
    """The lists that a packet carries, by what they are of: extension headers of IP header n, CSRCs."""
    if packet.dynamic is not None:
        for n, part in enumerate(packet.dynamic.ips, 1):
            yield _of_ip(n), part.headers
        if packet.dynamic.rtp is not None:
            yield CSRC, packet.dynamic.rtp.csrcs
    if packet.header is None:
        return
    for n, part in enumerate(packet.header.additional, 3):
        yield _of_ip(n), part.headers
    extension = packet.header.extension
    if extension is None:
        return
    for n, changes in ((1, extension.outer), (packet.header.ip_headers, extension.inner)):
        if changes is not None and changes.headers is not None and changes.headers.compressed is not None:
            yield _of_ip(n), changes.headers.compressed
    if extension.rtp is not None and extension.rtp.csrcs is not None:
        yield CSRC, extension.rtp.csrcs


def _of_ip(n: int) -> str:
    return f"extension header list of IP header {n}"


def wrapped_timestamp(packet: Packet, before: Context | None, after: Context) -> Iterator[Remark]:
    """On wrap-around an unscaled TS, unless TS_STRIDE is a power of two: RFC 4815, 4.4.3."""
    if before is None or packet.header is None or not after.profile.rtp or not packet.header.tsc:
        return
    stride = before.ts_stride
    wrapped = after.ts < before.ts and (after.ts - before.ts) & 0xFFFFFFFF < 1 << 31
    if wrapped and stride & (stride - 1):
        yield Remark(
            "RFC4815-4.4.3-2",
            f"The timestamp wraps around to 0x{after.ts:08x}, TS_STRIDE is {stride}, and the TS is not sent unscaled.",
        )


def refreshes(packet: Packet, flow: Flow, limit: int) -> Iterator[Remark]:
    """In U-mode the compressor goes back to the IR state periodically: RFC 3095, 5.3.1.1.2; RFC 5795, 5.4.3."""
    if flow.since_ir != limit + 1 or flow.mode != "U":  # once for each gap
        return
    if packet.profile is UNCOMPRESSED:
        if not flow.heard:
            yield Remark("RFC5795-5.4.3-2", f"{flow.since_ir} packets of profile 0x0000 went by without an IR packet.")
    else:
        yield Remark("RFC3095-5.3.1.1.2-1", f"{flow.since_ir} packets went by in U-mode without an IR packet.")


def observe(packet: Packet, before: Context | None, after: Context, flow: Flow) -> None:
    """Updates what the checker remembers of the CID after a packet that was restored."""
    flow.packets += 1
    flow.since_ir = 0 if packet.kind == "IR" else flow.since_ir + 1
    if packet.kind == "IR" and before is None:
        flow.ts_stride_updated = flow.time_stride_updated = False
    flow.ts_stride_updated |= _has_stride(packet, "ts_stride")
    flow.time_stride_updated |= _has_stride(packet, "time_stride")
    if packet.kind not in WITHOUT_CRC and packet.profile is not UNCOMPRESSED:
        flow.secure.add(after)
    carried = MODES.get(_mode(packet) or 0)
    if carried is not None and carried == flow.requested_mode:
        if flow.turning_to is None:
            flow.turning_to, flow.turning_sns = carried, []
        flow.turning_sns.append(after.sn)
    changed = before is not None and before.dynamic and [ip.rnd for ip in before.ips] != [ip.rnd for ip in after.ips]
    if changed:
        flow.since_rnd_change = 1
    elif flow.since_rnd_change is not None:
        flow.since_rnd_change += 1
