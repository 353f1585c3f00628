# SPDX-License-Identifier: Apache-2.0
"""Contexts that a compressor may replicate, and its answer to a refusal: RFC 4164, 3.1 to 3.3."""

from __future__ import annotations

import pytest

from headroom.schemes.rohc.judge import Checker, Parameters
from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.tcp.chains import SEQUENTIAL, Context, write_compressed
from headroom.schemes.rohc.judge.tcp.feedback import ACK, MSN_NOT_VALID, NACK, STATIC_NACK, Feedback, write_feedback
from headroom.schemes.rohc.judge.tcp.packets import write_ir, write_ir_cr, write_ir_dyn
from headroom.tests.oracle_rohc_tcp.packets import context_of, ipv4, tcp

CONTROL = {"ack_stride": 0, "ecn_used": 0, "ip_id_behavior_innermost": SEQUENTIAL}
FLAGS = {"window_presence": 0, "list_present": 0, "src_port_presence": 2, "dst_port_presence": 0}
FLAGS |= {"ack_presence": 1, "ack_stride_flag": 0, "urp_presence": 0, "ttl_flag": 0}
BASE, REPLICA, THIRD = 0, 3, 5
REFUSAL = frozenset({MSN_NOT_VALID})


def original(number: int, port: int = 1000, ttl: int = 64) -> bytes:
    packet = ipv4(tcp(1000, 7000 + 10 * number), 77 + number, ttl=ttl)
    return packet[:20] + port.to_bytes(2, "big") + packet[22:]


class Link:
    """A compressor's packets before the judge, which holds two contexts of each CID to be possible."""

    def __init__(self) -> None:
        self.checker = Checker(Parameters(profiles=frozenset({0, 6})), window=2, confidence=2)
        self.contexts: dict[int, Context] = {}

    @property
    def findings(self) -> list[str]:
        return [one.requirement for one in self.checker.findings]

    def hear(
        self, kind: int, msn: int, cid: int = BASE, width: int = 14, options: frozenset[int] = frozenset()
    ) -> None:
        self.checker.take_feedback(write_feedback(Feedback(kind, msn & (1 << width) - 1, width, cid, options)))

    def context(self, packet: bytes, msn: int) -> Context:
        return context_of(packet, msn, CONTROL)[0]

    def ir(self, packet: bytes, msn: int, cid: int = BASE, dynamic: bool = False) -> None:
        after = self.contexts[cid] = self.context(packet, msn)
        self.checker.take((write_ir_dyn if dynamic else write_ir)(after, b"", cid), packet)

    def ir_cr(self, packet: bytes, msn: int, cid: int = REPLICA, base: int = BASE, octet: int | None = None) -> None:
        after = self.contexts[cid] = self.context(packet, msn)
        link = write_ir_cr(self.contexts[base], after, b"", FLAGS, cid=cid, base_cid=base)
        if octet is not None:  # in the place of that of the base CID, with a CRC that fits
            link = link[:5] + bytes([octet]) + link[6:]
            link = link[:3] + bytes([crc.crc8(link[:3] + b"\0" + link[4:])]) + link[4:]
        self.checker.take(link, packet)

    def compressed(self, packet: bytes, msn: int, cid: int) -> None:
        before, after = self.contexts[cid], self.context(packet, msn)
        self.contexts[cid] = after
        link = write_compressed("seq_3", before, after, crc.crc3(packet), b"", {"list_present": 0})
        self.checker.take(bytes([0xE0 | cid]) + link if cid else link, packet)


def base() -> Link:
    """Two IR packets of CID 0, with MSNs 500 and 501."""
    link = Link()
    link.ir(original(0), 500)
    link.ir(original(1), 501)
    return link


def acknowledged() -> Link:
    link = base()
    link.hear(ACK, 501)
    return link


def replicated() -> Link:
    link = acknowledged()
    link.ir_cr(original(0, 2000), 900)
    link.ir_cr(original(1, 2000), 901)
    return link


def test_a_base_that_a_feedback_2_acknowledges() -> None:
    link = replicated()
    link.compressed(original(2, 2000), 902, REPLICA)
    assert link.findings == []


@pytest.mark.parametrize(
    ("kind", "msn", "width", "options"),
    [
        (ACK, 501, 8, frozenset()),  # FEEDBACK-1
        (ACK, 300, 14, frozenset()),  # of a packet that was not sent
    ],
)
def test_what_makes_no_base(kind: int, msn: int, width: int, options: frozenset[int]) -> None:
    link = base()
    link.hear(kind, msn, width=width, options=options)
    link.ir_cr(original(0, 2000), 900)
    assert link.findings == ["RFC4164-3.3.3.1-1"]


def test_no_feedback_at_all_makes_no_base() -> None:
    link = base()
    link.ir_cr(original(0, 2000), 900)
    assert link.findings == ["RFC4164-3.3.3.1-1"]


def test_a_nack_acknowledges_as_well() -> None:
    link = base()
    link.hear(NACK, 500)
    link.ir_cr(original(0, 2000), 900)
    assert "RFC4164-3.3.3.1-1" not in link.findings


