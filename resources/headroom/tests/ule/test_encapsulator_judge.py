# SPDX-License-Identifier: Apache-2.0
"""The judge of an encapsulator: what it says of TS packets with one thing wrong."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from headroom.core.requirements import level_of
from headroom.schemes.ule import builder
from headroom.schemes.ule.builder import sndu, ts_packet
from headroom.schemes.ule.judge import encapsulator
from headroom.schemes.ule.judge.encapsulator import Pdu, Setting

OWN = bytes([2, 0, 0, 0, 0, 1])
SETTING = Setting(threshold_us=1000, address=False)
A, B = Pdu(builder.ipv4(60, 1)), Pdu(builder.ipv6(60, 2))
LONG = Pdu(builder.ipv4(250, 3))
SNDU_A, SNDU_B, SNDU_LONG = sndu(0x0800, A.octets), sndu(0x86DD, B.octets), sndu(0x0800, LONG.octets)
AT = 1_000_000  # ns: the Packing Threshold


def found(setting: Setting, pdus: list[Pdu], *packets: bytes, at: int = AT) -> list[str]:
    judged = encapsulator.judge(setting, pdus, [(at, one) for one in packets])
    return [one.requirement for one in judged.findings]


def test_nothing_is_wrong() -> None:
    assert found(SETTING, [A, B], ts_packet(SNDU_A + SNDU_B, 4, pointer=0)) == []
    packets = [ts_packet(SNDU_LONG[:183], 15, pointer=0), ts_packet(SNDU_LONG[183:] + SNDU_A, 0, pointer=75)]
    judged = encapsulator.judge(SETTING, [LONG, A], [(0, packets[0]), (AT, packets[1])])
    assert judged.findings == []
    assert (judged.sndus, judged.packed, judged.left) == (2, 1, {(184 - 1 - 75 - 68, True): 1})


def flipped(packet: bytes, octet: int, bits: int) -> bytes:
    return packet[:octet] + bytes([packet[octet] ^ bits]) + packet[octet + 1 :]


ONE = ts_packet(SNDU_A, 0, pointer=0)
HALVES = ts_packet(SNDU_LONG[:183], 0, pointer=0), ts_packet(SNDU_LONG[183:], 1)


@pytest.mark.parametrize(
    ("pdus", "packets", "requirement"),
    [
        ([A], [ONE[:187]], "RFC4326-3-1"),
        ([A], [flipped(ONE, 0, 1)], "RFC4326-3-1"),
        ([A], [flipped(ONE, 2, 1)], "RFC4326-4.7.2-1"),
        ([A], [flipped(ONE, 1, 0x80)], ""),
        ([A], [flipped(ONE, 3, 0x20)], "RFC4326-3-2"),
        ([A], [flipped(ONE, 1, 0x40)], "RFC4326-6.1-1"),
        ([A], [ts_packet(b"\0" + SNDU_A, 0, pointer=1)], "RFC4326-6.1-1"),
        ([LONG], [HALVES[0], ts_packet(SNDU_LONG[183:], 2)], "RFC4326-6.1-2"),
        ([LONG], [HALVES[0], ts_packet(SNDU_LONG[183:] + SNDU_A[:2], 1)], "RFC4326-6.2-4"),
        ([LONG, A], [HALVES[0], ts_packet(SNDU_LONG[183:] + SNDU_A, 1, pointer=74)], "RFC4326-6.2-6"),
        ([LONG], [HALVES[0], ts_packet(SNDU_LONG[183:], 1, pointer=75)], "RFC4326-3-4"),
        ([A, A], [ONE, ts_packet(b"\0" + SNDU_A, 1, pointer=1)], "RFC4326-6.2-1"),
        ([A, A], [ONE, ts_packet(SNDU_A, 1)], "RFC4326-6.2-1"),
        ([A], [ONE[:-1] + b"\0"], "RFC4326-6.1-3"),
        ([A], [ts_packet(SNDU_A, 0, pointer=0, fill=b"\0")], "RFC4326-4.2-1"),
        ([A], [ts_packet(sndu(0x0800, A.octets, trailer=b"abcd"), 0, pointer=0)], "RFC4326-4.6-2"),
        ([A], [ts_packet(sndu(0x0800, A.octets, OWN), 0, pointer=0)], ""),
        ([A], [ts_packet(sndu(0x86DD, A.octets), 0, pointer=0)], "RFC4326-4.4-1"),
        ([A], [ts_packet(sndu(0x0042, A.octets), 0, pointer=0)], "RFC4326-4.4-1"),
        ([B], [ts_packet(sndu(0x86DD, B.octets[:-1]), 0, pointer=0)], "RFC4326-4.7.3-1"),
        ([A], [ts_packet(sndu(0x0542, bytes(6)), 0, pointer=0)], "RFC4326-5-1"),
        ([A], [ts_packet(sndu(0x0200, b"\0\0\x08\0" + A.octets), 0, pointer=0)], ""),
        ([A], [ts_packet(sndu(0x0001, OWN + SETTING.mac + b"\x08\0" + A.octets), 0, pointer=0)], ""),
        ([A], [ts_packet(sndu(0x0003, b"\x08\0\x80\x3c" + A.octets), 0, pointer=0)], "RFC5163-3.2-3"),
        ([A, B], [ONE], "RFC4326-4.7.3-1"),
        ([], [ONE], "RFC4326-4.7.2-1"),
    ],
)
def test_what_is_wrong(pdus: list[Pdu], packets: list[bytes], requirement: str) -> None:
    assert requirement in found(SETTING, pdus, *packets)


@pytest.mark.parametrize(
    ("left", "wrong", "requirement"), [(1, b"\0", "RFC4326-6.2-2"), (2, b"\x80\0", "RFC4326-6.2-3")]
)
def test_the_last_octets_of_a_ts_packet_without_pusi(left: int, wrong: bytes, requirement: str) -> None:
    pdu = Pdu(builder.ipv4(359 - left, 1))
    whole = sndu(0x0800, pdu.octets)
    first, rest = ts_packet(whole[:183], 0, pointer=0), whole[183:]
    assert found(SETTING, [pdu], first, ts_packet(rest, 1)) == []
    assert requirement in found(SETTING, [pdu], first, ts_packet(rest + wrong, 1))


ADDRESSED = replace(SETTING, address=True, subnets=("192.168.1.0/24", "192.0.2.4/31"))


@pytest.mark.parametrize(
    ("pdu", "npa", "requirement"),
    [
        (A, bytes(6), "RFC4326-4.5-4"),
        (A, bytes([2, 0, 0, 0, 0, 9]), ""),
        (Pdu(builder.ipv4(60, 1, "192.168.1.255")), OWN, "RFC4326-4.5-5"),
        (Pdu(builder.ipv4(60, 1, "192.0.2.5")), b"\xff" * 6, ""),
        (Pdu(builder.ipv4(60, 1, "224.129.2.3")), bytes([1, 0, 0x5E, 0x81, 2, 3]), "RFC4326-4.5-6"),
        (Pdu(builder.ipv6(60, 1, "ff02::1")), bytes([0x33, 0x33, 0, 0, 0, 2]), "RFC4326-4.5-6"),
    ],
)
def test_addresses(pdu: Pdu, npa: bytes, requirement: str) -> None:
    def packet(address: bytes) -> bytes:
        return ts_packet(sndu(pdu.ether_type, pdu.octets, address), 0, pointer=0)

    broadcasts = frozenset(encapsulator.broadcasts_of(ADDRESSED.subnets))
    assert found(ADDRESSED, [pdu], packet(encapsulator.npas_of(pdu, OWN, broadcasts)[0])) == []
    assert requirement in found(ADDRESSED, [pdu], packet(npa))


def test_addresses_of_the_rfcs_that_map_groups() -> None:
    """RFC 1112, 6.4: the low-order 23 bits; RFC 2464, 7: 33-33 and the last four octets."""
    assert encapsulator.npas_of(Pdu(builder.ipv4(60, 1, "224.129.2.3")), OWN)[0].hex() == "01005e010203"
    assert encapsulator.npas_of(Pdu(builder.ipv6(60, 1, "ff02::1:ff12:3456")), OWN)[0].hex() == "3333ff123456"


def test_the_limited_broadcast_address_may_have_either_address() -> None:
    """4.5 names "an IPv4 subnetwork broadcast address"."""
    pdu = Pdu(builder.ipv4(60, 1, "255.255.255.255"))
    for npa in (OWN, b"\xff" * 6):
        assert found(ADDRESSED, [pdu], ts_packet(sndu(0x0800, pdu.octets, npa), 0, pointer=0)) == []


@pytest.mark.parametrize("setting", [SETTING, ADDRESSED])
@pytest.mark.parametrize("npa", [None, bytes([2, 0, 0, 0, 0, 9])])
def test_a_test_sndu_may_have_any_address(setting: Setting, npa: bytes | None) -> None:
    """RFC 4326, 5.1: the D-bit may be set in one."""
    right = sndu(0x0800, A.octets, OWN if setting.address else None)
    assert found(setting, [A], ts_packet(sndu(0, bytes(20), npa) + right, 0, pointer=0)) == []
    assert "RFC4326-4.5-4" in found(setting, [A], ts_packet(sndu(0, bytes(20), bytes(6)) + right, 0, pointer=0))


def test_other_pids_are_none_of_the_judge() -> None:
    """Tables and null packets are on the same multiplex."""
    assert found(SETTING, [A], ts_packet(b"", 0, pid=0x1FFF), ONE, ts_packet(b"", 3, pid=17)) == []


def test_each_finding_has_a_requirement_that_is_no_may() -> None:
    text = Path(encapsulator.__file__).read_text()
    named = set(re.findall(r"RFC\d+-[\d.]+-\d+", text))
    assert len(named) > 30
    assert {level_of(name) for name in named} == {"must", "should"}
    assert level_of("") == "should", "no sentence, no failure"


def test_the_default_address_is_a_should() -> None:
    judged = encapsulator.judge(replace(ADDRESSED, address_by_default=True), [A], [(AT, ONE)])
    assert [one.requirement for one in judged.findings] == ["RFC4326-4.1-3"]
    assert level_of("RFC4326-4.1-3") == "should"


def test_extension_headers() -> None:
    stamped = replace(SETTING, time_stamp=True)
    late = Pdu(A.octets, 3_600_000_005_000)

    def packet(value: int) -> bytes:
        return ts_packet(sndu(0x0301, value.to_bytes(4) + b"\x08\0" + A.octets), 0, pointer=0)

    at = late.time_ns + AT
    assert found(stamped, [late], packet(5), at=at) == []
    assert found(stamped, [late], packet(4), at=at) == [], "of a system that counts every second microsecond"
    assert found(stamped, [late], packet(3), at=at) == ["RFC5163-3.3-1"]
    assert found(stamped, [late], packet(1005), at=at) == [], "when the SNDU was made"
    assert found(stamped, [late], packet(1006), at=at) == ["RFC5163-3.3-1"]
    universal = replace(stamped, universal_time_ns=3_599_999_500_000)
    assert found(universal, [A], packet(3_599_999_500)) == [], "500 us before the hour"
    assert found(universal, [A], packet(499)) == [], "499 us past it, and 999 us behind the PDU"
    assert found(universal, [A], packet(501)) == ["RFC5163-3.3-1"]
    assert found(universal, [A], packet(0)) == []
    padded = replace(SETTING, padding_words=2)
    right, wrong = (ts_packet(sndu(0x0200, bytes([n, 0, 8, 0]) + A.octets), 0, pointer=0) for n in (0, 1))
    assert found(padded, [A], right) == []
    assert found(padded, [A], wrong) == ["RFC4326-5.3-1"]


def test_the_packing_threshold() -> None:
    assert found(SETTING, [A], ONE, at=AT + 1) == ["RFC4326-6.2-9"]
    judged = encapsulator.judge(SETTING, [A], [(AT - 1, ONE)])
    assert [one.requirement for one in judged.findings] == ["RFC4326-6.2-8"]
    padding = replace(SETTING, packing=False)
    assert found(padding, [A], ONE, at=0) == []
    assert found(padding, [A, B], ts_packet(SNDU_A + SNDU_B, 0, pointer=0), at=0) == [""]
