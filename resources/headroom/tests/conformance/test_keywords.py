# SPDX-License-Identifier: Apache-2.0
"""The keywords of conformance and robustness: what was decided becomes a verdict, and never a milder one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from robot.api import SkipExecution

from headroom.core import capabilities as core_capabilities
from headroom.core import requirements
from headroom.core.capabilities import Inconclusive, Misbehaviour, NotDeclared
from headroom.core.engine_result import EngineFailure
from headroom.core.errors import UsageError
from headroom.core.finding import Finding
from headroom.core.results import collector
from headroom.core.results.listener import verdict_of
from headroom.core.results.record import Test
from headroom.keywords import verdicts as keyword_verdicts
from headroom.schemes.rohc.conformance import capabilities, damage, faulty_adapters, losses, vectors
from headroom.schemes.rohc.conformance.damage import DamageOutcome
from headroom.schemes.rohc.conformance.flow import Flow
from headroom.schemes.rohc.conformance.observation import Observation
from headroom.schemes.rohc.conformance.vectors import VectorOutcome
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.keywords import conformance, robustness, verdicts
from headroom.schemes.rohc.keywords.conformance import ConformanceKeywords
from headroom.schemes.rohc.keywords.robustness import RobustnessKeywords
from headroom.tests.conformance.support import BEGINNING, observed, record, sent, stream
from headroom.tests.oracle_rohc.support import all_vectors


@pytest.fixture(autouse=True)
def nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No adapter is loaded: identities are names, everything is declared."""
    monkeypatch.setattr(core_capabilities, "identity", lambda found, build: {"name": found.name})
    monkeypatch.setattr(capabilities, "require", lambda *_, **__: None)
    monkeypatch.setattr(capabilities, "common_profiles", lambda *_: ["0x0001"])
    collector.begin()
    yield
    collector.begin()


@pytest.fixture
def seeing(monkeypatch: pytest.MonkeyPatch) -> Callable[[Observation], ConformanceKeywords]:
    """A library whose next traffic is what is given."""

    def library(seen: Observation) -> ConformanceKeywords:
        monkeypatch.setattr(conformance, "observe", lambda *_, **__: seen)
        monkeypatch.setattr(robustness, "observe", lambda *_, **__: seen)
        return ConformanceKeywords()

    return library


See = Callable[[Observation], ConformanceKeywords]


def settled(count: int = 60) -> Observation:
    return stream("rtp-ipv4", [*BEGINNING, *["UO-0"] * count])


def with_verdict(seen: Observation, number: int, verdict: str, status: str = "ERR_CRC") -> Observation:
    one = seen.packets[number]
    one.record |= {"verdict": verdict, "decompressor": [{"time_ns": one.time_ns, "status": status}]}
    return seen


def missing(seen: Observation, *numbers: int) -> Observation:
    """The compressor did not put these on the link."""
    for number in numbers:
        one = seen.packets[number]
        one.link = one.outcome = None
        one.record |= {"compressor": {"status": "ERR_INTERNAL"}, "verdict": "not_compressed"}
    return seen


# ---- streams


def test_a_right_stream(seeing: See) -> None:
    library = seeing(settled())
    library.flow_correct("rtp-ipv4")
    library.begins_with_ir()
    library.irs_at_start(3)
    library.settles()
    library.no_refreshes()
    library.cids_within(0)
    library.link_has("IR", "UO-0")
    library.link_never_has("UO-1")
    library.profiles_used("0x0001")
    library.average_header(4.0)
    assert collector.current().verdict is None


def test_a_must_finding_fails(seeing: See) -> None:
    seen = settled()
    seen.findings.append(Finding("It is wrong.", "RFC3095-5.9.2-1", 7, "judge"))
    with pytest.raises(AssertionError, match=r"1 finding, the first: packet 8: It is wrong\. \(RFC3095-5\.9\.2-1\)"):
        seeing(seen).observe_flow("rtp-ipv4")
    assert collector.current().verdict == "fail"


def test_a_should_finding_is_non_strict(seeing: See) -> None:
    seen = settled()
    seen.findings.append(Finding("It is not nice.", "RFC4815-4.4.3-2", 7, "judge"))
    seeing(seen).observe_flow("rtp-ipv4")
    assert collector.current().verdict == "non-strict"


