# SPDX-License-Identifier: Apache-2.0
"""Messages through two SigComp endpoints, or recorded messages into one: the engine's `messages`, typed.

config = ConversationConfig(a, b, messages=conversation(sequences.load(path)), options={"mechanism": "dynamic"})
for one in run(config).messages:
    print(one.compressed_length, one.verdict, one.cycles)
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from headroom.core import engine
from headroom.core.errors import UsageError
from headroom.core.implementations import Implementation
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.text import nth
from headroom.schemes.sigcomp import endpoints, loss_attribution
from headroom.schemes.sigcomp.endpoints import GENEROUS, Endpoint
from headroom.schemes.sigcomp.sip.sequences import MOST_OCTETS, Message


@dataclass(frozen=True)
class Step:
    """A message of a conversation: from A, or from B, for a compartment, at a time or when all before it has arrived.
    `accept`: when the receiver names the compartment: known, after or never."""

    octets: bytes
    from_a: bool = True
    compartment: int = 1
    time_ns: int | None = None
    accept: str = "known"

    def as_data(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "from": "a" if self.from_a else "b",
            "compartment": self.compartment,
            "hex": self.octets.hex(),
            "accept": self.accept,
        }
        return data if self.time_ns is None else {**data, "time_ns": self.time_ns}


def conversation(messages: Iterable[Message], compartment: int = 1) -> list[Step]:
    """The steps of a SIP sequence between A, the caller, and B, the called party."""
    return [Step(message.octets, message.from_caller, compartment) for message in messages]


@dataclass
class ConversationConfig:
    """The messages of a conversation and the endpoints that exchange them. `offer` is what both endpoints offer and
    know about each other; `options` go to the implementations that have them."""

    a: Implementation
    b: Implementation
    messages: Sequence[Step] = ()
    transport: str = "udp"
    offer: dict[str, Any] = field(default_factory=lambda: dict(GENEROUS))
    options: dict[str, Any] = field(default_factory=dict)
    a_to_b: dict[str, Any] = field(default_factory=dict)  # impairments, as the engine's README has them
    b_to_a: dict[str, Any] = field(default_factory=dict)
    nacks: bool = True
    capture: Path | None = None  # of the link
    seed: int = 1
    repeats: int = 0  # with any, calls are timed
    build: str = DEFAULT_BUILD
    timeout_s: float = 120.0

    def back_ns(self) -> int | None:
        """The longest delay of a NACK; None if it may have to wait."""
        if any(way.get(key) for way in (self.a_to_b, self.b_to_a) for key in ("rate_bps", "jitter_ns")):
            return None
        return max(int(way.get("delay_ns", 0)) for way in (self.a_to_b, self.b_to_a))


@dataclass(frozen=True)
class SentMessage:
    """The outcome of one message. Lengths are octets, times nanoseconds."""

    record: dict[str, Any]

    @property
    def verdict(self) -> str:
        """identical, mismatched, not_delivered, lost_on_link, not_compressed or not_run."""
        return str(self.record["verdict"])

    @property
    def is_from_a(self) -> bool:
        return bool(self.record["from"] == "a")

    @property
    def length(self) -> int:
        return int(self.record["length"])

    @property
    def compressed_length(self) -> int | None:
        """Octets on the link, record marking included; None if the message could not be compressed."""
        result = self.record.get("compressed", {})
        return int(result["length"]) if result.get("status") == "OK" else None

    @property
    def compressed(self) -> bytes | None:
        """The octets on the link, record marking included."""
        octets = self.record.get("compressed", {}).get("octets")
        return None if octets is None else bytes.fromhex(octets)

    @property
    def has_bytecode(self) -> bool:
        """True if the message uploads bytecode."""
        return bool(self.record.get("compressed", {}).get("code_length"))

    @property
    def is_plain(self) -> bool:
        """True if the message was sent uncompressed because it could not be compressed."""
        return bool(self.record.get("plain", False))

    @property
    def cycles(self) -> int | None:
        """UDVM cycles of its first arrival; None if it never arrived, used none, or the endpoint does not report
        them."""
        arrivals = self.record["arrivals"]
        return arrivals[0].get("cycles") if arrivals else None

    @property
    def reason(self) -> str:
        """The reason of the decompression failure, by its name in RFC 4077, 3.2; "" if there was none."""
        return next(
            (record["reason_name"] for record in self.record["arrivals"] if record["status"] == "ERR_DECOMPRESSION"), ""
        )

    @property
    def nacks(self) -> list[bytes]:
        """The NACKs about it."""
        return [bytes.fromhex(nack["octets"]) for record in self.record["arrivals"] for nack in record.get("nacks", ())]

    @property
    def compress_ns(self) -> float | None:
        """Median time of the call, with `repeats`."""
        return self.record.get("compress_ns")

    @property
    def decompress_ns(self) -> float | None:
        return self.record.get("decompress_ns")


@dataclass(frozen=True)
class Conversation:
    """The engine's results."""

    config: ConversationConfig
    document: dict[str, Any]

    @cached_property
    def messages(self) -> list[SentMessage]:
        return [SentMessage(record) for record in self.document["records"]]

    @property
    def promise_broken(self) -> str:
        """The promise of the ABI that an adapter broke, as a sentence; "" if it kept them all."""
        broken = self.document.get("promise_broken")
        if not broken:
            return ""
        where = "" if broken["message"] is None else f" ({nth('message', broken['message'])})"
        return f"A promise was broken: {broken['function']}{where}: {broken['sentence']}"

    def count(self, verdict: str) -> int:
        return sum(message.verdict == verdict for message in self.messages)

    @property
    def plain_octets(self) -> int:
        return sum(int(self.document[way]["plain_octets"]) for way in ("a_to_b", "b_to_a"))

    @property
    def sent_octets(self) -> int:
        return sum(int(self.document[way]["sent_octets"]) for way in ("a_to_b", "b_to_a"))

    @property
    def nack_octets(self) -> int:
        return sum(int(self.document[way]["nacks"]["octets"]) for way in ("a_to_b", "b_to_a"))

    def too_long(self) -> list[str]:
        """Sentences about messages that do not fit into a datagram as they are on the link, over UDP."""
        if self.config.transport != "udp":
            return []
        lengths = [message.length if message.is_plain else message.compressed_length or 0 for message in self.messages]
        return [
            f"{nth('Message', number)} has {length} octets on the link, and a datagram at most {MOST_OCTETS}: "
            f"it takes transport=tcp (RFC 3261, 18.1.1)."
            for number, length in enumerate(lengths)
            if length > MOST_OCTETS
        ]

    def lost(self) -> int:
        """Messages that the link lost, as it says itself."""
        return sum(loss_attribution.is_lost(record) for record in self.document["records"])

    def failures(self) -> list[str]:
        """Sentences about errors that no conversation should show, whatever its link does; empty if there are none.

        Only the link can excuse a message that is not restored (`loss_attribution`).
        """
        sentences = [self.promise_broken] if self.promise_broken else []
        records: list[dict[str, Any]] = self.document["records"]
        numbers = {id(record): number for number, record in enumerate(records)}
        for record in loss_attribution.wrong(records, self.config.back_ns()):
            number, message = numbers[id(record)], SentMessage(record)
            if message.verdict == "mismatched":
                sentences.append(f"{nth('Message', number)} came out different from what went in.")
                continue
            why = message.reason or _verdict_in_words(record)
            sentences.append(
                f"{nth('Message', number)} did not come out, and nothing that the link did explains it: {why}."
            )
        names = {"a": self.config.a.name, "b": self.config.b.name}
        return sentences + [f"{names[side]} {what}." for side, what in loss_attribution.silent(records)]


