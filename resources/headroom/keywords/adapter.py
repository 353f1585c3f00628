# SPDX-License-Identifier: Apache-2.0
"""Keywords about adapters themselves: the promises of the ABI, and what implementation.yaml declares."""

from typing import Any

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core import capabilities, engine, implementations, metrics
from headroom.core.declarations import ABI
from headroom.core.finding import Finding
from headroom.core.results import collector
from headroom.core.scheme_registry import all_schemes
from headroom.core.text import some
from headroom.keywords.base import current_run, library


@library
class AdapterKeywords:
    """One adapter: `implementations/abi/headroom.h` says what it promises."""

    @keyword("Adapter Should Keep The Promises Of The ABI")
    def keeps_promises(self, implementation: str) -> None:
        """Every check of `headroom-engine check`, each in a process of its own.

        A check that the implementation declares to fail (requirement: ABI-<check>) must fail as long as it does.
        """
        build = current_run().build
        found = implementations.find(implementation)
        if reason := found.missing():
            raise SkipExecution(f"{reason}.")
        _note(found, build)
        library_path = str(found.library_path(build))
        documents = [
            engine.run("check", {"library": library_path, "config": config}, timeout_s=300, build=build)
            for config in _configs(found)
        ]
        checks = [check for document in documents for check in document["checks"]]
        current = collector.current()
        for verdict in ("pass", "fail", "unsupported"):
            count = sum(check["verdict"] == verdict for check in checks)
            current.metric(metrics.CHECKS(verdict=verdict), count)
        failed = [check for check in checks if check["verdict"] == "fail"]
        current.findings += [
            Finding(f"{check['name']}: {check['reason']}", judge="headroom-engine check", severity="must")
            for check in failed
        ]
        declared = {
            one.requirement.removeprefix(ABI): one.reason for one in found.deviations if one.requirement.startswith(ABI)
        }
        wrong = [f"{check['name']}: {check['reason']}" for check in failed if check["name"] not in declared]
        wrong += [
            f"{check['name']}: {found.name} declares to fail this check, but passes it: take the declaration away"
            for check in checks
            if check["name"] in declared and check["verdict"] == "pass" and check["name"] not in _names(failed)
        ]
        wrong += [
            f"{name}: {found.name} declares to fail this check, but there is no such check"
            for name in declared
            if name not in _names(checks)
        ]
        if wrong:
            raise AssertionError(some(wrong))
        if failed:
            sentences = [f"{check['name']}: {declared[check['name']]} Here: {check['reason']}" for check in failed]
            raise SkipExecution(f"Declared deviation of {found.name}: {some(sentences)}")
        for document in documents:
            if document["verdict"] != "pass":
                raise RuntimeError(f"No check failed, yet the engine's verdict is {document['verdict']}.")

    @keyword("Declaration Should Be What The Adapter Says")
    def declaration_matches(self, implementation: str) -> None:
        """Capabilities of implementation.yaml against the adapter's own description."""
        build = current_run().build
        found = implementations.find(implementation)
        _note(found, build)
        different = differences(found, implementations.describe(found, build))
        if different:
            raise AssertionError(some(different))


def differences(found: implementations.Implementation, described: dict[str, Any]) -> list[str]:
    """Differences between the declarations of an implementation and its adapter's description, in the capabilities that
    the description has to list (`Scheme.described`)."""
    result = [] if described.get("name") == found.name else [f"the adapter calls itself '{described.get('name')}'"]
    by_scheme = {entry["scheme"]: entry for entry in described.get("schemes", ())}
    for entry in found.capabilities:
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


def _configs(found: implementations.Implementation) -> list[dict[str, Any]]:
    """What to check it with: the scheme that it declares first, and those with endpoints: their checks are others."""
    first, *more = found.capabilities
    entries = [first, *(entry for entry in more if "endpoint" in entry["roles"])]
    return [{**found.config, "scheme": entry["scheme"]} for entry in entries]


def _names(checks: list[dict[str, Any]]) -> set[str]:
    return {check["name"] for check in checks}


def _note(found: implementations.Implementation, build: str) -> None:
    current = collector.current()
    current.parameters |= {"kind": "adapter", "implementation": found.name}
    current.compressor = current.decompressor = capabilities.identity(found, build)
