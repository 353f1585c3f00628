# SPDX-License-Identifier: Apache-2.0
"""The options of a command line that starts a run."""

from collections.abc import Sequence
from typing import Any

from headroom.core.settings import OTHER_SIDE, Settings


class RunOptions:
    """The options of a command line: suites, and values by name. With `paper`, the suite is that of a publication,
    which is about both sides whichever is named.
    """

    def __init__(self, suites: Sequence[str], paper: bool = False, **values: Any) -> None:
        self.suites = list(suites)
        self.paper = paper
        empty = (None, "", [], ())
        self.values = {name: value for name, value in values.items() if value not in empty}

    def get(self, name: str) -> Any:
        """The value of one of the command's own options, such as --resume; its default if it is not given."""
        return self.values.get(name)

    def subject(self) -> str:
        """The role that alone is named, which the run is about; "" if both or neither are named."""
        named = [] if self.paper else [side for side in OTHER_SIDE if side in self.values]
        return named[0] if len(named) == 1 else ""

    def settings(self) -> Settings:
        """The settings made of the values. Raises UsageError if a value is impossible."""
        return Settings.of({**self.values, "subject": self.subject()})