def test_the_level_of_a_finding_is_that_of_its_requirement() -> None:
    """Whatever a judge says of it: a SHOULD never fails an implementation."""
    assert Finding("It is not nice.", "RFC4815-4.4.3-2", severity="must").severity == "should"
    assert Finding("It is wrong.", "RFC3095-5.9.2-1", severity="should").severity == "must"
    assert Finding("tshark is missing.", severity="note").severity == "note"


def test_what_a_may_leaves_open_is_no_verdict(seeing: See) -> None:
    seen = settled()
    seen.findings.append(Finding("It acknowledges in U-mode.", "RFC3095-5.3.2.3-1", 7, "judge"))
    assert requirements.load()["RFC3095-5.3.2.3-1"].level == "may"
    seeing(seen).observe_flow("rtp-ipv4")
    assert collector.current().verdict is None


@pytest.mark.parametrize(("level", "expected"), [("must", "fail"), ("should", "non-strict")])
def test_an_expectation_has_the_level_of_its_case(level: str, expected: str) -> None:
    case = Test("x", "x", "", "", [f"level:{level}"])
    assert verdict_of("FAIL", "It is not met.", case, collector.begin())[0] == expected


def test_a_broken_must_is_a_failure_in_a_case_about_a_should(seeing: See) -> None:
    seen = settled()
    seen.findings.append(Finding("It is wrong.", "RFC3095-5.9.2-1", 7, "judge"))
    with pytest.raises(AssertionError) as caught:
        seeing(seen).observe_flow("rtp-ipv4")
    case = Test("x", "x", "", "", ["level:should"])
    assert verdict_of("FAIL", str(caught.value), case, collector.current())[0] == "fail"


def test_remarks_on_feedback() -> None:
    verdicts.conclude_remarks([], "decompressor")
    assert collector.current().verdict is None
    verdicts.conclude_remarks([Remark("RFC3095-5.7.6.9-3", "LOSS comes without a CRC.")], "decompressor")
    assert collector.current().verdict == "non-strict"
    with pytest.raises(AssertionError, match="1 finding, the first: The CRC is wrong"):
        verdicts.conclude_remarks([Remark("RFC4815-2.3-1", "The CRC is wrong.")], "decompressor")
    assert collector.current().verdict == "fail"


def test_declared_deviations_are_for_their_own_cases(monkeypatch: pytest.MonkeyPatch, seeing: See) -> None:
    monkeypatch.setattr(core_capabilities, "declared_deviations", lambda found, role: frozenset({"RFC3095-5.9.2-1"}))
    seen = settled()
    seen.findings.append(Finding("It is wrong.", "RFC3095-5.9.2-1", 7, "judge"))
    seeing(seen).observe_flow("rtp-ipv4")
    assert collector.current().findings == []
    monkeypatch.setattr(keyword_verdicts, "requirements_of_case", lambda: frozenset({"RFC3095-5.9.2-1"}))
    with pytest.raises(AssertionError, match="It is wrong"):
        seeing(seen).observe_flow("rtp-ipv4")


def test_what_the_judge_cannot_read_is_unsupported(seeing: See) -> None:
    seen = settled()
    seen.not_judged = [f"packet {one.index}: a feature" for one in seen.packets]
    with pytest.raises(SkipExecution, match="The judge does not support these packets: packet 0: a feature"):
        seeing(seen).observe_flow("rtp-ipv4")


@pytest.mark.parametrize(
    "sentence",
    [
        'the adapter\'s decompressor refuses the control message {"mode":"R"}: no.',
        "endpoint a does not open compartment 0: no.",
    ],
)
def test_what_is_refused_is_unsupported(sentence: str) -> None:
    with pytest.raises(SkipExecution, match="no"), keyword_verdicts.refusals_are_unsupported():
        raise EngineFailure("refused", sentence, "/control/0")
    with pytest.raises(EngineFailure), keyword_verdicts.refusals_are_unsupported():
        raise EngineFailure("crash", sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "the adapter /it refuses the control message .so does not load: no.",
        "endpoint a refuses what a step asks of it: endpoint a does not open compartment 0: no.",
    ],
)
def test_the_words_of_a_refusal_count_at_the_beginning_alone(sentence: str) -> None:
    with pytest.raises(EngineFailure), keyword_verdicts.refusals_are_unsupported():
        raise EngineFailure("refused", sentence, "/steps/0")


