# SPDX-License-Identifier: Apache-2.0
"""Our own reading of an uncompressed packet: IP headers, their payload, and the packets in tunnels over UDP.

Sources: RFC 791, 8200, 768, 3828, 3550, 9293, 4303. The scheme that owns a port reads the UDP payload.
"""

import ipaddress
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import zip_longest

from headroom.core.captures import framing, ip_headers, rtp_headers, tcp_streams
from headroom.core.captures.dissection import Flow, Ours, PayloadReader, TsharkLimit
from headroom.core.captures.ip_headers import UDP
from headroom.core.scheme_registry import find
from headroom.core.text import nth
from headroom.decode import dissectors

TCP, UDP_LITE, ESP = 6, 136, 50
PROTOCOLS = {1: "ICMP", TCP: "TCP", UDP: "UDP", ESP: "ESP", 58: "ICMPv6", UDP_LITE: "UDP-Lite", 59: "nothing"}
MOST_TUNNELS = 4  # tunnels in one another; deeper nesting is left as payload


def read(
    packet: bytes,
    rtp_flows: frozenset[Flow] = frozenset(),
    rtp: bool = False,
    readers: Mapping[str, PayloadReader] | None = None,
    missing: int = 0,
    is_told: bool = False,
) -> Ours:
    """Reads an IP packet. UDP of `rtp_flows` carries RTP, and the outermost UDP does if `rtp` is set. `readers` are
    those of the packets before it; without them, only tunnels are read. `missing` counts the octets at the end of its
    frame that were not captured: they cause no note or error. `is_told`: notes on the fragment are given elsewhere.
    """
    packet_read = _Packet(Ours(), rtp_flows, tunnel_readers() if readers is None else readers, is_told)
    packet_read.read(packet, rtp, 0, missing)
    return packet_read.ours


def readers() -> dict[str, PayloadReader]:
    """Readers of the payloads of a capture, by scheme."""
    return {name: payload.reader() for name, payload in dissectors.payloads().items()}


def tunnel_readers() -> dict[str, PayloadReader]:
    return {name: payload.reader() for name, payload in dissectors.payloads().items() if payload.is_tunnel}


