# SPDX-License-Identifier: Apache-2.0
"""The settings of a run: the implementations, the profile, the CPU configurations, the builds, the seed.

The command line makes settings and passes them to Robot as variables; keywords read them back. Plain `robot` uses the
defaults below, and `robot --variable COMPRESSOR:other …` changes them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from headroom.core import scheme_registry
from headroom.core.errors import UsageError
from headroom.core.options import Option, boolean, seed_of, split_names
from headroom.core.paths import DEFAULT_BUILD

OTHER_SIDE = {"compressor": "decompressor", "decompressor": "compressor"}
DEFAULT_PROFILE = "voip-amr-nb-ipv6"  # the call of the Effnet paper, Table 2


def option(default: Any, parse: Callable[[Any], Any], text: str = "", **more: Any) -> Any:
    """A field of the settings, and its option."""
    return field(default=default, metadata={"parse": parse, "help": text, **more})


def _builds(given: Any) -> tuple[str, ...]:
    from headroom.core.machine import build

    return build.MEASURED if given == "all" else split_names(given)


@dataclass(frozen=True)
class Settings:
    """Everything that a test may depend on besides its own arguments. Each field but the last two is an option."""

    compressor: str = option(
        "reference",
        str,
        "Implementation that compresses. If given without --decompressor, only cases that test the compressor count.",
    )
    decompressor: str = option(
        "reference",
        str,
        "Implementation that decompresses. If given without --compressor, only cases that test the decompressor count.",
    )
    cpus: tuple[str, ...] = option(
        (), split_names, "CPU configurations, such as 1c,2c-l3 (see list cpus); all usual ones when left out."
    )
    profile: str = option(DEFAULT_PROFILE, str, "Traffic profile of the performance suites (see list profiles).")
    build: str = option(DEFAULT_BUILD, str, "Build to measure: a CMake preset, or the path of a build folder.")
    builds: tuple[str, ...] = option(
        (),
        _builds,
        "Builds to compare (the paper's Figures 5 and 6): names, or 'all'; those that exist when left out.",
    )
    topology: str = option(
        "process",
        str,
        "Topology: process (no network), netns (namespaces of this machine), compose (containers), or the path of a "
        "testbed file.",
        later=True,
    )
    generator: str = option(
        "memory",
        str,
        "Generator over interfaces: memory (the engine) or trex ($TREX_ROOT).",
        later=True,
    )
    quick: bool = option(False, boolean, "Run fewer trials and seeds: a first look, not a measurement.", kind=bool)
    seed: int = option(1, seed_of, "Seed of all random numbers.", kind=int, repeated=True)
    subject: str = option("", str, later=True, hidden=True)  # the role that the run is about; empty: both
    part: str = option("", str, later=True, hidden=True)  # the part of a judgement, whose parts share a folder
    # Values of schemes' options, by their names, if they are not the default.
    of_schemes: Mapping[str, Any] = field(default_factory=dict, hash=False)
    folder: Path = field(default_factory=Path)  # folder of the run's files

    def get(self, name: str) -> Any:
        """The value of an option by name."""
        if name in scheme_options():
            return self.of_schemes.get(name, scheme_options()[name].default)
        return getattr(self, name)

    def as_json(self) -> dict[str, Any]:
        return {name: option.json(self.get(name)) for name, option in options().items()}

    @staticmethod
    def of(given: Mapping[str, Any], folder: Path | None = None) -> Settings:
        """The settings of some values, by the names of options; the rest has its default. Raises UsageError."""
        values = {name: option.value(given.get(name)) for name, option in options().items()}
        theirs = {name: values.pop(name) for name in scheme_options()}
        changed = {name: value for name, value in theirs.items() if value != scheme_options()[name].default}
        return Settings(**values, of_schemes=changed, folder=folder or Path())

    @staticmethod
    def from_json(document: dict[str, Any], folder: Path) -> Settings:
        """The settings that `as_json` wrote, in this version or an earlier one. Raises UsageError if the document is
        damaged.
        """
        try:
            if missing := [name for name, option in options().items() if not option.later and name not in document]:
                raise KeyError(", ".join(missing))
            return Settings.of(document, folder)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(
                f"The settings kept in {folder}/run.json are not complete ({error}); start a new run."
            ) from error

    def robot_variables(self) -> list[str]:
        """The settings as `NAME:value`, for Robot's --variable."""
        assignments = [f"{name.upper()}:{option.text(self.get(name))}" for name, option in options().items()]
        return [*assignments, f"RUN_FOLDER:{self.folder}"]

    def words(self, heeded: Callable[[Option], bool] = lambda one: True) -> list[str]:
        """The settings as options of `./headroom run`: those that differ from the defaults, and always the seed.

        `heeded` tells if the row uses an option that other rows refuse.
        """
        result: list[str] = []
        for name, option in options().items():
            if not option.hidden and self._is_needed(option) and (option.rows is None or heeded(option)):
                result += option.words(self.get(name))
        return result

    def _is_needed(self, option: Option) -> bool:
        """True if an option must be written. Naming one side alone makes the run about it, so both are named if it is
        about both.
        """
        if option.name not in OTHER_SIDE:
            return option.repeated or bool(self.get(option.name) != option.default)
        if self.subject:
            return option.name == self.subject
        return any(getattr(self, side) != options()[side].default for side in OTHER_SIDE)


@cache
def scheme_options() -> dict[str, Option]:
    """The options that schemes declare, by name."""
    return {option.name: option for scheme in scheme_registry.all_schemes().values() for option in scheme.options}


@cache
def options() -> dict[str, Option]:
    """Every option of settings, by name: those of all runs, and those of schemes."""
    shared = [Option(field.name, field.default, **field.metadata) for field in fields(Settings) if field.metadata]
    return {option.name: option for option in shared} | scheme_options()


def from_robot() -> Settings:
    """The settings of the running suite: Robot's variables if they are set, defaults otherwise."""
    from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError

    try:
        builtin = BuiltIn()
        given = {name: builtin.get_variable_value(f"${{{name.upper()}}}") for name in options()}
        folder = builtin.get_variable_value("${RUN_FOLDER}") or builtin.get_variable_value("${OUTPUT_DIR}")
    except RobotNotRunningError:
        return Settings()
    return Settings.of(given, Path(str(folder)))
