# SPDX-License-Identifier: Apache-2.0
"""Loaded by Dask in each worker process, before its first task."""

import signal
from typing import Any

from headroom.campaigns import affinity, identity


def dask_setup(worker: Any) -> None:
    """Keeps the worker on the CPU that measurements use last, and lets it ignore SIGINT: Ctrl-C on a terminal is for
    the process that keeps the worker alive. It uses a handler, because every program of a cell would inherit an ignored
    signal.
    """
    identity.remember()
    signal.signal(signal.SIGINT, lambda number, frame: None)
    affinity.keep_apart()
