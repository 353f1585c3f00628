# SPDX-License-Identifier: Apache-2.0
"""Keywords of its conformance suite."""

from collections.abc import Sequence
from dataclasses import replace

from headroom.schemes.toy.judge import judge_compressor
from headroom.schemes.toy.line import compress, decompress
from headroom.schemes.toy.scheme import SCHEME
from robot.api.deco import keyword

from headroom.core.replay import ReplayConfig
from headroom.core.run.run import Run
from headroom.keywords import verdicts
from headroom.keywords.base import library

JUDGE = "judge (toy draft)"


@library
class ToyKeywords:
    """Traffic through one side, before the judge."""

    @keyword("Sessions Should Be Kept")
    def sessions_kept(self, profile: str, sessions: int) -> None:
        """The compressor's link packets restore every packet."""
        run = verdicts.run_about("compressor")
        verdicts.require(SCHEME, run, "compressor", sessions=sessions)
        packets = _compressed(run, profile, sessions)
        verdicts.conclude(verdicts.of_judge(judge_compressor(packets), JUDGE), "compressor")

    @keyword("Sessions Should Be Restored")
    def sessions_restored(self, profile: str, sessions: int, lost: float = 0.0) -> None:
        """Every packet that arrives comes out, as the judge restores it."""
        run = verdicts.run_about("decompressor")
        for role in ("compressor", "decompressor"):
            verdicts.require(SCHEME, run, role, sessions=sessions)
        packets = _compressed(run, profile, sessions)
        found, _ = decompress(run.decompressor, packets, sessions, run.build, float(lost), run.seed)
        verdicts.conclude(verdicts.of_judge(found, JUDGE), "decompressor")


def _compressed(run: Run, profile: str, sessions: int) -> Sequence[tuple[bytes, bytes]]:
    config = ReplayConfig("toy", run.compressor, None, profile, 4, 200, seed=run.seed, build=run.build)
    return compress(replace(config, channel={"sessions": sessions})).packets
