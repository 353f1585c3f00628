# SPDX-License-Identifier: Apache-2.0
"""Sequences of the thesis of J. Mäenpää (2005) through the engine and the reference."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from headroom.core.papers import paper
from headroom.schemes.sigcomp.papers import maenpaa_2005_runs as runs
from headroom.schemes.sigcomp.papers.maenpaa_2005_runs import Configuration
from headroom.tests.runs import REFERENCE, run_of

VOICE = Configuration("basic-voice-call", 5, "udp", 4096, "shared", priority=3)


def printed(place: str, column: str) -> list[float]:
    """A column of a place's first table, without its total."""
    thesis = paper.load("maenpaa-2005")
    rows = [ids for name, ids in thesis.tables[place][0].rows if not name.startswith("TOTAL")]
    cells = [next(one for one in ids if one.endswith(f".{column}")) for ids in rows]
    return [float(thesis.items[one].paper or 0) for one in cells]


def test_what_an_endpoint_is_told(real_build: str) -> None:
    udp = VOICE.endpoint(REFERENCE, real_build)
    assert (udp.transport, udp.offer["decompression_memory_size"], udp.options["memory"]) == ("udp", 8192, 4096)
    assert udp.options == VOICE.options(), "the reference has them all"
    assert udp.options["acknowledgement"] == "identifier"
    assert udp.peer["state_memory_size"] == 131072
    assert udp.options["linear_buffer"] and udp.options["room_first"] and "shared_state" not in udp.options
    tcp = replace(VOICE, transport="tcp")
    assert tcp.offer()["decompression_memory_size"] == 16384, "half is UDVM memory, more than `memory`"
    assert tcp.options()["acknowledgement"] == "transport"
    assert tcp.options()["shared_state"] == "first-turn-once"
    assert "shared_state" not in replace(tcp, mechanism="dynamic").options()
    linear = replace(VOICE, search="linear").options()
    assert linear == udp.options | {"search": "linear"}, "the text: both find the same"
    basic = replace(VOICE, mechanism="stateless-basic").options()
    assert not {"dictionary_priority", "shared_length", "announce"} & set(basic)
    assert replace(VOICE, memory=16384).offer()["cycles_per_bit"] == 64


def test_messages_that_share_nothing_go_one_by_one() -> None:
    together, alone = (runs._groups(replace(VOICE, alone=word)) for word in (False, True))
    assert [[number for number, _ in group] for group in together] == [list(range(1, VOICE.messages + 1))]
    assert alone == [[one] for one in together[0]]


def test_what_is_compared_is_timed_in_turn(real_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    played = []
    through = runs._through_engine

    def noting(configuration: Configuration, *more: Any) -> Any:
        played.append(configuration.mechanism)
        return through(configuration, *more)

    monkeypatch.setattr(runs, "_through_engine", noting)
    asked = [replace(VOICE, mechanism=one) for one in ("dynamic", "telepathy", "shared")]
    run = runs.Runner(run_of(build=real_build, quick=True))
    dynamic, missing, shared = run.in_turn(asked)
    assert played == ["dynamic", "shared"] * runs.TURNS
    trials = (runs.FEW_REPEATS + 1) * runs.TURNS
    assert {len(one.decompression) for found in (dynamic, shared) for one in found.sent} == {trials}
    assert missing.missing and run(asked[0]) is dynamic


def test_an_implementation_without_the_mechanism(real_build: str) -> None:
    found = runs.exchange(replace(VOICE, mechanism="telepathy"), run_of(build=real_build))
    assert (found.sent, found.missing) == ([], "reference has no mechanism 'telepathy'")


@pytest.mark.parametrize(
    ("place", "within"),
    [
        ("Appendix H 14.8.1.1", 0),
        ("Appendix H 14.8.3.2", 2),
        ("Appendix H 14.8.4.2", 2),
        ("Appendix I 14.9.2.2", 1),
    ],
)
def test_compressed_lengths_are_the_thesiss(real_build: str, place: str, within: int) -> None:
    """Where the circular buffer is never full nothing but the method decides: but for an octet or two, ours are its."""
    configuration = Configuration(**paper.load("maenpaa-2005").configurations[place])
    found = runs.exchange(configuration, run_of(build=real_build, quick=True))
    assert found.unseen == ""
    ours = [one.compressed for one in found.sent]
    assert [abs(a - b) <= within for a, b in zip(ours, printed(place, "compressed"), strict=True)] == [True] * len(ours)
    assert {(len(one.compression), len(one.decompression)) for one in found.sent} == {(11, 11)}, "each time is told"


def test_a_registration(real_build: str) -> None:
    configuration = Configuration(**paper.load("maenpaa-2005").configurations["Appendix L 14.12.4"])
    found = runs.exchange(configuration, run_of(build=real_build, quick=True))
    assert [one.code > 0 for one in found.sent] == [True, False, True, True], "nothing is kept"
    assert found.sent[1].sigcomp == found.sent[1].plain, "401 Unauthorized is sent as it is"
    assert [one.compressed for one in found.sent if one.code] == pytest.approx([423, 565, 314], abs=3)
