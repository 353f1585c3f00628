# SPDX-License-Identifier: Apache-2.0
"""A strict reader of GTP-U messages: 3GPP TS 29.281, 5 to 8 (version 17), with the PDU session container of TS 38.415,
5.5.

`read` takes the octets after the UDP header. It refuses octets that cannot be a message, with a sentence that names the
section; a missed SHOULD of the sender is a remark. It assumes nothing about octets that are missing.
"""

from dataclasses import dataclass, field

PORT = 2152  # UDP: 4.4.2.3
G_PDU, END_MARKER, ERROR_INDICATION = 255, 254, 26
MESSAGES = {  # 6.1
    1: "Echo Request",
    2: "Echo Response",
    ERROR_INDICATION: "Error Indication",
    31: "Supported Extension Headers Notification",
    253: "Tunnel Status",
    END_MARKER: "End Marker",
    G_PDU: "G-PDU",
}
WITH_SEQUENCE = (1, 2, ERROR_INDICATION, 31)  # S is 1, and the TEID 0: 5.1
PDU_SESSION_CONTAINER = 0x85
EXTENSIONS = {  # 5.2.1
    0x03: "Long PDCP PDU Number",
    0x20: "Service Class Indicator",
    0x40: "UDP Port",
    0x81: "RAN Container",
    0x82: "Long PDCP PDU Number",
    0x83: "Xw RAN Container",
    0x84: "NR RAN Container",
    PDU_SESSION_CONTAINER: "PDU Session Container",
    0xC0: "PDCP PDU Number",
}
PDU_TYPES = {0: "downlink", 1: "uplink"}  # TS 38.415, 5.5.3.1
_MANDATORY, _OPTIONAL = 8, 4  # octets
# Information elements of fixed length, with a type below 128: 8.1. The others say their length.
_FIXED = {14: ("Recovery", 1), 16: ("Tunnel Endpoint Identifier Data I", 4)}
# With a length of one octet, unlike all others: 8.5.
EXTENSION_TYPES = 141
_VARIABLE = {
    133: "GTP-U Peer Address",
    EXTENSION_TYPES: "Extension Header Type List",
    230: "GTP-U Tunnel Status Information",
    231: "Recovery Time Stamp",
    255: "Private Extension",
}


class GtpuError(Exception):
    """Octets that are no GTP-U message. `section` is one of TS 29.281 unless it names another specification."""

    def __init__(self, section: str, sentence: str) -> None:
        super().__init__(sentence)
        self.section = section
        self.sentence = sentence

    def __str__(self) -> str:
        return f"{self.sentence} ({self.section if self.section.startswith('TS') else f'TS 29.281, {self.section}'})"


@dataclass(frozen=True)
class Container:
    """A PDU session container: TS 38.415, 5.5.2. `ppi` and `rqi` are of the downlink alone."""

    pdu_type: int
    qfi: int
    rqi: int | None = None
    ppi: int | None = None


@dataclass(frozen=True)
class Extension:
    """An extension header: 5.2. `content` is without length and next type."""

    type: int
    content: bytes
    container: Container | None = None

    @property
    def name(self) -> str:
        return EXTENSIONS.get(self.type, f"extension header 0x{self.type:02x}")


@dataclass(frozen=True)
class Element:
    """An information element: 8.1."""

    type: int
    name: str
    value: bytes


@dataclass
class Message:
    """A message as it is written. `length` is the Length field; `inner` a G-PDU's T-PDU, empty otherwise."""

    type: int
    length: int
    teid: int
    sequence: int | None = None
    npdu: int | None = None
    extensions: list[Extension] = field(default_factory=list)
    elements: list[Element] = field(default_factory=list)
    inner: bytes = b""
    missing: int = 0  # octets at its end that were not captured
    header_octets: int = _MANDATORY
    remarks: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return MESSAGES.get(self.type, f"message type {self.type}")

    @property
    def container(self) -> Container | None:
        return next((extension.container for extension in self.extensions if extension.container), None)


def is_message(octets: bytes, to_port: bool, missing: int = 0) -> bool:
    """True if octets on UDP port 2152 are meant as a GTP-U message, sound or not. Another application may have the
    port. `to_port`: it is the destination's, as that of each request and G-PDU is (4.4.2). `missing` counts the octets
    at the end that were not captured."""
    if not octets or octets[0] & 0xF0 != 0x30:
        return False
    if len(octets) < 4 <= len(octets) + missing:
        return to_port
    if to_port and len(octets) < _MANDATORY:
        return True
    is_whole = _MANDATORY + int.from_bytes(octets[2:4], "big") == len(octets) + missing
    return is_whole if not to_port or octets[1] not in MESSAGES else True


def is_header_cut(octets: bytes, missing: int) -> bool:
    """True if a message has a whole mandatory part, of which too little was captured."""
    return len(octets) < _MANDATORY <= len(octets) + missing


def why_none(octets: bytes) -> str:
    """Returns why octets on UDP port 2152 are no GTP-U message."""
    if octets[0] >> 5 != 1:
        return f"the version would be {octets[0] >> 5}"
    if not octets[0] & 0x10:
        return "the protocol type would be 0"
    return "no GTP message has such a type and length"


