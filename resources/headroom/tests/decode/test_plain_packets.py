# SPDX-License-Identifier: Apache-2.0
"""Packets that no scheme has compressed, decoded: their headers, fragments, and what tunnels carry."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.core.captures import fields
from headroom.decode import ip_dissector, run
from headroom.decode.run import DecodeOptions
from headroom.tests.decode.support import (
    LARGE_IR,
    LARGE_UO_0,
    decoded,
    ethernet,
    g_pdu,
    ipv4,
    ipv6,
    pcap,
    rtp,
    udp,
    with_tshark,
)


def test_rtp_is_known_by_its_flow() -> None:
    packets = [ipv4(udp(rtp(number), 5004, 5006)) for number in (7, 8)]
    other = [ipv4(udp(rtp(number, ssrc=number), 6000, 6002)) for number in (7, 8)]
    odd = [ipv4(udp(rtp(number), 5005, 5007)) for number in (7, 8)]
    flows = ip_dissector.rtp_flows([*packets, *other, *odd])
    assert [flow[2:] for flow in flows] == [(5004, 5006)]
    read = ip_dissector.read(packets[0], flows)
    assert (read.title, read.values["SN"], read.values["SSRC"]) == ("RTP in UDP in IPv4", 7, 0x11223344)
    assert "SN" not in ip_dissector.read(odd[0], flows).values
    assert ip_dissector.read(odd[0], ip_dissector.rtp_flows(odd, frozenset({5007}))).values["SN"] == 7


@pytest.mark.parametrize(
    ("packet", "offloaded"),
    [
        (ipv4(udp(b"x" * 3000))[:2] + b"\0\0" + ipv4(udp(b"x" * 3000))[4:], True),
        (ipv6(udp(b"x" * 3000), length=0), True),
        (ipv6(b"", 59), False),  # a header alone (RFC 8200, 4.7)
        (ipv4(udp(b"x" * 3000)), False),
    ],
)
def test_a_length_of_0_is_that_of_segmentation_offload(tmp_path: Path, packet: bytes, offloaded: bool) -> None:
    kind = 0x0800 if packet[0] >> 4 == 4 else 0x86DD
    [one] = decoded(pcap(tmp_path / "x.pcap", 1, ethernet(kind, packet)))
    assert one.ours is not None and (one.frame.kind, one.frame.octets) == ("ip", packet)
    assert ("segmentation offload" in " ".join(one.ours.notes)) == offloaded
    assert one.ours.error == ""


def test_a_header_alone_is_not_longer_for_what_pads_its_frame(tmp_path: Path) -> None:
    [one] = decoded(pcap(tmp_path / "x.pcap", 1, ethernet(0x86DD, ipv6(b"", 59) + bytes(6))))
    assert (one.frame.octets, one.frame.padding) == (ipv6(b"", 59), 6)


def test_a_remark_on_channels_without_names_has_an_end(tmp_path: Path) -> None:
    capture = run.read(
        DecodeOptions(
            pcap(tmp_path / "x.pcap", 1, ethernet(0x22F1, LARGE_IR), ethernet(0x22F1, LARGE_UO_0)), tshark=False
        )
    )
    assert not any(remark.endswith((": .", ":.")) for remark in capture.remarks)


def test_a_users_packet_in_gtpu() -> None:
    inner = ipv4(udp(rtp(9), 5004, 5006), source="c0000201", destination="c0000202")
    inner_again = ipv4(udp(rtp(10), 5004, 5006), source="c0000201", destination="c0000202")
    packets = [ipv4(udp(g_pdu(one))) for one in (inner, inner_again)]
    read = ip_dissector.read(packets[0], ip_dissector.rtp_flows(packets))
    assert read.title == "GTP-U G-PDU in IPv4: RTP in UDP in IPv4"
    assert read.values["IPv4 source"] == ["10.0.0.1", "192.0.2.1"]
    assert read.values["UDP destination port"] == [2152, 5006]
    assert {"message": 255, "TEID": 0x01020304, "PDU type": 1, "QFI": 9, "SN": 9}.items() <= read.values.items()
    assert read.values["extension headers"] == ["0x85"]
    assert ip_dissector.read(ipv4(udp(g_pdu(inner, None, 5)))).values["sequence"] == 5


@pytest.mark.parametrize(
    ("packet", "title", "sentence"),
    [
        (b"", "an empty packet", ""),
        (b"\x45\x00", "IPv4, cut short", "its 2 octets are too few for an IPv4 header"),
        (b"\x55" * 28, "no IP packet", "the first four bits are 5"),
        (ipv4(b"abc"), "UDP in IPv4", "the UDP header is cut short"),
        (ipv4(udp(b"\x30bc")), "GTP-U in IPv4", "has 8 octets at least"),
        (ipv4(udp(g_pdu(b"\x02no packet"))), "GTP-U G-PDU in IPv4", "an unstructured PDU session"),
        (ipv4(b"x" * 20, 6), "TCP in IPv4", ""),
        (ipv4(b"x" * 20, 200), "protocol 200 in IPv4", ""),
        (ipv4(ipv4(b"x" * 20, 50), 4), "ESP in IPv4 in IPv4", ""),
        (ipv4(b"x" * 20)[:6] + b"\x20\x00" + ipv4(b"x" * 20)[8:], "fragment in IPv4", "are not reassembled"),
    ],
)
def test_what_else_ip_carries(packet: bytes, title: str, sentence: str) -> None:
    read = ip_dissector.read(packet)
    assert read.title == title
    assert sentence in " ".join([read.error, *read.notes])


def fragment(payload: bytes, offset: int, more: bool, following: int = 17) -> bytes:
    """An IPv6 packet with a fragment header (RFC 8200, 4.5); the offset is in units of 8 octets."""
    return ipv6(bytes([following, 0]) + (offset << 3 | more).to_bytes(2) + bytes(4) + payload, 44)


FRAGMENTS = [
    (fragment(udp(b"x" * 1200), 0, True), "fragment in IPv6"),
    (fragment(b"a" * 600, 150, False), "fragment in IPv6"),
    (fragment(b"a" * 600, 150, True), "fragment in IPv6"),
    (fragment(udp(b"x", 53, 53), 0, False), "UDP in IPv6"),  # atomic (RFC 6946)
    (fragment(ipv4(b"a" * 20), 5, False, 4), "fragment in IPv6"),
    (fragment(bytes(40), 5, False, 60), "fragment in IPv6"),
    (ipv4(fragment(b"a" * 600, 150, False), 41), "fragment in IPv6 in IPv4"),
    (ipv4(ipv4(b"a" * 600), 4)[:6] + b"\x00\x05" + ipv4(ipv4(b"a" * 600), 4)[8:], "fragment in IPv4"),
]


@pytest.mark.parametrize(("packet", "title"), FRAGMENTS)
def test_headers_are_not_read_in_the_payload_of_a_fragment(packet: bytes, title: str) -> None:
    read = ip_dissector.read(packet)
    assert read.title == title
    assert read.notes == (["fragments are not reassembled"] if "fragment" in title else [])
    assert ("UDP source port" in read.values) == ("fragment" not in title)


def test_fragments_are_no_evidence_of_rtp() -> None:
    assert not ip_dissector.rtp_flows([fragment(udp(rtp(number), 5004, 5006), 0, True) for number in (7, 8)])
    later = [fragment(udp(rtp(number), 5004, 5006), 150, True) for number in (7, 8)]
    assert not ip_dissector.rtp_flows(later)
    assert not ip_dissector.rtp_flows([ipv4(one, 41) for one in later])
    atomic = [fragment(udp(rtp(number), 5004, 5006), 0, False) for number in (7, 8)]
    assert ip_dissector.rtp_flows(atomic)


def test_fields_of_fragments() -> None:
    assert fields.dissect(fragment(udp(b"x"), 0, False), False)[-2].name == "UDP checksum"
    assert [one.name for one in fields.dissect(fragment(udp(b"x"), 150, False), False)][-1] == "payload"


@with_tshark
def test_tshark_reads_no_more_of_fragments(tmp_path: Path) -> None:
    frames = [ethernet(0x0800 if one[0] >> 4 == 4 else 0x86DD, one) for one, _ in FRAGMENTS]
    packets = decoded(pcap(tmp_path / "x.pcap", 1, *frames), ask=True)
    assert [one.compared.verdict for one in packets] == ["agree"] * len(FRAGMENTS)


DNS = bytes.fromhex("12340100000100000000000003777777076578616d706c650000010001")
GTP_C = bytes.fromhex("3210002f00000000000100000000")  # Create PDP Context Request (TS 29.060, 7.3.1)
CHARGING = bytes.fromhex("0e01000100010000")  # Echo Request of GTP' (TS 32.295, 6.1.1): the protocol type is 0


@pytest.mark.parametrize(
    ("payload", "ports", "note"),
    [
        (DNS, (2152, 53), "the version would be 0"),
        (DNS, (53, 2152), "the version would be 0"),
        # A DNS identifier may be anything.
        (b"\x32\xff" + DNS[2:], (2152, 53), "no GTP message has such a type and length"),
        (rtp(1), (4000, 2152), "the version would be 4"),
        (rtp(1), (2152, 4000), "the version would be 4"),
        (b"\x50" * 20, (2152, 2152), "the version would be 2"),
        (b"\x20\x01" + bytes(10), (2152, 2152), "the protocol type would be 0"),
        (b"0123456789 text", (40000, 2152), "no GTP message has such a type and length"),
        (GTP_C, (2152, 2123), "no GTP message has such a type and length"),
        (CHARGING, (3386, 2152), "the version would be 0"),
        (b"", (2152, 2152), ""),
    ],
)
def test_others_may_have_the_port_of_a_tunnel(payload: bytes, ports: tuple[int, int], note: str) -> None:
    read = ip_dissector.read(ipv4(udp(payload, *ports)), readers=ip_dissector.readers())
    assert (read.title, read.error) == ("UDP in IPv4", "")
    assert note in " ".join(read.notes) and len(read.notes) == bool(payload)
    assert set(read.values) == {"IPv4 source", "IPv4 destination", "IP-ID", "UDP source port", "UDP destination port"}


def test_rtp_is_found_on_the_port_of_a_tunnel() -> None:
    packets = [ipv4(udp(rtp(number), 4000, 2152)) for number in (7, 8)]
    read = ip_dissector.read(packets[1], ip_dissector.rtp_flows(packets))
    assert (read.title, read.values["SN"], read.error) == ("RTP in UDP in IPv4", 8, "")


@pytest.mark.parametrize(
    ("payload", "ports", "error"),
    [
        (b"\x30\xff\x00\x40" + bytes(20), (40000, 2152), "The Length is 64, but 16 octets follow"),
        (b"\x34\xff\x00\x04" + bytes(8), (2152, 2152), ""),
        (b"\x34\xff\x00\x04" + bytes(7) + b"\x85", (2152, 2152), "is announced, but the message ends"),
        (b"\x32\x02\x00\x04" + bytes(8), (2152, 40000), ""),  # an Echo Response goes where the request came from
    ],
)
def test_a_broken_tunnel_is_still_reported(payload: bytes, ports: tuple[int, int], error: str) -> None:
    read = ip_dissector.read(ipv4(udp(payload, *ports)))
    assert read.title.startswith("GTP-U") and (error in read.error if error else not read.error)


def test_an_ethernet_pdu_session() -> None:
    """A MAC address may begin with the digit of an IP version, 4 or 6."""
    packets = [ipv4(udp(rtp(number), 5004, 5006), source="c0000201", destination="c0000202") for number in (7, 8)]
    for first in (0x02, 0x45, 0x48, 0x60):
        outside = []
        for packet in packets:
            frame = ethernet(0x0800, packet, 100, 7)
            outside.append(ipv4(udp(g_pdu(bytes([first]) + frame[1:]))))
        read = ip_dissector.read(outside[1], ip_dissector.rtp_flows(outside))
        assert read.title == "GTP-U G-PDU in IPv4: RTP in UDP in IPv4"
        assert (read.values["IPv4 source"], read.values["SN"]) == (["10.0.0.1", "192.0.2.1"], 8)
        assert read.notes == [f"Ethernet PDU session: 02:00:00:00:00:0a → {first:02x}:00:00:00:00:0b, VLAN 100, VLAN 7"]
        arp = ip_dissector.read(ipv4(udp(g_pdu(bytes([first]) + ethernet(0x0806, bytes(28))[1:]))))
        assert arp.title == "GTP-U G-PDU in IPv4" and "Ethernet type 0x0806" in arp.notes[0]
    wrong = ipv4(udp(g_pdu(packets[0] + b"more")))
    assert "gives another length" in " ".join(ip_dissector.read(wrong).notes)


def test_no_packet_breaks_the_reader() -> None:
    whole = ipv4(udp(g_pdu(ipv4(udp(g_pdu(ipv4(udp(rtp(1), 5004, 5006))))))))
    for at in range(8 * len(whole)):
        octets = bytearray(whole)
        octets[at // 8] ^= 1 << at % 8
        ip_dissector.read(bytes(octets), rtp=True)
        ip_dissector.rtp_flows([bytes(octets)])
    for length in range(len(whole)):
        ip_dissector.read(whole[:length])
