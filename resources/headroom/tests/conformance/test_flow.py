# SPDX-License-Identifier: Apache-2.0
"""Original packets made one by one: their octets, and what a change of one field does to them."""

from __future__ import annotations

import itertools
import struct

import pytest

from headroom.core.errors import UsageError
from headroom.schemes.rohc.conformance.flow import Flow, IpFields, next_identification, swapped
from headroom.schemes.rohc.judge.v1 import headers
from headroom.tests.conformance.support import flow_of_vectors
from headroom.tests.oracle_rohc.support import all_vectors

# RFC 791, 768 and 3550, field by field; the checksum of the IPv4 header is the complement of the sum of its words:
# 4500 + 003c + 1a2b + 4000 + 4011 + 0a00 + 0000 + ac10 + 0001 = 19589 -> 958a, complement 6a75.
FIRST = bytes.fromhex(
    "45 00 003c 1a2b 4000 40 11 6a75 0a000000 ac100001"  # TOS 0, 60 octets, DF, TTL 64, UDP
    "4e20 7530 0028 0000"  # ports 20000 and 30000, 40 octets, no checksum
    "80 60 03e8 00027100 5eed0000"  # payload type 96, SN 1000, TS 160000
)


def sum_of_words(octets: bytes) -> int:
    total = sum(struct.unpack(f"!{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def test_first_packet_octet_by_octet() -> None:
    packet = Flow.of("rtp-ipv4").packet()
    assert packet[:40] == FIRST
    assert len(packet) == 60


def test_packet_of_the_vectors() -> None:
    """The same packet as the one that the vectors explain."""
    vector = all_vectors()["rtp-ir-ipv4"]
    flow = flow_of_vectors()
    assert [flow.packet(), flow.packet()] == [step.packet for step in vector.steps]


def test_counters_go_on_by_themselves() -> None:
    flow = Flow.of("rtp-ipv4")
    flow.packet()
    second = flow.packet()
    assert second[4:6] == bytes.fromhex("1a2c")
    assert second[30:32] == bytes.fromhex("03e9")
    assert second[32:36] == bytes.fromhex("000271a0")


@pytest.mark.parametrize("name", ["rtp-ipv4", "udp-ipv4", "ip-ipv4", "rtp-ipv6", "udp-ipv6", "ip-ipv6"])
def test_lengths_and_checksums_are_right(name: str) -> None:
    packet = Flow.of(name).packet()
    if name.endswith("4"):
        assert headers.checksum_is_right(packet[:20])
        assert int.from_bytes(packet[2:4], "big") == len(packet)
    else:
        assert int.from_bytes(packet[4:6], "big") == len(packet) - 40
    if not name.startswith("ip"):
        udp = 20 if name.endswith("4") else 40
        assert int.from_bytes(packet[udp + 4 : udp + 6], "big") == len(packet) - udp


@pytest.mark.parametrize("name", ["rtp-ipv6", "udp-ipv6", "udp-ipv4"])
def test_udp_checksum(name: str) -> None:
    """RFC 768: the sum over pseudo-header, header and data is all ones. RFC 2460, 8.1: over IPv6 it is never left
    out."""
    flow = Flow.of(name)
    assert flow.checksum == name.endswith("6")
    flow.checksum = True
    for _ in range(8):
        packet = flow.packet()
        at = 40 if name.endswith("6") else 20
        addresses = packet[8:40] if name.endswith("6") else packet[12:20]
        body = packet[at:] + b"\0" * (len(packet[at:]) % 2)
        assert sum_of_words(addresses + struct.pack("!IHH", len(packet) - at, 0, 17) + body) == 0xFFFF


def test_headers_are_nested_innermost_first() -> None:
    packet = Flow.of("rtp-ipv4-in-ipv6").packet()
    assert packet[0] >> 4 == 6
    assert packet[6] == 4  # what follows is IPv4
    assert int.from_bytes(packet[4:6], "big") == len(packet) - 40
    assert packet[40:44] == bytes.fromhex("4500003c")
    assert packet[49] == 17


def test_flows_differ_by_number() -> None:
    one, other = Flow.of("rtp-ipv4", 0).packet(), Flow.of("rtp-ipv4", 300).packet()
    assert one[12:16] == bytes([10, 0, 0, 0])
    assert other[12:16] == bytes([10, 0, 1, 44])
    assert one[20:24] != other[20:24]
    assert one[36:40] != other[36:40]


def test_same_flow_same_octets() -> None:
    a, b = Flow.of("udp-ipv6", 3), Flow.of("udp-ipv6", 3)
    assert [a.packet() for _ in range(5)] == [b.packet() for _ in range(5)]


def test_copy_goes_on_the_same_way_and_apart() -> None:
    flow = Flow.of("rtp-ipv4")
    flow.change("ip-id to random")
    flow.packet()
    twin = flow.copy()
    assert [twin.packet() for _ in range(3)] == [flow.packet() for _ in range(3)]
    twin.change("ttl to 3")
    twin.inner.tos = 9
    assert flow.inner.ttl == 64
    assert flow.inner.tos == 0


def test_payload_of_udp_is_no_rtp() -> None:
    flow = Flow.of("udp-ipv4")
    assert all(flow.packet()[28] >> 6 != 2 for _ in range(64))


# What a change does, as (offset, octets) of the next packet of rtp-ipv4.
CHANGES = {
    "tos to 184": (1, "b8"),
    "ttl to 61": (8, "3d"),
    "df to 0": (6, "0000"),
    "ip-id to 0x1234": (4, "1234"),
    "ip-id by 100": (4, "1a8f"),
    "pt to 13": (29, "0d"),
    "marker": (29, "e0"),
    "x to 1": (28, "90"),
    "padding to 4": (28, "a0"),
    "sn by 20": (30, "03fc"),
    "sn to 0xffff": (30, "ffff"),
    "ts by 160": (32, "000271a0"),
    "ts to 7": (32, "00000007"),
    "ssrc to 99": (36, "00000063"),
}


@pytest.mark.parametrize("words", CHANGES)
def test_change_changes_its_field_alone(words: str) -> None:
    flow = Flow.of("rtp-ipv4")
    flow.change(words)
    packet = flow.packet()
    at, octets = CHANGES[words]
    width = len(octets) // 2
    assert packet[at : at + width].hex() == octets
    rest = bytearray(packet[:40])
    rest[at : at + width] = FIRST[at : at + width]
    if words.startswith(("x", "padding")):  # which make the packet longer
        rest[2:4], rest[24:26] = FIRST[2:4], FIRST[24:26]
    rest[10:12] = FIRST[10:12]
    assert bytes(rest) == FIRST
    assert headers.checksum_is_right(packet[:20])


def test_what_concerns_one_packet_ends_with_it() -> None:
    flow = Flow.of("rtp-ipv4")
    flow.change("marker and wrong-udp-length")
    first, second = flow.packet(), flow.packet()
    assert (first[29] >> 7, second[29] >> 7) == (1, 0)
    assert (first[24:26].hex(), second[24:26].hex()) == ("0029", "0028")


def test_step_is_that_of_each_packet() -> None:
    flow = Flow.of("rtp-ipv4")
    flow.change("step to 240")
    a, b, c = (int.from_bytes(flow.packet()[32:36], "big") for _ in range(3))
    assert (b - a, c - b) == (240, 240)


def test_padding_and_extension_are_what_rfc_3550_says() -> None:
    flow = Flow.of("rtp-ipv4")
    flow.change("padding to 4 and x to 1")
    packet = flow.packet()
    assert packet[-4:] == bytes([0, 0, 0, 4])
    assert packet[40:48] == bytes.fromhex("bede000110550000")
    assert len(packet) == 40 + 8 + 20 + 4


def test_outer_header_changes_alone() -> None:
    flow = Flow.of("rtp-ipv4-in-ipv4")
    flow.change("outer-ttl to 9 and outer-ip-id to random")
    packet = flow.packet()
    assert (packet[8], packet[28]) == (9, 64)
    assert [ip.behaviour for ip in flow.ips] == ["random", "sequential"]


def test_changes_are_joined() -> None:
    flow = Flow.of("udp-ipv4")
    flow.change("ttl to 3, tos to 8 and checksum to on")
    assert (flow.inner.ttl, flow.inner.tos, flow.checksum) == (3, 8, True)
    flow.change("checksum to off")
    assert not flow.checksum


def test_layers_may_change() -> None:
    flow = Flow.of("rtp-ipv4")
    flow.change("layers to ip")
    assert flow.packet()[9] == 253


@pytest.mark.parametrize("words", ["ttl=61", "tt to 61", "ttl by 3", "marker to 1", "ip-id", "", "spoilt", "outer-x"])
def test_what_is_no_change_is_refused(words: str) -> None:
    with pytest.raises(UsageError, match="is no change of a flow"):
        Flow.of("rtp-ipv4").change(words)


@pytest.mark.parametrize("name", ["rtp", "sctp-ipv4", "rtp-ipv5", "rtp-ipv4-in", "voip-amr-nb-ipv6"])
def test_what_is_no_flow_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="is no flow"):
        Flow.of(name)


@pytest.mark.parametrize(
    ("behaviour", "now", "following"),
    [
        ("sequential", 0xFFFF, 0),
        ("constant", 0x1234, 0x1234),
        ("swapped", 0x1200, 0x1300),  # 0x0012 on the host, 0x0013 next
        ("swapped", 0xFF00, 0x0001),  # 0x00ff, 0x0100
    ],
)
def test_identifications(behaviour: str, now: int, following: int) -> None:
    ip = IpFields(4, identification=now, behaviour=behaviour)
    assert next_identification(ip, Flow.of("ip-ipv4").random) == following


def test_random_identifications_are_no_counter() -> None:
    flow = Flow.of("ip-ipv4")
    flow.change("ip-id to random")
    found = [int.from_bytes(flow.packet()[4:6], "big") for _ in range(20)]
    assert len({(b - a) & 0xFFFF for a, b in itertools.pairwise(found)}) > 15


def test_swapped() -> None:
    assert swapped(0x1234) == 0x3412


@pytest.mark.parametrize(
    ("how", "checksum_right", "octet"),
    [
        ("wrong-ip-checksum", False, 10),
        ("wrong-ip-length", True, 3),
        ("more-fragments", True, 6),
        ("fragment-offset", True, 6),
        ("reserved-flag", True, 6),
    ],
)
def test_spoilt_packets_have_that_one_fault(how: str, checksum_right: bool, octet: int) -> None:
    good, spoilt = Flow.of("rtp-ipv4"), Flow.of("rtp-ipv4")
    spoilt.change(how)
    right, wrong = good.packet(), spoilt.packet()
    assert headers.checksum_is_right(wrong[:20]) == checksum_right
    changed = {n for n in range(len(right)) if right[n] != wrong[n]}
    assert octet in changed
    assert changed <= {octet, 10, 11}


def test_in_a_tunnel_it_is_the_innermost_header_that_is_spoilt() -> None:
    good, spoilt = Flow.of("ip-ipv4-in-ipv6-in-ipv4"), Flow.of("ip-ipv4-in-ipv6-in-ipv4")
    spoilt.change("more-fragments")
    right, wrong = good.packet(), spoilt.packet()
    assert {n for n in range(len(right)) if right[n] != wrong[n]} <= {60 + octet for octet in (6, 10, 11)}
    assert wrong[66] & 0x20 and headers.checksum_is_right(wrong[60:80])


def test_fragments_are_for_ipv4() -> None:
    flow = Flow.of("rtp-ipv6")
    flow.change("more-fragments")
    with pytest.raises(UsageError, match="is for IPv4"):
        flow.packet()


def test_esp_has_32_bits_of_sequence_number() -> None:
    """RFC 4303, 2: SPI, sequence number, and what is encrypted."""
    flow = Flow.of("esp-ipv4")
    flow.change("sn to 4294967295")
    first, second = flow.packet(), flow.packet()
    assert (first[9], first[20:28].hex(), second[24:28].hex()) == (50, "e5b00000ffffffff", "00000000")
    assert len(first) == 20 + 8 + flow.payload


def test_udp_lite_coverage_and_checksum() -> None:
    """RFC 3828, 3.1: the sum over pseudo-header and what is covered is all ones."""
    flow = Flow.of("udplite-ipv4")
    for coverage, covered in ((None, 28), (0, 28), (8, 8), (11, 11)):
        flow.coverage = coverage
        packet = flow.packet()
        assert packet[9] == 136
        assert int.from_bytes(packet[24:26], "big") == (28 if coverage is None else coverage)
        part = packet[12:20] + bytes.fromhex("0000001c 00000088") + packet[20 : 20 + covered]
        assert sum_of_words(part + b"\0" * (len(part) % 2)) == 0xFFFF
    flow.change("coverage to 9")
    assert flow.coverage == 9
    flow.change("coverage to full")
    assert flow.coverage is None


def test_contributing_sources() -> None:
    """RFC 3550, 5.1: CC counts them, four octets each."""
    flow = Flow.of("rtp-ipv4")
    flow.change("csrcs to 1f")
    packet = flow.packet()
    assert (packet[28], packet[40:48].hex()) == (0x82, "c5c00001c5c0000f")
    flow.change("csrcs to none")
    assert flow.packet()[28] == 0x80
