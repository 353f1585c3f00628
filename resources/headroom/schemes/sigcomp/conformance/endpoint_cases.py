# SPDX-License-Identifier: Apache-2.0
"""Cases about a SigComp endpoint that decompresses: resources/vectors/sigcomp/cases, and the tests of RFC 4465.

A case is a list of messages, each with its required outcome. A requirement may leave parts of the outcome open.
Therefore each outcome, UDVM cycles included, is also compared with that of the judge, which is made from the RFCs.
"""

import hashlib
import json
import re
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from headroom.core.errors import UsageError
from headroom.core.paths import VECTORS, shown
from headroom.core.text import nth
from headroom.core.vectors import entries
from headroom.core.yamlfile import check, read
from headroom.schemes.sigcomp.judge import message as wire
from headroom.schemes.sigcomp.judge.assembling import assemble
from headroom.schemes.sigcomp.judge.endpoint import Endpoint, Offer, Outcome
from headroom.schemes.sigcomp.judge.reasons import Reason
from headroom.schemes.sigcomp.judge.states import Item
from headroom.schemes.sigcomp.judge.udvm import NAMES

FOLDER = VECTORS / "sigcomp"
TORTURE = "rfc4465"
PRINTED = 1  # the SigComp_version of the endpoint for which RFC 4465 prints identifiers of states
STATE_AT = 1024  # where `create` puts a state value
_HOLE = re.compile(r"\{(?P<what>[a-z0-9]+):(?P<rest>[^}]*)\}")


@dataclass(frozen=True)
class Step:
    """One message to the endpoint. `compartment` is None if the application names none; `late`: only afterwards."""

    octets: bytes
    expect: dict[str, Any]
    compartment: int | None = 0
    late: bool = False


@dataclass(frozen=True)
class Case:
    """A case with its messages. `offer` is the endpoint's configuration, None for the default."""

    name: str
    title: str
    requirements: tuple[str, ...]
    steps: tuple[Step, ...]
    offer: Offer | None = field(default_factory=Offer)
    compartments: int = 1


@dataclass(frozen=True)
class MessageOutcome:
    """The outcome of a message at an endpoint; `kind` is that of `judge.endpoint.Outcome`."""

    kind: str
    output: bytes = b""
    cycles: int = 0
    reason: int = 0
    opcode: int = 0
    pc: int = 0
    details: bytes = b""
    nack: bytes = b""  # what it answers, empty if it does not


def names(group: str) -> list[str]:
    """The cases of one file of the folder, or of "rfc4465"."""
    return list(_group(group, 1))


def case(group: str, name: str, version: int = 1) -> Case:
    """A case by its name. The cases of RFC 4465 are made for an endpoint with this SigComp_version, because some of
    their inputs contain the version. Raises UsageError for an unknown name.
    """
    cases = _group(group, version)
    if name not in cases:
        raise UsageError(f"{group} has no case {name}; it has {', '.join(cases)}.")
    return cases[name]


@cache
def _group(group: str, version: int) -> dict[str, Case]:
    if group == TORTURE:
        return _torture(version)
    path = FOLDER / "cases" / f"{group}.yaml"
    cases: dict[str, Case] = {}
    for name, entry in entries([check(read(path), "schemes/sigcomp/cases")], "cases").items():
        try:
            cases[name] = _case(entry.data)
        except (UsageError, KeyError, ValueError) as error:
            raise entry.error(sentence=str(error)) from error
    return cases


# ------------------------------------------------------------ messages of a case


def _case(entry: dict[str, Any]) -> Case:
    given = entry.get("offer", {})
    offer = None if given == "default" else Offer(**{**given, **_dictionaries(given)})
    states = {name: _state(state) for name, state in entry.get("states", {}).items()}
    steps = tuple(_step(step, states) for step in entry["steps"])
    return Case(entry["name"], entry["title"], tuple(entry["requirements"]), steps, offer, entry.get("compartments", 1))


def _dictionaries(given: dict[str, Any]) -> dict[str, Any]:
    return {"dictionaries": tuple(given["dictionaries"])} if "dictionaries" in given else {}


def _state(state: dict[str, Any]) -> Item:
    value = assemble(state["code"], STATE_AT) if "code" in state else state["fill"].encode() * state["size"]
    return Item(value, STATE_AT, state.get("instruction", 0), state.get("minimum", 6))


