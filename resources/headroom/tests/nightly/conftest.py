# SPDX-License-Identifier: Apache-2.0
"""Nights, the sample history, and one of hostile names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from headroom.history.alerts import Alert, ChangedCase, ChangedSeries, closing
from headroom.history.events import Event
from headroom.history.store import History
from headroom.tests.history.support import HOSTILE, KEY, night, point
from headroom.tests.nightly import nights as nights_module
from headroom.tests.nightly import sample_history
from headroom.tests.nightly.nights import Nights


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    return nights_module.of(tmp_path)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> History:
    return sample_history.write(tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> History:
    """Each hostile text in each place that takes one."""
    history = History(tmp_path_factory.mktemp("hostile"))
    keys = [replace(KEY, test=text, metric=text, compressor=text, profile=text, load=text) for text in HOSTILE]
    cases = [replace(KEY, test=f"conformance/{text}", metric="verdict") for text in HOSTILE]
    for index in range(14):
        level = 100.0 if index < 12 else 110.0
        rows = [
            point(
                index, level + number, key, unit=text[:9], commit=text, conditions={text: str(index > 5)}, reason=text
            )
            for number, (key, text) in enumerate(zip(keys, HOSTILE, strict=True))
        ]
        rows[0] = replace(rows[0], value=None if index == 13 else 100.0, trials=())
        verdict = "pass" if index < 13 else "fail"
        rows += [
            point(index, None, key, kind="verdict", text=verdict, reason=key.test, commit=key.test) for key in cases
        ]
        history.add(rows)
    for number, (key, text) in enumerate(zip(keys, (*HOSTILE[:-1], "\udcff"), strict=True)):
        changed = ChangedSeries(key.id, text, text, text, text, 100.0, 110.0, 0.1, night(12), 1.1, text)
        case = ChangedCase(*[text] * 4)
        alert = Alert(f"{number} {text}", night(12), "rack", "regression", True, text, text, (changed,), (case,))
        history.append("alerts", [alert.opened()])
        if number % 2:
            history.append("alerts", [closing(alert, "ignored", text, night(13))])
        history.append("events", [Event(night(6), text, "user", text, (key.id,), {key.id: 1.5}).as_json()])
        history.append("events", [Event(night(5), "rack", "accepted", text, (key.id, text)).as_json()])
    return history
