# SPDX-License-Identifier: Apache-2.0
"""Keywords that have a replay judged by a judge other than the reference."""

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core import replay_metrics
from headroom.core.results import collector
from headroom.core.text import some
from headroom.keywords import cases, verdicts
from headroom.keywords.artefacts import keep_captures
from headroom.keywords.base import library
from headroom.schemes.rohc import judging
from headroom.schemes.rohc.keywords.replay import ReplayKeywords


@library
class JudgeKeywords:
    """The ROHC judge made from the RFCs (headroom.schemes.rohc.judge), its hand-derived vectors, and tshark."""

    @keyword("Second Judge Should Agree")
    def second_judge(self, window: int = 1, refresh_limit: int | None = None) -> None:
        """Every link packet of the last replay is well-formed, allowed, and restored octet by octet by the judge.

        WINDOW is the number of the last packets any of which the decompressor may use as its reference. REFRESH LIMIT
        is the largest number of packets between two IR packets in U-mode.
        """
        result = _replaying().done
        judgement = judging.second_judge(result, window, refresh_limit)
        current = collector.current()
        current.metric(replay_metrics.JUDGED, judgement.packets - len(judgement.not_judged))
        current.metric(replay_metrics.RESTORED_BY_JUDGE, judgement.restored)
        current.findings += judgement.findings[: verdicts.MOST_FINDINGS]
        musts = [finding for finding in judgement.findings if finding.severity == "must"]
        if musts:
            keep_captures(result)
            raise AssertionError(f"{len(musts)} findings, the first: {musts[0]}")
        if judgement.findings:
            current.judge("non-strict", f"{len(judgement.findings)} findings, the first: {judgement.findings[0]}")
        if judgement.packets == len(judgement.not_judged):
            raise SkipExecution(f"The judge does not support these packets: {some(judgement.not_judged, 1)}.")

    @keyword("Tshark Should Read The Same")
    def tshark_reads_the_same(self) -> None:
        """Packet type, CID, SN and CRC of the last replay as tshark parses them. Never the only judge."""
        result = _replaying().done
        reading = cases.must_be_read_alike(lambda: judging.compare_with_tshark(result), result)
        if not reading.packets:
            raise SkipExecution("tshark reads no packet of this kind.")


def _replaying() -> ReplayKeywords:
    """The library instance that ran the last replay."""
    from robot.libraries.BuiltIn import BuiltIn

    return BuiltIn().get_library_instance("ReplayKeywords")
