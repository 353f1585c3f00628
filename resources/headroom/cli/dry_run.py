# SPDX-License-Identifier: Apache-2.0
"""`./headroom run --dry-run`: the cases that would run, and every command that would be sent to other machines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from headroom.core import console
from headroom.core.errors import UsageError

if TYPE_CHECKING:
    from headroom.core.run.dry_run import Foreseen
    from headroom.core.run.selection import Case
    from headroom.core.run.session import Plan

NO_CASE = "No case matched; nothing was run. `./headroom list suites --cases` names them all."
NONE_EXERCISES = "No case exercises the subject of this run, so no case would count. Name both sides to see every case."
MOST_NAMED = 20  # cases that are left out; of more, their suites are named
MANY = 100  # cases; checking more of them takes a while


def no_case(plan: Plan) -> str:
    """A sentence for a plan without cases."""
    from headroom.core.run.selection import why_untested

    reasons = why_untested(plan.tags)
    return f"The selection has no cases; nothing was run. {' '.join(reasons)}" if reasons else NO_CASE


def show(plan: Plan, json: bool) -> int:
    """Prints the plan: the cases that would run, the cases that would not count or would be unsupported, with the
    reason, and the cases that do not use the interfaces of the topology.

    Raises UsageError if no case would run at all.
    """
    from headroom.core.machine import topology
    from headroom.core.run.session import chosen_of
    from headroom.testbed import choice

    chosen = chosen_of(plan)
    if not chosen:
        raise UsageError(no_case(plan))
    foreseen = _foreseen(plan, chosen)
    expected = [case for case in chosen if case.id not in foreseen.left_out and case.id not in foreseen.unsupported]
    there = over_interfaces(expected, plan.settings.topology)
    if len(foreseen.left_out) == len(chosen):
        raise UsageError(NONE_EXERCISES)
    here = topology.configurations(topology.read())
    document = {
        "suites": plan.suites,
        "cases": [case.id for case in expected],
        "over_interfaces": [case.id for case in there],
        "left_out": foreseen.left_out,
        "unsupported": foreseen.unsupported,
        "settings": plan.settings.as_json(),
        "cpus": {c.name: list(c.cpus) if c.is_available else c.reason for c in here},
        "commands": choice.plan(plan.settings),
    }
    if json:
        console.print_json(document)
        return 0
    for name, value in document["settings"].items():
        if value == "" or value is False:
            continue  # such as a run that is about both sides
        console.say(
            f"{name}: {', '.join(value) if isinstance(value, list) else value}"
            if value not in ([], None)
            else f"{name}: as listed in the suites"
        )
    for line in choice.plan(plan.settings):
        console.say(line)
    if plan.settings.topology == "process":
        console.say(f"{_count(expected)} would run:")
        there = expected
    else:
        console.say(f"{_count(there)} would run over {plan.settings.topology}:")
    for case in there:
        print(case.id)
    if elsewhere := [case.suite for case in expected if case not in there]:
        suites = ", ".join(dict.fromkeys(elsewhere))
        console.say(
            f"{len(elsewhere)} more do not use its interfaces; they run on this machine alone, or are unsupported "
            f"there: {suites}."
        )
    _say_what_is_foreseen(plan, foreseen, chosen)
    return 0


def _foreseen(plan: Plan, chosen: Sequence[Case]) -> Foreseen:
    """The cases that the run would leave out or that would be unsupported. They are not looked for if both sides are
    the reference, to which every case applies.
    """
    from headroom.core.run.dry_run import Foreseen, foresee
    from headroom.core.settings import Settings

    settings, plain = plan.settings, Settings()
    if not settings.subject and (settings.compressor, settings.decompressor) == (plain.compressor, plain.decompressor):
        return Foreseen()
    there = over_interfaces(chosen, settings.topology)
    here = [case.id for case in chosen if case not in there]
    if len(here) > MANY:
        console.say(f"Checking what {len(here)} cases need, without running them …")
    return foresee(plan, here)


def _say_what_is_foreseen(plan: Plan, foreseen: Foreseen, chosen: Sequence[Case]) -> None:
    """Prints the cases that the run would leave out, and those that would be unsupported, by reason."""
    if foreseen.left_out:
        name = getattr(plan.settings, plan.settings.subject)
        many = "does not exercise it and is" if len(foreseen.left_out) == 1 else "do not exercise it and are"
        console.say(f"The run is about {name} as {plan.settings.subject}: {_count(foreseen.left_out)} {many} left out:")
        if len(foreseen.left_out) > MOST_NAMED:
            _say_suites(foreseen.left_out, chosen)
        else:
            _say_cases(foreseen.left_out)
    for reason in dict.fromkeys(foreseen.unsupported.values()):
        cases = [case for case, why in foreseen.unsupported.items() if why == reason]
        console.say(f"{_count(cases)} would be unsupported: {reason}")
        _say_cases(cases)


def _say_cases(identities: Sequence[str]) -> None:
    for identity in identities:
        console.say(f"  {identity}")


def _say_suites(identities: Sequence[str], chosen: Sequence[Case]) -> None:
    left_out = set(identities)
    by_suite = Counter(case.suite for case in chosen if case.id in left_out)
    for suite, count in by_suite.items():
        console.say(f"  {suite}: {count}")
    console.say("--json names each of them.")


def _count(cases: Sequence[Any]) -> str:
    return "1 case" if len(cases) == 1 else f"{len(cases)} cases"


def over_interfaces(cases: Sequence[Case], topology: str) -> list[Case]:
    """The cases whose keywords need the interfaces of a topology."""
    if topology == "process":
        return []
    words = {
        str(word).lower()
        for library in _interface_libraries()
        if topology in getattr(library, "topologies", (topology,))
        for member in vars(library).values()
        if (word := getattr(member, "robot_name", None))
    }
    return [case for case in cases if words.intersection(case.words)]


def _interface_libraries() -> list[type]:
    """The keyword libraries for interfaces. A library with `topologies` works only over these."""
    from headroom.core.run.selection import INTERFACE_KEYWORDS

    files = INTERFACE_KEYWORDS.parent.glob(f"*{INTERFACE_KEYWORDS.name}")
    texts = [path.read_text(encoding="utf-8") for path in files]
    names = [pair for text in texts for pair in re.findall(r"^Library\s+(\S+)\.(\w+)", text, re.MULTILINE)]
    return [getattr(import_module(module), name) for module, name in names]
