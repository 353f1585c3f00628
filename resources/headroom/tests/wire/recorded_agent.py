# SPDX-License-Identifier: Apache-2.0
"""Plays back what a real TRex server answered to the agent: the exchanges of a file, in order.

A request other than the one recorded is answered with an error that says so. How often the driver asks whether ports
still send depends on the clock, so such questions may be asked once more or once less than they were.

    recorded_agent.py RECORDING ROOT
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ASKED_AT_WILL = ("active", "ping")


def main(recording: str, root: str) -> None:
    left = [json.loads(line.replace("{ROOT}", root)) for line in Path(recording).read_text().splitlines()]
    last: dict[str, Any] = {}
    for line in sys.stdin:
        request = json.loads(line)
        reply = answer(request, left, last)
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **reply}), flush=True)


def answer(request: dict[str, Any], left: list[dict[str, Any]], last: dict[str, Any]) -> dict[str, Any]:
    method = request["method"]
    if method not in ASKED_AT_WILL:
        while left and left[0]["request"]["method"] in ASKED_AT_WILL:
            left.pop(0)
    elif not left or left[0]["request"]["method"] != method:
        return last.get(method, {"result": {"active": []}})
    if not left:
        return wrong(f"the recording has ended, and {method} is asked")
    recorded = left.pop(0)
    before, now = essence(recorded["request"]), essence(request)
    if before != now:
        return wrong(f"{now}; recorded: {before}")
    last[method] = {key: value for key, value in recorded["reply"].items() if key in ("result", "error")}
    return last[method]


def essence(request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What is asked, without the names of temporary files and of the build whose engine renders."""
    parameters = dict(request["params"])
    if "captures" in parameters:
        parameters["captures"] = sorted(parameters["captures"])
    if "--engine" in (words := list(parameters.get("tunables", []))):
        at = words.index("--engine")
        parameters["tunables"] = words[:at] + words[at + 2 :]
    return request["method"], parameters


def wrong(message: str) -> dict[str, Any]:
    return {"error": {"code": -32600, "message": f"not as recorded: {message}", "data": {"exception": "NotRecorded"}}}


if __name__ == "__main__":
    main(*sys.argv[1:])
