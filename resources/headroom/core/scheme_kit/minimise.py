# SPDX-License-Identifier: Apache-2.0
"""The fewest packets that still show a failure: delta debugging.

Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (2002), algorithm ddmin.
"""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")

MOST_TRIALS = 120
MOST_SECONDS = 8.0


def minimise(
    items: Sequence[Item],
    still_fails: Callable[[list[Item]], bool],
    most_trials: int = MOST_TRIALS,
    most_seconds: float = MOST_SECONDS,
) -> list[Item]:
    """A part of `items`, in order, that still fails; REQUIRES that all of them do.

    Within the limits on trials and time it is 1-minimal: without any single item, the failure is gone.
    """
    left = list(items)
    trials = 0
    deadline = time.monotonic() + most_seconds
    parts = 2
    while len(left) > 1:
        size = -(-len(left) // parts)
        chunks = [range(start, min(start + size, len(left))) for start in range(0, len(left), size)]
        for chunk in reversed(chunks):  # first items set contexts up, so they are tried last
            if trials >= most_trials or time.monotonic() > deadline:
                return left
            without = [item for number, item in enumerate(left) if number not in chunk]
            trials += 1
            if without and still_fails(without):
                left = without
                parts = max(parts - 1, 2)
                break
        else:
            if size == 1:
                return left
            parts = min(len(left), 2 * parts)
    return left
