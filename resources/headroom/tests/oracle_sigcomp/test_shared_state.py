# SPDX-License-Identifier: Apache-2.0
"""Messages that their sender announces as state: what its peer may refer to."""

from __future__ import annotations

import hashlib

import pytest

from headroom.schemes.sigcomp.conformance.endpoint_stories import announced
from headroom.schemes.sigcomp.conformance.peer import FarEnd
from headroom.schemes.sigcomp.judge.endpoint import Offer
from headroom.schemes.sigcomp.judge.pair import MOST_UNKNOWN, Pair
from headroom.schemes.sigcomp.judge.states import Item

FIRST, SECOND = b"INVITE sip:bob@example.net SIP/2.0\r\n", b"ACK sip:bob@example.net SIP/2.0\r\n"
JUNK = [hashlib.sha1(bytes([number])).digest() for number in range(MOST_UNKNOWN)]


@pytest.mark.parametrize("before", [JUNK, [Item(SECOND).identifier]])
def test_false_announcements_hide_no_true_one(before: list[bytes]) -> None:
    """Else a peer that refers to the message would be at fault: after many that are no state, or the same too early."""
    pair = Pair(Offer(state_memory_size=8192))
    for text, identifiers in ((FIRST, before), (SECOND, [Item(SECOND).identifier])):
        message = FarEnd().says(text, returned=announced(identifiers))
        assert pair.hears(message, text, from_caller=True).output == text
    assert Item(SECOND).identifier in pair.sides[True].states.items()
