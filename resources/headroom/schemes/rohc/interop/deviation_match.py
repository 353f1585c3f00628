# SPDX-License-Identifier: Apache-2.0
"""Matches declared deviations that concern single packets with the packets of a failed cell.

A declared deviation may name a requirement that a compressor's packets break, or fields that a decompressor reads wrong
together. A decompressor that does not declare a feature need not take packets with it. Only the packets on the link
show which packets of a cell a declaration concerns. A declaration excuses these packets, and the later packets of the
same context until an IR packet has repaired the context; it excuses nothing else.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from headroom.core import implementations, replay
from headroom.core.captures import engine_pcapng
from headroom.core.deviations import Declared
from headroom.core.implementations import Deviation
from headroom.core.matrix import Cell
from headroom.schemes.rohc.interop import traffic
from headroom.schemes.rohc.interop.matrix import channel_of
from headroom.schemes.rohc.interop.study import BAD, Study, judge_of
from headroom.schemes.rohc.judge import Checker, Outcome, Parameters
from headroom.schemes.rohc.judge.framework import framing
from headroom.schemes.rohc.judge.v1.context import Context

ETHERNET_HEADER = 14
WRONG = ("mismatched", "unexpected")
LONGEST_NUMBER = 32  # bits of a field whose value may be named; payload is a field, too


class LinkReading(NamedTuple):
    """The judge's view of one packet of the link, complete and undamaged."""

    broken: frozenset[str]  # requirements
    fields: frozenset[str]  # by name, and as name=value
    features: frozenset[str]  # that its context uses


@dataclass(frozen=True)
class DeviationCondition:
    """A declared deviation or an undeclared feature, as a sentence. `meets` is True for a packet that it concerns.
    `of_compressor` is True for a deviation of a compressor: it does not excuse a packet that the judge restores right
    and the decompressor restores wrongly.
    """

    sentence: str
    meets: Callable[[LinkReading], bool]
    of_compressor: bool = False


def by_deviation(name: str, deviation: Deviation) -> DeviationCondition:
    """The condition of a declared deviation that concerns single packets."""

    def meets(reading: LinkReading) -> bool:
        breaks = not deviation.breaks or bool(reading.broken.intersection(deviation.breaks))
        return breaks and reading.fields.issuperset(deviation.fields)

    return DeviationCondition(
        f"Declared deviation of {name}: {deviation.reason.strip()}", meets, bool(deviation.breaks)
    )


def by_features(cell: Cell) -> list[DeviationCondition]:
    """A condition for each feature of lists that the decompressor of a cell does not declare."""
    decompressor = implementations.find(cell.row.decompressor)
    conditions = []
    for feature in (traffic.LISTS, traffic.EXTENSION_HEADERS, traffic.ADDITIONAL_IP_HEADERS):
        if reason := decompressor.lacks("decompressor", cell.row.scheme.name, features=[feature]):
            sentence = f"{reason}, which {implementations.find(cell.row.compressor).name} uses for this traffic."
            conditions.append(
                DeviationCondition(sentence, lambda reading, feature=feature: feature in reading.features)
            )
    return conditions


def explained(cell: Cell, seen: Study, declared: Iterable[Declared]) -> list[str]:
    """Returns one sentence for each declared deviation, and for each undeclared feature of lists, that explains wrong
    packets of a failed cell, if together they explain all wrong packets; otherwise []. Nothing explains a broken
    promise of the ABI.
    """
    if seen.done.promise_broken:
        return []
    known = [*(by_deviation(name, deviation) for name, deviation in declared), *by_features(cell)]
    return [condition.sentence for condition in explains(seen, known, cell.condition.harmless)]


def was_met(cell: Cell, capture: Path, deviation: Deviation) -> bool:
    """True if a passed cell had packets that a declared deviation concerns, so that it would have shown. `capture` is
    the capture of the link. Always False for a deviation that breaks a requirement, because a decompressor may
    understand such packets.
    """
    return not deviation.breaks and is_met_on_link(cell, capture, deviation.fields)


def explains(seen: Study, known: Sequence[DeviationCondition], harmless: bool) -> list[DeviationCondition]:
    """The conditions that explain the packets of a failed cell; [] if a packet remains unexplained.

    Over a harmless link, every packet must be explained that was not restored as it was sent. Over any other link,
    every packet must be explained that was restored wrongly, unless chance explains it, or that no decoder restored.
    """
    judge = judge_of(seen.done.config.channel)
    if judge is None or not known:
        return []
    checker = Checker(Parameters.of(seen.done.config.channel))
    to_explain = _to_explain(seen, harmless)
    behind: dict[int | None, set[int]] = defaultdict(set)  # by CID, what has been met since the context was whole
    met: set[int] = set()
    for index, record in sorted(seen.records.items()):
        original = seen.originals[index]
        readings, outcome, restored = [], None, False
        for part in replay.parts_of(record):
            octets, before = bytes.fromhex(part["link"]), len(checker.findings)
            restored = judge.decompress(octets, record["time_ns"]).delivered == original
            outcome = checker.take(octets, original, record["time_ns"])
            readings.append(_reading(outcome, (finding.requirement for finding in checker.findings[before:])))
        cid = _cid(outcome)
        here = {
            number for number, condition in enumerate(known) if any(condition.meets(reading) for reading in readings)
        }
        if here:
            behind[cid] |= here
        elif _is_ir(outcome) and record["verdict"] not in BAD:
            behind[cid].clear()
        if index not in to_explain:
            continue
        blamed = {n for n in behind[cid] if not (known[n].of_compressor and restored and record["verdict"] in WRONG)}
        if not blamed:
            return []
        met |= blamed
    return [known[number] for number in sorted(met)]


def is_met_on_link(cell: Cell, capture: Path, fields: Iterable[str]) -> bool:
    """True if a packet on the link of a cell has all of the given fields."""
    judge = judge_of(channel_of(cell))
    packets = engine_pcapng.read(capture) if judge is not None else ()
    return any(_fields(judge.decompress(packet.octets[ETHERNET_HEADER:])).issuperset(fields) for packet in packets)


def _to_explain(seen: Study, harmless: bool) -> set[int]:
    if harmless:
        return {index for index, record in seen.records.items() if record["verdict"] in BAD}
    wrong = {index for index, record in seen.records.items() if record["verdict"] in WRONG}
    by_chance = seen.chance()
    if len(wrong) <= by_chance.allowed:
        wrong = set(by_chance.unexplained)
    return wrong | {fault.packet for fault in seen.faults}


def _reading(outcome: Outcome, broken: Iterable[str]) -> LinkReading:
    return LinkReading(frozenset(broken), _fields(outcome), frozenset(_features(outcome.after or outcome.before)))


def _fields(outcome: Outcome) -> frozenset[str]:
    fields = outcome.packet.fields if outcome.packet is not None else outcome.error.fields if outcome.error else ()
    short = (f"{field.name}={field.value}" for field in fields if field.width <= LONGEST_NUMBER)
    return frozenset((*(field.name for field in fields), *short))


def _is_ir(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.packet is not None and outcome.packet.kind == framing.IR


def _features(context: Context | None) -> Iterator[str]:
    if context is None:
        return
    if context.csrcs.entries:
        yield traffic.LISTS
    if any(ip.headers.entries for ip in context.ips):
        yield traffic.EXTENSION_HEADERS
    if len(context.ips) > 2:
        yield traffic.ADDITIONAL_IP_HEADERS


def _cid(outcome: Outcome | None) -> int | None:
    if outcome is None:
        return None
    return outcome.packet.cid if outcome.packet is not None else getattr(outcome.error, "cid", None)
