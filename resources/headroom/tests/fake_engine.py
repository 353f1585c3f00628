#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for headroom-engine that does what the job's `fake` key says: a crashed, hung or lying adapter."""

from __future__ import annotations

import json
import os
import signal
import sys
import time


def main() -> None:
    job = json.loads(sys.stdin.read())
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
        case "wrong-job":
            print(json.dumps({"error": {"kind": "job", "message": "loss must be 0..1", "where": "/link/forward/loss"}}))
            sys.exit(2)
        case "silent-exit":
            sys.exit(7)
        case "flood":
            while True:
                sys.stdout.write("x" * 65536)
        case "grandchild":
            if os.fork() == 0:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                time.sleep(600)
            time.sleep(600)
        case _:
            print(json.dumps({"command": sys.argv[1], "job": job, "pid": os.getpid()}))


main()
