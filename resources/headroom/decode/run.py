# SPDX-License-Identifier: Apache-2.0
"""Decodes a capture: its frames by channel, first by tshark, then packet by packet by our own judges.

A channel is the traffic of one sender on one interface with one set of VLAN tags. It has a judge and a run of tshark of
its own. If frames name no sender, addresses tell the two directions apart (`captures.direction`). A capture of a link
holds packets as they were sent, with comments on what the link did to them, so that the judge sees the packets of the
compressor, not only those that arrived.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from headroom.core import tshark
from headroom.core.captures import direction, framing
from headroom.core.captures.dissection import (
    Flow,
    LinkChannel,
    LinkPacket,
    LinkReader,
    Ours,
    PayloadReader,
    Reading,
    ReadingComparison,
)
from headroom.core.captures.formats import Format
from headroom.core.captures.framing import Frame
from headroom.core.captures.reading import BrokenCapture, CapturedPacket
from headroom.core.captures.sources import Source
from headroom.core.errors import HeadroomError, UsageError
from headroom.core.paths import is_stream, shown
from headroom.decode import comparing, dissectors, ip_dissector, tshark_reading
from headroom.decode.datagrams import Datagrams

MOST_PACKETS = 200_000
MOST_OCTETS = 512 << 20  # most octets of all packets together
LOOK_AHEAD = 1000  # packets after the last printed one: they help to recognise RTP and large CIDs
MOST_CHANNELS = 64  # most channels that tshark reads, each by a run of its own

# Interface, VIDs, sender, scheme, the frame's hint at the packet format. The last three are set for link packets only.
Key = tuple[int, tuple[int, ...], str, str, str]
Packets = list[tuple[CapturedPacket, Frame]]


@dataclass(frozen=True)
class DecodeOptions:
    """The capture to decode, and hints. `words` are the user's hints at the channels (`Scheme.decode_options`). `last`
    None: to the end. `rtp_ports` are UDP ports that carry RTP.
    """

    path: Path
    words: Mapping[str, Any] = field(default_factory=dict)
    first: int = 1
    last: int | None = None
    rtp_ports: frozenset[int] = frozenset()
    tshark: bool = True
    formats: Mapping[int, Format] = field(default_factory=dict)  # formats by link type
    in_tunnels: Format | None = None  # format of packets in a tunnel that are not IP


@dataclass
class DecodedPacket:
    """A packet as our judges and tshark read it. `ours` is None if we cannot read the content of the frame."""

    captured: CapturedPacket
    since_ns: int  # the first packet
    frame: Frame
    channel: str
    ours: Ours | None
    restored: Ours | None
    theirs: Reading | None
    compared: ReadingComparison
    also_restored: list[Ours] = field(default_factory=list)  # packets after `restored`


@dataclass
class Capture:
    """A capture that has been read, including tshark's readings. `decoded` iterates over it once.

    `faults` are sentences about parts that were not decoded: the rest of a damaged file, failures of tshark. `remarks`
    are sentences about the way in which it was read.
    """

    options: DecodeOptions
    packets: Packets
    channels: dict[Key, str]  # channels in order, with their names
    links: dict[Key, LinkChannel]  # those channels that have link packets of a scheme
    theirs: dict[int, Reading]  # tshark's readings, by number of packet
    rtp_flows: frozenset[Flow]
    # Senders by number of packet, if addresses tell them apart.
    senders: Mapping[int, str] = field(default_factory=dict)
    undecided: frozenset[int] = frozenset()  # numbers of packets without a direction that contradict none
    faults: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    verdicts: Counter[str] = field(default_factory=Counter)
    unverified: int = 0  # number of restored packets with a wrong checksum

    def decoded(self) -> Iterator[DecodedPacket]:
        """The packets to print, in order. The packets before them are read, too, because contexts depend on them."""
        links = {key: channel.reader() for key, channel in self.links.items()}
        payloads = ip_dissector.readers()
        for captured, frame in self.packets:
            packet = self._one(captured, frame, links, payloads)
            if captured.number >= self.options.first:
                self.verdicts[packet.compared.verdict] += 1
                self.unverified += packet.ours is not None and packet.ours.verified is False
                yield packet

    def _one(
        self,
        captured: CapturedPacket,
        frame: Frame,
        links: Mapping[Key, LinkReader],
        payloads: Mapping[str, PayloadReader],
    ) -> DecodedPacket:
        key = _key(captured, frame, self.senders)
        other = self.theirs.get(captured.number)
        ours = restored = None
        also: list[Ours] = []
        compared = ReadingComparison()
        if key in links:
            ours = links[key].read(_link_packet(captured, frame))
            if key[2] == direction.UNKNOWN:
                _tell_unknown(ours, captured.number in self.undecided)
            compared = links[key].compare(ours, other)
        elif frame.kind == framing.IP:
            ours = ip_dissector.read(
                frame.octets, self.rtp_flows, readers=payloads, missing=captured.missing, is_told=frame.is_fragment
            )
            compared = comparing.compare_ip(ours, other) if other else ReadingComparison()
        if ours is not None:
            ours.notes[:0] = frame.notes
            # A packet that was put together from datagrams is whole, even if the last datagram was not captured whole.
            missing = captured.missing if key in links else 0
            rtp = ours.rtp and key in links
            if ours.restored is not None:
                restored = ip_dissector.read(ours.restored, rtp=rtp, missing=missing)
            also = [ip_dissector.read(octets, rtp=rtp, missing=missing) for octets in ours.also_restored]
        if captured.is_cut:
            cut = f"only {len(captured.octets)} of {captured.length} octets were captured"
            compared = ReadingComparison(silent=cut)
            if ours is not None:
                ours.notes.append(cut)
        elif ours is None:
            compared = ReadingComparison(silent="content of an unknown kind")
        elif other is None and not compared.silent:
            compared = ReadingComparison(silent="tshark did not run")
        since_ns = captured.time_ns - self.packets[0][0].time_ns
        return DecodedPacket(captured, since_ns, frame, self.channels[key], ours, restored, other, compared, also)


def read(options: DecodeOptions) -> Capture:
    """Reads a capture with our judges and tshark. Raises UsageError if the file is not a capture, or has no packet to
    decode.
    """
    path = options.path
    if path.exists() and not (path.is_file() or path.is_dir() or is_stream(path)):
        raise UsageError(
            f"{shown(path)} is not a regular file, and may never end: name a file, or give its content by /dev/stdin."
        )
    hints = {name: link.hints(options.words) for name, link in dissectors.links().items()}
    faults: list[str] = []
    source = Source(options.path, options.formats)
    packets = _packets(options, source, faults)
    senders, undecided, remarks = _senders(packets, hints)
    groups: dict[Key, Packets] = {}
    for captured, frame in packets:
        groups.setdefault(_key(captured, frame, senders), []).append((captured, frame))
    links = {
        key: dissectors.links()[key[3]].channel(key[4], (frame.octets for _, frame in group), hints[key[3]])
        for key, group in groups.items()
        if key[3]
    }
    plain = [(captured, frame.octets) for captured, frame in packets if frame.kind == framing.IP]
    flows = ip_dissector.rtp_flows(
        (octets for _, octets in plain), options.rtp_ports, (captured.missing for captured, _ in plain)
    )
    remarks = [*source.remarks, *remarks]
    capture = Capture(options, packets, _names(groups), links, {}, flows, senders, undecided, faults, remarks)
    if options.last is not None:
        capture.packets = [packet for packet in packets if packet[0].number <= options.last]
        groups = {
            key: [member for member in group if member[0].number <= options.last] for key, group in groups.items()
        }
    for remark in dict.fromkeys(channel.remark for channel in links.values() if channel.remark):
        names = [capture.channels[key] for key, channel in links.items() if channel.remark == remark]
        named = ", ".join(name or "frames without a name" for name in names)
        capture.remarks.append(f"{remark}: {named}." if any(names) else f"{remark}.")
    if not options.tshark:
        capture.remarks.append("tshark did not run (--no-tshark).")
    elif not tshark.is_available():
        capture.remarks.append("tshark is not installed (apt-get install tshark), so there is only one reading.")
    else:
        _ask_tshark(capture, groups)
    return capture


def _packets(options: DecodeOptions, source: Source, faults: list[str]) -> Packets:
    packets: Packets = []
    octets = 0
    datagrams = Datagrams(options.in_tunnels)
    try:
        for captured, frame in source.packets():
            if options.last is not None and captured.number > options.last + LOOK_AHEAD:
                break
            octets += len(captured.octets)
            if len(packets) == MOST_PACKETS or octets > MOST_OCTETS:
                faults.append(
                    f"The capture continues after packet {len(packets)}, the last that was read: cut it with "
                    "`editcap -r`."
                )
                break
            packets.append((captured, datagrams.open(captured, frame)))
    except BrokenCapture as error:
        faults.append(f"{error} The {len(packets)} packets before that are decoded.")
    return [(captured, datagrams.with_notes(captured, frame)) for captured, frame in packets]


def _key(captured: CapturedPacket, frame: Frame, senders: Mapping[int, str]) -> Key:
    if frame.kind not in dissectors.links():
        return (captured.interface.number, frame.vlans, "", "", "")
    sender = senders.get(captured.number) or direction.sender(captured, frame)
    return (captured.interface.number, frame.vlans, sender, frame.kind, frame.form)


def _link_packet(captured: CapturedPacket, frame: Frame) -> LinkPacket:
    return LinkPacket(frame.octets, captured.time_ns, frame.type, captured.missing)


def _tell_unknown(ours: Ours, is_undecided: bool) -> None:
    """Adds to a packet without a direction the reason why it has none."""
    if ours.is_feedback:
        ours.notes.append("its direction is unknown: it fits the contexts of both directions, or of neither")
    elif is_undecided:
        ours.error = "its direction is unknown: it fits several, and has no checksum that decides"
    else:
        ours.error = "it fits neither direction, as after a missing frame"


def _senders(packets: Packets, hints: Mapping[str, Any]) -> tuple[dict[int, str], frozenset[int], list[str]]:
    """The senders of link packets, by number of packet, if only their addresses tell them; the numbers of the packets
    that remain undecided; and remarks.
    """
    lines: dict[Key, Packets] = {}
    named = direction.simplex_by_name({captured.interface.number: captured.interface.name for captured, _ in packets})
    addresses: dict[tuple[int, tuple[int, ...]], set[tuple[direction.Ends, str]]] = {}
    for captured, frame in packets:
        sender = direction.sender(captured, frame)
        if frame.kind == framing.IP and (pair := direction.ends_of(frame.octets)):
            addresses.setdefault((captured.interface.number, frame.vlans), set()).add((pair, sender))
        number, vlans, _, kind, form = _key(captured, frame, {})
        if kind and number not in named:
            lines.setdefault((number, vlans, "", kind, form), []).append((captured, frame))
    senders: dict[int, str] = {}
    undecided: set[int] = set()
    counts: Counter[str] = Counter()
    mixed: set[int] = set()  # interfaces with a line whose directions nothing tells apart
    ends_of: dict[int, set[direction.Ends]] = {}
    for (number, _), pairs in addresses.items():
        ends_of.setdefault(number, set()).update(pair for pair, _ in pairs)
    for key, group in lines.items():
        is_duplex = any(frame.duplex for _, frame in group)
        flags = [direction.sender(captured, frame) for captured, frame in group]
        if all(flags):
            continue
        line = group
        if not is_duplex:  # packets without a flag form a line of their own
            line = [packet for packet, flag in zip(group, flags, strict=True) if not flag]
            flags = [""] * len(line)
        dissector = dissectors.links()[key[3]]
        links = [_link_packet(captured, frame) for captured, frame in line]
        channel = dissector.channel(key[4], (link.octets for link in links), hints[key[3]])
        ends = [dissector.ends(link) for link in links]
        ends_of.setdefault(key[0], set()).update(pair for pair in ends if pair)
        directions = direction.tell_apart(links, ends, flags, sorted(addresses.get(key[:2], ())), channel.reader)
        names = directions.senders
        senders |= {captured.number: name for (captured, _), name in zip(line, names, strict=True) if name}
        is_flagged = any(flags)
        counts["apart"] += any(names) and not is_flagged
        counts["unflagged"] += flags.count("") if is_flagged else 0
        mixed |= {key[0]} if not any(names) and is_duplex else set()
        undecided |= {line[place][0].number for place in directions.undecided}
        counts["unknown"] += names.count(direction.UNKNOWN) - len(directions.undecided)
        counts["guessed"] += directions.guessed
    counts["undecided"] = len(undecided)
    counts["one direction"] = len(mixed - direction.simplex_by_ends(ends_of))
    return senders, frozenset(undecided), _remarks_on_senders(counts)


def _remarks_on_senders(counts: Mapping[str, int]) -> list[str]:
    """Remarks on lines, or link packets, whose sender no flag of a frame gives: how many of each kind there are."""
    remarks = []
    if counts["apart"]:
        remarks.append("No frame names its sender: addresses and checksums tell the directions apart.")
    if counts["unflagged"]:
        remarks.append(
            f"Link packets that do not name their sender, though others do: {counts['unflagged']}. Addresses and "
            "checksums tell their directions."
        )
    for kind, sentence in (
        ("guessed", "Link packets that fit both directions, and are assigned to the senders in turns"),
        ("unknown", "Link packets that fit neither direction, as after missing frames, read apart"),
        ("undecided", "Link packets of unknown direction, read apart"),
    ):
        if counts[kind]:
            remarks.append(f"{sentence}: {counts[kind]}.")
    if counts["one direction"]:
        remarks.append("No frame names its sender, and there are no addresses of a second one: read as one direction.")
    return remarks


def _as_raw_ip(captured: CapturedPacket, frame: Frame) -> CapturedPacket:
    interface = replace(captured.interface, link_type=framing.RAW)
    return replace(captured, interface=interface, octets=frame.octets, length=len(frame.octets) + captured.missing)


def _names(groups: dict[Key, Packets]) -> dict[Key, str]:
    """Names of channels by their distinguishing properties: the interface's name, VLAN tags, and the sender if there
    are several.
    """
    names = {}
    senders: dict[tuple[int, tuple[int, ...]], set[str]] = {}
    for key in groups:
        senders.setdefault(key[:2], set()).add(key[2])
    for key, group in groups.items():
        interface = group[0][0].interface
        parts = [interface.name or (f"interface {interface.number}" if interface.number else "")]
        parts += [f"VLAN {'.'.join(map(str, key[1]))}" if key[1] else ""]
        if key[2] and len(senders[key[:2]] - {""}) > 1:
            parts.append(key[2])
        names[key] = " ".join(part for part in parts if part)
    return names


def _ask_tshark(capture: Capture, groups: dict[Key, Packets]) -> None:
    """Reads each channel of link packets with tshark, and then the IP packets of each link type."""
    links = [(key, group) for key, group in groups.items() if key in capture.links and group]
    if len(links) > MOST_CHANNELS:
        capture.remarks.append(f"tshark has read {MOST_CHANNELS} of {len(links)} channels.")
    for key, group in links[:MOST_CHANNELS]:
        sent = [_link_packet(captured, frame) for captured, frame in group]
        try:
            readings = capture.links[key].tshark(sent)
        except HeadroomError as error:
            capture.faults.append(f"tshark failed at {capture.channels[key] or 'the channel'}: {error}")
            continue
        capture.theirs |= {captured.number: theirs for (captured, _), theirs in zip(group, readings, strict=True)}
    by_type: dict[int, list[CapturedPacket]] = {}
    for captured, frame in capture.packets:
        if frame.kind == framing.IP:
            shown = _as_raw_ip(captured, frame) if frame.is_derived else captured
            by_type.setdefault(shown.interface.link_type, []).append(shown)
    for packets in by_type.values():
        try:
            readings = tshark_reading.read_ip(packets, sorted(capture.options.rtp_ports))
        except HeadroomError as error:
            capture.faults.append(f"tshark failed at the IP packets: {error}")
            continue
        capture.theirs |= {captured.number: theirs for captured, theirs in zip(packets, readings, strict=True)}
