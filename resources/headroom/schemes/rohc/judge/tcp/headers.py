# SPDX-License-Identifier: Apache-2.0
"""Uncompressed headers by the same formats: RFC 6846, 6.2, their chain; 6.4, what is inferred; 6.3.4, TCP options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from headroom.schemes.rohc.judge.framework.errors import MalformedPacket
from headroom.schemes.rohc.judge.tcp.coding import FORMATS, BitReader, BitWriter, Scope, Values
from headroom.schemes.rohc.judge.tcp.notation import VALUE, Method

METHOD_OF = {
    0: "ip_hop_opt",
    4: "ipv4",
    6: "tcp",
    41: "ipv6",
    43: "ip_rout_opt",
    47: "gre",
    51: "ah",
    55: "mine",
    60: "ip_dest_opt",
}
ETHERTYPES = {0x0800: 4, 0x86DD: 41}
IP = ("ipv4", "ipv6")
# Fields that are there only if another one says so.
PRESENCE = {
    "gre": {"checksum_and_res": "c_flag", "key": "k_flag", "sequence_number": "s_flag"},
    "mine": {"orig_src": "s_bit"},
}
# By table index (6.3.4); 7 to 15 are generic.
OPTIONS = (
    "tcp_opt_nop",
    "tcp_opt_eol",
    "tcp_opt_mss",
    "tcp_opt_wscale",
    "tcp_opt_ts",
    "tcp_opt_sack_permitted",
    "tcp_opt_sack",
)
GENERIC = "tcp_opt_generic"
NOP, EOL, SACK = 0, 1, 6
_INDEX_OF_TYPE = {1: 0, 0: 1, 2: 2, 3: 3, 8: 4, 4: 5, 5: 6}


@dataclass
class Header:
    """One header: its values by their names, and what the context has of it beside them (ip_id_behavior_outer)."""

    method: str
    values: Values = field(default_factory=dict)

    def copy(self) -> Header:
        return Header(self.method, dict(self.values))

    @property
    def following(self) -> str:
        """The method of the next header. Raises KeyError when no chain goes on like that."""
        if self.method == "gre":
            return METHOD_OF[ETHERTYPES[self.values["protocol"] or 0]]
        protocol = self.values["protocol" if self.method == "ipv4" else "next_header"]
        return METHOD_OF[-1 if protocol is None else protocol]


@dataclass
class Option:
    """A TCP option, and its place in the table of items."""

    index: int
    values: Values

    @property
    def method(self) -> Method:
        return method_of(self.index)


def method_of(index: int) -> Method:
    return FORMATS.methods[OPTIONS[index] if index < len(OPTIONS) else GENERIC]


def innermost(headers: list[Header]) -> int:
    return max(at for at, header in enumerate(headers) if header.method in IP)


# --- octets to values -------------------------------------------------------------------------------------------------


def read_headers(octets: bytes) -> tuple[list[Header], list[Option], bytes]:
    """The headers of an IP packet down to TCP, the TCP options, and the payload."""
    bits = BitReader(octets)
    headers = [Header("ipv6" if octets[0] >> 4 == 6 else "ipv4")]
    while True:
        header = headers[-1]
        _read(bits, FORMATS.methods[header.method], header.values, skip="options")
        if header.method == "tcp":
            break
        headers.append(Header(header.following))
    size = 4 * (headers[-1].values["data_offset"] or 0) - 20
    start = bits.position // 8
    return headers, list(_options(octets[start : start + size])), octets[start + size :]


def _read(bits: BitReader, method: Method, values: Values, skip: str = "") -> None:
    scope, presence = Scope({}, values), PRESENCE.get(method.name, {})
    for part in method.header:
        absent = part.name in presence and not values[presence[part.name]]
        if part.name == skip or part.longest is None:
            continue
        values[part.name] = None if absent else bits.read(scope.value(part.longest), part.name)


def _options(octets: bytes) -> Iterator[Option]:
    """Options as lists have them: with a type of its own an option has one place in the table, once (6.3.4)."""
    seen: dict[int, Values] = {}
    generic = len(OPTIONS)
    at = 0
    while at < len(octets):
        kind = octets[at]
        size = len(octets) - at if kind == 0 else 1 if kind == 1 else octets[at + 1]
        index = _INDEX_OF_TYPE.get(kind, -1)
        values: Values = {}
        if index == EOL:
            values = {"type": 0, "padding": 0, "pad_len": 8 * size - 8}
        elif index == SACK:
            blocks = [int.from_bytes(octets[at + 2 + 8 * n : at + 10 + 8 * n], "big") for n in range((size - 2) // 8)]
            values = {"type": kind, "length": size}
            values |= {f"block_{n + 1}": blocks[n] if n < len(blocks) else None for n in range(4)}
        elif index >= 0:
            _read(BitReader(octets[at : at + size]), method_of(index), values)
        if index < 0 or (index in seen and seen[index] != values):
            index, generic = generic, generic + 1
            values = {"option_static": 0}  # the compressor's choice
            _read(BitReader(octets[at : at + size]), method_of(index), values)
        seen[index] = values
        yield Option(index, values)
        at += size


# --- values to octets -------------------------------------------------------------------------------------------------


def build(headers: list[Header], options: list[Option], payload: int) -> bytes:
    """The octets of the headers, with all that is inferred, of a packet with so many octets of payload (6.4)."""
    tail = b"".join(map(_option, options))
    if len(tail) % 4 or len(tail) > 40:
        raise MalformedPacket("RFC6846-6.4.5-1", f"No data offset says that options have {len(tail)} octets.")
    built = b""
    for header in reversed(headers):
        values = dict(header.values)
        if header.method == "tcp":
            values["data_offset"] = len(tail) // 4 + 5
        length = len(built) + payload
        if header.method == "ipv4":
            values |= {"length": length + 20, "checksum": 0}
        elif header.method == "ipv6":
            values["payload_length"] = length
        elif header.method == "mine":
            values["checksum"] = 0
        octets = _octets(FORMATS.methods[header.method], values)
        if header.method in ("ipv4", "mine"):
            at = 10 if header.method == "ipv4" else 2
            octets = octets[:at] + checksum(octets).to_bytes(2, "big") + octets[at + 2 :]
        built = octets + (tail if header.method == "tcp" else b"") + built
    return built


def _octets(method: Method, values: Mapping[str, int | None]) -> bytes:
    bits = BitWriter()
    scope = Scope({}, dict(values))
    for part in method.header:
        if part.name == "options" or part.width is None or part.longest is None:
            continue
        value = scope.value(part.arguments[0]) if part.encoding == VALUE else values.get(part.name)
        if value is None and "|" in part.width.text:
            continue
        bits.write(value or 0, scope.value(part.longest))
    return bits.octets()


def _option(option: Option) -> bytes:
    values = dict(option.values)
    if option.index == EOL:
        return bytes(1 + (values["pad_len"] or 0) // 8)
    return _octets(option.method, values)


def checksum(octets: bytes) -> int:
    """The complement of the sum of 16-bit words (RFC 791, RFC 2004)."""
    total = sum(int.from_bytes(octets[at : at + 2], "big") for at in range(0, len(octets), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