def read(octets: bytes, missing: int = 0) -> Message:
    """Reads a message, as far as it was captured: `missing` octets follow after `octets`. Raises GtpuError with the
    first error."""
    if len(octets) < _MANDATORY:
        raise GtpuError("5.1", f"The header has {_MANDATORY} octets at least, but {len(octets)} are there.")
    flags = octets[0]
    if flags >> 5 != 1:
        raise GtpuError("5.1", f"The version is {flags >> 5}; GTP-U's is 1.")
    if not flags & 0x10:
        raise GtpuError("5.1", "The protocol type is 0: this is GTP', not GTP.")
    message = Message(octets[1], int.from_bytes(octets[2:4], "big"), int.from_bytes(octets[4:8], "big"))
    end, there = _MANDATORY + message.length, len(octets) + missing
    if end > there:
        raise GtpuError("5.1", f"The Length is {message.length}, but {there - _MANDATORY} octets follow.")
    if end < there:
        message.remarks.append(f"{there - end} octets follow the message's end (TS 29.281, 5.1).")
    message.missing = max(0, end - len(octets))
    if flags & 0x08:
        message.remarks.append("The spare flag is 1 (TS 29.281, 5.1).")
    at = _MANDATORY
    if flags & 0x07:
        at = _read_optional(octets[:end], flags, message)
    message.header_octets = at
    if message.type == G_PDU:
        message.inner = octets[at:end]
    else:
        _read_elements(octets[at:end], message)
    _remark(flags, message)
    return message


def _read_optional(octets: bytes, flags: int, message: Message) -> int:
    """The optional fields, all of them where a flag announces one, and the extension headers: 5.1, 5.2. Returns where
    they end, or the end of what was captured."""
    end = len(octets) + message.missing
    if end < _MANDATORY + _OPTIONAL:
        raise GtpuError("5.1", f"A flag brings {_OPTIONAL} optional octets, but the Length is {message.length}.")
    if flags & 0x02 and len(octets) >= 10:
        message.sequence = int.from_bytes(octets[8:10], "big")
    if flags & 0x01 and len(octets) >= 11:
        message.npdu = octets[10]
    at = _MANDATORY + _OPTIONAL
    following = octets[11] if flags & 0x04 and len(octets) >= at else 0
    while following:
        if at >= end:
            raise GtpuError("5.2.1", f"An extension header 0x{following:02x} is announced, but the message ends.")
        if at >= len(octets):
            break
        size = 4 * octets[at]
        if not size:
            raise GtpuError("5.2.1", f"The extension header 0x{following:02x} has the length 0.")
        if at + size > end:
            raise GtpuError(
                "5.2.1",
                f"The extension header 0x{following:02x} has {size} octets, but {end - at} are left.",
            )
        if at + size > len(octets):
            return len(octets)
        content = octets[at + 1 : at + size - 1]
        container = _read_container(content) if following == PDU_SESSION_CONTAINER else None
        message.extensions.append(Extension(following, content, container))
        following = octets[at + size - 1]
        at += size
    return min(at, len(octets))


def _read_container(content: bytes) -> Container:
    """TS 38.415, 5.5.2.1 and 5.5.2.2: the first two octets, and the Paging Policy Indicator."""
    pdu_type = content[0] >> 4
    qfi = content[1] & 0x3F
    if pdu_type not in PDU_TYPES:
        raise GtpuError("TS 38.415, 5.5.3.1", f"The PDU session container has type {pdu_type}; there are 0 and 1.")
    if pdu_type == 1:
        return Container(pdu_type, qfi)
    ppi = None
    if content[1] & 0x80:
        if len(content) < 3:
            raise GtpuError("TS 38.415, 5.5.2.1", "A Paging Policy Indicator is announced, but the container ends.")
        ppi = content[2] >> 5
    return Container(pdu_type, qfi, content[1] >> 6 & 1, ppi)


def _read_elements(octets: bytes, message: Message) -> None:
    """The information elements that were captured whole."""
    at, end = 0, len(octets) + message.missing
    while at < len(octets):
        kind = octets[at]
        if kind < 128:
            if kind not in _FIXED:
                raise GtpuError("8.1", f"The information element {kind} is none of GTP-U's, and its length unknown.")
            name, size = _FIXED[kind]
            start = at + 1
        else:
            start = at + (2 if kind == EXTENSION_TYPES else 3)
            name, size = (
                _VARIABLE.get(kind, f"information element {kind}"),
                int.from_bytes(octets[at + 1 : start], "big"),
            )
        is_cut = len(octets) < start <= end
        if start > end or (not is_cut and start + size > end):
            raise GtpuError("8.1", f"The {name} claims {size} octets, but {max(0, end - start)} are left.")
        if is_cut or start + size > len(octets):
            return
        message.elements.append(Element(kind, name, octets[start : start + size]))
        at = start + size


def _remark(flags: int, message: Message) -> None:
    """Adds a remark for each rule that the sender of a message broke without harm to its reader."""
    if message.type in WITH_SEQUENCE:
        if not flags & 0x02:
            message.remarks.append(f"{message.name} has no sequence number (TS 29.281, 5.1).")
        if message.teid:
            message.remarks.append(f"{message.name} has the TEID 0x{message.teid:08x}; it is 0 (TS 29.281, 5.1).")
    if message.type not in MESSAGES:
        message.remarks.append(f"There is no message type {message.type} in GTP-U (TS 29.281, 6.1).")
    places = [number for number, extension in enumerate(message.extensions) if extension.type == PDU_SESSION_CONTAINER]
    if len(places) > 1:
        message.remarks.append("There is more than one PDU session container (TS 29.281, 5.2.1).")
    elif places and places[0]:
        message.remarks.append("The PDU session container is not the first extension header (TS 29.281, 5.2.1).")
