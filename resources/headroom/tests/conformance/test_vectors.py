# SPDX-License-Identifier: Apache-2.0
"""The vectors before a decompressor: every difference from what they say is a sentence."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from headroom.core import engine
from headroom.core.capabilities import Misbehaviour, NotDeclared
from headroom.core.implementations import find
from headroom.schemes.rohc.conformance import capabilities, vectors
from headroom.schemes.rohc.conformance.feedback import Written
from headroom.schemes.rohc.conformance.vectors import VectorOutcome, judge
from headroom.schemes.rohc.judge import Parameters
from headroom.tests.conformance.support import document, record
from headroom.tests.oracle_rohc.support import all_vectors


def ideal(name: str, **more: Any) -> list[dict[str, Any]]:
    """Records of a decompressor that does what the vector says; `p2={…}` changes one."""
    vector = all_vectors()[name]
    records = []
    for n, step in enumerate(vector.steps):
        one = record(n, step.link, "identical" if step.outcome == "delivered" else "withheld")
        # One element for each feedback data, as it came: its size fits into Code here.
        one["passed_on"] = [bytes([0xF0 | len(data)]).hex() + data.hex() for data in step.passes_on if len(data) < 8]
        one["passed_on"] += [f"f0{len(data):02x}{data.hex()}" for data in step.passes_on if len(data) > 7]
        one["feedback"] = [
            Written.of(
                f"{reply['acktype']}({reply['mode']}) with CRC" + (" and SN option" if "sn_bits" in reply else "")
            )
            .element(reply["cid"], reply.get("sn", 1000), vector.parameters)
            .hex()
            for reply in step.replies
        ]
        records.append(one | more.get(f"p{n}", {}))
    return records


def wrong(name: str, **more: Any) -> list[str]:
    return judge([all_vectors()[name]], document(ideal(name, **more)))[0].wrong


@pytest.mark.parametrize("name", sorted(name for name in all_vectors()))
def test_who_does_what_they_say_passes(name: str) -> None:
    assert wrong(name) == []


@pytest.mark.parametrize(
    ("verdict", "sentence"),
    [
        ("mismatched", "link packet 2 is not delivered as it should be: mismatched (OK)"),
        ("not_delivered", "link packet 2 is not delivered as it should be: not_delivered (OK)"),
        ("withheld", "link packet 2 is not delivered as it should be: withheld (OK)"),
        ("not_run", "link packet 2 is not delivered as it should be: not_run (OK)"),
    ],
)
def test_what_must_be_delivered(verdict: str, sentence: str) -> None:
    assert wrong("rtp-ir-ipv4", p1={"verdict": verdict}) == [sentence]


def test_what_must_not_be_delivered() -> None:
    found = wrong("rtp-uo-0-wrong-crc", p1={"verdict": "unexpected", "decompressor": [{"status": "OK"}]})
    assert found == ["link packet 2 is delivered, but nothing may come out: unexpected (OK)"]


def test_what_comes_out_besides() -> None:
    """A second output of a link packet is too many, unless a packet was not delivered before it."""
    name = "csrc-insertion"
    packet = all_vectors()[name].steps[0].packet
    assert packet is not None
    besides = {"direction": "forward", "inserted": True, "status": "OK", "got": packet.hex()}
    assert wrong_with(besides, name) == ["besides the first output of each link packet, 1 more come out"]
    lacking = next(key for key, one in all_vectors().items() if any(step.outcome == "discarded" for step in one.steps))
    assert wrong_with({**besides, "got": "45"}, lacking) == [], "reverse decompression"
    assert wrong_with({**besides, "got": "45"}, lacking, 99)


def wrong_with(besides: dict[str, Any], name: str, times: int = 1) -> list[str]:
    """Returns the faults of a vector that ends with further outputs."""
    whole = document(ideal(name))
    whole["records"] += [besides] * times
    return judge([all_vectors()[name]], whole)[0].wrong


def test_feedback_that_is_not_passed_on() -> None:
    assert wrong("feedback-piggybacked", p1={"passed_on": []}) == [
        "link packet 2 passes on nothing to the compressor at its end, not 2011"
    ]


def test_other_feedback_is_passed_on() -> None:
    assert wrong("feedback-piggybacked", p1={"passed_on": ["f22012"]}) == [
        "link packet 2 passes on 2012 to the compressor at its end, not 2011"
    ]
    assert wrong("feedback-piggybacked", p2={"passed_on": ["f22011"]}) == [
        "link packet 3 passes on 2011 to the compressor at its end, not nothing"
    ]


def test_what_is_passed_on_is_no_feedback() -> None:
    (sentence,) = wrong("feedback-piggybacked", p1={"passed_on": ["f32011"]})
    assert sentence.startswith("link packet 2 passes on octets that are no feedback: the feedback announces 3 octets")


def test_size_octet_or_not_is_the_same() -> None:
    assert wrong("feedback-piggybacked", p1={"passed_on": ["f0022011"]}) == []


def answered(words: str, cid: int = 0, sn: int = 1000) -> dict[str, Any]:
    return {"feedback": [Written.of(words).element(cid, sn, Parameters()).hex()]}


@pytest.mark.parametrize(
    ("answer", "had"),
    [
        (answered("NACK(O) with CRC"), "NACK(O) with CRC for CID 0"),
        (answered("ACK(U) with CRC"), "ACK(U) with CRC for CID 0"),
        (answered("ACK(O) with CRC", cid=3), "ACK(O) with CRC for CID 3"),
        (answered("ACK(O) with CRC", sn=999), "ACK(O) with CRC for CID 0"),
    ],
)
def test_replies(answer: dict[str, Any], had: str) -> None:
    found = wrong("o-mode-ir-acknowledged", p0=answer)
    assert len(found) == 1
    assert found[0].startswith("link packet 1 is not answered with ACK(O) for CID 0")
    assert found[0].endswith(f"what comes: {had}")


def test_replies_outside_r_mode_may_be_sparse() -> None:
    """RFC 3095, 5.7.6: "only for one out of every k packets"."""
    assert wrong("o-mode-ir-acknowledged", p0={"feedback": []}) == []
    missing = wrong("r-uor-2-extension-3-sn", p2={"feedback": []})
    assert len(missing) == 1 and missing[0].endswith("what comes: nothing")


def test_replies_with_too_few_bits_of_sn() -> None:
    found = wrong("r-uor-2-extension-3-sn", p2=answered("ACK(R) with CRC", sn=1002))
    assert len(found) == 1 and found[0].startswith("link packet 3 is not answered with ACK(R)")


def test_replies_that_are_broken() -> None:
    found = wrong("o-mode-ir-acknowledged", p0=answered("ACK(O) with wrong CRC"))
    assert "link packet 1 The CRC option carries" in found[0]


def test_more_feedback_than_is_asked_for_may_come() -> None:
    both = answered("NACK(O)")["feedback"] + answered("ACK(O) with CRC")["feedback"]
    assert wrong("o-mode-ir-acknowledged", p0={"feedback": both}) == []


def test_several_vectors_at_once() -> None:
    group = [all_vectors()[name] for name in ("rtp-ir-ipv4", "padding-alone", "add-cid")]
    assert [len(vector.steps) for vector in group] == [2, 3, 4]
    steps = [(n, position) for n, position, _ in vectors._in_order(group)]
    assert steps == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 1), (2, 2), (3, 2)]
    records = []
    for packet, (_, _, step) in enumerate(vectors._in_order(group)):
        records.append(record(packet, step.link, "identical" if step.outcome == "delivered" else "withheld"))
    records[2]["verdict"] = "not_delivered"
    found = judge(group, document(records))
    assert [bool(one.wrong) for one in found] == [False, False, True]
    assert [len(one.records) for one in found] == [len(vector.steps) for vector in group]


def test_job_has_a_channel_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capabilities, "adapter", lambda *called: {"library": called[0], "config": called[1]})
    monkeypatch.setattr(capabilities, "profiles_of", lambda name: ["0x0000", "0x0001", "0x0002", "0x0004"])
    group = [all_vectors()["rtp-ir-ipv4"], all_vectors()["padding-alone"]]
    made = vectors.job(group, "vendor", "")
    assert made["decompressor"]["config"]["channels"] == 2
    assert "channels" not in vectors.job(group[:1], "vendor", "")["decompressor"]["config"]
    assert [packet["channel"] for packet in made["source"]["packets"][:4]] == [0, 1, 0, 1]
    assert [packet["hex"] for packet in made["source"]["packets"][1::2]][:2] == [
        step.link.hex() for step in group[1].steps[:2]
    ]
    for packet, expected in itertools.zip_longest(made["source"]["packets"], made["expected"]["packets"]):
        assert expected is None or (expected["time_ns"], expected["channel"]) == (packet["time_ns"], packet["channel"])


def test_control() -> None:
    """Vectors that must all be refused have one beside them that must not be."""
    assert vectors.control(["padding-alone"]) is None  # its prologue is delivered
    small = vectors.control(["packet-type-unknown", "empty-packet-types", "rtp-ir-wrong-crc"])
    assert small is None  # so is that of the first
    small, large = vectors.control(["empty-packet-types"]), vectors.control(["large-cid-three-octets", "cid-truncated"])
    assert small is not None
    assert large is not None
    assert (all_vectors()[small].channel["cids"], all_vectors()[large].channel["cids"]) == ("small", "large")
    assert all(step.outcome == "delivered" for name in (small, large) for step in all_vectors()[name].steps)


# ---- what is played again alone


class Engine:
    """In place of the engine: fails vectors by name when they are among others, or always."""

    def __init__(self, among_others: set[str], always: set[str], crash: bool = False) -> None:
        self.among_others, self.always, self.crash = among_others, always, crash
        self.jobs: list[int] = []
        self.links = {tuple(step.link.hex() for step in vector.steps): name for name, vector in all_vectors().items()}

    def __call__(self, command: str, job: dict[str, Any], timeout_s: float, build: str) -> dict[str, Any]:
        channels = sorted({packet["channel"] for packet in job["source"]["packets"]})
        self.jobs.append(len(channels))
        if self.crash and len(channels) > 1:
            raise engine.EngineFailure("crash", "The engine died.")
        by_channel = {
            n: self.links[tuple(one["hex"] for one in job["source"]["packets"] if one["channel"] == n)]
            for n in channels
        }
        records = []
        pairs = zip(job["source"]["packets"], job["expected"]["packets"], strict=True)
        for n, (packet, expected) in enumerate(pairs):
            bad = by_channel[packet["channel"]] in (self.always | (self.among_others if len(channels) > 1 else set()))
            right = "withheld" if expected is None else "identical"
            records.append(record(n, bytes.fromhex(packet["hex"]), "not_run" if bad else right))
        return document(records)


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch) -> list[vectors.Vector]:
    monkeypatch.setattr(capabilities, "require", lambda *_, **__: None)
    monkeypatch.setattr(capabilities, "adapter", lambda *called: {"library": called[0], "config": called[1]})
    monkeypatch.setattr(capabilities, "profiles_of", lambda name: ["0x0000", "0x0001", "0x0002", "0x0004"])
    return [all_vectors()[name] for name in ("rtp-ir-ipv4", "padding-alone", "add-cid")]


def played(monkeypatch: pytest.MonkeyPatch, there: Engine, group: list[vectors.Vector]) -> list[VectorOutcome]:
    monkeypatch.setattr(engine, "run", there)
    return vectors._play_together(group, "vendor", "")


def test_what_fails_among_others_counts_only_alone(monkeypatch: pytest.MonkeyPatch, group: Any) -> None:
    there = Engine({"add-cid"}, set())
    assert [one.wrong for one in played(monkeypatch, there, group)] == [[], [], []]
    assert there.jobs == [3, 1]


def test_what_fails_alone_fails(monkeypatch: pytest.MonkeyPatch, group: Any) -> None:
    there = Engine(set(), {"add-cid"})
    found = played(monkeypatch, there, group)
    assert [bool(one.wrong) for one in found] == [False, False, True]
    assert found[2].failure is None


def test_a_crash_is_found_out_one_by_one(monkeypatch: pytest.MonkeyPatch, group: Any) -> None:
    there = Engine(set(), set(), crash=True)
    assert [one.wrong for one in played(monkeypatch, there, group)] == [[], [], []]
    assert there.jobs == [3, 1, 1, 1]


def test_a_crash_alone_is_a_failure_of_its_own(monkeypatch: pytest.MonkeyPatch, group: Any) -> None:
    def crash(*_: Any) -> dict[str, Any]:
        raise engine.EngineFailure("crash", "The engine died.")

    monkeypatch.setattr(engine, "run", crash)
    found = vectors._play_together(group, "vendor", "")
    assert [one.wrong for one in found] == [["The engine died."]] * 3
    assert all(one.failure for one in found)


def test_a_broken_promise_is_a_failure(monkeypatch: pytest.MonkeyPatch, group: Any) -> None:
    broken = {"side": "decompressor", "function": "decompress", "packet": 3, "message": "it wrote too far."}
    monkeypatch.setattr(engine, "run", lambda *_: {"promise_broken": broken, "records": []})
    (found, *_) = vectors._play_together(group, "vendor", "")
    assert isinstance(found.failure, Misbehaviour)


@pytest.mark.parametrize(
    ("vector", "declared", "profiles"),
    [
        ("rtp-ir-ipv4", ["0x0000", "0x0001"], ["0x0000", "0x0001"]),
        ("rtp-ir-ipv4", ["0x0000", "0x0001", "0x0004"], ["0x0000", "0x0001", "0x0004"]),
        ("rtp-ir-ipv4", ["0x0000"], ["0x0000", "0x0001"]),
        ("ip-profile-switch-from-rtp", ["0x0000", "0x0001"], ["0x0000", "0x0001", "0x0004"]),
        ("rtp-ir-ipv4", ["0x0000", "0x0001", "0x0002", "0x0004", "0x0007"], ["0x0000", "0x0001", "0x0002", "0x0004"]),
    ],
)
def test_a_channel_has_no_profile_that_neither_the_vector_nor_the_decompressor_needs(
    monkeypatch: pytest.MonkeyPatch, vector: str, declared: list[str], profiles: list[str]
) -> None:
    monkeypatch.setattr(capabilities, "profiles_of", lambda name: declared)
    found = all_vectors()[vector]
    assert vectors.channel_for(found, "vendor") == {**found.channel, "profiles": profiles}


def test_what_a_vector_uses_has_to_be_declared(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "implementation.yaml").write_text(
        "{name: mine, vendor: V, licence: L, obtain: No., adapter: {library: /x.so}, capabilities: [{scheme: rohc, "
        'roles: [decompressor], profiles: ["0x0000", "0x0001"], modes: [U], cids: [small], max_cid: 15}]}'
    )
    with pytest.raises(NotDeclared, match=r"^mine does not declare profile 0x0002\.$"):
        vectors.play("udp-ir-without-payload", find(str(folder)), "")
    with pytest.raises(NotDeclared, match=r"^mine does not declare cid large\.$"):
        vectors.play("large-cid-100", find(str(folder)), "")
