# SPDX-License-Identifier: Apache-2.0
"""A failure's signature: a few words that are the same wherever the same thing goes wrong.

No name, mode, CID or packet number is in it, so that cells of different implementations, traffic and links meet in one
group.
"""

import re

from headroom.core import replay
from headroom.core.engine import EngineFailure

SEPARATOR = " · "
MOST = 90  # characters of a sentence


def of_failure(failure: EngineFailure, side: str) -> str:
    """An engine that gave no result: `side` is compressor, decompressor or both."""
    signal = re.search(r"died from (SIG\w+)", str(failure))
    what = {
        "crash": f"crash by {signal[1]}" if signal else "crash",
        "timeout": "hang",
        "left-behind": "leaves a process behind",
        "garbage": "ends the engine's process",
    }.get(failure.kind, plain(str(failure)))
    return SEPARATOR.join((side, what))


def of_promise(done: replay.Replay) -> str:
    """A broken promise of the ABI."""
    broken = done.document["promise_broken"]
    return SEPARATOR.join((broken["side"], f"broken promise in {broken['function']}", plain(broken["message"])))


def plain(sentence: str) -> str:
    """A sentence without what differs from case to case: numbers and paths."""
    text = re.sub(r"(/[^\s/]+)+/", "", sentence)
    text = re.sub(r"0x[0-9a-fA-F]+|\b\d+\b", "N", text)
    return text if len(text) <= MOST else f"{text[: MOST - 1].rstrip()}…"
