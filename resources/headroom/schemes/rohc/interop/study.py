# SPDX-License-Identifier: Apache-2.0
"""A replay read packet by packet, beside a judge that gets the same arrivals: for cells that are not clean."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from headroom.core import replay
from headroom.core.captures import engine_pcapng
from headroom.core.damaged_links import flipped
from headroom.schemes.rohc.interop import undetected_errors as chance
from headroom.schemes.rohc.interop.arrival import Arrival
from headroom.schemes.rohc.judge import Decompressor, Outcome, Parameters
from headroom.schemes.rohc.judge.framework.errors import Unsupported
from headroom.schemes.rohc.judge.framework.profiles import JUDGED
from headroom.schemes.rohc.judge.v1.profiles import UNCOMPRESSED

# Verdicts of the engine on a packet, the worst first.
BAD = ("mismatched", "unexpected", "not_compressed", "not_delivered", "not_run")


@dataclass(frozen=True)
class Fault:
    """A packet that the compressor put on the link so that it cannot be read, or reads as another one."""

    packet: int
    kind: str
    sentence: str


@dataclass
class Study:
    """One replay with all its records; `originals` are what had to come out, by packet."""

    done: replay.Replay
    originals: list[bytes]
    arrivals: list[Arrival] = field(default_factory=list)

    @property
    def records(self) -> dict[int, dict[str, Any]]:
        return {
            record["packet"]: record
            for record in self.done.records
            if "packet" in record and record.get("direction") == "forward"
        }

    def first_bad(self) -> dict[str, Any] | None:
        """The record of the first packet that was restored wrongly or, if there is none, of the first that was not
        restored.
        """
        bad = [record for record in self.records.values() if record.get("verdict") in BAD]
        wrong = [record for record in bad if record["verdict"] in ("mismatched", "unexpected")]
        if not wrong and bad and self.done.config.forward:  # the link did not cause these
            faulty = {fault.packet for fault in self.faults}
            wrong = [record for record in bad if record["packet"] in faulty]
        return min(wrong or bad, key=lambda record: record["packet"], default=None)

    def arrival(self, index: int) -> Arrival | None:
        """The arrival of a packet; of several copies the first that was not well."""
        mine = [arrival for arrival in self.arrivals if arrival.index == index]
        return next(
            (arrival for arrival in mine if arrival.status not in ("OK", "NOTHING")), mine[-1] if mine else None
        )

    def got(self, index: int) -> bytes | None:
        """The octets that came out for a packet, if they were wrong and the engine kept them."""
        for result in self.done.direction()["mismatch_list"]:
            if result["packet"] == index:
                return bytes.fromhex(result["got"])
        return None

    def chance(self) -> chance.Chance:
        """The number of wrong packets that chance explains at most, and the wrong packets that were never at risk."""
        return chance.of(self.arrivals, self._is_restored)

    def restored_irs(self) -> list[int]:
        """The packets that arrived undamaged as IR, and that the judge restores: an IR needs no context."""
        return [
            arrival.index
            for arrival in self.arrivals
            if arrival.kind == "IR" and not arrival.damaged and arrival.outcome and arrival.outcome.delivered
            if self._is_restored(arrival)
        ]

    def _is_restored(self, arrival: Arrival) -> bool:
        """True if the judge restores an arrival as it must come out: the original, with the payload as it arrived."""
        assert arrival.outcome is not None
        if arrival.outcome.delivered is None:
            return arrival.outcome.error is None  # nothing was to be delivered
        original = self.originals[arrival.index]
        bits = [8 * len(original) - bit for bit in arrival.flips if bit <= 8 * len(original)]
        return arrival.outcome.delivered == flipped(original, bits)

    @cached_property
    def faults(self) -> list[Fault]:
        """The compressor's faults, independent of the link: a judge reads all packets that were sent, undamaged,
        complete and in order. A fault is a packet that the judge does not restore and that the decompressor did not
        deliver right either."""
        judge = judge_of(self.done.config.channel)
        faults = []
        for index, record in sorted(self.records.items()) if judge else ():
            for part in replay.parts_of(record):
                outcome = judge.decompress(bytes.fromhex(part["link"]), record["time_ns"])
                sentence = _objection(outcome, self.originals[index])
                if sentence and record["verdict"] in BAD:
                    kind = outcome.packet.kind if outcome.packet else "refused by the judge"
                    faults.append(Fault(index, kind, sentence))
        return faults


def _objection(outcome: Outcome, original: bytes) -> str:
    """The judge's objection to a packet; "" if there is none or if the judge cannot tell."""
    if isinstance(outcome.error, Unsupported):
        return ""
    if outcome.error is not None:
        return outcome.error.sentence
    return "It stands for another packet." if outcome.delivered not in (None, original) else ""


