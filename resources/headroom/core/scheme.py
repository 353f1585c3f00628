# SPDX-License-Identifier: Apache-2.0
"""A scheme: data, and the few functions by which everything that is no scheme uses one.

Each package below `headroom.schemes` has a module `scheme` with the object `SCHEME`. No module outside a scheme's own
package names it: what differs from scheme to scheme is a field of `Scheme`. Functions import what they need when they
are called, so that finding all schemes costs next to nothing.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headroom.core.errors import UsageError

if TYPE_CHECKING:
    import typer

    from headroom.core.captures.dissection import LinkDissector, PayloadDissector

FOLDER = Path(__file__).resolve().parents[1] / "schemes"


@dataclass(frozen=True)
class Framing:
    """How captures carry a scheme's packets: as frames of their own, or as payloads of UDP.

    Numbers of Ethernet types and PPP protocols come with what they say of the packet format, such as `large CIDs`; ""
    where they say nothing. `link_types` have the scheme's packets without any frame, and come with their names.
    """

    ether_types: Mapping[int, str] = field(default_factory=dict)
    ppp_protocols: Mapping[int, str] = field(default_factory=dict)
    link_types: Mapping[int, str] = field(default_factory=dict)
    udp_ports: tuple[int, ...] = ()

    def __str__(self) -> str:
        parts = [f"Ethernet type 0x{number:04X}" for number in self.ether_types]
        parts += ["PPP"] if self.ppp_protocols else []
        return ", ".join([*parts, *(f"UDP port {port}" for port in self.udp_ports)])


@dataclass(frozen=True)
class DecodeOption:
    """An option of `./headroom decode` by which the user says what a capture does not. `least` and `most` are those of
    a number; None: it is a text."""

    name: str
    help: str
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True)
class TrexStreams:
    """A program below traffic-profiles/trex that makes TRex's streams, for profiles whose packets have `headers`: the
    protocols from the outermost to the innermost. `what` says what such profiles are."""

    program: str
    what: str
    headers: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Scheme:
    """One scheme. `name` is its word in configurations, declarations and tags; `title` is how sentences call it.

    `roles` are those of an adapter: compressor and decompressor, or endpoint. `framing` and `dissector` are for
    captures. `commands` adds the scheme's own commands to the command line. `suites` is the folder of its conformance
    suites, below suites/. `is_default`: a run is about it where nothing else is said. `streams` are those that TRex can
    make of its profiles. `node_job` gives what a node is told that hosts an endpoint of an implementation, in a build,
    on the side of the compressor or the decompressor. `benchmarks` are the shortest runs of those of the reference:
    program and arguments, in which LIB stands for the folder of the adapters.
    """

    name: str
    title: str
    roles: tuple[str, ...]
    is_default: bool = False
    suites: str = ""
    framing: Framing = Framing()
    dissector: Callable[[], LinkDissector | PayloadDissector] | None = None
    decode_options: tuple[DecodeOption, ...] = ()
    commands: Callable[[typer.Typer], None] | None = None
    streams: TrexStreams | None = None
    node_job: Callable[[str, str, str], dict[str, Any]] | None = None
    benchmarks: tuple[tuple[str, ...], ...] = ()


@cache
def all_schemes() -> dict[str, Scheme]:
    """Every scheme by name, in the order of their names."""
    found = sorted(entry.name for entry in pkgutil.iter_modules([str(FOLDER)]) if entry.ispkg)
    schemes = (importlib.import_module(f"headroom.schemes.{name}.scheme").SCHEME for name in found)
    return {scheme.name: scheme for scheme in schemes}


def find(name: str) -> Scheme:
    """A scheme by name. Raises UsageError when there is none."""
    if name not in all_schemes():
        raise UsageError(f"There is no scheme '{name}'. Known: {', '.join(all_schemes())}.")
    return all_schemes()[name]


def default() -> Scheme:
    """The scheme that a run is about where nothing else is said."""
    return next(scheme for scheme in all_schemes().values() if scheme.is_default)