def _filled(text: str, states: dict[str, Item]) -> str:
    """Holes in hexadecimal text: `{id6:a}` so many octets of a state's identifier, `{value:a}` its value,
    `{item:OCTETS:address:instruction:minimum}` six octets of the identifier of an item made so."""

    def fill(match: re.Match[str]) -> str:
        what, rest = match["what"], match["rest"]
        if what == "value":
            return states[rest].value.hex()
        if what == "item":
            octets, *numbers = rest.split(":")
            return Item(bytes.fromhex(octets), *map(int, numbers)).identifier[:6].hex()
        return states[rest].identifier[: int(what.removeprefix("id"))].hex()

    return _HOLE.sub(fill, text)


def _step(step: dict[str, Any], states: dict[str, Item]) -> Step:
    compartment = step.get("compartment", 0)
    late = compartment == "accepted"
    number = None if compartment == "none" else 0 if late else compartment
    expect = dict(step["expect"])
    if "state" in expect:
        expect["hex"] = states[expect.pop("state")].value.hex()
    if "details" in expect:
        expect["details"] = _filled(expect["details"], states)
    return Step(_message(step, states), expect, number, late)


def _message(step: dict[str, Any], states: dict[str, Item]) -> bytes:
    data = bytes.fromhex(step.get("input", "")) + step.get("text", "").encode() + bytes(step.get("input_length", 0))
    feedback = bytes.fromhex(step.get("feedback", ""))
    length = step.get("octets", 6)
    if "create" in step:
        return wire.upload(creating(states[step["create"]], step.get("priority", 0)), data, 128, feedback)
    if "access" in step:
        return wire.upload(accessing(states[step["access"]], length), data, 128, feedback)
    if "free" in step:
        return wire.upload(_freeing(states[step["free"]], length), data, 128, feedback)
    if "begin" in step:
        return wire.access(states[step["begin"]].identifier[:length], data, feedback)
    if "code" in step or "raw" in step:
        at = step.get("destination", 128)
        code = assemble(_filled(step["code"], states), at) if "code" in step else bytes.fromhex(step["raw"])
        return wire.upload(code, data, at, feedback)
    return bytes.fromhex(_filled(step["octets"], states)) + data


def creating(item: Item, priority: int) -> bytes:
    """Bytecode that stores an item, and puts out nothing. A long value of one octet is made by MEMSET: a message has no
    room for it."""
    runs = len(set(item.value)) == 1
    put = (
        f"MEMSET ({STATE_AT}, {len(item.value)}, {item.value[0]}, 0)"
        if runs
        else f"COPY (value, {len(item.value)}, {STATE_AT})"
    )
    numbers = f"{item.instruction}, {item.minimum_access_length}, {priority}"
    text = f"{put}\nSTATE-CREATE ({len(item.value)}, {STATE_AT}, {numbers})\nEND-MESSAGE (0,0,0,0,0,0,0)\n:value\n"
    return assemble(text + ("" if runs else f"hex ({item.value.hex()})"))


def accessing(item: Item, octets: int) -> bytes:
    """Bytecode that puts out the value of an item, by so many octets of its identifier."""
    return assemble(
        f"STATE-ACCESS (name, {octets}, 0, 0, {STATE_AT}, go)\n:go\nOUTPUT ({STATE_AT}, {len(item.value)})\n"
        f"END-MESSAGE (0,0,0,0,0,0,0)\n:name\nhex ({item.identifier.hex()}00)"
    )


def _freeing(item: Item, octets: int) -> bytes:
    return assemble(f"STATE-FREE (name, {octets})\nEND-MESSAGE (0,0,0,0,0,0,0)\n:name\nhex ({item.identifier.hex()}00)")


# ------------------------------------------------------------ RFC 4465


def _torture(version: int) -> dict[str, Case]:
    """The tests of RFC 4465 for an endpoint with this SigComp_version. The RFC prints the identifiers of states that an
    endpoint of version 1 makes; for other versions they are computed.
    """
    cases = _tests(version)
    if version == PRINTED:
        return cases
    printed = _tests(PRINTED)
    return {name: _renamed(entry, _created(printed[name]), _created(entry)) for name, entry in cases.items()}


