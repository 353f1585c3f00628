# SPDX-License-Identifier: Apache-2.0
"""Sessions of a load on the wire."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from headroom.core.capabilities import Inconclusive
from headroom.schemes.gtpu import wire_load
from headroom.schemes.gtpu.conversation import CONTROL, CONTROL_PORT, Facts
from headroom.schemes.gtpu.user_plane import N4Sent, Step


def test_an_answer_that_is_no_pfcp_leaves_the_load_undecided() -> None:
    plane: Any = SimpleNamespace(n4=lambda *_: Step(n4=(N4Sent(b"\x20", CONTROL, CONTROL_PORT),)))
    with pytest.raises(Inconclusive, match="no PFCP message: The header has 8 octets at least"):
        wire_load.establish(plane, Facts(), [])
