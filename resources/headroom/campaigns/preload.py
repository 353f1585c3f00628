# SPDX-License-Identifier: Apache-2.0
"""Loaded by Dask in each worker process, before its first task."""

import signal
from typing import Any

from headroom.campaigns import affinity, identity


def dask_setup(worker: Any) -> None:
    """Keeps the worker away from what it measures, and lets SIGINT pass: Ctrl-C on a terminal is for the process that
    keeps the worker alive. By a handler, for an ignored signal would be ignored by every program of a cell, too."""
    identity.remember()
    signal.signal(signal.SIGINT, lambda number, frame: None)
    affinity.keep_apart()
