# SPDX-License-Identifier: Apache-2.0
"""Stories about compressing endpoints: a right one passes all of them, each defect is noticed by one at least."""

from __future__ import annotations

import pytest

from headroom.core.errors import HeadroomError
from headroom.schemes.sigcomp.conformance import endpoint_stories as stories
from headroom.schemes.sigcomp.conformance import nack_stories
from headroom.schemes.sigcomp.conformance.endpoint_session import Act, ActOutcome, Session
from headroom.schemes.sigcomp.conformance.peer import FarEnd
from headroom.schemes.sigcomp.judge.endpoint import Offer
from headroom.schemes.sigcomp.judge.reasons import Reason
from headroom.schemes.sigcomp.sip import calls
from headroom.tests.conformance.fake_endpoint import play

MORE = Offer(16384, 4096, 32)
LEAST = Offer(decompression_memory_size=2048)
STREAM = Offer(stream=True)
CALL = calls.call("basic-voice-call", 1).messages


def session(defect: str = "", offer: Offer | None = None, compartments: int = 1) -> Session:
    return Session(play(offer, defect, compartments))


STORIES = {
    "carried": lambda defect: stories.carried(session(defect), FarEnd(), CALL),
    "carried with loss": lambda defect: stories.carried(session(defect), FarEnd(), CALL, 0.3, 5),
    "reordered": lambda defect: stories.reordered(session(defect), FarEnd()),
    "never acknowledged": lambda defect: stories.never_acknowledged(session(defect), FarEnd()),
    "first acknowledged": lambda defect: stories.first_acknowledged(session(defect), FarEnd()),
    "acknowledged late": lambda defect: stories.acknowledged_late(session(defect), FarEnd()),
    "sent again": lambda defect: stories.sent_again(session(defect), FarEnd()),
    "too long": lambda defect: stories.too_long(session(defect), FarEnd()),
    "feedback": lambda defect: stories.feedback_returned(session(defect), FarEnd()),
    "reserved bits": lambda defect: stories.reserved_bits_ignored(session(defect), FarEnd()),
    "reserved addresses": lambda defect: stories.carried(session(defect), FarEnd(reserved=b"\1" * 22), CALL),
    "newest feedback": lambda defect: stories.newest_feedback_returned(session(defect), FarEnd()),
    "feedback repeated": lambda defect: stories.feedback_repeated(session(defect), FarEnd()),
    "parameters": lambda defect: stories.parameters_announced(session(defect, MORE), FarEnd(), MORE),
    "parameters after I-bit": lambda defect: stories.parameters_announced(session(defect, MORE), FarEnd(), MORE, True),
    "less": lambda defect: stories.less_announced(session(defect), FarEnd(), Offer(state_memory_size=0)),
    "NACK": lambda defect: nack_stories.nack_heeded(session(defect), FarEnd()),
    "NACK elsewhere": lambda defect: nack_stories.nack_of_another_compartment(
        session(defect, compartments=2), FarEnd(), FarEnd()
    ),
    "NACK about nothing": lambda defect: nack_stories.unknown_nack_ignored(session(defect), FarEnd(), session(defect)),
    "NACK about memory": lambda defect: nack_stories.nack_about_less(
        session(defect), FarEnd(LEAST), nack_stories.NONE_ALIKE, Reason.BYTECODES_TOO_LARGE
    ),
    "stream": lambda defect: stories.streamed(session(defect, STREAM), FarEnd(STREAM), CALL, 100),
    "one message each": lambda defect: stories.one_message_each(session(defect, STREAM), FarEnd(STREAM), CALL),
}
DEFECTS = {
    "corrupts": "carried",
    "counts-on-arrival": "never acknowledged",
    "never-refuses": "too long",
    "returns-nothing": "feedback",
    "returns-another": "feedback",
    "returns-once": "feedback repeated",
    "heeds-reserved-bits": "reserved bits",
    "rests-on-zeros": "reserved addresses",
    "tells-nothing": "parameters",
    "tells-more": "parameters",
    "deaf": "NACK",
    "takes-no-size": "NACK about memory",
    "counts-on-memory": "less",
    "takes-any-nack": "NACK elsewhere",
    "marks-nothing": "stream",
    "splits": "one message each",
}


@pytest.mark.parametrize("name", STORIES)
def test_a_right_endpoint_passes(name: str) -> None:
    assert STORIES[name]("") == []


@pytest.mark.parametrize(("defect", "story"), DEFECTS.items())
def test_a_defect_is_noticed(defect: str, story: str) -> None:
    faults = STORIES[story](defect)
    assert faults
    assert all(isinstance(fault, str) and fault for fault in faults)


