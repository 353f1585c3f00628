# SPDX-License-Identifier: Apache-2.0
"""A scheduler and a worker say what they do, and no library says more."""

from __future__ import annotations

import signal
import socket
import subprocess
from pathlib import Path

from headroom.core import process_group
from headroom.core.paths import ROOT
from headroom.tests.campaigns.network import HEADROOM, PATIENCE_S


def started(*words: str) -> tuple[subprocess.Popen[str], list[str]]:
    """A process and its lines up to the one that tells how to end it."""
    process = process_group.start(
        [*HEADROOM, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT
    )
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line.strip())
        if "Ctrl-C ends it" in line:
            break
    return process, lines


def ended(process: subprocess.Popen[str], lines: list[str]) -> list[str]:
    process.send_signal(signal.SIGINT)
    try:
        return lines + process.communicate(timeout=PATIENCE_S)[0].splitlines()
    finally:
        process_group.stop(process)


def test_scheduler_and_worker_say_nothing_of_their_library(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    scheduler, of_scheduler = started("scheduler", "--listen", address)
    worker, of_worker = started("worker", address, "--machine", "one")
    of_worker = ended(worker, of_worker)
    of_scheduler = ended(scheduler, of_scheduler)
    assert of_worker == [f"The machine one works for {address}; Ctrl-C ends it."]
    assert of_scheduler == [
        "Without TLS, every user of this machine can run programs as you: see `./headroom campaign keys`.",
        f"The scheduler listens at {address}; Ctrl-C ends it.",
    ]
