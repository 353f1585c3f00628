# SPDX-License-Identifier: Apache-2.0
"""What a compressor does not declare is unsupported; what it declares it has to use."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from headroom.core.capabilities import NotDeclared
from headroom.schemes.rohc.conformance import capabilities, carriers
from headroom.schemes.rohc.conformance.flow import Flow

NAMES = {"rtp-ipv4": 1, "rtp-ipv6": 1, "udp-ipv4": 2, "udp-ipv6": 2, "ip-ipv4": 4, "ip-ipv6": 4}


@pytest.mark.parametrize(("name", "profile"), NAMES.items())
def test_the_most_special_profile(name: str, profile: int) -> None:
    flow = Flow.of(name)
    assert [carriers.profile_for(flow.packet()) for _ in range(50)] == [profile] * 50


def spoilt(at: int, value: int, name: str = "udp-ipv4") -> bytes:
    packet = bytearray(Flow.of(name).packet())
    packet[at] = value
    return bytes(packet)


@pytest.mark.parametrize(
    "packet",
    [
        b"",
        b"\x45",
        b"\x80" * 40,
        spoilt(10, 0xAB),  # checksum of the IPv4 header
        spoilt(3, 19),  # its total length
        spoilt(6, 0x20),  # more fragments; the checksum is wrong with it
        spoilt(25, 200),  # length of UDP
        spoilt(6, 0, "udp-ipv6"),  # hop-by-hop options
        spoilt(5, 3, "udp-ipv6"),  # payload length
        Flow.of("ip-ipv6").packet()[:4] + bytes(2) + Flow.of("ip-ipv6").packet()[6:40],  # nothing behind the header
    ],
)
def test_what_no_profile_but_uncompressed_can_carry(packet: bytes) -> None:
    assert carriers.profile_for(packet) == carriers.UNCOMPRESSED


MINE: Any = SimpleNamespace(name="mine")


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    found = {"profile-0x0000"}
    monkeypatch.setattr(capabilities, "is_declared", lambda name, feature: feature in found)
    return found


def packets(name: str, count: int = 30) -> list[bytes]:
    flow = Flow.of(name)
    return [flow.packet() for _ in range(count)]


def test_undeclared_is_unsupported(declared: set[str]) -> None:
    with pytest.raises(NotDeclared, match="mine does not declare profile 0x0001"):
        carriers.require(MINE, None, packets("rtp-ipv4"))
    declared.add("profile-0x0001")
    carriers.require(MINE, None, packets("rtp-ipv4"))
    with pytest.raises(NotDeclared, match="0x0002"):
        carriers.require(MINE, None, packets("udp-ipv6"))


def test_what_the_channel_leaves_out_is_not_asked_for(declared: set[str]) -> None:
    carriers.require(MINE, ["0x0000"], packets("rtp-ipv4"))
    carriers.require(MINE, None, [b"no packet"] * 30)


def test_a_few_others_do_not_matter(declared: set[str]) -> None:
    declared.add("profile-0x0001")
    carriers.require(MINE, None, packets("rtp-ipv4", 16) + packets("udp-ipv4", 15))


def test_declared_has_to_be_used(declared: set[str]) -> None:
    declared.add("profile-0x0001")
    flow = packets("rtp-ipv4", carriers.ENOUGH)
    assert "sends 20 packets that fit it uncompressed" in carriers.unused(MINE, None, [(one, 0) for one in flow])
    assert carriers.unused(MINE, None, [(one, 0) for one in flow[1:]]) == "", "too few to say so"
    assert carriers.unused(MINE, None, [(flow[0], 1), *((one, 0) for one in flow)]) == "", "it is used"
    assert carriers.unused(MINE, ["0x0000"], [(one, 0) for one in flow]) == ""
    assert carriers.unused(MINE, None, [(one, 0) for one in packets("udp-ipv4")]) == "", "not declared"
    assert carriers.unused(MINE, None, [(one, None) for one in flow]) == "", "nothing was sent"


def test_three_ip_headers_are_for_profile_ip() -> None:
    for name in ("ip-ipv4-in-ipv4-in-ipv4", "ip-ipv6-in-ipv4-in-ipv6", "udp-ipv4-in-ipv4-in-ipv4"):
        assert carriers.profile_for(Flow.of(name).packet()) == carriers.IP


def test_two_ip_headers_are_for_the_profile_of_what_is_in_them() -> None:
    assert carriers.profile_for(Flow.of("ip-ipv4-in-ipv6").packet()) == carriers.IP
    assert carriers.profile_for(Flow.of("rtp-ipv6-in-ipv4").packet()) == carriers.RTP


def test_what_is_not_plain_inside_a_tunnel_ends_the_chain_of_profile_ip() -> None:
    """RFC 3843, 3.1: the static chain may end behind the outer header, whatever is behind that."""
    packet = bytearray(Flow.of("udp-ipv4-in-ipv4").packet())
    packet[20 + 10] ^= 0x40  # checksum of the inner header
    assert carriers.profile_for(bytes(packet)) == carriers.IP
    packet[10] ^= 0x40  # and that of the outer one
    assert carriers.profile_for(bytes(packet)) == carriers.UNCOMPRESSED


@pytest.mark.parametrize("payload_type", [64, 72, 95])
def test_rtcp_is_udp(payload_type: int) -> None:
    """RTCP's packet types 192 to 223 are RTP's payload types 64 to 95 with a marker (RFC 5761, section 4)."""
    packet = bytearray(Flow.of("rtp-ipv4").packet())
    packet[29] = payload_type
    assert carriers.profile_for(bytes(packet)) == carriers.UDP
    packet[29] = payload_type + 32 if payload_type == 95 else 63
    assert carriers.profile_for(bytes(packet)) == carriers.RTP


def test_low_ports_are_udp() -> None:
    packet = bytearray(Flow.of("rtp-ipv4").packet())
    packet[20:22] = (1023).to_bytes(2, "big")
    assert carriers.profile_for(bytes(packet)) == carriers.UDP
    packet[20:22] = (1024).to_bytes(2, "big")
    assert carriers.profile_for(bytes(packet)) == carriers.RTP


@pytest.mark.parametrize(("name", "headers"), [("rtp-ipv4", 40), ("udp-ipv4", 28), ("ip-ipv4", 20), ("ip-ipv6", 40)])
def test_without_payload_only_uncompressed(name: str, headers: int) -> None:
    flow = Flow.of(name)
    flow.change("payload to 0")
    packet = flow.packet()
    assert len(packet) == headers
    assert carriers.profile_for(packet) == carriers.UNCOMPRESSED


def test_an_ipv6_packet_with_any_extension_header_goes_uncompressed() -> None:
    for number in (0, 43, 44, 60):
        assert carriers.profile_for(spoilt(6, number, "udp-ipv6")) == carriers.UNCOMPRESSED


def test_packets_that_only_uncompressed_can_carry_excuse_the_others(declared: set[str]) -> None:
    """The case is then about these: what the profile of the others is does not matter."""
    carriers.require(MINE, None, [*packets("rtp-ipv4"), spoilt(10, 0xAB)])


def test_profiles_are_named_most_frequent_first(declared: set[str]) -> None:
    mixed = packets("udp-ipv4", 30) + packets("rtp-ipv4", 10)
    with pytest.raises(NotDeclared, match="profile 0x0002, which"):
        carriers.require(MINE, None, mixed)


def test_csrc_lists_are_for_those_who_compress_lists(declared: set[str]) -> None:
    packet = bytearray(Flow.of("rtp-ipv4").packet())
    packet[28] |= 2  # CC: the first eight octets of the payload are two contributing sources now
    sent = [(bytes(packet), 0)] * 30
    assert carriers.profile_for(bytes(packet)) == carriers.UDP
    assert carriers.profile_for(bytes(packet), ["list-compression"]) == carriers.RTP
    declared.add("profile-0x0001")
    assert carriers.unused(MINE, ["0x0000", "0x0001"], sent) == "", "no compressor sends them without lists"
    declared.add("list-compression")
    assert "declares profile 0x0001" in carriers.unused(MINE, ["0x0000", "0x0001"], sent)
