# SPDX-License-Identifier: Apache-2.0
"""Packets and feedback of profile 0x0006 as they stand on the link: RFC 6846, 7 and 8.3; RFC 4164, 3.5."""

from __future__ import annotations

import pytest

from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.framework.errors import RohcError
from headroom.schemes.rohc.judge.tcp.chains import SEQUENTIAL, settle, write_compressed
from headroom.schemes.rohc.judge.tcp.packets import (
    read_packet,
    write_ir,
    write_ir_cr,
    write_ir_dyn,
)
from headroom.tests.oracle_rohc_tcp.packets import context_of, ipv4, tcp

CONTROL = {"ack_stride": 0, "ecn_used": 0, "ip_id_behavior_innermost": SEQUENTIAL}
PACKET = ipv4(tcp(1000, 7000) + b"abc", 77)
CONTEXT, PAYLOAD = context_of(PACKET, 500, CONTROL)
# IPv4 and TCP, static; IPv4, dynamic; TCP, dynamic: urp_zero, ack_flag, MSN, numbers, window, checksum, an empty list.
CHAINS = "00060a0000010a000002 03e80050 04004 0004d 101001f4000003e800001b5801f4123400".replace(" ", "")
REPLICATE = {"window_presence": 0, "list_present": 0, "src_port_presence": 2, "dst_port_presence": 0}
REPLICATE |= {"ack_presence": 1, "ack_stride_flag": 0, "urp_presence": 0, "ttl_flag": 0}


@pytest.mark.parametrize(
    ("cid", "large", "head"),
    [(0, False, "fd06"), (5, False, "e5fd06"), (5, True, "fd0506"), (300, True, "fd812c06")],
)
def test_ir(cid: int, large: bool, head: str) -> None:
    chains = bytes.fromhex(CHAINS)
    begin = bytes.fromhex(head)
    expected = begin + bytes([crc.crc8(begin + b"\0" + chains)]) + chains + PAYLOAD
    assert write_ir(CONTEXT, PAYLOAD, cid, large) == expected
    packet = read_packet(expected, {}, large)
    assert (packet.kind, packet.cid, packet.delivered) == ("IR", cid, PACKET)


def test_an_ir_packet_adds_to_the_table_of_items() -> None:
    """The table "contains all (Index, Item) pairs received" (RFC 6846, 6.3.2)."""
    with_mss, payload = context_of(ipv4(tcp(1000, 7000, options=bytes.fromhex("020405b4")) + b"abc", 77), 499, CONTROL)
    known = read_packet(write_ir(with_mss, payload), {}).context
    packet = read_packet(write_ir(CONTEXT, PAYLOAD), {0: known})
    assert packet.delivered == PACKET and packet.context.order == ()
    assert packet.context.table == known.table != {}
    assert read_packet(write_ir(CONTEXT, PAYLOAD), {1: known}).context.table == {}, "the table of another CID"


def test_ir_dyn_goes_on_from_the_static_chain() -> None:
    known = read_packet(write_ir(CONTEXT, PAYLOAD), {}).context
    other, payload = context_of(ipv4(tcp(2000, 8000) + b"de", 99), 501, CONTROL)
    octets = write_ir_dyn(other, payload)
    assert octets[:2] == b"\xf8\x06"
    assert read_packet(octets, {0: known}).delivered == ipv4(tcp(2000, 8000) + b"de", 99)
    with pytest.raises(RohcError, match=r"No packet has made a context for CID 0.*5\.3\.1\.3"):
        read_packet(octets, {})


@pytest.mark.parametrize(("base_cid", "large", "field"), [(None, False, ""), (3, False, "03"), (300, True, "812c")])
def test_ir_cr(base_cid: int | None, large: bool, field: str) -> None:
    packet = ipv4(tcp(5000, 9000) + b"de", 9)
    packet = packet[:20] + b"\x04\x00" + packet[22:]  # another source port
    after, payload = context_of(packet, 900, CONTROL)
    octets = write_ir_cr(CONTEXT, after, payload, REPLICATE, cid=1, base_cid=base_cid, large_cids=large)
    at = 4  # behind type octet, CID, profile and CRC
    value = crc.crc7(packet[: -len(payload)])
    assert octets[at : at + 1 + len(field) // 2].hex() == f"{(base_cid is not None) << 7 | value:02x}{field}"
    contexts = {1 if base_cid is None else base_cid: CONTEXT}
    found = read_packet(octets, contexts, large)
    assert (found.kind, found.cid, found.delivered) == ("IR-CR", 1, packet)
    with pytest.raises(RohcError, match=r"RFC 4164, 3\.4\.1"):
        read_packet(octets, {}, large)


def test_ir_cr_of_a_base_that_is_another() -> None:
    """The CRC-8 covers the packet alone: that the base has changed, the CRC-7 shows."""
    after, payload = context_of(PACKET, 900, CONTROL)
    octets = write_ir_cr(CONTEXT, after, payload, REPLICATE, cid=1, base_cid=3)
    other = CONTEXT.copy()
    other.ip.values["ttl_hopl"] = 7
    with pytest.raises(RohcError, match=r"CRC-7.*RFC 4164, 3\.4\.2"):
        read_packet(octets, {3: other})
    with pytest.raises(RohcError, match=r"reserved bits"):
        read_packet(octets[:5] + b"\x13" + octets[6:], {3: CONTEXT})


@pytest.mark.parametrize(
    ("cid", "large", "before", "behind"),
    [(0, False, "", ""), (5, False, "e5", ""), (5, True, "", "05"), (300, True, "", "812c")],
)
def test_compressed(cid: int, large: bool, before: str, behind: str) -> None:
    after = CONTEXT.copy()
    after.control["msn"] = 501
    after.tcp["ack_number"] = 7010
    after.ip.values["ip_id"] = 78
    settle(after, 0)
    header = ipv4(tcp(1000, 7010), 78)
    octets = write_compressed("seq_3", CONTEXT, after, crc.crc3(header), b"")
    link = bytes.fromhex(before) + octets[:1] + bytes.fromhex(behind) + octets[1:]
    found = read_packet(link, {cid: CONTEXT}, large)
    assert (found.kind, found.cid, found.delivered) == ("seq_3", cid, header)
    damaged = link[:-1] + bytes([link[-1] ^ 1])  # the TCP checksum
    with pytest.raises(RohcError, match=r"seq_3 packet carries CRC.*5\.3\.1\.1"):
        read_packet(damaged, {cid: CONTEXT}, large)


def test_every_damaged_bit_of_an_ir_packet_is_noticed() -> None:
    octets = write_ir(CONTEXT, b"", 5)
    for bit in range(8 * len(octets)):
        damaged = bytearray(octets)
        damaged[bit // 8] ^= 0x80 >> bit % 8
        with pytest.raises(RohcError):
            read_packet(bytes(damaged), {})
