# SPDX-License-Identifier: Apache-2.0
"""The compressible chain of subheaders, and the class of each field: RFC 2507, section 7, as its figures have it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

NOCHANGE, DELTA, RANDOM, INFERRED = "NOCHANGE", "DELTA", "RANDOM", "INFERRED"
_CLASSES = {"n": NOCHANGE, "d": DELTA, "r": RANDOM, "i": INFERRED}

# Name, bits and class of each field; that of IPv4's identification is DELTA in front of TCP (7.13).
_IPV4 = (
    "Version 4n, IHL 4n, Type of Service 6n, TOS bits 6 and 7 2n, Total Length 16i, Identification 16r, Flags 3n, "
    "Fragment Offset 13n, Time to Live 8n, Protocol 8n, Header Checksum 16i, Source Address 32n, "
    "Destination Address 32n"
)
_IPV6 = (
    "Version 4n, Traffic Class 6n, TOS bits 6 and 7 2n, Flow Label 20n, Payload Length 16i, Next Header 8n, "
    "Hop Limit 8n, Source Address 128n, Destination Address 128n"
)
_TCP = (
    "Source Port 16n, Destination Port 16n, Sequence Number 32d, Acknowledgment Number 32d, Offset 4n, Reserved 6d, "
    "Urg 1r, Ack 1i, Psh 1r, Rst 1i, Syn 1i, Fin 1i, Window 16d, Checksum 16r, Urgent Pointer 16d"
)
_UDP = "Source Port 16n, Destination Port 16n, Length 16i, Checksum 16r"
_FRAGMENT = "Next Header 8n, Reserved 8n, Fragment Offset 13r, Res 2r, M flag 1r, Identification 32r"
_AH = "Next Header 8n, Length 8n, Reserved 16n, SPI 32n"
_MINIMAL = "Protocol 8n, S 1n, reserved 7n, Header Checksum 16i, Original Destination Address 32n"
_OPTIONS = "Next Header 8n, Hdr Ext Len 8n"
_ROUTING = "Next Header 8n, Hdr Ext Len 8n, Routing Type 8n, Segments Left 8n"

LENGTHS = {"Total Length": 0, "Payload Length": -40, "Length": 0}  # what is to be added to what is left of the packet
EXTENSIONS = {0: "hop-by-hop options", 43: "routing", 60: "destination options", 44: "fragment"}


@dataclass
class Field:
    name: str
    bits: int
    cls: str
    value: int


@dataclass
class Subheader:
    """`kind` is a word; `as_is`: an IPv4 header of 7.13 b)."""

    kind: str
    fields: list[Field]
    as_is: bool = False

    def __getitem__(self, name: str) -> int:
        return next(field.value for field in self.fields if field.name == name)

    def __setitem__(self, name: str, value: int) -> None:
        header_field = next(field for field in self.fields if field.name == name)
        header_field.value = value % (1 << header_field.bits)

    def __contains__(self, name: str) -> bool:
        return any(field.name == name for field in self.fields)

    def get(self, name: str) -> int | None:
        return next((field.value for field in self.fields if field.name == name), None)

    @property
    def length(self) -> int:
        return sum(field.bits for field in self.fields) // 8

    def octets(self, without: str = "") -> bytes:
        """The subheader; a field of the name `without` as zero."""
        number = 0
        for header_field in self.fields:
            number = number << header_field.bits | (0 if header_field.name == without else header_field.value)
        return number.to_bytes(self.length)

    def copy(self) -> Subheader:
        fields = [Field(field.name, field.bits, field.cls, field.value) for field in self.fields]
        return Subheader(self.kind, fields, self.as_is)

    def of_class(self, cls: str) -> dict[str, int]:
        return {field.name: field.value for field in self.fields if field.cls == cls}


@dataclass
class Chain:
    """The chain at the front of a packet. `jumbo`: it has a Jumbo Payload option."""

    parts: list[Subheader] = field(default_factory=list)
    jumbo: bool = False

    @property
    def length(self) -> int:
        return sum(subheader.length for subheader in self.parts)

    @property
    def tcp(self) -> Subheader | None:
        return self.parts[-1] if self.parts and self.parts[-1].kind == "TCP" else None

    @property
    def unit(self) -> Subheader | None:
        """The IP header that "immediately precedes the TCP header" and is compressed together with it."""
        return self.parts[-2] if self.tcp and self.parts[-2].kind in ("IPv4", "IPv6") else None

    def octets(self) -> bytes:
        return b"".join(subheader.octets() for subheader in self.parts)

    def copy(self) -> Chain:
        return Chain([subheader.copy() for subheader in self.parts], self.jumbo)

    def places(self) -> Iterator[tuple[int, Subheader]]:
        at = 0
        for subheader in self.parts:
            yield at, subheader
            at += subheader.length

    def shape(self) -> list[object]:
        """Returns kinds and lengths of the subheaders. The length of one that is sent as it is may change, and so may
        that of TCP without deltas: they have the kind alone."""
        return [
            subheader.kind if subheader.as_is or subheader.kind == "TCP" else (subheader.kind, subheader.length)
            for subheader in self.parts
        ]

    def differences(self, other: Chain) -> list[str]:
        """NOCHANGE fields that differ, TOS bits 6 and 7 in front of TCP and TCP's offset included."""
        if self.shape() != other.shape():
            return ["the chain of subheaders"]
        results = []
        for mine, theirs in zip(self.parts, other.parts, strict=True):
            if mine.as_is:
                continue
            a, b = mine.of_class(NOCHANGE), theirs.of_class(NOCHANGE)
            results += [f"{name} of {mine.kind}" for name in {**a, **b} if a.get(name) != b.get(name)]
        return results

    def length_places(self) -> list[int]:
        """Returns the places of the first two length fields (5.3)."""
        results = []
        for at, subheader in self.places():
            name = next((name for name in LENGTHS if name in subheader and subheader.kind != "AH"), None)
            if name:
                before = [each.name for each in subheader.fields].index(name)
                results.append(at + sum(each.bits for each in subheader.fields[:before]) // 8)
        return results[:2]

    def infer(self, total: int, as_is: bool = False) -> bool:
        """Puts in the INFERRED values for a packet of `total` octets. False: a length is beyond its field."""
        fits = True
        for at, subheader in self.places():
            for name, less in LENGTHS.items():
                if name in subheader and subheader.kind != "AH" and (as_is or not subheader.as_is):
                    fits = fits and 0 <= total - at + less <= 0xFFFF
                    subheader[name] = total - at + less
            if "Header Checksum" in subheader and not subheader.as_is and not as_is:
                subheader["Header Checksum"] = checksum(subheader.octets("Header Checksum"))
        return fits

    def is_sound(self, packet: bytes) -> bool:
        """True if the inferred values are those that the packet has: "If not, the header chain MUST NOT be compressed"
        (7.1)."""
        other = self.copy()
        return bool(self.parts) and not self.jumbo and other.infer(len(packet)) and self.is_as_sent(other, len(packet))

    def is_as_sent(self, inferred: Chain, total: int) -> bool:
        """True if all lengths, those of headers that go as they are included, are what the packet's length implies."""
        whole = self.copy()
        return whole.infer(total, as_is=True) and whole.octets() == self.octets() == inferred.octets()


def checksum(octets: bytes) -> int:
    """The checksum of RFC 791, 3.1, and of TCP."""
    total = sum(int.from_bytes(octets[at : at + 2].ljust(2, b"\0")) for at in range(0, len(octets), 2))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def fields_of(table: str, octets: bytes) -> list[Field]:
    """The fields that a table names, with their values in some octets."""
    fields, at, number = [], 0, int.from_bytes(octets)
    for entry in table.split(", "):
        name, size = entry.rsplit(" ", 1)
        bits = int(size[:-1])
        at += bits
        fields.append(Field(name, bits, _CLASSES[size[-1]], number >> (8 * len(octets) - at) & ((1 << bits) - 1)))
    return fields


def _rest(name: str, cls: str, octets: bytes) -> list[Field]:
    return [Field(name, 8 * len(octets), cls, int.from_bytes(octets))] if octets else []


def read_ipv4(octets: bytes) -> Subheader | None:
    """An IPv4 header at the front of some octets (7.13)."""
    if len(octets) < 20 or octets[0] >> 4 != 4 or not 20 <= (octets[0] & 15) * 4 <= len(octets):
        return None
    length = (octets[0] & 15) * 4
    fields = fields_of(_IPV4, octets[:20]) + _rest("Options", RANDOM, octets[20:length])
    fragment = int.from_bytes(octets[6:8]) & 0x3FFF
    if not fragment and length == 20:
        return Subheader("IPv4", fields)
    for header_field in fields:
        header_field.cls = RANDOM
    return Subheader("IPv4 fragment" if fragment else "IPv4 with options", fields, as_is=True)


def read_tcp(octets: bytes) -> Subheader:
    """A whole TCP header (7.12.1)."""
    return Subheader("TCP", fields_of(_TCP, octets[:20]) + _rest("Options", DELTA, octets[20:]))


def _read_options(kind: str, octets: bytes) -> tuple[Subheader, bool] | None:
    """The options of 7.3, one by one. None if they do not end where the header does."""
    fields, at, jumbo = fields_of(_OPTIONS, octets[:2]), 2, False
    while at < len(octets):
        type_ = octets[at]
        size = 1 if type_ == 0 else 2 + octets[at + 1] if at + 1 < len(octets) else 0
        if not size or at + size > len(octets):
            return None
        fields += _rest(f"option at {at}", NOCHANGE, octets[at : at + min(size, 2)])
        fields += _rest(f"data at {at}", NOCHANGE if type_ <= 1 else RANDOM, octets[at + 2 : at + size])
        jumbo, at = jumbo or type_ == 194, at + size
    return Subheader(kind, fields), jumbo


def read(packet: bytes, max_header: int = 168) -> Chain:
    """The chain at the front of a packet: "the longest initial sequence of entire subheaders that is not larger than
    MAX_HEADER octets" (5.2). It does not look at length fields."""
    chain, rest, ipv6 = Chain(), packet[:max_header], False
    protocol: int | None = 41 if packet and packet[0] >> 4 == 6 else 4
    while protocol is not None:
        part: Subheader | None = None
        if protocol == 4:
            part = read_ipv4(rest)
            ipv6 = False
        elif protocol == 41 and len(rest) >= 40 and rest[0] >> 4 == 6:
            part, ipv6 = Subheader("IPv6", fields_of(_IPV6, rest[:40])), True
        elif protocol == 6 and len(rest) >= 20 and 20 <= (rest[12] >> 4) * 4 <= len(rest):
            part = read_tcp(rest[: (rest[12] >> 4) * 4])
        elif protocol == 17 and len(rest) >= 8:
            part = Subheader("UDP", fields_of(_UDP, rest[:8]))
            if not part["Checksum"]:
                part.fields[-1].cls = NOCHANGE
        elif protocol == 44 and ipv6 and len(rest) >= 8:
            part = Subheader("fragment", fields_of(_FRAGMENT, rest[:8]))
        elif protocol in EXTENSIONS and ipv6 and len(rest) >= 8 and (rest[1] + 1) * 8 <= len(rest):
            size = (rest[1] + 1) * 8
            if protocol == 43:
                part = Subheader("routing", fields_of(_ROUTING, rest[:4]) + _rest("data", NOCHANGE, rest[4:size]))
            elif pair := _read_options(EXTENSIONS[protocol], rest[:size]):
                part, chain.jumbo = pair[0], chain.jumbo or pair[1]
        elif protocol == 51 and len(rest) >= 8 and 8 <= (rest[1] + 2) * 4 <= len(rest):
            data = _rest("Authentication Data", RANDOM, rest[8 : (rest[1] + 2) * 4])
            part = Subheader("AH", fields_of(_AH, rest[:8]) + data)
        elif protocol == 50 and len(rest) >= 4:
            part = Subheader("ESP", fields_of("SPI 32n", rest[:4]))
        elif protocol == 55 and len(rest) >= (12 if len(rest) > 1 and rest[1] & 0x80 else 8):
            source = rest[8:12] if rest[1] & 0x80 else b""
            part = Subheader("minimal encapsulation", fields_of(_MINIMAL, rest[:8]) + _rest("source", NOCHANGE, source))
        if part is None:
            break
        chain.parts.append(part)
        rest = rest[part.length :]
        protocol = _next(part)
    if (unit := chain.unit) is not None:
        for header_field in unit.fields:
            if header_field.name in ("Identification", "TOS bits 6 and 7"):
                header_field.cls = DELTA
    return chain


def _next(part: Subheader) -> int | None:
    """The protocol after a subheader; None after one that ends the chain."""
    if part.kind in ("TCP", "UDP", "ESP", "fragment", "IPv4 fragment"):
        return None
    return part["Protocol"] if "Protocol" in part else part["Next Header"]


def has_right_tcp_checksum(packet: bytes, max_header: int = 0xFFFF) -> bool:
    """True if the receiving TCP accepts a packet."""
    chain = read(packet, max_header)
    if chain.tcp is None:
        return False
    source, destination = b"", b""
    for part in chain.parts:
        if "Source Address" in part:
            size = 4 if part.kind.startswith("IPv4") else 16
            source, destination = part["Source Address"].to_bytes(size), part["Destination Address"].to_bytes(size)
        if part.kind == "routing" and not part["Routing Type"] and part["Segments Left"] and part.length >= 24:
            destination = part.octets()[-16:]
        if part.kind == "minimal encapsulation":
            destination = part["Original Destination Address"].to_bytes(4)
            source = part["source"].to_bytes(4) if "source" in part else source
    segment = packet[chain.length - chain.tcp.length :]
    return checksum(source + destination + len(segment).to_bytes(4) + bytes([0, 0, 0, 6]) + segment) == 0
