# SPDX-License-Identifier: Apache-2.0
"""Who is asked, and what is not asked of whom: declarations decide, never what an adapter does."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from headroom.core.capabilities import Misbehaviour, NotDeclared, declared_deviations, promise
from headroom.core.implementations import Implementation, find
from headroom.schemes.rohc.conformance import capabilities
from headroom.tests.conformance.support import stream
from headroom.tests.runs import REFERENCE, replay_of

DECLARATION = """\
# SPDX-License-Identifier: Apache-2.0
name: vendor
vendor: A Vendor
licence: MIT
description: An implementation for tests.
obtain: "Not at all."
adapter:
  library: "{build}/lib/vendor.so"
  config: {options: {careful: true}}
capabilities:
  - scheme: rohc
    roles: [decompressor]
    profiles: ["0x0000", "0x0001"]
    modes: [U]
    cids: [small]
    max_cid: 7
    max_channels: 4
    feedback: [own]
    features: [segmentation]
deviations:
  - requirement: RFC3095-5.9.2-1
    reason: Its CRC is another one than that of the RFC.
    roles: [decompressor]
  - case: conformance/rohc/crc/CRC-3
    reason: Its CRC is another one, so this fails, too.
"""


@pytest.fixture
def vendor(tmp_path: Path) -> Implementation:
    folder = tmp_path / "vendor"
    folder.mkdir()
    (folder / "implementation.yaml").write_text(DECLARATION)
    return find(str(folder))


@pytest.mark.parametrize(
    ("role", "channel", "more", "reason"),
    [
        ("decompressor", {}, {}, ""),
        ("decompressor", {"mode": "U", "cids": "small", "max_cid": 7, "channels": 4}, {}, ""),
        ("decompressor", {"profiles": ["0x0001"]}, {}, ""),
        ("decompressor", {}, {"feature": "segmentation"}, ""),
        ("decompressor", {}, {"feedback": "own"}, ""),
        ("compressor", {}, {}, "vendor does not declare to be a compressor."),
        ("decompressor", {"mode": "O"}, {}, "vendor does not declare mode O."),
        ("decompressor", {"cids": "large"}, {}, "vendor does not declare cid large."),
        ("decompressor", {"max_cid": 8}, {}, "vendor declares max_cid 7; 8 is needed."),
        ("decompressor", {"channels": 5}, {}, "vendor declares max_channels 4; 5 is needed."),
        ("decompressor", {"profiles": ["0x0001", "0x0002"]}, {}, "vendor does not declare profile 0x0002."),
        ("decompressor", {}, {"feature": "list-compression"}, "vendor does not declare feature list-compression."),
        ("decompressor", {}, {"feedback": "piggybacked"}, "vendor does not declare feedback piggybacked."),
    ],
)
def test_require(vendor: Implementation, role: Any, channel: dict[str, Any], more: dict[str, Any], reason: str) -> None:
    if not reason:
        capabilities.require(vendor, role, channel, "gcc-O2", **more)
        return
    with pytest.raises(NotDeclared) as caught:
        capabilities.require(vendor, role, channel, "gcc-O2", **more)
    assert str(caught.value) == reason
    assert caught.value.verdict == "unsupported"


@pytest.mark.parametrize(
    ("feature", "declared"),
    [
        ("segmentation", True),
        ("list-compression", False),
        ("r-mode", False),
        ("profile-0x0001", True),
        ("profile-0x0003", False),
    ],
)
def test_declares(vendor: Implementation, feature: str, declared: bool) -> None:
    assert capabilities.is_declared(vendor, feature) == declared


def test_features_are_turned_on_at_both_ends() -> None:
    wanted = replay_of(compressor="reference", decompressor="reference", decompressor_options={"clock_ms": 10})
    capabilities.turn_on(wanted, ["segmentation", "timer-based"])
    assert wanted.compressor_options == {"timer_ts": "negotiated"}
    assert wanted.decompressor_options == {"clock_ms": 10}, "what a case asks for goes before the declaration"


def test_a_feature_that_one_end_does_not_declare(vendor: Implementation) -> None:
    capabilities.turn_on(replay_of(compressor=None, decompressor=vendor), ["segmentation"])
    with pytest.raises(NotDeclared, match="does not declare feature list-compression"):
        capabilities.turn_on(replay_of(compressor="reference", decompressor=vendor), ["list-compression"])


def test_channels_of(vendor: Implementation) -> None:
    assert capabilities.channels_of(vendor, {}) == 4
    assert capabilities.channels_of(vendor, {}, 3) == 3
    assert capabilities.channels_of(REFERENCE, {}) == 256
    assert capabilities.channels_of(REFERENCE, {}, 900) == 900
    assert capabilities.channels_of(REFERENCE, {"max_cid": 16383}, 900) == 64  # a million contexts


def test_adapter(vendor: Implementation, tmp_path: Path) -> None:
    made = capabilities.adapter(vendor, {"mode": "U"}, str(tmp_path), {"fast": True})
    assert made == {
        "library": f"{tmp_path}/lib/vendor.so",
        "config": {"scheme": "rohc", "mode": "U", "options": {"careful": True, "fast": True}},
    }
    assert capabilities.adapter(vendor, {}, str(tmp_path))["config"]["options"] == {"careful": True}


def test_declared_deviations(vendor: Implementation) -> None:
    assert declared_deviations(vendor, "decompressor") == {"RFC3095-5.9.2-1"}
    assert declared_deviations(vendor, "compressor") == set()


def test_promises() -> None:
    promise({"promise_broken": None})
    promise({})
    broken = {"side": "decompressor", "function": "take_feedback", "packet": None, "message": "It is too long."}
    with pytest.raises(Misbehaviour) as caught:
        promise({"promise_broken": broken})
    assert str(caught.value) == (
        "The decompressor broke a promise of the ABI in take_feedback: It is too long. See `./headroom check`."
    )
    assert caught.value.verdict == "error"


def test_common_profiles(vendor: Implementation) -> None:
    assert capabilities.common_profiles() == [f"0x000{number}" for number in (0, 1, 2, 3, 4, 7, 8)]
    assert capabilities.common_profiles(REFERENCE, vendor, None) == ["0x0000", "0x0001"]


def test_what_the_packets_take_has_to_be_declared() -> None:
    """A decompressor without lists, or with two IP headers, is not asked for more."""
    contexts = stream("rtp-ipv4", ["IR", "UO-0"]).contexts
    wide = contexts[0].copy()
    wide.ips = [*wide.ips, *wide.ips, *wide.ips]
    capabilities.require_what_is_sent(REFERENCE, [wide])
    entry = {**REFERENCE.declared("rohc"), "features": []}
    plain = dataclasses.replace(REFERENCE, name="plain", capabilities=(entry,))
    capabilities.require_what_is_sent(plain, contexts)
    with pytest.raises(NotDeclared, match="additional-ip-headers, which plain does not declare"):
        capabilities.require_what_is_sent(plain, [*contexts, wide])
