# SPDX-License-Identifier: Apache-2.0
"""A command line about a run, as words."""

from collections.abc import Sequence
from typing import Any

from headroom.core.settings import OTHER_SIDE, Settings


class RunOptions:
    """The words of a command line: suites, and values of options by name. With `paper`, the suite is that of a
    publication, which is about both sides whichever is named."""

    def __init__(self, suites: Sequence[str], paper: bool = False, **values: Any) -> None:
        self.suites = list(suites)
        self.paper = paper
        empty = (None, "", [], ())
        self.values = {name: value for name, value in values.items() if value not in empty}

    def get(self, name: str) -> Any:
        """The value of an option of the command itself, such as --resume; its default where it is not given."""
        return self.values.get(name)

    def subject(self) -> str:
        """The side that is named alone: the run is about it. "" where both are, or neither is."""
        named = [] if self.paper else [side for side in OTHER_SIDE if side in self.values]
        return named[0] if len(named) == 1 else ""

    def settings(self) -> Settings:
        """The settings that the values make. Raises UsageError where one cannot be."""
        return Settings.of({**self.values, "subject": self.subject()})
