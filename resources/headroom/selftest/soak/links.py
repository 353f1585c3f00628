# SPDX-License-Identifier: Apache-2.0
"""Damaged links: each scheme's link packets with inverted bits, by packet type, compared with the number of errors that
theory allows.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from headroom.core.errors import HeadroomError
from headroom.core.scheme_registry import all_schemes
from headroom.selftest.soak.tally import Finding, Tally

STAGE = "links"


@dataclass
class Links:
    """The stage: its parts are schemes."""

    share: float
    name: str = STAGE

    def parts(self) -> list[str]:
        return [name for name, scheme in all_schemes().items() if scheme.damaged_links is not None]

    def run(self, part: str, seconds: float, tally: Tally) -> None:
        scheme = all_schemes()[part]
        assert scheme.damaged_links is not None
        damaged, until = scheme.damaged_links(), time.monotonic() + seconds
        while True:
            tally.turns += 1  # with another seed each time
            try:
                types = damaged(scheme, tally.seed + tally.turns)
            except HeadroomError as error:
                tally.note(Finding(self.name, part, f"{error} (seed {tally.seed + tally.turns})"))
                return
            for damaged_type in types:
                row = tally.row(self.name, f"{scheme.title}: {damaged_type.name}")
                row.executions += 1
                row.theory = damaged_type.theory
                row.packets += damaged_type.packets
                row.damaged += damaged_type.damaged
                row.wrong += damaged_type.wrong
                row.expected += damaged_type.expected
            if time.monotonic() >= until:
                return
