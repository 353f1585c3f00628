# SPDX-License-Identifier: Apache-2.0
"""Calls between two SigComp endpoints: one implementation is the caller's, the other the called party's.

A call is a sequence of traffic-profiles/sip, played by the engine. Each endpoint compresses its messages and
decompresses those of its peer, so both are tested in both roles. Judges decompress the messages, too: the judge that is
made from the RFCs, in the order of arrival, and over a harmless link first tshark's UDVM. A message that no judge
restores is no SigComp, even if the two endpoints understand each other. If a message is not restored, the judge made
from the RFCs shows which endpoint is at fault.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from headroom.core import engine
from headroom.core.capabilities import Inconclusive, Misbehaviour
from headroom.core.contract import LinkCondition
from headroom.core.implementations import find
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.text import nth
from headroom.schemes.sigcomp import endpoints, loss_attribution
from headroom.schemes.sigcomp.endpoints import Endpoint
from headroom.schemes.sigcomp.interop.axes import DEFAULT, LINKS, TCP, UDP
from headroom.schemes.sigcomp.judge.endpoint import Offer
from headroom.schemes.sigcomp.judge.message import Records
from headroom.schemes.sigcomp.judge.pair import Pair, has_come_out, summary
from headroom.schemes.sigcomp.sip import sequences
from headroom.schemes.sigcomp.sip.sequences import Message

PATIENCE_S = 60.0  # for one call, which takes a part of a second: then an adapter hangs
INTERVAL_NS = 20_000_000  # between messages, which so may overtake each other
ALONE = "in an engine of its own"
OFFER = Offer(state_memory_size=65536)  # of both endpoints, unless one of them declares less


@dataclass(frozen=True)
class Exchange:
    """Calls between two endpoints. `mechanism` goes to the endpoints that have a mechanism of that name; at least one
    must. `sequences` are the names of the sequences, () for all. `compartments` is the number of compartments that have
    the call, one after another.
    """

    caller: str
    called: str
    mechanism: str = DEFAULT
    transport: str = UDP
    link: str = "clean"
    seed: int = 1
    build: str = DEFAULT_BUILD
    sequences: tuple[str, ...] = ()
    compartments: int = 1

    @property
    def condition(self) -> LinkCondition:
        return next(condition for condition in LINKS if condition.name == self.link)

    @property
    def names(self) -> dict[str, str]:
        """Both sides as sentences name them: each one word, so that the name of a folder adds none to a sentence."""
        return {"a": "_".join(self.caller.split()), "b": "_".join(self.called.split())}


@dataclass(frozen=True)
class Call:
    """One call and its outcome. `compartments` is the number of compartments that have it at the same time, one after
    another."""

    sequence: str
    messages: tuple[Message, ...]
    document: dict[str, Any]
    compartments: int = 1

    def of_record(self, record: loss_attribution.Record) -> Message:
        return self.of_number(record["message"])

    def of_number(self, number: int) -> Message:
        return self.messages[number % len(self.messages)]


def run(exchange: Exchange, captures: Mapping[str, Path] | None = None) -> list[Call]:
    """Plays every sequence, each with new endpoints. `captures` are files for what was on the link, by sequence.

    REQUIRES: `unsupported(exchange)` is "". Raises Misbehaviour if an adapter breaks a promise of the ABI.
    """
    names = exchange.sequences or sequences.names()
    return play(exchange, {name: sequences.load(sequences.path_of(name)) for name in names}, captures)


def play(
    exchange: Exchange, calls: Mapping[str, tuple[Message, ...]], captures: Mapping[str, Path] | None = None
) -> list[Call]:
    """Plays the messages of sequences as `run` does."""
    jobs = [job(exchange, name, messages, (captures or {}).get(name)) for name, messages in calls.items()]
    documents = engine.run_together("messages", jobs, PATIENCE_S, exchange.build)
    for document in documents:
        if broken := document.get("promise_broken"):
            who = exchange.names.get(broken.get("side"), "An endpoint")
            raise Misbehaviour(f"{who} broke a promise of the ABI in {broken['function']}: {broken['sentence']}")
    return [
        Call(*item, document, exchange.compartments) for item, document in zip(calls.items(), documents, strict=True)
    ]


def _seed(seed: int, sequence: str) -> int:
    """The seed of one call. With one seed for all calls, a link would treat them all alike, perhaps without loss."""
    return random.Random(f"{seed}/{sequence}").getrandbits(32)


def unsupported(exchange: Exchange) -> str:
    """The reason why two endpoints cannot run an exchange; "" if both declare all that it needs and can be used on this
    machine."""
    for name in (exchange.caller, exchange.called):
        if reason := endpoints.lacking(_end(name, exchange), ["compression"]):
            return reason
    if endpoints.wire(find(exchange.caller)) != endpoints.wire(find(exchange.called)):
        return f"{exchange.caller} and {exchange.called} do not have the same on the link"
    if exchange.mechanism != DEFAULT and not any(
        _options(name, exchange) for name in (exchange.caller, exchange.called)
    ):
        return f"Neither {exchange.caller} nor {exchange.called} has the mechanism {exchange.mechanism}"
    return ""


def _options(name: str, exchange: Exchange) -> dict[str, Any]:
    """The mechanism, for an endpoint that has it."""
    return (
        {}
        if exchange.mechanism == DEFAULT
        else endpoints.fitting({"mechanism": exchange.mechanism}, find(name), exchange.build)
    )


def offer_of(exchange: Exchange) -> Offer:
    """The offer of both endpoints: OFFER within the limits that both declare."""
    declared = [find(name).declared(endpoints.SCHEME) for name in (exchange.caller, exchange.called)]
    return replace(
        OFFER,
        **{
            key: min([value, *(entry[limit] for entry in declared if limit in entry)])
            for (key, limit), value in zip(endpoints.LIMITS.items(), endpoints.numbers(OFFER).values(), strict=True)
        },
        stream=exchange.transport == TCP,
    )


def _end(name: str, exchange: Exchange) -> Endpoint:
    offer = endpoints.numbers(offer_of(exchange))
    return Endpoint(find(name), exchange.transport, offer, offer, build=exchange.build)


def job(exchange: Exchange, sequence: str, messages: Sequence[Message], capture: Path | None = None) -> dict[str, Any]:
    """The engine's job of messages of a sequence."""
    steps = [
        {
            "from": "a" if message.from_caller else "b",
            "compartment": compartment,
            "hex": message.octets.hex(),
            "time_ns": INTERVAL_NS * (compartment * len(messages) + number),
        }
        for compartment in range(exchange.compartments)
        for number, message in enumerate(messages)
    ]
    ends = {
        side: replace(_end(name, exchange), options=_options(name, exchange))
        for side, name in (("a", exchange.caller), ("b", exchange.called))
    }
    fields = dict(exchange.condition.words)
    link = {"a_to_b": fields, "b_to_a": fields, "nacks": "send"}
    return endpoints.conversation(ends, steps, link, capture, seed=_seed(exchange.seed, sequence))


