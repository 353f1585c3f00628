# SPDX-License-Identifier: Apache-2.0
"""What arrives over an impaired link, and how much of it chance may let come out wrong."""

from __future__ import annotations

import math
from typing import Any

import pytest

from headroom.core.chance import CONFIDENCE, poisson_limit
from headroom.core.damaged_links import flipped
from headroom.schemes.rohc.conformance.arrivals import balance, has_damaged_header, in_order
from headroom.schemes.rohc.conformance.observation import Observation
from headroom.tests.conformance.support import BEGINNING, observed, record, sent

KINDS = (*BEGINNING, *["UO-0"] * 9)


def impaired(changes: dict[int, dict[str, Any]], kinds: tuple[str, ...] = KINDS) -> Observation:
    """A link on which some packets' records are other than usual."""
    links, originals = sent("rtp-ipv4", kinds)
    records = []
    for n, link in enumerate(links):
        change = dict(changes.get(n, {}))
        one = record(n, link, change.pop("verdict", "identical"))
        if change.get("fate", "delivered") != "delivered":
            change["decompressor"] = []
        records.append(one | change)
    return observed(links, originals, records=records)


def test_flipped() -> None:
    assert flipped(b"\x00\x00", [0]) == b"\x80\x00"
    assert flipped(b"\x00\x00", [7, 8, 15]) == b"\x01\x81"
    assert flipped(b"\xff", [0, 0]) == b"\xff"


def test_nothing_is_at_risk_on_a_clean_link() -> None:
    found = balance(impaired({}))
    assert (found.arrived, found.restored_by_judge, found.at_risk, found.chances) == (12, 12, 0, 0.0)
    assert (found.delivered, found.wrong, found.allowed, found.longest_outage) == (12, 0, 0, 0)


def test_one_wrong_packet_on_a_clean_link_is_one_too_many() -> None:
    found = balance(impaired({5: {"verdict": "mismatched"}}))
    assert (found.wrong, found.allowed) == (1, 0)


def test_a_few_lost_packets_are_no_risk() -> None:
    lost = {n: {"fate": "loss", "verdict": "lost_on_link"} for n in (4, 5)}
    found = balance(impaired(lost))
    assert (found.arrived, found.at_risk, found.allowed) == (10, 0, 0)


def test_what_the_judge_cannot_restore_is_at_risk() -> None:
    """Without IR nothing can be restored; each UO-0 passes its CRC-3 with a chance of one in eight."""
    lost = {n: {"fate": "loss", "verdict": "lost_on_link"} for n in (0, 1, 2)}
    found = balance(impaired(lost | {n: {"verdict": "not_delivered"} for n in range(3, 12)}))
    assert (found.arrived, found.restored_by_judge, found.at_risk) == (9, 0, 9)
    assert found.chances == 9 / 8
    assert found.longest_outage == 9


@pytest.mark.parametrize(("kind", "chance"), [("UO-0", 1 / 8), ("UOR-2-ID", 1 / 128), ("IR", 1 / 256)])
def test_a_damaged_header_is_a_risk_of_its_crc(kind: str, chance: float) -> None:
    """A flipped bit of the CRC itself."""
    bit = {"UO-0": 7, "UOR-2-ID": 17, "IR": 20}[kind]
    seen = impaired({4: {"flipped": [bit], "verdict": "not_delivered"}}, (*BEGINNING, "UO-0", kind, "UO-0"))
    found = balance(seen)
    assert (found.damaged_headers, found.at_risk) == (1, 1)
    assert found.chances == chance


def test_a_damaged_payload_is_no_damaged_header() -> None:
    seen = impaired({4: {"flipped": [8 * 5]}})
    assert not has_damaged_header(seen.packets[4])
    assert not has_damaged_header(seen.packets[3])
    found = balance(seen)
    assert (found.damaged_headers, found.at_risk, found.restored_by_judge) == (0, 0, 12)


def test_damage_of_both() -> None:
    seen = impaired({4: {"flipped": [6, 8 * 5], "verdict": "not_delivered"}})
    assert has_damaged_header(seen.packets[4])
    assert balance(seen).at_risk == 1


def test_wrong_packets_that_chance_does_not_explain() -> None:
    """Nine packets at risk: 9/8 pass on average, tried twice; nine of nine are too many, one or two are not."""
    lost = {n: {"fate": "loss", "verdict": "lost_on_link"} for n in (0, 1, 2)}
    few = balance(impaired(lost | {n: {"verdict": "mismatched"} for n in range(3, 5)}))
    assert few.wrong <= few.allowed
    many = balance(impaired(lost | {n: {"verdict": "mismatched"} for n in range(3, 12)}))
    assert many.allowed == 8  # of a Poisson distribution with mean 2.25, 99.9 % are at most 8
    assert many.wrong > many.allowed


def test_the_longest_outage() -> None:
    failing = [{"time_ns": 0, "status": "ERR_CRC"}]
    seen = impaired({n: {"decompressor": [{**failing[0], "time_ns": n * 20_000_000}]} for n in (4, 6, 7, 8, 10)})
    assert balance(seen).longest_outage == 3


def test_order_of_arrival() -> None:
    """Packet 4 is held back until packet 6 has been sent; packet 5 comes twice."""

    def at(n: int, **more: Any) -> dict[str, Any]:
        return {"time_ns": n * 20_000_000, "status": "OK", **more}

    seen = impaired(
        {4: {"held": True, "decompressor": [at(6)]}, 5: {"decompressor": [at(5), at(7, duplicate=True)]}},
    )
    assert [one.seen.index for one in in_order(seen)] == [0, 1, 2, 3, 5, 6, 4, 5, 7, 8, 9, 10, 11]


def test_order_of_what_did_not_arrive() -> None:
    seen = impaired({3: {"fate": "loss", "verdict": "lost_on_link"}})
    assert 3 not in [one.seen.index for one in in_order(seen)]


def test_damaged_octets_are_judged_as_they_arrive() -> None:
    seen = impaired({4: {"flipped": [7]}})
    (arrived,) = (one for one in in_order(seen) if one.seen.index == 4)
    assert seen.packets[4].link is not None
    assert arrived.octets[0] == seen.packets[4].link[0] ^ 1


def test_each_channel_has_a_judge_of_its_own() -> None:
    seen = impaired({})
    for one in seen.packets[6:]:
        one.channel = 1  # where no IR packet has been
    assert balance(seen).at_risk == 6


@pytest.mark.parametrize(
    ("mean", "limit"), [(0.0, 0), (-1.0, 0), (0.0005, 0), (0.01, 1), (1.0, 5), (2.25, 8), (10.0, 21), (100.0, 132)]
)
def test_limit_of_a_poisson_distribution(mean: float, limit: int) -> None:
    """Values of the quantile function at 0.999, as any table of the distribution has them."""
    assert poisson_limit(mean) == limit
    if mean > 0:
        below = sum(math.exp(-mean + n * math.log(mean) - math.lgamma(n + 1)) for n in range(limit))
        upto = below + math.exp(-mean + limit * math.log(mean) - math.lgamma(limit + 1))
        assert below < CONFIDENCE <= upto


def test_limit_of_a_large_mean() -> None:
    assert poisson_limit(10_000) == 10_310
    assert abs(poisson_limit(699) - poisson_limit(701)) < 5
