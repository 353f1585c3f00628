#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for `headroom-engine`: as a node, a socket, a document at SIGTERM, and what the job's `fake` says; as
`generate` and `serve`, trials of which nothing is lost."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import socket
import sys
import time
from typing import Any, NoReturn


def end(number: int, frame: object) -> NoReturn:
    if not isinstance(job["control"], int):
        os.unlink(job["control"])
    print(json.dumps({"command": sys.argv[1], "job": job, "pad": "x" * job.get("pad", 0)} | seal), flush=True)
    os._exit(0)


def trial(job: dict[str, Any]) -> dict[str, Any]:
    time.sleep(job["duration_s"])
    count = round(job["rate_pps"] * job["duration_s"])
    numbers = {"sent": count, "received": count, "octets_sent": 60 * count, "lost": 0, "unexpected": 0, "duplicated": 0}
    rates = {"requested_pps": job["rate_pps"], "achieved_pps": job["rate_pps"], "fell_behind": False}
    return {"complete": True, "forward": numbers | rates, "reverse": numbers | rates}


if sys.argv[1] == "serve":
    for line in sys.stdin:
        request = json.loads(line)
        reply = {"jsonrpc": "2.0", "id": request["id"], "result": trial(request["params"])}
        print(json.dumps(reply), flush=True)
    sys.exit(0)
job = json.loads(sys.stdin.read())
seal = {"seal": job.pop("seal")} if "seal" in job else {}  # a result bears that of its job
fake = job.get("fake", "")
time.sleep(job.get("slow_s", 0.0))
if fake == "refuses":
    print(json.dumps({"error": {"kind": "input", "message": "there is no interface 'nowhere'", "where": "/plain"}}))
    sys.exit(1)
if fake == "never-ready":
    print("still looking for the interface", file=sys.stderr, flush=True)
    time.sleep(600)
signal.signal(signal.SIGTERM, signal.SIG_IGN if fake == "ignores-sigterm" else end)
if sys.argv[1] == "generate" and "rate_pps" in job:
    print(json.dumps(trial(job) | seal))
    sys.exit(0)
if isinstance(job["control"], int):
    server = socket.socket(fileno=job["control"])
else:  # a path, on another host
    server = socket.socket(socket.AF_UNIX)
    server.bind(job["control"])
    server.listen()
server.settimeout(job.get("ends_after_s"))
deadline = time.monotonic() + job.get("ends_after_s", 1e9)
while time.monotonic() < deadline:
    with contextlib.suppress(TimeoutError):
        connection, _ = server.accept()
        answer = job.get("answer") or json.dumps({"statistics": True, "pid": os.getpid()})
        if answer.startswith("{") and seal and fake != "forges":
            control = hashlib.sha256(f"{seal['seal']} control".encode()).hexdigest()
            answer = json.dumps(json.loads(answer) | {"seal": control})
        connection.sendall(answer.encode())
        connection.close()
if fake == "aborts":
    print("the adapter's last words", file=sys.stderr, flush=True)
    os.abort()
end(0, None)