def test_another_flow_in_the_cid_is_to_be_acknowledged_anew() -> None:
    link = acknowledged()
    link.ir(original(0, 3000), 502)
    link.ir(original(1, 3000), 503)
    link.ir_cr(original(0, 2000), 900)
    assert link.findings == ["RFC4164-3.3.3.1-1"]


def test_a_refresh_of_the_same_flow_is_not() -> None:
    link = acknowledged()
    link.ir(original(2), 502)
    link.ir_cr(original(0, 2000), 900)
    assert link.findings == []


def test_a_base_behind_a_static_nack() -> None:
    link = acknowledged()
    link.hear(STATIC_NACK, 0, options=REFUSAL)
    link.ir(original(2), 502)
    link.ir_cr(original(0, 2000), 900)
    assert link.findings == ["RFC4164-3.3.3.1-2"]
    link.hear(ACK, 502)
    link.ir_cr(original(0, 4000), 700, THIRD)
    assert link.findings == ["RFC4164-3.3.3.1-2"]


def test_a_base_that_is_there_again_behind_a_static_nack() -> None:
    link = acknowledged()
    link.hear(STATIC_NACK, 0, options=REFUSAL)
    link.ir(original(2), 502)
    link.ir(original(3), 503)
    link.ir_cr(original(0, 2000), 900)
    assert link.findings == []


def test_a_base_whose_last_change_may_be_unknown() -> None:
    link = acknowledged()
    link.ir(original(2, ttl=9), 502, dynamic=True)
    link.ir_cr(original(0, 2000, ttl=9), 900)
    assert link.findings == ["RFC6846-5.2.1.1-3"]
    assert "2 packets back" in link.checker.findings[0].sentence


def test_a_base_whose_control_fields_may_be_unknown() -> None:
    link = acknowledged()
    for cid, stride in ((BASE, 10), (REPLICA, 10)):
        packet = original(2) if cid == BASE else original(0, 2000)
        after = context_of(packet, 502 if cid == BASE else 900, CONTROL | {"ack_stride": stride})[0]
        octets = write_ir_dyn(after, b"") if cid == BASE else write_ir_cr(after, after, b"", FLAGS, cid=3, base_cid=0)
        link.checker.take(octets, packet)
    assert link.findings == ["RFC6846-5.2.1.1-3"]


@pytest.mark.parametrize("heard", [False, True])
def test_a_replica_is_told_until_it_is_known(heard: bool) -> None:
    link = acknowledged()
    link.ir_cr(original(0, 2000), 900)
    if heard:
        link.hear(ACK, 900, REPLICA)
    link.compressed(original(1, 2000), 901, REPLICA)
    link.compressed(original(2, 2000), 902, REPLICA)
    assert link.findings == ([] if heard else ["RFC6846-5.2.1.1-3"])


def test_an_initialisation_is_told_until_it_is_known() -> None:
    link = Link()
    link.ir(original(0), 500)
    link.compressed(original(1), 501, BASE)
    assert link.findings == ["RFC6846-5.2.1.1-3"]


@pytest.mark.parametrize(
    ("answer", "requirements"),
    [("IR", []), ("IR-CR", ["RFC4164-3.3.3.4-2", "RFC4164-3.3.3.4-3"]), ("seq_3", ["RFC4164-3.3.3.4-1"])],
)
def test_behind_the_refusal_of_a_replica(answer: str, requirements: list[str]) -> None:
    link = replicated()
    link.hear(STATIC_NACK, 0, REPLICA, options=REFUSAL)
    packet = original(2, 2000)
    if answer == "IR":
        link.ir(packet, 902, REPLICA)
    elif answer == "IR-CR":
        link.ir_cr(packet, 902)
    else:
        link.compressed(packet, 902, REPLICA)
    assert sorted(link.findings) == requirements


@pytest.mark.parametrize("again", [False, True])
def test_the_base_of_a_refused_replica(again: bool) -> None:
    link = replicated()
    link.hear(STATIC_NACK, 0, REPLICA, options=REFUSAL)
    link.ir(original(2, 2000), 902, REPLICA)
    if again:
        link.hear(ACK, 501)
    link.ir_cr(original(0, 4000), 700, THIRD)
    assert link.findings == ([] if again else ["RFC4164-3.3.3.4-2"])


def test_ir_cr_repairs_nothing() -> None:
    link = replicated()
    link.hear(ACK, 901, REPLICA)
    link.ir(original(2, 2000), 902, REPLICA)
    link.hear(NACK, 902, REPLICA)
    link.ir_cr(original(3, 2000), 903)
    assert link.findings == ["RFC4164-3.5.2-2"]


def test_the_msn_of_a_replica_goes_on_with_its_own_cid() -> None:
    link = replicated()
    link.ir_cr(original(0, 4000), 902)
    assert link.findings == []
    link.ir_cr(original(0, 5000), 502)
    assert link.findings == ["RFC6846-6.1.1-6"]


def test_reserved_bits_in_front_of_the_base_cid() -> None:
    link = acknowledged()
    link.ir_cr(original(0, 2000), 900, octet=0x10)
    assert link.findings == ["RFC6846-7.2-5"]


def test_no_base_at_all() -> None:
    link = acknowledged()
    link.ir_cr(original(0, 2000), 900, octet=0x09)
    assert link.findings == ["RFC4164-3.3.2-1"]
