# SPDX-License-Identifier: Apache-2.0
"""A process that measures one night, with a faked measurer, and ends itself by SIGKILL at one of its writes.

Arguments: the folder, the number of the night, and the write (counted by fsync) at which it dies; 0 for the first.
"""

from __future__ import annotations

import os
import signal
import sys
from datetime import timedelta
from pathlib import Path

from headroom.history.store import History
from headroom.nightly import night
from headroom.nightly.binaries import BinaryStore
from headroom.tests.nightly.fake_measurer import Clock, FakeMeasurer


def main(folder: Path, number: int, write: int) -> None:
    store = BinaryStore(folder / "history" / "binaries" / "rack-1")
    history = History(folder / "history")
    measurer = FakeMeasurer(folder, store, seed=number)
    measurer.head = f"k{number}"
    measurer.commits[measurer.head] = f"100 100 {number}"
    measurer.verdicts["conformance/rohc/A"] = "fail"
    clock = Clock()
    clock.time += timedelta(days=number)
    left = write
    fsync = os.fsync

    def deadly(descriptor: int) -> None:
        nonlocal left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        fsync(descriptor)

    os.fsync = deadly
    with history.lock():
        night.run(history, store, measurer, night.NightOptions(), clock, lambda sentence: None)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
