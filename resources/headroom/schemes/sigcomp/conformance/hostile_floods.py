# SPDX-License-Identifier: Apache-2.0
"""Floods for a SigComp endpoint: series of messages that are allowed one by one and exhaust the endpoint together.

The endpoint's own offer limits the memory that a peer can use: the state of a compartment has at most
state_memory_size octets (RFC 3320, 6.2), and the announcements of a peer may not cost more memory with each message.
After a flood the endpoint works as before: the state of other compartments exists, and a peer can decompress the
messages that the endpoint compresses.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from headroom.core import engine
from headroom.core.text import nth
from headroom.schemes.sigcomp.conformance import endpoint_engine, hostile_messages
from headroom.schemes.sigcomp.conformance.endpoint_cases import accessing, creating
from headroom.schemes.sigcomp.conformance.endpoint_engine import PATIENCE_S, EndpointUnderTest
from headroom.schemes.sigcomp.conformance.endpoint_session import Act, ActOutcome
from headroom.schemes.sigcomp.conformance.endpoint_stories import announcement
from headroom.schemes.sigcomp.conformance.hostile_messages import Cost
from headroom.schemes.sigcomp.conformance.peer import FarEnd, fault_of
from headroom.schemes.sigcomp.judge.assembling import assemble
from headroom.schemes.sigcomp.judge.endpoint import Offer
from headroom.schemes.sigcomp.judge.message import upload
from headroom.schemes.sigcomp.judge.states import ITEM_COST, Item

COUNT = 60  # messages of a flood; growth of memory is looked for over the later half
ATTACKERS = 8  # compartments that fill theirs
TEXT = b"OPTIONS sip:a@example.com SIP/2.0\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n"
Q_BIT = 4  # of the octet in front of a requested feedback item (RFC 3320, figure 12)
MOST_FEEDBACK = 127  # octets of a feedback item after its length (RFC 3320, figures 4 and 12)
CAME_OUT = ("compressed", "silent", "plain")  # kinds of messages that have not failed
MOST_PRIORITY = 65534  # RFC 3320, 6.2.2: 65535 is the lowest of all

_PUT_OUT_OK = "OUTPUT (ok, 2)\nEND-MESSAGE (0, 0, 0, 0, 0, 0, 0)\n:ok\nbyte (79, 75)"


@dataclass(frozen=True)
class Flood:
    """A flood. `acts` are the acts of the endpoint in order, and `flooded` are the numbers of those that are the flood.
    `expected` has the required output by the number of an act, None if decompression must fail. `compressed` is the
    offer of a peer that must restore the endpoint's messages.
    """

    acts: tuple[Act, ...]
    flooded: range
    expected: dict[int, bytes | None]
    compressed: Offer | None = None


def of_feedback(offer: Offer, count: int = COUNT) -> Flood:
    """A peer that returns unrequested feedback, requests the longest item, and announces other parameters
    and sixty other items of state with each message. In the end it offers what it has, and is compressed to."""
    draw, peer = random.Random(3320), FarEnd(offer)
    acts, expected = [], {}
    for number in range(count):
        feedback_request = bytes([Q_BIT, 128 | MOST_FEEDBACK]) + draw.randbytes(MOST_FEEDBACK)
        items = b"".join(bytes([6]) + draw.randbytes(6) for _ in range(60))
        parameters = bytes([draw.randrange(256), draw.randrange(1, 256)]) + items
        returned = bytes([128 | MOST_FEEDBACK]) + draw.randbytes(MOST_FEEDBACK)
        acts.append(Act("decompress", peer.says(TEXT, feedback_request, parameters, returned)))
        expected[number] = TEXT
    honest = peer.says(TEXT, returned=announcement(offer))
    acts += [Act("decompress", honest), Act("compress", TEXT)]
    expected[count] = TEXT
    return Flood(tuple(acts), range(count), expected, offer)


def of_states(offer: Offer, count: int = COUNT) -> Flood:
    """Compartments that store four states with each message, all of them as hard to push out as can be, until theirs
    is full many times over; and one that has stored something before, and asks for it afterwards."""
    mine = Item(b"what compartment 0 has stored, before the others came" * 4, 1024, 0, 6)
    acts = [Act("decompress", upload(creating(mine, 0)))]
    longest = offer.state_memory_size // 4 - ITEM_COST
    store = "".join(f"STATE-CREATE ({longest - k}, 1000, 128, 6, {MOST_PRIORITY})\n" for k in range(4))
    program = assemble("INPUT-BYTES (2, 1000, 128)\n" + store + _PUT_OUT_OK)
    for number in range(count):
        acts.append(Act("decompress", upload(program, number.to_bytes(2, "big")), 1 + number % ATTACKERS))
    acts.append(Act("decompress", upload(accessing(mine, 6))))
    expected: dict[int, bytes | None] = dict.fromkeys(range(1, count + 1), b"OK")
    return Flood(tuple(acts), range(1, count + 1), {0: b"", **expected, count + 1: mine.value})


def of_octets(offer: Offer, count: int = COUNT) -> Flood:
    """Messages that are longer than the memory they would be decompressed in, to the longest that UDP carries; and a
    short one after them."""
    program = assemble(_PUT_OUT_OK)
    first = offer.decompression_memory_size + 1
    lengths = [first + (65507 - first) * number // (count - 1) for number in range(count)]
    acts = [Act("decompress", upload(program, bytes(length - len(program) - 3))) for length in lengths]
    acts.append(Act("decompress", upload(program)))
    expected: dict[int, bytes | None] = dict.fromkeys(range(count))
    return Flood(tuple(acts), range(count), expected | {count: b"OK"})


FLOODS: dict[str, Callable[[Offer], Flood]] = {"feedback": of_feedback, "states": of_states, "octets": of_octets}


def pour(flood: Flood, endpoint: EndpointUnderTest) -> tuple[list[ActOutcome], Cost]:
    """Plays a flood at an endpoint. Returns the outcomes of its acts and the cost. Raises Misbehaviour if a promise of
    the ABI is broken."""
    job = endpoint_engine.job(endpoint, flood.acts) | {"costs": True}
    document = engine.run("messages", job, PATIENCE_S, endpoint.build)
    outcomes = endpoint_engine.results(document, flood.acts)
    octets = tuple(flood.acts[number].octets for number in flood.flooded)
    seen = tuple(outcomes[number].seen[0] for number in flood.flooded)
    return outcomes, hostile_messages.cost_of(document, octets, seen, flood.flooded)


def faults(flood: Flood, outcomes: list[ActOutcome], cost: Cost) -> list[str]:
    """Returns one sentence for each fault of an endpoint in a flood."""
    wrong = []
    for number, text in flood.expected.items():
        (seen,) = outcomes[number].seen
        if text is None and seen.kind in CAME_OUT:
            wrong.append(f"{nth('message', number)} came out, though it is longer than its memory")
        elif text is not None and (seen.kind == "failed" or seen.output != text):
            wrong.append(f"{nth('message', number)} did not come out as it should: {seen.kind}, reason {seen.reason}")
    if flood.compressed is not None:
        octets = outcomes[-1].octets
        if octets is None:
            wrong.append("a message is not compressed any more")
        elif fault := fault_of(FarEnd(flood.compressed).hears(octets), flood.acts[-1].octets, octets):
            wrong.append(f"after the flood, {fault}")
    return wrong + hostile_messages.growth(cost)