# ------------------------------------------------------------ what is wrong with it


def shortcomings(exchange: Exchange, calls: Sequence[Call]) -> list[str]:
    """Sentences about messages that came out as they should not, or did not although they had to.

    What a link did may excuse a message that does not come out (`loss_attribution`); over one that does no harm,
    nothing does. Calls in which nothing comes out, or nothing is compressed, show nothing and are wrong, too. Raises
    Inconclusive where a link that is to do harm did none.
    """
    if not exchange.condition.harmless and not any(map(loss_attribution.is_harmed, _records(calls))):
        raise Inconclusive(f"With the seed {exchange.seed} the link harms no message: choose another seed.")
    names = exchange.names
    sentences = [sentence for call in calls for sentence in _of_call(exchange, call)]
    return sentences + [f"{names[side]} {what}" for side, what in loss_attribution.silent(_records(calls))]


def _records(calls: Sequence[Call]) -> list[dict[str, Any]]:
    return [record for call in calls for record in call.document["records"]]


def _of_call(exchange: Exchange, call: Call) -> Iterator[str]:
    names = exchange.names
    wrong = loss_attribution.wrong(call.document["records"])
    judgeable = exchange.link == "clean" and call.compartments == 1
    sentences = _judged(exchange, call) if wrong and judgeable else {}
    hearers = {"b" if record["from"] == "a" else "a" for record in wrong if sentences.get(record["message"]) == ""}
    alone = {side: restored_alone(exchange, call, side) for side in hearers}
    for record in wrong:
        sender = record["from"]
        what = f"{call.sequence}, {nth('message', record['message'])} ({call.of_record(record).name})"
        reasons = ", ".join(loss_attribution.reasons(record))
        why = f" ({reasons})" if reasons else ""
        verdict = str(record.get("verdict")).replace("_", " ")
        receiver = "b" if sender == "a" else "a"
        judge = _also(sentences.get(record["message"]))
        if record["message"] in alone.get(receiver, ()):
            judge += f", and so does {names[receiver]} {ALONE}"
        yield f"{what} from {names[sender]} to {names[receiver]} is {verdict}{why}{judge}"


