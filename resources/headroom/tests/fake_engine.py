#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for headroom-engine that does what the job's `fake` key says: a crashed, hung or lying adapter."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path


def linger(marker: str, first: Callable[[], None]) -> None:
    """Starts a process that stays, and notes its number in a file."""
    if pid := os.fork():
        with open(marker, "w") as file:
            file.write(str(pid))
        return
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    first()
    time.sleep(600)
    os._exit(0)


def main() -> None:
    job = json.loads(sys.stdin.read())
    seal = {"seal": job.pop("seal")}
    match job.get("fake"):
        case "crash":
            print("the adapter's last words", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGSEGV)
        case "sanitizer":
            print(
                "==1==ERROR: AddressSanitizer\nSUMMARY: AddressSanitizer: heap-use-after-free x.cc:1\ntail",
                file=sys.stderr,
                flush=True,
            )
            os.abort()
        case "hang":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        case "close-and-hang":
            os.close(1)
            os.close(2)
            time.sleep(600)
        case "garbage":
            print("adapter was here{}")
        case "list":
            print("[]")
        case "not-utf8":
            sys.stdout.buffer.write(b"\xff\xfe{}")
        case "nothing":
            pass
        case "refuse":
            print(json.dumps({"error": {"kind": "adapter", "message": "no such library", "where": "/library"}}))
            sys.exit(1)
        case "half-characters" | "half-characters-with-seal":
            refusal = {"kind": "adapter", "message": "no \ud83d such library", "where": ""}
            print(json.dumps({"error": refusal, **(seal if "with" in job["fake"] else {})}))
            sys.exit(1)
        case "refuse-config":
            refusal = {"kind": "adapter", "message": "refuses the configuration", "where": "/compressor/config"}
            print(json.dumps({"error": refusal}))
            sys.exit(1)
        case "blames" | "blames-with-seal":
            refusal = {"kind": "adapter", "message": "refuses the configuration", "where": "/decompressor/config"}
            print(json.dumps({"error": refusal, **(seal if job["fake"] == "blames-with-seal" else {})}))
            sys.exit(1)
        case "no-capture":
            print(json.dumps({"error": {"kind": "input", "message": "cannot open the capture x.pcap.", "where": ""}}))
            sys.exit(1)
        case "full-disk":
            print(json.dumps({"error": {"kind": "output", "message": "x cannot be written: full.", "where": ""}}))
            sys.exit(1)
        case "wrong-job":
            print(json.dumps({"error": {"kind": "job", "message": "loss must be 0..1", "where": "/link/forward/loss"}}))
            sys.exit(2)
        case "shut" | "full":
            why = "Bad file descriptor" if job["fake"] == "shut" else "Too many open files"
            refusal = {"kind": "output", "message": f"x cannot be written: {why}.", "where": ""}
            print(json.dumps({"error": refusal, **seal}))
            sys.exit(1)
        case "result-and-2":
            print(json.dumps({"records": [], **seal}))
            sys.exit(2)
        case "error-and-0" | "error-and-2":
            print(json.dumps({"error": {"kind": "adapter", "message": "no such library", "where": ""}, **seal}))
            sys.exit(int(job["fake"][-1]))
        case "forged":  # an adapter's, which does not know the seal
            print(json.dumps({"records": [], "verdict": "pass"}))
        case "forged-seal":
            print(json.dumps({"records": [], "seal": "0" * 32}))
        case "silent-exit":
            sys.exit(7)
        case "flood":
            while True:
                sys.stdout.write("x" * 65536)
        case "forks":  # and answers in order; the other keeps the pipes open
            linger(job["marker"], lambda: None)
            print(json.dumps(seal))
        case "forks-silently":  # the other keeps nothing open
            linger(job["marker"], lambda: os.closerange(0, 3))
            print(json.dumps(seal))
        case "forks-and-leaves":  # the other goes to a session of its own

            def leave() -> None:
                os.setsid()
                os.closerange(0, 3)

            linger(job["marker"], leave)
            print(json.dumps(seal))
        case "forks-and-hangs":  # the other in a process group of its own
            linger(job["marker"], os.setpgrp)
            time.sleep(600)
        case "writes":  # an output, and reports it before an adapter does something to it
            path = Path(job["outputs"]["link"])
            if not path.is_fifo():
                path.write_bytes(b"octets")
            written = {"octets": 6, "sha256": hashlib.sha256(b"octets").hexdigest()}
            print(json.dumps({"outputs": {"link": written}, **seal}))
            subprocess.run(["/bin/sh", "-c", job["then"], "adapter", path], check=True)
        case _:
            print(json.dumps({"command": sys.argv[1], "job": job, "began_ns": time.monotonic_ns(), **seal}))


main()
