# SPDX-License-Identifier: Apache-2.0
"""Calls through a P-CSCF: the job that is made of a sequence, what the document says, what is a failure, the report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from robot import running
from robot.api import SkipExecution

from headroom.core import engine, implementations
from headroom.core.engine_result import EngineFailure
from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.paths import SUITES, build_folder
from headroom.core.results import collector, listener
from headroom.core.results.record import Test
from headroom.core.settings import Settings
from headroom.schemes.sigcomp import call_load, endpoints, metrics
from headroom.schemes.sigcomp.keywords import call_service
from headroom.schemes.sigcomp.options import CALLS
from headroom.schemes.sigcomp.report.calls_section import calls as section_of
from headroom.tests import sample
from headroom.tests.runs import calls_of, run_of

TIMES = {"count": 7, "mean": 1500.0, "p50": 1000.0, "p90": 2000.0, "p99": 3000.0, "p99.9": 3000.0, "max": 3000.0,
         "buckets": [[1000.0, 4], [3000.0, 3]]}  # fmt: skip


def document(**outcomes: Any) -> dict[str, Any]:
    times = dict.fromkeys(
        ("in_system_ns", "in_buffer_ns", "processing_ns", "waiting_for_lock_ns", "decompressing_ns", "compressing_ns"),
        TIMES,
    )
    right = {"decompress": {}, "compress": {}, "wrong": 0, "different": 0, "refused": 0, "nacks": 0, "failures": 0}
    return {
        "simultaneous": 1000,
        "clock": "virtual",
        "calls": {"in_progress_at_start": 990, "in_progress_at_end": 1010, "per_s": 5.4},
        "messages": {"per_s": 38.0, "sip_mbit_s": 0.15, "link_mbit_s": 0.1, "unserved": 0},
        "outcomes": right | outcomes,
        "times": times | {"handed_over_late_ns": None},
        "active_workers": {"mean": 0.02, "seen": 1.0, "most": 2},
        "workers": [{"busy_share": 0.02}],
        "memory": {
            "octets_per_call_at_start": 20_000.0,
            "octets_per_call_at_end": 21_000.0,
            "adapter_octets_per_compartment_at_end": 19_000.0,
        },
        "samples": [{"at_ns": 1_000_000_000, "calls": 1000, "resident": 1, "busy_share": [0.03]}],
    }


@pytest.fixture
def described(monkeypatch: pytest.MonkeyPatch) -> None:
    """An adapter that says which mechanisms it has, without an engine."""
    scheme = {"choices": {"mechanism": ["dynamic", "shared"]}, "options": ["dictionary_priority", "shared_length"]}
    monkeypatch.setattr(endpoints, "described", lambda *_: scheme)


def test_only_rows_that_heed_the_options_of_calls_are_repeated_with_them() -> None:
    suite = running.TestSuite.from_file_system(SUITES / "performance" / "sip_calls.robot")
    heeding = {test.name: listener.can_use(test, CALLS) for test in suite.tests}
    assert heeding["Voice Calls"] and not heeding["Pool Or Pinned, Two Workers"]
    asked = Settings(of_schemes={"calls": 500})
    row = Test("performance/sip_calls/Voice Calls", "Voice Calls", "", "", [])
    assert "--calls 500" in listener.command(row, asked)
    assert "--calls" not in listener.command(row, asked, lambda one: False)


def test_a_sequence_becomes_a_call() -> None:
    steps = call_load.messages(calls_of(answer_s=7, step_s=0.5))
    assert [step["from"] for step in steps] == ["user", "core", "core", "core", "user", "user", "core"]
    assert [step.get("pause_ms") for step in steps] == [None, 500, 500, 7000, 500, None, 500]
    assert [bool(step.get("after_holding")) for step in steps] == [False] * 5 + [True, False]
    video = call_load.messages(calls_of(sequence="3gpp-video-call"))
    assert [step.get("pause_ms") for step in video].count(5000) == 1, "one message is the answer"
    with pytest.raises(UsageError, match="has no BYE"):
        call_load.messages(calls_of(sequence="3gpp-video-call-re-invite"))


def test_a_call_of_the_counted_edition_has_the_lengths_of_the_tables() -> None:
    lengths = [len(step["hex"]) // 2 for step in call_load.messages(calls_of(edition="counted"))]
    printed = [len(step["hex"]) // 2 for step in call_load.messages(calls_of())]
    assert lengths[:5] == [514, 311, 615, 610, 378] and lengths != printed
    assert len(call_load.registration("counted")) == len(call_load.registration())
    for sequence in call_load.DECOMPRESSION_MEMORY | {"3gpp-video-call": 0}:
        steps = call_load.messages(calls_of(sequence=sequence, edition="counted"))
        names = call_load.identities(bytes.fromhex(step["hex"]) for step in steps)
        assert {one["per"] for one in names} == {"user", "call"}, "each caller has an identity"


def test_a_registration_knows_no_compartment_before_it_is_complete() -> None:
    assert [step["carried"] for step in call_load.registration()] == ["stranger", "plain", "stranger", "compartment"]


def test_identities_are_of_a_user_or_of_a_call() -> None:
    text = (
        b"INVITE sip:user2_public1@home2.net SIP/2.0\r\nFrom: <sip:user1_public1@home1.net>;tag=171828\r\n"
        b"Call-ID: cb03a0s09a2sdfglkj490333\r\n"
    )
    found = {one["text"]: one["per"] for one in call_load.identities([text])}
    assert found == {
        "user1_public1": "user",
        "user2_public1": "user",
        "home1": "user",
        "home2": "user",
        "cb03a0s09a2sdfglkj490333": "call",
        "171828": "call",
    }


@pytest.mark.usefixtures("described")
def test_the_settings_are_those_of_the_publication() -> None:
    made = call_load.job(calls_of(simultaneous=100, users=120, workers=2, organisation="pool", shards=8))
    config = made["endpoint"]["config"]
    assert (config["decompression_memory_size"], config["state_memory_size"], config["cycles_per_bit"]) == (
        4096,
        131072,
        32,
    )
    assert config["options"] == {"mechanism": "shared", "dictionary_priority": 3, "shared_length": 500}
    assert (made["holding_s"], made["users"], made["shards"], made["workers"]) == (180.0, 120, 8, 2)
    assert len(made["registration"]) == 4
    video = call_load.job(calls_of(sequence="3gpp-video-call"))
    assert video["endpoint"]["config"]["decompression_memory_size"] == 8192
    assert (video["holding_s"], "users" in video, "registration" in video, "shards" in video) == (
        300.0,
        False,
        False,
        False,
    )
    other = call_load.job(calls_of(mechanism="unheard-of"))
    assert "mechanism" not in other["endpoint"]["config"]["options"], "nobody is told words that it does not know"


def test_a_document_is_read() -> None:
    found = call_load.loaded(document())
    assert (found.load, found.most_load, found.calls_in_progress, found.memory_per_call) == (0.02, 0.03, 1000, 21_000)
    assert sorted(found.times) == [
        "compressing",
        "decompressing",
        "in_buffer",
        "in_system",
        "processing",
        "waiting_for_lock",
    ]
    assert call_load.served_at(0.5, [found]) == pytest.approx(25_000)


def compared() -> dict[str, Any]:
    """The engine's `comparison` of two trials, of which the second one has nothing in the buffer of the pool."""

    def organised(*buffered: float) -> dict[str, Any]:
        means = {"in_system_ns": 900.0, "processing_ns": 800.0, "waiting_for_lock_ns": 0.0}
        trials = [{"loads": [0.7, 0.9], "calls": 10, "messages": 70, "in_buffer_ns": one} | means for one in buffered]
        names = ("in_system_ns", "in_buffer_ns", "processing_ns", "waiting_for_lock_ns")
        return {"shards": 2, "times": dict.fromkeys(names, TIMES), "active_workers": 1.6, "trials": trials}

    return {"load": 0.8, "calls_per_s": 2000.0, "service_ns_per_call": 1.0, "time_factor": 0.1,
            "pinned": organised(400.0, 600.0), "pool": organised(200.0, 0.0)}  # fmt: skip


