# SPDX-License-Identifier: Apache-2.0
"""Where the text of the RFCs leaves little room, and none of the examples of RFC 4465 goes: the judge's UDVM."""

from __future__ import annotations

import pytest

from headroom.schemes.sigcomp.judge.assembling import assemble
from headroom.schemes.sigcomp.judge.endpoint import Endpoint, Offer, Outcome
from headroom.schemes.sigcomp.judge.message import upload
from headroom.schemes.sigcomp.judge.reasons import Reason

END = "END-MESSAGE (0, 0, 0, 0, 0, 0, 0)"


def run(code: bytes, memory: int = 2048, rest: bytes = b"") -> Outcome:
    """`memory`: 131072 leaves 65536 octets, the most that a UDVM has."""
    return Endpoint(Offer(memory)).decompress(upload(code, rest))


def test_a_word_can_lie_across_the_end_of_the_largest_memory() -> None:
    """ "As always, the arithmetic is modulo 2^16": RFC 3320, 8.3."""
    outcome = run(assemble(f"LOAD (65535, 4660)\nOUTPUT (65535, 2)\nPUSH ($65535)\nOUTPUT (0, 1)\n{END}"), 131072)
    assert (outcome.kind, outcome.output.hex()) == ("compressed", "123434")
    stack = assemble(f"LOAD (70, 65533)\nPUSH (7)\nPUSH (4660)\nOUTPUT (65535, 2)\nPOP (32)\nOUTPUT (32, 2)\n{END}")
    assert run(stack, 131072).output.hex() == "0007" + "1234"
    assert run(assemble(f"LOAD (65535, 4660)\n{END}")).reason == Reason.SEGFAULT


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("12 810900 82", Reason.SEGFAULT),  # COPY: a word beyond the memory, then no operand
        ("12 82 810900", Reason.INVALID_OPERAND),  # and the other way round
        ("06 c00900 82", Reason.SEGFAULT),  # ADD
        ("1e 20 00 01 810900 82 00 00", Reason.SEGFAULT),  # INPUT-HUFFMAN
        ("1e 20 00 02 11 00 00 00 00 00 00 810900", Reason.SEGFAULT),  # before its 17 bits count
        ("1e 20 00 02 11 00 00 00 00 00 00 82", Reason.INVALID_OPERAND),
        ("1e 20 00 02 11 00 00 00 00 00 00 00", Reason.TOO_MANY_BITS_REQUESTED),
        ("0f 20 02 810900 82", Reason.INVALID_OPERAND),  # MULTILOAD reads words as it writes others: RFC 4896, 3.2
        ("0f a080 02 810900 00", Reason.MULTILOAD_OVERWRITTEN),
        ("0f 20 02 810900 00", Reason.SEGFAULT),
    ],
)
def test_operands_are_decoded_in_sequence(code: str, reason: Reason) -> None:
    """ "In sequence before starting to act on the instruction": RFC 3320, 8.5. What is wrong first is the reason."""
    outcome = run(bytes.fromhex(code))
    assert (outcome.kind, outcome.reason, outcome.pc) == ("failed", reason, 128)
