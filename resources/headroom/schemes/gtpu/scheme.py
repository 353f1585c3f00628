# SPDX-License-Identifier: Apache-2.0
"""GTP-U as a scheme."""

from __future__ import annotations

from headroom.core.scheme import Scheme

SCHEME = Scheme(name="gtpu", title="GTP-U", roles=("encapsulator", "decapsulator"))