def _created(given: Case) -> list[bytes]:
    """Identifiers of the states that the case's messages create, in order."""
    endpoint = Endpoint(given.offer)
    for number in range(1, given.compartments):
        endpoint.states.open(number, endpoint.offer.state_memory_size)
    results: list[bytes] = []
    for step in given.steps:
        endpoint.decompress(step.octets, step.compartment)
        kept = (item for compartment in endpoint.states.compartments.values() for item, _ in compartment.kept)
        results += [item.identifier for item in kept if item.identifier not in results]
    return results


def _renamed(given: Case, before: list[bytes], after: list[bytes]) -> Case:
    """The case with each state identifier of `before` replaced by the one in the same place of `after`: identifiers
    depend on the version.
    """
    names = {old[:6]: new[:6] for old, new in zip(before, after, strict=False) if old != new}
    steps = []
    for step in given.steps:
        octets = step.octets
        for old, new in names.items():
            octets = octets.replace(old, new)
        steps.append(replace(step, octets=octets))
    return replace(given, steps=tuple(steps))


def _tests(version: int) -> dict[str, Case]:
    document = _printed()
    offer = Offer(document["decompression_memory_size"], document["state_memory_size"], 16, version)
    result = {}
    for test in document["tests"]:
        messages = {entry["name"]: bytes.fromhex(entry["octets"]) for entry in test["messages"]}
        steps = tuple(_torture_step(run, messages, offer) for run in test["runs"])
        result[test["name"]] = Case(test["name"], f"RFC 4465, {test['section']}", (), steps, offer, 3)
    return result


def _printed() -> dict[str, Any]:
    """The expectations printed in RFC 4465."""
    path = FOLDER / f"{TORTURE}.json"
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{shown(path)} cannot be read: {error}.") from error
    return document


def streams(name: str, version: int = 1) -> list[tuple[bytes, Case]]:
    """The streams of a test of RFC 4465, each with its messages as a case: what is expected of each, and its octets."""
    document = _printed()
    test = next((entry for entry in document["tests"] if entry["name"] == name), None)
    if test is None or not test.get("streams"):
        raise UsageError(f"RFC 4465 has no streams in {name}.")
    offer = Offer(document["decompression_memory_size"], document["state_memory_size"], 16, version, stream=True)
    results = []
    for stream in test["streams"]:
        octets = bytes.fromhex(stream["octets"])
        messages = wire.Records().feed(octets)
        steps = tuple(
            replace(_torture_step({"input": "", **run, "message": "it"}, {"it": b""}, offer), octets=message)
            for run, message in zip(stream["runs"], messages, strict=True)
        )
        results.append((octets, Case(name, f"RFC 4465, {test['section']}", (), steps, offer, 3)))
    return results


def _torture_step(run: dict[str, Any], messages: dict[str, bytes], offer: Offer) -> Step:
    holes = {"{version}": f"{offer.version:02x}", "{dms}": f"{offer.decompression_memory_size:04x}"}

    def filled(text: str) -> str:
        for hole, value in holes.items():
            text = text.replace(hole, value)
        return text

    octets = messages[run.get("message", "upload")] + bytes.fromhex(filled(run["input"]))
    expect: dict[str, Any] = {}
    if "failure" in run:
        expect["failure"] = run["failure"]
        if "opcode" in run:
            expect["opcode"] = NAMES.index(run["opcode"])
    else:
        expect |= {"silent": True} if run["output"] is None else {"hex": filled(run["output"])}
        expect["cycles"] = run.get("cycles", run.get("cycles_per_bit_times", 0) * offer.cycles_per_bit)
    return Step(octets, expect, run.get("compartment", 0))


# ------------------------------------------------------------ judging


def judged(given: Case) -> list[Outcome]:
    """The judge's outcomes for the case's messages."""
    endpoint = Endpoint(given.offer)
    for number in range(1, given.compartments):
        endpoint.states.open(number, endpoint.offer.state_memory_size)
    outcomes = []
    for step in given.steps:
        outcome = endpoint.decompress(step.octets, None)
        if outcome.kind in ("compressed", "silent") and step.compartment is not None:
            endpoint.accept(outcome, step.compartment)
        outcomes.append(outcome)
    return outcomes


def as_seen(outcome: Outcome, octets: bytes, version: int) -> MessageOutcome:
    """An outcome of the judge's as that of an endpoint."""
    answer = b""
    if outcome.kind == "failed" and version >= 2:
        digest = hashlib.sha1(octets).digest()
        answer = wire.nack(outcome.reason, digest, outcome.opcode, outcome.pc, outcome.details)
    return MessageOutcome(
        outcome.kind,
        outcome.output,
        outcome.cycles,
        int(outcome.reason),
        outcome.opcode,
        outcome.pc,
        outcome.details,
        answer,
    )


