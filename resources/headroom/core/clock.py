# SPDX-License-Identifier: Apache-2.0
"""A clock with the time of day that never jumps."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta


def steady() -> Callable[[], datetime]:
    """Returns a clock that begins with the time of day (UTC) and continues evenly when that is set, so that intervals
    are never negative. Time in which the machine sleeps counts. Source: clock_gettime(2).
    """
    began, first = time.clock_gettime(time.CLOCK_BOOTTIME), datetime.now(UTC)
    return lambda: first + timedelta(seconds=time.clock_gettime(time.CLOCK_BOOTTIME) - began)
