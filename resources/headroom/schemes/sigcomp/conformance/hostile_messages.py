# SPDX-License-Identifier: Apache-2.0
"""Hostile bytecode for a SigComp endpoint: the cost of each message, and the treatment of its source by a guard.

The attacks are the cases of resources/vectors/sigcomp/cases/hostile.yaml. An endpoint that declares the feature `guard`
has limits beyond those of the RFCs. Its statistics have `work` (in units of at most 5 ns), `endless` (messages that
were proven never to end) and `refused` (messages that were not run, by reason), and its options have `guard`
(implementations/README.md). Every endpoint is tested for what the RFCs require. Verdicts do not depend on a clock, with
one exception: the bound of `takes_too_long` is far above the time that any machine needs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from headroom.core import engine
from headroom.core.capabilities import NotDeclared
from headroom.core.text import nth
from headroom.schemes.sigcomp import endpoints
from headroom.schemes.sigcomp.conformance import endpoint_cases, endpoint_engine
from headroom.schemes.sigcomp.conformance.endpoint_cases import Case, MessageOutcome
from headroom.schemes.sigcomp.conformance.endpoint_engine import PATIENCE_S, EndpointUnderTest
from headroom.schemes.sigcomp.conformance.endpoint_session import Act
from headroom.schemes.sigcomp.judge.assembling import assemble
from headroom.schemes.sigcomp.judge.endpoint import Offer
from headroom.schemes.sigcomp.judge.message import upload
from headroom.schemes.sigcomp.judge.reasons import Reason

GROUP = "hostile"
GUARD = "guard"  # the feature
OFF = {"verify": False, "work_per_cycle": 0}  # RFC 3320's limits alone
WORK_PER_CYCLE = 4
# Units of work that a message may take beyond its budget: one slice of a program, and one window of the verifier.
SLACK = 200_000
# Units of work within which a loop is seen to be endless, before what its own octets cost.
PROOF = 100_000
PROOF_PER_BIT = 20
# Octets that stay: a list which grows now and then leaves less for each message than malloc's smallest piece; the
# kernel counts pages, and not all of them at once.
FORGIVEN_HEAP = 16
FORGIVEN_RESIDENT = 2 << 20
FEWEST_PER_S = 8  # messages that filled a Pentium 4 of 3.0 GHz: maenpaa-2005, 11.7
MANY = 50  # times that an attack comes when growth of memory is looked for, or its time
SECOND = 1_000_000_000  # nanoseconds
REFUSED = "ERR_STATE"  # status of a message that is refused before it runs


@dataclass(frozen=True)
class Cost:
    """Messages with their outcomes, and the endpoint's statistics afterwards."""

    octets: tuple[bytes, ...]
    seen: tuple[MessageOutcome, ...]
    statistics: dict[str, Any]
    heap: tuple[int, ...] = ()  # octets that the endpoint's calls have left in the heap, after each message
    resident: tuple[int, ...] = ()  # likewise in the memory of the process, however it was got
    processor_ns: tuple[int, ...] = ()  # time that processors have spent on them, after each message

    @property
    def untold(self) -> list[str]:
        """The statistics that an endpoint with a guard must have and that are missing."""
        return [word for word in ("work", "endless", "refused") if word not in self.statistics]

    @property
    def work(self) -> int:
        return int(self.statistics["work"])

    @property
    def endless(self) -> int:
        return int(self.statistics["endless"])

    @property
    def memory(self) -> int:
        return int(self.statistics.get("memory_bytes", 0))


def has_guard(endpoint: EndpointUnderTest) -> bool:
    """True if the implementation declares a guard."""
    return not endpoints.lacking(endpoint.endpoint(), [GUARD])


def guarded(endpoint: EndpointUnderTest, guard: dict[str, Any]) -> EndpointUnderTest:
    return replace(endpoint, options={**endpoint.options, "guard": guard})


def played(
    endpoint: EndpointUnderTest, messages: Sequence[dict[str, Any]], repeats: int = 0, costs: bool = False
) -> dict[str, Any]:
    """The engine's document about messages to the endpoint. Raises Misbehaviour if it breaks a promise."""
    extra = ({"repeats": repeats} if repeats else {}) | ({"costs": True} if costs else {})
    job = endpoint_engine.job(endpoint, []) | {"messages": list(messages)} | extra
    document = engine.run("messages", job, PATIENCE_S, endpoint.build)
    endpoint_engine.results(document, [Act("decompress", b"")] * len(messages))
    return document


