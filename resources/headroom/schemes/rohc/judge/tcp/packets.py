# SPDX-License-Identifier: Apache-2.0
"""Packets of profile 0x0006, each way: IR, IR-DYN, IR-CR and CO with their CRCs (RFC 6846, 7; RFC 4164, 3.5). What
stands around a header, the framework reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headroom.schemes.rohc.judge.framework import cid as cids
from headroom.schemes.rohc.judge.framework import crc, framing, sdvl
from headroom.schemes.rohc.judge.framework.bits import Reader
from headroom.schemes.rohc.judge.framework.errors import CrcMismatch, MalformedPacket, NoContext
from headroom.schemes.rohc.judge.framework.fields import Field
from headroom.schemes.rohc.judge.framework.profiles import TCP
from headroom.schemes.rohc.judge.tcp import chains
from headroom.schemes.rohc.judge.tcp.chains import Context
from headroom.schemes.rohc.judge.tcp.coding import BitReader, BitWriter, requirement_of
from headroom.schemes.rohc.judge.tcp.headers import build

PROFILE = TCP & 0xFF
IR, IR_CR, IR_DYN = 0xFD, 0xFC, 0xF8
KINDS = {IR: "IR", IR_CR: "IR-CR", IR_DYN: "IR-DYN"}
COMPRESSED = ("co_common", *(f"{family}_{n}" for family in ("seq", "rnd") for n in range(1, 9)))
_CRC_8 = {IR: "RFC6846-5.3.1.1-1", IR_CR: "RFC4164-3.4.1-1", IR_DYN: "RFC6846-5.3.1.1-1"}


@dataclass(frozen=True)
class Packet:
    """A packet. `kind` is "IR", "IR-DYN", "IR-CR" or the name of the base header's format; `context` is the context as
    the packet leaves it.

    `start` is the position of the header's first octet, which may be an Add-CID octet; `end` is the position after the
    header's last octet. `base` is the CID whose context an IR-CR packet copies.
    """

    kind: str
    cid: int
    context: Context
    payload: bytes
    start: int = 0
    end: int = 0
    base: int | None = None

    @property
    def header(self) -> bytes:
        """The uncompressed headers."""
        return build(self.context.headers, self.context.options, len(self.payload))

    @property
    def delivered(self) -> bytes:
        return self.header + self.payload


def read_packet(
    octets: bytes, contexts: Mapping[int, Context], large_cids: bool = False, verify: bool = True
) -> Packet:
    """Reads a link packet that is of this profile. Raises a RohcError. Without `verify` the CRC over the original
    header may be any."""
    reader = Reader(octets)
    return read_header(reader, framing.read(reader, large_cids), contexts, large_cids, verify)


def read_header(
    reader: Reader, frame: framing.Frame, contexts: Mapping[int, Context], large_cids: bool, verify: bool = True
) -> Packet:
    """Reads a link packet of this profile from its packet type octet on, at which the reader stands. The reader records
    all fields.
    """
    if reader.peek() in KINDS:
        return _initialising(reader, frame, contexts, large_cids, verify)
    return _compressed(reader, frame, contexts, verify)


def _initialising(
    reader: Reader, frame: framing.Frame, contexts: Mapping[int, Context], large_cids: bool, verify: bool
) -> Packet:
    octets, kind = reader.octets, reader.octet("packet type")
    frame.take_large_cid(reader)
    if reader.octet("Profile") != PROFILE:
        raise MalformedPacket("RFC6846-7.1-2", "The packet is of another profile.")
    crc_at = reader.position
    carried = reader.octet("CRC")
    bits = BitReader(octets, 8 * reader.position)
    bits.fields = reader.fields
    value = base = None
    if kind == IR:
        context = Context(chains.read_static(bits))
        if frame.cid in contexts:  # the table "contains all (Index, Item) pairs received" (RFC 6846, 6.3.2)
            context.table = contexts[frame.cid].copy().table
        chains.read_dynamic(bits, context)
    elif kind == IR_DYN:
        context = _known(contexts, frame.cid).copy()
        chains.read_dynamic(bits, context)
    else:
        given = bits.read(1, "B")
        value = bits.read(7, "CRC7")
        base = _base_cid(bits, large_cids) if given else frame.cid
        context = _known(contexts, base, "RFC4164-3.4.1-2").copy()
        chains.read_replicate(bits, context)
    reader.position = end = bits.position // 8
    payload = reader.rest("payload")
    chains.settle(context, len(payload))
    covered = crc.crc8(octets[frame.start : crc_at] + b"\0" + octets[crc_at + 1 : end])
    if covered != carried:
        raise CrcMismatch(
            _CRC_8[kind],
            f"The {KINDS[kind]} packet carries the wrong CRC 0x{carried:02x}: its octets give 0x{covered:02x}.",
        )
    packet = Packet(KINDS[kind], frame.cid, context, payload, frame.start, end, base)
    expected = crc.crc7(packet.header)
    if verify and value not in (None, expected):
        raise CrcMismatch(
            "RFC4164-3.4.2-1",
            f"The IR-CR packet carries CRC-7 0x{value:02x}; the header that comes out gives 0x{expected:02x}.",
        )
    return packet


def _known(contexts: Mapping[int, Context], cid: int, requirement: str = "RFC6846-5.3.1.3-1") -> Context:
    if cid not in contexts:
        raise NoContext(requirement, f"No packet has made a context for CID {cid}.")
    return contexts[cid]


def _base_cid(bits: BitReader, large_cids: bool) -> int:
    """RFC 4164, 3.5.3."""
    if not large_cids:
        if bits.read(4, "Reserved"):
            raise MalformedPacket("RFC6846-7.2-6", "The reserved bits in front of the base CID are not zero.")
        return bits.read(4, "Base CID")
    reader = Reader(bits.octets, bits.position // 8, bits.fields)
    cid = cids.read_large_cid(reader)
    bits.position = 8 * reader.position
    return cid


def _compressed(reader: Reader, frame: framing.Frame, contexts: Mapping[int, Context], verify: bool) -> Packet:
    before = _known(contexts, frame.cid)
    at = reader.position
    cid_octets = sum(field.width // 8 for field in frame.large_cid)
    octets = reader.octets
    bits = BitReader(octets[: at + 1] + octets[at + 1 + cid_octets :], 8 * at)
    try:
        header = chains.read_base_header(bits, before)
    finally:
        reader.fields += _around_cid(bits.fields, 8 * (at + 1), frame.large_cid)
    reader.position = end = bits.position // 8 + cid_octets
    packet = Packet(header.format.name, frame.cid, header.context, reader.rest("payload"), frame.start, end)
    if "seq_number_scaled" in header.said and not packet.payload:
        requirement = requirement_of(chains.BASE.name, packet.kind)
        raise MalformedPacket(requirement, f"A {packet.kind} packet has a payload, whose length is the scaling factor.")
    width = 7 if has_crc_7(packet.kind) else 3
    expected, sent = crc.of_width(width, packet.header), header.said["header_crc"] or 0
    if verify and expected != sent:
        raise CrcMismatch(
            "RFC6846-5.3.1.1-3",
            f"The {packet.kind} packet carries CRC 0x{sent:02x}; the header that comes out gives 0x{expected:02x}.",
        )
    return packet


def has_crc_7(kind: str) -> bool:
    return kind == "co_common" or kind.endswith("_8")


def _around_cid(fields: list[Field], at: int, cid: list[Field]) -> list[Field]:
    """Fields that were read without the large CID at bit `at`, as they stand with it: one may stand around it."""
    width, placed = sum(field.width for field in cid), []
    for field in fields:
        behind = field.position + field.width - at
        if 0 < behind < field.width and width:
            placed.append(Field(field.name, field.position, field.width - behind, field.value >> behind))
            placed.append(Field(field.name, at + width, behind, field.value & (1 << behind) - 1))
        else:
            placed.append(field._replace(position=field.position + (width if behind > 0 else 0)))
    return sorted([*placed, *cid], key=lambda field: field.position)


# --- writing ----------------------------------------------------------------------------------------------------------


def around(cid: int, large_cids: bool) -> tuple[bytes, bytes]:
    """Returns the octets of the CID in front of the first octet and behind it (RFC 5795, 5.2.1.3)."""
    if large_cids:
        return b"", sdvl.encode(cid)
    return (bytes([0xE0 | cid]) if cid else b""), b""


def _with_crc(kind: int, cid: int, large_cids: bool, chain: bytes, payload: bytes) -> bytes:
    before, behind = around(cid, large_cids)
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