@pytest.mark.parametrize("where", ["/decompressor/config", ""])
def test_what_an_adapter_says_of_its_configuration_is_no_refusal_of_a_step(where: str) -> None:
    sentence = "The adapter refuses the configuration of its decompressor: it does not open compartment 0."
    with pytest.raises(EngineFailure), keyword_verdicts.refusals_are_unsupported():
        raise EngineFailure("refused", sentence, where)


def test_what_nobody_declares_is_not_excused(seeing: See) -> None:
    """An IR packet without its SSRC reads as one with odd lists: that is a failure, not a feature."""
    seen = settled()
    seen.not_judged = seen.undeclared = [f"packet {one.index}: The list has encoding type 2." for one in seen.packets]
    with pytest.raises(AssertionError, match=r"63 packets cannot be what they seem: packet 0: The list has encoding"):
        seeing(seen).observe_flow("rtp-ipv4")
    assert collector.current().verdict == "fail"


@pytest.mark.parametrize(
    "ask", [lambda one: one.observe_flow("rtp-ipv4"), lambda one: one.observe_slow_flow("rtp-ipv4", 120)]
)
def test_an_empty_link_is_not_right(seeing: See, ask: Callable[[ConformanceKeywords], None]) -> None:
    """What a compressor does not send breaks no rule of the judge; that it does not send it does."""
    with pytest.raises(AssertionError, match=r"loses 2 packets by itself: packet 6 is not put on the link \(ERR_INT"):
        ask(seeing(missing(settled(), 5, 6)))
    with pytest.raises(AssertionError, match="The compressor loses 63 packets by itself"):
        ask(seeing(missing(settled(), *range(63))))
    with pytest.raises(Inconclusive, match="Nothing was sent"):
        ask(seeing(observed([], [])))


def test_a_slow_flow_settles_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """40 packets 20 ms apart; then twelve, 20 s apart for a period of two minutes."""
    asked: list[Any] = []

    def observe(wanted: Any, *_: Any, **__: Any) -> Observation:
        asked.append(wanted)
        return settled()

    monkeypatch.setattr(conformance, "observe", observe)
    ConformanceKeywords().observe_slow_flow("rtp-ipv4", 120)
    times = [packet["time_ns"] / 1e9 for packet in asked[0].source]
    assert len(times) == 52
    assert (times[1], times[39]) == (0.02, 0.78)
    assert times[40:42] == [20.78, 40.78]
    assert asked[0].decompressor is None