def _also(judge: str | None) -> str:
    """The judge's finding on a message that went wrong, if the judge was consulted."""
    if judge is None:
        return ""
    return "; the judge cannot restore it either" if judge else "; the judge restores it"


def restored_alone(exchange: Exchange, call: Call, side: str) -> set[int]:
    """Messages of a call that an endpoint restores in an engine of its own, where its own implementation hears what it
    sends. In the engine of the call its peer may have damaged it: the two share a process.
    """
    name = exchange.caller if side == "a" else exchange.called
    steps: list[dict[str, Any]] = []
    heard = []
    for record in call.document["records"]:
        octets, plain = record.get("compressed", {}).get("octets"), call.of_record(record).octets.hex()
        if record["from"] == side:
            steps.append({"from": side, "hex": plain, "compartment": record["compartment"]})
        elif octets:
            expect = {"output": plain}
            steps.append({"to": side, "hex": octets, "compartment": record["compartment"], "expect": expect})
            heard.append(record["message"])
    ends = dict.fromkeys("ab", replace(_end(name, exchange), options=_options(name, exchange)))
    words = endpoints.conversation(ends, steps, seed=_seed(exchange.seed, call.sequence))
    try:
        (document,) = engine.run_together("messages", [words], PATIENCE_S, exchange.build)
    except engine.EngineFailure:
        return set()
    if document.get("promise_broken"):  # the rest was not played
        return set()
    given = [record for record in document["records"] if "from" not in record]
    return {number for number, record in zip(heard, given, strict=True) if record["verdict"] == "met"}


def _compressed(exchange: Exchange, call: Call) -> list[tuple[dict[str, Any], bytes]]:
    """Messages that were compressed, without record marking. One that is delimited wrongly is none, or another."""
    results = []
    records = {"a": Records(), "b": Records()}
    for record in call.document["records"]:
        octets = bytes.fromhex(record.get("compressed", {}).get("octets", ""))
        if octets and exchange.transport == TCP:
            octets = b"".join(records[record["from"]].feed(octets))
        if record.get("compressed", {}).get("octets"):
            results.append((record, octets))
    return results