@dataclass
class _Packet:
    """A packet that is being read, including the packets in it."""

    ours: Ours
    rtp_flows: frozenset[Flow]
    readers: Mapping[str, PayloadReader]
    is_told: bool = False
    inside: list[str] = field(default_factory=list)  # the schemes whose payloads have been read

    def read(self, packet: bytes, rtp: bool, depth: int, missing: int) -> None:
        missing = framing.missing_octets(packet, missing)
        ips = ip_headers.read(packet, missing)
        if not ips:
            self._unreadable(packet, missing)
            return
        for ip in ips:
            version = f"IPv{ip.version}"
            self._add(f"{version} source", str(ipaddress.ip_address(ip.source)))
            self._add(f"{version} destination", str(ipaddress.ip_address(ip.destination)))
            if ip.version == 4:
                self._add("IP-ID", ip.identification)
            if ip.has_no_length:
                self.ours.notes.append(
                    f"the IPv{ip.version} length is 0 (segmentation offload): the frame's length counts"
                )
            if ip.has_no_length and ip.version == 6:
                self._limit_tshark("tshark reads nothing after an IPv6 header with the length 0")
        inner = ips[-1]
        names = " in ".join(reversed([f"IPv{ip.version}" for ip in ips]))
        # The extension headers end before a fragment header that is cut short.
        if any(ip.is_fragment for ip in ips) or inner.following == ip_headers.FRAGMENT:
            self._title(f"fragment in {names}")
            self.ours.notes += [] if self.is_told and not depth else ["fragments are not reassembled"]
            return
        if not inner.length_matches and not inner.has_no_length:
            self.ours.notes.append(f"the IPv{inner.version} header gives another length than the packet has")
        behind = packet[inner.end :]
        if inner.following == UDP:
            self._udp(behind, (inner.source, inner.destination), names, rtp, depth, missing)
            return
        if inner.following == TCP and len(behind) >= tcp_streams.HEADER:
            self._tcp(behind, (inner.source, inner.destination), names, missing)
            return
        self._title(f"{PROTOCOLS.get(inner.following, f'protocol {inner.following}')} in {names}")
        if inner.following == UDP_LITE and len(behind) >= 8:
            self._ports(behind, "UDP")
        elif inner.following == ESP and len(behind) >= 8:
            self.ours.values["SPI"] = int.from_bytes(behind[:4], "big")
            self.ours.values["SN"] = int.from_bytes(behind[4:8], "big")

    def _unreadable(self, packet: bytes, missing: int) -> None:
        """Names a packet that is not IP, or lacks a whole header."""
        version = packet[0] >> 4 if packet else None
        if version in (4, 6):
            self._title(f"IPv{version}, cut short")
            if not missing:
                self.ours.notes.append(f"its {len(packet)} octets are too few for an IPv{version} header")
        elif version is None:
            self._title("an empty packet")
        else:
            self._title("no IP packet")
            self.ours.notes.append(f"the first four bits are {version}, where an IP packet has its version, 4 or 6")

    def _add(self, name: str, value: int | str) -> None:
        known = self.ours.values.setdefault(name, [])
        assert isinstance(known, list)
        known.append(value)

    def _limit_tshark(self, reason: str, stops: bool = True) -> None:
        """Records that tshark's reading proves nothing after the part that has been read so far."""
        if self.ours.tshark_limit is None:
            self.ours.tshark_limit = TsharkLimit(reason, deepcopy(self.ours.values), stops)

    def _title(self, title: str) -> None:
        self.ours.title = f"{self.ours.title}: {title}" if self.ours.title else title

    def _ports(self, octets: bytes, name: str) -> tuple[int, int]:
        source, destination = int.from_bytes(octets[:2], "big"), int.from_bytes(octets[2:4], "big")
        self._add(f"{name} source port", source)
        self._add(f"{name} destination port", destination)
        return source, destination

    def _tcp(self, octets: bytes, addresses: tuple[bytes, bytes], names: str, missing: int) -> None:
        flow = (*addresses, *self._ports(octets, "TCP"))
        segment = tcp_streams.segment_of(octets, missing)
        for name, reader in self.readers.items():
            if segment is None or not set(find(name).framing.tcp_ports) & set(flow[2:]):
                continue
            if (messages := reader.read_segment(flow, segment)) is None:
                continue
            self._title(f"{messages[0].title if messages else 'TCP'} in {names}")
            for number, message in enumerate(messages):
                self.ours.values = message.values | self.ours.values
                self.ours.error = self.ours.error or message.error
                self.ours.notes += message.notes
                if number:
                    values = ", ".join(f"{name} {value}" for name, value in message.values.items())
                    self.ours.notes.append(f"{nth('message', number)}: {message.error or values or message.title}")
            return
        self._title(f"TCP in {names}")

    def _udp(
        self, octets: bytes, addresses: tuple[bytes, bytes], names: str, rtp: bool, depth: int, missing: int
    ) -> None:
        if len(octets) < 8:
            if not missing:
                self.ours.notes.append("the UDP header is cut short")
            self._title(f"UDP in {names}")
            return
        flow = (*addresses, *self._ports(octets, "UDP"))
        length = int.from_bytes(octets[4:6], "big")
        if length and length != len(octets) + missing:
            self.ours.notes.append(f"the UDP header gives {length} octets, but there are {len(octets) + missing}")
        payload = octets[8:]
        if depth < MOST_TUNNELS and self._is_of_scheme(flow, payload, names, depth, missing, tunnels=True):
            return
        if self._is_of_scheme(flow, payload, names, depth, missing, tunnels=False, by_content=True):
            return
        if (rtp or flow in self.rtp_flows) and _is_rtp(payload, self.ours):
            self._title(f"RTP in UDP in {names}")
            self.ours.rtp = True
        elif not self._is_of_scheme(flow, payload, names, depth, missing, tunnels=False):
            self._title(f"UDP in {names}")

    def _is_of_scheme(
        self,
        flow: Flow,
        payload: bytes,
        names: str,
        depth: int,
        missing: int,
        *,
        tunnels: bool,
        by_content: bool = False,
    ) -> bool:
        """True if a payload belongs to a scheme, by its ports or, with `by_content`, by its octets. Its values are
        those of the outermost payload.
        """
        for name, reader in self.readers.items():
            dissector = dissectors.payloads()[name]
            if (dissector.is_tunnel, dissector.by_content) != (tunnels, by_content):
                continue
            if not by_content and not _has_port(flow, name):
                continue
            if not dissector.is_own(flow, payload, missing):
                self.ours.notes += [dissector.refusal(payload)] if payload else []
                continue
            reading = reader.read(flow, payload, missing)
            if reading is None:
                continue
            self._title(f"{reading.title} in {names}")
            if name not in self.inside:
                self.ours.values |= reading.values
            self.inside.append(name)
            self.ours.error = reading.error or self.ours.error
            self.ours.notes += reading.notes
            if reason := reading.misreads or reading.stops:
                self._limit_tshark(reason, stops=not reading.misreads)
            if reading.restored:
                self.ours.restored, *self.ours.also_restored = reading.restored
            if reading.inner:
                self.read(reading.inner, False, depth + 1, reading.missing)
            return True
        return False


