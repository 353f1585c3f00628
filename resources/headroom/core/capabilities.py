# SPDX-License-Identifier: Apache-2.0
"""Implementations before a case: their descriptions for jobs and records, and the reasons why a case does not apply."""

from functools import cache
from typing import Any

from headroom.core import implementations
from headroom.core.contract import Scheme
from headroom.core.errors import HeadroomError
from headroom.core.implementations import Implementation, Role
from headroom.core.text import nth

# Seconds for a replay of conformance or robustness, which takes one at most; after that an adapter counts as hung.
PATIENCE_S = 20.0


class NotDeclared(HeadroomError):
    """Raised if the implementation does not declare what a case needs: the case is unsupported. The message says what
    is missing.
    """

    verdict = "unsupported"


class Misbehaviour(HeadroomError):
    """Raised if an adapter broke a promise of the ABI, so that there is no verdict on the protocol: an error."""

    verdict = "error"

    def __init__(self, sentence: str, side: str = "") -> None:
        """`side` is the adapter's, if it is known."""
        super().__init__(sentence)
        self.side = side


class Inconclusive(HeadroomError):
    """Raised if the observations do not suffice for a verdict on the implementation: an error, never a failure."""

    verdict = "error"


def require(implementation: Implementation, role: Role, scheme: Scheme, build: str, **needed: Any) -> None:
    """Raises NotDeclared unless an implementation declares what a case needs, Misbehaviour if it does but its adapter's
    description does not. `needed` is as for `Implementation.lacks`.
    """
    if reason := implementation.lacks(role, scheme.name, **needed):
        raise NotDeclared(f"{reason}.")  # the sentence begins with a name, whose case stays
    if reason := implementations.untrue(implementation, role, scheme, build, **needed):
        raise Misbehaviour(reason)


def adapter(
    implementation: Implementation, build: str, config: dict[str, Any], options: dict[str, Any] | None = None
) -> dict[str, Any]:
    """A side of a job: library and configuration. `options` override those of implementation.yaml."""
    config = {**implementation.config, **config}
    if options:
        config["options"] = {**config.get("options", {}), **options}
    return {"library": str(implementation.library_path(build)), "config": config}


@cache
def identity(implementation: Implementation, build: str) -> dict[str, Any]:
    """Name, version, build and digest for result records. They are read once, because an adapter does not change during
    a run.
    """
    return implementations.identity(implementation, build)


def declared_deviations(implementation: Implementation, role: Role) -> frozenset[str]:
    """The requirements from which an implementation declares to deviate in a role."""
    return frozenset(
        deviation.requirement
        for deviation in implementation.deviations
        if deviation.requirement and deviation.is_about(role)
    )


def promise(document: dict[str, Any]) -> None:
    """Raises Misbehaviour if the engine's document reports that an adapter broke a promise of the ABI."""
    broken = document.get("promise_broken")
    if broken:
        where = "" if broken.get("packet") is None else f", {nth('packet', broken['packet'])}"
        raise Misbehaviour(
            f"The {broken['side']} broke a promise of the ABI in {broken['function']}{where}: {broken['message']} "
            "See `./headroom check`.",
            broken["side"],
        )
