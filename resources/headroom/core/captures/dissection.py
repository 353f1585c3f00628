# SPDX-License-Identifier: Apache-2.0
"""Readings of packets, and the dissectors that schemes contribute to `./headroom decode`.

A reading is a title, and values by name, so that two readings can be compared. A value is a number, a text, or a list
of them where a packet has the field several times: addresses from the outermost IP header to the innermost, feedback
elements in their order. Our dissectors and tshark's readings use the same names.

A scheme whose packets have a link type, an Ethernet type or a PPP protocol of their own has a `LinkDissector`; one
whose messages are payloads of UDP, or streams of TCP, has a `PayloadDissector`. Both also know how tshark shows the
same packets.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Value = int | str | list[Any]
Flow = tuple[bytes, bytes, int, int]  # addresses and ports
Row = dict[str, list[str]]  # tshark's fields of one packet, each with all its occurrences


@dataclass
class Reading:
    """A judge's reading. `error` is the reason why it ends early; `notes` are remarks on it."""

    title: str = ""
    values: dict[str, Value] = field(default_factory=dict)
    error: str = ""
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class TsharkLimit:
    """A place in a packet after which tshark's reading proves nothing: the reason, and the values in front of it.
    `stops`: tshark reads no further there; otherwise it misreads the rest.
    """

    reason: str
    values: dict[str, Value]
    stops: bool = True


@dataclass
class Ours(Reading):
    """Our own judges' reading. Link packets that have a header have its octets and those of the payload."""

    header_octets: int | None = None
    payload_octets: int = 0
    restored: bytes | None = None  # the packet as the judge restores it
    # Further restored packets, if a link packet carries several.
    also_restored: list[bytes] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)  # field by field, with positions
    rtp: bool = False  # True if UDP carries RTP, restored or plain
    verified: bool | None = None  # True if a checksum over the restored packet is right; None: there is none
    is_feedback: bool = False  # only feedback, to the sender of the other direction: it needs no context
    tshark_limit: TsharkLimit | None = None  # the first limit in the packet


@dataclass
class PayloadReading(Reading):
    """The reading of a UDP payload; `inner` is the packet that it carries, if it belongs to a tunnel. `misreads` and
    `stops` give the reasons why tshark misreads it or stops in front of it.
    """

    inner: bytes = b""
    missing: int = 0  # octets of `inner` that were not captured
    restored: list[bytes] = field(default_factory=list)  # packets that it completes
    stops: str = ""
    misreads: str = ""


@dataclass(frozen=True)
class Difference:
    """A value that both readings have, but differently."""

    name: str
    ours: Value
    theirs: Value


@dataclass
class ReadingComparison:
    """`agreed` are names of values that are equal in both. `silent` is the reason why tshark's reading decides
    nothing.
    """

    agreed: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    silent: str = ""

    @property
    def verdict(self) -> str:
        if self.differences:
            return "differ"
        return "agree" if self.agreed else "silent"

    def hold(self, name: str, ours: Value, theirs: Value) -> None:
        """Compares one value."""
        if ours == theirs:
            self.agreed.append(name)
        else:
            self.differences.append(Difference(name, ours, theirs))


@dataclass(frozen=True)
class LinkPacket:
    """A link packet of a capture. `type` is that of the link layer, for schemes that have several; otherwise 0.
    `missing` counts the octets at its end that were not captured.
    """

    octets: bytes
    time_ns: int | None = None
    type: int = 0
    missing: int = 0


class LinkReader(ABC):
    """Reads the packets of one channel in their order, and keeps their contexts."""

    @abstractmethod
    def read(self, link: LinkPacket) -> Ours:
        """Our own reading of the next packet."""

    def compare(self, ours: Ours, theirs: Reading | None) -> ReadingComparison:
        """Compares every value that both readings have. `theirs` is None if tshark did not run. To be called for each
        packet, in order.
        """
        compared = ReadingComparison()
        for name, value in theirs.values.items() if theirs is not None else ():
            if name in ours.values:
                compared.hold(name, ours.values[name], value)
        return compared

    def is_plausible(self, peer: "LinkReader") -> bool:
        """False if there is a gap between the last packet and those before it, or if the last packet answers a packet
        that `peer`, the reader of the other direction, has not read.
        """
        return True

    def answers(self, peer: "LinkReader") -> int:
        """The fit of the feedback in the last packet to the packets that `peer`, the reader of the other direction, has
        read: 0 if it does not fit, 2 if its packet numbers fit, too.
        """
        return 0

    def copy(self) -> "LinkReader":
        """A reader with the same contexts that continues independently."""
        return deepcopy(self)


