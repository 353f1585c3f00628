# SPDX-License-Identifier: Apache-2.0
"""Packets of profile 0x0006, each way: IR, IR-DYN, IR-CR and CO with their CRCs (RFC 6846, 7; RFC 4164, 3.5), and
feedback (RFC 6846, 8.3). What stands around a header, the framework reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from headroom.schemes.rohc.judge.framework import cid as cids
from headroom.schemes.rohc.judge.framework import crc, framing, sdvl
from headroom.schemes.rohc.judge.framework.bits import Reader
from headroom.schemes.rohc.judge.tcp import chains
from headroom.schemes.rohc.judge.tcp.chains import Context
from headroom.schemes.rohc.judge.tcp.coding import BitReader, BitWriter
from headroom.schemes.rohc.judge.tcp.errors import FormatError
from headroom.schemes.rohc.judge.tcp.headers import build

PROFILE = 0x06
IR, IR_CR, IR_DYN = 0xFD, 0xFC, 0xF8


@dataclass(frozen=True)
class Packet:
    """`kind`: "IR", "IR-DYN", "IR-CR", or the name of the base header's format. `context`: that behind it."""

    kind: str
    cid: int
    context: Context
    payload: bytes

    @property
    def header(self) -> bytes:
        """The uncompressed headers."""
        return build(self.context.headers, self.context.options, len(self.payload))

    @property
    def delivered(self) -> bytes:
        return self.header + self.payload


