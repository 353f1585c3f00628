# SPDX-License-Identifier: Apache-2.0
"""Robust Header Compression as a scheme."""

from __future__ import annotations

from headroom.core.scheme import Scheme

SCHEME = Scheme(name="rohc", title="ROHC", roles=("compressor", "decompressor"))
