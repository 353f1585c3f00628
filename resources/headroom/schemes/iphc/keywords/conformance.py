# SPDX-License-Identifier: Apache-2.0
"""Keywords of the conformance suites of RFC 2507."""

from collections.abc import Sequence

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core import replay_metrics
from headroom.core.finding import Finding
from headroom.core.implementations import Role
from headroom.core.results import collector
from headroom.core.scheme_kit.line import Arrival, Sent
from headroom.keywords.base import library
from headroom.keywords.cases import Case
from headroom.keywords.line import LineKeywords, LineSuite
from headroom.schemes.iphc import context_state, metrics, numbers, odd_packets
from headroom.schemes.iphc.judge import link
from headroom.schemes.iphc.line import LINE, VECTORS
from headroom.schemes.iphc.scheme import SCHEME

EVERY = 20  # packets between header requests
NO_DELTAS = "No packet goes as COMPRESSED_TCP, so nothing was shown."


@library
class IphcKeywords(LineKeywords):
    """Keywords that send traffic to a compressor (RFC 2507, 3 to 8) and link packets to a decompressor (6 to 10). After
    a loss, a decompressor may deliver or discard a TCP packet whose checksum is wrong (10.1). A compressor may compress
    nothing, and a decompressor may request nothing: then a case shows nothing.
    """

    suite = LineSuite(
        SCHEME,
        "judge (RFC 2507)",
        LINE,
        VECTORS,
        types=link.TYPE_NAMES,
        counted={
            "FULL_HEADER": metrics.ON_THE_LINK(type="full"),
            "COMPRESSED_TCP": metrics.ON_THE_LINK(type="tcp"),
            "COMPRESSED_TCP_NODELTA": metrics.ON_THE_LINK(type="no_delta"),
            "COMPRESSED_NON_TCP": metrics.ON_THE_LINK(type="non_tcp"),
        },
    )

    def _must_show(self, sent: Sequence[Sent], arrivals: Sequence[Arrival], lost: float, damaged: float) -> None:
        compressed = [arrival for arrival in arrivals if arrival.type in (link.TCP, link.NODELTA, link.NON_TCP)]
        if not any(arrival.restored and not arrival.free for arrival in compressed):
            raise SkipExecution("No compressed packet must be restored, so nothing was shown.")
        if (lost or damaged) and not any(arrival.free or arrival.restored is None for arrival in compressed):
            raise SkipExecution("No compressed packet met a context that is out of date, so nothing was shown.")

    def _missing(self, case: Case, sentence: str) -> None:
        """ "A compressor is also free not to group packets into packet streams for compression", which section 4 has
        for a SHOULD where it would help."""
        case.conclude([Finding(sentence, "RFC2507-4-2")])

    @keyword("The Implementation Has")
    def has(self, role: Role, *features: str) -> None:
        """Ends a case that is about features which the implementation in a role does not declare."""
        self.suite.about(role).require(features=features)

    @keyword("Odd Packets Should Be Compressed By The Rules")
    def odd_packets(self, **named: str) -> None:
        """Packets whose lengths or checksums do not match, or whose extension headers change, leave as the RFC
        says."""
        self.traffic_by_the_rules(odd_packets.packets(), **named)

    @keyword("Packet Sequence Numbers Should Follow")
    def numbers_follow(self, source: str, **named: str) -> None:
        """The numbers of compressed TCP headers go on by one and skip zero, beyond 2^16 packets: nothing else of them
        is read."""
        case, _, result = self._compressed(source, {**named, "reordering": "yes"})
        findings = numbers.judge(result.sent)
        collector.current().metric(replay_metrics.JUDGED, len(result.sent))
        if case.conclude(findings, result.done):
            return
        if not any(packet.type == link.TCP for packet in result.sent):
            self._missing(case, NO_DELTAS)

    @keyword("Header Requests Should Be Answered")
    def requests_answered(self, source: str, *others: str, flood: int = 0, **named: str) -> None:
        """Now and then CONTEXT_STATE packets ask for CIDs that are in use: the next packet of each is no
        COMPRESSED_TCP. OTHERS are octets of the way back that ask for nothing, and come besides. FLOOD packets that ask
        for every CID in use come before each packet of the second third of SOURCE."""
        case = self.suite.about("compressor")
        case.require(features=["header-requests"])
        config = case.config(source, named)
        case.require(**LINE.asked(config.channel))
        number_of = int(named.get("packets", 1000))
        given = {
            number: [*map(bytes.fromhex, others), context_state.packet([number % config.flows, 0])]
            for number in range(EVERY, number_of, EVERY)
        }
        if flood:
            every_cid = context_state.packet(range(config.flows))
            given |= dict.fromkeys(range(number_of // 3, 2 * number_of // 3), [every_cid] * flood)
        result, findings = context_state.compress(config, given)
        collector.current().metric(replay_metrics.JUDGED, len(result.sent))
        if case.conclude(findings, result.done):
            return
        if not any(packet.type == link.TCP for packet in result.sent):
            self._missing(case, NO_DELTAS)

    @keyword("Decompressor Should Request Headers")
    def requests_sent(self, *patterns: str) -> None:
        """Sends link packets whose contexts are out of date. Expects that CONTEXT_STATE packets have the form of
        10.2, name only these CIDs, and are fewer than the link packets that cannot be restored.
        """
        case = self.suite.about("decompressor")
        case.require(features=["header-requests"])
        chosen = case.vectors(patterns, VECTORS.by_name, VECTORS.folder)
        findings, requests = [], 0
        for vector in chosen.values():
            sent = context_state.sent_by(case.found, vector.channel, vector.arrivals, case.run.build)
            requests += sum(map(len, sent))
            findings += context_state.judge(vector.arrivals, sent)
        collector.current().metric(metrics.REQUESTS, requests)
        case.conclude(findings)
        if not requests:
            raise SkipExecution("It may request headers, and does not, so nothing was shown.")
