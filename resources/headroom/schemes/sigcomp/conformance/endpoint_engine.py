# SPDX-License-Identifier: Apache-2.0
"""Acts of a conversation with a SigComp endpoint, played by the engine (`headroom-engine messages`)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from headroom.core import engine
from headroom.core.capabilities import Misbehaviour, NotDeclared
from headroom.core.implementations import Implementation, null
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.text import nth
from headroom.schemes.sigcomp import endpoints
from headroom.schemes.sigcomp.conformance.endpoint_cases import Case, MessageOutcome
from headroom.schemes.sigcomp.conformance.endpoint_session import Act, ActOutcome, Play
from headroom.schemes.sigcomp.endpoints import Endpoint
from headroom.schemes.sigcomp.judge.endpoint import Offer

PATIENCE_S = 60.0  # for one conversation, which takes a part of a second: then an adapter hangs
NOT_ANSWERED = ("compressed", "silent", "plain", "nack", "ignored")  # kinds of messages that did not fail


@dataclass(frozen=True)
class EndpointUnderTest:
    """The endpoint under test. `offer` is its configuration, None if it gets none; `peer` is the offer of its peer that
    it knows from the beginning; `options` are the implementation's options.
    """

    implementation: Implementation | None
    offer: Offer | None = field(default_factory=Offer)
    peer: Offer | None = None
    options: dict[str, Any] = field(default_factory=dict)
    stream: bool = False
    compartments: int = 1
    build: str = DEFAULT_BUILD

    @property
    def name(self) -> str:
        return self.implementation.name if self.implementation else ""

    def endpoint(self) -> Endpoint:
        """The endpoint in the form of the engine's jobs."""
        offer: dict[str, Any] = {}
        if self.offer is not None:
            offer = endpoints.numbers(self.offer) | {"dictionaries": list(self.offer.dictionaries)}
        peer = {} if self.peer is None else endpoints.numbers(self.peer)
        transport = "tcp" if self.stream else "udp"
        assert self.implementation is not None
        return Endpoint(self.implementation, transport, offer, peer, self.options, build=self.build)

    def configuration(self) -> dict[str, Any]:
        return endpoints.configuration(self.endpoint())


def require(endpoint: EndpointUnderTest, features: Sequence[str] = ()) -> None:
    """Raises NotDeclared if the implementation does not declare a feature that a conversation needs."""
    end = endpoint.endpoint()
    offered = replace(end, offer={**end.offer, "compartments": endpoint.compartments})
    if reason := endpoints.lacking(offered, features) or endpoints.unknown(end):
        raise NotDeclared(f"{reason}.")


def player(endpoint: EndpointUnderTest) -> Play:
    """Returns the function with which a session plays acts through the engine. It raises Misbehaviour if the adapter
    breaks a promise of the ABI."""

    def play(acts: Sequence[Act]) -> list[ActOutcome]:
        document = engine.run("messages", job(endpoint, acts), PATIENCE_S, endpoint.build)
        return results(document, acts)

    return play


def job(endpoint: EndpointUnderTest, acts: Sequence[Act]) -> dict[str, Any]:
    """The engine's job: compressed messages go to an endpoint that does nothing, what arrives is literal."""
    ends = {"a": endpoint.endpoint()}
    if any(act.what == "compress" for act in acts):
        ends["b"] = Endpoint(null(), ends["a"].transport, build=endpoint.build)
    return endpoints.conversation(
        ends,
        [_message(act, endpoint.stream) for act in acts],
        # An endpoint in use reports no details of its messages, and may put off work that only these would show.
        details="arrivals",
        compartments=[{"number": number} for number in range(endpoint.compartments)],
    )


def _message(act: Act, stream: bool) -> dict[str, Any]:
    if act.what == "compress":
        return {"from": "a", "compartment": act.compartment or 0, "hex": act.octets.hex()}
    message: dict[str, Any] = {"to": "a", "hex": act.octets.hex()}
    if act.compartment is not None:
        message |= {"compartment": act.compartment}
        if act.late and not stream:
            message["accept"] = "after"
    return message


def results(document: dict[str, Any], acts: Sequence[Act]) -> list[ActOutcome]:
    """The outcomes of acts, from the engine's document. Raises AssertionError if an endpoint answers with a NACK where
    no message failed, whether it declares NACKs or not; Misbehaviour if it breaks a promise of the ABI."""
    if broken := document.get("promise_broken"):
        where = "" if broken["message"] is None else f" ({nth('message', broken['message'])})"
        raise Misbehaviour(
            f"A promise of the ABI was broken in {broken['function']}{where}: {broken['sentence']} "
            "See `./headroom check`."
        )
    return [
        _compressed(record) if act.what == "compress" else _arrived(record)
        for record, act in zip(document["records"], acts, strict=True)
    ]


def _compressed(record: dict[str, Any]) -> ActOutcome:
    octets = record.get("compressed", {}).get("octets")
    return ActOutcome(None if octets is None else bytes.fromhex(octets))


def _arrived(record: dict[str, Any]) -> ActOutcome:
    seen = tuple(map(_seen, record["arrivals"]))
    # On a stream, a NACK may come with another outcome of the same piece than that of the message that failed.
    if any(outcome.nack for outcome in seen) and all(outcome.kind in NOT_ANSWERED for outcome in seen):
        kinds = ", ".join(dict.fromkeys(outcome.kind for outcome in seen))
        raise AssertionError(f"A NACK answers what did not fail, but was {kinds} (RFC 4077, 2.2).")
    return ActOutcome(seen=seen)


def _seen(arrival: dict[str, Any]) -> MessageOutcome:
    return MessageOutcome(
        arrival.get("kind", arrival["status"]),
        bytes.fromhex(arrival.get("output", "")),
        arrival.get("cycles", 0),
        arrival.get("reason", 0),
        arrival.get("opcode", 0),
        arrival.get("pc", 0),
        bytes.fromhex(arrival.get("details", "")),
        b"".join(bytes.fromhex(nack["octets"]) for nack in arrival.get("nacks", ())),
    )


def seen_of(case: Case, endpoint: EndpointUnderTest) -> list[MessageOutcome]:
    """An endpoint's outcomes for a case's messages."""
    acts = [Act("decompress", step.octets, step.compartment, step.late) for step in case.steps]
    return [message for outcome in player(endpoint)(acts) for message in outcome.seen]
