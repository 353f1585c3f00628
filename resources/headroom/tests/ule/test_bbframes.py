# SPDX-License-Identifier: Apache-2.0
"""GSE packets in BBFRAMEs (EN 302 307-1, 5.1.4 to 5.1.6; TS 102 606-1, 4.2), wherever a capture has them."""

from __future__ import annotations

import random
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from headroom.core import replay
from headroom.core.captures import engine_pcapng, formats
from headroom.core.implementations import find
from headroom.core.replay import ReplayConfig
from headroom.decode import run
from headroom.decode.run import DecodedPacket, DecodeOptions
from headroom.schemes.ule.judge import bbframes
from headroom.schemes.ule.judge.bbframes import GseReader, crc8
from headroom.schemes.ule.judge.receiver import crc
from headroom.tests.decode.support import ethernet, ipv4, pcap, udp, with_tshark

LABEL = bytes([2, 0, 0, 0, 0, 1])
PDU = ipv4(udp(b"x" * 300, 1000, 2000))
BBFRAME = formats.chosen("150=bbframe")


def bbframe(data: bytes, stream: int | None = None, octets: int = 0, first: int = 0x50, bits: int = 0) -> bytes:
    """A BBHEADER and its data field: MATYPE-1 (generic continuous, constant coding), MATYPE-2, UPL, DFL in bits, SYNC,
    SYNCD, CRC-8."""
    matype = first | (0x20 if stream is None else 0)
    head = struct.pack("!BBHHBH", matype, stream or 0, 0, bits or 8 * len(data), 0, 0)
    frame = head + bytes([crc8(head)]) + data
    return frame + bytes(max(0, octets - len(frame)))


def whole(pdu: bytes, type_: int = 0x0800, label: bytes | None = LABEL) -> bytes:
    """A PDU in one GSE packet; `label` None: it is used again."""
    kind = 3 if label is None else {6: 0, 3: 1, 0: 2}[len(label)]
    body = type_.to_bytes(2) + (label or b"") + pdu
    return (0xC000 | kind << 12 | len(body)).to_bytes(2) + body


def fragments(pdu: bytes, *sizes: int, frag_id: int = 5, type_: int = 0x0800) -> list[bytes]:
    """A PDU in fragments: the first has Total Length, the last a CRC-32 over all but GSE's headers."""
    front = type_.to_bytes(2) + LABEL
    total = (len(front) + len(pdu)).to_bytes(2)
    pieces, at = [], 0
    for size in sizes:
        pieces.append(pdu[at : at + size])
        at += size
    pieces.append(pdu[at:] + crc(total + front + pdu).to_bytes(4))
    found = []
    for number, piece in enumerate(pieces):
        flags = 0x8000 if not number else 0x4000 | 0x3000 if number == len(pieces) - 1 else 0x3000
        body = bytes([frag_id]) + (total + front if not number else b"") + piece
        found.append((flags | len(body)).to_bytes(2) + body)
    return found


def decoded(tmp_path: Path, *frames: bytes, link_type: int = 150, ask: bool = False) -> list[DecodedPacket]:
    path = pcap(tmp_path / "x.pcap", link_type, *frames)
    return list(run.read(DecodeOptions(path, tshark=ask, formats=BBFRAME)).decoded())


def packets(found: list[DecodedPacket]) -> list[bytes]:
    ours = [one.ours for one in found if one.ours is not None]
    return [octets for one in ours if one.restored for octets in (one.restored, *one.also_restored)]


def notes(found: list[DecodedPacket]) -> list[str]:
    return [
        note for one in found if one.ours for note in (*one.ours.notes, *([one.ours.error] if one.ours.error else []))
    ]


# By hand: MATYPE 0x7000, DFL 248 bits, and the CRC-8 that bit by bit division by 1 1101 0101 leaves (5.1.4).
def test_the_crc_of_a_header() -> None:
    assert crc8(bytes.fromhex("7000000000f8000000")) == 0x95
    assert bbframe(bytes(31))[:10].hex() == "7000000000f800000095"


FRAMES = [
    bbframe(whole(PDU) + whole(PDU, label=None) + whole(PDU, label=b""), octets=1100),
    *(bbframe(one) for one in fragments(PDU, 100, 50)),
    bbframe(b"".join(fragments(PDU, 10))),
    bbframe(whole(PDU), stream=200),
]


@with_tshark
def test_tshark_reads_the_same(tmp_path: Path) -> None:
    found = decoded(tmp_path, *FRAMES, ask=True)
    assert packets(found) == [PDU] * 6
    assert [one.compared.verdict for one in found] == ["agree"] * len(FRAMES)
    assert found[-1].ours is not None and found[-1].ours.title == "BBFRAME of input stream 200"


