# SPDX-License-Identifier: Apache-2.0
"""What a run is about: the implementations, the profile, the CPU configurations, the builds, the seed.

The command line makes settings and hands them to Robot as variables; keywords read them back. Plain `robot` uses the
defaults below, and `robot --variable COMPRESSOR:other …` changes them one by one.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from headroom.core.errors import UsageError
from headroom.core.paths import DEFAULT_BUILD

WORDS = ("compressor", "decompressor", "profile", "build", "generator", "topology")  # those that are one word each
OTHER_SIDE = {"compressor": "decompressor", "decompressor": "compressor"}
# Of the calls through a P-CSCF: the least and the most, and the unit. One that is not held is no call in progress.
OF_CALLS = {"calls": (1, 4_000_000, "calls"), "holding": (0.1, 1e6, "seconds"), "answer": (0, 1e6, "seconds")}
OF_CALLS_ROWS = "Calls Should Be Served"  # the keyword whose rows heed them
DEFAULT_PROFILE = "voip-amr-nb-ipv6"  # the call of the Effnet paper, Table 2


@dataclass(frozen=True)
class Settings:
    """Everything that a test may depend on besides its own words."""

    compressor: str = "reference"
    decompressor: str = "reference"
    profile: str = DEFAULT_PROFILE
    cpus: tuple[str, ...] = ()  # names of CPU configurations; empty: those of the suite
    build: str = DEFAULT_BUILD
    builds: tuple[str, ...] = ()  # builds that are compared; empty: those that are there
    seed: int = 1
    quick: bool = False
    generator: str = "memory"  # who sends where there are interfaces: memory (the engine) or trex
    topology: str = "process"  # process, netns, compose, or the path of a testbed file
    subject: str = ""  # compressor or decompressor: the run is about that side alone; empty: about both
    calls: int | None = None  # in progress at a P-CSCF; None: as many as the row says
    holding: float | None = None  # s that a call is held for there; None: as maenpaa-2005 has it
    answer: float | None = None  # s until it is answered; likewise
    folder: Path = field(default_factory=Path)  # where the run keeps its files

    def as_json(self) -> dict[str, Any]:
        document = asdict(self)
        del document["folder"]
        return document | {"cpus": list(self.cpus), "builds": list(self.builds)}

    @staticmethod
    def from_json(document: dict[str, Any], folder: Path) -> Settings:
        """Settings as `as_json` wrote them. Raises UsageError when the document is not such."""
        known = {item.name: item.type for item in fields(Settings) if item.name != "folder"}
        later = {
            "generator": "memory",
            "topology": "process",
            "subject": "",
            **dict.fromkeys(OF_CALLS),
        }  # what runs of earlier versions were about
        try:
            values = {name: (later | document)[name] for name in known}
            return Settings(
                compressor=str(values["compressor"]),
                decompressor=str(values["decompressor"]),
                profile=str(values["profile"]),
                cpus=tuple(str(name) for name in values["cpus"]),
                build=str(values["build"]),
                builds=tuple(str(name) for name in values["builds"]),
                seed=int(values["seed"]),
                quick=bool(values["quick"]),
                generator=str(values["generator"]),
                topology=str(values["topology"]),
                subject=str(values["subject"]),
                **{name: of_calls(name, values[name]) for name in OF_CALLS},
                folder=folder,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(
                f"The settings kept in {folder}/run.json are not complete ({error}); start a new run."
            ) from error

    def robot_variables(self) -> list[str]:
        """The settings as `NAME:value`, for Robot's --variable."""
        document = self.as_json()
        document |= {name: "" for name in OF_CALLS if document[name] is None}
        text = {name: ",".join(value) if isinstance(value, list) else str(value) for name, value in document.items()}
        return [f"{name.upper()}:{value}" for name, value in text.items()] + [f"RUN_FOLDER:{self.folder}"]

    def options(self, of_calls: bool = True) -> list[str]:
        """The settings as options of `./headroom run`: those that differ from the defaults, and always the seed.

        `of_calls`: with those of calls, which a row that does not heed them refuses."""
        plain = Settings()
        words: list[str] = []
        for name in WORDS:
            if self._must_say(name, plain):
                words += [f"--{name}", str(getattr(self, name))]
        for name in ("cpus", "builds"):
            if getattr(self, name):
                words += [f"--{name}", ",".join(getattr(self, name))]
        for name in OF_CALLS if of_calls else ():
            if getattr(self, name) is not None:
                words += [f"--{name}", str(getattr(self, name))]
        if self.quick:
            words.append("--quick")
        return [*words, "--seed", str(self.seed)]

    def _must_say(self, name: str, plain: Settings) -> bool:
        """Whether an option has to be there. Naming one side alone makes the run about it, so that both are named
        where it is about both."""
        if name not in OTHER_SIDE:
            return bool(getattr(self, name) != getattr(plain, name))
        if self.subject:
            return name == self.subject
        return any(getattr(self, side) != getattr(plain, side) for side in OTHER_SIDE)


def from_robot() -> Settings:
    """The settings of the running suite: Robot's variables where they are set, defaults elsewhere."""
    from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError

    settings = Settings()
    try:
        builtin = BuiltIn()
        values = {item.name: builtin.get_variable_value(f"${{{item.name.upper()}}}") for item in fields(Settings)}
        folder = builtin.get_variable_value("${RUN_FOLDER}") or builtin.get_variable_value("${OUTPUT_DIR}")
    except RobotNotRunningError:
        return settings
    for name in (*WORDS, "subject"):
        if values[name]:
            settings = replace(settings, **{name: str(values[name])})
    for name in ("cpus", "builds"):
        if values[name]:
            settings = replace(settings, **{name: split_names(values[name])})
    if values["seed"] is not None:
        settings = replace(settings, seed=seed_of(values["seed"]))
    settings = replace(settings, **{name: of_calls(name, values[name]) for name in OF_CALLS})
    quick = str(values["quick"] or "").lower() in ("true", "1", "yes")
    return replace(settings, quick=quick, folder=Path(str(folder)))


def split_names(text: str) -> tuple[str, ...]:
    """Names of a list such as `1c,2c-l3`; spaces do not count."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def seed_of(value: Any) -> int:
    """A seed: a number of 0 .. 2^63 - 1. Raises UsageError on anything else."""
    try:
        seed = int(value)
    except (TypeError, ValueError):
        raise UsageError(f"The seed must be a whole number, not '{value}'.") from None
    if not 0 <= seed < 2**63:
        raise UsageError(f"The seed must be between 0 and 2^63 - 1, not {seed}.")
    return seed


def of_calls(name: str, value: Any) -> Any:
    """The number of calls, or seconds of one; None where nothing is said. Raises UsageError on anything else."""
    if value is None or value == "":
        return None
    least, most, unit = OF_CALLS[name]
    try:
        number = int(value) if name == "calls" else float(value)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"--{name} is a number of {unit}, not '{value}'.") from None
    if not least <= number <= most:
        raise UsageError(f"--{name} is a number of {unit} from {least:,} to {most:,.0f}, not {number:,}.")
    return number
