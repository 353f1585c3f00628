# SPDX-License-Identifier: Apache-2.0
"""Options: the name, the values and the destination of each.

An option is declared once: those of every run as fields of `core.settings.Settings`, those of a scheme in its object,
those that choose cases or output below. The command line, run.json and Robot's variables follow from the declaration.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from headroom.core.errors import UsageError

TRUE, FALSE = ("yes", "true", "on", "1"), ("no", "false", "off", "0")


def flag(name: str) -> str:
    """The option of a name on a command line."""
    return f"--{name.replace('_', '-')}"


@dataclass(frozen=True)
class Rows:
    """Rows of suites that use an option, which other rows refuse. `keyword` is the template of these rows; `have` and
    `places` end sentences: the property that others lack, and the suites with such rows.
    """

    keyword: str
    have: str
    places: str


@dataclass(frozen=True)
class Option:
    """An option: `flag(name)` on a command line, the key `name` of run.json, and the variable NAME of Robot.

    `parse` makes a value from the command line, run.json or a variable; it raises UsageError, with a sentence, on
    anything else. `kind` is the type on the command line. An option that is `repeated` is always part of the command
    that repeats a case, others only if they do not have their default value. `later`: run.json of earlier versions
    lacks it. `hidden`: it is not an option of the command line.
    """

    name: str
    default: Any
    parse: Callable[[Any], Any]
    help: str = ""
    kind: type = str
    repeated: bool = False
    later: bool = False
    hidden: bool = False
    rows: Rows | None = None

    def value(self, argument: Any) -> Any:
        """The value of an argument; the default if it is None. Raises UsageError."""
        return self.default if argument is None or argument == "" else self.parse(argument)

    def json(self, value: Any) -> Any:
        return list(value) if isinstance(value, tuple) else value

    def text(self, value: Any) -> str:
        """A value as text for a variable of Robot and the command line."""
        if value is None:
            return ""
        return ",".join(value) if isinstance(value, tuple) else str(value)

    def words(self, value: Any) -> list[str]:
        """A value as words of a command line."""
        if self.kind is bool:
            return [flag(self.name)] if value else []
        return [flag(self.name), self.text(value)]


def split_names(given: Any) -> tuple[str, ...]:
    """The names of a list such as `1c,2c-l3`, in which spaces do not count. A list of names stays as it is."""
    names = given.split(",") if isinstance(given, str) else given
    return tuple(name.strip() for name in map(str, names) if name.strip())


def seed_of(given: Any) -> int:
    """A seed: a number of 0 .. 2^63 - 1. Raises UsageError on anything else."""
    try:
        seed = int(given)
    except (TypeError, ValueError):
        raise UsageError(f"The seed must be a whole number, not '{given}'.") from None
    if not 0 <= seed < 2**63:
        raise UsageError(f"The seed must be between 0 and 2^63 - 1, not {seed}.")
    return seed


def boolean(text: Any) -> bool:
    """True or False from yes or no, in any spelling. Raises UsageError on anything else."""
    word = str(text).lower()
    if word not in TRUE + FALSE:
        raise UsageError(f"'{text}' is neither yes nor no.")
    return word in TRUE


def number(name: str, least: float, most: float, unit: str, kind: Callable[[Any], Any] = float) -> Callable[[Any], Any]:
    """Makes the parser of a number from `least` to `most`. `unit` is what it counts, "" if it counts nothing. The
    parser raises UsageError on anything else.
    """
    what = f"a number of {unit}" if unit else "a number"

    def parse(text: Any) -> Any:
        try:
            value = kind(text)
        except (TypeError, ValueError, OverflowError):
            raise UsageError(f"{flag(name)} must be {what}, not '{text}'.") from None
        if not least <= value <= most:
            raise UsageError(f"{flag(name)} must be {what} from {least:,} to {most:,.0f}, not {value:,}.")
        return value

    return parse


def assignments(words: Iterable[str], example: str, given: Collection[str] = ()) -> dict[str, str]:
    """The values of words such as `mode=O`, by name. Raises UsageError on another form, and on a name that occurs twice
    or is in `given`.
    """
    values: dict[str, str] = {}
    for word in words:
        name, _, value = word.partition("=")
        if not name or name == word:
            raise UsageError(f"'{word}' is not of the form name=value, such as {example}.")
        if name in values or name in given:
            raise UsageError(f"{name} is given twice: '{word}' and before; give it once.")
        values[name] = value
    return values


# SELECTION belongs to a command, not to a measurement: it chooses cases of the suites, and the output.
SELECTION = (
    Option("case", (), tuple, "Only cases of this name (wildcards allowed; repeatable).", list),
    Option("tag", (), tuple, "Only cases with this tag (repeatable).", list),
    Option("exclude", (), tuple, "No cases with this tag (repeatable).", list),
)
RESUME = Option("resume", None, str, "Continue an interrupted run: its name, or 'last'.")
JSON = Option("json", False, boolean, "Print JSON at the end.", bool)
DRY_RUN = Option("dry_run", False, boolean, "Check everything and print the cases that would run; run nothing.", bool)