def read_packet(octets: bytes, contexts: Mapping[int, Context], large_cids: bool = False) -> Packet:
    """Reads a link packet that is of this profile. Raises FormatError, or what `framing` raises."""
    reader = Reader(octets)
    frame = framing.read(reader, large_cids)
    at = reader.position  # of the packet type octet; a large CID follows it
    behind = at + 1 + sum(one.width // 8 for one in frame.large_cid)
    if octets[at] not in (IR, IR_CR, IR_DYN):
        return _compressed(octets[at : at + 1] + octets[behind:], frame.cid, contexts)
    if octets[behind : behind + 1] != bytes([PROFILE]) or len(octets) < behind + 2:
        raise FormatError("7.1", "The packet is of another profile, or ends before it says which.")
    bits = BitReader(octets, 8 * (behind + 2))
    value = 0
    if octets[at] == IR:
        context = Context(chains.read_static(bits))
        chains.read_dynamic(bits, context)
    elif octets[at] == IR_DYN:
        context = _known(contexts, frame.cid, "7.1").copy()
        chains.read_dynamic(bits, context)
    else:
        given = bits.read(1, "B")
        value = bits.read(7, "CRC7")
        base = _base_cid(bits, large_cids) if given else frame.cid
        context = _known(contexts, base, "7.2").copy()
        chains.read_replicate(bits, context)
    payload = bits.rest()
    chains.settle(context, len(payload))
    covered = octets[frame.start : behind + 1] + b"\0" + octets[behind + 2 : len(octets) - len(payload)]
    if crc.crc8(covered) != octets[behind + 1]:
        raise FormatError("7.1", f"The CRC-8 is {octets[behind + 1]}, but that of the packet is {crc.crc8(covered)}.")
    kind = {IR: "IR", IR_CR: "IR-CR", IR_DYN: "IR-DYN"}[octets[at]]
    packet = Packet(kind, frame.cid, context, payload)
    if octets[at] == IR_CR and crc.crc7(packet.header) != value:
        raise FormatError("7.2", f"The CRC-7 is {value}, but that of the header is {crc.crc7(packet.header)}.")
    return packet


def _known(contexts: Mapping[int, Context], cid: int, section: str) -> Context:
    if cid not in contexts:
        raise FormatError(section, f"No packet has made a context for CID {cid}.")
    return contexts[cid]


def _base_cid(bits: BitReader, large_cids: bool) -> int:
    """RFC 4164, 3.5.3."""
    if not large_cids:
        if bits.read(4, "Reserved"):
            raise FormatError("7.2", "The reserved bits in front of the base CID are not zero.")
        return bits.read(4, "Base CID")
    reader = Reader(bits.octets, bits.position // 8)
    found = cids.read_large_cid(reader)
    bits.position = 8 * reader.position
    return found


def _compressed(octets: bytes, cid: int, contexts: Mapping[int, Context]) -> Packet:
    found = chains.read_compressed(octets, _known(contexts, cid, "7.3"))
    name = found.format.name
    packet = Packet(name, cid, found.context, found.payload)
    wide = name == "co_common" or name.endswith("_8")
    expected = crc.crc7(packet.header) if wide else crc.crc3(packet.header)
    if found.said["header_crc"] != expected:
        sent = found.said["header_crc"]
        raise FormatError("8.2", f"The CRC of {name} is {sent}, but that of the header is {expected}.")
    return packet


# --- writing ----------------------------------------------------------------------------------------------------------


def _around(cid: int, large_cids: bool) -> tuple[bytes, bytes]:
    """Returns the octets of the CID in front of the first octet and behind it (RFC 5795, 5.2.1.3)."""
    if large_cids:
        return b"", sdvl.encode(cid)
    return (bytes([0xE0 | cid]) if cid else b""), b""


def _with_crc(kind: int, cid: int, large_cids: bool, chain: bytes, payload: bytes) -> bytes:
    before, behind = _around(cid, large_cids)
    head = before + bytes([kind]) + behind + bytes([PROFILE])
    return head + bytes([crc.crc8(head + b"\0" + chain)]) + chain + payload


def write_ir(context: Context, payload: bytes, cid: int = 0, large_cids: bool = False) -> bytes:
    bits = BitWriter()
    chains.write_static(bits, context.headers)
    chains.write_dynamic(bits, context)
    return _with_crc(IR, cid, large_cids, bits.octets(), payload)


def write_ir_dyn(context: Context, payload: bytes, cid: int = 0, large_cids: bool = False) -> bytes:
    bits = BitWriter()
    chains.write_dynamic(bits, context)
    return _with_crc(IR_DYN, cid, large_cids, bits.octets(), payload)


def write_ir_cr(
    base: Context,
    context: Context,
    payload: bytes,
    flags: Mapping[str, int],
    *,
    cid: int = 0,
    base_cid: int | None = None,
    large_cids: bool = False,
) -> bytes:
    """`flags`: see chains.write_replicate. Without `base_cid` the base is the context of the CID itself."""
    bits = BitWriter()
    bits.write(int(base_cid is not None), 1)
    bits.write(crc.crc7(build(context.headers, context.options, len(payload))), 7)
    if base_cid is not None:
        encoded = sdvl.encode(base_cid) if large_cids else bytes([base_cid])
        bits.write(int.from_bytes(encoded, "big"), 8 * len(encoded))
    chains.write_replicate(bits, base, context, flags)
    return _with_crc(IR_CR, cid, large_cids, bits.octets(), payload)


# --- feedback (8.3) ---------------------------------------------------------------------------------------------------

ACK, NACK, STATIC_NACK = 0, 1, 2
REJECT, MSN_NOT_VALID, MSN, CONTEXT_MEMORY = 2, 3, 4, 9
_LENGTHS = {REJECT: 0, MSN_NOT_VALID: 0, MSN: 1, CONTEXT_MEMORY: 0}


@dataclass(frozen=True)
class Feedback:
    """`msn` has so many bits as `width` says: 8 in FEEDBACK-1, 14 or, with the MSN option, 16 in FEEDBACK-2."""

    kind: int
    msn: int
    width: int
    cid: int = 0
    options: frozenset[int] = frozenset()


def read_feedback(data: bytes, large_cids: bool = False) -> Feedback:
    """Feedback data, CID included. Raises FormatError where the feedback is to be discarded."""
    reader = Reader(data)
    cid = 0
    if large_cids:
        cid = cids.read_large_cid(reader)
    elif len(data) > 1 and cids.is_add_cid(data[0]):
        cid = cids.read_add_cid(reader)
    octets = data[reader.position :]
    if len(octets) == 1:
        return Feedback(ACK, octets[0], 8, cid)
    if len(octets) < 3 or octets[0] >> 6 == 3:
        raise FormatError("8.3.1", "The feedback is too short, or of the reserved Acktype 3.")
    at = len(data) - len(octets) + 2
    if crc.crc8(data[:at] + b"\0" + data[at + 1 :]) != data[at]:
        raise FormatError("8.3.1", "The CRC of the feedback does not fit.")
    found = Feedback(octets[0] >> 6, (octets[0] & 0x3F) << 8 | octets[1], 14, cid)
    return _with_options(found, octets[3:])


def _with_options(feedback: Feedback, octets: bytes) -> Feedback:
    seen: set[int] = set()
    while octets:
        kind, size = octets[0] >> 4, octets[0] & 0x0F
        value, octets = octets[1 : 1 + size], octets[1 + size :]
        if len(value) < size:
            raise FormatError("8.3.2", f"The option {kind} ends behind the feedback.")
        if kind not in _LENGTHS:  # "MUST otherwise ignore the unknown option" (8.3.2.5)
            continue
        if size != _LENGTHS[kind] or kind in seen:
            raise FormatError("8.3.2", f"The option {kind} has a wrong length, or is there twice.")
        seen.add(kind)
        if kind == MSN:
            feedback = replace(feedback, msn=feedback.msn << 2 | value[0] >> 6, width=16)
    if {MSN, MSN_NOT_VALID} <= seen:
        raise FormatError("8.3.2.2", "The feedback has both an MSN and that it is not valid.")
    return replace(feedback, options=frozenset(seen))


def write_feedback(feedback: Feedback, large_cids: bool = False) -> bytes:
    """Feedback data, CID included."""
    before, behind = _around(feedback.cid, large_cids)
    head = before + behind
    if feedback.width == 8:
        return head + bytes([feedback.msn])
    further = feedback.width - 14
    number = feedback.msn >> further
    options = b"".join(bytes([one << 4]) for one in sorted(feedback.options - {MSN}))
    if further:
        options = bytes([MSN << 4 | 1, (feedback.msn & 3) << 6]) + options
    begin = head + bytes([feedback.kind << 6 | number >> 8, number & 0xFF])
    return begin + bytes([crc.crc8(begin + b"\0" + options)]) + options
