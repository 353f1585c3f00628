# SPDX-License-Identifier: Apache-2.0
"""Keywords that put a replay, or an implementation, before a judge who is not the reference."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core import tshark
from headroom.core.results import collector
from headroom.core.results.record import Finding
from headroom.core.text import some
from headroom.keywords import verdicts
from headroom.keywords.artefacts import keep_captures, keep_text
from headroom.keywords.base import current_run, library
from headroom.schemes.rohc import judging, metrics
from headroom.schemes.rohc.judge import vectors
from headroom.schemes.rohc.keywords.replay import ReplayKeywords
from headroom.schemes.rohc.scheme import SCHEME


@library
class JudgeKeywords:
    """The ROHC judge made from the RFCs (headroom.schemes.rohc.judge), its hand-derived vectors, and tshark."""

    @keyword("Second Judge Should Agree")
    def second_judge(self, window: int = 1, refresh_limit: int | None = None) -> None:
        """Every link packet of the last replay is well-formed, allowed, and restored octet by octet by the judge.

        WINDOW: how many of the last packets the decompressor may have as its reference. REFRESH LIMIT: most packets
        between two IR packets in U-mode.
        """
        done = _replaying().done
        found = judging.second_judge(done, window, refresh_limit)
        current = collector.current()
        current.metric(metrics.JUDGED, found.packets - len(found.not_judged))
        current.metric(metrics.RESTORED_BY_JUDGE, found.restored)
        current.findings += found.findings[: verdicts.MOST_FINDINGS]
        musts = [one for one in found.findings if one.severity == "must"]
        if musts:
            keep_captures(done)
            raise AssertionError(f"{len(musts)} findings, the first: {verdicts.sentence(musts[0])}")
        if found.findings:
            current.judge(
                "non-strict", f"{len(found.findings)} findings, the first: {verdicts.sentence(found.findings[0])}"
            )
        if found.packets == len(found.not_judged):
            raise SkipExecution(f"The judge cannot read such packets: {some(found.not_judged, 1)}.")

    @keyword("Tshark Should Read The Same")
    def tshark_reads_the_same(self) -> None:
        """Packet type, CID, SN and CRC of the last replay as tshark parses them. Never the only judge."""
        if not tshark.available():
            raise SkipExecution("tshark is not installed, so the second reading is missing.")
        done = _replaying().done
        found = judging.compare_with_tshark(done)
        current = collector.current()
        current.metric(metrics.COMPARED_WITH_TSHARK, found.packets)
        current.metric(metrics.FIELDS_COMPARED_WITH_TSHARK, found.fields)
        current.findings += [
            Finding(sentence, judge="tshark") for sentence in found.differences[: verdicts.MOST_FINDINGS]
        ]
        if found.differences:
            keep_captures(done)
            raise AssertionError(f"{len(found.differences)} differences: {some(found.differences, 3)}")
        if not found.packets:
            raise SkipExecution("tshark reads no packet of this kind.")

    @keyword("Vector Should Be Decompressed")
    def vector_decompressed(self, name: str) -> None:
        """A hand-derived vector of resources/vectors/rohc: delivered, withheld and refused is what it says."""
        run = current_run()
        vector = _vectors().get(name)
        if vector is None:
            raise ValueError(f"there is no vector '{name}' in resources/vectors/rohc")
        wanted: dict[str, Any] = {"features": [vector.feature]} if vector.feature else {}
        wanted |= {"cids": [vector.channel.get("cids", "small")], "profiles": vector.channel.get("profiles", [])}
        if reason := run.decompressor.lacks("decompressor", SCHEME.name, **wanted):
            raise SkipExecution(f"{reason}.")
        verdicts.note("decompressor", run.decompressor, run.build)
        current = collector.current()
        current.parameters |= {"kind": "vector", "vector": name, "shows": vector.shows, "channel": vector.channel}
        wrong, document = judging.play_vector(vector, run.decompressor, run.build)
        current.metric(metrics.LINK_PACKETS, len(vector.steps))
        if wrong:
            keep_text("replay.json", json.dumps(document, indent=1), "engine document")
            raise AssertionError(f"{vector.shows} {some(wrong, 3)}")


@cache
def _vectors() -> dict[str, vectors.Vector]:
    return {vector.name: vector for vector in vectors.load()}


def _replaying() -> ReplayKeywords:
    """The library instance that ran the last replay."""
    from robot.libraries.BuiltIn import BuiltIn

    return BuiltIn().get_library_instance("ReplayKeywords")
