# SPDX-License-Identifier: Apache-2.0
"""A run as keywords pass it down: its settings, and the implementations that they name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headroom.core import implementations
from headroom.core.implementations import Implementation, Role
from headroom.core.settings import Settings


@dataclass(frozen=True)
class Run:
    """The implementations under test, and the settings of the run."""

    compressor: Implementation
    decompressor: Implementation
    settings: Settings

    @staticmethod
    def of(settings: Settings) -> Run:
        """The run of some settings. Raises UsageError if they name an implementation that does not exist."""
        compressor, decompressor = map(implementations.find, (settings.compressor, settings.decompressor))
        return Run(compressor, decompressor, settings)

    @property
    def sides(self) -> tuple[tuple[Role, Implementation], ...]:
        """Both implementations, each with its role."""
        return (("compressor", self.compressor), ("decompressor", self.decompressor))

    @property
    def build(self) -> str:
        return self.settings.build

    @property
    def seed(self) -> int:
        return self.settings.seed

    @property
    def profile(self) -> str:
        """The traffic profile of rows that name none."""
        return self.settings.profile

    @property
    def folder(self) -> Path:
        """The folder of the run's files; `Path()` if it keeps none."""
        return self.settings.folder

    @property
    def quick(self) -> bool:
        return self.settings.quick

    @property
    def topology(self) -> str:
        return self.settings.topology

    @property
    def generator(self) -> str:
        return self.settings.generator
