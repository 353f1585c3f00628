# SPDX-License-Identifier: Apache-2.0
"""Two user planes in a chain: what goes wrong is a finding about the one that does it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from headroom.core.implementations import find
from headroom.schemes.gtpu import chain, user_plane
from headroom.schemes.gtpu.conformance.check import Check
from headroom.schemes.gtpu.conversation import Conversation, Facts
from headroom.schemes.gtpu.user_plane import N3, N6, N9
from headroom.tests.gtpu.changed_plane import ChangedPlane


def dropping(side: str) -> Callable[[bytes, str], bytes | None]:
    return lambda octets, on: None if on == side else octets


@pytest.mark.parametrize(
    ("story", "of_first", "of_second", "wrong"),
    [
        ("both ways", "", "", (False, False)),
        ("both ways", N9, "", (True, False)),
        ("both ways", "", N6, (False, True)),
        ("End Marker", "", N9, (False, True)),
        ("End Marker", N3, "", (True, False)),
        ("Error Indication", "", N9, (False, True)),
        ("echo", N9, "", (True, False)),
    ],
)
def test_a_finding_is_about_the_one_that_drops(
    story: str, of_first: str, of_second: str, wrong: tuple[bool, bool], real_build: str
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
        told = chain.Chain(first, second, (Check(), Check()))
        chain.STORIES[story].tell(told)
    assert tuple(bool(check.findings) for check in told.checks) == wrong
