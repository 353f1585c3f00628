# SPDX-License-Identifier: Apache-2.0
"""SigComp in a capture: what the judge and tshark make of it, in order, with the state of what came before."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.core import tshark
from headroom.decode import run
from headroom.decode.run import DecodeOptions
from headroom.schemes.sigcomp import messages
from headroom.schemes.sigcomp.endpoints import GENEROUS
from headroom.schemes.sigcomp.judge.message import nack
from headroom.schemes.sigcomp.judge.reasons import Reason
from headroom.schemes.sigcomp.sip import sequences
from headroom.tests.decode.support import ethernet, ipv4, pcap, udp
from headroom.tests.runs import conversation_of

# An item of state costs a cycle for each octet (RFC 3320, 9.4.6): a large one wants more than 16 for each bit.
OFFER = GENEROUS | {"cycles_per_bit": 64}


def sip(payload: bytes, port: int = 5060) -> bytes:
    return ethernet(0x0800, ipv4(udp(payload, port, port)))


def only(tmp_path: Path, *payloads: bytes) -> list[run.DecodedPacket]:
    return list(run.read(DecodeOptions(pcap(tmp_path / "x.pcap", 1, *map(sip, payloads)), tshark=False)).decoded())


@pytest.mark.skipif(not tshark.is_available(), reason="tshark is not installed")
@pytest.mark.parametrize("mechanism", ["stateful-static", "dynamic", "shared"])
def test_both_restore_a_call(real_build: str, tmp_path: Path, mechanism: str) -> None:
    call = sequences.load(sequences.path_of("basic-voice-call"))
    path = tmp_path / "link.pcapng"
    options = {"mechanism": mechanism}
    done = messages.run(
        conversation_of(messages.conversation(call), options=options, offer=OFFER, capture=path, build=real_build)
    )
    assert done.failures() == []
    capture = run.read(DecodeOptions(path))
    read = list(capture.decoded())
    assert capture.verdicts == {"agree": len(call)}
    for one, message in zip(read, call, strict=True):
        assert one.ours is not None and one.theirs is not None
        assert one.ours.title == "SigComp in UDP in IPv4"
        assert f"({len(message.octets)} octets, SHA-1 " in str(one.ours.values["decompressed"])
        known = one.theirs.values.get("UDVM cycles")  # it has no states that only their sender could tell of
        assert one.ours.values["UDVM cycles"] == known or (
            mechanism == "shared" and one.theirs.notes == ["not decompressed"]
        )


def test_what_cannot_be_decompressed_says_why(tmp_path: Path) -> None:
    digest = bytes(20)
    first, second, third, plain = only(
        tmp_path,
        bytes.fromhex("f9") + bytes(6) + b"x",
        nack(Reason.STATE_NOT_FOUND, digest, 0, 0, bytes(6)),
        bytes.fromhex("f8001100"),
        b"OPTIONS sip:a@b SIP/2.0\r\n\r\n",
    )
    assert [one.ours and one.ours.error for one in (first, third)] == [
        "decompression failure: STATE_NOT_FOUND",
        "decompression failure: USER_REQUESTED",
    ]
    assert second.ours is not None and second.ours.title == "SigComp NACK (STATE_NOT_FOUND) in UDP in IPv4"
    assert plain.ours is not None and plain.ours.title == "UDP in IPv4"


def test_other_ports_are_not_for_it(tmp_path: Path) -> None:
    path = pcap(tmp_path / "x.pcap", 1, sip(bytes.fromhex("f8001100"), 5061))
    (one,) = run.read(DecodeOptions(path, tshark=False)).decoded()
    assert one.ours is not None and one.ours.title == "UDP in IPv4" and not one.ours.error
