# SPDX-License-Identifier: Apache-2.0
"""Puts a replay before the independent judges: the ROHC judge made from the RFCs, and tshark.

A replay is deterministic, so it is run once more with what a judge needs to see.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from headroom.core import engine, replay
from headroom.core.capabilities import adapter
from headroom.core.captures import engine_pcapng
from headroom.core.implementations import Implementation
from headroom.core.results.record import Finding
from headroom.schemes.rohc import tshark_fields
from headroom.schemes.rohc.judge import Checker, Decompressor, Parameters
from headroom.schemes.rohc.judge.vectors import Vector, replay_job


@dataclass
class Judgement:
    """What a judge found; `restored` counts the packets that its own decompressor gave back octet by octet."""

    packets: int
    restored: int
    findings: list[Finding] = field(default_factory=list)
    not_judged: list[str] = field(default_factory=list)


def second_judge(done: replay.Replay, window: int = 1, refresh_limit: int | None = None) -> Judgement:
    """The compressor's stream before the ROHC judge: every link packet with its original, and the feedback in between.

    `window` and `refresh_limit` are those of `headroom.schemes.rohc.judge.Checker`.
    """
    wanted = replace(done.wanted, records="all", record_octets=True)
    with tempfile.TemporaryDirectory(prefix="headroom-judge-") as folder:
        path = Path(folder) / "source.pcapng"
        again = replay.run(replace(wanted, outputs={"source": path}))
        originals = [packet.octets for packet in engine_pcapng.read(path) if packet.interface == 0]
    checkers: dict[int, Checker] = {}
    result = Judgement(0, 0)
    positions: dict[int, list[int]] = {}
    for record in again.records:
        if "packet" not in record or record.get("direction") != "forward":
            continue
        channel = record["channel"]
        if channel not in checkers:
            parameters = Parameters.of(wanted.channel)
            checkers[channel] = Checker(parameters, window=window, refresh_limit=refresh_limit)
        parts = replay.parts_of(record)
        result.packets += bool(parts)
        positions.setdefault(channel, []).extend([record["packet"]] * len(parts))
        for part in parts:
            checkers[channel].take(bytes.fromhex(part["link"]), originals[record["packet"]])
        if feedback_arrives(wanted):
            for element in record.get("feedback", ()):
                checkers[channel].take_feedback(feedback_data(bytes.fromhex(element)))
    for channel, checker in checkers.items():
        checker.finish()
        result.restored += checker.restored
        result.findings += [
            Finding(
                one.sentence,
                one.requirement,
                positions[channel][one.packet_index],
                "headroom.schemes.rohc.judge",
                one.severity,
            )
            for one in checker.findings
        ]
        result.not_judged += [
            f"packet {positions[channel][one.packet_index]}: {one.sentence}" for one in checker.not_judged
        ]
    return result


def feedback_arrives(wanted: replay.ReplayConfig) -> bool:
    """Whether all feedback reaches the compressor before its next packet, so that the judge may rely on it."""
    harmless = {"path"}
    return (
        replay.feedback_path(wanted) == "own"
        and not set(wanted.feedback) - harmless
        and "delay_ns" not in wanted.forward
    )


def feedback_data(element: bytes) -> bytes:
    """Feedback data of a feedback element: without its type octet and its size octet (RFC 5795, 5.2.4.1)."""
    return element[2:] if element and element[0] & 0x07 == 0 else element[1:]


def compare_with_tshark(done: replay.Replay) -> tshark_fields.Comparison:
    """The link as tshark and as the ROHC judge read it, field by field."""
    with tempfile.TemporaryDirectory(prefix="headroom-judge-") as folder:
        path = Path(folder) / "link.pcapng"
        again = replay.run(replace(done.wanted, records="all", record_octets=True, outputs={"link": path}))
        seen = [one for one in tshark_fields.read(path) if one.interface == 0 and one.kind != "Feedback"]
    if any("segments" in record for record in again.records):
        return tshark_fields.Comparison(0, 0, ["packets went as segments, of which tshark shows no headers"])
    judge = Decompressor(Parameters.of(done.wanted.channel))
    outcomes = [
        judge.decompress(bytes.fromhex(record["link"]))
        for record in again.records
        if "packet" in record and record.get("direction") == "forward" and "link" in record
    ]
    if any(outcome.packet is None for outcome in outcomes):
        return tshark_fields.Comparison(
            0, 0, ["the ROHC judge cannot read every packet, so there is nothing to compare"]
        )
    return tshark_fields.compare(seen, [outcome.packet for outcome in outcomes if outcome.packet is not None])


def play_vector(vector: Vector, decompressor: Implementation, build: str) -> tuple[list[str], dict[str, Any]]:
    """A hand-derived vector before a decompressor: what came out other than it should, and the engine's document."""
    document = engine.run("replay", replay_job(vector, adapter(decompressor, build, {})), 30, build)
    if broken := document.get("promise_broken"):
        return [f"the decompressor broke a promise of the ABI in {broken['function']}: {broken['message']}"], document
    records = {record["packet"]: record for record in document["records"] if "packet" in record}
    wrong = [
        sentence
        for number, step in enumerate(vector.steps)
        if (sentence := _wrong(number, step.outcome, records.get(number, {})))
    ]
    return wrong, document


def _wrong(number: int, outcome: str, record: dict[str, Any]) -> str:
    verdict = record.get("verdict")
    statuses = ", ".join(arrival["status"] for arrival in record.get("decompressor", ())) or "nothing"
    if outcome == "delivered":
        return (
            ""
            if verdict == "identical"
            else f"link packet {number} is not delivered as it should be: {verdict} ({statuses})"
        )
    if verdict != "withheld":
        return f"link packet {number} is delivered, but nothing may come out: {verdict} ({statuses})"
    arrived = [arrival["status"] for arrival in record.get("decompressor", ())]
    if outcome == "discarded" and any(status in ("OK", "NOTHING") for status in arrived):
        return f"link packet {number} is not refused: {statuses}"
    return ""
