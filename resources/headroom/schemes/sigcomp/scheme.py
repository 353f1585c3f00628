# SPDX-License-Identifier: Apache-2.0
"""Signalling compression as a scheme."""

from __future__ import annotations

from headroom.core.scheme import Interop, Scheme
from headroom.schemes.sigcomp.interop.axes import AXES, LINKS


def _interop() -> Interop:
    from headroom.schemes.sigcomp.interop.matrix import INTEROP

    return INTEROP


SCHEME = Scheme(
    name="sigcomp",
    title="SigComp",
    roles=("endpoint",),
    axes=AXES,
    links=LINKS,
    interop=_interop,
)
