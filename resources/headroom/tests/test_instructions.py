# SPDX-License-Identifier: Apache-2.0
"""Profiles of Callgrind, which have the names of an adapter's functions as they are."""

from pathlib import Path
from typing import Any

import pytest

from headroom.core import engine, instructions

PROFILE = """ob=(1) engine
fn=(1) headroom::compress_in_adapter(x)
cob=(2) /mine.so
cfn=(2) c
calls=1 1
1 {cost}
"""


def count(monkeypatch: pytest.MonkeyPatch, cost: int) -> dict[str, int]:
    def run(command: str, job: Any, timeout_s: float, build: str, folders: list[Path], under: Any) -> dict[str, Any]:
        (folders[0] / "profile").write_text(PROFILE.format(cost=cost))
        return {}

    monkeypatch.setattr(engine, "run", run)
    monkeypatch.setattr(instructions, "lacking", lambda: "")
    return instructions.count("replay", {}, [Path("/mine.so")], "gcc-O2")[0]


def test_calls_into_a_library_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert count(monkeypatch, 77) == {"headroom::compress_in_adapter": 77}


@pytest.mark.parametrize("cost", [-1, 10**400])
def test_a_cost_that_nothing_has_is_not_believed(monkeypatch: pytest.MonkeyPatch, cost: int) -> None:
    with pytest.raises(instructions.CountFailed):
        count(monkeypatch, cost)
