# SPDX-License-Identifier: Apache-2.0
"""`./headroom run --dry-run`: what would run, where, and every command that it would give to other machines."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headroom.cli import console

if TYPE_CHECKING:
    from headroom.running.selection import Case
    from headroom.running.session import Plan


def show(plan: Plan, json: bool) -> int:
    """Prints the plan. Cases that do not go over the interfaces of the topology are counted and not listed."""
    from headroom.machine import topology
    from headroom.running.selection import cases, suite_files
    from headroom.wire import choice

    found = [case for case in cases(suite_files(plan.suites)) if _chosen(plan, case)]
    there = over_interfaces(found, plan.settings.topology)
    here = topology.configurations(topology.read())
    document = {
        "suites": plan.suites,
        "cases": [case.id for case in found],
        "over_interfaces": [case.id for case in there],
        "settings": plan.settings.as_json(),
        "cpus": {c.name: list(c.cpus) if c.available else c.reason for c in here},
        "commands": choice.plan(plan.settings),
    }
    if json:
        console.print_json(document)
        return 0
    for name, value in document["settings"].items():
        if value == "":
            continue  # such as the subject of a run that is about both sides
        console.say(
            f"{name}: {', '.join(value) if isinstance(value, list) else value}"
            if value not in ([], None)
            else f"{name}: as the suites say"
        )
    for line in choice.plan(plan.settings):
        console.say(line)
    if plan.settings.topology == "process":
        console.say(f"{len(found)} cases would run:")
        there = found
    else:
        console.say(f"{len(there)} cases would run over {plan.settings.topology}:")
    for case in there:
        print(case.id)
    if elsewhere := [case.suite for case in found if case not in there]:
        suites = ", ".join(dict.fromkeys(elsewhere))
        console.say(
            f"{len(elsewhere)} more would not touch it; they run on this machine alone, or are unsupported there: "
            f"{suites}."
        )
    return 0


def _chosen(plan: Plan, case: Case) -> bool:
    tags = [tag.lower() for tag in case.tags]

    def any_tag(patterns: Sequence[str]) -> bool:
        return any(fnmatch.fnmatch(tag, pattern.lower()) for tag in tags for pattern in patterns)

    return (
        (not plan.tags or any_tag(plan.tags))
        and not any_tag(plan.excluded)
        and (not plan.cases or any(fnmatch.fnmatch(case.name.lower(), name.lower()) for name in plan.cases))
        and (not plan.settings.cpus or not case.cpus or case.cpus in plan.settings.cpus)
    )


def over_interfaces(found: Sequence[Case], topology: str) -> list[Case]:
    """Those of some cases that need the interfaces of a topology; the link keeps a capture in namespaces only."""
    from headroom.keywords.calling import Calling
    from headroom.keywords.capturing import Capturing
    from headroom.keywords.forwarding import Forwarding

    if topology == "process":
        return []
    libraries: list[Any] = [Forwarding, Calling, *([Capturing] if topology == "netns" else [])]
    words = {
        str(word).lower()
        for library in libraries
        for member in vars(library).values()
        if (word := getattr(member, "robot_name", None))
    }
    return [case for case in found if words.intersection(case.words)]
