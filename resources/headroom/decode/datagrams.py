# SPDX-License-Identifier: Apache-2.0
"""Contents of IP packets in a capture that are not packets of the link: fragments of a packet, and link packets in
datagrams.

Link packets are in datagrams with a header of tags (`captures.pdcp`), or in tunnels that the user names.
"""

import ipaddress
from dataclasses import dataclass, field, replace

from headroom.core.captures import formats, framing, pdcp
from headroom.core.captures.formats import Format
from headroom.core.captures.fragments import Fragments, fragment_of
from headroom.core.captures.framing import Frame
from headroom.core.captures.reading import CapturedPacket
from headroom.decode import dissectors, ip_dissector


def _recognised(octets: bytes, frame: Frame, where: str, bearer: str = "") -> Frame | None:
    """The link packet that a scheme recognises by its octets, in place of the frame that holds it."""
    for name, dissector in dissectors.links().items():
        if packet_seen := dissector.recognise(octets):
            form, packet = packet_seen
            recognised = framing.of_scheme(name, packet, where, form, bearer)
            return replace(
                recognised, vlans=frame.vlans, source=b"" if bearer else frame.source, is_fragment=frame.is_fragment
            )
    return None


@dataclass
class Datagrams:
    """Opens the IP packets of a capture in their order. `in_tunnels` is the format of packets in tunnels that are not
    IP.
    """

    in_tunnels: Format | None = None
    fragments: Fragments = field(default_factory=Fragments)

    def open(self, captured: CapturedPacket, frame: Frame) -> Frame:
        """The frame as it is, or the packet that its fragment completes, or the link packet in it."""
        if frame.kind == framing.OTHER and frame.type == framing.TYPE_EXPERIMENTAL:
            return _recognised(frame.octets, frame, frame.what) or frame
        if frame.kind != framing.IP:
            return frame
        if not captured.is_cut and (fragment := fragment_of(frame.octets)):
            whole = self.fragments.take(
                (captured.interface.number, frame.vlans), captured.number, captured.time_ns, fragment
            )
            if whole is None:
                return replace(frame, is_fragment=True)
            frame = replace(frame, octets=whole, is_derived=True, is_fragment=True, padding=0)
        return self._carried(frame, captured.missing) or frame

    def with_notes(self, captured: CapturedPacket, frame: Frame) -> Frame:
        """The frame with a note on the fragment in it. Call this when all frames have been opened."""
        note = self.fragments.told.get(captured.number)
        return replace(frame, notes=(note, *frame.notes)) if note and frame.is_fragment else frame

    def _carried(self, frame: Frame, missing: int) -> Frame | None:
        """The link packet in a datagram; None if there is none."""
        datagram = next(ip_dissector.udp_of(frame.octets, missing), None)
        if datagram is None or datagram[2]:
            return None
        flow, payload, _ = datagram
        source, destination = map(ipaddress.ip_address, flow[:2])
        content = ip_dissector.content_of(flow, payload) if self.in_tunnels is not None else None
        if pdcp.has_tags(payload):
            tagged = pdcp.read_datagram(payload)
            carried = formats.from_pdcp(tagged[1], tagged[0]) if tagged else None
        elif content is not None and self.in_tunnels is not None:
            if framing.is_surely_ip(content[0]):
                return None
            carried = formats.unwrap_as(self.in_tunnels, content[0], "a tunnel", f"{content[1]} of {destination}")
        else:
            where = f"UDP {source}:{flow[2]} → {destination}:{flow[3]}"
            return _recognised(payload, frame, "UDP", where)
        if carried is not None and carried.kind == framing.OTHER:
            return replace(frame, notes=(carried.what,))
        return carried and replace(carried, vlans=frame.vlans, is_fragment=frame.is_fragment)
