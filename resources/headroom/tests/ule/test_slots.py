# SPDX-License-Identifier: Apache-2.0
"""A DVB channel of 8 Mbit/s behind an ASI card, in virtual time: a TS packet lasts 188 us, a buffer of six 1,128 us."""

from typing import Any

import pytest

from headroom.core import replay
from headroom.core.implementations import find
from headroom.core.replay import Replay, ReplayConfig

SLOT_NS = 188_000
BUFFER_NS = 6 * SLOT_NS
CHANNEL = {"rate_bps": 8_000_000, "slots": {"packet_octets": 188}}


def ipv4(length: int, mark: int) -> str:
    return bytes([0x45, *((mark * 31 + at) % 256 for at in range(1, length))]).hex()


def through(forward: dict[str, Any], packets: list[tuple[int, int, int]], **channel: Any) -> Replay:
    """Packets of (time in ns, length, channel) through the reference on both sides."""
    return replay.run(
        ReplayConfig(
            source=[
                {"hex": ipv4(length, mark), "time_ns": time_ns, "channel": number}
                for mark, (time_ns, length, number) in enumerate(packets)
            ],
            scheme="ule",
            compressor=find("reference"),
            decompressor=find("reference"),
            channel={"mrru": 2000, "packing": "padding", **channel},
            forward=forward,
            records="all",
        )
    )


def arrivals(done: Replay) -> list[int]:
    """When each packet of the source came out, in ns."""
    return [next(one["time_ns"] for one in record["decompressor"] if one["status"] == "OK") for record in done.records]


@pytest.mark.engine
def test_a_packet_waits_for_the_next_buffer_and_for_those_before_it() -> None:
    done = through(CHANNEL, [(0, 100, 0), (1, 100, 0), (2, 500, 0), (20_000_000, 100, 0)])
    assert done.count("identical") == 4
    # Buffer 0 begins with the first packet alone; one TS packet, then three, go with buffer 1, the last with buffer 18.
    assert arrivals(done) == [SLOT_NS, BUFFER_NS + SLOT_NS, BUFFER_NS + 4 * SLOT_NS, 18 * BUFFER_NS + SLOT_NS]
    assert done.direction()["link"]["slots"] == {
        "sent": 19 * 6,
        "octets": 19 * 6 * 188,
        "carried": 6,
        "idle": 108,
        "utilisation": 6 / 114,
        "most_waiting": 5,
    }


@pytest.mark.engine
def test_channels_share_the_slots_in_order_of_arrival() -> None:
    done = through(CHANNEL, [(n, 100, n % 3) for n in range(1, 10)], channels=3)
    assert arrivals(done) == [BUFFER_NS + (n + 1) * SLOT_NS for n in range(9)]


@pytest.mark.engine
def test_the_receiver_hands_on_groups_of_slots() -> None:
    forward = {"rate_bps": 8_000_000, "slots": {"packet_octets": 188, "buffers": 3, "receiver_buffer_packets": 7}}
    done = through(forward, [(1, 100, 0), (2, 100, 0), (3, 100, 0)])
    assert arrivals(done) == [14 * SLOT_NS, 14 * SLOT_NS, 21 * SLOT_NS]  # slots 12, 13 and 14


@pytest.mark.engine
def test_idle_packets_are_null_packets() -> None:
    forward = {"rate_bps": 8_000_000, "slots": {"packet_octets": 188, "deliver_idle": True}}
    packets = [(n * 5_000_000, 100, 0) for n in range(5)]
    done = through(forward, packets)
    receiver = done.direction()["decompressor"]["statistics"]
    assert done.count("identical") == 5
    assert receiver["other_pids"] == done.direction()["link"]["slots"]["idle"] == 19 * 6 - 5
    assert done.direction()["inserted"] == {"statuses": {}, "delivered": 0}
    assert arrivals(done) == arrivals(through(CHANNEL, packets))


@pytest.mark.engine
def test_marked_ts_packets_are_transmission_errors() -> None:
    """RFC 4326, 7.3: a TS packet with the transport_error_indicator is discarded."""
    forward = {**CHANNEL, "ber": 1e-4, "header_errors": "mark"}
    done = through(forward, [(n * 1_000_000, 100, 0) for n in range(500)])
    link, receiver = done.direction()["link"], done.direction()["decompressor"]["statistics"]
    assert link["marked"] == link["damaged_delivered"] == 500 - done.count("identical") > 20
    assert receiver["crc_errors"] == 0
    # A damaged PID or sync octet is seen before the indicator.
    others = receiver["other_pids"] + receiver["sync_errors"]
    assert receiver["transmission_errors"] == link["marked"] - others
    assert done.differing == 0
