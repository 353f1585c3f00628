# SPDX-License-Identifier: Apache-2.0
"""SIP calls: the sequences as they are sent, trials of both generators, and cases about them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headroom.bench import throughput_search
from headroom.core import settings
from headroom.core.errors import HeadroomError, UsageError
from headroom.core.paths import ROOT
from headroom.core.results import collector
from headroom.core.results.record import Record
from headroom.core.settings import Settings
from headroom.core.workload import COPIES
from headroom.core.yamlfile import violations
from headroom.schemes.sigcomp.call_generators import EmbeddedCalls, TrexCalls, callers, changed_messages
from headroom.schemes.sigcomp.keywords import call_forwarding
from headroom.schemes.sigcomp.sip import sequences
from headroom.testbed import choice
from headroom.testbed.line import Codec, line_with
from headroom.testbed.trex.client import Trex
from headroom.testbed.trex.pipe import Pipe
from headroom.testbed.trial import Direction, Latency, Trial
from headroom.tests.runs import run_of
from headroom.tests.sample import record
from headroom.tests.wire import recorded_agent, sip
from headroom.tests.wire.test_forwarding import undisturbed
from headroom.tests.wire.test_netns import root

# ----------------------------------------------------------------------------------------------- sequences


@pytest.mark.parametrize("name", sip.NAMES)
def test_a_sequence_is_what_another_reader_reads(name: str) -> None:
    found = sequences.load(sequences.path_of(name))
    assert [(">" if one.from_caller else "<", one.octets) for one in found] == sip.messages(name)
    assert found[0].name in ("INVITE", "REGISTER")


def test_all_sequences_have_a_row_of_each_kind() -> None:
    suite = (ROOT / "suites" / "performance" / "sip_sequences.robot").read_text().split("*** Test Cases ***")[1]
    words = suite.split()
    rated = ("basic-voice-call", "push-to-talk", "3gpp-video-call", "3gpp-registration")  # through SigComp, too
    assert {name: words.count(name) for name in sequences.names()} == {name: 3 + (name in rated) for name in sip.NAMES}
    assert words.count("sigcomp") == len(sip.NAMES) + len(rated), "each goes through nodes that compress it, too"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no sequence"),
        ("<<< 200 OK\nSIP/2.0 200 OK\n", "no sequence"),
        (f">>> INVITE\nINVITE sip:a SIP/2.0\n\n{'x' * 1460}\n", "INVITE does not fit into a datagram of 1472"),
        ("\udcff", "cannot be read as text"),
    ],
)
def test_a_file_that_is_no_sequence(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=complaint):
        sequences.load_datagrams(sequences.path_of(str(path)))


def test_a_sequence_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="there are 3gpp-registration"):
        sequences.path_of("nobody")


# ----------------------------------------------------------------------------------------------- generators

TOOK = {"count": 99, "average": None, "jitter": None, "min": None, "max": 7e6, "buckets": [[1e6, 98], [7e6, 1]]}
WAY = {"sent": 400, "octets_sent": 1000, "received": 399, "lost": 1, "duplicated": 1, "unexpected": 2}


def told(**calls: Any) -> dict[str, Any]:
    counted = {"requested_cps": 100, "achieved_cps": 99.9, "fell_behind": False, "began": 100, "completed": 99}
    return {
        "engine": {"version": "1"},
        "calls": counted | {"failed": 1, "took_ns": TOOK} | calls,
        "forward": WAY,
        "reverse": WAY | {"duplicated": 0, "unexpected": 0},
        "complete": True,
    }


def embedded(document: dict[str, Any], jobs: list[dict[str, Any]] | None = None, holding_s: float = 0) -> EmbeddedCalls:
    def run(command: str, job: dict[str, Any]) -> dict[str, Any]:
        assert command == "call"
        if jobs is not None:
            jobs.append(job)
        return document

    messages = sequences.load(sequences.path_of("basic-voice-call"))
    return EmbeddedCalls([{"interface": "g0"}, {"interface": "g1"}], messages, holding_s, run=run)


def test_a_trial_of_the_engine_is_counted_in_calls() -> None:
    trial = embedded(told()).trial(100, 1.0)
    one = trial.forward
    assert (one.sent, one.received, one.lost, one.unexpected) == (100, 99, 1, 3)
    assert (one.achieved_pps, one.fell_behind, one.compared) == (99.9, False, True)
    assert one.latency is not None and one.latency.percentile(0.9) == 1e6
    assert trial.reverse is None
    assert trial.raw["forward"]["lost"] == 1


def test_the_only_call_has_no_rate() -> None:
    for behind, rate in ((False, 1.0), (True, 0.0)):
        document = told(requested_cps=1, achieved_cps=None, fell_behind=behind, took_ns=None)
        one = embedded(document).trial(1, 1.0).forward
        assert (one.achieved_pps, one.latency) == (rate, None)


def test_calls_that_were_stopped_are_an_error() -> None:
    with pytest.raises(HeadroomError, match="stopped before its time"):
        embedded(told() | {"complete": False}).trial(100, 1.0)


def test_the_caller_pauses_before_bye() -> None:
    jobs: list[dict[str, Any]] = []
    embedded(told(), jobs, holding_s=0.2).trial(100, 1.0)
    messages = jobs[0]["messages"]
    assert [bytes.fromhex(one["hex"])[:3] for one in messages if "pause_ms" in one] == [b"BYE"]
    assert [one["from"] for one in messages] == [
        {">": "caller", "<": "called"}[arrow] for arrow, _ in sip.messages("basic-voice-call")
    ]


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Trex]:
    """A TRex that answers what a real one answered for 20 basic voice calls a second, for a second."""
    recording = Path(__file__).with_name("recordings") / "sessions.jsonl"
    pipe = Pipe([sys.executable, recorded_agent.__file__, str(recording), str(ROOT)], "the recording", tmp_path / "log")
    yield Trex(pipe, pipe.call("connect", mode="astf"))
    pipe.close()


def test_a_trial_of_trex_is_counted_in_calls(played: Trex, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sequences.path_of("basic-voice-call")
    loaded: list[Any] = []
    real = played.astf_load
    monkeypatch.setattr(
        played,
        "astf_load",
        lambda profile, tunables: (loaded.append(tunables), real(profile, {"sequence": path.stem, "cps": "20"})),
    )
    for name in ("clear", "warnings"):  # the recording is of another order
        monkeypatch.setattr(played, name, list)
    trial = TrexCalls(played, path, sequences.load(path), drain_s=1.3).trial(20, 1.0)
    assert loaded == [{"sequence": path, "cps": "20", "holding-time": "0.0"}]
    one = trial.forward
    assert (one.sent, one.received, one.lost, one.fell_behind, one.compared) == (21, 21, 0, False, False)
    assert trial.raw["forward"] == {"sent": 63, "received": 63, "lost": 0}
    assert trial.raw["reverse"] == {"sent": 84, "received": 84, "lost": 0}
    assert one.octets_sent == 21 * sum(len(message) + 28 for _, message in sip.messages("basic-voice-call"))


def ipv4(payload: bytes, port: int = 1024, protocol: int = 17) -> bytes:
    udp = port.to_bytes(2, "big") + b"\x13\xc4" + (8 + len(payload)).to_bytes(2, "big") + bytes(2) + payload
    header = bytes([0x45, 0]) + (20 + len(udp)).to_bytes(2, "big") + bytes(4) + bytes([64, protocol]) + bytes(10)
    return header + udp


def test_messages_that_are_none_of_their_call() -> None:
    said = [message for arrow, message in sip.messages("basic-voice-call") if arrow == ">"]
    packets = [ipv4(message, port) for port in (1024, 1025) for message in said]
    assert changed_messages(packets, said) == 0
    assert changed_messages(packets[:-1], said) == 0, "lost is not changed"
    assert changed_messages([*packets, packets[0]], said) == 1, "twice"
    assert changed_messages([packets[0][:-1] + b"!", *packets[1:]], said) == 1
    assert changed_messages([*packets, ipv4(said[0], 1024, protocol=6), bytes([0x60]) + bytes(39)], said) == 2


def test_calls_that_nobody_can_listen_to_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    path = sequences.path_of("basic-voice-call")
    calls = TrexCalls(SimpleNamespace(), path, sequences.load(path))  # type: ignore[arg-type]
    one = Direction(1, 1, 1, 1, 0, 0, 0, False, False)
    monkeypatch.setattr(calls, "trial", lambda rate, seconds: Trial("trex", "1", rate, seconds, one))
    trial = calls.compared(1, 1.0)
    assert not trial.forward.compared
    assert "does not compare them" in trial.notes[-1]


# ----------------------------------------------------------------------------------------------- cases


class FakeCalls:
    """A line on which `limit` calls a second are completed, behind a generator that makes `most`."""

    topology = None

    def __init__(self, limit: float, most: float = 1e9, unexpected: int = 0) -> None:
        self.limit, self.most, self.unexpected = limit, most, unexpected
        self.watched: dict[str, Any] = {}
        self.foreign = frozenset[str]()

    def trial(self, rate_pps: float, duration_s: float) -> Trial:
        achieved = min(rate_pps, self.most)
        sent, done = round(achieved * duration_s), round(min(achieved, self.limit) * duration_s)
        took = Latency(done, None, None, None, 2e6, ((2e6, done),))
        behind = achieved < 0.995 * rate_pps
        one = Direction(rate_pps, achieved, sent, done, 0, sent - done, self.unexpected, behind, True, took)
        way = {"sent": 3 * sent, "received": 3 * done}
        return Trial("embedded", "1", rate_pps, duration_s, one, None, (), {"forward": way, "reverse": way})

    compared = trial

    def loaded(self, rate_pps: float, duration_s: float) -> tuple[Trial, list[Any]]:
        return self.trial(rate_pps, duration_s), []


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[FakeCalls]]:
    lines = [FakeCalls(1000.0)]

    @contextmanager
    def line_of(asked: Any, codec: str) -> Iterator[FakeCalls]:
        assert codec == "null"
        yield lines[-1]

    traffic = {"generator": {"name": "memory", "version": "1"}, "topology": {"name": "netns"}}
    monkeypatch.setattr(throughput_search.SearchConfig, "line", line_of)
    for module in (call_forwarding, throughput_search):
        monkeypatch.setattr(module, "traffic", lambda made, trial: traffic)
    monkeypatch.setattr(throughput_search, "_known", {})
    monkeypatch.setattr(choice, "require", lambda topology, build: None)
    run = Settings(topology="netns", quick=True, folder=tmp_path)
    monkeypatch.setattr(settings, "from_robot", lambda: run)
    collector.begin()
    yield lines
    collector.begin()


def noted(name: str) -> Record:
    current = collector.current()
    parts = ("parameters", "metrics", "histograms", "core_load", "series", "traffic", "compressor", "decompressor")
    return record(f"performance/sip_sequences/{name}", **{part: getattr(current, part) for part in parts})


def value(name: str) -> float | None:
    return next(metric.value for metric in collector.current().metrics if metric.name == name)


def test_calls_that_are_completed(fake: list[FakeCalls]) -> None:
    call_forwarding.CallForwardingKeywords().calls_should_be_completed("basic-voice-call", "1c", 50)
    assert (value("calls"), value("failed"), value("forward_received"), value("call_p50")) == (50, 0, 150, 2e6)
    assert violations(noted("Basic Voice Call").as_json(), "result") == []


SPOKEN = {"compressed": 75, "decompressed": 75, "passed": 4, "passed_too_long": 0, "compartments": {"opened": 50}}


@pytest.mark.parametrize(
    ("nodes", "implementation", "wrong"),
    [
        ([SPOKEN, SPOKEN], "reference", ""),
        ([SPOKEN | {"passed": 40, "passed_too_long": 20}] * 2, "reference", ""),
        ([SPOKEN | {"compressed": 0, "decompressed": 0, "passed": 150}] * 2, "reference", "0 messages were restored"),
        ([SPOKEN, SPOKEN | {"passed": 90}], "reference", "150 messages .* and 94 times one of them passed something"),
        ([SPOKEN | {"compressed": 0, "decompressed": 0, "passed": 150}] * 2, "null", ""),
    ],
)
def test_calls_over_sigcomp_have_to_be_sigcomp(
    nodes: list[dict[str, Any]], implementation: str, wrong: str, tmp_path: Path
) -> None:
    """Nodes that leave everything as it is complete every call, too."""

    def node(worker: dict[str, Any]) -> Any:
        return SimpleNamespace(statistics=lambda: {"workers": [worker]})

    made: Any = SimpleNamespace(watched=dict(zip(("compressor", "decompressor"), map(node, nodes), strict=True)))
    run = run_of(compressor=implementation, decompressor=implementation)
    asked = throughput_search.SearchConfig(run, "basic-voice-call", "1c", (0,), codec="sigcomp")
    spoken = throughput_search.message_counters_of(made)
    assert spoken is not None
    collector.begin()
    if wrong:
        with pytest.raises(AssertionError, match=wrong):
            call_forwarding.require_sigcomp(asked, spoken)
    else:
        call_forwarding.require_sigcomp(asked, spoken)
    assert value("compartments") == 100
    ending = {"loads": {}, "octets": None, "traffic": {}, "spoken": vars(spoken)}
    assert throughput_search.read_ending(ending)["spoken"] == spoken
    call_forwarding.require_sigcomp(replace(asked, codec="null"), throughput_search.MessageCounters(0, 0, 500, 0, 0))
    collector.begin()


def test_calls_that_lack_a_message(fake: list[FakeCalls]) -> None:
    fake.append(FakeCalls(40.0))
    with pytest.raises(AssertionError, match="every trial: 10 of 50, 10 of 50, 10 of 50"):
        call_forwarding.CallForwardingKeywords().calls_should_be_completed("basic-voice-call", "1c", 50)
    assert value("failed") == 10


def test_a_message_that_came_out_changed(fake: list[FakeCalls]) -> None:
    fake.append(FakeCalls(1000.0, unexpected=1))
    with pytest.raises(AssertionError, match="1 messages arrived that were not sent"):
        call_forwarding.CallForwardingKeywords().calls_should_be_completed("basic-voice-call", "1c", 50)


def test_a_generator_that_does_not_keep_up_fails_nobody(fake: list[FakeCalls]) -> None:
    from robot.api import SkipExecution

    fake.append(FakeCalls(1000.0, most=10))
    with pytest.raises(SkipExecution, match="does not keep up with 50 calls/s"):
        call_forwarding.CallForwardingKeywords().calls_should_be_completed("basic-voice-call", "1c", 50)


def test_the_rate_of_calls_is_found(fake: list[FakeCalls]) -> None:
    call_forwarding.CallForwardingKeywords().call_rate_should_be_found("basic-voice-call", "1c")
    assert 850 < (value("calls_per_s") or 0) <= 1000
    assert value("messages_per_s") == 7 * (value("calls_per_s") or 0)
    assert violations(noted("Rate Of Basic Voice Calls").as_json(), "result") == []


def test_rows_whose_nodes_copy_are_no_results_of_a_vendor(
    fake: list[FakeCalls], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from robot.api import SkipExecution

    keywords = call_forwarding.CallForwardingKeywords()
    for named in ({"subject": "compressor"}, {"decompressor": "librohc"}):
        run = Settings("librohc", **named, topology="netns", quick=True, folder=tmp_path)
        monkeypatch.setattr(settings, "from_robot", lambda run=run: run)
        for row in (
            lambda: keywords.calls_should_be_completed("basic-voice-call", "1c", 50),
            lambda: keywords.call_rate_should_be_found("basic-voice-call", "1c"),
        ):
            with pytest.raises(SkipExecution, match="The nodes of this row copy: it does not exercise librohc"):
                row()


def test_without_interfaces_calls_are_unsupported() -> None:
    from robot.api import SkipExecution

    collector.begin()
    with pytest.raises(SkipExecution, match="--topology process has none"):
        call_forwarding.CallForwardingKeywords().calls_should_be_completed("basic-voice-call", "1c", 50)


@root
def test_calls_for_real(real_build: str) -> None:
    if reason := choice.build_lacks(real_build):
        pytest.skip(reason)
    asked = run_of(build=real_build, topology="netns")
    with line_with(asked, (0,), "null", COPIES, lambda made: callers(asked, made, "3gpp-video-call", 0.05)) as made:
        trial = undisturbed(made, 40, 0.5)
    assert isinstance(made.generator, EmbeddedCalls)
    assert (trial.sent, trial.lost, trial.forward.unexpected) == (20, 0, 0)
    assert SimpleNamespace(**trial.raw["forward"]).sent == 20 * 6
    assert SimpleNamespace(**trial.raw["reverse"]).received == 20 * 8


@root
def test_calls_over_sigcomp_for_real(real_build: str) -> None:
    """Through nodes that compress: what arrives is what was sent, and the nodes say that it was SigComp on the link."""
    if reason := choice.build_lacks(real_build):
        pytest.skip(reason)
    asked = run_of(build=real_build, topology="netns")
    with line_with(asked, (0,), "sigcomp", COPIES, lambda made: callers(asked, made, "basic-voice-call", 0.05)) as made:
        trial = undisturbed(made, 40, 0.5)
        workers = [made.watched[role].statistics()["workers"][0] for role in ("compressor", "decompressor")]
    assert (trial.sent, trial.lost, trial.forward.unexpected) == (20, 0, 0)
    for worker, sent, received in zip(workers, (3, 4), (4, 3), strict=True):
        assert worker["compressed"] >= 20 * sent
        assert worker["decompressed"] >= 20 * received
        assert worker["errors"]["decompressor"] == {}
        assert worker["compartments"]["opened"] >= 20, "one for each caller"
        assert worker["compartments"]["refused"] == 0


@root
@pytest.mark.skipif(not os.environ.get("TREX_ROOT"), reason="TREX_ROOT names no TRex")
@pytest.mark.parametrize("nodes", ["null", "sigcomp"])
def test_calls_of_trex_for_real(real_build: str, nodes: Codec) -> None:
    if reason := choice.build_lacks(real_build):
        pytest.skip(reason)
    asked = run_of(build=real_build, topology="netns", generator="trex")
    with line_with(asked, (0,), nodes, COPIES, lambda made: callers(asked, made, "3gpp-registration")) as made:
        trial = undisturbed(SimpleNamespace(trial=made.compared), 40, 0.5)
        worker = made.watched["decompressor"].statistics()["workers"][0]
    assert 20 <= trial.sent <= 21
    assert (nodes == "sigcomp") == (worker["compartments"]["opened"] >= trial.sent)
    assert worker["decompressed"] >= 2 * trial.sent
    assert (trial.lost, trial.forward.unexpected, trial.forward.compared) == (0, 0, True)
    assert trial.raw["reverse"] == {"sent": 2 * trial.sent, "received": 2 * trial.sent, "lost": 0}
