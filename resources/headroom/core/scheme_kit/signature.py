# SPDX-License-Identifier: Apache-2.0
"""A failure's signature: a few words that are the same for all failures of one kind.

It holds no name, mode, CID or packet number, so that cells of different implementations, traffic and links form one
group.
"""

import re

from headroom.core import replay
from headroom.core.engine import EngineFailure

SEPARATOR = " · "
MOST = 90  # most characters of a sentence


def of_failure(failure: EngineFailure, side: str) -> str:
    """The signature of an engine that gave no result: `side` is compressor, decompressor or both."""
    signal = re.search(r"died from (SIG\w+)", str(failure))
    kinds = {
        "crash": f"crash by {signal[1]}" if signal else "crash",
        "timeout": "hang",
        "left-behind": "leaves a process behind",
        "garbage": "ends the engine's process",
        "tampered": "changes an output of the engine",
    }.get(failure.kind, plain(str(failure)))
    return SEPARATOR.join((side, kinds))


def of_promise(result: replay.Replay) -> str:
    """The signature of a broken promise of the ABI."""
    broken = result.document["promise_broken"]
    return SEPARATOR.join((broken["side"], f"broken promise in {broken['function']}", plain(broken["message"])))


def plain(sentence: str) -> str:
    """A sentence without the details of the case: numbers and paths."""
    text = re.sub(r"(/[^\s/]+)+/", "", sentence)
    text = re.sub(r"0x[0-9a-fA-F]+|\b\d+\b", "N", text)
    return text if len(text) <= MOST else f"{text[: MOST - 1].rstrip()}…"