def test_what_organisations_showed_is_left_with_its_trials() -> None:
    told = document()
    assert call_load.loaded(told).compared == {}
    found = call_load.loaded(told | {"comparison": compared()})
    collector.begin()
    call_service.note_comparison(calls_of(workers=2, comparison=call_load.Comparison(0.8, 2, 10)), found)
    metrics = {one.name: (one.value, one.trials) for one in collector.current().metrics}
    assert metrics["pinned_in_buffer_mean"] == (500.0, [400.0, 600.0])
    assert metrics["pool_load"] == (0.8, [0.8, 0.8])
    assert metrics["wait_of_pinned_to_pool"] == (2.0, [2.0]), "trial by trial, where there is something to compare"
    asked = collector.current().parameters
    assert (asked["organisation"], asked["compared_load"], asked["trials"], asked["calls_a_trial"]) == (
        "both",
        0.8,
        2,
        10,
    )
    collector.begin()


def test_the_command_line_has_the_last_word_on_calls() -> None:
    row = calls_of()
    asked = call_service.with_calls(
        row, run_of(of_schemes={"calls": 500, "holding": 60.0, "answer": 0.0}, quick=True), 20_000
    )
    assert (asked.simultaneous, call_load.holding_of(asked), asked.answer_s) == (500, 60.0, 0.0)
    quick = call_service.with_calls(row, run_of(quick=True), 20_000)
    assert (quick.simultaneous, call_load.holding_of(quick), quick.answer_s) == (1000, 180.0, 5.0)


