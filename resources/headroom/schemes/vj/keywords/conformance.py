# SPDX-License-Identifier: Apache-2.0
"""Keywords of the conformance suites of RFC 1144."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from robot.api import SkipExecution
from robot.api.deco import keyword
from robot.errors import PassExecution

from headroom.core import capabilities, engine, replay_metrics, replay_options
from headroom.core.implementations import Role
from headroom.core.options import split_names
from headroom.core.replay import ReplayConfig
from headroom.core.results import collector
from headroom.core.run.run import Run
from headroom.core.text import some
from headroom.core.vectors import select
from headroom.keywords import verdicts
from headroom.keywords.artefacts import keep_captures
from headroom.keywords.base import library
from headroom.schemes.vj import line, metrics, tshark_reading, vectors
from headroom.schemes.vj.axes import COMPRESSED
from headroom.schemes.vj.judge import header, packet
from headroom.schemes.vj.line import Wrong
from headroom.schemes.vj.scheme import SCHEME

JUDGE = "judge (RFC 1144)"


@library
class VjKeywords:
    """Traffic before a compressor, link packets before a decompressor; the judge made from RFC 1144 decides."""

    @keyword("Traffic Should Be Compressed By The Rules")
    def traffic_by_the_rules(self, source: str, *, types: str = "", octets: str = "", **named: str) -> None:
        """Every packet of a profile leaves as RFC 1144, 3.2.3, says.

        TYPES: packet types that occur on the link of a compressor without findings, so that the case shows what it is
        about. OCTETS: the most frequent length of its compressed headers. Others are named arguments of a replay.
        """
        run = verdicts.run_about("compressor")
        config = _config_of(run, source, named)
        _require(run, config, "compressor")
        with _slots_may_be_refused(config.channel, "compressor"):
            link = line.compress(config)
        current = collector.current()
        current.metric(replay_metrics.PACKETS, link.done.sent)
        counts = {name: sum(one.type == number for one in link.sent) for number, name in packet.TYPE_NAMES.items()}
        for key, name in (("ip", "TYPE_IP"), ("uncompressed", "UNCOMPRESSED_TCP"), ("compressed", "COMPRESSED_TCP")):
            current.metric(metrics.ON_THE_LINK(type=key), counts[name])
        found, unnoticed = line.judge_compressor(link.sent, config.channel)
        findings = verdicts.of_judge(found, JUDGE)
        if findings:
            keep_captures(link.done)
        verdicts.conclude(findings, "compressor")
        current.metric(replay_metrics.JUDGED, len(link.sent))
        current.metric(metrics.UNNOTICED, unnoticed)
        # RFC 1144 is about IPv4: a compressor may be given nothing else.
        if refused := [one for one in link.refused if one[0] >> 4 == 4]:
            raise AssertionError(f"{len(refused)} of {link.done.sent} packets are not on the link.")
        if findings or link.refused:
            return  # what the case is about may be just what is missing, which is no failure by itself
        for name in split_names(types):
            if not counts[name]:
                raise AssertionError(f"No packet goes as {name}: {counts}.")
        if octets:
            _header_octets(link.sent, int(octets))

    @keyword("Link Should Be Read Alike By Tshark")
    def read_alike(self, source: str, **named: str) -> None:
        """tshark reads the change masks, connection numbers, checksums and changes on the link as the judge does."""
        run = verdicts.run_about("compressor")
        config = _config_of(run, source, named)
        _require(run, config, "compressor")
        link = line.compress(config)
        if not tshark_reading.available():
            raise SkipExecution("tshark is not installed, so the second reading is missing.")
        fields, differences = tshark_reading.compare(link.sent)
        current = collector.current()
        current.metric(replay_metrics.COMPARED_WITH_TSHARK, len(link.sent))
        current.metric(replay_metrics.FIELDS_COMPARED_WITH_TSHARK, fields)
        if differences:
            keep_captures(link.done)
            raise AssertionError(f"{len(differences)} differences: {some(differences, 3)}")
        if not fields and any(one.type == packet.COMPRESSED for one in link.sent):
            raise AssertionError("tshark reads no compressed header of this traffic.")

    @keyword("Decompressor Should Do As The Judge Does")
    def as_the_judge(self, source: str, *, lost: float = 0.0, damaged: float = 0.0, **named: str) -> None:
        """What the compressor sends arrives, but for shares that are LOST or DAMAGED.

        The decompressor does with each packet what RFC 1144, 3.2.4 and 4, say: also where, behind a loss, what comes
        out is wrong. TCP notices that.
        """
        run = verdicts.run_about("decompressor")
        config = _config_of(run, source, named)
        for role in ("compressor", "decompressor"):
            _require(run, config, role)
        sent = line.compress(config).sent
        arrivals = line.across(sent, config.channel, lost, damaged, run.seed)
        shifted = [one for one in arrivals if one.is_shifted]
        current = collector.current()
        current.metric(replay_metrics.LINK_PACKETS, len(arrivals))
        current.metric(metrics.SHIFTED, len(shifted))
        current.metric(metrics.TOSSED, sum(one.restored is None for one in arrivals))
        wrong = line.decompress(run.decompressor, config.channel, arrivals, run.build)
        verdicts.conclude(verdicts.of_judge(wrong, JUDGE), "decompressor")
        compressed = [one for one in sent if one.type == packet.COMPRESSED]
        implicit = any(not one.link[0] & packet.BITS["C"] for one in compressed)
        if damaged and implicit and not any(one.restored is None and one.octets for one in arrivals):
            raise AssertionError("No packet was tossed behind a damaged frame, so nothing was shown.")
        if lost and compressed and not shifted:
            raise AssertionError("No packet came out wrong behind a loss, so nothing was shown.")
        for one in shifted:
            assert one.restored is not None
            if header.tcp_checksum_is_right(one.restored):
                raise AssertionError("A packet came out wrong, and its TCP checksum does not say so (4.1).")

    @keyword("Vectors Should Be Decompressed")
    def vectors_decompressed(self, *patterns: str) -> None:
        """Link packets of resources/vectors/vj: what comes out, and that nothing does, is what RFC 1144 says."""
        run = verdicts.run_about("decompressor")
        chosen = select(patterns, vectors.load(), vectors.FOLDER)
        verdicts.note("decompressor", run.decompressor, run.build)
        collector.current().metric(replay_metrics.VECTORS, len(chosen))
        findings = []
        for name in chosen:
            vector = vectors.load()[name]
            channel = {"max_slot_id": vector.max_slot_id}
            capabilities.require(run.decompressor, "decompressor", SCHEME, run.build, **channel)
            with _slots_may_be_refused(channel, "decompressor"):
                wrong = line.decompress(run.decompressor, channel, vector.arrivals, run.build)
            findings += [Wrong(vector.requirement, f"{name}: {one.sentence}. {vector.shows}") for one in wrong]
        verdicts.conclude(verdicts.of_judge(findings, JUDGE), "decompressor")


@contextmanager
def _slots_may_be_refused(channel: Mapping[str, Any], role: Role) -> Iterator[None]:
    """Ends a case as non-strict where an implementation refuses another number of slots than sixteen: "any mutually
    agreeable number of slots from 1 to 256 should be negotiable" (5.1)."""
    try:
        yield
    except engine.EngineFailure as failure:
        if channel.get("max_slot_id", 15) == 15 or "refuses the configuration" not in str(failure):
            raise
        verdicts.conclude(verdicts.of_judge([Wrong("RFC1144-5.1-2", str(failure))], JUDGE), role)
        raise PassExecution(str(failure)) from failure


def _config_of(run: Run, source: str, named: dict[str, str]) -> ReplayConfig:
    current = collector.current()
    config = replay_options.config_of(SCHEME, source, named, run)
    current.parameters |= {"kind": "replay", "source": source, "channel": config.channel, "flows": config.flows}
    return config


def _require(run: Run, config: ReplayConfig, role: Role) -> None:
    """Raises NotDeclared where an implementation does not declare what a case takes; notes it for the record."""
    asked = {
        "max_slot_id": config.channel.get("max_slot_id", 15),
        "slot_ids": [config.channel.get("slot_ids", COMPRESSED)],
    }
    verdicts.require(SCHEME, run, role, **asked)


def _header_octets(sent: Sequence[line.Sent], octets: int) -> None:
    """The length that most compressed headers have, which the text of RFC 1144 gives for the traffic."""
    lengths = [packet.read(one.link).length for one in sent if one.type == packet.COMPRESSED]
    if not lengths:
        raise AssertionError("No packet is compressed.")
    most = max(set(lengths), key=lengths.count)
    if most != octets:
        raise AssertionError(f"Most compressed headers have {most} octets, not {octets}.")
