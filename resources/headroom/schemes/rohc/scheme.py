# SPDX-License-Identifier: Apache-2.0
"""Robust Header Compression as a scheme."""

from __future__ import annotations

from headroom.core.scheme import Interop, Scheme
from headroom.schemes.rohc.interop.axes import AXES, LINKS


def _interop() -> Interop:
    from headroom.schemes.rohc.interop.matrix import INTEROP

    return INTEROP


SCHEME = Scheme(
    name="rohc",
    title="ROHC",
    roles=("compressor", "decompressor"),
    described=("profiles", "modes", "cids", "max_cid", "max_channels", "feedback"),
    axes=AXES,
    links=LINKS,
    interop=_interop,
)
