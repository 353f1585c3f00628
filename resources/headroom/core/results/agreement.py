# SPDX-License-Identifier: Apache-2.0
"""Agreement of the items of records, which are figures of a paper beside ours, with their references."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from headroom.core.results.record import Kind, Verdict

PRINTED, SAID, CALCULATED = "Numbers that the paper prints", "Statements of the paper in words", "Our models and bounds"


def basis(item: dict[str, Any]) -> str:
    """The basis of an item's verdict: PRINTED, SAID or CALCULATED; "" if nothing is compared."""
    if item["kind"] == "context":
        return ""
    if item["paper"] is not None:
        return PRINTED
    if item.get("says"):
        return SAID
    return CALCULATED if item.get("model") is not None or item.get("expected") else ""


def verdict_of(item: dict[str, Any]) -> Verdict | None:
    """The verdict of an item; None if it has none. Older records call measured context "pass"."""
    verdict: Verdict | None = item["verdict"]
    return None if verdict == "pass" and not basis(item) else verdict


def agreement(items: Iterable[dict[str, Any]]) -> dict[tuple[str, Kind], Counter[str]]:
    """The verdicts of the compared items, by basis and kind, in that order."""
    counts: dict[tuple[str, Kind], Counter[str]] = {
        (about, kind): Counter() for about in (PRINTED, SAID, CALCULATED) for kind in ("must-match", "shape")
    }
    for item in items:
        if about := basis(item):
            counts[about, item["kind"]][item["verdict"] or ""] += 1
    return {key: verdicts for key, verdicts in counts.items() if verdicts}
