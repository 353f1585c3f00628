# SPDX-License-Identifier: Apache-2.0
"""How many packets carry a change, read off links on which the number is known."""

from __future__ import annotations

import pytest

from headroom.schemes.rohc.conformance import repeats
from headroom.schemes.rohc.judge import Parameters
from headroom.tests.conformance.support import BEGINNING, observed, sent, stream

PARAMETERS = Parameters()


def changed(carriers: int, kind: str = "IR-DYN") -> list[str]:
    """A flow whose TTL changes at packet 10, told by as many packets."""
    return [*BEGINNING, *["UO-0"] * 7, f"ttl to 9: {kind}", *[kind] * (carriers - 1), *["UO-0"] * 40]


@pytest.mark.parametrize("carriers", [1, 2, 3, 5])
def test_survived_is_one_less_than_the_packets_that_carry_it(carriers: int) -> None:
    packets = stream("rtp-ipv4", changed(carriers)).packets
    assert repeats.survived(packets, 10, PARAMETERS) == carriers - 1


def test_survived_where_nothing_changes() -> None:
    """Four bits of SN reach 14 beyond the reference (p = 1): 13 packets may be lost together, a fourteenth is one too
    many."""
    packets = stream("rtp-ipv4", [*BEGINNING, *["UO-0"] * 60]).packets
    assert repeats.survived(packets, 10, PARAMETERS) == 13
    # p = -1 for a generated SN: the interval begins behind the reference and ends 16 beyond it.
    packets = stream("udp-ipv4", [*BEGINNING, *["UO-0"] * 60]).packets
    assert repeats.survived(packets, 10, PARAMETERS) == 15


def test_survived_has_a_limit() -> None:
    packets = stream("rtp-ipv4", ["IR"] * 60).packets
    assert repeats.survived(packets, 10, PARAMETERS, longest=4) == 4


def test_hurt_by_names_the_packet() -> None:
    packets = stream("rtp-ipv4", changed(1)).packets
    before = repeats.contexts_before(packets)
    assert repeats.hurt_by(packets, 10, 1, before[10], PARAMETERS) == 11
    assert repeats.hurt_by(packets, 9, 1, before[9], PARAMETERS) is None


def test_what_mends_a_context_ends_the_search() -> None:
    kinds = [*BEGINNING, *["UO-0"] * 7, "ttl to 9: IR-DYN", "IR", *["UO-0"] * 20]
    packets = stream("rtp-ipv4", kinds).packets
    before = repeats.contexts_before(packets)
    assert repeats.hurt_by(packets, 10, 1, before[10], PARAMETERS) is None


@pytest.mark.parametrize("flows", [2, 3, 16])
def test_flows_side_by_side(flows: int) -> None:
    """Each begins with one IR packet, whose loss hurts its own next packet; the packets of others in between tell
    nothing about it."""
    made = [sent("udp-ipv4", ["IR", *["UO-0"] * 4], cid) for cid in range(flows)]
    links = [one[0][n] for n in range(5) for one in made]
    originals = [one[1][n] for n in range(5) for one in made]
    packets = observed(links, originals).packets
    count = len(made)
    assert repeats.single_losses(packets, PARAMETERS) == [(n, n + count) for n in range(count)]


def test_a_loss_of_several_flows() -> None:
    """IR of both lost: the flow that has another IR is not hurt, the other is."""
    one, other = sent("udp-ipv4", ["IR", "IR", "UO-0"]), sent("udp-ipv4", ["IR", "UO-0", "UO-0"], 1)
    links = [link for pair in zip(one[0], other[0], strict=True) for link in pair]
    originals = [original for pair in zip(one[1], other[1], strict=True) for original in pair]
    packets = observed(links, originals).packets
    assert repeats.hurt_by(packets, 0, 2, {}, PARAMETERS) == 3


def test_single_losses() -> None:
    packets = stream("rtp-ipv4", changed(1)).packets
    assert repeats.single_losses(packets, PARAMETERS) == [(10, 11)]
    assert repeats.single_losses(packets, PARAMETERS, but=[10]) == []
    packets = stream("rtp-ipv4", changed(2)).packets
    assert repeats.single_losses(packets, PARAMETERS) == []


def test_a_flow_that_begins_with_one_ir() -> None:
    packets = stream("rtp-ipv4", ["IR", *["UO-0"] * 30]).packets
    assert repeats.single_losses(packets, PARAMETERS) == [(0, 1)]


def test_packets_that_were_not_sent_are_not_lost() -> None:
    links, originals = sent("rtp-ipv4", changed(2))
    packets = observed([*links[:20], None, *links[21:]], originals).packets
    assert 20 not in {lost for lost, _ in repeats.single_losses(packets, PARAMETERS)}


def test_contexts_before() -> None:
    packets = stream("rtp-ipv4", ["IR", "UO-0", "UO-0"]).packets
    before = repeats.contexts_before(packets)
    assert before[0] == {}
    assert [contexts[0].sn for contexts in before[1:]] == [1000, 1001]
