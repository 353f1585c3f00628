# SPDX-License-Identifier: Apache-2.0
"""Implementations before a case: as jobs and records have them, and why a case is not for one."""

from functools import cache
from typing import Any

from headroom.core import implementations
from headroom.core.contract import Scheme
from headroom.core.errors import HeadroomError
from headroom.core.implementations import Implementation, Role
from headroom.core.text import nth

PATIENCE_S = 20.0  # for a replay of conformance or robustness, which takes a second at most: then an adapter hangs


class NotDeclared(HeadroomError):
    """The implementation does not declare what a case is about: the case is unsupported. The message says what."""

    verdict = "unsupported"


class Misbehaviour(HeadroomError):
    """An adapter broke a promise of the ABI, so that there is no verdict on the protocol: an error."""

    verdict = "error"


class Inconclusive(HeadroomError):
    """The observations do not suffice for a verdict on the implementation: an error, never a failure."""

    verdict = "error"


def require(found: Implementation, role: Role, scheme: Scheme, build: str, **needed: Any) -> None:
    """Raises NotDeclared unless an implementation declares what a case needs, Misbehaviour when it does and its adapter
    says otherwise. `needed` is as for `Implementation.lacks`."""
    if reason := found.lacks(role, scheme.name, **needed):
        raise NotDeclared(f"{reason}.")  # it begins with a name, which stays as it is written
    if reason := implementations.untrue(found, role, scheme, build, **needed):
        raise Misbehaviour(reason)


def adapter(
    found: Implementation, build: str, config: dict[str, Any], options: dict[str, Any] | None = None
) -> dict[str, Any]:
    """One side of a job: library and configuration, in which `options` go over those of implementation.yaml."""
    config = {**found.config, **config}
    if options:
        config["options"] = {**config.get("options", {}), **options}
    return {"library": str(found.library_path(build)), "config": config}


@cache
def identity(found: Implementation, build: str) -> dict[str, Any]:
    """Name, version, build and digest for result records; read once, for an adapter does not change during a run."""
    return implementations.identity(found, build)


def declared_deviations(found: Implementation, role: Role) -> frozenset[str]:
    """Requirements from which an implementation says that it deviates in a role."""
    return frozenset(one.requirement for one in found.deviations if one.requirement and one.concerns(role))


def promise(document: dict[str, Any]) -> None:
    """Raises Misbehaviour when the engine's document says that an adapter broke a promise of the ABI."""
    broken = document.get("promise_broken")
    if broken:
        where = "" if broken.get("packet") is None else f", {nth('packet', broken['packet'])}"
        raise Misbehaviour(
            f"The {broken['side']} broke a promise of the ABI in {broken['function']}{where}: {broken['message']} "
            "See `./headroom check`."
        )
