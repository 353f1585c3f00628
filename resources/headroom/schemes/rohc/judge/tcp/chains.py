# SPDX-License-Identifier: Apache-2.0
"""Chains, lists of options and base headers, each way: RFC 6846, 6.2, 6.3, 7 and 8.2.

This module reads and writes packets field by field. It knows neither states nor windows, and checks no CRC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headroom.schemes.rohc.judge.framework.errors import MalformedPacket
from headroom.schemes.rohc.judge.tcp.coding import FORMATS, BitReader, BitWriter, NoMatch, Scope, Values, read, write
from headroom.schemes.rohc.judge.tcp.headers import EOL, IP, NOP, SACK, Header, Option, innermost, method_of
from headroom.schemes.rohc.judge.tcp.notation import NONE, Format

BASE = FORMATS.methods["co_baseheader"]
SEQUENTIAL, SWAPPED, RANDOM, ZERO = (FORMATS.constants[name] for name in ("SEQUENTIAL", "SWAPPED", "RANDOM", "ZERO"))
OF_HEADER = "ip_id_behavior_outer"  # the one control field that each outer IPv4 header has for itself
# Names of the base header, where the header itself has another one.
_IN_IPV4 = {"next_header": "protocol"}
_IN_TCP = {"dest_port": "dst_port", "tcp_checksum": "checksum"}


@dataclass
class Context:
    """State of a flow on both sides: headers, control fields, the table of options' items, and their last list."""

    headers: list[Header] = field(default_factory=list)
    control: Values = field(default_factory=lambda: {"ack_stride": 0})
    table: dict[int, Values] = field(default_factory=dict)
    order: tuple[int, ...] = ()  # of the options: indexes into the table

    def copy(self) -> Context:
        table = {index: dict(values) for index, values in self.table.items()}
        return Context([header.copy() for header in self.headers], dict(self.control), table, self.order)

    @property
    def options(self) -> list[Option]:
        return [Option(index, self.table[index]) for index in self.order]

    @property
    def tcp(self) -> Values:
        return self.headers[-1].values

    @property
    def ip(self) -> Header:
        """The innermost IP header."""
        return self.headers[innermost(self.headers)]

    def base(self) -> Values:
        """All values by the names that base headers have for them."""
        result = dict(self.control)
        in_ip = _IN_IPV4 if self.ip.method == "ipv4" else {}
        for part in BASE.header:
            for values, names in ((self.ip.values, in_ip), (self.tcp, _IN_TCP)):
                if (name := names.get(part.name, part.name)) in values:
                    result[part.name] = values[name]
                    break
        return result | {"version": 4 if self.ip.method == "ipv4" else 6}

    def take_base(self, values: Mapping[str, int | None]) -> None:
        """The other way round, for fields that these headers have."""
        in_ip = _IN_IPV4 if self.ip.method == "ipv4" else {}
        for name, value in values.items():
            if name in FORMATS.control:
                self.control[name] = value
            elif in_ip.get(name, name) in self.ip.values:
                self.ip.values[in_ip.get(name, name)] = value
            elif _IN_TCP.get(name, name) in self.tcp:
                self.tcp[_IN_TCP.get(name, name)] = value


# --- fields that follow from others -----------------------------------------------------------------------------------


def swapped(value: int) -> int:
    return (value & 0xFF) << 8 | value >> 8


def offset_of(ip_id: int, msn: int, behavior: int | None) -> int:
    """ip_id_offset (8.2): with swapped octets, that of the number they mean."""
    return ((swapped(ip_id) if behavior == SWAPPED else ip_id) - msn) % (1 << 16)


def ip_id_of(offset: int, msn: int, behavior: int | None) -> int:
    value = (offset + msn) % (1 << 16)
    return swapped(value) if behavior == SWAPPED else value


def scale(values: Values, name: str, stride: int) -> None:
    """field_scaling (8.2, 6.4.8): what of a number is a multiple of the stride, and the rest."""
    number = values[name] or 0
    values[f"{name}_scaled"], values[f"{name}_residue"] = divmod(number, stride) if stride else (0, number)


# --- lists of options (6.3.3) -----------------------------------------------------------------------------------------