def cost(case: Case, endpoint: EndpointUnderTest, times: int = 1) -> Cost:
    """The cost to an endpoint of a case's messages, repeated a number of times."""
    octets = tuple(step.octets for step in case.steps) * times
    document = played(endpoint, [_message(octet) for octet in octets], costs=True)
    acts = [Act("decompress", octet) for octet in octets]
    seen = tuple(message for outcome in endpoint_engine.results(document, acts) for message in outcome.seen)
    return cost_of(document, octets, seen, range(len(octets)))


def cost_of(
    document: dict[str, Any], octets: tuple[bytes, ...], seen: tuple[MessageOutcome, ...], steps: range
) -> Cost:
    """The cost of these steps of a conversation, from the engine's document."""
    spent = {what: tuple(each[steps.start : steps.stop]) for what, each in document["costs"]["a"].items()}
    statistics = dict(document["statistics"]["a"])
    return Cost(octets, seen, statistics, spent["heap_octets"], spent["resident_octets"], spent["processor_ns"])


def _message(octets: bytes, compartment: int = 0, time_ns: int | None = None) -> dict[str, Any]:
    message: dict[str, Any] = {"to": "a", "hex": octets.hex(), "compartment": compartment}
    return message if time_ns is None else message | {"time_ns": time_ns}


# ------------------------------------------------------------ one attack


def cycles_granted(octets: bytes, offer: Offer) -> int:
    """UDVM cycles that a message can have, all of its input taken: RFC 3320, 8.6."""
    return (1000 + 8 * len(octets)) * offer.cycles_per_bit


def faults(case: Case, result: Cost, exactly: bool) -> list[str]:
    """Returns one sentence for each fault of an endpoint in an attack: a message that does not fail as the case says
    (with `exactly`: as the judge finds, place included), or that uses more UDVM cycles than allowed."""
    offer = case.offer or Offer()
    if exactly:
        wrong = endpoint_cases.faults(case, list(result.seen))
    else:
        wrong = [
            f"{nth('message', number)}: {what}"
            for number, (step, message) in enumerate(zip(case.steps, result.seen, strict=True))
            for what in endpoint_cases.step_faults(replace(step, expect={"failure": step.expect["failure"]}), message)
        ]
    judge = endpoint_cases.judged(case)
    for number, (octets, outcome, right) in enumerate(zip(result.octets, result.seen, judge, strict=True)):
        # Some count what the instruction that did not fit would have taken; the judge knows how much that is.
        if outcome.cycles > (most := cycles_granted(octets, offer) + right.run.beyond):
            wrong.append(f"{nth('message', number)}: {outcome.cycles} UDVM cycles were used, and {most} are the most")
    return wrong


def elsewhere(on: Cost, off: Cost, seen_through: bool) -> list[str]:
    """Returns one sentence for each message that fails at another place (RFC 4077, 3.1) with the guard on than with it
    off. A message that the guard's budget of work ended earlier may; a message that the guard proved endless ran to its
    end."""
    wrong = []
    for number, (here, there) in enumerate(zip(on.seen, off.seen, strict=True)):
        cut_short = here.cycles < there.cycles and here.reason == Reason.CYCLES_EXHAUSTED and not seen_through
        if not cut_short and (here.opcode, here.pc) != (there.opcode, there.pc):
            wrong.append(
                f"{nth('message', number)}: with the guard on it fails at {here.pc} (opcode {here.opcode}), with it "
                f"off at {there.pc} (opcode {there.opcode})"
            )
    return wrong


def costs_too_much(case: Case, result: Cost, seen_through: bool) -> list[str]:
    """Findings about the cost of one attack to an endpoint with a guard."""
    offer, octets = case.offer or Offer(), sum(map(len, result.octets))
    most = sum(WORK_PER_CYCLE * cycles_granted(octet, offer) + SLACK for octet in result.octets)
    wrong = []
    if seen_through:
        most = min(most, len(result.octets) * PROOF + PROOF_PER_BIT * 8 * octets)
        if result.endless != len(result.octets):
            wrong.append(f"{result.endless} of {len(result.octets)} messages were seen to be endless")
    elif result.endless:
        wrong.append(f"{result.endless} messages were taken for endless, which they are not")
    if result.work > most:
        wrong.append(f"{result.work} units of work were done, and {most} are the most")
    return wrong


