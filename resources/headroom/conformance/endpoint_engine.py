# SPDX-License-Identifier: Apache-2.0
"""Acts of a conversation with a SigComp endpoint, played by the engine (`headroom-engine messages`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from headroom import engine, implementations
from headroom.conformance.endpoint_cases import Case, Seen
from headroom.conformance.endpoint_session import Act, Done, Play
from headroom.conformance.sides import Misbehaviour, NotDeclared
from headroom.oracle.sigcomp.endpoint import Offer
from headroom.paths import DEFAULT_BUILD

PATIENCE_S = 60.0  # for one conversation, which takes a part of a second: then an adapter hangs
SCHEME = "sigcomp"
OTHER_END = "null"  # gets what is compressed, and does nothing with it


@dataclass(frozen=True)
class Asked:
    """The endpoint under test. `offer` is what it is configured with, None for nothing at all; `peer` what it is told
    of its peer; `options` are its own."""

    name: str
    offer: Offer | None = field(default_factory=Offer)
    peer: Offer | None = None
    options: dict[str, Any] = field(default_factory=dict)
    stream: bool = False
    compartments: int = 1
    build: str = DEFAULT_BUILD

    def configuration(self) -> dict[str, Any]:
        found = implementations.find(self.name)
        config: dict[str, Any] = {**found.config, "scheme": SCHEME, "transport": "tcp" if self.stream else "udp"}
        if self.offer is not None:
            config |= _numbers(self.offer) | {"dictionaries": list(self.offer.dictionaries)}
        if self.peer is not None:
            config["peer"] = _numbers(self.peer)
        if self.options:
            config["options"] = {**config.get("options", {}), **self.options}
        return config


def _numbers(offer: Offer) -> dict[str, int]:
    return {
        "decompression_memory_size": offer.decompression_memory_size,
        "state_memory_size": offer.state_memory_size,
        "cycles_per_bit": offer.cycles_per_bit,
        "version": offer.version,
    }


def require(asked: Asked, features: Sequence[str] = ()) -> None:
    """Raises NotDeclared where the implementation does not declare what a conversation asks of it."""
    found = implementations.find(asked.name)
    wanted: dict[str, Any] = {"features": list(features), "transports": ["tcp" if asked.stream else "udp"]}
    if asked.offer is not None:
        wanted |= {
            "version": asked.offer.version,
            "max_decompression_memory_size": asked.offer.decompression_memory_size,
            "max_state_memory_size": asked.offer.state_memory_size,
            "max_cycles_per_bit": asked.offer.cycles_per_bit,
            "max_compartments": asked.compartments,
            "dictionaries": list(asked.offer.dictionaries),
        }
    if reason := found.lacks("endpoint", SCHEME, **wanted):
        raise NotDeclared(f"{reason}.")
    for key, value in asked.options.items():
        if value not in choices(asked.name, asked.build).get(key, (value,) if key not in CHOICES else ()):
            raise NotDeclared(f"{asked.name} has no {key} {value}.")


CHOICES = ("algorithm", "mechanism", "search")  # keys of options that every implementation calls so, if it has them


def choices(name: str, build: str) -> dict[str, list[str]]:
    """Values that options of an endpoint take, as its adapter describes them."""
    described = engine.run("describe", {"library": str(implementations.find(name).library_path(build))}, build=build)
    schemes = described.get("describe", described).get("schemes", ())
    found: dict[str, Any] = next((entry for entry in schemes if entry.get("scheme") == SCHEME), {})
    return dict(found.get("choices", {}))


def player(asked: Asked) -> Play:
    """What a session plays with. Raises Misbehaviour when the adapter breaks a promise of the ABI."""

    def play(acts: Sequence[Act]) -> list[Done]:
        document = engine.run("messages", job(asked, acts), PATIENCE_S, asked.build)
        return results(document, acts)

    return play


def job(asked: Asked, acts: Sequence[Act]) -> dict[str, Any]:
    """The engine's job: compressed messages go to an endpoint that does nothing, what arrives is literal."""
    found = implementations.find(asked.name)
    other = implementations.find(OTHER_END)
    ends = {"a": {"library": str(found.library_path(asked.build)), "config": asked.configuration()}}
    if any(act.what == "compress" for act in acts):
        config = {"scheme": SCHEME, "transport": "tcp" if asked.stream else "udp"}
        ends["b"] = {"library": str(other.library_path(asked.build)), "config": config}
    return {
        "endpoints": ends,
        "compartments": [{"number": number} for number in range(asked.compartments)],
        "messages": [_message(act, asked.stream) for act in acts],
    }


def _message(act: Act, stream: bool) -> dict[str, Any]:
    if act.what == "compress":
        return {"from": "a", "compartment": act.compartment or 0, "hex": act.octets.hex()}
    message: dict[str, Any] = {"to": "a", "hex": act.octets.hex()}
    if act.compartment is not None:
        message |= {"compartment": act.compartment}
        if act.late and not stream:
            message["accept"] = "after"
    return message


def results(document: dict[str, Any], acts: Sequence[Act]) -> list[Done]:
    """What came of acts, by the engine's document."""
    if broken := document.get("promise_broken"):
        raise Misbehaviour(
            f"A promise of the ABI was broken in {broken['function']} (message {broken['message']}): "
            f"{broken['sentence']} See `headroom-engine check`."
        )
    return [
        _compressed(record) if act.what == "compress" else _arrived(record)
        for record, act in zip(document["records"], acts, strict=True)
    ]


def _compressed(record: dict[str, Any]) -> Done:
    octets = record.get("compressed", {}).get("octets")
    return Done(None if octets is None else bytes.fromhex(octets))


def _arrived(record: dict[str, Any]) -> Done:
    return Done(seen=tuple(_seen(arrival) for arrival in record["arrivals"]))


def _seen(arrival: dict[str, Any]) -> Seen:
    return Seen(
        arrival.get("kind", arrival["status"]),
        bytes.fromhex(arrival.get("output", "")),
        arrival.get("cycles", 0),
        arrival.get("reason", 0),
        arrival.get("opcode", 0),
        arrival.get("pc", 0),
        bytes.fromhex(arrival.get("details", "")),
        b"".join(bytes.fromhex(nack["octets"]) for nack in arrival.get("nacks", ())),
    )


def seen_of(case: Case, asked: Asked) -> list[Seen]:
    """What an endpoint makes of a case's messages."""
    acts = [Act("decompress", step.octets, step.compartment, step.late) for step in case.steps]
    return [one for done in player(asked)(acts) for one in done.seen]
