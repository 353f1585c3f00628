# SPDX-License-Identifier: Apache-2.0
"""A scheme: data, and the few functions by which everything that is no scheme uses one.

Each package below `headroom.schemes` has a module `scheme` with the object `SCHEME`. No module outside a scheme's own
package names it: what differs from scheme to scheme is a field of `Scheme`. Functions import what they need when they
are called, so that finding all schemes costs next to nothing.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from headroom.core.errors import UsageError
from headroom.core.options import Option

if TYPE_CHECKING:
    from headroom.core.replay_options import ReplayWords

FOLDER = Path(__file__).resolve().parents[1] / "schemes"


@dataclass(frozen=True)
class Scheme:
    """One scheme. `name` is its word in configurations, declarations and tags; `title` is how sentences call it.

    `roles` are those of an adapter: compressor and decompressor, or endpoint. `options` are of `./headroom run`,
    `replay_options` of `./headroom replay`; `replay` gives what else replays of the scheme have of its own, and is None
    where there are none.
    """

    name: str
    title: str
    roles: tuple[str, ...]
    options: tuple[Option, ...] = ()
    replay_options: tuple[Option, ...] = ()
    replay: Callable[[], ReplayWords] | None = None


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
