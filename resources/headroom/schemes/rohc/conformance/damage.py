# SPDX-License-Identifier: Apache-2.0
"""Sends link packets that are damaged, or octets that are no packets, each to a fresh context, and then a good packet.

The judge decides what a packet means. A decompressor may refuse more packets than the judge, because it may be careful.
It must never deliver a packet that the judge refuses, or restore a packet differently from the judge. The next IR
packet must repair the context.
"""

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from headroom.core import engine
from headroom.core.capabilities import PATIENCE_S, NotDeclared, promise
from headroom.core.chance import poisson_limit
from headroom.core.damaged_links import flipped
from headroom.core.errors import UsageError
from headroom.core.implementations import Implementation
from headroom.schemes.rohc.conformance import besides, capabilities, vectors
from headroom.schemes.rohc.conformance.arrivals import CRC_WIDTH, TYPE_0_AND_1_WIDTH
from headroom.schemes.rohc.judge import CrcMismatch, Decompressor, Outcome
from headroom.schemes.rohc.judge.framework import framing
from headroom.schemes.rohc.judge.v1.context import Channel
from headroom.schemes.rohc.judge.v1.packet import Packet
from headroom.schemes.rohc.judge.v1.vectors import PACKET_INTERVAL_NS, Vector, load

MOST_CHANNELS = 900
PAYLOAD_OCTETS_CUT = 4  # truncations reach so far into the payload
MOST_MASKS = 16  # patterns of one CRC field that are tried
MOST_BURSTS = 12  # per packet
KINDS = (
    "truncated",
    "one bit flipped",
    "CRC bits flipped",
    "short bursts",
    "random octets",
    "octets appended",
    "repeated",
)
DETECTED = ("CRC bits flipped", "short bursts")  # a CRC detects these with certainty
BY_CHANCE = ("one bit flipped", "random octets")  # and lets 2^-w of these pass

# Fields that stand for themselves in IR and IR-DYN, whose CRC covers what is on the link. That of a compressed header
# covers the original, where an error in an IPv4 field comes back in the header checksum: there it is the UDP checksum
# alone.
PLAIN_FIELDS = (
    "source address",
    "destination address",
    "source port",
    "destination port",
    "SSRC",
    "Type of Service",
    "Time to Live",
    "Traffic Class",
    "Hop Limit",
    "Identification",
    "RTP Timestamp",
    "RTP Sequence Number",
    "UDP Checksum",
)


@dataclass(frozen=True)
class Trial:
    """`before` establishes the context, `damaged` is the packet in question, `recovery` an IR packet."""

    vector: Vector
    before: tuple[bytes, ...]
    damaged: bytes
    what: str
    expected: bytes | None  # what the judge makes of the damaged packet
    recovery: bytes | None
    recovered: bytes | None
    original: bytes  # what the undamaged packet delivers
    chance: float  # 2^-w for the CRC of w bits that the damaged packet has; 0 if it does not get so far


@dataclass
class DamageOutcome:
    """Numbers of trials, and sentences about those that went wrong."""

    trials: int = 0
    chances: float = 0.0  # how many damaged packets a CRC lets pass on average
    refused: int = 0  # by the decompressor, as far as the judge refuses too
    careful: int = 0  # by the decompressor, but not by the judge
    undetected: int = 0  # the judge delivers something other than the original: the CRC cannot know
    wrong: list[str] = field(default_factory=list)
    not_recovered: list[str] = field(default_factory=list)

    def allowed(self, kind: str) -> int | None:
        """The number of damaged headers that may come out: none if a CRC detects the damage for certain, a Poisson
        limit for bit errors and random octets, None (any number) if the damage leaves the header intact (a longer or
        shorter payload)."""
        if kind in DETECTED:
            return 0
        return poisson_limit(self.chances) if kind in BY_CHANCE else None


@dataclass(frozen=True)
class _Target:
    """The packet of a vector that is damaged, and the judge before it."""

    vector: Vector
    before: tuple[bytes, ...]
    link: bytes
    original: bytes
    packet: Packet
    channel: Channel
    recovery: bytes | None

    def judged(self, octets: bytes) -> tuple[Outcome, bytes | None]:
        """The judge's outcome for other octets in place of the vector's packet, and the packet that it delivers for the
        recovery after them."""
        judge = Decompressor()
        judge.channel = Channel(
            self.channel.parameters,
            dict(self.channel.contexts),
            list(self.channel.segments),
            dict(self.channel.unreadable),
        )
        outcome = judge.decompress(octets)
        return outcome, judge.decompress(self.recovery).delivered if self.recovery else None


