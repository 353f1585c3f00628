# SPDX-License-Identifier: Apache-2.0
"""Checks each line between these tests and a user plane in the engine against its schema."""

from collections.abc import Iterator
from typing import Any

import pytest

from headroom.core import reference
from headroom.schemes.gtpu.user_plane import EngineUserPlane


@pytest.fixture(scope="session", autouse=True)
def lines_are_valid() -> Iterator[None]:
    exchange = EngineUserPlane._exchange

    def checked(self: EngineUserPlane, line: dict[str, Any]) -> dict[str, Any]:
        answer = exchange(self, line)  # raises for a line that the engine refuses
        assert reference.violations("job-user-plane", line) == []
        assert reference.violations("result-user-plane", answer) == []
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EngineUserPlane, "_exchange", checked)
        yield
