# SPDX-License-Identifier: Apache-2.0
"""Stories about shared compression: a right endpoint passes all of them, each defect is noticed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from headroom.schemes.sigcomp.conformance import shared_stories as stories
from headroom.schemes.sigcomp.conformance.endpoint_cases import as_seen
from headroom.schemes.sigcomp.conformance.endpoint_session import Act, ActOutcome, Session
from headroom.schemes.sigcomp.conformance.endpoint_stories import NothingHappened, announced
from headroom.schemes.sigcomp.conformance.peer import FarEnd
from headroom.schemes.sigcomp.judge import message as wire
from headroom.schemes.sigcomp.judge.assembling import assemble
from headroom.schemes.sigcomp.judge.endpoint import Endpoint, Offer
from headroom.schemes.sigcomp.judge.states import ITEM_COST, LOCAL_PRIORITY, Creation, Item

_CODE = """
{access}
:more
INPUT-BYTES (1, 1000, done)
OUTPUT (1000, 1)
JUMP (more)
:done
END-MESSAGE (0, told, 0, 0, 0, 0, 0)
:name
hex ({name})
:told
hex ({told})
"""
_ACCESS = "STATE-ACCESS (name, 6, 0, 8, 2000, 0)"


class Sharing:
    """An endpoint that refers to the message of its peer that was announced last, and keeps and announces each of its
    own that there is room for. It makes no use of what it refers to. `defect` is what is wrong with it."""

    def __init__(self, defect: str) -> None:
        self.defect = defect
        self.endpoint = Endpoint(Offer())
        self.shared = b""

    def do(self, act: Act) -> ActOutcome:
        return ActOutcome(self._compress(act.octets)) if act.what == "compress" else self._decompress(act.octets)

    def _compress(self, text: bytes) -> bytes:
        compartment = self.endpoint.states.compartments[0]
        own = Item(text)
        wanted = compartment.requested is None or not compartment.requested.i or self.defect == "deaf-to-i"
        has_room = compartment.used + len(text) + ITEM_COST <= compartment.size or self.defect == "crowds-out"
        keeps = wanted and has_room and self.defect != "keeps-nothing"
        if keeps:
            self.endpoint.states.apply(0, [Creation(own, LOCAL_PRIORITY)], None, b"", None)
        code = _CODE.format(
            access=_ACCESS if self.shared else "",
            name=self.shared[:6].hex(),
            told=announced([own.identifier] if keeps else []).hex(),
        )
        return wire.upload(assemble(code), text)

    def _decompress(self, octets: bytes) -> ActOutcome:
        outcome = self.endpoint.decompress(octets)
        parameters = outcome.run.parameters
        identifier = Item(outcome.output).identifier
        told = parameters.announced if parameters else ()
        announced_now = any(identifier.startswith(one) for one in told)
        if announced_now != (self.defect == "trusts-the-others") or (told and self.defect == "trusts-any"):
            self.shared = b"" if self.defect == "never-refers" else identifier
        return ActOutcome(seen=(as_seen(outcome, octets, 2),))


def session(defect: str = "") -> Session:
    def play(acts: Sequence[Act]) -> list[ActOutcome]:
        sharing = Sharing(defect)
        return [sharing.do(act) for act in acts]

    return Session(play)


def far() -> FarEnd:
    return FarEnd(Offer(state_memory_size=65536))


def test_a_right_endpoint_passes() -> None:
    assert stories.announced_before_use(session(), far()) == []
    assert stories.nothing_crowded_out(session(), far(), Offer().state_memory_size) == []
    assert stories.silent_after_i_bit(session(), far()) == []


def test_what_was_not_announced_is_noticed() -> None:
    faults = stories.announced_before_use(session("trusts-any"), far())
    assert faults and all("STATE_NOT_FOUND" in fault for fault in faults)
    assert faults[0].startswith("message 3: "), "the one behind the first answer that is not announced"
    assert stories.announced_before_use(session("trusts-the-others"), far()), "also where nothing else is referred to"


def test_state_that_goes_is_noticed() -> None:
    faults = stories.nothing_crowded_out(session("crowds-out"), far(), Offer().state_memory_size)
    assert faults and "is not there any more: failed" in faults[0]


def test_a_list_after_an_i_bit_is_noticed() -> None:
    assert stories.silent_after_i_bit(session("deaf-to-i"), far()) == ["3 items of state are announced after an I-bit"]


def test_where_nothing_is_shared_nothing_follows() -> None:
    with pytest.raises(NothingHappened, match="refers to no message"):
        stories.announced_before_use(session("never-refers"), far())
    with pytest.raises(NothingHappened, match="announces no item"):
        stories.silent_after_i_bit(session("keeps-nothing"), far())


def test_the_far_end_pushes_out_nothing_either() -> None:
    small = FarEnd(Offer(state_memory_size=2048))
    first = small.keeps(bytes(1000))
    with pytest.raises(AssertionError):
        small.keeps(bytes(1000))
    assert first in small.endpoint.states.items() and not small.has_referred_to(first)
