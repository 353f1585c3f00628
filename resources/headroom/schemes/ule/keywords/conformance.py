# SPDX-License-Identifier: Apache-2.0
"""Keywords of the conformance suites of RFC 4326 and RFC 5163."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from robot.api.deco import keyword

from headroom.core import capabilities, replay_metrics
from headroom.core.errors import UsageError
from headroom.core.finding import Finding
from headroom.core.implementations import Role
from headroom.core.options import split_names
from headroom.core.replay import Packets, ReplayConfig
from headroom.core.results import collector
from headroom.core.text import nth
from headroom.core.vectors import select
from headroom.keywords import cases, verdicts
from headroom.keywords.artefacts import keep_captures
from headroom.keywords.base import library
from headroom.keywords.cases import Case
from headroom.schemes.ule import line, metrics, pdus, vector_findings, vectors
from headroom.schemes.ule.judge import encapsulator
from headroom.schemes.ule.scheme import SCHEME
from headroom.schemes.ule.vectors import Vector

JUDGE = "judge (RFC 4326)"
# Octets of a PDU that each encapsulator takes. What else an SNDU has room for, an encapsulator may have no MTU for.
LONGEST_OF_ALL = 1500
# 2009-02-13, 23:31:30: the Universal Time at which replays with time stamps begin, so that their octets repeat.
UNIVERSAL_TIME_NS = 1_234_567_890_000_000_000


@library
class UleKeywords:
    """PDUs before an encapsulator, TS packets before a receiver; judges made from RFC 4326 and RFC 5163 decide."""

    @keyword("PDUs Should Be Encapsulated By The Rules")
    def pdus_by_the_rules(self, *words: str, **named: str) -> None:
        """The TS packets of PDUs are as RFC 4326, 3 to 6, says. PDUs are such as `ipv4 60 at 999us`.

        Named arguments are those of a replay, and: `packed`, SNDUs that begin after another one in a TS packet;
        `sndus` and `ts_packets`, how many there are; `left`, numbers of octets that some TS packets must have left
        after an SNDU; `tests`, Test SNDUs that a control message requests, as PDU:octets: 0:100 is one with 100
        octets of content in front of PDU 0.
        """
        _by_the_rules(pdus.read(words), named)

    @keyword("Each Length Should Be Encapsulated By The Rules")
    def each_length_by_the_rules(self, first: int, last: int, **named: str) -> None:
        """Encapsulates IPv4 packets of each length from FIRST to LAST octets, all given at once, and judges the TS
        packets."""
        _by_the_rules(pdus.read([f"ipv4 {octets}" for octets in range(first, last + 1)]), named)

    @keyword("Traffic Should Be Encapsulated By The Rules")
    def traffic_by_the_rules(self, source: str, **named: str) -> None:
        """Encapsulates a traffic profile, and judges the TS packets."""
        _by_the_rules(source, named)

    @keyword("PDUs Should Be Refused")
    def pdus_refused(self, *words: str, **named: str) -> None:
        """None of these PDUs, which no SNDU may carry, leaves a trace on the link. What is taken all the same is as
        the judge finds it, or at least left to a receiver to discard."""
        case = about("compressor")
        config = _config_of(case, pdus.read(words), named)
        case.require(**asked("compressor", config.channel))
        result = line.encapsulate(config)
        collector.current().metric(replay_metrics.PACKETS, result.done.sent)
        if result.pdus or result.packets:
            keep_captures(result.done)
            judged = encapsulator.judge(line.setting_of(config.channel), result.pdus, result.packets)
            case.conclude(judged.findings)
            collector.current().judge("non-strict", f"{len(result.pdus)} of {result.done.sent} PDUs are taken.")

    @keyword("Vectors Should Be Sent")
    def vectors_sent(self, *patterns: str) -> None:
        """PDUs of resources/vectors/ule, all given at once, become the TS packets that are written there."""
        case = about("compressor")
        names = [name for name in select(patterns, vectors.load(), vectors.FOLDER) if vectors.load()[name].encapsulated]
        if not names:
            raise UsageError(f"None of {', '.join(patterns)} is for an encapsulator: say `encapsulated: true` there.")
        for vector in _chosen(case, names):
            _sent(case, vector)

    @keyword("Vectors Should Be Received")
    def vectors_received(self, *patterns: str) -> None:
        """TS packets of resources/vectors/ule: what comes out, and what is counted, is what the RFCs say."""
        case = about("decompressor")
        findings: list[Finding] = []
        for vector in _chosen(case, patterns):
            case.require(**asked("decompressor", vector.channel, *vector.extensions))
            result = line.receive(case.found, vector.arrivals, vector.channel, case.run.build, vector.npa)
            findings += vector_findings.findings_of(vector, result.units, result.types, result.statistics)
        verdicts.conclude(findings, "decompressor")


def about(role: Role) -> Case:
    return cases.about(SCHEME, JUDGE, role)


def _by_the_rules(source: str | Packets, named: Mapping[str, str]) -> None:
    case, fields = about("compressor"), dict(named)
    expected = {name: fields.pop(name, "") for name in ("packed", "sndus", "ts_packets", "left", "tests")}
    config = _config_of(case, source, fields)
    config.control = _tests(expected["tests"])
    case.require(**asked("compressor", config.channel, *(["test-sndu"] if config.control else [])))
    with verdicts.refusals_are_unsupported():
        result = line.encapsulate(config)
    judged = encapsulator.judge(line.setting_of(config.channel), result.pdus, result.packets)
    current = collector.current()
    current.metric(replay_metrics.PACKETS, result.done.sent)
    current.metric(replay_metrics.JUDGED, judged.number)
    current.metric(metrics.SNDUS, judged.sndus)
    current.metric(metrics.PACKED, judged.packed)
    case.conclude(judged.findings, result.done)
    if refused := [octets for octets in result.refused if len(octets) <= LONGEST_OF_ALL]:
        verdicts.must_not_be(f"{len(refused)} of {result.done.sent} PDUs are refused.")
    if result.refused:
        current.judge("non-strict", f"{len(result.refused)} of {result.done.sent} PDUs are refused; they are long.")
    _counted("SNDUs are packed after others", expected["packed"], judged.packed)
    _counted("SNDUs are sent", expected["sndus"], judged.sndus - judged.tests)
    _counted("TS packets are sent", expected["ts_packets"], judged.number)
    if judged.tests < len(config.control):
        _counted("Test SNDUs are sent", str(len(config.control)), judged.tests)
    seen = {octets for octets, _ in judged.left}
    if missing := [octets for octets in split_names(expected["left"]) if int(octets) not in seen]:
        sentence = f"No SNDU leaves {', '.join(missing)} octets of its last TS packet; seen: {sorted(seen)}."
        current.judge("non-strict", sentence)


def _tests(text: str) -> list[dict[str, Any]]:
    """Steps of a replay by which Test SNDUs are sent."""
    steps = []
    for part in split_names(text):
        before, colon, octets = part.partition(":")
        if not colon or not before.isdigit() or not octets.isdigit():
            raise UsageError(f"'{part}' is not of the form PDU:octets, such as 0:100.")
        message = {"send": "test SNDU", "octets": int(octets)}
        steps.append({"before": int(before), "side": "compressor", "message": message})
    return steps


def _counted(what: str, expected: str, value: int) -> None:
    """Judges a count, non-strict at most: "packing … is optional", and thresholds SHOULD be configurable."""
    if expected and value != int(expected):
        collector.current().judge("non-strict", f"{value} {what}, not {expected}.")


def _sent(case: Case, vector: Vector) -> None:
    case.require(**asked("compressor", vector.channel))
    config = ReplayConfig(
        "ule",
        case.found,
        source=[{"hex": octets.hex()} for octets in vector.pdus],
        channel={"first_pid": vectors.FIRST_PID, **vector.channel},
        compressor_options={"npa": vector.npa} if vector.npa != vectors.OWN else {},
        build=case.run.build,
        timeout_s=capabilities.PATIENCE_S,
    )
    result = line.encapsulate(config)
    judged = encapsulator.judge(line.setting_of(config.channel, vector.npa), result.pdus, result.packets)
    case.conclude(judged.findings)
    expected, packets = [arrival.octets for arrival in vector.arrivals], [octets for _, octets in result.packets]
    for number, (packet, other) in enumerate(zip(expected, packets, strict=False)):
        if packet != other:
            at = next((at for at, (x, y) in enumerate(zip(packet, other, strict=False)) if x != y), len(other))
            what = f"{nth('TS packet', number)} differs from octet {at} on: {other[at : at + 12].hex(' ')}, not "
            _differs(vector, f"{what}{packet[at : at + 12].hex(' ')}")
            break
    if len(packets) != len(expected):
        _differs(vector, f"{len(packets)} TS packets are sent, not {len(expected)}")


def _differs(vector: Vector, sentence: str) -> None:
    """The judge has no finding: "Use of the Packing method (v) by an Encapsulator is optional" (6.2)."""
    collector.current().judge("non-strict", f"{vector.name}: {sentence}. {vector.shows}")


def _chosen(case: Case, patterns: Sequence[str]) -> list[Vector]:
    chosen = case.vectors(patterns, vectors.load(), vectors.FOLDER)
    collector.current().metric(replay_metrics.VECTORS, len(chosen))
    return [vector for name, vector in vectors.load().items() if name in chosen]


def _config_of(case: Case, source: str | Packets, named: Mapping[str, str]) -> ReplayConfig:
    config = case.config(source, named)
    if config.channel.get("time_stamp"):
        config.channel.setdefault("universal_time_ns", UNIVERSAL_TIME_NS)
    return config


def asked(role: Role, channel: Mapping[str, Any], *extensions: str) -> dict[str, Any]:
    """The capabilities that a configuration takes on one side."""
    needs: dict[str, Any] = {"max_channels": channel.get("channels", 1), "extensions": [*extensions]}
    if role == "compressor":
        needs |= {"packing": [channel.get("packing", "packing")], "address": [channel.get("address", "present")]}
        headers = {"padding": channel.get("padding_words"), "time-stamp": channel.get("time_stamp")}
        headers["concat"] = channel.get("concat", 1) > 1
        needs["extensions"] += [name for name, there in headers.items() if there]
    needs["settings"] = [name for name in ("subnets", "groups") if name in channel]
    if channel.get("bridged"):
        needs["carriage"] = ["bridged"]
    return needs
