# SPDX-License-Identifier: Apache-2.0
"""The judge of RFC 4326 before the RFC's own example, before damage, and beside the reference."""

import random
from pathlib import Path

import pytest

from headroom.core import replay
from headroom.core.captures import engine_pcapng
from headroom.core.errors import HeadroomError
from headroom.core.implementations import find
from headroom.core.replay import ReplayConfig
from headroom.schemes.ule.judge import receiver as judge
from headroom.schemes.ule.judge.receiver import Receiver, Unit

# RFC 4326, appendix B.
PING = bytes.fromhex(
    "003f86dd000102030405600000000"
    "00d"
    "3a4020010db830081965000000000000"
    "000120010db825091962000000000000"
    "000280009d8c063800040000000000"
    "7c"
    "171763"
)


def ts(counter: int, starts: bool, payload: bytes, pid: int = 0x100) -> bytes:
    assert len(payload) <= 184
    return bytes([0x47, (0x40 if starts else 0) | pid >> 8, pid & 0xFF, 0x10 | counter % 16]) + payload.ljust(
        184, b"\xff"
    )


def sndu(type_: int, content: bytes, absent: bool = True) -> bytes:
    octets = ((0x8000 if absent else 0) | len(content) + 4).to_bytes(2) + type_.to_bytes(2) + content
    return octets + judge.crc(octets).to_bytes(4)


def ipv4(length: int, mark: int = 0) -> bytes:
    return bytes([0x45, *((mark * 31 + at) % 256 for at in range(1, length))])


A, B, LONG = ipv4(60, 1), ipv4(60, 2), ipv4(300, 3)
WHOLE = sndu(0x0800, LONG)
FIRST, SECOND = ts(0, True, b"\0" + WHOLE[:183]), ts(1, False, WHOLE[183:])


def taken(*packets: bytes, receiver: Receiver | None = None) -> tuple[list[bytes], dict[str, int]]:
    receiver = receiver or Receiver()
    units = [unit.octets for packet in packets for unit in receiver.take(packet)]
    return units, receiver.events


def test_the_example_of_appendix_b() -> None:
    assert len(PING) == 67
    assert judge.crc(PING) == 0
    found = Receiver(npa=bytes([0, 1, 2, 3, 4, 5])).take(ts(0, True, b"\0" + PING))
    assert found == [Unit(0x86DD, PING[10:-4])]


@pytest.mark.parametrize(
    ("packets", "units", "events"),
    [
        ([FIRST, SECOND], [LONG], {}),
        ([FIRST, FIRST, SECOND], [LONG], {judge.DUPLICATE: 1}),
        ([FIRST, ts(2, False, WHOLE[183:])], [], {judge.CONTINUITY_ERROR: 1}),
        ([FIRST, ts(1, True, b"\x07" + WHOLE[183:190] + sndu(0x0800, A))], [A], {judge.REASSEMBLY_ERROR: 1}),
        ([FIRST, ts(1, False, WHOLE[183:] + b"\x80\x40")], [LONG], {judge.REASSEMBLY_ERROR: 1}),
        ([ts(0, False, WHOLE[183:])], [], {}),
        ([ts(0, True, b"\xb6")], [], {judge.POINTER_ERROR: 1}),
        ([ts(0, True, b"\0\x80\x04")], [], {judge.LENGTH_ERROR: 1}),
        ([ts(0, True, b"\0\xff\xff")], [], {judge.LENGTH_ERROR: 1}),
        ([ts(0, True, b"\0" + sndu(0x0800, A) + b"\xff\xff" + sndu(0x0800, B))], [A], {}),
        ([ts(0, True, b"\0" + sndu(0x0800, A)[:-1] + b"\0" + sndu(0x0800, B))], [], {judge.CRC_ERROR: 1}),
        ([ts(0, True, b"\0" + sndu(0x0800, ipv4(174)) + b"\0")], [ipv4(174)], {judge.PADDING_ERROR: 1}),
        ([ts(0, True, b"\0" + sndu(0x00AA, A) + sndu(0x0800, B))], [B], {judge.TYPE_ERROR: 1}),
        ([ts(0, True, b"\0" + sndu(0, A) + sndu(0x0800, B))], [B], {judge.TEST_SNDU: 1}),
        ([ts(0, True, b"\0" + sndu(0x0800, bytes(6) + A, absent=False))], [], {judge.UNMATCHED: 1}),
        ([ts(0, True, b"\0" + sndu(0x0800, b"\xff" * 6 + A, absent=False))], [A], {}),
        ([ts(0, True, b"\0" + sndu(0x0201, bytes(2) + b"\x08\0" + A))], [A], {}),
        ([ts(0, True, b"\0" + sndu(0x0501, bytes(9)))], [], {judge.LENGTH_ERROR: 1}),
        ([ts(0, True, b"\0" + sndu(3, b"\x08\0\0\x3c" + A + b"\x80\x3c" + B))], [A, B], {}),
        ([ts(0, True, b"\0" + sndu(3, b"\x08\0\0\x3c" + A + b"\0\x3d" + B))], [], {judge.CONCAT_ERROR: 1}),
        ([ts(0, True, b"\0" + sndu(2, bytes(100)))], [], {judge.CONCAT_ERROR: 1}),
        ([ts(0, True, b"\0" + sndu(1, bytes(12) + b"\0\x11" + bytes(16)))], [], {judge.FRAME_ERROR: 1}),
        ([b"\x48" + FIRST[1:]], [], {judge.SYNC_ERROR: 1}),
        ([FIRST[:1] + bytes([FIRST[1] | 0x80]) + FIRST[2:]], [], {judge.TRANSMISSION_ERROR: 1}),
    ],
)
def test_sections_5_and_7(packets: list[bytes], units: list[bytes], events: dict[str, int]) -> None:
    assert taken(*packets) == (units, events)


