# SPDX-License-Identifier: Apache-2.0
"""A finding of a judge on a packet: the type that all judges, the kits of schemes and records share."""

from dataclasses import dataclass

from headroom.core import requirements
from headroom.core.text import nth


@dataclass
class Finding:
    """A sentence of a judge. `packet` is an index, from 0, which the text of a finding counts from 1; None if no packet
    can be named.

    A judge gives no level. `severity` is "must", "should", "may" or "note". The severity of a finding against a
    requirement is the requirement's level: no finding is stricter than the sentence that it rests on. Raises UsageError
    if there is no such requirement.
    """

    sentence: str
    requirement: str = ""
    packet: int | None = None
    judge: str = ""
    severity: str = ""

    def __post_init__(self) -> None:
        if self.requirement:
            self.severity = requirements.level_of(self.requirement)

    def __str__(self) -> str:
        requirement = f" ({self.requirement})" if self.requirement else ""
        where = "" if self.packet is None else f"{nth('packet', self.packet)}: "
        return f"{where}{self.sentence}{requirement}"
