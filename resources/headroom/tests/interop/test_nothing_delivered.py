# SPDX-License-Identifier: Apache-2.0
"""ROHC cells in which nothing comes out of the decompressor: over a link with losses, too, that can be a failure."""

from pathlib import Path
from typing import Any

import pytest

from headroom.core.replay import Replay
from headroom.core.scheme_registry import all_schemes
from headroom.schemes.rohc.interop import cell
from headroom.schemes.rohc.interop.study import Study, _arrivals, _judge
from headroom.tests.conformance.support import document, record, sent
from headroom.tests.runs import replay_of

CHANNEL = {"profiles": ["0x0001"], "mode": "U", "cids": "small", "max_cid": 15}
LOSSES = all_schemes()["rohc"].link("loss-1")


@pytest.mark.parametrize(
    ("of_second", "wanted"),
    [
        ({}, "fail"),
        ({"flipped": [30]}, "non-strict"),
        ({"verdict": "lost_on_link", "fate": "loss", "decompressor": []}, "non-strict"),
    ],
)
def test_who_refuses_an_undamaged_ir_fails(
    of_second: dict[str, Any], wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an IR nothing can be restored, and how soon a context is repaired is a decompressor's freedom."""
    links, originals = sent("rtp-ipv4", ["IR", "IR", "UO-0"])
    lost = {"verdict": "lost_on_link", "fate": "loss", "decompressor": []}
    records = [
        record(number, link, "not_delivered", link_header=41) | changes
        for number, (link, changes) in enumerate(zip(links, (lost, of_second, {}), strict=True))
    ]
    config = replay_of(source=[], channel=CHANNEL, forward={"loss": 0.01})
    done = Replay(config, document(records))
    seen = Study(done, originals)
    seen.arrivals = _arrivals(seen.records)
    _judge(seen, CHANNEL)
    monkeypatch.setattr(cell, "study", lambda *_, **__: seen)
    verdict, reason, _ = cell._judged(config, done, LOSSES, Path())
    assert verdict == wanted
    assert ("are IR packets that arrived undamaged" in reason) == (wanted == "fail")
