# SPDX-License-Identifier: Apache-2.0
"""A campaign file: machines, builds, implementations, configurations and repeats; the cells of that matrix, and the
command of each.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headroom.campaigns import versions
from headroom.campaigns.versions import SIDES, Version
from headroom.core import implementations, profiles
from headroom.core.errors import UsageError
from headroom.core.machine import topology
from headroom.core.machine.guard import QuietLimits
from headroom.core.options import SELECTION, Option
from headroom.core.paths import DEFAULT_BUILD, out_folder
from headroom.core.yamlfile import Document, Pointer, check, read

LOCAL = "local"  # the machine of a campaign without a scheduler: this one
BY_THE_MATRIX = ("build", "seed")  # options of a cell that the campaign sets, not a configuration
OF_PAPERS = ("compressor", "decompressor", "cpus", "builds", "quick")  # options that `reproduce` has, too
OF_SELECTION = tuple(option.name for option in SELECTION)
MOST_CELLS = 10_000


@dataclass(frozen=True)
class Timeouts:
    """Time limits, all in seconds."""

    join_s: float = 60  # until every machine has a worker
    quiet_s: float = 600  # until a machine is quiet
    lock_s: float = 3600  # until another measurement on the machine ends
    cell_s: float = 14400  # of one cell's command
    lost_s: float = 300  # without a worker, after which the cells of a machine are lost


@dataclass(frozen=True)
class Configuration:
    """The command of a cell: suites, or a paper. `words` are its options on a command line; `expected` is the content
    of its run.json: `suites`, and the values of `options`. `sides` are the roles of the campaign's implementations: all
    that its options do not name.
    """

    name: str
    suites: tuple[str, ...] = ()
    paper: str = ""
    words: tuple[str, ...] = ()
    expected: Mapping[str, Any] = field(default_factory=dict)
    sides: tuple[str, ...] = SIDES

    @property
    def command(self) -> tuple[str, ...]:
        return ("reproduce", self.paper, *self.words) if self.paper else ("run", *self.suites, *self.words)


@dataclass(frozen=True, order=True)
class Cell:
    """A point of the matrix. `repeat` counts from 1; `implementation` is "" if the campaign names none."""

    machine: str
    build: str
    configuration: str
    repeat: int
    implementation: str = ""

    @property
    def id(self) -> str:
        """The name of the cell. No part has a dot in it, so that names are unique."""
        parts = (self.machine, self.implementation, self.build, self.configuration, str(self.repeat))
        return ".".join(part for part in parts if part)


@dataclass(frozen=True)
class Campaign:
    """A campaign, as its file describes it."""

    name: str
    machines: tuple[str, ...]
    builds: tuple[str, ...]
    configurations: Mapping[str, Configuration]
    repeats: int = 1
    seed: int = 1
    timeouts: Timeouts = field(default_factory=Timeouts)
    quiet: QuietLimits = field(default_factory=QuietLimits)
    implementations: Mapping[str, Version] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        return campaigns_folder() / self.name

    def cells(self) -> list[Cell]:
        """All cells in the order in which they run: random, so that a machine that warms up or fills does not favour a
        build, but the same for the same seed.
        """
        all_cells = [
            Cell(machine, build, configuration, repeat, implementation)
            for machine in self.machines
            for implementation in self.implementations or ("",)
            for build in self.builds
            for configuration in self.configurations
            for repeat in range(1, self.repeats + 1)
        ]
        random.Random(self.seed).shuffle(all_cells)
        return all_cells

    def words(self, cell: Cell) -> list[str]:
        """The command of a cell, after `./headroom`. Every repeat has the same seed, and so the same packets."""
        command = self.configurations[cell.configuration].command
        sides = [word for name, value in self.sides(cell).items() for word in (f"--{name}", value)]
        return [*command, *sides, "--build", cell.build, "--seed", str(self.seed), "--json"]

    def sides(self, cell: Cell) -> dict[str, str]:
        """The roles that a cell's implementation takes, each with its option's value."""
        if not cell.implementation:
            return {}
        return dict.fromkeys(
            self.configurations[cell.configuration].sides, self.implementations[cell.implementation].word
        )


def campaigns_folder() -> Path:
    return out_folder() / "campaigns"


def load(path: Path, to_measure: bool = True) -> Campaign:
    """Reads a campaign. Raises UsageError, with file and line, if it is not valid or, with `to_measure`, if it names
    something that this checkout lacks.
    """
    from headroom.core.machine.build import presets

    document = check(read(path), "campaign")
    data = document.data
    builds = tuple(data.get("builds", [DEFAULT_BUILD]))
    for number, build in enumerate(builds):
        if to_measure and build not in presets():
            sentence = f"there is no build '{build}'; presets: {', '.join(presets())}"
            raise UsageError(document.complaint(("builds", number), sentence))
    configurations = {
        name: _configuration(document, ("configurations", name), name, described, to_measure)
        for name, described in data["configurations"].items()
    }
    machines = tuple(data.get("machines", [LOCAL]))
    implementations = versions.load(document, campaigns_folder() / data["name"], to_measure)
    _require_versions(document, implementations, machines, configurations)
    campaign = Campaign(
        name=data["name"],
        machines=machines,
        builds=builds,
        configurations=configurations,
        repeats=data.get("repeats", 1),
        seed=data.get("seed", 1),
        timeouts=Timeouts(**data.get("timeouts", {})),
        quiet=QuietLimits(**data.get("quiet", {})),
        implementations=implementations,
    )
    count = len(machines) * max(1, len(implementations)) * len(builds) * len(configurations) * campaign.repeats
    if count > MOST_CELLS:
        raise UsageError(document.complaint((), f"{count:,} cells; more than {MOST_CELLS:,} are surely not meant"))
    return campaign


def _require_versions(
    document: Document,
    versions_by_name: Mapping[str, Version],
    machines: Sequence[str],
    configurations: Mapping[str, Configuration],
) -> None:
    """Raises UsageError if implementations cannot be measured as the file asks."""
    for name, version in versions_by_name.items():
        if version.library and any(machine != LOCAL for machine in machines):
            sentence = "other machines need a folder with an implementation.yaml, at the same path on each"
            raise UsageError(document.complaint(("implementations", name), sentence))
    for name, configuration in configurations.items():
        if versions_by_name and not configuration.sides:
            sentence = "the campaign's implementations take the roles that are not named here: leave one out"
            raise UsageError(document.complaint(("configurations", name, "options"), sentence))


def _configuration(
    document: Document, at: Pointer, name: str, described: dict[str, Any], to_measure: bool
) -> Configuration:
    from headroom.core.papers import measured, paper
    from headroom.core.run.selection import cases, chosen, requirement_tags, suite_files

    key = described.get("paper", "")
    if key and "suites" in described:
        raise UsageError(document.complaint((*at, "suites"), "a configuration has suites or a paper, not both"))
    if not to_measure:
        return Configuration(name, tuple(described.get("suites", ())), key)
    if outside := next((suite for suite in described.get("suites", ()) if ".." in Path(suite).parts), ""):
        raise UsageError(document.complaint((*at, "suites"), f"'{outside}' leads out of suites/; name it without '..'"))
    tags: list[str] = []
    try:
        if key:
            measured.how(key)
            suites = [paper.find(key).suite]
        else:
            suites_found, tags = requirement_tags(described["suites"])
            suites = suites_found or (["conformance"] if tags else [])
        suite_files(suites)
    except UsageError as error:
        raise UsageError(document.complaint((*at, "paper" if key else "suites"), str(error))) from error
    arguments, values = _words(document, (*at, "options"), described.get("options", {}), bool(key))
    case, tag, exclude = (list(values.pop(name, ())) for name in OF_SELECTION)
    # If CPU configurations are named, a run adds rows of its own.
    is_certain = (case or tag or exclude) and not values.get("cpus")
    if is_certain and not chosen(cases(suite_files(suites)), case, [*tags, *tag], exclude):
        raise UsageError(document.complaint((*at, "options"), "none of its suites has a case that they choose"))
    expected = {"suites": suites, "tags": [*tags, *tag], "excluded": exclude, "cases": case, "options": values}
    sides = tuple(name for name in SIDES if name not in described.get("options", {}))
    return Configuration(name, tuple(described.get("suites", ())), key, tuple(arguments), expected, sides)


def _words(document: Document, at: Pointer, given: dict[str, Any], of_paper: bool) -> tuple[list[str], dict[str, Any]]:
    """The options of a configuration on a command line, and the settings that they make. Raises UsageError if `run` has
    no such option or value.
    """
    known = _options(of_paper)
    if empty := next((name for name, value in given.items() if value == []), ""):
        raise UsageError(document.complaint((*at, empty), f"{empty} has no value; leave it out to use its default"))
    arguments: list[str] = []
    values: dict[str, Any] = {name: option_known.default for name, option_known in known.items()}
    for name, value in given.items():
        if name in BY_THE_MATRIX:
            raise UsageError(document.complaint((*at, name), f"the campaign itself sets {name}"))
        if name not in known:
            what = f"{'a paper' if of_paper else 'a run'} has no such option; there are: {', '.join(known)}"
            raise UsageError(document.complaint((*at, name), what))
        option = known[name]
        try:
            values[name] = option.value(_single(option, value))
            if name in CHECKS_OF_NAMES:
                CHECKS_OF_NAMES[name](values[name])
        except UsageError as error:
            raise UsageError(document.complaint((*at, name), str(error))) from error
        except TypeError as error:  # such as a number instead of names
            raise UsageError(document.complaint((*at, name), f"{name} cannot be {value!r}")) from error
        if option.kind is list:
            arguments += [word for option_known in values[name] for word in option.words(str(option_known))]
        else:
            arguments += option.words(values[name])
    return arguments, values


def _single(option: Option, value: Any) -> Any:
    """A value in the form that its option takes: several as a list, and a single value as itself. Raises UsageError if
    a list is too long for the option.
    """
    if option.kind is list:
        return value if isinstance(value, list) else [str(value)]
    if not isinstance(value, list) or isinstance(option.default, tuple):
        return value
    if len(value) != 1:
        raise UsageError(f"{option.name} takes one value, not {len(value)}; use several configurations instead")
    return value[0]


def _require_topology(name: str) -> None:
    from headroom.testbed import choice

    choice.require_known(name)


def _require_cpus(names: Sequence[str]) -> None:
    topology.resolve(names, topology.configurations(topology.read()))


# Checks by option, which refuse an unknown name with a UsageError before the first cell, not after hours.
CHECKS_OF_NAMES: dict[str, Callable[[Any], object]] = {
    "profile": profiles.load,
    "compressor": implementations.find,
    "decompressor": implementations.find,
    "cpus": _require_cpus,
    "topology": _require_topology,
}


def _options(of_paper: bool) -> dict[str, Option]:
    from headroom.core.settings import options

    shared = {name: option for name, option in options().items() if not option.hidden and name not in BY_THE_MATRIX}
    if of_paper:
        return {name: shared[name] for name in OF_PAPERS}
    return shared | {option.name: option for option in SELECTION}
