# SPDX-License-Identifier: Apache-2.0
"""Keywords about hostile bytecode: one attack and its cost, and a source that attacks among others.

`conformance.hostile_messages` decides. The endpoint under test is the one that `--decompressor` names.
"""

from typing import Any

from robot.api.deco import keyword

from headroom.core.errors import UsageError
from headroom.core.results import collector
from headroom.keywords import cases
from headroom.keywords.base import library
from headroom.schemes.sigcomp import metrics
from headroom.schemes.sigcomp.conformance import endpoint_cases, endpoint_engine, hostile_floods, hostile_messages
from headroom.schemes.sigcomp.conformance.endpoint_engine import EndpointUnderTest
from headroom.schemes.sigcomp.conformance.hostile_messages import GROUP, GUARD, MANY, OFF, Cost
from headroom.schemes.sigcomp.judge.endpoint import Offer
from headroom.schemes.sigcomp.keywords.endpoints import about

REPEATS = 5  # of a row of attacks that is timed
# ALLOWANCES configure a guard under test: each pays for an attack several times over, and recovers within an hour.
ALLOWANCES: dict[str, dict[str, Any]] = {
    "work": {"work": {"per_second": 1000, "burst": 20000}},
    "failures": {"failures": {"per_minute": 6, "burst": 10}},
    "strangers": {"strangers": {"per_second": 1000, "burst": 20000}},
}


@library
class HostileBytecodeKeywords:
    """Attacks are the cases of resources/vectors/sigcomp/cases/hostile.yaml, by name."""

    @keyword("Attack Should Fail Within Bounds")
    def within_bounds(self, name: str, seen_through: str = "no") -> None:
        """Each message fails with the reason that the case says, within its UDVM cycles, leaves nothing in memory, and
        takes less of a processor than those of the thesis did. With a guard that is off it fails as the judge does,
        instruction and address included; with it on, there, too, and within a budget of work (which may end it
        elsewhere, before its cycles do). SEEN THROUGH: `yes` where the guard must prove that it never ends."""
        if seen_through not in ("yes", "no"):
            raise UsageError(f"seen_through is yes or no, not '{seen_through}'.")
        case = endpoint_cases.case(GROUP, name)
        endpoint = _endpoint(case.offer, case.compartments)
        current = collector.current()
        current.parameters |= {"kind": "attack", "case": name, "shows": case.title}
        once = hostile_messages.cost(case, endpoint)
        often = hostile_messages.cost(case, endpoint, MANY)
        wrong = hostile_messages.faults(case, once, exactly=False)
        wrong += hostile_messages.grows(once, often) + hostile_messages.takes_too_long(often)
        current.metric(metrics.UDVM_CYCLES, once.seen[0].cycles if once.seen else None)
        if hostile_messages.has_guard(endpoint):
            _must_tell(endpoint, once)
            off = hostile_messages.cost(case, hostile_messages.guarded(endpoint, OFF))
            wrong += [f"guard off: {what}" for what in hostile_messages.faults(case, off, exactly=True)]
            wrong += hostile_messages.elsewhere(once, off, seen_through == "yes")
            wrong += hostile_messages.costs_too_much(case, once, seen_through == "yes")
            current.metric(metrics.WORK, once.work)
            current.metric(metrics.WORK_WITHOUT_GUARD, off.work)
        cases.must_be_empty(wrong, case.title)

    @keyword("Flood Should Leave Nothing Behind")
    def flooded(self, kind: str) -> None:
        """Sixty messages, KIND of them, each of which an endpoint may be sent (`conformance.hostile_floods`):
        what comes of each is right, the later half of them leaves nothing in memory, and what others have stored, and
        the endpoint's own compressor, are as before."""
        if kind not in hostile_floods.FLOODS:
            raise UsageError(f"Floods are {', '.join(hostile_floods.FLOODS)}, not '{kind}'.")
        endpoint = _endpoint(Offer(), hostile_floods.ATTACKERS + 1)
        flood = hostile_floods.FLOODS[kind](Offer())
        if flood.compressed is not None:
            endpoint_engine.require(endpoint, ["compression"])
        current = collector.current()
        current.parameters |= {"kind": "flood", "flood": kind, "messages": len(flood.flooded)}
        outcomes, cost = hostile_floods.pour(flood, endpoint)
        current.metric(metrics.MEMORY_BYTES, cost.memory)
        cases.must_be_empty(hostile_floods.faults(flood, outcomes, cost), f"Flood of {kind}")

    @keyword("Source Should Be Refused Beyond Its Allowance")
    def refused(self, allowance: str, attack: str) -> None:
        """Forty attacks of one compartment within a second of virtual time, a harmless message of another after each:
        the first attack runs, some are refused and counted under ALLOWANCE, all the others' messages come out, and an
        hour later the source is heard again."""
        if allowance not in ALLOWANCES:
            raise UsageError(f"Allowances are {', '.join(ALLOWANCES)}, not '{allowance}'.")
        endpoint = _endpoint(Offer(), 2)
        case = endpoint_cases.case(GROUP, attack)
        endpoint_engine.require(endpoint, [GUARD])
        _must_tell(endpoint, hostile_messages.cost(case, endpoint))
        guarded = hostile_messages.guarded(endpoint, ALLOWANCES[allowance])
        siege = hostile_messages.siege(guarded, case.steps[0].octets)
        current = collector.current()
        current.parameters |= {"kind": "siege", "case": attack, "allowance": ALLOWANCES[allowance]}
        current.metric(metrics.ATTACKS, len(siege.attacks))
        current.metric(metrics.MESSAGES_REFUSED, siege.attacks.count(hostile_messages.REFUSED))
        current.metric(metrics.OTHERS_DELIVERED, siege.others.count("OK"))
        cases.must_be_empty(hostile_messages.siege_faults(siege, allowance), case.title)

    @keyword("Messages That Fill One Core Should Be Measured")
    def measured(self, attack: str) -> None:
        """Measures how many of these messages a second one core decompresses: with the endpoint's default
        configuration, and with the guard off if it has one. The result is the median of the calls, a figure of this
        machine, and no verdict depends on it."""
        case = endpoint_cases.case(GROUP, attack)
        endpoint = _endpoint(case.offer, case.compartments)
        current = collector.current()
        current.parameters |= {"kind": "attack", "case": attack, "shows": case.title, "repeats": REPEATS}
        once = hostile_messages.cost(case, endpoint)
        cases.must_be_empty(hostile_messages.faults(case, once, exactly=False), case.title)
        now = hostile_messages.time_of(case, endpoint, REPEATS)
        current.metric(metrics.MESSAGES_PER_SECOND, 1e9 / now)
        if hostile_messages.has_guard(endpoint):
            before = hostile_messages.time_of(case, hostile_messages.guarded(endpoint, OFF), REPEATS)
            current.metric(metrics.MESSAGES_PER_SECOND_WITHOUT_GUARD, 1e9 / before)
            current.metric(metrics.GAIN, before / now)


def _endpoint(offer: Offer | None, compartments: int) -> EndpointUnderTest:
    case = about("decompressor")
    endpoint = EndpointUnderTest(case.found, offer, compartments=compartments, build=case.run.build)
    endpoint_engine.require(endpoint)
    return endpoint


def _must_tell(endpoint: EndpointUnderTest, cost: Cost) -> None:
    if cost.untold:
        raise AssertionError(
            f"{endpoint.name} declares the feature {GUARD}, but its statistics do not tell {', '.join(cost.untold)}."
        )
