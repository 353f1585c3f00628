# SPDX-License-Identifier: Apache-2.0
"""Options of `./headroom replay` that are about a ROHC channel."""

from typing import Any

from headroom.core.errors import UsageError
from headroom.core.options import Option, number


def _mode(given: Any) -> str:
    if given not in ("U", "O", "R"):
        raise UsageError(f"The mode must be U, O or R, not '{given}'.")
    return str(given)


REPLAY = (
    Option("mode", "U", _mode, "U, O or R."),
    Option("cids", "small", str, "small or large."),
    Option("max_cid", 15, number("max-cid", 0, 16383, "", int), "the largest CID.", int),
)
