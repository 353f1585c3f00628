# SPDX-License-Identifier: Apache-2.0
"""Streams of profile 0x0006: losses, replicas and lists, read off links on which they are known."""

from __future__ import annotations

import pytest

from headroom.schemes.rohc.conformance import repeats, stream
from headroom.schemes.rohc.conformance.flow import Flow
from headroom.schemes.rohc.conformance.observation import Observation
from headroom.schemes.rohc.judge import Parameters
from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.tcp.chains import SEQUENTIAL, Context, write_compressed
from headroom.schemes.rohc.judge.tcp.packets import write_ir, write_ir_cr, write_ir_dyn
from headroom.tests.conformance.support import observed
from headroom.tests.oracle_rohc_tcp.packets import context_of
from headroom.tests.oracle_rohc_tcp.test_replication import FLAGS

PARAMETERS = Parameters(profiles=frozenset({0, 6}))
CONTROL = {"ack_stride": 0, "ecn_used": 0, "ip_id_behavior_innermost": SEQUENTIAL}


class Link:
    """Packets of flows without payload, by the types that they get."""

    def __init__(self) -> None:
        self.links: list[bytes] = []
        self.originals: list[bytes] = []
        self.contexts: dict[int, Context] = {}
        self.msns: dict[int, int] = {}

    def send(self, flow: Flow, *kinds: str, cid: int = 0, msn: int = 500) -> None:
        flow.payload = 0
        for kind in kinds:
            msn = self.msns[cid] = self.msns.get(cid, msn - 1) + 1
            packet = flow.packet()
            before, after = self.contexts.get(cid), context_of(packet, msn, CONTROL, self.contexts.get(cid))[0]
            self.contexts[cid] = after
            self.originals.append(packet)
            if kind == "IR":
                self.links.append(write_ir(after, b"", cid))
            elif kind == "IR-DYN":
                self.links.append(write_ir_dyn(after, b"", cid))
            elif kind == "IR-CR":
                self.links.append(write_ir_cr(self.contexts[0], after, b"", FLAGS, cid=cid, base_cid=0))
            else:
                assert before is not None
                carries_list = int(kind == "seq_8 with a list")
                value = (crc.crc7 if carries_list else crc.crc3)(packet)
                said = {"list_present": carries_list}
                octets = write_compressed("seq_8" if carries_list else "seq_3", before, after, value, b"", said)
                self.links.append(bytes([0xE0 | cid]) + octets if cid else octets)

    def seen(self) -> Observation:
        found = observed(self.links, self.originals, PARAMETERS)
        assert all(one.is_restored for one in found.packets)
        return found


def flow(port: int = 20_000) -> Flow:
    made = Flow.of("tcp-ipv4")
    made.change(f"port to {port} and ack-step to 10")
    return made


@pytest.mark.parametrize("carriers", [1, 2, 3])
def test_how_many_packets_carry_a_change(carriers: int) -> None:
    one, link = flow(), Link()
    link.send(one, "IR", "IR", "seq_3", "seq_3")
    one.change("window to 9")
    link.send(one, *["IR-DYN"] * carriers, *["seq_3"] * 10)
    packets = link.seen().packets
    assert repeats.survived(packets, 4, PARAMETERS) == carriers - 1
    assert repeats.single_losses(packets, PARAMETERS) == ([(4, 5)] if carriers == 1 else [])


def test_a_flow_that_begins_with_one_ir() -> None:
    link = Link()
    link.send(flow(), "IR", *["seq_3"] * 5)
    assert repeats.single_losses(link.seen().packets, PARAMETERS) == [(0, 1)]


def test_a_replica_is_of_the_base_as_it_is() -> None:
    """The loss of a packet of a CID hurts none that begins its context anew, from a base that has gone on."""
    one, other, third, link = flow(), flow(4000), flow(4001), Link()
    link.send(one, "IR", "IR")
    link.send(other, "IR-CR", "IR-CR", "seq_3", cid=3, msn=900)
    one.change("window to 9")
    link.send(one, "IR-DYN", "IR-DYN", "seq_3")
    third.change("window to 9")
    link.send(third, "IR-CR", "IR-CR", "seq_3", cid=3)
    assert repeats.single_losses(link.seen().packets, PARAMETERS) == []


@pytest.mark.parametrize(("msn", "taken"), [(900, 0), (501, 1), (502, 1)])
def test_msns_of_bases(msn: int, taken: int) -> None:
    link = Link()
    link.send(flow(), "IR", "IR")
    link.send(flow(4000), "IR-CR", "IR-CR", cid=3, msn=msn)
    assert stream.msns_of_bases(link.seen().packets) == (taken, 1)


def test_the_first_list() -> None:
    one, link = flow(), Link()
    one.change("options to mss1460+mss1400+nop2+x6")
    link.send(one, "IR")
    entries = ["X mss", "X generic", "X NOP", "X NOP", "X generic"]
    one.change("options to x4+x8")
    link.send(one, "IR-DYN")
    packets = link.seen().packets
    assert stream.first_list(packets) == entries
    assert stream.first_list(packets[1:]) == ["X generic", "X generic"]
    assert stream.first_list([]) is None


def test_which_packet_has_a_list() -> None:
    one, link = flow(), Link()
    one.change("options to x8")
    link.send(one, "IR", "seq_3", "seq_8 with a list", "seq_3")
    packets = link.seen().packets
    assert [stream.has_list(one) for one in packets[1:]] == [False, True, False]
    assert [one.sn for one in packets] == [500, 501, 502, 503]
