# SPDX-License-Identifier: Apache-2.0
"""Whatever octets arrive, the judge says what becomes of them: no other exception, and no more than their cycles."""

from __future__ import annotations

import json
import random

import pytest

from headroom.core.paths import VECTORS
from headroom.schemes.sigcomp.judge.endpoint import Endpoint, Offer, Outcome
from headroom.schemes.sigcomp.judge.message import Records, access, mark, read_nack, upload
from headroom.schemes.sigcomp.judge.pair import Pair
from headroom.schemes.sigcomp.judge.reasons import Reason
from headroom.schemes.sigcomp.judge.udvm import NAMES, Udvm

KINDS = ("compressed", "silent", "plain", "nack", "ignored", "failed")
OFFERS = (Offer(2048, 2048, 16), Offer(8192, 0, 16, version=1), Offer(131072, 4096, 16, 2, ("sip-sdp", "presence")))
MESSAGES = [
    bytes.fromhex(message["octets"])
    for test in json.loads((VECTORS / "sigcomp" / "rfc4465.json").read_text())["tests"]
    for message in test["messages"]
]


def check(endpoint: Endpoint, message: bytes, outcome: Outcome) -> None:
    assert outcome.kind in KINDS
    assert (outcome.kind == "failed") == (outcome.reason != Reason.NONE)
    assert outcome.cycles <= (8 * len(message) + 1000) * endpoint.offer.cycles_per_bit
    for compartment in endpoint.states.compartments.values():
        assert compartment.used <= max(compartment.size, 0)
    if outcome.kind == "failed":
        answer = Endpoint().decompress(endpoint.nack_for(message, outcome))
        assert answer.nack is not None and answer.nack.reason == outcome.reason


def damaged(message: bytes, draw: random.Random) -> bytes:
    octets = bytearray(message)
    for _ in range(draw.randrange(4)):
        at = draw.randrange(len(octets) or 1)
        match draw.randrange(4):
            case 0:
                octets[at : at + 1] = draw.randbytes(1)
            case 1:
                octets[at:at] = draw.randbytes(2)
            case 2:
                del octets[at : at + draw.randrange(1, 12)]
            case _:
                del octets[draw.randrange(len(octets) or 1) :]
    return bytes(octets)


def program(draw: random.Random) -> bytes:
    """Instructions with whatever operands: short numbers, words of the memory, and now and then any octet."""
    code = bytearray()
    for _ in range(draw.randrange(2, 20)):
        code.append(draw.randrange(len(NAMES)))
        for _ in range(draw.randrange(8)):
            code.append(draw.choice((draw.randrange(24), 0x40 + draw.randrange(40), 0xA0, draw.randrange(256))))
    return bytes(code)


@pytest.mark.parametrize("offer", OFFERS, ids=lambda offer: f"{offer.decompression_memory_size} octets")
def test_any_message(offer: Offer) -> None:
    draw = random.Random(offer.decompression_memory_size)
    endpoint = Endpoint(offer)
    kinds = set()
    for _ in range(400):
        message = draw.choice(
            (
                draw.randbytes(draw.randrange(1, 60)),
                bytes([0xF8 | draw.randrange(8)]) + draw.randbytes(draw.randrange(40)),
                damaged(draw.choice(MESSAGES), draw),
                upload(program(draw), draw.randbytes(draw.randrange(20)), draw.choice((128, 192, 1024))),
                access(draw.choice(list(endpoint.states.items()))[:6], draw.randbytes(9)),
            )
        )
        outcome = endpoint.decompress(message, draw.choice((0, 0, None)))
        check(endpoint, message, outcome)
        kinds.add(outcome.kind)
    assert {"compressed", "failed", "plain"} <= kinds, kinds


def test_any_stream() -> None:
    draw = random.Random(1)
    for _ in range(300):
        records, messages = Records(), [draw.randbytes(draw.randrange(1, 300)) for _ in range(3)]
        stream = b"".join(map(mark, messages))
        pieces = [records.feed(stream[at : at + 7]) for at in range(0, len(stream), 7)]
        assert [message for piece in pieces for message in piece] == messages
        other = Records()
        for message in other.feed(damaged(stream, draw)):
            assert message
        assert other.broken or len(other.message) < len(stream) + 8


def test_any_nack() -> None:
    draw = random.Random(2)
    for _ in range(300):
        octets = b"\xf8\x00\x01" + draw.randbytes(draw.randrange(60))
        outcome = Endpoint().decompress(octets)
        assert outcome.kind == ("nack" if len(octets) >= 27 else "ignored")
        assert outcome.header is not None and read_nack(outcome.header) == outcome.nack


def test_steps_back_in_a_ring_are_counted_at_once() -> None:
    """RFC 3320, 9.2.6, step by step; a COPY-OFFSET of no octets over any distance costs a single cycle."""
    draw = random.Random(3)
    for _ in range(500):
        at, left, right = (draw.choice((draw.randrange(300, 320), draw.randrange(65536))) for _ in range(3))
        steps = draw.choice((draw.randrange(60), draw.randrange(3000)))
        slow = at
        for _ in range(steps):
            slow = (right - 1 if slow == left else slow - 1) & 0xFFFF
        assert Udvm.before(at, steps, (left, right)) == slow


def test_announcements_of_nothing_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each would have every address tried; the same one is tried for once, and not too many are."""
    tried = []
    pair = Pair(Offer())
    monkeypatch.setattr(
        "headroom.schemes.sigcomp.judge.pair.range", lambda _: tried.append(1) or (0, 1, 2), raising=False
    )
    code = bytes.fromhex("22 20 01 23 00 80 0100 00 00 00 00 00")  # OUTPUT (32, 1), END-MESSAGE: parameters at 256
    for number in [*range(50), *range(50)]:
        told = bytes([0, 2, 6, *number.to_bytes(6, "big")])
        outcome = pair.hears(upload(code.ljust(128, b"\0") + told), None, True)
        assert outcome.kind == "compressed" and outcome.run.parameters is not None and outcome.run.parameters.announced
    assert len(tried) == 32