CHANNELS = [
    {},
    {"packing": "padding"},
    {"address": "absent", "bridged": True},
    {"time_stamp": True, "padding_words": 5},
    {"threshold_us": 0},
]


def sent(channel: dict[str, object], seed: int) -> tuple[list[bytes], list[bytes]]:
    """Packets of random lengths, and the TS packets that the reference makes of them."""
    chance = random.Random(seed)
    units = [ipv4(chance.choice((21, 60, 174, 175, 300, 1400)) + chance.randrange(5), n) for n in range(150)]
    source = [{"hex": one.hex(), "time_ns": n * 400_000} for n, one in enumerate(units)]
    done = replay.run(
        ReplayConfig(
            source=source,
            scheme="ule",
            compressor=find("reference"),
            decompressor=find("reference"),
            channel={"mrru": 2000, **channel},
            records="all",
        )
    )
    assert done.document["forward"]["verdicts"]["identical"] == len(units)
    link = (one["link"] for record in done.records for one in record.get("segments", ()))
    return units, [bytes.fromhex(octets) for octets in link]


@pytest.mark.engine
@pytest.mark.parametrize("channel", CHANNELS)
def test_the_judge_receives_what_the_reference_sends(channel: dict[str, object]) -> None:
    units, packets = sent(channel, 1)
    assert all(len(packet) == 188 for packet in packets)
    found = taken(*packets, receiver=Receiver(bridged=bool(channel.get("bridged"))))
    assert found == (units, {})


@pytest.mark.engine
def test_both_receivers_make_the_same_of_damaged_octets(tmp_path: Path) -> None:
    """Bits inverted anywhere in TS packets, lost, doubled and swapped ones."""
    _, packets = sent({"address": "absent"}, 2)
    chance = random.Random(3)
    arrivals = []
    for _ in range(20):
        for packet in packets:
            draw = chance.random()
            if draw < 0.1:
                at = chance.choice((1, 3, 4, 5, 6, 7, 8, chance.randrange(188)))
                packet = packet[:at] + bytes([packet[at] ^ 1 << chance.randrange(8)]) + packet[at + 1 :]
            arrivals += [packet] * (0 if draw > 0.97 else 2 if draw > 0.94 else 1)
            if draw > 0.91 and len(arrivals) > 1:
                arrivals[-2:] = arrivals[:-3:-1]
    done = replay.run(
        ReplayConfig(
            source=[{"hex": packet.hex()} for packet in arrivals],
            scheme="ule",
            decompressor=find("reference"),
            channel={"mrru": 40_000, "address": "absent"},
            outputs={"decompressed": tmp_path / "units.pcapng"},
        )
    )
    reference = done.document["forward"]["decompressor"]["statistics"]
    judged = Receiver(pids=frozenset({0x100}))
    units = [unit for packet in arrivals for unit in judged.take(packet)]
    captured = [one.octets[14:] for one in engine_pcapng.read(tmp_path / "units.pcapng")]
    assert [unit.octets for unit in units] == captured
    assert len(units) == reference["delivered"] > 1000
    assert judged.events == {
        event: reference[counter]
        for event, counter in {
            judge.DUPLICATE: "duplicates",
            judge.SYNC_ERROR: "sync_errors",
            judge.TRANSMISSION_ERROR: "transmission_errors",
            judge.CONTINUITY_ERROR: "continuity_errors",
            judge.POINTER_ERROR: "payload_pointer_errors",
            judge.REASSEMBLY_ERROR: "delimiting_errors",
            judge.LENGTH_ERROR: "length_errors",
            judge.CRC_ERROR: "crc_errors",
        }.items()
        if reference[counter]
    }
    assert len(judged.events) >= 7, judged.events


@pytest.mark.engine
@pytest.mark.parametrize(
    ("channels", "first_pid", "key"),
    [(8175, 16, ""), (8175, 17, "first_pid"), (8176, 16, "channels"), (1, 15, "first_pid")],
)
def test_pids_are_below_that_of_null_packets(channels: int, first_pid: int, key: str) -> None:
    """13 bits, of which 0 to 15 and 0x1FFF are taken."""
    config = ReplayConfig(
        source=[{"hex": A.hex(), "channel": channels - 1}],
        scheme="ule",
        compressor=find("reference"),
        channel={"channels": channels, "first_pid": first_pid},
        records="all",
    )
    if key:
        with pytest.raises(HeadroomError, match=f'"{key}" in the configuration is'):
            replay.run(config)
    else:
        (segment,) = replay.run(config).records[0]["segments"]
        assert int.from_bytes(bytes.fromhex(segment["link"])[1:3]) & 0x1FFF == 0x1FFE
