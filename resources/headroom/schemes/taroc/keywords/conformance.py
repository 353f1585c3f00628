# SPDX-License-Identifier: Apache-2.0
"""Keywords of the conformance suites of the TAROC draft."""

from collections.abc import Sequence

from headroom.core.scheme_kit.line import Arrival, Sent
from headroom.keywords.base import library
from headroom.keywords.line import LineKeywords, LineSuite
from headroom.schemes.taroc import metrics
from headroom.schemes.taroc.judge import packet
from headroom.schemes.taroc.line import LINE, VECTORS
from headroom.schemes.taroc.scheme import SCHEME


@library
class TarocKeywords(LineKeywords):
    """Traffic before a compressor by 7.1, and link packets before a decompressor by 7.2."""

    suite = LineSuite(
        SCHEME,
        "judge (TAROC)",
        LINE,
        VECTORS,
        types=packet.TYPE_NAMES,
        counted={
            "UNCOMPRESSED_TCP": metrics.ON_THE_LINK(type="uncompressed"),
            "COMPRESSED_TCP": metrics.ON_THE_LINK(type="compressed"),
        },
    )

    def _must_show(self, sent: Sequence[Sent], arrivals: Sequence[Arrival], lost: float, damaged: float) -> None:
        compressed = [arrival for arrival in arrivals if arrival.type == packet.COMPRESSED]
        if not any(arrival.restored for arrival in compressed):
            raise AssertionError("No compressed packet could be restored, so nothing was shown.")
        if any(arrival.is_shifted for arrival in compressed):
            raise AssertionError("A packet whose TCP checksum is right came out wrong from the judge's decompressor.")