def study(config: replay.ReplayConfig, folder: Path, expected: list[bytes] | None = None, judge: bool = True) -> Study:
    """Repeats a replay with all records, and writes its captures to `folder`. The same seed gives the same octets.

    `expected` are the required packets if there is no compressor. Raises EngineFailure as `replay.run` does.
    """
    outputs = {name: folder / f"{name}.pcapng" for name in ("source", "link", "decompressed")}
    if config.decompressor is None:
        del outputs["decompressed"]
    result = replay.run(replace(config, records="all", record_octets=True, outputs=outputs))
    originals = (
        expected if expected is not None else [packet.octets for packet in engine_pcapng.read(outputs["source"])]
    )
    outcome = Study(result, originals)
    outcome.arrivals = _arrivals(outcome.records)
    if judge and not result.promise_broken:
        _judge(outcome, config.channel)
    return outcome


def _arrivals(records: dict[int, dict[str, Any]]) -> list[Arrival]:
    """All arrivals in order. Of those at one time, the ones that were held back come last."""
    results = []
    for index, record in sorted(records.items()):
        for part, entry in replay.arrivals_of(record):
            late = bool(part.get("held")) and not entry.get("duplicate")
            arrival = _arrival(index, part, entry["status"], record["verdict"])
            arrival.time_ns = entry["time_ns"]
            arrival.flips = () if "segments" in record else arrival.flips
            results.append(((entry["time_ns"], late, index), arrival))
    results.sort(key=lambda pair: pair[0])
    return [arrival for _, arrival in results]


def _arrival(index: int, part: dict[str, Any], status: str, verdict: str) -> Arrival:
    octets, bits, header = bytes.fromhex(part["link"]), part.get("flipped", ()), 8 * part["link_header"]
    return Arrival(
        index,
        flipped(octets, bits),
        status,
        verdict,
        held=bool(part.get("held")),
        damaged=any(bit < header for bit in bits),
        flips=tuple(8 * len(octets) - bit for bit in bits if bit >= header),
    )


def judge_of(channel: dict[str, Any]) -> Decompressor | None:
    """A judge for a channel; None if the channel has profiles that the judge does not know, and of those that it knows
    at most Uncompressed. Packets of unknown profiles are not judged.
    """
    numbers = {int(profile, 16) for profile in channel["profiles"]}
    if numbers - JUDGED.keys() and numbers & JUDGED.keys() <= {UNCOMPRESSED.number}:
        return None
    return Decompressor(Parameters.of(channel))


def _judge(result: Study, channel: dict[str, Any]) -> None:
    """The judge gets what the decompressor got: also link packets that no packet became, which may change contexts."""
    judge = judge_of(channel)
    besides = [record for record in result.done.besides if record["link"] and "of" not in record]
    for arrival in result.arrivals if judge else ():
        while besides and besides[0]["time_ns"] < arrival.time_ns:
            judge.decompress(bytes.fromhex(besides.pop(0)["link"]))
        arrival.outcome = judge.decompress(arrival.octets)
