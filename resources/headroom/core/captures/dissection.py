# SPDX-License-Identifier: Apache-2.0
"""Readings of packets, and what a scheme contributes to `./headroom decode`: a dissector.

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
Row = dict[str, list[str]]  # tshark's fields of one packet, each with all of its occurrences


@dataclass
class Reading:
    """One judge's reading. `error` says why there is no more; `notes` what else should be known of it."""

    title: str = ""
    values: dict[str, Value] = field(default_factory=dict)
    error: str = ""
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class TsharkLimit:
    """A place in a packet behind which tshark's reading proves nothing: why, and the values in front of it. `stops`:
    tshark reads less there; otherwise it takes what is there for something else."""

    reason: str
    values: dict[str, Value]
    stops: bool = True


@dataclass
class Ours(Reading):
    """The reading of our own judges. Link packets that have a header have the octets of it and of what follows it."""

    header_octets: int | None = None
    payload_octets: int = 0
    restored: bytes | None = None  # the packet as the judge restores it
    also_restored: list[bytes] = field(default_factory=list)  # behind it, where a link packet brings several
    trace: list[str] = field(default_factory=list)  # field by field, with positions
    rtp: bool = False  # whether UDP carries RTP, restored or plain
    verified: bool | None = None  # whether a checksum over the restored packet is right; None: there is none
    is_feedback: bool = False  # feedback to the sender of the other direction, and nothing else: it needs no context
    tshark_limit: TsharkLimit | None = None  # the first one of the packet


@dataclass
class PayloadReading(Reading):
    """The reading of a UDP payload; `inner` is the packet that it carries, if it is a tunnel's. tshark `misreads` it or
    `stops` in front of it where these say why."""

    inner: bytes = b""
    missing: int = 0  # octets of `inner` that were not captured
    restored: list[bytes] = field(default_factory=list)  # packets that are whole by it
    stops: str = ""
    misreads: str = ""


@dataclass(frozen=True)
class Difference:
    """A value that the two read differently."""

    name: str
    ours: Value
    theirs: Value


@dataclass
class ReadingComparison:
    """`agreed` are names of values that both have alike. `silent` says why tshark's reading decides nothing."""

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
    `missing` counts the octets at its end that were not captured."""

    octets: bytes
    time_ns: int | None = None
    type: int = 0
    missing: int = 0


class LinkReader(ABC):
    """Reads the packets of one channel in their order, and remembers what came before."""

    @abstractmethod
    def read(self, link: LinkPacket) -> Ours:
        """Our own reading of the next packet."""

    def compare(self, ours: Ours, theirs: Reading | None) -> ReadingComparison:
        """Every value that both have; `theirs` None: tshark did not run. For each packet, in order."""
        compared = ReadingComparison()
        for name, value in theirs.values.items() if theirs is not None else ():
            if name in ours.values:
                compared.hold(name, ours.values[name], value)
        return compared

    def is_plausible(self, peer: "LinkReader") -> bool:
        """False if the last packet leaves a gap behind those before it, or answers what `peer` has not read: `peer` is
        the reader of the other direction."""
        return True

    def answers(self, peer: "LinkReader") -> int:
        """Returns how well the feedback in the last packet fits what `peer` has read, the reader of the other
        direction: 0 if it does not, 2 if the numbers of packets in it fit, too."""
        return 0

    def copy(self) -> "LinkReader":
        """A reader that knows as much and goes on by itself."""
        return deepcopy(self)


class LinkChannel(ABC):
    """One channel of a capture. `remark` says what a reader should know of how it is read; channels share it."""

    remark: str = ""

    @abstractmethod
    def reader(self) -> LinkReader:
        """A reader that knows of no packet yet."""

    @abstractmethod
    def tshark(self, packets: Sequence[LinkPacket]) -> list[Reading]:
        """tshark's reading of packets. Raises EnvironmentLacks without tshark, HeadroomError when it fails."""


@dataclass
class PlainChannel(LinkChannel):
    """A channel of which there is nothing to be known beforehand: how it is read, by us and by tshark."""

    new_reader: Callable[[], LinkReader]
    read_by_tshark: Callable[[Sequence[LinkPacket]], list[Reading]]

    def reader(self) -> LinkReader:
        return self.new_reader()

    def tshark(self, packets: Sequence[LinkPacket]) -> list[Reading]:
        return self.read_by_tshark(packets)


class Dissector:
    """The base of dissectors. `hexadecimal` names the values that are shown so, with the digits on the wire."""

    hexadecimal: Mapping[str, int] = {}

    def phrases(self, name: str, value: Value) -> list[str] | None:
        """How people read a value, in one phrase or several; None: as its name and the value."""
        return None


class LinkDissector(Dissector, ABC):
    """Reads link packets. `hints` and `channel` take what the user says of the channels: `Scheme.decode_options`."""

    def hints(self, words: Mapping[str, Any]) -> Any:
        """The options' words as `channel` takes them. Raises UsageError on one that makes no sense."""
        return None

    @abstractmethod
    def channel(self, form: str, packets: Iterable[bytes], hints: Any) -> LinkChannel:
        """The channel of some packets; `form` is what their frames say of the packet format."""

    def ends(self, link: LinkPacket) -> tuple[bytes, bytes] | None:
        """Source and destination address, where a link packet has them whole: they say which end of a line sent it."""
        return None

    def recognise(self, octets: bytes) -> tuple[str, bytes] | None:
        """The packet format and the link packet that octets are beyond doubt, in a datagram or in a frame of the
        Ethernet type for experiments; None where they are none."""
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
        """Our own reading; None where it is none of the scheme's. `missing` counts the octets at its end that were not
        captured: they are no fault of the sender."""

    def read_segment(self, flow: Flow, segment: Segment) -> list[PayloadReading] | None:
        """Our own readings of the messages that end in a segment of TCP; None where the stream is none of the
        scheme's."""
        return None


class PayloadDissector(Dissector, ABC):
    """Reads UDP payloads. `is_tunnel`: they carry packets, so that nothing else is looked for on their ports.
    `by_content`: its reader knows its payloads by their octets, on every port."""

    is_tunnel: bool = False
    by_content: bool = False
    fields: tuple[str, ...] = ()  # of tshark
    options: tuple[str, ...] = ()  # of tshark, so that it shows the fields

    @abstractmethod
    def reader(self) -> PayloadReader:
        """A reader that knows of no payload yet."""

    @abstractmethod
    def complete(self, row: Row, reading: Reading) -> None:
        """Adds to tshark's reading of a packet what its `fields` say."""

    def claims(self, flow: Flow, payload: bytes, missing: int = 0) -> bool:
        """True if a payload on one of the scheme's ports is the scheme's: others may use the port, too."""
        return True

    def refusal(self, payload: bytes) -> str:
        """Returns why a payload that is not claimed is none of the scheme's, as a note."""
        return ""

    def inner(self, payload: bytes, missing: int = 0) -> tuple[bytes, int]:
        """The packet in a tunnel's payload, b"" where there is none, and how many of its octets are missing."""
        return b"", 0

    def content(self, payload: bytes) -> tuple[bytes, str] | None:
        """The content of a tunnel's payload, IP packet or not, and the name of the tunnel; None where there is nothing
        of a user in it."""
        return None
