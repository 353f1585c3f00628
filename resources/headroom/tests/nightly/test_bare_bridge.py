# SPDX-License-Identifier: Apache-2.0
"""The bare bridge, over interfaces of namespaces."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from headroom.core.errors import HeadroomError
from headroom.nightly import bare_bridge
from headroom.nightly.measurer import default_measurer
from headroom.testbed import netns
from headroom.tests.wire.namespaces import needs_namespaces


@pytest.mark.long
@needs_namespaces
def test_frames_pass_the_bridge(real_build: str, tmp_path: Path) -> None:
    if reason := bare_bridge.lacking(real_build):
        pytest.skip(reason)
    measurer = default_measurer(tmp_path, "reference", real_build)
    found = {metric.name: values for metric, values in measurer.bare_bridge(2).items()}
    assert set(found) == {"bridge_lost", "bridge_forward_p50", "bridge_forward_p99"}
    assert 1 <= len(found["bridge_forward_p50"]) <= 2
    assert 0 < min(found["bridge_forward_p50"]) <= max(found["bridge_forward_p99"])
    conditions = measurer.conditions(bare_bridge.NAME)
    assert conditions["case"] and "profile" not in conditions


def test_without_interfaces_nothing_is_measured(
    real_build: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(netns, "lacks", lambda: "Only root makes namespaces.")
    assert bare_bridge.lacking(real_build) == "Only root makes namespaces."
    assert default_measurer(tmp_path, "reference", real_build).bare_bridge(2) == {}


def test_a_generator_that_falls_behind_measures_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    behind = SimpleNamespace(trial=lambda rate, seconds: SimpleNamespace(fell_behind=True))
    monkeypatch.setattr(bare_bridge, "line", lambda *words: nullcontext(behind))
    with pytest.raises(HeadroomError, match="does not keep up"):
        bare_bridge.measure("gcc-O2", 1, 2)
