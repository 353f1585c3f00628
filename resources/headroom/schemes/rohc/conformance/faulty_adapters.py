# SPDX-License-Identifier: Apache-2.0
"""Adapters that misbehave on purpose (resources/engine/tests/faulty), and the harness's reaction to them."""

import contextlib
import os
import re
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from headroom.core import capabilities, engine, sandbox
from headroom.core.paths import ROOT, build_folder

TIMEOUT_S = 3.0  # of an adapter that hangs; the others need a tenth of a second
LONG_FEEDBACK = "f0c8" + "11" * 200
GARBAGE = ("ff" * 40, "00", "e0" * 3, "f8ff", "a5" * 1500)


def folder(build: str) -> Path:
    return build_folder(build) / "lib" / "faulty"


def job(library: Path) -> dict[str, Any]:
    """Ordinary packets and garbage through a faulty adapter on both sides."""
    side = {"library": str(library), "config": {"scheme": "rohc"}}
    plain = [{"time_ns": n * 20_000_000, "hex": bytes(range(n + 1, n + 61)).hex()} for n in range(40)]
    insert = [{"before": 20 + n, "hex": octets} for n, octets in enumerate(GARBAGE)]
    return {
        "compressor": side,
        "decompressor": side,
        "source": {"packets": plain},
        "link": {"forward": {"insert": insert}, "feedback": {"path": "own"}},
        "control": [{"before": 30, "side": "compressor", "feedback": LONG_FEEDBACK}],
    }


def library(libraries: Path, fault: str) -> Path:
    """The library of the adapter with a fault, or of the intruder with an attack."""
    path = libraries / f"intruder_{fault}.so"
    return path if path.is_file() and fault != "none" else libraries / f"faulty_{fault}.so"


def provoke(libraries: Path, fault: str, build: str) -> str:
    """Runs an adapter with this fault. Returns the harness's sentence about it; "" if the harness noticed nothing."""
    with tempfile.TemporaryDirectory() as outputs:
        document = job(library(libraries, fault))
        if fault == "changes_an_output":
            document["outputs"] = {"source": str(Path(outputs) / "source.pcapng")}
        try:
            document = engine.run("replay", document, TIMEOUT_S, build)
            capabilities.promise(document)
        except (engine.EngineFailure, capabilities.Misbehaviour) as failure:
            return str(failure)
    verdicts = document["forward"]["verdicts"]
    return f"{verdicts['mismatched']} packets come out with other octets." if verdicts["mismatched"] else ""


def intrude(libraries: Path, attack: str, build: str, folder: Path) -> str:
    """Runs an adapter that attacks its machine (resources/engine/tests/intruder). Returns a sentence if the attack
    succeeded; "" if not. Files to attack are created in `folder`, a folder of the run, and in the harness."""
    home = folder / "home"
    files = {"reads_a_file": home / ".ssh" / "key", "makes_a_file": ROOT / "resources" / "intruder.py"}
    file = files.get(attack, folder if attack == "fills_the_disk" else folder / "record.json")
    (home / ".ssh").mkdir(parents=True, exist_ok=True)
    for path in (home / ".ssh" / "key", folder / "record.json"):
        path.write_text("{}\n", encoding="utf-8")
    with _listening(attack == "connects_to_loopback") as port, _knocking(attack == "listens_on_loopback", port):
        given = {"INTRUDER_FILE": file, "INTRUDER_PID": os.getpid(), "INTRUDER_PORT": port, "HOME": home}
        passed = re.compile(rf"{sandbox.PASSED.pattern}|INTRUDER_\w+")
        with (
            mock.patch.dict(os.environ, {name: str(value) for name, value in given.items()}),
            mock.patch.object(sandbox, "PASSED", passed),
        ):
            sentence = provoke(libraries, attack, build)
    is_there = files["makes_a_file"].exists()
    files["makes_a_file"].unlink(missing_ok=True)
    was_changed = is_there or (folder / "record.json").read_text(encoding="utf-8") != "{}\n"
    return sentence or ("A file of the harness was changed." if was_changed else "")


@contextlib.contextmanager
def _listening(stays: bool) -> Iterator[int]:
    """A TCP port of loopback, on which something listens if it `stays`."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = int(listener.getsockname()[1])
        if not stays:
            listener.close()
        yield port


@contextlib.contextmanager
def _knocking(knocks: bool, port: int) -> Iterator[None]:
    """Lets another thread connect to a TCP port of loopback again and again while the block runs, if `knocks`."""
    over = threading.Event()

    def knock() -> None:
        while not over.wait(0.01):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1.0).close()

    thread = threading.Thread(target=knock, daemon=True)
    if knocks:
        thread.start()
    try:
        yield
    finally:
        over.set()
        if knocks:
            thread.join()