def _has_port(flow: Flow, scheme: str) -> bool:
    return any(port in flow[2:] for port in find(scheme).framing.udp_ports)


def _is_rtp(octets: bytes, ours: Ours) -> bool:
    if len(octets) < rtp_headers.FIXED or octets[0] >> 6 != 2:
        return False
    ours.values |= rtp_headers.values_of(octets)
    return True


def rtp_flows(
    packets: Iterable[bytes], ports: frozenset[int] = frozenset(), missing: Iterable[int] = ()
) -> frozenset[Flow]:
    """The UDP flows that carry RTP, judged by all of their packets: version 2, even ports, one SSRC, at least two
    packets.

    Packets from or to one of `ports` are taken for RTP in any case. `missing` counts the octets at the end of each
    packet's frame that were not captured.
    """
    seen: dict[Flow, tuple[bytes, int]] = {}
    refused: set[Flow] = set()
    reported: set[Flow] = set()
    for packet, cut in zip_longest(packets, missing, fillvalue=0):
        assert isinstance(packet, bytes)
        for flow, payload, left in udp_of(packet, cut):
            if ports & set(flow[2:]):
                reported.add(flow)
            elif flow not in refused and _is_like_rtp(flow, payload, left):
                ssrc, count = seen.get(flow, (payload[8:12], 0))
                seen[flow] = (ssrc, count + 1)
                if ssrc != payload[8:12]:
                    refused.add(flow)
            else:
                refused.add(flow)
    return frozenset(reported | {flow for flow, (_, count) in seen.items() if count > 1 and flow not in refused})


def _is_like_rtp(flow: Flow, payload: bytes, missing: int) -> bool:
    return (
        len(payload) >= 12
        and payload[0] >> 6 == 2
        and not (flow[2] & 1 or flow[3] & 1)
        and not _tunnels(flow, payload, missing)
        and payload[1] & 0x7F not in range(72, 77)  # RTCP: RFC 5761, 4
    )


def _tunnels(flow: Flow, payload: bytes, missing: int) -> list[str]:
    """The schemes with tunnels on a port of the flow that accept the payload."""
    tunnels = [
        (name, payload)
        for name, payload in dissectors.payloads().items()
        if payload.is_tunnel and _has_port(flow, name)
    ]
    return [name for name, tunnel in tunnels if tunnel.is_own(flow, payload, missing)]


def content_of(flow: Flow, payload: bytes) -> tuple[bytes, str] | None:
    """The content of a tunnel's payload, IP packet or not, and the name of the tunnel; None if it is not a tunnel's
    payload.
    """
    for name in _tunnels(flow, payload, 0):
        if content := dissectors.payloads()[name].content(payload):
            return content
    return None


def udp_of(packet: bytes, missing: int) -> Iterator[tuple[Flow, bytes, int]]:
    """The UDP flows of a packet and of the packets in its tunnels, each with its payload and the number of octets
    missing there.
    """
    for _ in range(1 + MOST_TUNNELS):
        ips = ip_headers.read(packet)
        if not ips or any(ip.is_fragment for ip in ips):
            return
        if ips[-1].following != UDP or len(packet) < ips[-1].end + 8:
            return
        missing = framing.missing_octets(packet, missing)
        at = ips[-1].end
        ports = int.from_bytes(packet[at : at + 2], "big"), int.from_bytes(packet[at + 2 : at + 4], "big")
        flow = (ips[-1].source, ips[-1].destination, *ports)
        payload = packet[at + 8 :]
        yield flow, payload, missing
        tunnels = (dissectors.payloads()[name] for name in _tunnels(flow, payload, missing))
        inside = (tunnel.inner(payload, missing) for tunnel in tunnels)
        packet, missing = next((entry for entry in inside if entry[0]), (b"", 0))