def test_there_are_users_enough() -> None:
    assert call_load.users_for(calls_of(simultaneous=20_000)) == 24_050, "a fifth more"
    short = call_load.users_for(calls_of(simultaneous=100, holding_s=1.0, answer_s=1.0))
    assert short == 270, "each call of 2 s has a pause of 2 s behind it"
    assert call_load.users_for(calls_of(simultaneous=10, holding_s=0.0, answer_s=0.0)) == 300


@pytest.mark.usefixtures("described")
def test_a_comparison_is_asked_for() -> None:
    made = call_load.job(calls_of(comparison=call_load.Comparison(0.8, 10, 20_000)))
    assert made["comparison"] == {"load": 0.8, "trials": 10, "calls": 20_000}
    assert "comparison" not in call_load.job(calls_of())


@pytest.mark.parametrize(
    ("outcomes", "sentence"),
    [
        ({"failures": 2, "decompress": {"ERR_DECOMPRESSION": 2}}, "2 ERR_DECOMPRESSION at decompressing"),
        ({"failures": 1, "compress": {"ERR_CHANNEL": 1}}, "1 ERR_CHANNEL at compressing"),
        ({"failures": 3, "wrong": 3}, "3 decompressed to something else"),
        ({"failures": 4, "different": 4}, "4 compressed otherwise than when one user was alone"),
        ({"failures": 5, "refused": 5}, "5 not accepted under their compartment"),
    ],
)
def test_messages_that_go_wrong_are_a_failure(outcomes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(call_load.WrongCalls, match=sentence) as raised:
        call_load.loaded(document(**outcomes))
    assert raised.value.verdict == "fail"


def test_threads_that_are_not_measured_are_a_failure() -> None:
    call_load.loaded(document() | {"other_threads_cpu_ns": 4_000_000})
    with pytest.raises(call_load.WrongCalls, match=r"other threads of the adapter used 60\.0 ms"):
        call_load.loaded(document() | {"other_threads_cpu_ns": 60_000_000})


def test_messages_that_nobody_has_taken_up_are_a_failure() -> None:
    late = document()
    late["messages"]["unserved"] = 12
    with pytest.raises(AssertionError, match="12 messages were still waiting"):
        call_service.require_served(call_load.loaded(late))


@pytest.mark.parametrize(
    ("loads", "at_end", "clock", "wrong"),
    [
        ([0.02], 1010, "virtual", ""),
        ([0.9], 1280, "real", ""),
        ([0.5, 1.5], 1000, "virtual", "The workers cannot keep up: a worker needed 1.50 times the available"),
        ([0.97], 3400, "virtual", "The workers cannot keep up: 3,400 calls were in progress at the end, and 1,000"),
        ([0.97], 3400, "real", "The workers cannot keep up: 3,400 calls were in progress"),
        ([0.09], 1401, "real", r"had the processor for only 9 % of the time: other processes keep the machine busy"),
    ],
)
def test_workers_that_do_not_keep_up(loads: list[float], at_end: int, clock: str, wrong: str) -> None:
    told = document()
    told["clock"], told["calls"]["in_progress_at_end"] = clock, at_end
    found = replace(call_load.loaded(told), loads=loads)
    if not wrong:
        call_service.require_served(found)
        return
    kind = call_service.Disturbed if "other processes" in wrong else AssertionError
    with pytest.raises(kind, match=wrong):
        call_service.require_served(found)


def test_a_clock_that_has_seen_nothing() -> None:
    found = replace(call_load.loaded(document()), loads=[0.0])
    assert call_load.served_at(0.5, [found]) is None
    nothing = document()
    nothing["times"] = dict.fromkeys(nothing["times"])
    with pytest.raises(call_load.NothingServed, match="ask for a longer one, or for more calls"):
        call_load.loaded(nothing)


def record(**parameters: Any) -> dict[str, Any]:
    """What a run leaves, as a record has it."""
    collector.begin()
    wanted = calls_of(simultaneous=1000)
    found = call_load.loaded(document())
    if parameters.get("organisation") == "both":
        asked = replace(wanted, comparison=call_load.Comparison(0.8, 2, 10))
        call_service.note_comparison(asked, call_load.loaded(document() | {"comparison": compared()}))
    else:
        call_service.note(wanted, found, {"compartments": "per call"})
        collector.current().metric(metrics.CALLS_AT_HALF_LOAD, 25_000)
    current = collector.current()
    current.parameters |= parameters
    made = sample.record("performance.sip_calls/A Row", parameters=current.parameters, metrics=current.metrics,
                         histograms=current.histograms, series=current.series)  # fmt: skip
    collector.begin()
    return json.loads(json.dumps(made.as_json()))


def test_the_report_shows_what_was_served() -> None:
    section = section_of([record(), record(organisation="both", workers=2)])
    assert section is not None
    served, times, curve, loads, organisations, bars = section.parts
    cells = [cell.text for cell in served.content.rows[0].cells]
    assert cells[:5] == ["basic-voice-call", "reference", "per call", "virtual", "1,000"]
    assert cells[5:9] == ["180", "5", "2.0 %", "25,000"]
    assert cells[-1] == "21.0"
    assert "extrapolated" in served.content.caption
    assert [cell.text for cell in times.content.rows[0].cells] == [
        *("A Row", "1.5", "1", "3", "1.5", "1.5"),
        *("1", "0.15", "0.1"),
    ]
    lines = [[cell.text for cell in row.cells] for row in organisations.content.rows]
    assert [line[0] for line in lines] == ["pinned", "pool"]
    assert lines[0][4:6] == ["500", "141"] and lines[0][-2] == "2", "means, and their standard deviations"
    assert {curve.kind, loads.kind, bars.kind} == {"figure"}
    assert section_of([]) is None


def test_the_engine_takes_what_is_made(tmp_path: Path) -> None:
    """Through the null adapter, whose endpoints copy: the whole way, with both organisations."""
    null = implementations.find("null")
    if null.unusable() or null.lacks("endpoint", "sigcomp"):
        pytest.skip("there is no null adapter here that has endpoints")
    asked = calls_of(proxy="null", user="null", simultaneous=40, holding_s=1.0, answer_s=0.1, duration_s=1.0)
    both = replace(asked, workers=2, organisation="pool", comparison=call_load.Comparison(0.5, 2, 100))
    kept = replace(asked, organisation="pool", workers=2, users=200, sequence="3gpp-video-call")
    for wanted in (asked, both, kept):
        try:
            found = call_load.measure(wanted)
        except EnvironmentLacks as error:
            pytest.skip(str(error))
        assert found.calls_in_progress == pytest.approx(40, abs=25)
        assert found.messages_per_s > 100
        assert len(found.loads) == wanted.workers
        assert [len(one.trials) for one in found.compared.values()] == ([2, 2] if wanted.comparison else [])


SPOILING = """
name: spoiling
vendor: Somebody
licence: Apache-2.0
obtain: "It is made by a test."
adapter:
  library: "{library}"
  config: {{scheme: sigcomp}}
capabilities:
  - scheme: sigcomp
    roles: [endpoint]
    transports: [udp]
    version: 2
    max_decompression_memory_size: 65536
    max_state_memory_size: {state_memory}
    max_cycles_per_bit: 128
    max_compartments: 4096
    features: [compression]
"""


def spoiling(folder: Path, build: str, state_memory: int = 131072) -> str:
    """An endpoint whose decompressor changes an octet of each message."""
    library = build_folder(build) / "lib" / "faulty" / "faulty_endpoint_spoils_an_octet.so"
    folder = folder / "spoiling"
    folder.mkdir()
    (folder / "implementation.yaml").write_text(SPOILING.format(library=library, state_memory=state_memory))
    return str(folder)


def test_what_goes_wrong_before_any_load_is_a_failure_too(tmp_path: Path, real_build: str) -> None:
    name = spoiling(tmp_path, real_build)
    asked = calls_of(proxy=name, user=name, simultaneous=5, duration_s=0.5, build=real_build)
    assert call_load.lacking(asked) == ""
    with pytest.raises(call_load.WrongCalls, match=r"^INVITE.* of basic-voice-call: .*otherwise") as wrong:
        call_load.measure(asked)
    assert wrong.value.verdict == "fail"
    assert "./headroom talk basic-voice-call --caller" in str(wrong.value)


def test_what_calls_take_is_looked_up_before_they_are_made(tmp_path: Path, real_build: str) -> None:
    name = spoiling(tmp_path, real_build, state_memory=8192)
    assert "max_state_memory_size 8192; 131072 is needed" in call_load.lacking(calls_of(proxy=name))
    with pytest.raises(SkipExecution, match=r"131072 is needed\.$"):
        call_service.measured(calls_of(proxy=name))
    assert "do not have the same on the link" in call_load.lacking(calls_of(proxy="null"))


def test_as_many_compartments_as_calls_take_must_be_declared(tmp_path: Path, real_build: str) -> None:
    name = spoiling(tmp_path, real_build)
    assert "declares max_compartments 4096" in call_load.lacking(calls_of(proxy=name, simultaneous=9000))


def test_little_load_says_nothing_by_proportion() -> None:
    few = record()
    little = {"load": 0.0004, "calls_in_progress": 2.5}
    for metric in few["metrics"]:
        metric["value"] = little.get(metric["name"], metric["value"])
    section = section_of([few])
    assert section is not None
    cells = [cell.text for cell in section.parts[0].content.rows[0].cells]
    assert cells[7:9] == ["0.04 %", "–"]
    assert cells[-1] == "–"


def test_long_work_beforehand_is_said() -> None:
    told = document()
    told["times"] = told["times"] | {"processing_ns": {"mean": 50_000.0, "count": 1000}}
    assert call_load.worked_beforehand(told) == ""
    assert call_load.worked_beforehand(told | {"creation_cpu_ns": 40_000_000}) == ""
    assert call_load.worked_beforehand(told | {"creation_cpu_ns": 60_000_000}) == (
        "The creation of the P-CSCF used 60 ms of processor time, and all measured messages used 50 ms: what an "
        "adapter works out beforehand is in no figure."
    )


@pytest.mark.usefixtures("described")
def test_an_engine_of_an_earlier_night_plays_the_calls_itself(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "headroom-engine"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'Subcommands:'; echo '  load    How many flow pairs one core carries'\n")
    program.chmod(0o755)
    config = calls_of(build=str(tmp_path))
    with call_load.precomputed(config, timeout_s=1) as job:
        assert job == call_load.job(config)


@pytest.mark.usefixtures("described")
def test_what_an_adapter_says_does_not_keep_its_calls_in_one_engine(
    monkeypatch: pytest.MonkeyPatch, real_build: str
) -> None:
    def refused(*_: Any, **__: Any) -> dict[str, Any]:
        raise EngineFailure("job", "A subcommand is required; see headroom-engine --help.")

    monkeypatch.setattr(engine, "run", refused)
    with pytest.raises(EngineFailure), call_load.precomputed(calls_of(build=real_build), timeout_s=1):
        pass