def trials(kind: str, seed: int, names: Iterable[str] | None = None) -> list[Trial]:
    """All trials of one of `KINDS`, from the vectors that need no special feature."""
    if kind not in KINDS:
        raise UsageError(f"'{kind}' is no damage; there are {', '.join(KINDS)}.")
    source = random.Random(f"{seed}/{kind}")
    results = []
    for target in _targets(names, every_ir=kind == "short bursts"):
        for what, octets in _variants(kind, target, source):
            outcome, recovered = target.judged(octets)
            results.append(
                Trial(
                    target.vector,
                    target.before,
                    octets,
                    what,
                    outcome.delivered,
                    target.recovery,
                    recovered,
                    target.original,
                    _chance(outcome),
                )
            )
    return results


def _chance(outcome: Outcome) -> float:
    if outcome.packet is not None and outcome.packet.kind not in (framing.FEEDBACK, framing.SEGMENT):
        return 2.0 ** -CRC_WIDTH.get(outcome.packet.kind, TYPE_0_AND_1_WIDTH)
    return 2.0**-8 if isinstance(outcome.error, CrcMismatch) else 0.0


def _targets(names: Iterable[str] | None, every_ir: bool = False) -> list[_Target]:
    """The last packet of each vector that is delivered; with `every_ir` the first one of each, too, mostly an IR."""
    results: list[_Target] = []
    seen: set[tuple[bytes, ...]] = set()
    chosen = load() if names is None else names
    for vector in (load()[name] for name in chosen):
        delivered = [n for n, step in enumerate(vector.steps) if step.outcome == "delivered"]
        if vector.feature or not delivered:
            continue
        for last in {delivered[0], delivered[-1]} if every_ir else {delivered[-1]}:
            links = tuple(step.link for step in vector.steps[: last + 1])
            target = None if links in seen else _target(vector, links)
            seen.add(links)
            if target is not None:
                results.append(target)
    return results


def _target(vector: Vector, links: tuple[bytes, ...]) -> _Target | None:
    """None when the packet is beyond the judge."""
    judge = Decompressor(vector.parameters)
    recovery = None
    for link in links[:-1]:
        outcome = judge.decompress(link)
        if recovery is None and outcome.delivered is not None and outcome.packet and outcome.packet.kind == "IR":
            recovery = link
    channel = Channel(
        vector.parameters, dict(judge.channel.contexts), list(judge.channel.segments), dict(judge.channel.unreadable)
    )
    outcome = judge.decompress(links[-1])
    if outcome.packet is None or outcome.delivered is None:
        return None
    if recovery is None and outcome.packet.kind == "IR":
        recovery = links[-1]
    return _Target(vector, links[:-1], links[-1], outcome.delivered, outcome.packet, channel, recovery)


def _variants(kind: str, target: _Target, source: random.Random) -> Iterable[tuple[str, bytes]]:
    link, end = target.link, target.packet.end
    if kind == "truncated":
        for length in range(1, min(len(link), end + PAYLOAD_OCTETS_CUT)):
            yield f"cut to {length} of {len(link)} octets", link[:length]
    elif kind == "one bit flipped":
        for bit in range(8 * end):
            yield f"with bit {bit} flipped", flipped(link, [bit])
    elif kind == "CRC bits flipped":
        for header_field in target.packet.fields:
            if header_field.name == "CRC":
                masks = range(1, 1 << header_field.width)
                for mask in source.sample(masks, min(len(masks), MOST_MASKS)):
                    bits = [
                        header_field.position + n
                        for n in range(header_field.width)
                        if mask >> header_field.width - 1 - n & 1
                    ]
                    yield f"with CRC bits {bits} flipped", flipped(link, bits)
    elif kind == "short bursts":
        yield from _bursts(target, source)
    elif kind == "random octets":
        for _ in range(8):
            octets = source.randbytes(source.choice((1, 2, 3, 5, 8, 13, 21, 40, 80)))
            yield "replaced by random octets", octets
        yield "with a random tail", link[:1] + source.randbytes(len(link))
    elif kind == "octets appended":
        yield "with 300 octets appended", link + source.randbytes(300)
        yield "with one octet appended", link + b"\0"
        if source.random() < 0.03:
            yield "with 65,000 octets appended", link + bytes(65_000)  # a length that IPv4 cannot have, or just so
    else:
        yield "sent twice", link


