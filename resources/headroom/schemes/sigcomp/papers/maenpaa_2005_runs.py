# SPDX-License-Identifier: Apache-2.0
"""The thesis of J. Mäenpää (2005): one sequence of SIP messages through two endpoints, in one of its configurations.

The messages are those that the thesis counted (traffic-profiles/sip/README.md). Its decompression memory is all UDVM
memory (7.9, Figure 29); RFC 3320 takes the message away from it (chapter 7), and half of it on a stream. So an endpoint
here offers twice as much, on a stream four times, and the bytecode uses what the thesis's had; the list of figure 13
lies behind that.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median, stdev
from typing import Any

from headroom.core import engine
from headroom.core.errors import HeadroomError
from headroom.core.implementations import Implementation
from headroom.core.results.record import Series
from headroom.core.run.run import Run
from headroom.schemes.sigcomp import endpoints
from headroom.schemes.sigcomp.endpoints import Endpoint
from headroom.schemes.sigcomp.judge.endpoint import Offer
from headroom.schemes.sigcomp.judge.message import Records
from headroom.schemes.sigcomp.papers.maenpaa_2005_watched import Pair
from headroom.schemes.sigcomp.sip import counted
from headroom.schemes.sigcomp.sip.sequences import Message

CYCLES_PER_BIT = 32  # 8.12
# That much memory takes more cycles to be hashed and kept than 32 grant a message that brings no bytecode.
LARGE_MEMORY, MORE_CYCLES_PER_BIT = 16384, 64
STATE_MEMORY = 131072  # 8.12, octets of a compartment
OFFSET_BITS = 14  # 7.8.4
UDP, TCP = "udp", "tcp"
REPEATS, FEW_REPEATS = 100, 10  # of a sequence, for its times
TURNS = 5  # in which configurations that are compared by their times have their repeats


@dataclass(frozen=True)
class Configuration:
    """The configuration of a table of the thesis, as in reports/papers/maenpaa-2005."""

    sequence: str
    messages: int  # how many of the sequence, from its beginning
    transport: str  # udp or tcp
    memory: int  # of the UDVM, octets
    mechanism: str
    length_bits: int = 8
    priority: int = 5  # strings of the dictionary with priorities 1 to this one (Table 13)
    shared: int = 500  # octets of a shared state at most (9.3)
    search: str = "hash"
    total: int = 0  # messages that the row TOTAL sums; 0: all
    alone: bool = False  # each message by itself, without a compartment that lasts (chapter 10, registration)
    plain: int = 0  # number of the message that is not compressed; 0: none

    def offer(self) -> dict[str, int]:
        """The offer of both endpoints, which each knows of the other."""
        return {
            "decompression_memory_size": (4 if self.transport == TCP else 2) * self.memory,
            "state_memory_size": STATE_MEMORY,
            "cycles_per_bit": CYCLES_PER_BIT if self.memory < LARGE_MEMORY else MORE_CYCLES_PER_BIT,
        }

    def judge(self) -> Offer:
        """The offer of the second judge's endpoints."""
        return Offer(**self.offer(), stream=self.transport == TCP)

    def options(self) -> dict[str, Any]:
        """The `options` of the compressors' configurations."""
        options: dict[str, Any] = {
            "algorithm": "lzss",
            "mechanism": self.mechanism,
            "search": self.search,
            "offset_bits": OFFSET_BITS,
            "length_bits": self.length_bits,
            "memory": self.memory,
        }
        if "basic" not in self.mechanism:
            options["dictionary_priority"] = self.priority
        if self.mechanism in ("dynamic", "shared"):
            # 8.12: "A complete list of locally available state items is always included"; 9.7: snapshots are as long
            # as the memory; 9.8.
            options |= {"announce": True, "whole_memory": True}
            options["acknowledgement"] = "transport" if self.transport == TCP else "identifier"
            # Its tables, not its text, need these and "shared_state" below: notes of reports/papers/maenpaa-2005.yaml.
            options |= {"linear_buffer": True, "room_first": True}
        if self.mechanism == "shared":
            options["shared_length"] = self.shared
            if self.transport == TCP:
                options["shared_state"] = "first-turn-once"
        return options

    def endpoint(self, implementation: Implementation, build: str) -> Endpoint:
        """An implementation as either endpoint: with those options that it has, and thus in its own way."""
        options = endpoints.fitting(self.options(), implementation, build)
        return Endpoint(implementation, self.transport, self.offer(), self.offer(), options, build=build)


