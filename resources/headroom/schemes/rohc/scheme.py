# SPDX-License-Identifier: Apache-2.0
"""Robust Header Compression as a scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headroom.core.scheme import Scheme
from headroom.schemes.rohc.options import REPLAY

if TYPE_CHECKING:
    from headroom.core.replay_options import ReplayWords


def _replay() -> ReplayWords:
    from headroom.schemes.rohc.replay_arguments import WORDS

    return WORDS


SCHEME = Scheme(name="rohc", title="ROHC", roles=("compressor", "decompressor"), replay_options=REPLAY, replay=_replay)