@pytest.mark.parametrize(
    ("verdict", "sentence"),
    [
        ("not_delivered", r"The judge restores them, but the decompressor does not: packet 8 \(UO-0\) is not deliv"),
        ("mismatched", r"packet 8 \(UO-0\) is mismatched"),
    ],
)
def test_a_decompressor_that_falls_short(seeing: See, verdict: str, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        seeing(with_verdict(settled(), 7, verdict)).flow_correct("rtp-ipv4")


def test_expectations_of_the_last_stream(seeing: See) -> None:
    library = seeing(stream("rtp-ipv4", ["IR", *["UO-1-TS"] * 60, "IR", "UO-0"]))
    library.observe_flow("rtp-ipv4")
    for ask, sentence in (
        (library.settles, r"1 of 23 are of type 0; packet 41 is UO-1-TS"),
        (lambda: library.returns_to_ir(2), "Among 63 packets there are 1 returns to IR"),
        (library.ir_less_often, "There are 1 returns to the IR state and 0 to the FO state"),
        (library.no_refreshes, "It returns though nothing changes: packet 62"),
        (lambda: library.link_has("IR", "UOR-2"), "No UOR-2 is sent"),
        (lambda: library.link_never_has("IR"), "IR is sent"),
        (lambda: library.profiles_used("0x0002, 0x0004"), "Packet 1 is of profile 0x0001"),
        (lambda: library.average_header(2.0), r"The average header has \d"),
    ):
        with pytest.raises(AssertionError, match=sentence):
            ask()
    library.returns_to_ir(1)
    library.irs_at_start(3)
    (finding,) = collector.current().findings
    assert "A flow begins with 1 IR packets" in finding.sentence and finding.severity == "should"


def test_a_flow_that_begins_without_ir(seeing: See) -> None:
    seen = settled()
    seen.packets = seen.packets[3:]
    library = seeing(seen)
    library.seen = seen
    with pytest.raises(AssertionError, match="1 flows do not: the first packet on the link is UO-0, not IR"):
        library.begins_with_ir()


def test_cids_beyond_the_limit(seeing: See) -> None:
    links, originals = sent("rtp-ipv4", [*BEGINNING, "UO-0"], cid=3)
    library = seeing(observed(links, originals))
    library.observe_flow("rtp-ipv4")
    library.cids_within(3)
    with pytest.raises(AssertionError, match="Packet 1 uses CID 3, but MAX_CID is 2"):
        library.cids_within(2)


def test_expectations_come_behind_traffic() -> None:
    with pytest.raises(RuntimeError, match="Nothing has been observed yet"):
        ConformanceKeywords().settles()


def flows_with(sns: list[int]) -> Observation:
    links, originals = [], []
    for cid, sn in enumerate(sns):
        flow = Flow.of("udp-ipv4", cid)
        flow.sn = sn
        one = sent(flow, ["IR"], cid)
        links += one[0]
        originals += one[1]
    return observed(links, originals)


@pytest.mark.parametrize(
    ("sns", "sentence"),
    [
        ([9, 40001, 512, 7000, 65000, 31, 20000, 333], ""),
        ([1000] * 8, "They are not random"),
        (list(range(100, 108)), "They are not random"),
    ],
)
def test_initial_sequence_numbers(seeing: See, sns: list[int], sentence: str) -> None:
    library = seeing(flows_with(sns))
    library.observe_flow("udp-ipv4")
    if not sentence:
        library.random_sequence_numbers()
        return
    with pytest.raises(AssertionError, match=sentence):
        library.random_sequence_numbers()


def test_too_few_flows_are_no_failure(seeing: See) -> None:
    library = seeing(flows_with([9, 40001, 512]))
    library.observe_flow("udp-ipv4")
    with pytest.raises(Inconclusive, match="Only 3 contexts can be read") as caught:
        library.random_sequence_numbers()
    assert caught.value.verdict == "error"


def test_single_losses(seeing: See) -> None:
    seeing(settled()).single_losses("rtp-ipv4")
    assert collector.current().verdict is None
    seeing(stream("rtp-ipv4", ["IR", *["UO-0"] * 30])).single_losses("rtp-ipv4")
    (finding,) = collector.current().findings
    assert "1 must not be lost: without packet 1 packet 2 is not restored" in finding.sentence
    assert (finding.requirement, finding.severity) == ("RFC3095-5.3.1.1.1-1", "should"), "the number of IR is open"
    assert collector.current().verdict == "non-strict"


@pytest.mark.parametrize(
    ("carried", "sentence"),
    [(2, ""), (1, "After ttl to 9 at packet 41, the loss of that packet alone keeps later packets from")],
)
def test_changes_survive(monkeypatch: pytest.MonkeyPatch, carried: int, sentence: str) -> None:
    monkeypatch.setattr(losses, "survey", lambda *_: losses.Survey(carried, settled(), [], 16))
    ConformanceKeywords().change_survives("rtp-ipv4", "ttl to 9")
    current = collector.current()
    assert current.verdict == ("non-strict" if sentence else None)
    assert all(sentence in one.sentence and one.packet == losses.CHANGE_AT for one in current.findings)


def test_a_decompressor_fails_though_the_compressor_tells_a_change_once(monkeypatch: pytest.MonkeyPatch) -> None:
    complaints = ["losing packets c: packet 45 is not delivered"]
    monkeypatch.setattr(losses, "survey", lambda *_: losses.Survey(1, settled(), complaints, 16))
    with pytest.raises(AssertionError, match="The decompressor, losing packets c"):
        ConformanceKeywords().change_survives("rtp-ipv4", "ttl to 9")


def test_a_change_that_is_not_sent_does_not_survive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "survey", lambda *_: losses.Survey(16, missing(settled(), 40), [], 16))
    with pytest.raises(AssertionError, match="packet 41 is not put on the link"):
        ConformanceKeywords().change_survives("rtp-ipv4", "ttl to 9")


