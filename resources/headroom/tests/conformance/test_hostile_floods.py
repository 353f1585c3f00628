# SPDX-License-Identifier: Apache-2.0
"""Floods are what they are meant to be, by the judge's own endpoint, and what an endpoint makes of them is judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headroom.schemes.sigcomp.conformance.endpoint_cases import MessageOutcome, as_seen
from headroom.schemes.sigcomp.conformance.endpoint_session import ActOutcome
from headroom.schemes.sigcomp.conformance.hostile_floods import ATTACKERS, FLOODS, Flood, faults
from headroom.schemes.sigcomp.conformance.hostile_messages import Cost
from headroom.schemes.sigcomp.judge import message as wire
from headroom.schemes.sigcomp.judge.assembling import assemble
from headroom.schemes.sigcomp.judge.endpoint import Endpoint, Offer

OFFER = Offer()
PLAIN = "INPUT-BYTES (1, 1000, end)\nOUTPUT (1000, 1)\nJUMP (128)\n:end\nEND-MESSAGE (0,0,0,0,0,0,0)"


def judged(flood: Flood) -> list[ActOutcome]:
    """What the judge makes of a flood; a message to be compressed goes with the plainest bytecode there is."""
    endpoint = Endpoint(OFFER)
    for number in range(1, ATTACKERS + 1):
        endpoint.states.open(number, OFFER.state_memory_size)
    done = []
    for act in flood.acts:
        if act.what == "compress":
            done.append(ActOutcome(wire.upload(assemble(PLAIN), act.octets)))
            continue
        outcome = endpoint.decompress(act.octets, act.compartment)
        done.append(ActOutcome(seen=(as_seen(outcome, act.octets, 2),)))
    return done


def cost(flood: Flood, grows: int = 0) -> Cost:
    count = len(flood.flooded)
    heap = tuple(grows * number for number in range(count))
    return Cost((b"",) * count, (), {}, heap, (0,) * count, (0,) * count)


@pytest.mark.parametrize("kind", FLOODS)
def test_an_endpoint_that_holds(kind: str) -> None:
    flood = FLOODS[kind](OFFER)
    assert faults(flood, judged(flood), cost(flood)) == []
    assert len(flood.flooded) == 60
    assert set(flood.flooded) < set(range(len(flood.acts))), "something comes behind it"


@pytest.mark.parametrize("kind", FLOODS)
def test_one_that_grows(kind: str) -> None:
    flood = FLOODS[kind](OFFER)
    (sentence,) = faults(flood, judged(flood), cost(flood, grows=64))
    assert sentence == "30 messages leave 1920 octets in the heap, whatever the statistics say"


def test_the_ninth_compartments_state_is_gone() -> None:
    flood = FLOODS["states"](OFFER)
    done = judged(flood)
    done[-1] = ActOutcome(seen=(MessageOutcome("failed", reason=1),))
    (sentence,) = faults(flood, done, cost(flood))
    assert sentence == "message 62 did not come out as it should: failed, reason 1"


def test_what_is_too_long_comes_out() -> None:
    flood = FLOODS["octets"](OFFER)
    assert [len(act.octets) for act in flood.acts[:60:59]] == [OFFER.decompression_memory_size + 1, 65507]
    done = judged(flood)
    done[3] = ActOutcome(seen=(MessageOutcome("compressed", b"OK"),))
    assert faults(flood, done, cost(flood)) == ["message 4 came out, though it is longer than its memory"]


def test_the_compressor_has_suffered() -> None:
    flood = FLOODS["feedback"](OFFER)
    done = judged(flood)
    assert faults(flood, [*done[:-1], ActOutcome(None)], cost(flood)) == ["a message is not compressed any more"]
    other = replace(done[-1], octets=wire.upload(assemble(PLAIN), b"BYE"))
    (sentence,) = faults(flood, [*done[:-1], other], cost(flood))
    assert sentence.startswith("after the flood, ")
