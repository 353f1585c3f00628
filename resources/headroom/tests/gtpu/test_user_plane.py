# SPDX-License-Identifier: Apache-2.0
"""The session with the engine, the conversation on top of it, and the words of uplink packets."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from headroom.core import engine
from headroom.core.capabilities import Inconclusive
from headroom.core.engine_result import EngineFailure
from headroom.core.errors import HeadroomError, UsageError
from headroom.core.implementations import find
from headroom.core.paths import build_folder
from headroom.schemes.gtpu import judge, packets, user_plane
from headroom.schemes.gtpu.conformance import hostile, uplink
from headroom.schemes.gtpu.conformance.check import Check
from headroom.schemes.gtpu.conversation import Conversation, Facts, Session
from headroom.schemes.gtpu.keywords.conformance import STORIES
from headroom.schemes.gtpu.pfcp.tables import Action, Cause, Ie
from headroom.schemes.gtpu.user_plane import EngineUserPlane, step_of
from headroom.tests.gtpu import changed_plane as changed

SESSION = Session(1, "10.45.0.1", "172.16.0.1", 1, 0x01020304, "172.17.0.1")


def test_an_answer_is_a_step() -> None:
    step = step_of(
        {
            "outcomes": [{"status": "OK", "reason": "none", "side": "N6", "octets": "aa"}, {"status": "NOTHING"}],
            "taken": [{"side": "N3", "octets": "bb", "time_ns": 5}],
            "n4": [{"octets": "cc", "peer": "192.0.2.100", "port": 8805, "time_ns": 6}],
            "time_ns": 7,
            "counts": {"OK": 3},
        }
    )
    assert step.sent() == [b"\xaa", b"\xbb"] and step.sent("N6") == [b"\xaa"] and step.time_ns == 7
    assert step.n4[0].port == 8805 and step.counts == {"OK": 3}


# Prints an answer with the seal of the line of this number.
SAY = r"""say() {
    seal=${job##*'"seal": "'}
    seal=$(printf "%s $1" "${seal%%'"'*}" | sha256sum)
    printf '{"outcomes": [], "taken": [], "n4": [], "time_ns": 0, "seal": "%s"}\n' "${seal%% *}"
}"""


def fake(tmp_path: Path, script: str) -> str:
    """A build whose engine is a shell script."""
    program = tmp_path / "build" / "bin" / "headroom-engine"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{SAY}\nread job\n{script}\n")
    program.chmod(0o755)
    return str(tmp_path / "build")


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("kill -SEGV $$", "died from SIGSEGV"),
        ("echo nonsense", "is no JSON"),
        ("echo []", "is JSON, but not an object"),
        ("head -c 300000 /dev/zero | tr '\\0' '['; echo", "is no JSON"),
        ("head -c 2000000 /dev/zero | tr '\\0' '['; echo", "does not bear its seal"),
        ("exit 0", "printed no result"),
        ('echo \'{"error": {"message": "It refuses."}}\'; exit 1', "It refuses."),
        ("say 1", "does not bear its seal"),
        ("echo '{}'", "does not bear its seal"),
        ('echo \'{"error": {"kind": "job"}}\'; exec sleep 600', "does not bear its seal"),
    ],
)
def test_a_session_that_ends_badly(tmp_path: Path, script: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_plane, "PATIENCE_S", 0.0 if "sleep" in script else user_plane.PATIENCE_S)
    plane = EngineUserPlane(Path("some.so"), {}, build=fake(tmp_path, script))
    with pytest.raises(EngineFailure, match=sentence), plane:
        pass


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("say 1; kill -SEGV $$", "died from SIGSEGV"),
        ("say 1; exit 124", "left a process behind"),
        ("say 0", "does not bear its seal"),
        ("exit 0", "printed no result"),
    ],
)
def test_an_end_that_is_none(tmp_path: Path, script: str, sentence: str) -> None:
    """The engine may fail after its answer, or an adapter may have ended the process before."""
    build = fake(tmp_path, f"say 0; read step; {script}")
    with (
        EngineUserPlane(Path("some.so"), {"scheme": "gtpu"}, build=build) as plane,
        pytest.raises(EngineFailure, match=sentence),
    ):
        plane.end()


def test_a_capture_that_an_adapter_changes_is_not_kept(tmp_path: Path) -> None:
    capture = tmp_path / "packets.pcapng"
    build = fake(tmp_path, f"say 0; read step; echo other > {capture}; say 1")
    plane = EngineUserPlane(Path("some.so"), {"scheme": "gtpu"}, build=build, capture=capture)
    with pytest.raises(EngineFailure, match="not what") as caught, plane:
        plane.end()
    assert caught.value.kind == "tampered" and not capture.exists()


def test_an_engine_that_reads_no_more_steps_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As does one that an adapter stops: a step may be larger than a pipe."""
    monkeypatch.setattr(user_plane, "PATIENCE_S", 0.5)
    build = fake(tmp_path, "say 0; exec sleep 20")
    with (
        EngineUserPlane(Path("some.so"), {"scheme": "gtpu"}, build=build) as plane,
        pytest.raises(EngineFailure, match="a hang"),
    ):
        plane.packets([(bytes(60_000), "N3")])


def faulty(build: str, fault: str, capture: Path | None = None) -> EngineUserPlane:
    library = build_folder(build) / "lib" / "faulty" / f"faulty_user_plane_{fault}.so"
    return EngineUserPlane(library, {"scheme": "gtpu", **Facts(n4=False).config()}, build=build, capture=capture)


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [("exits_after_garbage", "printed no result"), ("forges_an_answer", "does not bear its seal")],
)
def test_an_adapter_cannot_answer_for_the_engine(real_build: str, fault: str, sentence: str) -> None:
    with faulty(real_build, fault) as plane, pytest.raises(EngineFailure, match=sentence) as caught:
        plane.packets([(b"\x45", "N3")])
        plane.end()
    assert caught.value.verdict == "error"


def test_the_capture_of_a_session_that_fails_is_removed(real_build: str, tmp_path: Path) -> None:
    capture = tmp_path / "packets.pcapng"
    for fault in ("none", "aborts_on_garbage"):
        with suppress(EngineFailure), faulty(real_build, fault, capture) as plane:
            plane.packets([(b"\x45", "N3")])
            plane.end()
        assert capture.exists() == (fault == "none")
        capture.unlink(missing_ok=True)


def test_nothing_runs_in_a_dry_run() -> None:
    with engine.dry_run() as commands, pytest.raises(engine.NothingRuns):
        EngineUserPlane(Path("some.so"), {})
    assert commands == ["user-plane"]


def test_a_wrong_step_is_refused_and_the_session_goes_on(real_build: str) -> None:
    found = find("reference")
    with user_plane.of_implementation(found, Facts.of(found).config(), real_build) as plane:
        with pytest.raises(HeadroomError, match='refuses a step: one of "N3", "N6", "N9" is expected'):
            plane.packets([(b"\x45", "N7")])
        assert plane.advance(5).time_ns == 5
        plane.end()


def test_a_session_goes_both_ways(real_build: str) -> None:
    with changed.opened(real_build) as (talk, check):
        session = talk.establish()
        packet = talk.to_network(session)
        check.uplink(talk.uplink(session, packet), packet)
        packet = talk.to_user(session)
        check.downlink(talk.downlink(packet), session, packet)
        answer = talk.delete(session)
        assert answer is not None and answer.value(Ie.CAUSE) == Cause.REQUEST_ACCEPTED
        assert check.findings == []
        with pytest.raises(Inconclusive, match=r"the cause is 65 \(Session Context Not Found\)"):
            talk.must_modify(session, talk.far_down(session, update=True))


def test_what_was_not_forwarded_is_a_finding(real_build: str) -> None:
    with changed.opened(real_build) as (talk, check):
        session = talk.establish()
        step = talk.uplink(session, talk.to_network(session, source="10.45.9.9"))
        check.uplink(step, talk.to_network(session), "TS29244-8.2.26-2")
        check.dropped(talk.downlink(talk.to_user(session)), "TS29244-8.2.26-1", "N3")
    assert [str(one) for one in check.findings] == [
        "no packet went to the data network: NOTHING (no-rule). (TS29244-8.2.26-2)",
        "1 packet went on to N3, but the packet must be dropped. (TS29244-8.2.26-1)",
    ]


@pytest.mark.parametrize(
    ("words", "head"),
    [
        ({"extensions": ""}, "30ff002401020304"),
        ({}, "34ff002c01020304000000850110090045"),
        ({"flags": "S,PN"}, "33ff00280102030412345600"),
        ({"flags": "S", "unused": "c0"}, "32ff0028010203041234c0c0"),
        ({"first": "0x50", "extensions": ""}, "50ff002401020304"),
        ({"extensions": "85:1009 20/0:0500", "length": "-4"}, "34ff002c01020304000000850110092000050000"),
        ({"extensions": "85:1009", "last": "20"}, "34ff002c010203040000008501100920"),
    ],
)
def test_words_of_uplink_packets(words: dict[str, str], head: str) -> None:
    packet = packets.udp("10.45.0.1", "198.51.100.10", 1, 2, bytes(8))
    found = uplink.message(SESSION, packet, words)
    assert found.hex().startswith(head) and found.endswith(packet)
    assert uplink.message(SESSION, packet, words | {"trailing": "3"}).endswith(b"\xa5\xa5\xa5")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"colour": "red"}, "There is no field colour of uplink packets"),
        ({"flags": "X"}, "There is no flag X"),
        ({"extensions": "85:10:9"}, "'85:10:9' is no extension header"),
    ],
)
def test_words_that_there_are_not(words: dict[str, str], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        uplink.message(SESSION, b"", words)


def test_facts_make_a_configuration() -> None:
    plain = Facts(n4=False).config()
    assert plain["n3"] == {"ipv4": "172.17.0.1"} and plain["session_range"]["qfi"] == 9 and "n4" not in plain
    rich = Facts(features=("ipv6-transport", "n9", "predefined-rules")).config()
    assert {"n3", "n9", "n4", "predefined_rules"} == {*rich} and rich["n9"]["ipv6"] == "2001:db8:9::1"


def test_every_attack_sends_something() -> None:
    """What each of them sends is bounded, and none of it is empty."""

    class Silent:
        def n4(self, *_: object) -> user_plane.Step:
            return user_plane.Step()

        packets = repeat = advance = n4

    talk = Conversation(Silent(), Facts())
    for name, attack in hostile.ATTACKS.items():
        sent = [*(attack.packets(talk, SESSION) if attack.packets else ())]
        sent += [*(attack.messages(talk, SESSION) if attack.messages else ())]
        assert 4 <= len(sent) <= hostile.FLOOD, name
        assert all(len(one[0] if isinstance(one, tuple) else one) <= 0xFFFF for one in sent), name


def test_stories_have_names_of_their_own() -> None:
    assert sum(map(len, STORIES.values())) > 60
    assert all(one.tell.__name__.startswith("_") for stories in STORIES.values() for one in stories.values())


def test_a_container_with_a_wrong_type_is_found() -> None:
    check = Check()
    check.container(judge.Message(255, 0, 1), 9)
    assert check.findings[0].requirement == "TS29281-5.2.2.7-1"
    assert Action.FORWARD | Action.NOTIFY == 10
