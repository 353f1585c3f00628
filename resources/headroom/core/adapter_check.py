# SPDX-License-Identifier: Apache-2.0
"""Checks of an adapter by itself: the promises of the ABI, and the declarations of implementation.yaml."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from headroom.core import engine, requirements
from headroom.core.declarations import ABI
from headroom.core.finding import Finding
from headroom.core.implementations import Implementation, describe
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.scheme_registry import all_schemes
from headroom.core.text import some

JUDGE = "headroom-engine check"
TIMEOUT_S = 300.0
NAMED = re.compile(r"\((RFC\d+-[\d.]+-\d+)\)")  # a requirement, as the engine writes it


@dataclass
class AdapterCheck:
    """The outcome of all checks of an adapter. `checks` are the engine's entries in order, for each scheme that was
    checked. `findings` are against the adapter, `declared` are findings of checks that it declares to fail.
    """

    checks: list[dict[str, Any]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    declared: list[Finding] = field(default_factory=list)


def check(implementation: Implementation, build: str = DEFAULT_BUILD) -> list[Finding]:
    """Findings against an adapter: broken promises of the ABI, declared deviations that do not exist, and differences
    between implementation.yaml and `describe`. Empty if it is sound. REQUIRES: `implementation.unusable(build)` is "".
    Raises EngineFailure if the engine itself fails.
    """
    return examine(implementation, build).findings


def examine(implementation: Implementation, build: str = DEFAULT_BUILD) -> AdapterCheck:
    """The findings of `check`, and the checks that passed."""
    failure = None
    try:
        result = promises(implementation, build)
    except engine.EngineFailure as wrong:
        if wrong.kind != "job":
            raise
        failure, result = wrong, AdapterCheck()  # to the engine, the job is wrong that names a scheme not described
    if not any(check["name"] == "describe" and check["verdict"] != "pass" for check in result.checks):
        result.findings += [
            Finding(f"implementation.yaml: {sentence}", judge=JUDGE, severity="must")
            for sentence in differences(implementation, describe(implementation, build))
        ]
    if failure and not result.findings:
        raise failure
    return result


def by_cause(findings: Sequence[Finding]) -> list[tuple[str, Finding]]:
    """The findings grouped by cause: the names of the checks that share the cause, as text, and the first finding. The
    cause is the complaint, whatever the check did meanwhile.
    """
    causes: dict[str, list[Finding]] = {}
    for finding in findings:
        causes.setdefault(finding.sentence.partition(": ")[2].partition(" while ")[0].rstrip("."), []).append(finding)
    return [(some([member.sentence.partition(": ")[0] for member in group], 4), group[0]) for group in causes.values()]


def promises(implementation: Implementation, build: str = DEFAULT_BUILD) -> AdapterCheck:
    """Runs the engine's checks, each in a process of its own. A check for which the implementation declares a deviation
    (requirement: ABI-<check>) must fail as long as the declaration exists.
    """
    library = str(implementation.library_path(build))
    result = AdapterCheck()
    for config in _configs(implementation):
        job = {"library": library, "config": config}
        result.checks += engine.run("check", job, timeout_s=TIMEOUT_S, build=build)["checks"]
    declared = {
        deviation.requirement.removeprefix(ABI): deviation.reason
        for deviation in implementation.deviations
        if deviation.requirement.startswith(ABI)
    }
    failed = [check for check in result.checks if check["verdict"] == "fail"]
    for entry_failed in failed:
        name, reason = entry_failed["name"], declared.get(entry_failed["name"])
        if reason is None:
            result.findings.append(_finding(name, entry_failed["reason"]))
        else:
            sentence = f"{name}: {reason} Here: {entry_failed['reason']}"
            result.declared.append(Finding(sentence, judge=JUDGE, severity="note"))
    for name in declared:
        verdicts = {check["verdict"] for check in result.checks if check["name"] == name}
        says = f"{implementation.name} declares to fail this check, but"
        if not verdicts:
            result.findings.append(_finding(name, f"{says} there is no such check"))
        elif "pass" in verdicts and "fail" not in verdicts:
            result.findings.append(_finding(name, f"{says} passes it: remove the declaration"))
    return result


def differences(implementation: Implementation, described: dict[str, Any]) -> list[str]:
    """Differences between the declarations of an implementation and its adapter's description, in the capabilities that
    the description has to list (`Scheme.described`).
    """
    result = (
        [] if described.get("name") == implementation.name else [f"the adapter calls itself '{described.get('name')}'"]
    )
    by_scheme = {entry["scheme"]: entry for entry in described.get("schemes", ())}
    for entry in implementation.capabilities:
        scheme = entry["scheme"]
        if scheme not in by_scheme:
            result.append(f"the adapter does not know the declared scheme {scheme}")
            continue
        for name in ("roles", *all_schemes()[scheme].described) if scheme in all_schemes() else ("roles",):
            declared, theirs = entry.get(name), by_scheme[scheme].get(name)
            if isinstance(declared, list):
                declared, theirs = sorted(declared), sorted(theirs or ())
            if declared is not None and declared != theirs:
                result.append(f"{scheme}: {name} is declared as {declared}, the adapter says {theirs}")
    return result


def _finding(name: str, sentence: str) -> Finding:
    """A finding on a check, against the requirement that the engine names in parentheses, if any."""
    named = NAMED.search(sentence)
    requirement = named[1] if named and named[1] in requirements.load() else ""
    return Finding(f"{name}: {sentence}", requirement, judge=JUDGE, severity="must")


def _configs(implementation: Implementation) -> list[dict[str, Any]]:
    """Configurations for the checks: one of the first declared scheme, and those of schemes with endpoints, which have
    other checks.
    """
    first, *more = implementation.capabilities
    entries = [first, *(entry for entry in more if "endpoint" in entry["roles"])]
    return [{**implementation.config, "scheme": entry["scheme"]} for entry in entries]
