# SPDX-License-Identifier: Apache-2.0
"""SigComp endpoints in jobs of the engine: their configurations.

The first of these sources that has a key of a configuration decides its value (implementations/README.md):

1. the case: a row of a suite, the method of a paper, an argument;
2. `adapter.config` of the implementation.yaml;
3. the implementation itself, whose adapter has a default for every key that is left out.

For `options`, the rule holds for each option separately. Options differ between implementations, and an implementation
refuses an unknown option; so a case checks them against the adapter's description: `fitting` leaves out unknown
options, and `unknown` names them.

    end = Endpoint(find("reference"), offer=GENEROUS, peer=GENEROUS, options={"mechanism": "dynamic"})
    job = conversation({"a": end, "b": end}, [{"from": "a", "compartment": 1, "text": "INVITE …"}])
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from headroom.core import implementations
from headroom.core.implementations import Implementation
from headroom.core.paths import DEFAULT_BUILD
from headroom.schemes.sigcomp.judge.endpoint import Offer

SCHEME = "sigcomp"
TRANSPORTS = ("udp", "tcp")
# What an endpoint offers and is known to offer (RFC 3320, 3.3.1; RFC 4077, 2.4), by the capability that limits it.
LIMITS = {
    "decompression_memory_size": "max_decompression_memory_size",
    "state_memory_size": "max_state_memory_size",
    "cycles_per_bit": "max_cycles_per_bit",
    "version": "version",
}
# What each may be: RFC 3320 3.3.1 and 9.4.9, RFC 4077 2.4.
VALUES = {
    "decompression_memory_size": (2048, 4096, 8192, 16384, 32768, 65536, 131072),
    "state_memory_size": (0, 2048, 4096, 8192, 16384, 32768, 65536, 131072),
    "cycles_per_bit": (16, 32, 64, 128),
    "version": (1, 2),
}
LEAST = {"state_memory_size": "min_state_memory_size", "version": "min_version"}
PEER = "peer"  # the feature: the configuration may announce a peer that offers other than the endpoint itself
# What dynamic compression needs of both sides, and what the thesis of J. Mäenpää (2005) gives them: octets.
GENEROUS = {"decompression_memory_size": 16384, "state_memory_size": 131072}


@dataclass(frozen=True)
class Endpoint:
    """The configuration of one endpoint in a case; all that it does not set is up to the implementation.

    `offer` is what the endpoint offers, with `dictionaries` and `compartments` if a case sets them; `peer` is what it
    knows about the other endpoint from the beginning. `options` must be options of the implementation.
    """

    implementation: Implementation
    transport: str = "udp"
    offer: Mapping[str, Any] = field(default_factory=dict)
    peer: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    build: str = DEFAULT_BUILD


def numbers(offer: Offer) -> dict[str, int]:
    """The judge's parameters as configurations have them."""
    return {key: getattr(offer, key) for key in LIMITS}


def configuration(end: Endpoint) -> dict[str, Any]:
    """The configuration for `create`."""
    declared = end.implementation.config
    config = {**declared, "scheme": SCHEME, "transport": end.transport, **end.offer}
    if end.peer:
        config["peer"] = {key: value for key, value in end.peer.items() if key in LIMITS}
    if end.seed is not None:
        config["seed"] = end.seed
    if options := {**declared.get("options", {}), **end.options}:
        config["options"] = options
    return config


def adapter(end: Endpoint) -> dict[str, Any]:
    """The endpoint as jobs have it. Raises UsageError if the implementation has no adapter."""
    library = end.implementation.library_path(end.build)
    return {"library": str(library), "config": configuration(end)}


def conversation(
    ends: Mapping[str, Endpoint],
    messages: Sequence[Mapping[str, Any]],
    link: Mapping[str, Any] | None = None,
    capture: Path | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A job for the engine's `messages`. `ends` are the endpoints a and b, or one of them; `capture` is the file for a
    capture of the link; `more` are further keys of the job."""
    job: dict[str, Any] = {"endpoints": {side: adapter(end) for side, end in ends.items()}, "messages": list(messages)}
    if link:
        job["link"] = dict(link)
    if capture is not None:
        job["outputs"] = {"link": str(capture)}
    return job | more


def node_job(implementation: Implementation, build: str, side: str) -> dict[str, Any]:
    """The job of a node that speaks SigComp: callers are behind the compressor's side, which is theirs, and the other
    one is the proxy that they talk to."""
    users = "plain" if side == "compressor" else "link"
    return {"endpoint": adapter(Endpoint(implementation, build=build)), "users": users, "feedback": "own"}


def lacking(end: Endpoint, features: Sequence[str] = ()) -> str:
    """The reason why an implementation does not support the endpoint of a case, as declared; "" if it does."""
    needs: dict[str, Any] = {"transports": [end.transport], "features": list(features)}
    for limits in (LIMITS, LEAST):
        needs |= {limit: end.offer[key] for key, limit in limits.items() if key in end.offer}
    if any(value != end.offer.get(key) for key, value in end.peer.items() if key in LIMITS):
        needs["features"].append(PEER)
    if "compartments" in end.offer:
        needs["max_compartments"] = end.offer["compartments"]
    if "dictionaries" in end.offer:
        needs["dictionaries"] = list(end.offer["dictionaries"])
    return end.implementation.lacks("endpoint", SCHEME, **needs)


def generous(*ends: Implementation) -> dict[str, int]:
    """GENEROUS, as far as each of these implementations declares that it goes."""
    most = {
        key: [implementation.declared(SCHEME).get(LIMITS[key], value) for implementation in ends]
        for key, value in GENEROUS.items()
    }
    return {key: min(value, *most[key]) for key, value in GENEROUS.items()}


def wire(implementation: Implementation) -> str:
    """The link format of an implementation: the scheme's own, unless it declares another."""
    declared = implementation.declared(SCHEME)
    return str(declared.get("wire", SCHEME)) if declared else ""


# ---- options


def described(implementation: Implementation, build: str = DEFAULT_BUILD) -> dict[str, Any]:
    """The SigComp entry of an adapter's description; {} if it has none."""
    path = implementation.library_path(build)
    return _described(implementation, build, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=64)
def _described(implementation: Implementation, build: str, changed: int) -> dict[str, Any]:
    """`changed` is the time at which the library changed last: a run asks for the same ones again and again."""
    schemes = implementations.describe(implementation, build)["schemes"]
    return next((scheme for scheme in schemes if scheme.get("scheme") == SCHEME), {})


def has_option(implementation: Implementation, key: str, value: Any, build: str = DEFAULT_BUILD) -> bool:
    """True if an adapter describes an option: a value among `choices`, or a key among `options`."""
    scheme = described(implementation, build)
    choices: Mapping[str, Sequence[Any]] = scheme.get("choices", {})
    return value in choices[key] if key in choices else key in scheme.get("options", ())


def fitting(options: Mapping[str, Any], implementation: Implementation, build: str = DEFAULT_BUILD) -> dict[str, Any]:
    """The options that an implementation declares, with their values."""
    return {key: value for key, value in options.items() if has_option(implementation, key, value, build)}


def unknown(end: Endpoint) -> str:
    """Names an option of a case that the implementation lacks, in a sentence without its full stop; "" if none."""
    for key, value in end.options.items():
        if not has_option(end.implementation, key, value, end.build):
            return f"{end.implementation.name} does not describe the option {key} {value}"
    return ""
