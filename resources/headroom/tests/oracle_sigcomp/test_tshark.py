# SPDX-License-Identifier: Apache-2.0
"""The judge made from the RFCs and tshark's UDVM, each against the other."""

from __future__ import annotations

import pytest

from headroom.schemes.sigcomp.conformance import endpoint_cases
from headroom.schemes.sigcomp.judge import tshark
from headroom.schemes.sigcomp.judge.assembling import assemble
from headroom.schemes.sigcomp.judge.endpoint import Endpoint
from headroom.schemes.sigcomp.judge.message import access, upload
from headroom.schemes.sigcomp.judge.states import Item

pytestmark = pytest.mark.skipif(not tshark.is_available(), reason="tshark is not installed")

# Cases of RFC 4465 of which tshark 4.0 confirms every message with output.
CONFIRMED = {"arithmetic", "memset", "input-bits", "input-huffman", "program-flow"}


def test_torture_with_output() -> None:
    """It decompresses a part of RFC 4465's messages as the RFC says, and several otherwise: it is no judge alone."""
    messages, expected = [], []
    for name in endpoint_cases.names("rfc4465"):
        case = endpoint_cases.case("rfc4465", name)
        for step, outcome in zip(case.steps, endpoint_cases.judged(case), strict=True):
            messages.append((0, step.octets))
            expected.append((name, outcome))
    agrees: dict[str, bool] = {}
    for seen, (name, outcome) in zip(tshark.read(messages), expected, strict=True):
        if outcome.kind == "compressed":
            agrees[name] = agrees.get(name, True) and seen.output == outcome.output
    assert {name for name, all_right in agrees.items() if all_right} >= CONFIRMED


def test_states_and_text() -> None:
    """A message that begins from state which an earlier one created, and text that is taken for SIP."""
    body = "INPUT-BYTES (1, 600, end)\nOUTPUT (600, 1)\nJUMP (128)\n:end\nEND-MESSAGE (0, 0, 100, 128, 128, 6, 0)"
    code = assemble(body)
    text = b"OPTIONS sip:a@example.com SIP/2.0\r\nContent-Length: 0\r\n\r\n"
    item = Item(code.ljust(100, b"\0"), 128, 128)
    endpoint = Endpoint()
    messages = [upload(code, text), access(item.identifier[:6], text)]
    ours = [endpoint.decompress(message) for message in messages]
    theirs = tshark.read([(0, message) for message in messages])
    assert [one.output for one in ours] == [one.output for one in theirs] == [text, text]
    # tshark counts one cycle less where END-MESSAGE creates state.
    assert [one.cycles for one in ours] == [(one.cycles or 0) + 1 for one in theirs]


def test_nothing_to_read() -> None:
    assert tshark.read([]) == []
