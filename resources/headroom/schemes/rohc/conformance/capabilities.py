# SPDX-License-Identifier: Apache-2.0
"""Who is asked: adapters as jobs need them, and why a case is not for an implementation."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from functools import cache
from typing import Any

from headroom.core import implementations, settings
from headroom.core.errors import HeadroomError
from headroom.core.implementations import Role
from headroom.core.replay import ReplayConfig
from headroom.schemes.rohc.judge.profiles import PROFILES
from headroom.schemes.rohc.scheme import SCHEME

FEEDBACK_BEFORE_PACKETS = ("piggybacked", "interspersed")
MOST_CONTEXTS = 1 << 20  # of one instance, over all its channels
PATIENCE_S = 20.0  # for a replay of conformance or robustness, which takes a second at most: then an adapter hangs


class NotDeclared(HeadroomError):
    """The implementation does not declare what a case is about: the case is unsupported. The message says what."""

    verdict = "unsupported"


class Misbehaviour(HeadroomError):
    """An adapter broke a promise of the ABI, so that nothing can be said about the protocol: an error."""

    verdict = "error"


class Inconclusive(HeadroomError):
    """What was seen does not suffice for a verdict on the implementation: an error, never a failure."""

    verdict = "error"


def require(name: str, role: Role, channel: dict[str, Any], feature: str | None = None, feedback: str = "none") -> None:
    """Raises NotDeclared unless the implementation declares what a channel asks of it, Misbehaviour when it does and
    its adapter says otherwise.

    `channel` is a configuration as in implementations/README.md; `feedback` the path that feedback takes.
    """
    asked: dict[str, Any] = {"modes": [channel.get("mode", "U")], "cids": [channel.get("cids", "small")]}
    if "profiles" in channel:
        asked["profiles"] = channel["profiles"]
    if channel.get("max_cid"):
        asked["max_cid"] = channel["max_cid"]
    if channel.get("channels", 1) > 1:
        asked["max_channels"] = channel["channels"]
    if feature:
        asked["features"] = [feature]
    if feedback != "none":
        asked["feedback"] = [feedback]
    found = implementations.find(name)
    if reason := found.lacks(role, SCHEME.name, **asked):
        raise NotDeclared(f"{reason}.")  # it begins with a name, which stays as it is written
    if reason := implementations.untrue(found, role, SCHEME, settings.from_robot().build, **asked):
        raise Misbehaviour(reason)


def called(name: str) -> str:
    """What sentences call an implementation: its name, also where it was given as the path of its folder."""
    return name.rstrip("/").rpartition("/")[2]


def declares(name: str, feature: str) -> bool:
    """Whether an implementation declares a feature by the word that the judge has for it."""
    found = next((entry for entry in implementations.find(name).capabilities if entry["scheme"] == "rohc"), {})
    if feature == "r-mode":
        return "R" in found.get("modes", ())
    if feature.startswith("profile-"):
        return feature.removeprefix("profile-") in found.get("profiles", ())
    return feature in found.get("features", ())


def options_for(name: str, role: Role, feature: str | None) -> dict[str, Any]:
    """`options` that turn a declared feature on; {} for none."""
    return implementations.find(name).options_for(feature, role, SCHEME.name) if feature else {}


def turn_on(wanted: ReplayConfig, features: Iterable[str]) -> None:
    """Turns features on at both ends. Raises NotDeclared where one of those asked does not declare one."""
    asked: tuple[tuple[str | None, Role, dict[str, Any]], ...] = (
        (wanted.compressor, "compressor", wanted.compressor_options),
        (wanted.decompressor, "decompressor", wanted.decompressor_options),
    )
    for feature, (name, role, options) in itertools.product(features, asked):
        if name is not None:
            require(name, role, {}, feature)
            options.update(options_for(name, role, feature) | options)


def profiles_of(name: str) -> list[str]:
    """Profiles that an implementation declares."""
    found = next((entry for entry in implementations.find(name).capabilities if entry["scheme"] == "rohc"), {})
    return list(found.get("profiles", ()))


def channels_of(name: str, channel: dict[str, Any], most: int = 256) -> int:
    """How many channels of a kind one instance may have, as declared; at most `most`, and no more than it should find
    the memory for, whatever it sets aside for a context."""
    found = next((entry for entry in implementations.find(name).capabilities if entry["scheme"] == "rohc"), {})
    return max(1, min(int(found.get("max_channels", 1)), most, MOST_CONTEXTS // (int(channel.get("max_cid", 15)) + 1)))


def adapter(
    name: str, role: Role, channel: dict[str, Any], build: str, options: dict[str, Any] | None = None
) -> dict[str, Any]:
    """One side of a job: library and configuration."""
    found = implementations.find(name)
    config = {**found.config, "scheme": "rohc", **channel}
    if options:
        config["options"] = {**config.get("options", {}), **options}
    return {"library": str(found.library_path(build)), "config": config}


@cache
def identity(name: str, build: str) -> dict[str, Any]:
    """Name, version, build and digest for result records; asked once, for an adapter does not change during a run."""
    return implementations.identity(implementations.find(name), build)


def declared_deviations(name: str, role: Role) -> frozenset[str]:
    """Requirements from which an implementation says that it deviates in a role."""
    return frozenset(
        one.requirement for one in implementations.find(name).deviations if one.requirement and role in one.roles
    )


def promise(document: dict[str, Any]) -> None:
    """Raises Misbehaviour when the engine's document says that an adapter broke a promise of the ABI."""
    broken = document.get("promise_broken")
    if broken:
        where = "" if broken.get("packet") is None else f", packet {broken['packet']}"
        raise Misbehaviour(
            f"The {broken['side']} broke a promise of the ABI in {broken['function']}{where}: {broken['message']} "
            "See `headroom-engine check`."
        )


def agree_on_profiles(wanted: ReplayConfig) -> None:
    """Sets PROFILES of the channel to what both sides declare, unless the case says what they are."""
    wanted.profiles_asked = "profiles" in wanted.channel
    wanted.channel.setdefault("profiles", common_profiles(wanted.compressor, wanted.decompressor))


def common_profiles(*names: str | None) -> list[str]:
    """PROFILES of a channel: those that the judge knows and that everybody on it declares."""
    found = [f"0x{number:04x}" for number in sorted(PROFILES)]
    for name in filter(None, names):
        entry = next((one for one in implementations.find(name).capabilities if one["scheme"] == "rohc"), {})
        found = [profile for profile in found if profile in entry.get("profiles", ())]
    return found
