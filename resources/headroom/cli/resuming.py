# SPDX-License-Identifier: Apache-2.0
"""Checks of options beside `--resume`: a resumed run keeps its options. Repeating an option does no harm; a different
value is an error rather than ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headroom.cli.run_options import RunOptions
from headroom.core.errors import UsageError
from headroom.core.options import flag
from headroom.core.settings import options

if TYPE_CHECKING:
    from headroom.core.run.session import Plan


def refuse_contradictions(given: RunOptions, plan: Plan) -> None:
    """Raises UsageError if an option of the command line asks for another run than `plan`."""
    from headroom.core.run.selection import requirement_tags

    # A requirement among the suites was replaced by three tags: see `selection.requirement_tags`.
    whole = [tag for tag in plan.tags if f"{tag}-*" in plan.tags and f"{tag}.*" in plan.tags]
    by_requirement = [f"{tag}{rest}" for tag in whole for rest in ("", "-*", ".*")]
    if given.suites:
        suites, tags = requirement_tags(given.suites)
        what = "the paper" if given.paper else "the suite"
        _must_agree(what, [suites or ["conformance"], tags], [plan.suites, by_requirement], plan)
    lists = {"case": plan.cases, "tag": set(plan.tags) - set(by_requirement), "exclude": plan.excluded}
    for name, value in given.values.items():
        if name in lists:
            _must_agree(flag(name), sorted(value), sorted(lists[name]), plan)
        elif name in options():
            _must_agree(flag(name), options()[name].value(value), plan.settings.get(name), plan)


def _must_agree(what: str, value: Any, kept: Any, plan: Plan) -> None:
    if value != kept:
        raise UsageError(
            f"--resume continues the run {plan.folder.name} with its own options: {what} was {_shown(kept)} in that "
            f"run, and cannot become {_shown(value)}. Leave it out, or begin a new run without --resume."
        )


def _shown(value: Any) -> str:
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        flat = [str(item) for part in value for item in (part if isinstance(part, list) else [part])]
        return ", ".join(flat) or "not given"
    return str(value)