@dataclass
class MeasuredMessage:
    """The measurements of one message. Lengths in octets, times in µs, one for each repetition of the sequence."""

    name: str
    from_caller: bool
    plain: int
    sigcomp: int
    compressed: int | None = None  # of the SigComp message: without what stands before the compressed data
    code: int = 0  # octets of bytecode in it
    state: int | None = None  # octets of state that its receiver keeps once it has it
    cycles: int | None = None
    compression: list[float] = field(default_factory=list)
    decompression: list[float] = field(default_factory=list)


@dataclass
class Exchange:
    """A sequence that went through; `missing` says why there is nothing, or not everything."""

    configuration: Configuration
    sent: list[MeasuredMessage] = field(default_factory=list)
    dictionary: int | None = None  # octets that the bytecode of the first message loads with STATE-ACCESS
    missing: str = ""
    missing_times: str = ""
    unseen: str = ""  # why the second judge does not tell what is compressed data and what is state


def cell(exchange: Exchange, rows: list[MeasuredMessage], column: str, saved: Exchange | None = None) -> float | None:
    """The value of a table's column for some messages together; None if nothing is known of it.

    `saved` is the same sequence with the bytecode kept by the peer.
    """
    if not rows:
        return None
    if column.endswith("-saved"):
        if saved is None:
            return None
        index = {id(message): number for number, message in enumerate(exchange.sent)}
        return cell(saved, [saved.sent[index[id(message)]] for message in rows], column.removesuffix("-saved"))
    plain = sum(message.plain for message in rows)
    sigcomp = sum(message.sigcomp for message in rows)
    known = [message.compressed for message in rows if message.compressed is not None]
    compressed = sum(known) if len(known) == len(rows) else None
    match column:
        case "length":
            return plain
        case "sigcomp":
            return sigcomp
        case "compressed":
            return compressed
        case "ratio":
            return sigcomp / plain
        case "ratio-plain" | "plain-ratio":
            return None if compressed is None else compressed / plain
        case "state":
            return rows[-1].state
    return _time(rows, column)


def _time(rows: list[MeasuredMessage], column: str) -> float | None:
    kind, _, what = column.partition("-")
    trials = [getattr(message, what, []) for message in rows]
    if not all(trials):
        return None
    if kind == "spread":
        return stdev(trials[0]) if len(rows) == 1 and len(trials[0]) > 1 else None
    micro = sum(median(trial) for trial in trials)
    return {"time": micro, "cpu": micro / 1e3, "sequence": micro / 1e3}.get(kind)


def mean_state(exchange: Exchange) -> float | None:
    """State memory at the end of the sequence, both endpoints together, octets."""
    last = {message.from_caller: message.state for message in exchange.sent}
    known = [state for state in last.values() if state is not None]
    return float(sum(known)) if known and len(known) == len(last) else None


def chart(name: str, label: str, points: list[dict[str, Any]]) -> Series:
    """A line or a row of bars; report/maenpaa_section.py knows what the chart of this name looks like."""
    return Series(f"maenpaa-2005 {name}", "", "", "", "", points, label)


class WrongMessages(HeadroomError):
    """A message did not come out as it went in. A failure of the implementation."""

    verdict = "fail"