def _verdict_in_words(record: dict[str, Any]) -> str:
    """A verdict of the engine, with the status where a compressor refused a message."""
    text = str(record["verdict"]).replace("_", " ")
    status = record.get("compressed", {}).get("status")
    return f"{text} ({status})" if record["verdict"] == "not_compressed" and status else text


def job(config: ConversationConfig) -> dict[str, Any]:
    """The engine's job. Raises UsageError if an implementation has no adapter or no endpoint."""
    link = {"a_to_b": config.a_to_b, "b_to_a": config.b_to_a, "nacks": "send" if config.nacks else "drop"}
    return endpoints.conversation(
        {"a": _end(config.a, config), "b": _end(config.b, config)},
        [step.as_data() for step in config.messages],
        link,
        config.capture,
        seed=config.seed,
        repeats=config.repeats,
    )


def run(config: ConversationConfig) -> Conversation:
    """Raises EngineFailure if an adapter crashes or hangs, UsageError as `job`."""
    return Conversation(config, engine.run("messages", job(config), config.timeout_s, config.build))


def _end(implementation: Implementation, config: ConversationConfig) -> Endpoint:
    end = Endpoint(implementation, config.transport, config.offer, config.offer, seed=config.seed, build=config.build)
    if reason := endpoints.lacking(end):
        raise UsageError(f"{reason}.")
    return replace(end, options=endpoints.fitting(config.options, implementation, config.build))