def test_an_endpoint_may_make_several_messages_of_one_on_a_stream() -> None:
    assert STORIES["stream"]("splits") == [], "RFC 3320, 5, has a SHOULD there"


def test_a_nack_about_nothing_that_is_followed_is_noticed() -> None:
    assert STORIES["NACK about nothing"]("takes-any-nack")


def test_an_endpoint_that_wraps_its_messages_saves_nothing() -> None:
    heard: list[tuple[bytes, bytes]] = []
    assert stories.carried(session(), FarEnd(), CALL, heard=heard) == [], "they come out"
    (sentence,) = stories.nothing_saved(heard)
    assert sentence.endswith(": nothing is saved")
    assert stories.nothing_saved([(b"INVITE", b"\xf9"), (b"ACK", b"\xf9123456")]) == []
    assert stories.nothing_saved([(b"INVITE", b"\xf9"), (b"ACK", b"\xf91234567")]) == [
        "9 octets of 2 messages became 9: nothing is saved"
    ]


def test_where_nothing_happens_nothing_follows() -> None:
    """An endpoint that never refers to state has none to lose."""
    with pytest.raises(stories.NothingHappened):
        nack_stories.nack_heeded(session(), FarEnd(Offer(state_memory_size=0)), count=0)


def test_a_nack_that_does_not_come_shows_nothing() -> None:
    """The plain endpoint takes few cycles, and one that declines to compress at all is not refused."""
    with pytest.raises(nack_stories.NothingHappened, match="does not fail with CYCLES_EXHAUSTED: it comes out"):
        nack_stories.nack_about_less(session(), FarEnd(), b"OPTIONS sip:user", Reason.CYCLES_EXHAUSTED)
    with pytest.raises(nack_stories.NothingHappened, match="it fails with BYTECODES_TOO_LARGE"):
        nack_stories.nack_about_less(session(), FarEnd(), nack_stories.ALL_ALIKE, Reason.CYCLES_EXHAUSTED)
    declines = Session(lambda acts: [ActOutcome() for _ in acts])
    with pytest.raises(nack_stories.NothingHappened, match="it is not compressed"):
        nack_stories.nack_about_less(declines, FarEnd(), nack_stories.ALL_ALIKE, Reason.CYCLES_EXHAUSTED)


def test_a_call_of_which_nothing_is_compressed_shows_nothing() -> None:
    declines = Session(lambda acts: [ActOutcome() for _ in acts])
    with pytest.raises(stories.NothingHappened, match="compresses no message of the call"):
        stories.carried(declines, FarEnd(), [one for one in CALL if one.from_caller], refusals=True)
    told: list[Act] = []

    def until_told(acts: list[Act]) -> list[ActOutcome]:
        """Compresses the first two messages, in its own plain way, and none behind them."""
        del told[:]
        made = []
        for done, act in zip(play(None, "", 1)(acts), acts, strict=True):
            told.extend([act] if act.what == "compress" else [])
            made.append(ActOutcome() if act.what == "compress" and len(told) > 2 else done)
        return made

    with pytest.raises(stories.NothingHappened, match="once its peer offers so little"):
        stories.less_announced(Session(until_told), FarEnd(), Offer(state_memory_size=0))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(20))
def test_what_is_lost_follows_from_the_seed(seed: int) -> None:
    times = stories.lost(len(CALL), 0.3, seed)
    assert times == stories.lost(len(CALL), 0.3, seed) and sum(times) > 0
    assert stories.lost(3, 1e-9, seed).count(1) == 1, "one at least"
    talk, heard = session(), list[tuple[bytes, bytes]]()
    assert stories.carried(talk, FarEnd(), CALL, 0.3, seed, heard=heard) == []
    sent = sum(1 + lost for message, lost in zip(CALL, times, strict=True) if message.from_caller)
    assert sum(act.what == "compress" for act in talk.acts) == sent
    assert [message for message, _ in heard] == [one.octets for one in CALL if one.from_caller]
    assert stories.lost(5, 0.0, seed) == [0] * 5


def test_what_is_played_again_comes_out_again() -> None:
    count = 0

    def fickle(acts: list[Act]) -> list[ActOutcome]:
        nonlocal count
        count += 1
        return [ActOutcome(bytes([0xF8, count])) for _ in acts]

    talk = Session(fickle)  # type: ignore[arg-type]
    talk.done(talk.compress(b"a"))
    number = talk.compress(b"b")
    with pytest.raises(AssertionError, match="Act 1 came out otherwise"):
        talk.done(number)


def test_what_is_not_played_is_an_error() -> None:
    talk = Session(lambda acts: [])
    number = talk.compress(b"a")
    with pytest.raises(HeadroomError, match="1 acts were played, and something is known of 0"):
        talk.done(number)
