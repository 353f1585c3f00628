# SPDX-License-Identifier: Apache-2.0
"""Plays the hand-derived vectors of resources/vectors/rohc to a decompressor, many at once, each on a channel of its
own.

The engine compares the output. This module compares the feedback that the decompressor passes on to the compressor at
its end, and the feedback that it sends itself. A vector that does not pass with others is played again alone, and that
outcome counts.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from headroom.core import engine
from headroom.core.capabilities import PATIENCE_S, Misbehaviour, NotDeclared, promise
from headroom.core.implementations import Implementation
from headroom.core.text import nth
from headroom.schemes.rohc.conformance import besides, capabilities, feedback
from headroom.schemes.rohc.conformance.tcp_answers import TcpAnswers
from headroom.schemes.rohc.judge import Decompressor, Parameters
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.framework.profiles import TCP
from headroom.schemes.rohc.judge.v1 import feedback as formats
from headroom.schemes.rohc.judge.v1 import vectors
from headroom.schemes.rohc.judge.v1.vectors import PACKET_INTERVAL_NS, Step, Vector


@dataclass
class VectorOutcome:
    """The outcome of one vector: sentences about its faults, and the engine's records of its packets."""

    vector: Vector
    wrong: list[str] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    failure: engine.EngineFailure | Misbehaviour | None = None


@cache
def known() -> dict[str, Vector]:
    """All vectors of packets by name, those of ROHC-TCP after those of other profiles."""
    return vectors.load() | vectors.load(vectors.FOLDER / "tcp")


def control(names: Iterable[str]) -> str | None:
    """A vector whose packets must be delivered, as a control for vectors whose packets must be refused: a decompressor
    that refuses everything does not pass.

    None if packets of some of these vectors must be delivered. The control has a channel with CIDs of the same size,
    and comes from the same file if possible, because then it needs the same declarations.
    """
    chosen = [known()[name] for name in names]
    if any(step.outcome == "delivered" for vector in chosen for step in vector.steps):
        return None
    cids, paths = {vector.channel["cids"] for vector in chosen}, {vector.path for vector in chosen}
    fitting = [
        vector
        for vector in known().values()
        if not vector.feature
        and vector.channel["cids"] in cids
        and all(step.outcome == "delivered" for step in vector.steps)
        and (vector.path in paths or (vector.channel["mode"] == "U" and "0x0001" in vector.channel["profiles"]))
    ]
    return min(fitting, key=lambda vector: vector.path not in paths).name


def channel_for(vector: Vector, decompressor: Implementation) -> dict[str, Any]:
    """The channel of a vector for a decompressor that need not declare all profiles of the vector's channel.

    Its PROFILES are the profiles that the vector uses, and those of its other profiles that the decompressor declares.
    Vectors are written for a channel with all profiles that the judge knows, and show nothing about unused profiles.
    """
    used = _profiles_used(vector.name, json.dumps(vector.channel), tuple(step.link for step in vector.steps))
    there = {*used, *capabilities.profiles_of(decompressor)}
    return {**vector.channel, "profiles": [name for name in vector.channel["profiles"] if name in there]}


@cache
def _profiles_used(name: str, channel: str, links: tuple[bytes, ...]) -> frozenset[str]:
    """The profiles of the packets of a vector, as the judge reads them. Packets that the judge refuses do not count."""
    judge = Decompressor(Parameters.of(json.loads(channel)))
    read = [outcome.packet for link in links if (outcome := judge.decompress(link)).error is None]
    return frozenset(
        f"0x{packet.profile.number:04x}" for packet in read if packet is not None and packet.profile is not None
    )


@cache
def play_all(decompressor: Implementation, build: str) -> dict[str, VectorOutcome]:
    """All vectors of a decompressor that needs no special feature for them; once for a run."""
    groups: dict[str, list[Vector]] = {}
    for vector in known().values():
        if not vector.feature:
            groups.setdefault(json.dumps(channel_for(vector, decompressor), sort_keys=True), []).append(vector)
    played: dict[str, VectorOutcome] = {}
    for group in groups.values():
        most = capabilities.channels_of(decompressor, channel_for(group[0], decompressor))
        for start in range(0, len(group), most):
            for outcome in _play_together(group[start : start + most], decompressor, build):
                played[outcome.vector.name] = outcome
    return played


def play(name: str, decompressor: Implementation, build: str) -> VectorOutcome:
    """Plays one vector. Raises NotDeclared if the decompressor does not declare a feature that the vector needs."""
    vector = known()[name]
    capabilities.require(decompressor, "decompressor", channel_for(vector, decompressor), build, vector.feature)
    if vector.feature:
        return _play_alone(vector, decompressor, build)
    return play_all(decompressor, build)[name]


def _play_together(group: Sequence[Vector], decompressor: Implementation, build: str) -> list[VectorOutcome]:
    try:
        capabilities.require(decompressor, "decompressor", channel_for(group[0], decompressor), build)
    except NotDeclared:
        return []
    try:
        document = engine.run("replay", job(group, decompressor, build), PATIENCE_S, build)
        promise(document)
        outcomes = judge(group, document)
    except (engine.EngineFailure, Misbehaviour):
        return [_play_alone(vector, decompressor, build) for vector in group]
    return [
        _play_alone(outcome.vector, decompressor, build) if outcome.wrong and len(group) > 1 else outcome
        for outcome in outcomes
    ]


def _play_alone(vector: Vector, decompressor: Implementation, build: str) -> VectorOutcome:
    try:
        document = engine.run("replay", job([vector], decompressor, build), PATIENCE_S, build)
        promise(document)
    except (engine.EngineFailure, Misbehaviour) as failure:
        return VectorOutcome(vector, [str(failure)], failure=failure)
    return judge([vector], document)[0]


