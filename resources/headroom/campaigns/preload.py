# SPDX-License-Identifier: Apache-2.0
"""Loaded by Dask in each worker process: Ctrl-C on a terminal is for the process that keeps the worker alive, alone."""

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Lets SIGINT pass. By a handler: an ignored signal would also be ignored by every program that a cell starts."""
    signal.signal(signal.SIGINT, lambda number, frame: None)
