# SPDX-License-Identifier: Apache-2.0
"""A replay as the judge reads it: which packet a finding is about, which feedback binds, which rules apply."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headroom.core import replay
from headroom.core.capabilities import Inconclusive, Misbehaviour
from headroom.core.replay import Replay, ReplayConfig
from headroom.schemes.rohc.conformance import capabilities, observation
from headroom.schemes.rohc.conformance.feedback import Written
from headroom.schemes.rohc.conformance.losses import literal
from headroom.schemes.rohc.conformance.observation import Observation, ObservedPacket, is_feedback_prompt, observe
from headroom.schemes.rohc.judge import Parameters
from headroom.tests.conformance.support import BEGINNING, document, observed, record, sent, stream
from headroom.tests.runs import replay_of

Observer = Callable[..., Observation]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Observer:
    """Observes link packets as if the engine had sent them: `play(links, originals, wanted, change)`."""

    def observer(
        links: list[bytes | None],
        originals: list[bytes],
        change: Callable[[list[dict[str, Any]]], None] = lambda records: None,
        judged: set[int] | None = None,
        window: int = 1,
        **wanted: Any,
    ) -> Observation:
        records = [record(n, link) for n, link in enumerate(links)]
        change(records)
        asked = replay_of(source=literal(originals), **wanted)

        def run(now: ReplayConfig) -> Replay:
            assert (now.records, now.record_octets) == ("all", True)
            return Replay(now, document(records))

        monkeypatch.setattr(replay, "run", run)
        return observe(asked, window=window, judged=judged)

    return observer


def requirements(seen: Observation) -> list[tuple[int | None, str]]:
    return [(one.packet, one.requirement) for one in seen.findings]


def test_a_right_stream_has_no_findings(play: Observer) -> None:
    links, originals = sent("rtp-ipv4", [*BEGINNING, "UO-0", "UOR-2-ID", "UO-1-TS"])
    seen = play(links, originals)
    assert seen.findings == seen.not_judged == []
    assert seen.restored == 6
    assert seen.kinds == {"IR": 3, "UO-0": 1, "UOR-2-ID": 1, "UO-1-TS": 1}
    assert [(one.cid, one.profile, one.verdict, one.is_restored) for one in seen.packets] == [
        (0, 1, "identical", True)
    ] * 6
    assert [one.header_octets for one in seen.packets] == [41, 41, 41, 1, 3, 2]


def test_a_wrong_packet_is_found_where_it_is(play: Observer) -> None:
    links, originals = sent("rtp-ipv4", [*BEGINNING, "UO-0", "UO-0"])
    broken = [*links[:4], bytes([links[4][0] ^ 1]) + links[4][1:]]
    seen = play(broken, originals)
    assert requirements(seen) == [(4, "RFC3095-5.9.2-1")]
    assert seen.findings[0].severity == "must"
    assert "CRC-3" in seen.findings[0].sentence
    assert not seen.packets[4].is_restored


def test_packets_that_were_not_sent_do_not_shift_the_count(play: Observer) -> None:
    """Packet 2 is not on the link; the wrong one is still packet 4 of the source."""
    links, originals = sent("rtp-ipv4", [*BEGINNING, "UO-0", "UO-0"])
    broken = [*links[:2], None, links[3], bytes([links[4][0] ^ 1]) + links[4][1:]]
    seen = play(broken, originals)
    assert requirements(seen) == [(4, "RFC3095-5.9.2-1")]
    assert (seen.packets[2].kind, seen.packets[2].cid, seen.packets[2].outcome) == ("", None, None)
    assert seen.kinds["IR"] == 2


def test_channels_are_judged_apart(play: Observer) -> None:
    def second_channel(records: list[dict[str, Any]]) -> None:
        for one in records[3:]:
            one["channel"] = 1

    links, originals = sent("rtp-ipv4", [*BEGINNING, "UO-0"])
    seen = play(links, originals, second_channel)
    assert [one.packet for one in seen.findings] == [3]  # there was no IR on its channel
    assert [len(flow) for flow in seen.flows()] == [3]
    seen = play(links, originals, second_channel, judged={0})
    assert seen.findings == []
    assert seen.packets[3].outcome is None


def test_what_the_adapter_says_is_not_believed(play: Observer) -> None:
    def boast(records: list[dict[str, Any]]) -> None:
        for one in records:
            one["compressor"] = {"status": "OK", "type": "UO-0", "cid": 7, "profile": 2}

    links, originals = sent("rtp-ipv4", ["IR"])
    (packet,) = play(links, originals, boast).packets
    assert (packet.kind, packet.cid, packet.profile) == ("IR", 0, 1)


def test_other_directions_and_inserted_packets_are_left_out(play: Observer) -> None:
    def more(records: list[dict[str, Any]]) -> None:
        records.append({**records[0], "direction": "reverse"})
        records.append({"direction": "forward", "inserted": True, "link": "ff", "time_ns": 0, "verdict": "unexpected"})

    links, originals = sent("rtp-ipv4", ["IR"])
    assert len(play(links, originals, more).packets) == 1


@pytest.mark.parametrize(("link", "side"), [("ff", "compressor sends"), ("", "decompressor delivers")])
def test_what_comes_out_besides_is_an_error(play: Observer, link: str, side: str) -> None:
    def more(records: list[dict[str, Any]]) -> None:
        records.append(
            {"direction": "forward", "inserted": True, "link": link, "verdict": "unexpected", "status": "OK"}
        )

    links, originals = sent("rtp-ipv4", ["IR"])
    with pytest.raises(Misbehaviour, match=f"The {side} more than there is in the source: 1 packets"):
        play(links, originals, more)
    assert len(play(links, originals, more, forward={"insert": [{"before": 0, "hex": "ff"}]}).packets) == 1


NEVER_THERE = "RFC5795-5.2.1-2"
IR_OCTETS = 41


def test_what_a_compressor_sends_besides_is_judged_where_it_was_sent(play: Observer) -> None:
    links, originals = sent("rtp-ipv4", [*BEGINNING, "UO-0", "UO-0"])
    for link, wrong in (
        (links[0], [(2, NEVER_THERE)]),
        (links[0][:IR_OCTETS], []),
    ):  # without payload: nothing comes out

        def more(records: list[dict[str, Any]], link: bytes = link) -> None:
            besides = {"direction": "forward", "besides": True, "channel": 0, "time_ns": 0, "verdict": "sent"}
            records.append(besides | {"before": 3, "link": link.hex()})

        assert requirements(play(links, originals, more)) == wrong


def test_a_packet_comes_out_of_one_of_its_link_packets(play: Observer) -> None:
    links, originals = sent("rtp-ipv4", ["IR"])
    for parts, wrong in (
        ([links[0][:IR_OCTETS], links[0]], []),
        ([links[0], links[0]], [(0, NEVER_THERE)]),
        ([links[0][:IR_OCTETS]] * 2, [(0, "RFC3095-5.7.7-2")]),
    ):

        def split(records: list[dict[str, Any]], parts: list[bytes] = parts) -> None:
            del records[0]["link"]
            records[0]["segments"] = [{"link": part.hex(), "fate": "delivered"} for part in parts]

        seen = play(links, originals, split)
        assert requirements(seen) == wrong
        assert seen.packets[0].is_restored == (links[0] in parts)


def test_a_broken_promise_is_no_finding(play: Observer, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {"side": "compressor", "function": "compress", "packet": 1, "message": "it wrote too far."}
    monkeypatch.setattr(replay, "run", lambda now: Replay(now, document([], promise_broken=broken)))
    with pytest.raises(Misbehaviour, match=r"The compressor broke a promise of the ABI in compress, packet 2"):
        observe(replay_of(source=[]))


def with_null_esp() -> tuple[list[bytes], list[bytes]]:
    """RFC 3095, 5.7.7.4 and 5.8.6.1: an IR packet whose dynamic chain lists a null ESP header."""
    links, originals = sent("rtp-ipv4", ["IR"])
    at = 3 + 10 + 4 + 4 + 4  # type, profile, CRC; static chain; up to the flags of IPv4
    assert links[0][at : at + 2] == bytes([0xA0, 0])
    return [links[0][: at + 1] + bytes.fromhex("01 80 32") + bytes(8) + links[0][at + 2 :]], originals


@pytest.mark.parametrize("declared", [False, True])
def test_features_that_the_judge_does_not_read(play: Observer, monkeypatch: pytest.MonkeyPatch, declared: bool) -> None:
    """What the compressor does not declare is no excuse for a packet that the judge cannot read."""
    features = {"profile-0x0001"} | ({"null-esp"} if declared else set())
    monkeypatch.setattr(capabilities, "is_declared", lambda name, feature: feature in features)
    seen = play(*with_null_esp())
    sentence = "packet 1: A null ESP header is an item of an extension header list."
    assert seen.not_judged == [sentence]
    assert seen.undeclared == ([] if declared else [f"{sentence} (null-esp is not declared)"])


# ---- feedback: what reached the compressor binds it


def element(words: str, sn: int) -> str:
    return Written.of(words).element(0, sn, Parameters()).hex()


def answered(kinds: list[str], before: int, words: str, path: str = "own", **feedback: Any) -> dict[str, Any]:
    """The decompressor answers packet `before - 1`; the stream as an argument of `play`."""
    links, originals = sent("rtp-ipv4", kinds)

    def answer(records: list[dict[str, Any]]) -> None:
        records[before - 1]["feedback"] = [element(words, 1000 + before - 1)]

    return {"links": links, "originals": originals, "change": answer, "feedback": {"path": path, **feedback}}


def test_a_nack_asks_for_an_update(play: Observer) -> None:
    ignored = [*BEGINNING, "UO-0", "UO-0", "UO-0"]
    assert requirements(play(**answered(ignored, 4, "NACK(O) with CRC"))) == [(4, "RFC3095-5.4.1.1.1-1")]
    heeded = [*BEGINNING, "UO-0", "IR-DYN/O", "UO-0"]
    assert requirements(play(**answered(heeded, 4, "NACK(O) with CRC"))) == []
    assert requirements(play(**answered(heeded, 4, "STATIC-NACK(O) with CRC"))) == [(4, "RFC3095-5.4.1.1.1-3")]


@pytest.mark.parametrize("ignores", [True, False])
def test_a_compressor_that_ignores_all_feedback_is_named(monkeypatch: pytest.MonkeyPatch, ignores: bool) -> None:
    """One finding with the cause instead of one for each packet; not where feedback changes a packet."""
    kinds = [*BEGINNING, "UO-0", "IR-DYN", "UOR-2-ID/U", "IR-DYN"]
    links, originals = sent("rtp-ipv4", kinds)
    without = links if ignores else [*links[:5], links[3], *links[6:]]

    def run(now: ReplayConfig) -> Replay:
        silent = now.feedback == {"path": "none"}
        records = [record(n, link) for n, link in enumerate(without if silent else links)]
        if not silent:
            records[2]["feedback"] = [element("ACK(O) with CRC", 1002)]
        return Replay(now, document(records))

    monkeypatch.setattr(replay, "run", run)
    seen = observe(replay_of(source=literal(originals), channel={"mode": "O"}))
    assert {one.requirement for one in seen.findings} == {"RFC3095-5.6.2-1"}
    sentences = [one.sentence for one in seen.findings]
    if ignores:
        assert sentences == [observation.IGNORES_FEEDBACK]
    else:
        assert len(sentences) > 1 and all("says mode U" in one for one in sentences)


@pytest.mark.parametrize("how", [{"path": "none"}, {"path": "own", "loss": 0.1}, {"path": "own", "delay_ns": 1}])
def test_feedback_that_may_not_have_arrived_does_not_bind(play: Observer, how: dict[str, Any]) -> None:
    kinds = [*BEGINNING, "UO-0", "UO-0", "UO-0"]
    assert play(**answered(kinds, 4, "NACK(O) with CRC", **how)).findings == []


def test_feedback_of_the_job_binds(play: Observer) -> None:
    links, originals = sent("rtp-ipv4", [*BEGINNING, "UO-0", "UO-0"])
    feedback = element("NACK(O) with CRC", 1003)
    control = [{"before": 4, "side": "compressor", "feedback": feedback, "channel": 0}]
    seen = play(links, originals, control=control, decompressor=None)
    assert requirements(seen) == [(4, "RFC3095-5.4.1.1.1-1")]
    for other in ({"channel": 1}, {"side": "decompressor"}, {"feedback": "f3"}, {"feedback": "00"}):
        seen = play(links, originals, control=[{**control[0], **other}], decompressor=None)
        assert seen.findings == [], other


def test_rules_about_modes_rest_while_feedback_is_not_seen(play: Observer) -> None:
    """Mode O before any feedback breaks RFC 3095, 4.4.1; with a lossy way back nobody can tell."""
    links, originals = sent("rtp-ipv4", ["IR/O", "UOR-2-ID/O"])
    assert "RFC3095-4.4.1-1" in {one.requirement for one in play(links, originals, decompressor=None).findings}
    lossy = play(links, originals, channel={"mode": "O"}, feedback={"path": "own", "loss": 0.5})
    assert not {one.requirement for one in lossy.findings} & set(observation.MODE_RULES)


def test_rules_about_modes_bind_a_compressor_alone_in_every_mode(play: Observer) -> None:
    """Without a decompressor, what the job gives the compressor is all that it hears."""
    links, originals = sent("rtp-ipv4", ["IR/O", "UOR-2-ID/O"])
    seen = play(links, originals, decompressor=None, channel={"mode": "R"})
    assert "RFC3095-4.4.1-1" in {one.requirement for one in seen.findings}


@pytest.mark.parametrize(
    ("changes", "arrives"),
    [
        ({}, True),
        ({"forward": {"loss": 0.1, "drop": [3]}}, True),
        ({"decompressor": None}, False),
        ({"feedback": {"path": "piggybacked"}}, False),
        ({"feedback": {"path": "own", "ber": 0.1}}, False),
        ({"forward": {"delay_ns": 5}}, False),
        ({"forward": {"jitter_ns": 5}}, False),
        ({"forward": {"reorder": {"probability": 0.1}}}, False),
        ({"forward": {"duplicate": 0.1}}, False),
        ({"burst": 8}, False),  # seven packets are compressed before the first one arrives
        ({"channel": {"mode": "U"}}, False),
    ],
)
def test_whether_feedback_arrives(changes: dict[str, Any], arrives: bool) -> None:
    assert is_feedback_prompt(replay_of(**({"channel": {"mode": "O"}} | changes))) == arrives


# ---- properties of a packet


def test_mode_parameters() -> None:
    assert [one.mode for one in stream("rtp-ipv4", ["IR", "UO-0", "IR-DYN", "UOR-2-ID"]).packets] == [1, None, 1, None]


def test_a_refused_packet() -> None:
    seen = stream("rtp-ipv4", ["IR"])
    links, originals = sent("rtp-ipv4", ["IR"])
    refused = observed([b"\xfa" + links[0][1:]], originals).packets[0]
    assert (refused.kind, refused.cid, refused.profile, refused.mode, refused.header_octets) == (
        "refused", None, None, None, None
    )  # fmt: skip
    assert not refused.is_restored
    assert seen.packets[0].is_restored


def test_feedback_of_a_record() -> None:
    packet = ObservedPacket(0, 0, 0, b"", None, None, {"feedback": ["f111", "f22000"]})
    assert packet.feedback == [b"\xf1\x11", b"\xf2\x20\x00"]


# ---- originals of a profile are read from a capture


@pytest.mark.parametrize("reverse", [False, True])
def test_originals_of_a_profile(monkeypatch: pytest.MonkeyPatch, reverse: bool) -> None:
    links, originals = sent("rtp-ipv4", ["IR", "UO-0"])
    asked: list[ReplayConfig] = []

    def run(now: ReplayConfig) -> Replay:
        asked.append(now)
        if "source" in now.outputs:
            Path(now.outputs["source"]).write_bytes(b"capture")
        return Replay(now, document([record(n, link) for n, link in enumerate(links)]))

    monkeypatch.setattr(replay, "run", run)
    packets = [type("Packet", (), {"octets": octets}) for octets in originals]
    monkeypatch.setattr(observation.engine_pcapng, "read", lambda path: packets)
    seen = observe(replay_of(source="voip-amr-nb-ipv4", reverse=reverse))
    assert seen.findings == []
    assert [one.original for one in seen.packets] == originals
    # The capture of a run with both directions would hold both, so one direction is played once more for it.
    assert ["source" in now.outputs for now in asked] == ([False, True] if reverse else [True])
    if reverse:
        assert (asked[1].decompressor, asked[1].reverse, asked[1].control) == (None, False, [])


def test_a_flow_is_found_by_its_packets_whatever_its_cid() -> None:
    links, originals = sent("udp-ipv4", ["IR", "IR", "UO-0"], cid=9)
    seen = observed(links, originals)
    assert [one.index for one in seen.flow()] == [0, 1, 2]
    assert [{one.cid for one in flow} for flow in seen.flows()] == [{9}]


def test_nothing_that_can_be_read_is_no_verdict() -> None:
    _, originals = sent("udp-ipv4", ["IR"])
    with pytest.raises(Inconclusive, match="can read no packet"):
        observed([None], originals).flow()