def faults(given: Case, seen: list[MessageOutcome], nacks: bool = False, cycles: bool = True) -> list[str]:
    """Compares an endpoint's outcomes of a case's messages with the expected ones. Returns one sentence for each fault.

    With `nacks` the answers are compared, too; `cycles` is False if the endpoint does not report UDVM cycles.
    """
    if len(seen) != len(given.steps):
        return [f"there are {len(given.steps)} messages, and something is known of {len(seen)}"]
    version = (given.offer or Offer()).version
    sentences = []
    for number, (step, outcome, judge) in enumerate(zip(given.steps, seen, judged(given), strict=True)):
        outcome = outcome if cycles else replace(outcome, cycles=judge.cycles)
        wrong = step_faults(step, outcome) + _compared(outcome, judge)
        if nacks:
            right = as_seen(judge, step.octets, version).nack
            wrong += _unequal("NACK", outcome.nack.hex() or "none", right.hex() or "none")
        sentences += [f"{nth('message', number)}: {what}" for what in dict.fromkeys(wrong)]
    return sentences


def step_faults(step: Step, seen: MessageOutcome) -> list[str]:
    """Compares an outcome with the expectation of its step. Returns one sentence for each difference."""
    expect, wrong = step.expect, []
    if "failure" in expect:
        expected = Reason[expect["failure"]]
        if seen.kind != "failed":
            return [f"{expected.name} was expected; it was {_in_words(seen)}"]
        wrong += _unequal("reason", _reason(seen.reason), expected.name)
        wrong += [
            what
            for key, value in (("opcode", seen.opcode), ("pc", seen.pc))
            if key in expect
            for what in _unequal(key, value, expect[key])
        ]
        if "details" in expect:
            wrong += _unequal("details", seen.details.hex(), expect["details"])
        return wrong
    kind = next((literal for literal in ("plain", "silent", "nack", "ignored") if expect.get(literal)), "compressed")
    if seen.kind != kind:
        return [f"{kind} was expected; it was {_in_words(seen)}"]
    if expect.get("plain"):
        wrong += _unequal("output", seen.output.hex(), step.octets.hex())
    if "hex" in expect or "text" in expect:
        output = bytes.fromhex(expect["hex"]) if "hex" in expect else expect["text"].encode()
        wrong += _unequal("output", seen.output.hex(), output.hex())
    if "begins" in expect and not seen.output.hex().startswith(expect["begins"]):
        wrong.append(f"output is {seen.output.hex()}, it should begin with {expect['begins']}")
    if "cycles" in expect:
        wrong += _unequal("cycles", seen.cycles, expect["cycles"])
    return wrong


def _compared(seen: MessageOutcome, judge: Outcome) -> list[str]:
    """Compares an outcome with that of the judge made from the RFCs: kind, output, cycles of a success, reason, opcode
    and place of a failure. Returns a phrase for each difference.
    """
    if seen.kind != judge.kind:
        return [f"it was {_in_words(seen)}; by the RFCs it is {judge.kind}"]
    wrong = _unequal("output", seen.output.hex(), judge.output.hex()) if judge.kind != "failed" else []
    if judge.kind in ("compressed", "silent"):
        wrong += _unequal("cycles", seen.cycles, judge.cycles)
    if judge.kind == "failed":
        wrong += _unequal("reason", _reason(seen.reason), judge.reason.name)
        wrong += _unequal("opcode", seen.opcode, judge.opcode) + _unequal("pc", seen.pc, judge.pc)
    return wrong


def _unequal(what: str, seen: object, expected: object) -> list[str]:
    return [] if seen == expected else [f"{what} is {seen}, it should be {expected}"]


def _reason(number: int) -> str:
    return Reason(number).name if number in list(Reason) else f"the unknown reason {number}"


def _in_words(seen: MessageOutcome) -> str:
    if seen.kind == "failed":
        return f"failed with {_reason(seen.reason)} at {seen.pc}"
    return {"compressed": "decompressed", "silent": "decompressed without output", "plain": "taken for plain"}.get(
        seen.kind, seen.kind
    )
