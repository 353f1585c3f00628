# SPDX-License-Identifier: Apache-2.0
"""Doubles do what doubles.yaml says of them: one that does nothing would prove nothing."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from headroom.core.mutation import doubles
from headroom.schemes.rohc.conformance import feedback, stream
from headroom.schemes.rohc.conformance.observation import Observation, observe
from headroom.schemes.rohc.conformance.timeline import Timeline
from headroom.tests.runs import REFERENCE, replay_of


def adapter(name: str, build: str) -> tuple[Any, dict[str, Any]]:
    """A double as an implementation, and its options."""
    one = doubles.load().find(name)
    library = one.library(build)
    assert Path(library).is_file(), f"{library} belongs to the build"
    return dataclasses.replace(REFERENCE, library=str(library)), dict(one.options)


def sent_by(name: str, build: str) -> Observation:
    double, options = adapter(name, build)
    config = replay_of(double, source="voip-amr-nb-ipv4", packets=120, build=build, compressor_options=options)
    seen = observe(config)
    assert seen.findings == [] and all(one.verdict == "identical" for one in seen.packets)
    return seen


def test_initialisation(real_build: str) -> None:
    for name, least, most in (("one-ir", 1, 1), ("fifty-irs", 50, 60), ("eight-packets-of-confidence", 8, 12)):
        first = stream.irs_at_start(sent_by(name, real_build).flow())
        assert least <= first <= most, name


def test_padding(real_build: str) -> None:
    links = [one.link or b"" for one in sent_by("padding", real_build).packets]
    assert all(link.startswith(b"\xe0\xe0") and link[2] != 0xE0 for link in links)


def test_packet_types(real_build: str) -> None:
    assert not sent_by("no-type-0", real_build).kinds["UO-0"]
    kinds = sent_by("type-2-only", real_build).kinds
    assert set(kinds) == {"IR", *(kind for kind in kinds if kind.startswith("UOR-2"))}


def answers(name: str, mode: str, build: str) -> list[str]:
    """Returns the answers of a double to thirty IR packets."""
    double, options = adapter(name, build)
    story = Timeline("rtp-ipv4", {"mode": mode})
    story.receive(30, "IR")
    played = story.play(double, build, options)
    assert played.complaints == []
    return [feedback.text_of(one) for one in played.answers[0]]


def test_sparse_feedback(real_build: str) -> None:
    assert len(answers("all-feedback", "O", real_build)) == 30
    assert len(answers("sparse-acks", "O", real_build)) == 10
    assert len(answers("very-sparse-acks", "O", real_build)) == 2


def test_feedback_1(real_build: str) -> None:
    assert set(answers("feedback-1", "U", real_build)) == {"FEEDBACK-1"}
