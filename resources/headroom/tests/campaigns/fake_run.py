# SPDX-License-Identifier: Apache-2.0
"""A program in the place of `./headroom` in tests of campaigns: it makes the folder of a run, and measures nothing.

Its first words are how it behaves, up to `--`: `fail`, `refuse`, `hang`, `slow=SECONDS`, `note=FILE` (a line at its
beginning and its end), `cpus=FILE` (CPUs of the program and of its worker), `hang-once=FILE` (where the file is not
there yet), `loads=LIBRARY` (another than that of the cell), `kill-worker-of=CELL` (while it measures that),
`cut-short=STATUS` (after its first record).
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

from headroom.campaigns import identity
from headroom.core import implementations
from headroom.core.paths import sha256_of
from headroom.core.results import store
from headroom.core.run import session
from headroom.core.run.session import Plan
from headroom.core.settings import Settings
from headroom.tests import sample


def main() -> int:
    end = sys.argv.index("--")
    behaviour = dict(word.partition("=")[::2] for word in sys.argv[1:end])
    command, *words = sys.argv[end + 1 :]
    if note := behaviour.get("note"):
        with open(note, "a", encoding="utf-8") as file:
            file.write(f"begin {os.getpid()} {time.monotonic_ns()}\n")
    if cpus := behaviour.get("cpus"):
        found = {name: sorted(os.sched_getaffinity(pid)) for name, pid in (("own", 0), ("worker", os.getppid()))}
        Path(cpus).write_text(json.dumps(found), encoding="utf-8")
    if once := behaviour.get("hang-once"):
        try:
            Path(once).touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            time.sleep(600)
    if f".cell-{behaviour.get('kill-worker-of', 'none')}-" in os.environ["HEADROOM_OUT"]:
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(600)
    if "hang" in behaviour:
        time.sleep(600)
    time.sleep(float(behaviour.get("slow", 0)))
    if "refuse" in behaviour:
        print("headroom: this machine has no such thing.", file=sys.stderr)
        return 2
    given = {name.removeprefix("--"): value for name, value in itertools.pairwise(words) if name[:2] == "--"}
    suites = words[: next(number for number, word in enumerate(words) if word.startswith("--"))]
    sides = {name: given[name] for name in ("compressor", "decompressor") if name in given}
    settings = Settings(build=given["build"], seed=int(given["seed"]), quick="--quick" in words)
    settings = replace(settings, **sides)  # type: ignore[arg-type]
    folder = session.new_folder()
    plan = Plan(replace(settings, folder=folder), ["papers/effnet_2007"] if command == "reproduce" else suites)
    session.keep(plan)
    commit = identity.here().commit
    record = sample.record("smoke/first/One", "fail" if "fail" in behaviour else "pass", seed=int(given["seed"]))
    record.run, record.harness = folder.name, {"version": "0.1.0", "commit": commit, "changed": False}
    for role, word in sides.items():
        library = Path(behaviour.get("loads") or implementations.find(word).library_path())
        digest = sha256_of(library)
        setattr(record, role, {"name": Path(word).name, "version": None, "build": None, "sha256": digest})
    store.write(folder, record)
    if "cut-short" in behaviour:
        print("headroom: the disk is full.", file=sys.stderr)
        return int(behaviour["cut-short"])
    print(json.dumps({"results": str(folder / "results")}))
    if note:
        with open(note, "a", encoding="utf-8") as file:
            file.write(f"end {os.getpid()} {time.monotonic_ns()}\n")
    return 1 if "fail" in behaviour else 0


if __name__ == "__main__":
    sys.exit(main())