def test_changes_are_for_flows() -> None:
    with pytest.raises(UsageError, match="Only flows such as rtp-ipv4 have changes"):
        ConformanceKeywords().observe_flow("voip-amr-nb-ipv4", "40: ttl to 9")


# ---- vectors


def test_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["padding-alone", "two-cids"]
    right = {name: VectorOutcome(all_vectors()[name]) for name in names}
    monkeypatch.setattr(vectors, "play", lambda name, decompressor, build: right[name])
    ConformanceKeywords().vectors_decompressed(*names)
    right["two-cids"].wrong.append("link packet 2 is not delivered as it should be")
    with pytest.raises(AssertionError, match="1 of 2 vectors: two-cids: link packet 2 is not delivered"):
        ConformanceKeywords().vectors_decompressed(*names)
    right["padding-alone"].failure = Misbehaviour("It broke a promise.")
    with pytest.raises(Misbehaviour):
        ConformanceKeywords().vectors_decompressed(*names)


def test_vectors_that_are_not_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(name: str, decompressor: str, build: str) -> VectorOutcome:
        if name == "two-cids":
            raise NotDeclared("It does not declare that.")
        return VectorOutcome(all_vectors()[name], ["link packet 0 is not delivered"] if spoil else [])

    spoil = False
    monkeypatch.setattr(vectors, "play", play)
    with pytest.raises(SkipExecution, match="It does not declare that"):
        ConformanceKeywords().vectors_decompressed("two-cids")
    ConformanceKeywords().vectors_decompressed("two-cids", "padding-alone")
    assert {one.name: one.value for one in collector.current().metrics}["vectors"] == 1
    spoil = True
    with pytest.raises(AssertionError, match="1 of 2 vectors"):  # what is left out excuses nobody
        ConformanceKeywords().vectors_decompressed("two-cids", "padding-alone")