class LinkChannel(ABC):
    """A channel of a capture. `remark` is a note on the way it is read; channels with the same one share it."""

    remark: str = ""

    @abstractmethod
    def reader(self) -> LinkReader:
        """A reader that has read no packet yet."""

    @abstractmethod
    def tshark(self, packets: Sequence[LinkPacket]) -> list[Reading]:
        """tshark's reading of packets. Raises EnvironmentLacks without tshark, HeadroomError if it fails."""


@dataclass
class PlainChannel(LinkChannel):
    """A channel that needs no preparation: the functions that read it, ours and tshark's."""

    new_reader: Callable[[], LinkReader]
    read_by_tshark: Callable[[Sequence[LinkPacket]], list[Reading]]

    def reader(self) -> LinkReader:
        return self.new_reader()

    def tshark(self, packets: Sequence[LinkPacket]) -> list[Reading]:
        return self.read_by_tshark(packets)


class Dissector:
    """The base of dissectors. `hexadecimal` names values that are shown in hexadecimal, with their number of digits."""

    hexadecimal: Mapping[str, int] = {}

    def phrases(self, name: str, value: Value) -> list[str] | None:
        """A value as text, in one phrase or several; None: as its name and the value."""
        return None


class LinkDissector(Dissector, ABC):
    """Reads link packets. `hints` and `channel` take the user's hints at the channels: `Scheme.decode_options`."""

    def hints(self, words: Mapping[str, Any]) -> Any:
        """The hints for `channel`, from the options' values. Raises UsageError for an impossible value."""
        return None

    @abstractmethod
    def channel(self, form: str, packets: Iterable[bytes], hints: Any) -> LinkChannel:
        """The channel of some packets; `form` is the packet format that their frames give."""

    def ends(self, link: LinkPacket) -> tuple[bytes, bytes] | None:
        """Source and destination address, if a link packet has both whole: they tell which end of a line sent it."""
        return None

    def recognise(self, octets: bytes) -> tuple[str, bytes] | None:
        """The packet format and the link packet, if the octets of a datagram, or of a frame of the Ethernet type for
        experiments, are certainly one of the scheme's; else None.
        """
        return None


class Segment(NamedTuple):
    """A segment of TCP. `missing` counts the octets at its end that were not captured."""

    sequence: int
    flags: int
    octets: bytes
    missing: int = 0


class PayloadReader(ABC):
    """Reads the UDP payloads of a capture in their order."""

    @abstractmethod
    def read(self, flow: Flow, payload: bytes, missing: int = 0) -> PayloadReading | None:
        """The judge's reading of a payload; None if it is not one of the scheme's.

        `missing` counts the octets at its end that were not captured, for which the sender is not blamed.
        """

    def read_segment(self, flow: Flow, segment: Segment) -> list[PayloadReading] | None:
        """The judge's readings of the messages that end in a segment of TCP; None if the stream is not one of the
        scheme's.
        """
        return None


class PayloadDissector(Dissector, ABC):
    """Reads UDP payloads. `is_tunnel`: they carry packets, so no other scheme is tried on their ports. `by_content`:
    its reader recognises its payloads by their octets, on every port.
    """

    is_tunnel: bool = False
    by_content: bool = False
    fields: tuple[str, ...] = ()  # fields of tshark
    options: tuple[str, ...] = ()  # options of tshark, so that it shows the fields

    @abstractmethod
    def reader(self) -> PayloadReader:
        """A reader that has read no payload yet."""

    @abstractmethod
    def complete(self, row: Row, reading: Reading) -> None:
        """Adds the values of `fields` to tshark's reading of a packet."""

    def is_own(self, flow: Flow, payload: bytes, missing: int = 0) -> bool:
        """True if a payload on one of the scheme's ports is the scheme's: others may use the port, too."""
        return True

    def refusal(self, payload: bytes) -> str:
        """The reason why a payload that is not claimed is not the scheme's, as a note."""
        return ""

    def inner(self, payload: bytes, missing: int = 0) -> tuple[bytes, int]:
        """The packet in a tunnel's payload, b"" if there is none, and the number of its missing octets."""
        return b"", 0

    def content(self, payload: bytes) -> tuple[bytes, str] | None:
        """The content of a tunnel's payload, IP packet or not, and the name of the tunnel; None if it carries no user
        data.
        """
        return None
