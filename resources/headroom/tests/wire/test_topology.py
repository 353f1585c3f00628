# SPDX-License-Identifier: Apache-2.0
"""Who is connected with whom, and who works on which cores."""

from __future__ import annotations

import pytest

from headroom.testbed.topology import ROLES, SHAPES, Port, allot, roles_of, taking_turns

FULL = roles_of("full")
HOSTS = ("sender", "receiver")


@pytest.mark.parametrize("shape", SHAPES)
def test_every_port_has_one_wire(shape: str) -> None:
    ends = [end for wire in SHAPES[shape] for end in (wire.one, wire.other)]
    assert len(ends) == len(set(ends))
    for role in roles_of(shape):
        ports = 1 if role in HOSTS else 2  # the others forward, or send and receive
        assert sum(owner == role for owner, _ in ends) == ports


def test_roles_come_in_the_order_of_the_path() -> None:
    assert FULL == ("generator", "compressor", "link", "decompressor")
    assert roles_of("carried") == tuple(role for role in ROLES if role not in ("link", "wan", *HOSTS))
    assert roles_of("hosts") == ("sender", "wan", "compressor", "link", "decompressor", "receiver")
    assert roles_of("nodes") == ("generator", "compressor", "decompressor")
    assert roles_of("loop") == ("generator",)


def test_a_large_machine_has_a_core_for_each_role() -> None:
    found = allot(FULL, [2, 3], list(range(8)))
    assert found.cores == {"compressor": (2, 3), "generator": (0,), "link": (1,), "decompressor": (4, 5)}
    assert not found.shared
    assert found.note == ""
    assert {found.idle(role) for role in FULL} == {"poll"}


def test_a_generator_takes_the_cores_that_it_can_use() -> None:
    assert allot(FULL, [0], list(range(8)), senders=3).cores["generator"] == (1, 2, 3)
    assert allot(FULL, [0], list(range(5)), senders=3).cores["generator"] == (1, 2), "what the others leave"


def test_a_small_machine_spares_the_generator() -> None:
    found = allot(FULL, [1], [0, 1], senders=3)
    assert found.cores == {"compressor": (1,), "generator": (0,), "link": (1,), "decompressor": (1,)}
    assert found.note == "compressor, link and decompressor share core 1"
    assert found.idle("generator") == "poll"
    assert found.idle("link") == "sleep"


def test_three_cores_spare_the_compressor_too() -> None:
    found = allot(FULL, [0], [0, 1, 2])
    assert found.cores == {"compressor": (0,), "generator": (1,), "link": (2,), "decompressor": (2,)}
    assert found.note == "link and decompressor share core 2"
    assert found.idle("compressor") == "poll"


def test_where_nothing_is_left_all_share() -> None:
    found = allot(FULL, [0, 1], [0, 1])
    assert found.cores["compressor"] == (0, 1)
    assert found.cores["decompressor"] == (0, 1), "as many workers as the compressor has channels"
    assert found.note == (
        "generator, compressor, link and decompressor share core 0; compressor and decompressor share core 1"
    )
    assert {found.idle(role) for role in FULL} == {"sleep"}


def test_nodes_of_a_carrier_share_what_the_measured_core_leaves() -> None:
    found = allot(roles_of("carried"), [0], [0, 1, 2])
    assert found.cores["generator"] == (1,)
    assert {found.cores[role] for role in ("encapsulator", "decapsulator", "decompressor")} == {(2,)}


def test_three_workers_on_one_core_left() -> None:
    found = allot(("compressor", "decompressor"), [1, 2, 3], [0, 1, 2, 3])
    assert found.cores["decompressor"] == (0, 0, 0)
    assert found.note == "all workers of the decompressor share core 0"
    assert found.idle("decompressor") == "sleep"


def test_roles_that_take_turns_all_sleep() -> None:
    found = taking_turns(FULL, [4, 5, 6])
    assert found.cores == {"generator": (4,), "compressor": (5,), "link": (6,), "decompressor": (4,)}
    assert {found.idle(role) for role in FULL} == {"sleep"}, "also those that have a core alone"


def test_a_port_as_the_engine_has_it() -> None:
    assert Port("plain", interface="plain").as_job() == {"interface": "plain", "driver": "af_packet"}
    assert Port("plain", pci="0000:03:00.0").as_job() == {"pci": "0000:03:00.0"}
    assert Port("plain", vdev="net_null0").as_job() == {"vdev": "net_null0"}