def grows(once: Cost, often: Cost) -> list[str]:
    """Returns one sentence for each memory that grows with attacks, because failed messages must leave no state behind
    (RFC 3320, 8.7). Compares the endpoint's own statistics, and the growth of its process over the later half of the
    messages."""
    wrong = []
    if often.memory > once.memory:
        wrong.append(
            f"{once.memory} octets of memory after it came once, {often.memory} after {len(often.octets)} messages"
        )
    return wrong + growth(often)


def growth(often: Cost) -> list[str]:
    """Returns one sentence for each memory of the process that grows over the later half of the messages."""
    wrong = []
    for grown, forgiven, where in (
        (often.heap, FORGIVEN_HEAP * len(often.octets) // 2, "heap"),
        (often.resident, FORGIVEN_RESIDENT, "memory of the process"),
    ):
        if (left := _over_later_half(grown)) > forgiven:
            count = len(grown) - len(grown) // 2
            wrong.append(f"{count} messages leave {left} octets in the {where}, whatever the statistics say")
    return wrong


def takes_too_long(often: Cost) -> list[str]:
    """Returns a sentence if as few of these messages fill a core as in the thesis. Compares processor time, which other
    work on the machine does not change; the limit is hundreds of times what such a message needs."""
    spent = _over_later_half(often.processor_ns)
    count = len(often.octets) - len(often.octets) // 2
    if spent * FEWEST_PER_S <= count * SECOND:
        return []
    return [
        f"each takes {spent / count / 1e6:.0f} ms of a processor: {count * SECOND / spent:.1f} a second fill a core, "
        f"and {FEWEST_PER_S} did in 2005 (maenpaa-2005, 11.7)"
    ]


def _over_later_half(grown: Sequence[int]) -> int:
    """Growth in the later half, when every message has arrived once, in the unit of `grown`: octets or nanoseconds."""
    return grown[-1] - grown[len(grown) // 2 - 1] if len(grown) > 1 else 0


def time_of(case: Case, endpoint: EndpointUnderTest, repeats: int) -> float:
    """The time of a call with the first message, in nanoseconds: the median over the later half of MANY calls in a row
    at one endpoint, so that first-time work does not count. A figure of this machine; no verdict depends on it."""
    document = played(endpoint, [_message(case.steps[0].octets)] * MANY, repeats)
    return float(median(record["decompress_ns"] for record in document["records"][MANY // 2 :]))


# ------------------------------------------------------------ a source that attacks among others that do not


@dataclass(frozen=True)
class Siege:
    """The outcome of attacks by one compartment among harmless messages of another. `attacks` and `others` are the
    statuses of the attacks and of the harmless messages, in order; `later` is the status of an attack an hour later.
    """

    attacks: tuple[str, ...]
    others: tuple[str, ...]
    later: str
    statistics: dict[str, Any]


def siege(endpoint: EndpointUnderTest, attack: bytes, count: int = 40) -> Siege:
    """COUNT attacks of compartment 1 within a second, a harmless message of compartment 0 after each; and an hour
    later one more attack. Raises NotDeclared if the endpoint has no guard."""
    harmless = upload(assemble("OUTPUT (here, 2)\nEND-MESSAGE (0,0,0,0,0,0,0)\n:here\nbyte (79, 75)"))
    if not has_guard(endpoint):
        raise NotDeclared(f"{endpoint.name} does not declare the feature {GUARD}.")
    messages = []
    for number in range(count):
        now = number * SECOND // count
        messages += [_message(attack, 1, now), _message(harmless, 0, now + 1)]
    messages.append(_message(attack, 1, 3600 * SECOND))
    document = played(endpoint, messages)
    status = [record["arrivals"][0]["status"] for record in document["records"]]
    return Siege(tuple(status[:-1:2]), tuple(status[1:-1:2]), status[-1], dict(document["statistics"]["a"]))


def siege_faults(result: Siege, reason: str) -> list[str]:
    """Returns one sentence for each fault in a siege. REASON is the counter of `refused` that must count the refused
    messages."""
    refused = result.attacks.count(REFUSED)
    counted = int(result.statistics["refused"].get(reason, 0))
    wrong = []
    if result.attacks[0] == REFUSED:
        wrong.append("the first attack was refused, before the source had cost anything")
    if not refused:
        wrong.append(f"none of {len(result.attacks)} attacks was refused")
    if counted != refused:
        wrong.append(f"{refused} messages were refused, and {counted} are counted under {reason}")
    if bad := [status for status in result.others if status != "OK"]:
        wrong.append(f"{len(bad)} of {len(result.others)} messages of another source did not come out: {bad[0]}")
    if result.later == REFUSED:
        wrong.append("an hour later the source is refused still")
    return wrong
