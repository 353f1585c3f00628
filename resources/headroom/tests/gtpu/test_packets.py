# SPDX-License-Identifier: Apache-2.0
"""Packets of a user plane's interfaces: built, read back, and read by tshark and pycrate."""

from __future__ import annotations

import ipaddress

import pytest
from pycrate_mobile.TS29281_GTPU import GTPUHdr, parse_GTPU

from headroom.core import tshark
from headroom.core.captures.framing import RAW
from headroom.schemes.gtpu import judge, packets, wire_load
from headroom.schemes.gtpu.packets import Extension

ENDS = {4: ("172.16.0.1", "172.17.0.1"), 6: ("2001:db8:16::1", "2001:db8:3::1")}
USER = packets.udp("10.45.0.1", "198.51.100.10", 40000, 443, b"abcd")
FLAGS = [{}, {"sequence": 7}, {"npdu": 8}, {"sequence": 7, "npdu": 8}]
CHAINS = [
    (),
    (packets.container(1, 9),),
    (packets.container(1, 9), Extension(0x20, b"\5\0"), Extension(0x40, b"\x08\x68")),
]


@pytest.mark.parametrize("version", ENDS)
def test_a_datagram_is_read_back(version: int) -> None:
    octets = packets.udp(*ENDS[version], 1, 2152, b"hello", tos=0x28, ttl=9)
    found = packets.read_udp(octets)
    assert (found.packet.source, found.packet.destination) == ENDS[version]
    assert (found.source_port, found.destination_port, found.payload, found.problem) == (1, 2152, b"hello", "")
    assert (found.packet.tos, found.packet.ttl, found.packet.version) == (0x28, 9, version)


@pytest.mark.parametrize(
    ("octets", "problem"),
    [
        (packets.ipv4("1.1.1.1", "2.2.2.2", 17, bytes(9), total_length=28), "says 28 octets, and it has 29"),
        (packets.ipv4("1.1.1.1", "2.2.2.2", 6, bytes(9)), "no UDP datagram"),
        (packets.udp("1.1.1.1", "2.2.2.2", 1, 2, b"x", checksum_value=1), "the UDP checksum is wrong"),
        (packets.udp("1.1.1.1", "2.2.2.2", 1, 2, b"x", length=30), "the UDP length is 30, and 9 octets are there"),
        (packets.udp("1.1.1.1", "2.2.2.2", 1, 2, b"x", checksum_value=0), ""),
        (b"\x45" + USER[1:10] + b"\0\1" + USER[12:], "its header checksum is wrong"),
        (b"", "0 octets of version 0 are no IP packet"),
        (b"\x60" * 39, "39 octets of version 6 are no IP packet"),
    ],
)
def test_what_is_wrong_with_a_packet(octets: bytes, problem: str) -> None:
    found = packets.read_udp(octets).problem
    assert problem in found and bool(problem) == bool(found)


def test_a_hop_may_be_counted() -> None:
    ends = ("10.45.0.1", "198.51.100.10", 1, 2, b"x")
    same, less, two = (packets.udp(*ends, ttl=ttl) for ttl in (64, 63, 62))
    assert packets.differences(same, same) == packets.differences(same, less) == ""
    assert packets.differences(same, two).startswith("octet 8 is 3e")
    assert packets.differences(same, less[:10] + same[10:12] + less[12:]) == "its header checksum is wrong"
    assert packets.differences(same, same + b"x") == "29 octets were sent, and 30 came"
    assert packets.differences(same, same[:-1] + b"y") == "octet 28 is 79, and 78 was sent"
    six = packets.udp("2001:db8::1", "2001:db8::2", 1, 2, b"x", ttl=5)
    assert packets.differences(six, six[:7] + b"\4" + six[8:]) == ""