class Runner:
    """Runs configurations, each once, unless times are compared."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.known: dict[Configuration, Exchange] = {}

    def __call__(self, configuration: Configuration) -> Exchange:
        if configuration not in self.known:
            self.known[configuration] = exchange(configuration, self.run)
        return self.known[configuration]

    def in_turn(self, configurations: Sequence[Configuration]) -> list[Exchange]:
        """Configurations whose times are compared: each is played again and again, one after the other in turn, so that
        what slows the machine down for a while is in a few trials of each and in no median."""
        runs = [self(configuration) for configuration in configurations]
        for _ in range(TURNS - 1):
            for run in runs:
                if not run.missing:
                    add_trials(run, self.run)
        return runs


def exchange(configuration: Configuration, run: Run) -> Exchange:
    """One configuration: the sequence through the engine, the caller as endpoint a, and past the second judge."""
    result = Exchange(configuration)
    if lacking := _lacking(configuration, run):
        return Exchange(configuration, missing=lacking)
    for group in _groups(configuration):
        records = _through_engine(configuration, [message for _, message in group], run)
        pair = Pair(configuration.judge())
        for (number, message), record in zip(group, records, strict=True):
            sent = MeasuredMessage(
                message.name, message.from_caller, plain=len(message.octets), sigcomp=len(message.octets)
            )
            result.sent.append(sent)
            if number == configuration.plain:
                sent.compressed, sent.compression, sent.decompression = sent.plain, [0.0], [0.0]
                continue
            octets = _on_the_link(configuration, record)
            seen = pair.watch(octets, message.octets, message.from_caller)
            sent.sigcomp, sent.code, sent.cycles = len(octets), seen.code, seen.cycles
            sent.compressed, sent.state = seen.compressed, seen.state
            _note_times(sent, record)
            result.unseen = result.unseen or (f"{message.name}: {seen.why}" if seen.why else "")
            if result.dictionary is None and seen.loaded:
                result.dictionary = seen.loaded[0]
    return result


def add_trials(known: Exchange, run: Run) -> None:
    """Plays the sequence of an exchange again, and keeps how long its calls took."""
    sent = iter(known.sent)
    for group in _groups(known.configuration):
        records = _through_engine(known.configuration, [message for _, message in group], run)
        for (number, _), record in zip(group, records, strict=True):
            measured_message = next(sent)
            if number != known.configuration.plain:
                _note_times(measured_message, record)


def _note_times(sent: MeasuredMessage, record: dict[str, Any]) -> None:
    sent.compression += [trial / 1e3 for trial in record.get("compress_trials_ns", [])]
    sent.decompression += [trial / 1e3 for trial in record.get("decompress_trials_ns", [])]


def _groups(configuration: Configuration) -> list[list[tuple[int, Message]]]:
    """The messages of a configuration, numbered; those that share a compartment together."""
    numbered = list(enumerate(counted.load(configuration.sequence)[: configuration.messages], 1))
    return [[pair] for pair in numbered] if configuration.alone else [numbered]


def _lacking(configuration: Configuration, run: Run) -> str:
    """The reason why the endpoints do not support the configuration; "" if they do."""
    for implementation in dict.fromkeys((run.compressor, run.decompressor)):
        end = configuration.endpoint(implementation, run.build)
        if reason := endpoints.lacking(end):
            return reason
        if "mechanism" not in end.options:
            return f"{implementation.name} has no mechanism '{configuration.mechanism}'"
    return ""


def _through_engine(configuration: Configuration, messages: Sequence[Message], run: Run) -> list[dict[str, Any]]:
    """The engine's record of each message. Raises WrongMessages if a message did not come out as it went in."""
    ends = {"a": run.compressor, "b": run.decompressor}
    job = endpoints.conversation(
        {side: configuration.endpoint(implementation, run.build) for side, implementation in ends.items()},
        [
            {"from": "a" if message.from_caller else "b", "compartment": 1, "hex": message.octets.hex()}
            for message in messages
        ],
        seed=run.seed,
        repeats=FEW_REPEATS if run.quick else REPEATS,
        trials=True,
    )
    document = engine.run("messages", job, timeout_s=300, build=run.build)
    if document["promise_broken"]:
        raise WrongMessages(f"A promise of the ABI was broken: {document['promise_broken']['sentence']}")
    records = document["records"]
    for message, record in zip(messages, records, strict=True):
        if record["verdict"] != "identical":
            where = f"{configuration.sequence}, {configuration.mechanism} over {configuration.transport}"
            raise WrongMessages(f"{where}: {message.name} did not come out as it went in: {record['verdict']}.")
    return records


def _on_the_link(configuration: Configuration, record: dict[str, Any]) -> bytes:
    """The SigComp message, without record marking."""
    octets = bytes.fromhex(record["compressed"]["octets"])
    if configuration.transport == UDP:
        return octets
    (message,) = Records().feed(octets)
    return message
