# SPDX-License-Identifier: Apache-2.0
"""Adapters that misbehave on purpose (resources/engine/tests/faulty): what the harness makes of them."""

from pathlib import Path
from typing import Any

from headroom.core import capabilities, engine
from headroom.core.paths import build_folder

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


def provoke(libraries: Path, fault: str, build: str) -> str:
    """What the harness says of an adapter with this fault: a sentence, "" when it noticed nothing."""
    try:
        document = engine.run("replay", job(libraries / f"faulty_{fault}.so"), TIMEOUT_S, build)
        capabilities.promise(document)
    except (engine.EngineFailure, capabilities.Misbehaviour) as failure:
        return str(failure)
    verdicts = document["forward"]["verdicts"]
    return f"{verdicts['mismatched']} packets come out other than they were." if verdicts["mismatched"] else ""
