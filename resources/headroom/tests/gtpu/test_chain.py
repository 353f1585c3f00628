# SPDX-License-Identifier: Apache-2.0
"""Two user planes in a chain: what goes wrong is a finding about the one that does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from headroom.core.finding import Finding
from headroom.core.implementations import Deviation, find
from headroom.core.matrix import Row
from headroom.schemes.gtpu import chain, interop, user_plane
from headroom.schemes.gtpu.conformance.check import Check
from headroom.schemes.gtpu.conversation import Conversation, Facts
from headroom.schemes.gtpu.scheme import SCHEME
from headroom.schemes.gtpu.user_plane import N3, N6, N9
from headroom.tests.gtpu.changed_plane import ChangedPlane

MUST = "TS29244-8.2.26-2"


def dropping(side: str) -> Callable[[bytes, str], bytes | None]:
    return lambda octets, on: None if on == side else octets


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
        ("echo", N9, "", (True, False)),
    ],
)
def test_a_finding_is_about_the_one_that_drops(
    ip: int, story: str, of_first: str, of_second: str, wrong: tuple[bool, bool], real_build: str
) -> None:
    found = find("reference")
    facts = Facts.of(found)
    with (
        user_plane.of_implementation(found, facts.config(), real_build) as near,
        user_plane.of_implementation(found, chain.second_config(facts), real_build) as far,
    ):
        planes = (ChangedPlane(near, outgoing=dropping(of_first)), ChangedPlane(far, outgoing=dropping(of_second)))
        first, second = (Conversation(plane, facts) for plane in planes)
        first.associate()
        second.associate()
        told = chain.Chain(first, second, (Check(), Check()), ip)
        chain.STORIES[story].tell(told)
    assert tuple(bool(check.findings) for check in told.checks) == wrong


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
