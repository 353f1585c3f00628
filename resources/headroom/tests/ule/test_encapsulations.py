# SPDX-License-Identifier: Apache-2.0
"""MPE and GSE, the encapsulations to compare ULE with: everything comes back, and tshark reads every packet."""

from itertools import chain
from pathlib import Path

import pytest

from headroom.core import replay, tshark
from headroom.core.captures import engine_pcapng
from headroom.core.implementations import find
from headroom.core.replay import ReplayConfig

LINKTYPE_MPEG_2_TS, LINKTYPE_RAW = 243, 101
VERIFY_CRC = ("-o", "mpeg_sect.verify_crc:TRUE")
# Of every header and all payloads of streams over UDP.
FIELDS = (
    *("ip.dsfield", "ip.len", "ip.id", "ip.flags", "ip.ttl", "ip.proto", "ip.checksum", "ip.src", "ip.dst"),
    *("ipv6.tclass", "ipv6.flow", "ipv6.plen", "ipv6.nxt", "ipv6.hlim", "ipv6.src", "ipv6.dst"),
    *("udp.srcport", "udp.dstport", "udp.length", "udp.checksum", "udp.payload"),
)


def sent(folder: Path, source: str, **channel: object) -> tuple[list[bytes], list[bytes]]:
    """Link packets, and the packets that came back, which are those that were sent."""
    outputs = {"link": folder / "link.pcapng", "decompressed": folder / "back.pcapng"}
    done = replay.run(
        ReplayConfig(
            source=source,
            flows=6,
            packets=300,
            scheme="ule",
            compressor=find("reference"),
            decompressor=find("reference"),
            channel={"mrru": 2000, **channel},
            outputs=outputs,
        )
    )
    assert done.failures() == []
    assert done.count("identical") == done.sent == 300
    link, back = ([one.octets for one in engine_pcapng.read(path)] for path in outputs.values())
    return link, back


def read(packets: list[bytes], link_type: int, *options: str) -> dict[str, list[str]]:
    """The occurrences of each field in all packets, in their order."""
    rows = tshark.rows_of([(n, packet, len(packet)) for n, packet in enumerate(packets)], link_type, ALL, options)
    assert rows is not None
    return {name: list(chain.from_iterable(row[name] for row in rows)) for name in ALL}


STATUS = "mpeg_sect.crc.status"
ALL = (*FIELDS, STATUS)
tshark_reads = pytest.mark.skipif(not tshark.available(), reason="tshark is not installed")


@tshark_reads
@pytest.mark.engine
@pytest.mark.parametrize("packing", ["packing", "padding"])
@pytest.mark.parametrize("source", ["voip-mixed", "udp-690", "udp-1500"])
def test_tshark_reads_every_packet_of_mpe(tmp_path: Path, source: str, packing: str) -> None:
    link, back = sent(tmp_path, source, encapsulation="mpe", packing=packing)
    assert {len(packet) for packet in link} == {188}
    found, expected = read(link, LINKTYPE_MPEG_2_TS, *VERIFY_CRC), read(back, LINKTYPE_RAW)
    assert {name: found[name] for name in FIELDS} == {name: expected[name] for name in FIELDS}
    assert found[STATUS] == ["1"] * 300  # right
