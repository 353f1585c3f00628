# SPDX-License-Identifier: Apache-2.0
"""Parts of a scheme that are imported only when they are needed, so that finding all schemes costs next to nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from headroom.core.metrics import Metric, declared

if TYPE_CHECKING:
    from headroom.core.replay_options import ReplayWords


@dataclass(frozen=True)
class Parts:
    """The modules of a scheme's package."""

    package: str

    def part(self, module: str, name: str) -> Callable[[], Any]:
        """A function that returns an object of a module."""
        return lambda: getattr(import_module(f"{self.package}.{module}"), name)

    def made(self, module: str, name: str) -> Callable[[], Any]:
        """A function that returns the result of a class or function of a module."""
        return lambda: getattr(import_module(f"{self.package}.{module}"), name)()

    def metrics(self, module: str = "metrics") -> Callable[[], tuple[Metric, ...]]:
        """A function that returns the metrics of a module."""
        return lambda: declared(vars(import_module(f"{self.package}.{module}")))


def channel_arguments(title: str, **convert: Callable[[str], Any]) -> Callable[[], ReplayWords]:
    """The replays of a scheme without feedback whose named arguments are keys of the configuration."""

    def words() -> ReplayWords:
        from headroom.core.replay_options import ReplayWords, into, without_feedback

        arguments = {name: into("channel", name, parse) for name, parse in convert.items()}
        return ReplayWords(arguments, without_feedback(title), lambda result: [])

    return words
