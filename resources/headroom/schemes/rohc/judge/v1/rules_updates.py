# SPDX-License-Identifier: Apache-2.0
"""Rules on what a packet leaves in the context: a compressor builds on values that it has sent, and on nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.framework.errors import RohcError
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.v1 import headers
from headroom.schemes.rohc.judge.v1.context import Context
from headroom.schemes.rohc.judge.v1.decompressor import Attempt, Outcome, keep_coverage, reconstruct, transport_length
from headroom.schemes.rohc.judge.v1.packet import Packet

_WHOLE_LIST = {4: "RFC3095-5.7.7.4-4", 6: "RFC3095-5.7.7.3-3"}


def whole_lists(packet: Packet, source: bytes, after: Context | None) -> Iterator[Remark]:
    """A dynamic chain has every extension header of its packet: "with all header items present in uncompressed form"
    (RFC 3095, 5.7.7.3 and 5.7.7.4). An empty list does not stand for the one of the packet before."""
    if packet.dynamic is None or after is None:
        return
    original = headers.parse(source, ip_headers=len(after.ips), protocols=after.protocols)
    if original is None or [ip.version for ip in original.ips] != [ip.version for ip in after.ips]:
        return
    for number, (ip, header) in enumerate(zip(after.ips, original.ips, strict=True), 1):
        missing = len(header.extensions) - len(ip.headers.entries)
        if missing > 0:
            yield Remark(
                _WHOLE_LIST[ip.version],
                f"The {packet.kind} packet has {len(ip.headers.entries)} extension headers for IP header {number}; the "
                f"original has {len(header.extensions)}.",
            )


@dataclass(slots=True)
class PresumedContexts:
    """The contexts of a compressor that takes all that its UO-1-ID packets say for known, by CID.

    "UO-1-ID packets only updates TS, SN, IP-ID, and sequence numbers of IP extension headers" (RFC 4815, 6.2): a packet
    that makes sense with such a context alone rests on what the decompressor does not keep.
    """

    contexts: dict[int, Context] = field(default_factory=dict)

    def take(self, outcome: Outcome, source: bytes | None) -> list[Remark]:
        """The next packet of the channel, as the judge has it; what is wrong with it."""
        packet, before = outcome.packet, outcome.before
        assert packet is not None
        header = packet.header
        if header is None or before is None:
            self.contexts.pop(packet.cid, None)  # IR and IR-DYN tell everything anew
            return []
        presumed = self.contexts.get(packet.cid)
        if presumed is None:
            if packet.kind == "UO-1-ID" and header.extension is not None and outcome.error is None:
                self._keep(packet, before)
            return []
        attempt = self._keep(packet, presumed)
        if attempt is None or outcome.delivered == source or attempt.octets + packet.payload != source:
            return []
        return [
            Remark(
                "RFC4815-6.2-1",
                f"The {packet.kind} packet rests on values that were sent in the extension of a UO-1-ID packet alone: "
                "they do not update the context.",
            )
        ]

    def _keep(self, packet: Packet, before: Context) -> Attempt | None:
        """Takes over all that a packet says; None, and nothing is presumed any more, where that does not fit its
        CRC."""
        header = packet.header
        assert header is not None
        try:
            attempt = reconstruct(header, packet.payload, before)
        except (RohcError, ValueError):
            attempt = None
        if attempt is None or (header.has_crc and crc.of_width(header.crc.width, attempt.covered) != header.crc.value):
            self.contexts.pop(packet.cid, None)
            return None
        if header.has_crc:
            after = attempt.now
            if after.profile.coverage:
                keep_coverage(after, header, before, transport_length(after, packet.payload))
            self.contexts[packet.cid] = after
        return attempt
