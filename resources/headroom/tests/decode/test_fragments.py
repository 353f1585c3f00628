# SPDX-License-Identifier: Apache-2.0
"""IP fragments in captures (RFC 791, 3.2; RFC 8200, 4.5): what is put together, and what is discarded."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from headroom.core import tshark
from headroom.core.captures import fragments
from headroom.core.captures.fragments import Fragment, Fragments, fragment_of
from headroom.decode.run import DecodedPacket
from headroom.tests.decode.support import (
    decoded,
    enhanced,
    g_pdu,
    interface,
    ipv4,
    ipv6,
    pcap,
    section,
    udp,
    with_tshark,
)

SECOND_NS = 1_000_000_000
DATAGRAM = udp(bytes(range(256)) * 8, 1000, 2000)


def ipv4_fragments(payload: bytes = DATAGRAM, size: int = 512, identification: int = 7) -> list[bytes]:
    """The fragments of an IPv4 packet with a payload, `size` octets each."""
    found = []
    for at in range(0, len(payload), size):
        whole = bytearray(ipv4(payload[at : at + size]))
        whole[4:6] = identification.to_bytes(2)
        whole[6:8] = (at // 8 | (0x2000 if at + size < len(payload) else 0)).to_bytes(2)
        found.append(bytes(whole))
    return found


def ipv6_fragments(payload: bytes = DATAGRAM, size: int = 512, options: bool = False) -> list[bytes]:
    """The same of IPv6, behind hop-by-hop options if wanted (RFC 8200, 4.5: they are in each fragment)."""
    front = b"\x2c\0\1\4\0\0\0\0" if options else b""
    found = []
    for at in range(0, len(payload), size):
        head = struct.pack("!BBHI", 17, 0, at | (at + size < len(payload)), 0x01020304)
        found.append(ipv6(front + head + payload[at : at + size], 0 if options else 44))
    return found


def notes(found: list[DecodedPacket]) -> list[str]:
    return [one.ours.notes[0] if one.ours and one.ours.notes else "" for one in found]


ORDERS = {"in order": lambda x: x, "the last first": lambda x: x[::-1], "twice": lambda x: [x[0], *x]}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", ["IPv4", "IPv6", "IPv6 with options"])
def test_fragments_are_put_together(tmp_path: Path, kind: str, order: str) -> None:
    parts = ipv4_fragments() if kind == "IPv4" else ipv6_fragments(options=kind != "IPv6")
    found = decoded(pcap(tmp_path / "x.pcap", 101, *ORDERS[order](parts)))
    *others, last = found
    assert last.ours is not None and last.ours.title == f"UDP in {kind[:4]}"
    assert last.frame.octets.endswith(DATAGRAM)
    assert last.ours.values["UDP source port"] == [1000]
    assert notes(found)[-1].startswith("put together from the fragments in packets 1, 2, 3")
    assert all("put together in packet" in note or "a repetition" in note for note in notes(others))
    assert all("fragments are not reassembled" not in one.ours.notes for one in found if one.ours)


@with_tshark
@pytest.mark.parametrize("parts", [ipv4_fragments(), ipv6_fragments()[::-1]], ids=["IPv4", "IPv6"])
def test_tshark_puts_the_same_together(tmp_path: Path, parts: list[bytes]) -> None:
    found = decoded(pcap(tmp_path / "x.pcap", 101, *parts), ask=True)
    assert [one.compared.verdict for one in found] == ["agree"] * len(parts)
    rows = tshark.rows_of([(0, one, len(one)) for one in parts], 101, ("udp.payload", "udp.srcport"), ())
    assert rows is not None
    assert [bool(row["udp.payload"]) for row in rows] == [False] * (len(parts) - 1) + [True]
    assert rows[-1]["udp.payload"][0].replace(":", "") == found[-1].frame.octets[-len(DATAGRAM) + 8 :].hex()


def test_a_tunnel_in_fragments(tmp_path: Path) -> None:
    inner = ipv4(udp(bytes(1000), 5, 6))
    (*_, last) = decoded(pcap(tmp_path / "x.pcap", 101, *ipv4_fragments(udp(g_pdu(inner)))))
    assert last.ours is not None and last.ours.title == "GTP-U G-PDU in IPv4: UDP in IPv4"


def test_a_fragment_that_is_missing_or_cut(tmp_path: Path) -> None:
    first, _, *rest = ipv4_fragments()
    found = decoded(pcap(tmp_path / "x.pcap", 101, first, *rest))
    assert notes(found) == ["a fragment: the others have not come"] * len(found)
    cut = decoded(pcap(tmp_path / "y.pcap", 101, first, cut=4))
    assert cut[0].ours is not None and "fragments are not reassembled" in cut[0].ours.notes


def fragment(offset: int, octets: bytes, is_last: bool = False) -> Fragment:
    return Fragment("key", b"\x45" + bytes(19), offset, octets, is_last)


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ([fragment(0, bytes(16)), fragment(8, bytes(16))], "it overlaps another fragment"),
        ([fragment(8, bytes(16)), fragment(0, bytes(16))], "it overlaps another fragment"),
        ([fragment(0, bytes(16)), fragment(0, b"\1" * 16)], "it overlaps another fragment"),
        ([fragment(0, bytes(9))], "its offset or its length is impossible"),
        ([fragment(65528, bytes(16))], "its offset or its length is impossible"),
        (
            [fragment(8, bytes(8), True), fragment(16, bytes(8))],
            "it contradicts the last fragment",
        ),
        (
            [fragment(16, bytes(8)), fragment(8, bytes(8), True)],
            "it contradicts the last fragment",
        ),
        ([fragment(8, bytes(8), True), fragment(16, bytes(8), True)], "it contradicts the last fragment"),
        ([fragment(8, bytes(65527 - 16), True), fragment(0, bytes(8))], "longer than IP allows"),
    ],
)
def test_what_cannot_be_is_discarded(parts: list[Fragment], reason: str) -> None:
    kept = Fragments()
    for number, part in enumerate(parts, 1):
        assert kept.take("", number, 0, part) is None
    assert reason in kept.told[len(parts)]
    assert not kept._waiting and kept._count == 0


def test_links_and_times_are_apart(tmp_path: Path) -> None:
    first, last = ipv4_fragments(size=1048)
    path = tmp_path / "x.pcapng"
    path.write_bytes(section() + interface(101) + interface(101) + enhanced(first) + enhanced(last, place=1))
    assert notes(decoded(path)) == ["a fragment: the others have not come"] * 2
    kept = Fragments()
    assert kept.take("", 1, 0, fragment_of(first)) is None  # type: ignore[arg-type]
    assert kept.take("", 2, 61 * SECOND_NS, fragment_of(last)) is None  # type: ignore[arg-type]
    assert "more than 60 s" in kept.told[1]


def test_memory_has_an_end() -> None:
    kept = Fragments()
    for number in range(3 * fragments.MOST_FRAGMENTS):
        part = Fragment(number % 400, b"", 8 * (number // 400 % 8000 + 1), bytes(8), False)
        kept.take("", number, 0, part)
        assert len(kept._waiting) <= fragments.MOST_DATAGRAMS
        assert kept._count <= fragments.MOST_FRAGMENTS
    assert sum(len(one.pieces) for one in kept._waiting.values()) == kept._count


def test_no_packet_breaks_it() -> None:
    random.seed(1)
    kept = Fragments()
    for number, good in enumerate([*ipv4_fragments(size=64), *ipv6_fragments(size=64, options=True)] * 20):
        damaged = bytearray(good[: random.randrange(1, len(good) + 1)])
        for _ in range(random.randrange(3)):
            damaged[random.randrange(min(60, len(damaged)))] = random.randrange(256)
        if part := fragment_of(bytes(damaged)):
            whole = kept.take("", number, number, part)
            assert whole is None or len(whole) <= 40 + fragments.LONGEST