def _bursts(target: _Target, source: random.Random) -> Iterable[tuple[str, bytes]]:
    """Errors in one octet that are no longer than the CRC, in fields that stand for themselves."""
    packet = target.packet
    width = next((field.width for field in packet.fields if field.name == "CRC"), 0)
    if not width:  # types 0 and 1 of R-mode
        return
    plain = PLAIN_FIELDS if packet.header is None else ("UDP Checksum",)
    octets = [
        field.position // 8 + n for field in packet.fields if field.name in plain for n in range(field.width // 8)
    ]
    for octet in source.sample(octets, min(len(octets), MOST_BURSTS)):
        first = source.randrange(8)
        last = min(7, first + source.randrange(width))
        bits = [8 * octet + n for n in range(first, last + 1) if n in (first, last) or source.random() < 0.5]
        yield f"with bits {bits} flipped", flipped(target.link, bits)


def attempt(kind: str, decompressor: Implementation, build: str, seed: int) -> DamageOutcome:
    """Makes all trials of a kind with a decompressor, each on a channel of its own."""
    groups: dict[str, list[Trial]] = {}
    for trial in trials(kind, seed):
        channel = vectors.channel_for(trial.vector, decompressor)
        groups.setdefault(json.dumps(channel, sort_keys=True), []).append(trial)
    tried = DamageOutcome()
    for group in groups.values():
        channel = vectors.channel_for(group[0].vector, decompressor)
        try:
            capabilities.require(decompressor, "decompressor", channel, build)
        except NotDeclared:
            continue
        most = capabilities.channels_of(decompressor, channel, MOST_CHANNELS)
        for start in range(0, len(group), most):
            part = group[start : start + most]
            document = engine.run("replay", job(part, decompressor, build), PATIENCE_S, build)
            promise(document)
            _count(tried, part, document)
    return tried


def job(group: Sequence[Trial], decompressor: Implementation, build: str) -> dict[str, Any]:
    """Trial n on channel n: what comes before it, the damaged packet, the recovery. Side by side in time."""
    channel = {**vectors.channel_for(group[0].vector, decompressor), "channels": len(group)}
    source: list[dict[str, Any]] = []
    expected: list[dict[str, Any] | None] = []
    for number, position, octets, delivered in _in_order(group):
        at = {"time_ns": number * PACKET_INTERVAL_NS, "channel": position}
        source.append({**at, "hex": octets.hex()})
        expected.append(None if delivered is None else {**at, "hex": delivered.hex()})
    return {
        "decompressor": capabilities.adapter(decompressor, channel, build),
        "source": {"packets": source},
        "expected": {"packets": expected},
        "records": "failures",
    }


def _in_order(group: Sequence[Trial]) -> list[tuple[int, int, bytes, bytes | None]]:
    """(step, trial, octets, expectation) of every link packet. Before the damage all packets are as in the vector."""
    result = []
    longest = max(len(trial.before) for trial in group) + 2
    for number in range(longest):
        for position, trial in enumerate(group):
            behind = number - len(trial.before)
            if behind < 0:
                result.append((number, position, trial.before[number], trial.vector.steps[number].packet))
            elif behind == 0:
                result.append((number, position, trial.damaged, trial.expected))
            elif behind == 1 and trial.recovery is not None:
                result.append((number, position, trial.recovery, trial.recovered))
    return result


def _count(tried: DamageOutcome, group: Sequence[Trial], document: dict[str, Any]) -> None:
    failures = {record["packet"]: record for record in document["records"] if "packet" in record}
    due: list[list[bytes | None]] = [[] for _ in group]
    for _, position, _, expected in _in_order(group):
        due[position].append(expected)
    for position, trial in enumerate(group):
        if more := besides.too_many(document, due[position], position):
            tried.wrong.append(f"{trial.vector.name}, {trial.what}: {more}")
    for packet, (number, position, _, expected) in enumerate(_in_order(group)):
        trial = group[position]
        behind = number - len(trial.before)
        record = failures.get(packet)
        if behind == 0:
            tried.trials += 1
            tried.chances += trial.chance
            tried.undetected += expected is not None and expected != trial.original
            tried.refused += expected is None and record is None
            tried.careful += record is not None and record["verdict"] == "not_delivered"
        if record is None:
            continue
        what = f"{trial.vector.name}, {trial.what} ({trial.damaged[:16].hex()}{'…' if len(trial.damaged) > 16 else ''})"
        if record["verdict"] in ("unexpected", "mismatched") and behind >= 0:
            tried.wrong.append(f"{what}: " + _how(record["verdict"], behind))
        elif behind == 1 and record["verdict"] != "identical":
            statuses = ", ".join(arrival["status"] for arrival in record.get("decompressor", ())) or "nothing"
            tried.not_recovered.append(f"{what}: the IR packet after it is not delivered ({statuses})")


def _how(verdict: str, behind: int) -> str:
    packet = "it" if behind == 0 else "the IR packet after it"
    if verdict == "unexpected":
        return f"{packet} is delivered, though it must be refused"
    return f"{packet} is delivered with other octets than the judge restores"