def job(group: Sequence[Vector], decompressor: Implementation, build: str) -> dict[str, Any]:
    """A job in which vector n has channel n; the steps of all go side by side."""
    channel = {**channel_for(group[0], decompressor), **({"channels": len(group)} if len(group) > 1 else {})}
    options = capabilities.options_for(decompressor, "decompressor", group[0].feature)
    source: list[dict[str, Any]] = []
    expected: list[dict[str, Any] | None] = []
    for number, position, step in _in_order(group):
        at = {"time_ns": number * PACKET_INTERVAL_NS, "channel": position}
        source.append({**at, "hex": step.link.hex()})
        expected.append(None if step.packet is None else {**at, "hex": step.packet.hex()})
    return {
        "decompressor": capabilities.adapter(decompressor, channel, build, options),
        "source": {"packets": source},
        "expected": {"packets": expected},
        "records": "all",
    }


def _in_order(group: Sequence[Vector]) -> list[tuple[int, int, Step]]:
    """Steps by their number, then by vector: (number, position of the vector, step)."""
    longest = max(len(vector.steps) for vector in group)
    return [
        (number, position, vector.steps[number])
        for number in range(longest)
        for position, vector in enumerate(group)
        if number < len(vector.steps)
    ]


def judge(group: Sequence[Vector], document: dict[str, Any]) -> list[VectorOutcome]:
    """The outcomes of the vectors of a job."""
    records = {record["packet"]: record for record in document["records"] if "packet" in record}
    played = [VectorOutcome(vector) for vector in group]
    answers = [_answers(vector) for vector in group]
    for packet, (number, position, step) in enumerate(_in_order(group)):
        record = records[packet]
        outcome = played[position]
        outcome.records.append(record)
        outcome.wrong += [
            f"{nth('link packet', number)} {sentence}" for sentence in _wrong(outcome.vector, step, record)
        ]
        if (judge := answers[position]) is not None:
            outcome.wrong += [f"{nth('link packet', number)}: {remark.sentence}" for remark in judge(step, record)]
    for channel, outcome in enumerate(played):
        steps = [step for step in outcome.vector.steps if step.outcome != "nothing"]
        if more := besides.too_many(document, [step.packet for step in steps], channel):
            outcome.wrong.append(more)
    return played


def _answers(vector: Vector) -> Callable[[Step, dict[str, Any]], list[Remark]] | None:
    """Judges the answers to the steps of a vector of profile 0x0006; None for vectors of other profiles."""
    if f"0x{TCP:04x}" not in vector.channel["profiles"]:
        return None
    decompressor, answers = Decompressor(vector.parameters), TcpAnswers(vector.parameters)

    def judge(step: Step, record: dict[str, Any]) -> list[Remark]:
        return answers.take(decompressor.decompress(step.link), record["verdict"], record.get("feedback", ()))

    return judge


def _wrong(vector: Vector, step: Step, record: dict[str, Any]) -> list[str]:
    sentences = []
    statuses = ", ".join(arrival["status"] for arrival in record.get("decompressor", ())) or "nothing"
    expected = "identical" if step.outcome == "delivered" else "withheld"
    if record["verdict"] != expected:
        what = {
            "identical": "is not delivered as it should be",
            "withheld": "is delivered, but nothing may come out",
        }[expected]
        sentences.append(f"{what}: {record['verdict']} ({statuses})")
    sentences += _wrong_passed_on(step, record)
    if step.replies:
        sentences += _wrong_replies(vector, step, record)
    return sentences


def _wrong_passed_on(step: Step, record: dict[str, Any]) -> list[str]:
    """The faults of the feedback that a decompressor passes on to the compressor at its end (RFC 3095, 5.2.2)."""
    try:
        got = [data for text in record.get("passed_on", ()) for data in feedback.split(bytes.fromhex(text))]
    except ValueError as error:
        return [f"passes on octets that are no feedback: {error}"]
    if tuple(got) == step.passes_on:
        return []
    expected, had = (", ".join(data.hex() for data in several) or "nothing" for several in (step.passes_on, got))
    return [f"passes on {had} to the compressor at its end, not {expected}"]


def _wrong_replies(vector: Vector, step: Step, record: dict[str, Any]) -> list[str]:
    """Each reply is among the feedback, in order; more feedback may be there.

    Outside R-mode none at all may be there: feedback may be sent for one of every k packets (RFC 3095, 5.7.6).
    """
    reading = feedback.read([bytes.fromhex(text) for text in record.get("feedback", ())], vector.parameters)
    sentences = [remark.sentence for remark in reading.remarks]
    if not reading.read and vector.channel["mode"] != "R":
        return sentences
    readings = iter(reading.read)
    for reply in step.replies:
        if not any(isinstance(feedback, formats.Feedback) and _is_reply(feedback, reply) for feedback in readings):
            what = f"{reply['acktype']}({reply['mode']}) for CID {reply['cid']}" + (
                " with CRC" if reply["protected"] else ""
            )
            had = (
                ", ".join(f"{feedback.text_of(element)} for CID {element.cid}" for element in reading.read) or "nothing"
            )
            sentences.append(f"is not answered with {what}; what comes: {had}")
    return sentences


def _is_reply(element: formats.Feedback, reply: dict[str, Any]) -> bool:
    return (
        element.acktype == reply["acktype"]
        and formats.mode_name(element) == reply["mode"]
        and element.cid == reply["cid"]
        and ("sn" not in reply or feedback.has_sn(element, reply["sn"]))
        and element.sn.width >= reply.get("sn_bits", 0)
        and (element.is_protected or not reply["protected"])
    )
