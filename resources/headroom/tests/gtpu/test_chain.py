# SPDX-License-Identifier: Apache-2.0
"""Two user planes in a chain: what goes wrong is a finding about the one that does it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from headroom.core.contract import CLEAN
from headroom.core.finding import Finding
from headroom.core.implementations import Deviation, find
from headroom.core.matrix import ArtefactStore, Cell, Row, Traffic
from headroom.schemes.gtpu import chain, interop, judge, packets, user_plane
from headroom.schemes.gtpu.conformance.check import Check
from headroom.schemes.gtpu.conversation import Conversation, Facts
from headroom.schemes.gtpu.scheme import SCHEME
from headroom.schemes.gtpu.user_plane import N3, N6, N9, Step
from headroom.tests.gtpu.changed_plane import ChangedPlane, edited

MUST = "TS29244-8.2.26-2"


def dropping(side: str) -> Callable[[bytes, str], bytes | None]:
    return lambda octets, on: None if on == side else octets


def at_n9(change: Callable[[bytes, str], bytes | None]) -> Callable[[bytes, str], bytes | None]:
    return lambda octets, on: change(octets, on) if on == N9 else octets


def to_another_tunnel(message: bytes) -> bytes:
    return message[:7] + bytes([message[7] ^ 0x55]) + message[8:]


def with_unknown_extension(message: bytes) -> bytes:
    read = judge.read(message)
    own = [packets.Extension(one.type, one.content) for one in read.extensions]
    return packets.gtpu(read.type, read.teid, read.inner, extensions=[*own, packets.Extension(0xC5, b"\0\0")])


def about_another_tunnel(message: bytes) -> bytes:
    value = judge.read(message).elements[0].value
    return message.replace(value, bytes(octet ^ 0x55 for octet in value), 1)


class WithoutEnds(ChangedPlane):
    """A user plane that says 0.0.0.0 for the TEID and address of each tunnel that it has chosen."""

    def n4(self, octets: bytes, peer: str, port: int, time_ns: int | None = None) -> Step:
        step = super().n4(octets, peer, port, time_ns)
        chosen = re.compile(rb"(\0\x15\0\x09\x01).{8}", re.DOTALL)  # an F-TEID with an IPv4 address: 8.2.3
        return replace(
            step, n4=tuple(replace(one, octets=chosen.sub(rb"\1" + bytes(8), one.octets)) for one in step.n4)
        )


def tell(
    story: str,
    of_first: Callable[[bytes, str], bytes | None],
    of_second: Callable[[bytes, str], bytes | None],
    ip: int,
    build: str,
    kinds: tuple[type[ChangedPlane], type[ChangedPlane]] = (ChangedPlane, ChangedPlane),
) -> chain.Chain:
    """A story with two user planes whose packets are changed."""
    found = find("reference")
    facts = Facts.of(found)
    with (
        user_plane.of_implementation(found, facts.config(), build) as near,
        user_plane.of_implementation(found, chain.second_config(facts), build) as far,
    ):
        planes = (kinds[0](near, outgoing=of_first), kinds[1](far, outgoing=of_second))
        first, second = (Conversation(plane, facts) for plane in planes)
        first.associate()
        second.associate()
        told = chain.Chain(first, second, (Check(), Check()), ip)
        chain.STORIES[story].tell(told)
    return told


@pytest.mark.parametrize("ip", [4, 6])
@pytest.mark.parametrize(
    ("story", "of_first", "of_second", "wrong"),
    [
        ("both-ways", "", "", (False, False)),
        ("both-ways", N9, "", (True, False)),
        ("both-ways", "", N6, (False, True)),
        ("end-marker", "", N9, (False, True)),
        ("end-marker", N3, "", (True, False)),
        ("error-indication", "", N9, (False, True)),
        ("error-indication", N9, "", (True, False)),
        ("echo", N9, "", (True, False)),
    ],
)
def test_a_finding_is_about_the_one_that_drops(
    ip: int, story: str, of_first: str, of_second: str, wrong: tuple[bool, bool], real_build: str
) -> None:
    told = tell(story, dropping(of_first), dropping(of_second), ip, real_build)
    assert tuple(bool(check.findings) for check in told.checks) == wrong


@pytest.mark.parametrize(
    ("story", "kind", "edit", "wrong"),
    [
        ("both-ways", judge.G_PDU, to_another_tunnel, (True, True)),
        ("both-ways", judge.G_PDU, with_unknown_extension, (True, True)),
        ("end-marker", judge.END_MARKER, to_another_tunnel, (False, True)),
        ("error-indication", judge.G_PDU, to_another_tunnel, (True, False)),
        ("error-indication", judge.ERROR_INDICATION, about_another_tunnel, (False, True)),
    ],
)
def test_what_is_wrong_on_n9_is_no_fault_of_its_receiver(
    story: str, kind: int, edit: Callable[[bytes], bytes], wrong: tuple[bool, bool], real_build: str
) -> None:
    spoilt, kept = at_n9(edited(kind, edit)), dropping("")
    for changed in (True, False):
        first, second = (spoilt, kept) if changed else (kept, spoilt)
        told = tell(story, first, second, 4, real_build)
        assert [bool(check.findings) for check in told.checks] == [changed and wrong[0], not changed and wrong[1]]


@pytest.mark.parametrize("story", [name for name in chain.STORIES if name != "echo"])
def test_an_end_of_a_tunnel_that_is_none_is_not_handed_on(story: str, real_build: str) -> None:
    kept = dropping("")
    for at in (0, 1):
        kinds = (WithoutEnds, ChangedPlane) if at == 0 else (ChangedPlane, WithoutEnds)
        checks = tell(story, kept, kept, 4, real_build, kinds).checks
        assert [str(finding) for finding in checks[at].findings] == [
            "The F-TEID is 0x0 at '0.0.0.0'. (TS29244-5.5.1-1)"
        ]
        assert checks[1 - at].findings == []


@pytest.mark.parametrize(("at", "place"), [("first", "at the base station"), ("second", "at the data network")])
def test_a_user_plane_that_dies_is_named(
    at: str, place: str, real_build: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(told: chain.Chain) -> None:
        told.establish()
        plane = getattr(told, at).plane
        plane._exit.process.kill()
        plane.advance(1)

    monkeypatch.setitem(chain.STORIES, "echo", chain.ChainStory(dies))
    row = Row(SCHEME, "reference", "reference", {"ip_version": "ipv4"}, build=real_build)
    trial = interop._tried(Cell(row, Traffic("echo"), CLEAN), ArtefactStore(tmp_path))
    assert trial.verdict == "error"
    assert trial.reason.startswith(f"reference, {place}: The engine died from SIGKILL")


def test_the_verdict_of_a_cell_is_that_of_the_worst_finding_and_names_the_user_plane() -> None:
    reference, null = find("reference"), find("null")
    must, should = Finding("3 packets went.", MUST), Finding("It is slow.", severity="should")
    trial = interop.judged([(reference, [should]), (null, [must, must])])
    assert trial.verdict == "fail"
    assert trial.reason == "null: 3 packets went. (TS29244-8.2.26-2) And 1 more."
    assert trial.signature == "null · TS29244-8.2.26-2 · n packets went."
    assert trial.text is not None
    assert len(trial.text()) == 3
    assert interop.judged([(reference, [should]), (null, [])]).verdict == "non-strict"
    assert interop.judged([(reference, []), (null, [])]).verdict == "pass"


def test_a_finding_from_which_the_user_plane_declares_to_deviate_does_not_count() -> None:
    declared = Deviation("A reason of some length.", requirement=MUST, roles=("user-plane",))
    deviating = replace(find("reference"), deviations=(declared,))
    finding = Finding("A sequence number.", MUST)
    assert interop.judged([(deviating, [finding]), (find("reference"), [])]).verdict == "pass"
    assert interop.judged([(deviating, []), (find("reference"), [finding])]).verdict == "fail"


@pytest.mark.parametrize(
    ("first", "second", "ip_version", "reason"),
    [
        ("reference", "reference", "ipv6", ""),
        ("reference", "null", "ipv4", "null does not declare feature ftup, n9."),
        (
            "example-user-plane",
            "reference",
            "ipv6",
            "example-user-plane does not declare feature ftup, n9, ipv6-transport, ipv6-users.",
        ),
    ],
)
def test_a_row_that_one_of_the_two_cannot_run(
    first: str, second: str, ip_version: str, reason: str, real_build: str
) -> None:
    row = Row(SCHEME, first, second, {"ip_version": ip_version}, build=real_build)
    assert interop.unsupported(row) == reason