@pytest.mark.parametrize("more", FLAGS)
@pytest.mark.parametrize("chain", CHAINS)
def test_gtpu_is_read_by_the_judge_and_by_pycrate(more: dict[str, int], chain: tuple[Extension, ...]) -> None:
    octets = packets.gtpu(judge.G_PDU, 0x01020304, USER, extensions=chain, **more)
    read = judge.read(octets)
    assert (read.teid, read.inner, read.sequence, read.npdu) == (
        0x01020304,
        USER,
        more.get("sequence"),
        more.get("npdu"),
    )
    assert [one.type for one in read.extensions] == [one.type for one in chain] and not read.remarks
    if len(chain) > 1:
        return  # pycrate 0.8.1 takes the second extension header for one of the first's type
    theirs = GTPUHdr()
    theirs.from_bytes(octets)
    assert theirs["TEID"].get_val() == 0x01020304 and theirs.to_bytes() + USER == octets


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (1, ""),
        (2, "0e00"),
        (26, "1001020304 850004ac110001"),
        (31, "8d024085"),
        (254, ""),
    ],
)
def test_signalling_is_read_by_the_judge_and_by_pycrate(kind: int, body: str) -> None:
    octets = packets.gtpu(kind, 0, bytes.fromhex(body), sequence=None if kind == 254 else 5)
    read = judge.read(octets)
    theirs, error = parse_GTPU(octets)
    assert error == 0 and theirs.to_bytes() == octets and not read.remarks
    assert [one.value.hex() for one in read.elements] == {2: ["00"], 26: ["01020304", "ac110001"], 31: ["4085"]}.get(
        kind, []
    )


def test_wrong_ones_are_as_they_are_asked_for() -> None:
    octets = packets.gtpu(judge.G_PDU, 1, b"x", first=0x50, length=99)
    assert octets == bytes.fromhex("50ff006300000001") + b"x"
    octets = packets.gtpu(judge.G_PDU, 1, b"", extensions=(Extension(0x85, b"\x10\x09", 0),), unused=0xAB)
    assert octets == bytes.fromhex("34ff000800000001abab ab85 00100900")
    assert packets.gtpu(judge.G_PDU, 1, b"", sequence=5, unused=0xC0)[8:] == bytes.fromhex("0005c0c0")


@pytest.mark.parametrize(
    "source", [packets.udp(*ENDS[4], 1, 2, bytes(90)), packets.udp("2001:db8::1", "2001:db8::2", 1, 2, bytes(100))]
)
def test_fragments_make_the_packet_again(source: bytes) -> None:
    pieces = packets.fragments(source, 16)
    assert all(packets.read_ip(piece).is_fragment and not packets.read_ip(piece).problem for piece in pieces)
    start = 40 if source[0] >> 4 == 6 else 20
    assert b"".join(packets.read_ip(piece).payload for piece in pieces) == source[start:]


@pytest.mark.skipif(not tshark.is_available(), reason="tshark is not installed")
def test_tshark_reads_the_same() -> None:
    messages = [packets.gtpu(judge.G_PDU, 5, USER, extensions=chain, **more) for chain in CHAINS for more in FLAGS]
    sent = [packets.udp(*ENDS[version], 2152, 2152, one) for one in messages for version in ENDS]
    fields = (
        "gtp.teid",
        "gtp.length",
        "gtp.ext_hdr.pdu_ses_con.qos_flow_id",
        "udp.checksum.status",
        "ip.checksum.status",
    )
    options = ("-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE")
    rows = tshark.rows_of([(0, one, len(one)) for one in sent], RAW, (*fields, tshark.MALFORMED), options)
    assert rows is not None
    for octets, row in zip(sent, rows, strict=True):
        read = judge.read(packets.read_udp(octets).payload)
        assert not row[tshark.MALFORMED] and tshark.numbers(row["gtp.length"]) == [read.length]
        assert tshark.numbers(row["gtp.teid"]) == [5]
        assert {*row["udp.checksum.status"], *row["ip.checksum.status"]} == {"1"}, "good"
        assert tshark.numbers(row["gtp.ext_hdr.pdu_ses_con.qos_flow_id"]) == [9] * bool(read.container)


def test_addresses() -> None:
    assert packets.address("2001:db8::1") == ipaddress.IPv6Address("2001:db8::1").packed
    assert packets.checksum(USER[:20]) == 0


def test_what_is_compared_of_a_packet_in_a_tunnel() -> None:
    inner = packets.udp("10.45.0.1", "198.18.0.1", 1, 2, b"octets")
    whole = [
        packets.udp(source, "172.16.0.1", 2152, 2152, packets.gtpu(255, 0x12345678, inner, **more))
        for source, more in (("172.17.0.1", {}), ("172.17.0.9", {"sequence": 7}))
    ]
    assert {wire_load.endpoint_and_user(packet) for packet in whole} == {bytes.fromhex("12345678") + inner}
    echo = packets.udp("172.17.0.1", "172.16.0.1", 2152, 2152, packets.gtpu(1, 0, b"", sequence=7))
    for packet in (inner, echo, b"", whole[0][:40]):
        assert wire_load.endpoint_and_user(packet) == packet