@pytest.mark.parametrize("front", [b"", b"\xb8\0\0\0", b"\xb8\0", b"\0\0\0"])
def test_bbframes_in_datagrams(tmp_path: Path, front: bytes) -> None:
    found = decoded(tmp_path, *(ipv4(udp(front + one, 5000, 5001)) for one in FRAMES), link_type=101)
    assert packets(found) == [PDU] * 6
    assert found[0].frame.kind == "ule"
    assert found[0].frame.bearer == "UDP 10.0.0.1:5000 → 10.0.0.2:5001"


def test_other_datagrams_are_no_bbframes(tmp_path: Path) -> None:
    random.seed(1)
    for _ in range(20_000):
        assert bbframes.frame_in(random.randbytes(random.randrange(60))) is None
    (one,) = decoded(tmp_path, ethernet(0x88B5, b"something else"), link_type=1)
    assert one.ours is None and one.frame.what == "Ethernet type 0x88b5"


@pytest.mark.engine
@with_tshark
@pytest.mark.parametrize("channel", [{}, {"channels": 3, "max_cid": 1}, {"address": "absent", "frame_octets": 64}])
def test_the_captures_of_the_engine(tmp_path: Path, channel: dict[str, object]) -> None:
    outputs = {"link": tmp_path / "link.pcapng", "decompressed": tmp_path / "back.pcapng"}
    reference, channel = find("reference"), {"encapsulation": "gse", "mrru": 2000, **channel}
    config = ReplayConfig("ule", reference, reference, "voip-mixed", channel=channel, outputs=outputs)
    replay.run(replace(config, flows=6, packets=200))
    capture = run.read(DecodeOptions(outputs["link"]))
    found = list(capture.decoded())
    assert set(capture.verdicts) == {"agree"}
    back = [one.octets for one in engine_pcapng.read(outputs["decompressed"])]
    assert len(back) == 200
    assert sorted(packets(found)) == sorted(back)


@pytest.mark.parametrize(
    ("frames", "note"),
    [
        ([bbframe(whole(PDU))[:9]], "a BBFRAME of 9 octets, which is too short"),
        ([bbframe(whole(PDU))[:9] + b"\0"], "the CRC-8 of the BBHEADER is wrong"),
        ([bbframe(whole(PDU))[:-1]], "DFL says"),
        ([bbframe(whole(PDU), bits=7)], "DFL says 7 bits"),
        ([bbframe(whole(PDU), first=0x58)], "ISSY"),
        ([bbframe(whole(PDU), first=0xD0)], "a BBFRAME of a transport stream"),
        ([bbframe(whole(PDU), first=0x90)], "a BBFRAME of a GSE-HEM stream"),
        ([bbframe(whole(PDU)[:50])], "GSE Length is wrong: 50 octets are left"),
        ([bbframe(b"\xc0\x01a")], "GSE Length is wrong"),
        ([bbframe(b"\xc0")], "GSE Length is wrong"),
        ([bbframe(whole(PDU, label=None))], "a label is re-used that there is not in this BBFRAME"),
        ([bbframe(one) for one in fragments(PDU, 50)[1:]], "Frag ID 5: the first fragment is missing"),
        ([bbframe(one) for one in fragments(PDU, 50, 50)[::2]], "Frag ID 5: Total Length is not that of the fragments"),
        ([bbframe(one) for one in fragments(PDU, 50)[:1] * 2], "Frag ID 5 begins anew: a PDU is discarded"),
        ([bbframe(fragments(PDU, 50)[0]), bbframe(fragments(PDU[::-1], 50)[1])], "Frag ID 5: CRC error"),
        ([bbframe(whole(PDU, 0x0088))], "type error"),
        ([bbframe(whole(b"\xfd\0\4", 0x22F1))], "passed on: type 0x22f1, 3 octets"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, frames: list[bytes], note: str) -> None:
    found = decoded(tmp_path, *frames)
    assert any(note in one for one in notes(found)), notes(found)


def test_extension_headers_are_skipped(tmp_path: Path) -> None:
    assert packets(decoded(tmp_path, bbframe(whole(b"\x08\x00" + PDU, 0x0100)))) == [PDU]


def test_streams_are_apart_and_memory_has_an_end() -> None:
    reader = GseReader()
    for stream in range(256):
        for frag_id in range(4):
            assert not reader.read(bbframe(fragments(PDU, 100, frag_id=frag_id)[0], stream)).units
    assert len(reader._parts) == bbframes.MOST_PARTS
    last = fragments(PDU, 100, frag_id=3)[1]
    assert reader.read(bbframe(last, 1)).notes == ["Frag ID 3: the first fragment is missing"]
    assert [one.octets for one in reader.read(bbframe(last, 255)).units] == [PDU]
