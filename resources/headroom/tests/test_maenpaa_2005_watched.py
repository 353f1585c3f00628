# SPDX-License-Identifier: Apache-2.0
"""What the second judge sees in the messages of the thesis's sequences."""

from __future__ import annotations

from headroom.schemes.sigcomp.judge.assembling import assemble
from headroom.schemes.sigcomp.judge.endpoint import Offer
from headroom.schemes.sigcomp.judge.message import access, upload
from headroom.schemes.sigcomp.judge.states import Item
from headroom.schemes.sigcomp.papers.maenpaa_2005_runs import Configuration
from headroom.schemes.sigcomp.papers.maenpaa_2005_watched import Pair

OFFER = Offer(decompression_memory_size=8192, state_memory_size=131072, cycles_per_bit=32)

HELLO = Item(b"hello", 7)

# Reads two octets, loads 100 of the dictionary, and then codes of eight bits, each an octet of the message. The memory
# from 64 on is kept as state. An item is announced to be there.
PROGRAM = """
MULTILOAD (64, 4, 1024, 2048, 0, 1024)
INPUT-BYTES (2, 32, end)
STATE-ACCESS (dictionary, 6, 10, 100, 4096, 0)
:next
INPUT-HUFFMAN (40, end, 1, 8, 0, 255, 0)
OUTPUT (41, 1)
COPY-LITERAL (41, 1, $70)
JUMP (next)
:end
END-MESSAGE (0, announced, 192, 64, 0, 6, 0)
:dictionary
hex (fbe507dfe5e6)
:announced
hex (000106"""
PROGRAM += f"{HELLO.identifier[:6].hex()}00)"


def test_where_the_compressed_data_begins() -> None:
    code = assemble(PROGRAM)
    seen = Pair(OFFER).watch(upload(code, b"\x01\x02hello"), b"hello", from_caller=True)
    assert (seen.same, seen.why) == (True, "")
    assert seen.compressed == 5, "the two octets in front are not compressed data"
    assert seen.code == len(code)
    assert seen.loaded == [100]
    assert seen.state == 192


def test_a_message_that_is_announced_is_its_senders_state() -> None:
    pair, code = Pair(OFFER), assemble(PROGRAM)
    assert pair.watch(upload(code, b"\x01\x02hello"), b"hello", from_caller=True).same
    assert pair.sides[True].states.find(HELLO.identifier[:6]) == HELLO
    assert [item for item, _ in pair.sides[False].states.compartments[0].kept if item == HELLO] == []
    back = pair.watch(upload(code, b"\x01\x02HELLO"), b"HELLO", from_caller=False)
    assert back.state == 5 + 192, "what it has sent, and the memory that it keeps"


def test_what_comes_out_otherwise_is_told() -> None:
    seen = Pair(OFFER).watch(access(bytes(6)), b"hello", from_caller=True)
    assert not seen.same
    assert "STATE_NOT_FOUND" in seen.why
    code = assemble(PROGRAM)
    seen = Pair(OFFER).watch(upload(code, b"\x01\x02hello"), b"HELLO", from_caller=True)
    assert "makes something else of it (compressed)" in seen.why


def test_the_judge_offers_what_the_endpoints_offer() -> None:
    offer = Configuration("basic-voice-call", 5, "tcp", 4096, "dynamic").judge()
    assert (offer.decompression_memory_size, offer.state_memory_size, offer.cycles_per_bit) == (16384, 131072, 32)
    assert offer.stream, "half of the memory is the UDVM's, of which the bytecode uses half"
