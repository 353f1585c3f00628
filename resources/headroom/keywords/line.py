# SPDX-License-Identifier: Apache-2.0
"""The keywords of schemes whose roles are judged one after the other, packet by packet (`core.scheme_kit.line`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from robot.api.deco import keyword
from robot.errors import PassExecution

from headroom.core import engine, replay_metrics
from headroom.core.contract import Scheme
from headroom.core.finding import Finding
from headroom.core.implementations import Role
from headroom.core.metrics import Metric
from headroom.core.options import split_names
from headroom.core.replay import Packets, ReplayConfig
from headroom.core.results import collector
from headroom.core.scheme_kit import second_reading
from headroom.core.scheme_kit.line import Arrival, Compressed, Line, Sent
from headroom.core.scheme_kit.line_vectors import LineVectors
from headroom.keywords import cases
from headroom.keywords.base import library
from headroom.keywords.cases import Case


@dataclass(frozen=True)
class LineSuite:
    """The data of a scheme's keywords. `types` maps numbers to names of types of link packets; `counted` maps counted
    types to their metrics. `takes` is true for packets that a compressor may not refuse. `may_refuse` maps keys of the
    configuration to requirements that their values should be negotiable: refusing a value other than the default misses
    the requirement.
    """

    scheme: Scheme
    judge: str
    line: Line
    vectors: LineVectors | None = None
    types: Mapping[int, str] = field(default_factory=dict)
    counted: Mapping[str, Metric] = field(default_factory=dict)
    takes: Callable[[bytes], bool] = lambda packet: True
    may_refuse: Mapping[str, str] = field(default_factory=dict)

    def about(self, role: Role) -> Case:
        return cases.about(self.scheme, self.judge, role)


@library
class LineKeywords:
    """Sends traffic through a compressor, or link packets through a decompressor. A judge made from the specification
    decides.
    """

    suite: LineSuite

    def _note(self, judges: Sequence[Any]) -> None:
        """Records the metrics of a compressor's judges."""

    def _missing(self, case: Case, sentence: str) -> None:
        """Ends a case whose packet type is missing on the link although the compressor has no findings."""
        raise AssertionError(sentence)

    def _must_show(self, sent: Sequence[Sent], arrivals: Sequence[Arrival], lost: float, damaged: float) -> None:
        """Raises AssertionError if a line shows nothing of the case's subject."""

    @keyword("Traffic Should Be Compressed By The Rules")
    def traffic_by_the_rules(self, source: str | Packets, *, types: str = "", octets: str = "", **named: str) -> None:
        """Checks that the compressor sends every packet of a profile as the specification says.

        TYPES: packet types that occur on the link of a compressor without findings, so that the case shows its subject.
        OCTETS: the most frequent length of its compressed headers. Other named arguments are those of a replay.
        """
        case, config, link = self._compressed(source, named)
        current, suite = collector.current(), self.suite
        current.metric(replay_metrics.PACKETS, link.done.sent)
        counts = Counter(suite.types.get(packet.type, "") for packet in link.sent)
        for name, metric in suite.counted.items():
            current.metric(metric, counts[name])
        findings, judges = suite.line.follow(link.sent, config.channel)
        wrong = case.conclude(findings, link.done)
        current.metric(replay_metrics.JUDGED, len(link.sent))
        self._note(judges)
        if refused := [packet for packet in link.refused if suite.takes(packet)]:
            raise AssertionError(f"{len(refused)} of {link.done.sent} packets are not on the link.")
        if wrong or link.refused:
            return  # the case may be about the very packets that are missing, which is no failure by itself
        for name in split_names(types):
            if not counts[name]:
                self._missing(case, f"No packet has the type {name}: {dict(counts)}.")
        if octets:
            self._header_octets(link.sent, int(octets))

    @keyword("Link Should Be Read Alike By Tshark")
    def read_alike(self, source: str, **named: str) -> None:
        """Checks that tshark reads the same as the judge on the link, field by field."""
        _, _, link = self._compressed(source, named)
        if not link.sent:
            raise AssertionError(f"None of {link.done.sent} packets is on the link.")
        packets = [packet.captured for packet in link.sent]
        reading = cases.must_be_read_alike(lambda: second_reading.compare(self._reading(), packets), link.done)
        if not reading.fields and self._header_lengths(link.sent):
            raise AssertionError("tshark reads no compressed header of this traffic.")

    @keyword("Decompressor Should Do As The Judge Does")
    def as_the_judge(self, source: str, *, lost: float = 0.0, damaged: float = 0.0, **named: str) -> None:
        """Checks the decompressor with the link packets of the compressor, of which the shares LOST and DAMAGED are
        lost and damaged.

        The decompressor must treat each packet as the specification says, even if a packet after a loss is restored
        wrongly, which the layer above detects.
        """
        line, case = self.suite.line, self.suite.about("decompressor")
        config = case.config(source, named)
        for role in ("compressor", "decompressor"):
            Case(case.scheme, case.judge, role, case.run).require(**line.asked(config.channel))
        sent = line.compress(config).sent
        arrivals = line.across(sent, config.channel, float(lost), float(damaged), case.run.seed)
        current = collector.current()
        current.metric(replay_metrics.LINK_PACKETS, len(arrivals))
        current.metric(replay_metrics.SHIFTED, sum(arrival.is_shifted for arrival in arrivals))
        current.metric(replay_metrics.TOSSED, sum(arrival.restored is None for arrival in arrivals))
        case.conclude(line.decompress(case.found, config.channel, arrivals, case.run.build))
        self._must_show(sent, arrivals, float(lost), float(damaged))

    @keyword("Vectors Should Be Decompressed")
    def vectors_decompressed(self, *patterns: str) -> None:
        """Checks that link packets written by hand, from resources/vectors, are restored or discarded as the
        specification says.
        """
        line, case, vectors = self.suite.line, self.suite.about("decompressor"), self.suite.vectors
        assert vectors is not None
        chosen, findings = case.vectors(patterns, vectors.by_name, vectors.folder), []
        collector.current().metric(replay_metrics.VECTORS, len(chosen))
        for name, vector in chosen.items():
            case.require(**line.asked(vector.channel))
            with self._may_be_refused(case, vector.channel):
                wrong = line.decompress(case.found, vector.channel, vector.arrivals, case.run.build)
            findings += [
                Finding(f"{name}: {finding.sentence}. {vector.shows}", vector.requirement) for finding in wrong
            ]
        case.conclude(findings)

    def _compressed(self, source: str | Packets, named: Mapping[str, str]) -> tuple[Case, ReplayConfig, Compressed]:
        """Runs traffic through the compressor under test alone."""
        case = self.suite.about("compressor")
        config = case.config(source, named)
        case.require(**self.suite.line.asked(config.channel))
        with self._may_be_refused(case, config.channel):
            return case, config, self.suite.line.compress(config)

    @contextmanager
    def _may_be_refused(self, case: Case, channel: Mapping[str, Any]) -> Iterator[None]:
        """Ends a case with a missed SHOULD if an implementation refuses a value that should be negotiable."""
        try:
            yield
        except engine.EngineFailure as failure:
            known = self.suite.line.defaults
            others = [of for key, of in self.suite.may_refuse.items() if channel.get(key, known[key]) != known[key]]
            if not others or failure.kind != "refused" or not failure.where.endswith("/config"):
                raise
            case.conclude([Finding(str(failure), others[0])])
            raise PassExecution(str(failure)) from failure

    def _reading(self) -> Any:
        assert self.suite.scheme.dissector is not None
        return self.suite.scheme.dissector().channel("", (), None)

    def _header_lengths(self, sent: Sequence[Sent]) -> list[int]:
        reader = self._reading().reader()
        lengths = [reader.read(packet.captured).header_octets for packet in sent]
        return [length for length in lengths if length is not None]

    def _header_octets(self, sent: Sequence[Sent], octets: int) -> None:
        """Checks the most frequent length of compressed headers, which the text of the specification gives for the
        traffic.
        """
        lengths = self._header_lengths(sent)
        if not lengths:
            raise AssertionError("No packet is compressed.")
        most = max(set(lengths), key=lengths.count)
        if most != octets:
            raise AssertionError(f"Most compressed headers have {most} octets, not {octets}.")
