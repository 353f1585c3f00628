# SPDX-License-Identifier: Apache-2.0
"""The whole way once with the engine and the reference: what is right passes, and a wrong expectation does not."""

from __future__ import annotations

from headroom.schemes.rohc.conformance import damage, losses, vectors
from headroom.schemes.rohc.conformance.conversation import Conversation
from headroom.schemes.rohc.conformance.flow import Flow
from headroom.schemes.rohc.conformance.observation import observe
from headroom.schemes.rohc.conformance.timeline import Timeline
from headroom.schemes.rohc.judge import Checker
from headroom.tests.runs import REFERENCE, replay_of


def test_a_stream(real_build: str) -> None:
    packets = losses.packets_of(Flow.of("rtp-ipv4"), {40: "ttl to 9"}, 60)
    seen = observe(replay_of(source=losses.literal(packets), build=real_build), window=2)
    assert seen.findings == seen.not_judged == []
    assert seen.restored == 60
    assert [one.original for one in seen.packets] == packets


def test_a_stream_of_a_profile(real_build: str) -> None:
    seen = observe(replay_of(source="voip-amr-nb-ipv4", packets=40, build=real_build))
    assert (len(seen.packets), seen.restored, seen.findings) == (40, 40, [])


def test_a_link_that_is_not_what_was_sent(real_build: str) -> None:
    """The judge is given other originals than the compressor: it says so."""
    packets = losses.packets_of(Flow.of("rtp-ipv4"), {}, 20)
    seen = observe(replay_of(source=losses.literal(packets), build=real_build))
    checker = Checker()
    for one in seen.packets:
        assert one.link is not None
        checker.take(one.link, one.original if one.index != 10 else one.original[:8] + b"\x09" + one.original[9:])
    assert {one.packet for one in checker.findings} == {10, 11}  # and back again


def test_a_change(real_build: str) -> None:
    found = losses.survey(Flow.of("rtp-ipv4"), "ttl to 9", replay_of(build=real_build))
    assert found.carried >= 2
    assert found.complaints == found.observation.findings == []


def test_a_decompressor(real_build: str) -> None:
    right = Timeline("rtp-ipv4", {"mode": "O"})
    right.receive(3, "IR", "delivered", "some ACK(O) with CRC")
    right.receive(10, "UO-0", "delivered", "none")
    right.receive(1, "damaged UO-0", "withheld")
    played = right.play(REFERENCE, real_build)
    assert (played.complaints, played.remarks) == ([], [])
    wrong = Timeline("rtp-ipv4", {"mode": "O"})
    wrong.receive(3, "IR", "withheld", "none")
    wrong.receive(1, "damaged UO-0", "delivered")
    assert [sentence.partition(":")[0] for sentence in wrong.play(REFERENCE, real_build).complaints] == [
        "step 1 (3 x IR)",
        "step 1 (3 x IR)",
        "step 2 (1 x damaged UO-0)",
    ]


def test_a_compressor(real_build: str) -> None:
    story = Conversation("udp-ipv4", {"mode": "O"})
    story.send(10, "first IR; no IR-DYN")
    story.give("ACK(O) with CRC")
    story.send(30, "at the end type 0")
    story.give("STATIC-NACK(O) with wrong CRC", in_vain=True)
    story.send(10, "type 0")
    story.give("STATIC-NACK(O) with CRC")
    story.send(10, "no IR")
    seen, without = story.run(replay_of(build=real_build))
    assert seen.findings == []
    (complaint,) = story.judge(seen, without)
    assert complaint == "step 4 (10 packets): packet 51 is IR; no IR is expected"


def test_vectors(real_build: str) -> None:
    played = vectors.play_all(REFERENCE, real_build)
    assert len(played) > 200
    assert {name: one.wrong for name, one in played.items() if one.wrong} == {}


def test_damage(real_build: str) -> None:
    tried = damage.attempt("CRC bits flipped", REFERENCE, real_build, 1)
    assert (tried.wrong, tried.not_recovered, tried.undetected) == ([], [], 0)
    assert tried.refused > 1000
