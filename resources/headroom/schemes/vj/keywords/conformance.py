# SPDX-License-Identifier: Apache-2.0
"""Keywords of the conformance suites of RFC 1144."""

from collections.abc import Sequence

from headroom.core.results import collector
from headroom.core.scheme_kit.line import Arrival, Sent
from headroom.keywords.base import library
from headroom.keywords.line import LineKeywords, LineSuite
from headroom.schemes.vj import metrics
from headroom.schemes.vj.judge import header, packet
from headroom.schemes.vj.judge.compressor import CompressorJudge
from headroom.schemes.vj.line import LINE, VECTORS
from headroom.schemes.vj.scheme import SCHEME


@library
class VjKeywords(LineKeywords):
    """Keywords that send traffic to a compressor (RFC 1144, 3.2.3) and link packets to a decompressor (3.2.4 and 4).
    After a loss the decompressor restores packets wrongly, and their TCP checksums show it.
    """

    suite = LineSuite(
        SCHEME,
        "judge (RFC 1144)",
        LINE,
        VECTORS,
        types=packet.TYPE_NAMES,
        counted={
            "TYPE_IP": metrics.ON_THE_LINK(type="ip"),
            "UNCOMPRESSED_TCP": metrics.ON_THE_LINK(type="uncompressed"),
            "COMPRESSED_TCP": metrics.ON_THE_LINK(type="compressed"),
        },
        # RFC 1144 is about IPv4: a compressor may be given nothing else.
        takes=lambda source: source[0] >> 4 == 4,
        # "any mutually agreeable number of slots from 1 to 256 should be negotiable" (5.1)
        may_refuse={"max_slot_id": "RFC1144-5.1-2"},
    )

    def _note(self, judges: Sequence[CompressorJudge]) -> None:
        collector.current().metric(metrics.UNNOTICED, sum(judge.unnoticed for judge in judges))

    def _must_show(self, sent: Sequence[Sent], arrivals: Sequence[Arrival], lost: float, damaged: float) -> None:
        compressed = [sent_packet for sent_packet in sent if sent_packet.type == packet.COMPRESSED]
        implicit = any(not sent_packet.link[0] & packet.BITS["C"] for sent_packet in compressed)
        shifted = [arrival.restored for arrival in arrivals if arrival.is_shifted]
        if damaged and implicit and not any(arrival.restored is None and arrival.octets for arrival in arrivals):
            raise AssertionError("No packet was tossed after a damaged frame, so nothing was shown.")
        if lost and compressed and not shifted:
            raise AssertionError("No packet came out wrong after a loss, so nothing was shown.")
        if any(map(header.has_right_tcp_checksum, filter(None, shifted))):
            raise AssertionError("A packet came out wrong, and its TCP checksum does not say so (4.1).")
