# SPDX-License-Identifier: Apache-2.0
"""The client of a campaign of tests, as a program: `client_program.py SCHEDULER KEYS JSON`; without
SCHEDULER and KEYS ("") it works on this machine alone.

JSON has the `machines`, `repeats`, `lost_s` of the campaign and the `behaviour` of the fake program. It prints the
result of each cell, one line each, in the order in which they ended: its reason, or how many workers died over it.
The last line is the sentence of an error.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from headroom.campaigns.campaign import Cell, Timeouts
from headroom.campaigns.client import run_campaign
from headroom.campaigns.progress import Result
from headroom.core.errors import HeadroomError
from headroom.core.machine.guard import QuietLimits
from headroom.tests.campaigns.helpers import campaign, program


def say(cell: Cell, result: Result) -> None:
    print(f"{cell.id} {result.status} {result.reason or result.deaths}", flush=True)


def main() -> int:
    scheduler, keys, described = sys.argv[1:]
    given = json.loads(described)
    one = campaign(
        machines=tuple(given["machines"]),
        repeats=given.get("repeats", 1),
        timeouts=Timeouts(
            join_s=given.get("join_s", 30), quiet_s=0, lock_s=120, cell_s=60, lost_s=given.get("lost_s", 60)
        ),
        quiet=QuietLimits(busy=1, steal=1),
    )
    try:
        outcome = run_campaign(
            one, b"", scheduler or None, Path(keys) if keys else None, say, program(*given.get("behaviour", ()))
        )
    except HeadroomError as error:
        print(f"error: {error}", flush=True)
        return error.exit_code
    print("interrupted" if outcome.interrupted else "end", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
