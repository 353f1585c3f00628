# SPDX-License-Identifier: Apache-2.0
"""Named arguments of `Replay …` that are about a link with IPHC: parameters of RFC 2507, 14."""

from headroom.core.replay import Replay, ReplayConfig
from headroom.core.replay_options import ReplayWords, boolean, into

NUMBERS = ("tcp_space", "non_tcp_space", "max_header", "f_max_period", "f_max_time")
ARGUMENTS = {name: into("channel", name, int) for name in NUMBERS}
ARGUMENTS["reordering"] = into("channel", "reordering", boolean)
ARGUMENTS["compress"] = into("channel", "compress", str)  # RFC 3544, 2.4: all, tcp or non-tcp


def settle(config: ReplayConfig) -> None:
    """CONTEXT_STATE packets have a way back (RFC 3544, 4) where nothing else is said."""
    config.feedback.setdefault("path", "own")


def remarks(result: Replay) -> list[str]:
    return []


WORDS = ReplayWords(ARGUMENTS, settle, remarks)