def read_list(bits: BitReader, context: Context, ack: int) -> set[int]:
    """Takes a compressed list into the context, and returns the indexes of the items that it has in full."""
    if bits.read(3, "Reserved"):
        raise MalformedPacket("RFC6846-6.3.3-3", "The reserved bits of a compressed list are not zero.")
    wide = bits.read(1, "PS")
    entries = []
    count = bits.read(4, "m")
    for _ in range(count):
        present = bits.read(1, "X")
        if wide and bits.read(3, "Reserved"):
            raise MalformedPacket("RFC6846-6.3.3-3", "The reserved bits of an XI field are not zero.")
        entries.append((present, bits.read(4 if wide else 3, "Index")))
    if not wide and count % 2 and bits.read(4, "Padding"):
        raise MalformedPacket("RFC6846-6.3.3-3", "The padding behind the XI fields is not zero.")
    sent: set[int] = set()
    for present, index in entries:
        if present:
            method = method_of(index)
            scope = Scope({}, arguments={"ack_value": ack, "nbits": None})
            read(bits, method, method.of_kind("list_item"), scope)
            context.table[index] = _with_constants(index, scope.new)
            sent.add(index)
        elif index == NOP:  # "no context information needs to be transmitted" (6.3.4)
            context.table[index] = _with_constants(index, {})
        elif index not in context.table:
            raise MalformedPacket("RFC6846-6.3.2-4", f"No item has come for index {index} of the list of options.")
    context.order = tuple(index for _, index in entries)
    return sent


def _with_constants(index: int, values: Values) -> Values:
    header = method_of(index).header
    constant = {field.name: int(field.arguments[0].text) for field in header if field.arguments}
    blocks: Values = {f"block_{n}": None for n in range(2, 5)} if index == SACK else {}
    return constant | blocks | values


def write_list(bits: BitWriter, options: list[Option], sent: set[int], ack: int, wide: bool | None = None) -> None:
    """`wide`: XI fields of eight bits, which indexes above 7 need."""
    if wide is None:
        wide = any(option.index > 7 for option in options)
    bits.write(0, 3)
    bits.write(int(wide), 1)
    bits.write(len(options), 4)
    for option in options:
        bits.write(int(option.index in sent), 1)
        bits.write(option.index, 7 if wide else 3)
    if not wide and len(options) % 2:
        bits.write(0, 4)
    for option in options:
        if option.index in sent:
            scope = Scope({}, dict(option.values), _arguments(option, ack))
            write(bits, option.method, option.method.of_kind("list_item"), scope)


def _arguments(option: Option, ack: int) -> dict[str, int | None]:
    return {"ack_value": ack, "nbits": (option.values["pad_len"] or 0) + 8 if option.index == EOL else None}


# --- chains (6.2) -----------------------------------------------------------------------------------------------------


def _scope(context: Context, at: int, kind: str, ttl: int | None, ecn: int | None = None) -> Scope:
    header = context.headers[at]
    arguments = {
        "is_innermost": int(at == innermost(context.headers)) if header.method in IP else None,
        "ttl_irregular_chain_flag": ttl,
        "ip_inner_ecn": ecn,
    }
    return Scope(context.control | header.values, arguments=arguments)


def _keep(context: Context, at: int, values: Values) -> None:
    header = context.headers[at]
    own = {field.name for field in FORMATS.methods[header.method].header} | {OF_HEADER}
    for name, value in values.items():
        if name in own:
            header.values[name] = value
        elif name in FORMATS.control:
            context.control[name] = value


