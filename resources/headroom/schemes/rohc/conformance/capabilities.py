# SPDX-License-Identifier: Apache-2.0
"""Capabilities that cases of ROHC require: channels, features, profiles."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headroom.core import capabilities
from headroom.core.implementations import Implementation, Role
from headroom.core.replay import ReplayConfig
from headroom.core.scheme_registry import find
from headroom.schemes.rohc import NAME
from headroom.schemes.rohc.judge.tcp.chains import Context as TcpContext
from headroom.schemes.rohc.judge.tcp.headers import IP
from headroom.schemes.rohc.judge.v1.context import Context
from headroom.schemes.rohc.judge.v1.profiles import PROFILES

MOST_CONTEXTS = 1 << 20  # of one instance, over all its channels


def require(
    implementation: Implementation,
    role: Role,
    channel: dict[str, Any],
    build: str,
    feature: str | None = None,
    feedback: str = "none",
) -> None:
    """Raises NotDeclared if the implementation does not declare what a channel needs, Misbehaviour if it does but its
    adapter's description does not.

    `channel` is a configuration as in implementations/README.md; `feedback` is the path of feedback.
    """
    needs = needs_of(channel)
    if channel.get("channels", 1) > 1:
        needs["max_channels"] = channel["channels"]
    if feature:
        needs["features"] = [feature]
    if feedback != "none":
        needs["feedback"] = [feedback]
    capabilities.require(implementation, role, find(NAME), build, **needs)


def needs_of(channel: Mapping[str, Any]) -> dict[str, Any]:
    """The capabilities that a channel needs, except the number of channels."""
    needs = {"modes": [channel.get("mode", "U")], "cids": [channel.get("cids", "small")]}
    if "profiles" in channel:
        needs["profiles"] = channel["profiles"]
    return needs | ({"max_cid": channel["max_cid"]} if channel.get("max_cid") else {})


def is_declared(implementation: Implementation, feature: str) -> bool:
    """True if an implementation declares a feature, given by the judge's name for it."""
    declared = implementation.declared(NAME)
    if feature == "r-mode":
        return "R" in declared.get("modes", ())
    if feature.startswith("profile-"):
        return feature.removeprefix("profile-") in declared.get("profiles", ())
    return feature in declared.get("features", ())


def options_for(implementation: Implementation, role: Role, feature: str | None) -> dict[str, Any]:
    """`options` that turn a declared feature on; {} for none."""
    return implementation.options_for(feature, role, NAME) if feature else {}


def turn_on(config: ReplayConfig, features: Iterable[str]) -> None:
    """Turns features on at both ends. Raises NotDeclared if one of them does not declare one."""
    for feature, (role, implementation) in itertools.product(features, config.sides):
        require(implementation, role, {}, config.build, feature)
        options = getattr(config, f"{role}_options")
        options.update(options_for(implementation, role, feature) | options)


def require_what_is_sent(implementation: Implementation, contexts: Iterable[Context | TcpContext]) -> None:
    """Raises NotDeclared if the compressor's packets need a feature that the decompressor does not declare. Only the
    packets show which headers a compressor puts into a context."""
    for feature in dict.fromkeys(feature for context in contexts for feature in _features(context)):
        if not is_declared(implementation, feature):
            raise capabilities.NotDeclared(
                f"The compressor's packets need the feature {feature}, which {implementation.name} does not declare as "
                "a decompressor."
            )


def _features(context: Context | TcpContext) -> Iterator[str]:
    if isinstance(context, TcpContext):
        if not {header.method for header in context.headers} <= {*IP, "tcp"}:
            yield "extension-headers"
        return
    if len(context.ips) > 2:
        yield "additional-ip-headers"
    if any(ip.headers.entries for ip in context.ips):
        yield "extension-headers"
    if context.csrcs.entries:
        yield "list-compression"


def profiles_of(implementation: Implementation) -> list[str]:
    """Profiles that an implementation declares."""
    return list(implementation.declared(NAME).get("profiles", ()))


def channels_of(implementation: Implementation, channel: dict[str, Any], most: int = 256) -> int:
    """The number of channels that one instance may have, as declared; at most `most`, and no more than memory holds
    even if an adapter allocates all contexts in advance."""
    declared = int(implementation.declared(NAME).get("max_channels", 1))
    return max(1, min(declared, most, MOST_CONTEXTS // (int(channel.get("max_cid", 15)) + 1)))


def adapter(
    implementation: Implementation, channel: dict[str, Any], build: str, options: dict[str, Any] | None = None
) -> dict[str, Any]:
    """One side of a job: library and configuration."""
    return capabilities.adapter(implementation, build, {"scheme": NAME, **channel}, options)


def agree_on_profiles(config: ReplayConfig) -> None:
    """Sets PROFILES of the channel to the profiles that both sides declare, unless the case names them."""
    config.profiles_named = "profiles" in config.channel
    config.channel.setdefault("profiles", common_profiles(config.compressor, config.decompressor))


def common_profiles(*ends: Implementation | None) -> list[str]:
    """PROFILES of a channel: those that the judge knows and that both ends declare."""
    results = [f"0x{number:04x}" for number in sorted(PROFILES)]
    for end in filter(None, ends):
        results = [profile for profile in results if profile in profiles_of(end)]
    return results
