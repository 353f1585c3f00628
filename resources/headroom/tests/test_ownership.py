# SPDX-License-Identifier: Apache-2.0
"""The cost of ownership: numbers of servers of the paper, money by hand, and wrong files."""

from pathlib import Path

import pytest

from headroom.core.errors import UsageError
from headroom.schemes.gtpu import ownership

MINE = """
title: mine
needs_gbit_s: [100]
years: 1
currency: EUR
spare_servers: 1
electricity:
  price_per_kwh: {value: 0.2, source: the bill}
servers:
  - name: box
    gbit_s: {value: 40, source: measured}
    price: {value: 1000, source: an offer}
    power_w: {value: 100, assumed: nobody measured it}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text)
    return path


def test_servers_of_the_papers_table() -> None:
    """Section 5.3: requirements of 100, 200 and 300 Gbit/s over 66, 132 and 201."""
    found = ownership.costs(ownership.load(ownership.PAPER_SERVERS))
    assert [(cost.need_gbit_s, cost.server.key, cost.servers) for cost in found] == [
        *((100, "6138", 2), (100, "6230n", 1), (100, "8280", 1)),
        *((200, "6138", 4), (200, "6230n", 2), (200, "8280", 1)),
        *((300, "6138", 5), (300, "6230n", 3), (300, "8280", 2)),
    ]


def test_every_price_and_power_of_the_paper_is_marked_as_assumed() -> None:
    found = ownership.load(ownership.PAPER_SERVERS)
    assert all(server.price.assumed and server.power_w.assumed for server in found.servers)
    assert not any(server.gbit_s.assumed for server in found.servers)


def test_money_by_hand(tmp_path: Path) -> None:
    """Three servers for 100 Gbit/s and a spare one: 4 x 1000; 0.4 kW x 8766 h x 0.2."""
    (cost,) = ownership.costs(ownership.load(write(tmp_path, MINE)))
    assert cost.servers == 4
    assert cost.devices == 4000
    assert cost.electricity == pytest.approx(0.4 * 8766 * 0.2)
    assert cost.total == cost.devices + cost.electricity
    assert cost.racks is None


def test_racks_are_limited_by_height_or_power(tmp_path: Path) -> None:
    limits = "limits:\n  rack_units: {{value: 2, source: x}}\n  rack_power_kw: {{value: {}, source: x}}\n"
    for power, racks in ((1, 2), (0.1, 4), (0.05, None)):
        (cost,) = ownership.costs(ownership.load(write(tmp_path, MINE + limits.format(power))))
        assert cost.racks == racks


def test_a_server_that_forwards_nothing_has_no_cost(tmp_path: Path) -> None:
    assert ownership.costs(ownership.load(write(tmp_path, MINE.replace("value: 40", "value: 0")))) == []


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("    price: {value: 1000, source: an offer}\n", "", "price"),
        ("{value: 0.2, source: the bill}", "{value: 0.2}", "price_per_kwh"),
        ("{value: 40, source: measured}", "{value: -40, source: measured}", "gbit_s"),
        ("needs_gbit_s: [100]", "needs_gbit_s: [0]", "needs_gbit_s"),
        ("currency: EUR", "currency: Euro", "currency"),
    ],
)
def test_wrong_files_are_refused_with_their_line(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=rf"mine.yaml:\d+: .*{sentence}"):
        ownership.load(write(tmp_path, MINE.replace(old, new)))