def read_static(bits: BitReader) -> list[Header]:
    headers: list[Header] = []
    name = "ipv6" if bits.octets[bits.position // 8 :][:1] >= b"\x80" else "ipv4"
    while True:
        header = Header(name)
        scope = Scope({})
        method = FORMATS.methods[name]
        read(bits, method, method.of_kind("static"), scope)
        header.values = scope.new
        headers.append(header)
        if name == "tcp":
            return headers
        try:
            name = header.following
        except KeyError:
            raise MalformedPacket("RFC6846-5.1-1", f"Behind {name} comes what is no part of a chain.") from None


def read_dynamic(bits: BitReader, context: Context) -> None:
    """Takes the dynamic chain into a context that has its static part."""
    _read_chain(bits, context, "dynamic")


def read_replicate(bits: BitReader, context: Context) -> None:
    """Takes the replicate chain into a copy of the base context: what it leaves out stays (6.2, 6.3.7)."""
    _read_chain(bits, context, "replicate")


def _read_chain(bits: BitReader, context: Context, kind: str) -> None:
    for at, header in enumerate(context.headers):
        method = FORMATS.methods[header.method]
        scope = _scope(context, at, kind, None)
        scope.on_list = lambda inside: _take_list(bits, context, inside, kind)
        read(bits, method, method.of_kind(kind), scope)
        _keep(context, at, scope.new)
    if context.ip.method == "ipv6":
        context.control["ip_id_behavior_innermost"] = RANDOM


def _take_list(bits: BitReader, context: Context, scope: Scope, kind: str) -> None:
    sent = read_list(bits, context, scope("ack_number") or 0)
    if kind == "dynamic" and sent != set(context.order):
        raise MalformedPacket("RFC6846-6.3.5-1", "A list in a dynamic chain has an index without its item.")


def write_static(bits: BitWriter, headers: list[Header]) -> None:
    for header in headers:
        method = FORMATS.methods[header.method]
        write(bits, method, method.of_kind("static"), Scope({}, dict(header.values)))


def write_dynamic(bits: BitWriter, context: Context) -> None:
    """The dynamic chain of a context, its list of options with all items."""
    tcp = context.tcp
    flags = {
        "ack_stride_flag": int(bool(context.control["ack_stride"])),
        "ack_zero": int(tcp["ack_number"] == 0),
        "urp_zero": int(tcp["urg_ptr"] == 0),
    }
    _write_chain(bits, Context(context.headers, {"ack_stride": 0}), context, "dynamic", flags)


def write_replicate(bits: BitWriter, base: Context, context: Context, flags: Mapping[str, int]) -> None:
    """The replicate chain that makes a context of a base. `flags`: what its presence bits say."""
    _write_chain(bits, base, context, "replicate", flags)


def _write_chain(bits: BitWriter, before: Context, context: Context, kind: str, flags: Mapping[str, int]) -> None:
    for at, header in enumerate(context.headers):
        method = FORMATS.methods[header.method]
        scope = _scope(before, at, kind, None)
        scope.new = context.control | header.values | dict(flags)
        scope.on_list = lambda _: write_list(bits, context.options, set(context.order), context.tcp["ack_number"] or 0)
        write(bits, method, method.of_kind(kind), scope)


# --- compressed headers (7.3) -----------------------------------------------------------------------------------------


@dataclass
class Compressed:
    """A compressed header that has been read: its format, the values of its fields, the context after the packet, and
    the payload.
    """

    format: Format
    said: Values
    context: Context
    payload: bytes


def read_compressed(octets: bytes, before: Context) -> Compressed:
    """Reads a compressed header, CID removed, as far as the context allows. Its CRC is left to the caller."""
    return read_base_header(BitReader(octets), before)


def read_base_header(bits: BitReader, before: Context) -> Compressed:
    """Reads the same from the reader's position, and leaves the reader behind the irregular chain."""
    context = before.copy()
    sent: set[int] = set()

    def on_list(inside: Scope) -> None:
        sent.update(read_list(bits, context, inside("ack_number") or 0))

    scope = Scope(before.base(), arguments=dict.fromkeys(BASE.parameters), on_list=on_list)
    base_format = read(bits, BASE, _set_of(before), scope)
    said = scope.new
    _restore(context, said)
    _read_irregular(bits, context, sent, said.get("ttl_hopl_outer_flag") or 0)
    payload = bits.rest()
    _finish(context, said, len(payload))
    return Compressed(base_format, said, context, payload)


def _set_of(context: Context) -> list[Format]:
    """The formats in use: of two sets, one goes with the behavior of the IP-ID (8.1)."""
    other = "seq" if context.control["ip_id_behavior_innermost"] in (RANDOM, ZERO) else "rnd"
    return [candidate for name, candidate in BASE.formats.items() if not name.startswith(other)]


def _restore(context: Context, said: Values) -> None:
    """Values of the base header. Fields that it leaves out have defaults, which are not those of the context."""
    defaults = {field.name: int(field.arguments[0].text) for field in BASE.defaults.values() if field.arguments}
    context.take_base(defaults | said)
    control, msn = context.control, context.control["msn"] or 0
    behavior = control["ip_id_behavior_innermost"]
    if "ack_number_scaled" in said:
        scaled, residue = said["ack_number_scaled"] or 0, control["ack_number_residue"] or 0
        context.tcp["ack_number"] = (scaled * (control["ack_stride"] or 0) + residue) % (1 << 32)
    if context.ip.method != "ipv4":
        return
    if "ip_id_offset" in said:
        context.ip.values["ip_id"] = ip_id_of(said["ip_id_offset"] or 0, msn, behavior)
    elif "ip_id" in said:
        control["ip_id_offset"] = offset_of(said["ip_id"] or 0, msn, behavior)


def _read_irregular(bits: BitReader, context: Context, sent: set[int], ttl: int) -> None:
    for at, header in enumerate(context.headers):
        method = FORMATS.methods[header.method]
        scope = _scope(context, at, "irregular", ttl)
        read(bits, method, method.of_kind("irregular"), scope)
        ecn = scope.new.pop("ip_ecn_flags", None) if header.method == "tcp" else None
        if ecn is not None:
            context.ip.values["ip_ecn_flags"] = ecn
        _keep(context, at, scope.new)
    for index in context.order:
        if index not in sent:
            method = method_of(index)
            arguments = {"ack_value": context.tcp["ack_number"], "nbits": None}
            scope = Scope(context.table[index], arguments=arguments)
            read(bits, method, method.of_kind("irregular"), scope)
            absent: Values = {field.name: None for field in method.defaults.values() if field.encoding == NONE}
            context.table[index] = context.table[index] | absent | scope.new


def _finish(context: Context, said: Values, payload: int) -> None:
    """Decodes fields that need the size of the payload, which the whole header has to be read for (6.4.8.1)."""
    control, tcp = context.control, context.tcp
    if "seq_number_scaled" in said:
        scaled, residue = said["seq_number_scaled"] or 0, control["seq_number_residue"] or 0
        tcp["seq_number"] = (scaled * payload + residue) % (1 << 32)
    settle(context, payload)


def settle(context: Context, payload: int) -> None:
    """Sets the control fields that follow from a packet."""
    control, tcp = context.control, context.tcp
    numbers = {"seq_number": tcp["seq_number"], "ack_number": tcp["ack_number"]}
    scale(numbers, "seq_number", payload)
    scale(numbers, "ack_number", control["ack_stride"] or 0)
    control |= {name: value for name, value in numbers.items() if name in FORMATS.control}
    ip_id = context.ip.values.get("ip_id")
    if ip_id is not None:
        behavior = control["ip_id_behavior_innermost"]
        control["ip_id_offset"] = offset_of(ip_id, control["msn"] or 0, behavior)


def write_compressed(
    name: str, before: Context, after: Context, crc: int, payload: bytes, flags: Mapping[str, int] | None = None
) -> bytes:
    """A packet with a base header of this format. `after` is the context after the packet, to which `settle` has been
    applied; `flags` has the values of the presence bits, and ttl_hopl_outer_flag. A list is sent with all its items.
    Raises NoMatch if the format cannot carry a change.
    """
    bits = BitWriter()
    chosen = {"ttl_hopl_outer_flag": 0, "list_present": 0} | dict(flags or {})
    ttl = chosen["ttl_hopl_outer_flag"]
    has_list = any(part.name == "options" for part in BASE.formats[name].fields) and chosen["list_present"]
    sent = set(after.order) if has_list else set()
    ack = after.tcp["ack_number"] or 0
    arguments = {
        "payload_size": len(payload),
        "ack_stride_value": after.control["ack_stride"],
        "ttl_irregular_chain_flag": ttl,
        "ip_id_behavior_value": after.control["ip_id_behavior_innermost"],
    }
    scope = Scope(before.base(), after.base() | chosen | {"header_crc": crc, "reserved": 0}, arguments)
    scope.on_list = lambda _: write_list(bits, after.options, sent, ack)
    write(bits, BASE, [BASE.formats[name]], scope)
    ecn = after.ip.values["ip_ecn_flags"]
    for at, header in enumerate(after.headers):
        method = FORMATS.methods[header.method]
        inside = _scope(before, at, "irregular", ttl, ecn)
        inside.old = dict(inside.old) | dict(after.control)
        inside.new = dict(header.values)
        if header.method == "tcp" and after.control["ecn_used"]:
            inside.new["ip_ecn_flags"] = ecn
        write(bits, method, method.of_kind("irregular"), inside)
    for option in after.options:
        if option.index not in sent:
            scope = Scope(before.table.get(option.index, {}), dict(option.values), _arguments(option, ack))
            write(bits, option.method, _that_carry(option, scope), scope)
    octets = bits.octets() + payload
    if _read_back(octets, before) != after:
        raise NoMatch(f"{name} does not carry all that has changed.")
    return octets


def _that_carry(option: Option, scope: Scope) -> list[Format]:
    """The irregular formats of an option that have all that has changed of it."""
    names = {field.name for field in option.method.header if not field.arguments}
    changed = {name for name in names if scope.old.get(name) != scope.new.get(name)}
    formats = option.method.of_kind("irregular")
    return [candidate for candidate in formats if changed <= {field.name for field in candidate.fields}]


def _read_back(octets: bytes, before: Context) -> Context:
    return read_compressed(octets, before).context
