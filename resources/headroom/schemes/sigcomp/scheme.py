# SPDX-License-Identifier: Apache-2.0
"""Signalling compression as a scheme."""

from __future__ import annotations

from headroom.core.scheme import Scheme
from headroom.schemes.sigcomp.options import OPTIONS

SCHEME = Scheme(name="sigcomp", title="SigComp", roles=("endpoint",), options=OPTIONS)