def test_refusing_everything_is_no_merit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may come out of these vectors; who delivers nothing at all has not passed."""
    control = str(vectors.control(["empty-packet-types"]))
    found = {name: VectorOutcome(all_vectors()[name]) for name in ("empty-packet-types", control)}
    monkeypatch.setattr(vectors, "play", lambda name, decompressor, build: found[name])
    ConformanceKeywords().vectors_decompressed("empty-packet-types")
    found[control].wrong.append("link packet 0 is not delivered")
    with pytest.raises(AssertionError, match=f"but {control} must be delivered beside them and is not"):
        ConformanceKeywords().vectors_decompressed("empty-packet-types")


# ---- stories


def test_rows_belong_to_stories() -> None:
    library = ConformanceKeywords()
    for row in (
        lambda: library.it_sends(3),
        lambda: library.it_receives(3, "IR"),
        lambda: library.it_is_given("ACK(O)"),
        library.so_it_should_be,
    ):
        with pytest.raises(RuntimeError, match="story"):
            row()


# ---- robustness


def impaired(wrong: int, of: int = 60) -> Observation:
    """No IR packet arrives, so that all of the rest is at risk, and some come out wrong."""
    links, originals = sent("rtp-ipv4", [*BEGINNING, *["UO-0"] * of])
    records = []
    for n, link in enumerate(links):
        if n < 3:
            records.append(record(n, link, "lost_on_link", fate="loss") | {"decompressor": []})
        else:
            records.append(record(n, link, "mismatched" if n < 3 + wrong else "not_delivered"))
    return observed(links, originals, records=records)


def test_no_more_than_chance_may_come_out_wrong(seeing: See) -> None:
    """60 at risk: 7.5 pass a CRC-3 on average; tried twice, at most 28 with a probability of 0.999."""
    seeing(impaired(28))
    RobustnessKeywords().impaired_link("voip-amr-nb-ipv4")
    seeing(impaired(29))
    with pytest.raises(AssertionError, match=r"29 packets come out wrong; 60 of 60 arrivals were at ri"):
        RobustnessKeywords().impaired_link("voip-amr-nb-ipv4")


def test_who_refuses_everything_does_no_service(seeing: See) -> None:
    def refusing(first: int) -> Observation:
        seen = settled()
        for number in range(first, 63):
            with_verdict(seen, number, "not_delivered")
        seen.done.document["forward"]["verdicts"] = {"identical": first, "not_delivered": 63 - first}
        return seen

    seeing(refusing(4))
    RobustnessKeywords().impaired_link("voip-amr-nb-ipv4")
    seeing(refusing(3))
    with pytest.raises(AssertionError, match="3 packets come out; from the same 63 arrivals, the judge restores 63"):
        RobustnessKeywords().impaired_link("voip-amr-nb-ipv4")


def test_packets_lost_by_the_compressor_are_not_the_links_fault(seeing: See) -> None:
    seeing(missing(settled(), 7))
    with pytest.raises(AssertionError, match="The compressor loses 1 packets by itself: packet 8 is not put on the"):
        RobustnessKeywords().impaired_link("voip-amr-nb-ipv4")


def test_recovery_has_a_limit(seeing: See) -> None:
    seeing(impaired(0, 20))
    RobustnessKeywords().impaired_link("voip-amr-nb-ipv4", outage=21)
    with pytest.raises(AssertionError, match="20 packets in a row arrive and do not come out; by 20"):
        RobustnessKeywords().impaired_link("voip-amr-nb-ipv4", outage=20)


@pytest.mark.parametrize(
    ("tried", "sentence"),
    [
        (DamageOutcome(trials=5), ""),
        (DamageOutcome(trials=5, wrong=["x: it is delivered"]), "1 of 5 packets: x: it is delivered"),
        (DamageOutcome(trials=5, not_recovered=["x: the IR packet after it"]), "1 contexts do not recover: x: the IR"),
        (DamageOutcome(trials=5, undetected=1), "1 damaged headers come out; at most 0 may"),
    ],
)
def test_damaged_packets(monkeypatch: pytest.MonkeyPatch, tried: DamageOutcome, sentence: str) -> None:
    monkeypatch.setattr(damage, "attempt", lambda *_: tried)
    if not sentence:
        RobustnessKeywords().damaged_packets("CRC bits flipped")
        return
    with pytest.raises(AssertionError, match=sentence):
        RobustnessKeywords().damaged_packets("CRC bits flipped")


def test_no_damage_without_channels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(damage, "attempt", lambda *_: DamageOutcome())
    with pytest.raises(SkipExecution, match=r"for channels that \S+ does not declare"):
        RobustnessKeywords().damaged_packets("truncated")


@pytest.mark.parametrize(
    ("said", "afterwards", "sentence"),
    [
        ("The engine died.", "", ""),
        ("", "", "An adapter that writes too far passes for one that behaves"),
        ("The engine died.", "It hangs.", "After it, an adapter that behaves is taken for one that does not: It hangs"),
    ],
)
def test_misbehaviour(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, said: str, afterwards: str, sentence: str
) -> None:
    (tmp_path / "faulty_writes_too_far.so").touch()
    monkeypatch.setattr(faulty_adapters, "folder", lambda build: tmp_path)
    monkeypatch.setattr(
        faulty_adapters, "provoke", lambda folder, fault, build: afterwards if fault == "none" else said
    )
    if not sentence:
        RobustnessKeywords().misbehaviour("writes_too_far")
        return
    with pytest.raises(AssertionError, match=sentence):
        RobustnessKeywords().misbehaviour("writes_too_far")


def test_misbehaviour_that_is_not_built(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(faulty_adapters, "folder", lambda build: tmp_path)
    with pytest.raises(SkipExecution, match="The faulty adapters are not built"):
        RobustnessKeywords().misbehaviour("crash")
