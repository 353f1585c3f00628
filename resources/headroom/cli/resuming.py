# SPDX-License-Identifier: Apache-2.0
"""What `--resume` may stand beside: a run that goes on does what it was asked for, and nothing on the command line
changes that. Said again it does no harm; contradicted it is refused, rather than passed over in silence.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import typer

from headroom.core.errors import UsageError

if TYPE_CHECKING:
    from headroom.cli.run import RunOptions
    from headroom.core.run.session import Plan

NAMES = {"case": "--case", "tag": "--tag", "exclude": "--exclude", "suites": "the suite", "paper": "the paper"}


def said(context: typer.Context) -> set[str]:
    """Parameters that stand on the command line, as opposed to those that have their default."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"}


def refuse_contradictions(asked: RunOptions, words: Collection[str], plan: Plan) -> None:
    """Raises UsageError where one of `words`, parameters of the command line, asks for another run than `plan`."""
    for name in words:
        wanted, kept = _of_command_line(asked, name), _of_plan(plan, name)
        if wanted is not None and wanted != kept:
            option = NAMES.get(name, f"--{name}")
            raise UsageError(
                f"--resume goes on with the run {plan.folder.name} as it was asked for: {option} was {_shown(kept)} "
                f"there, and {_shown(wanted)} cannot change it. Leave it out, or begin a new run without --resume."
            )


def _of_command_line(asked: RunOptions, name: str) -> Any:
    """What a parameter asks for, as `_of_plan` has it; None for those that say nothing of what is measured."""
    from headroom.core.machine import build
    from headroom.core.run.selection import requirement_tags
    from headroom.core.settings import split_names

    if name in ("suites", "paper"):
        suites, tags = requirement_tags(asked.suites)
        return [suites or ["conformance"], tags]
    if name in ("case", "tag", "exclude"):
        return sorted({"case": asked.cases, "tag": asked.tags, "exclude": asked.excluded}[name] or [])
    if name == "builds":
        return list(build.MEASURED if asked.builds == "all" else split_names(asked.builds))
    if name == "cpus":
        return list(split_names(asked.cpus))
    return getattr(asked, name, None)


def _of_plan(plan: Plan, name: str) -> Any:
    # A requirement among the suites has become three tags: see `selection.requirement_tags`.
    whole = [tag for tag in plan.tags if f"{tag}-*" in plan.tags and f"{tag}.*" in plan.tags]
    by_requirement = [f"{tag}{rest}" for tag in whole for rest in ("", "-*", ".*")]
    if name in ("suites", "paper"):
        return [plan.suites, by_requirement]
    if name in ("case", "exclude"):
        return sorted({"case": plan.cases, "exclude": plan.excluded}[name])
    if name == "tag":
        return sorted(set(plan.tags) - set(by_requirement))
    found = getattr(plan.settings, name, None)
    return list(found) if isinstance(found, tuple) else found


def _shown(value: Any) -> str:
    if value is None:
        return "not said"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        flat = [str(one) for part in value for one in (part if isinstance(part, list) else [part])]
        return ", ".join(flat) or "not said"
    return str(value)