def _judged(exchange: Exchange, call: Call) -> dict[int, str]:
    """The reason why the judge does not restore a compressed message, by message; "" for each message that it
    restores."""
    judge = Pair(offer_of(exchange), call.compartments)
    sentences: dict[int, str] = {}
    for record, octets in _heard(exchange, call):
        number, message = record["message"], call.of_record(record).octets
        outcome = judge.hears(octets, message, record["from"] == "a", number // len(call.messages))
        if sentences.get(number) != "":
            sentences[number] = "" if has_come_out(outcome, message) else summary(outcome)
    return sentences


def _heard(exchange: Exchange, call: Call) -> list[tuple[dict[str, Any], bytes]]:
    """The judge's input: over a clean link all messages sent, over any other all that arrived, as they arrived."""
    compressed = _compressed(exchange, call)
    if not exchange.condition.words:
        return compressed
    arrivals = [(arrival["time_ns"], pair) for pair in compressed for arrival in pair[0].get("arrivals", ())]
    return [pair for _, pair in sorted(arrivals, key=lambda arrival: arrival[0])]


def confirmed(exchange: Exchange, calls: Sequence[Call], seen: Sequence[bytes | None]) -> list[str]:
    """Returns one sentence for each message that the two endpoints understood but neither of two judges restores.
    `seen` is the output of tshark's UDVM for `on_the_link`, empty without tshark.

    Without this check, two endpoints that copy, or that exchange data outside the link, would pass.
    """
    if not is_sigcomp(exchange):
        return []
    wrong = []
    first = 0
    for call in calls:
        understood = [record["message"] for record in call.document["records"] if record.get("verdict") == "identical"]
        messages = [call.of_record(record).octets for record, _ in _compressed(exchange, call)]
        witnessed = seen[first : first + len(messages)]
        first += len(messages)
        sentences = _judged(exchange, call) if list(witnessed) != messages else {}
        wrong += [
            f"{call.sequence}, {nth('message', number)} ({call.of_number(number).name}) from "
            f"{_sender(exchange, call, number)}: what it is compressed to is restored by no judge ({why})"
            for number, why in sentences.items()
            if why and number in understood
        ]
    return wrong


def overstated(exchange: Exchange, call: Call) -> list[str]:
    """One sentence for each message that announces more than its sender offers, which its receiver may then use. What
    fails in such a call is no fault of the receiver."""
    offer = offer_of(exchange)
    most, judge, sentences = endpoints.numbers(offer), Pair(offer, call.compartments), []
    for record, octets in _heard(exchange, call):
        number, message = record["message"], call.of_record(record).octets
        outcome = judge.hears(octets, message, record["from"] == "a", number // len(call.messages))
        told = outcome.run.parameters if has_come_out(outcome, message) else None
        for key, value in most.items():
            if (getattr(told, key, None) or 0) > value:
                what = f"{key.replace('_', ' ')} {getattr(told, key)} and offers {value}"
                where = f"{call.sequence}, {nth('message', number)} ({call.of_number(number).name})"
                sentences.append(f"{where} from {_sender(exchange, call, number)} announces {what}")
    return sentences


def _sender(exchange: Exchange, call: Call, number: int) -> str:
    return exchange.names["a" if call.of_number(number).from_caller else "b"]


def is_sigcomp(exchange: Exchange) -> bool:
    """True if the two implementations declare that SigComp is on the link, and not a format of their own."""
    return endpoints.wire(find(exchange.caller)) == endpoints.SCHEME


def totals(calls: Sequence[Call]) -> dict[str, int]:
    """Totals over both directions of all calls: messages, identical ones, octets before and after compression."""
    directions = [call.document[name] for call in calls for name in ("a_to_b", "b_to_a")]
    return {
        "messages": sum(direction["messages"] for direction in directions),
        "identical": sum(direction["verdicts"].get("identical", 0) for direction in directions),
        "plain_octets": sum(direction["plain_octets"] for direction in directions),
        "sent_octets": sum(direction["sent_octets"] for direction in directions),
        "nacks": sum(direction["nacks"]["messages"] for direction in directions),
    }


def on_the_link(exchange: Exchange, calls: Sequence[Call]) -> list[tuple[int, bytes, bytes]]:
    """Sender (0 to 255), SigComp message and its original, in order. Each call has its own two senders."""
    return [
        (2 * number + (record["from"] == "b"), octets, call.of_record(record).octets)
        for number, call in enumerate(calls)
        for record, octets in _compressed(exchange, call)
    ]
