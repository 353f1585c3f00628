# SPDX-License-Identifier: Apache-2.0
"""Reading and writing by the formats of profile 0x0006: items and base headers made by hand from RFC 6846, flows."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from headroom.core import yamlfile
from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.framework.errors import RohcError
from headroom.schemes.rohc.judge.tcp.chains import (
    BASE,
    RANDOM,
    SEQUENTIAL,
    SWAPPED,
    Context,
    read_compressed,
    read_dynamic,
    read_list,
    read_replicate,
    read_static,
    settle,
    write_compressed,
    write_dynamic,
    write_list,
    write_replicate,
    write_static,
)
from headroom.schemes.rohc.judge.tcp.coding import FORMATS, BitReader, BitWriter, NoMatch, Scope, read, write
from headroom.schemes.rohc.judge.tcp.headers import build, read_headers
from headroom.schemes.rohc.judge.tcp.notation import Format, Method
from headroom.tests.oracle_rohc_tcp import packets
from headroom.tests.oracle_rohc_tcp.packets import context_of, flow, ipv4, ipv6, tcp

CONTROL = {"ack_stride": 10, "ecn_used": 0, "ip_id_behavior_innermost": SEQUENTIAL}
PAYLOAD = bytes(100)


def header_crc(name: str, octets: bytes) -> int:
    wide = name == "co_common" or name.endswith("_8")
    return crc.crc7(octets) if wide else crc.crc3(octets)


def octets_of(bits: str, crc_value: int = 0, crc_bits: int = 0) -> bytes:
    """Bits as they are written down: groups of 0 and 1, hexadecimal octets behind "x", CRC for the header's CRC."""
    found = ""
    for group in bits.split():
        if group == "CRC":
            found += f"{crc_value:0{crc_bits}b}"
        elif group.startswith("x"):
            found += "".join(f"{int(digit, 16):04b}" for digit in group[1:])
        else:
            found += group
    assert len(found) % 8 == 0, bits
    return int(found, 2).to_bytes(len(found) // 8, "big") if found else b""


# --- Items of chains and options --------------------------------------------------------------------------------------

ITEMS: dict[str, dict[str, Any]] = {
    one["name"]: one for one in yamlfile.read(Path(__file__).with_name("items.yaml")).data
}


def item(name: str) -> tuple[Method, list[Format], Scope, dict[str, int | None], str]:
    one = ITEMS[name]
    method = FORMATS.methods[one["method"]]
    scope = Scope(one.get("context", {}), arguments=one.get("arguments", {}))
    return method, method.of_kind(one["kind"]), scope, one.get("values", {}), one["bits"]


@pytest.mark.parametrize("name", ITEMS)
def test_items_are_read(name: str) -> None:
    method, formats, scope, values, bits = item(name)
    reader = BitReader(octets_of(bits))
    read(reader, method, formats, scope)
    assert reader.rest() == b""
    assert {key: scope.new.get(key) for key in values} == values


@pytest.mark.parametrize("name", ITEMS)
def test_items_are_written(name: str) -> None:
    method, formats, scope, values, bits = item(name)
    scope.new.update(values)
    if "contents" in values and "contents" in scope.old:  # what has changed is for the caller to see
        formats = [one for one in formats if any(field.name == "contents" for field in one.fields)]
    writer = BitWriter()
    write(writer, method, formats, scope)
    assert writer.octets() == octets_of(bits)


@pytest.mark.parametrize("name", ITEMS)
def test_truncated_items_are_refused(name: str) -> None:
    method, formats, scope, _, bits = item(name)
    octets = octets_of(bits)
    for size in range(len(octets)):
        with pytest.raises(RohcError, match=r"RFC 5795, 5\.2\.3|RFC 6846, 8\.2"):
            read(BitReader(octets[:size]), method, formats, scope)


# --- Base headers -----------------------------------------------------------------------------------------------------

# Before: MSN 500, sequence number 3000, acknowledgment number 7000, IP-ID 77, a payload of 100 octets, ack_stride 10.
# So the offset of the IP-ID is 77 - 500 = 0xfe59. Behind the packet: MSN 501 = 0x1f5, IP-ID 78, and what is listed.
SEQ, ACK, WINDOW = {"seq_number": 3100}, {"ack_number": 7010}, {"window": 600}  # 0xc1c, scaled 31; 0x1b62, 701; 0x258
NO_FLAGS = dict.fromkeys(
    ("seq_indicator", "ack_indicator", "ack_stride_indicator", "window_indicator", "ip_id_indicator")
    + ("urg_ptr_present", "dscp_present", "ttl_hopl_present"),
    0,
)
BASE_HEADERS = {
    "rnd_1": (SEQ, "101110 00 x0c1c 0101 0 CRC"),
    "rnd_2": (SEQ, "1100 1111 0101 0 CRC"),
    "rnd_3": (ACK, "0 001 xb62 0101 0 CRC"),
    "rnd_4": (ACK, "1101 1101 0101 0 CRC"),
    "rnd_5": (SEQ | ACK, "100 0 0101 CRC 00 xc1c 001 xb62"),
    "rnd_6": (SEQ | ACK, "1010 CRC 0 x1b62 0101 1111"),
    "rnd_7": (ACK | WINDOW, "101111 00 x1b62 x0258 0101 0 CRC"),
    "rnd_8": (ACK | {"rsf_flags": 1}, "10110 11 0 CRC 0101 0 000 0 x0bb8 x1b62"),
    "seq_1": (SEQ, "1010 1001 x0c1c 0101 0 CRC"),
    "seq_2": (SEQ, "11010 1011001 1111 0101 0 CRC"),
    "seq_3": (ACK, "1001 1001 x1b62 0101 0 CRC"),
    "seq_4": (ACK, "0 1101 001 0101 0 CRC"),
    "seq_5": (SEQ | ACK, "1000 1001 x1b62 x0c1c 0101 0 CRC"),
    "seq_6": (SEQ | ACK, "11011 1111 1011001 x1b62 0101 0 CRC"),
    "seq_7": (ACK | WINDOW, "1100 000 x258 11001 x1b62 0101 0 CRC"),
    "seq_8": (SEQ | {"psh_flag": 1}, "1011 1001 0 CRC 0101 1 000 0 001 xb58 00 00 xc1c"),
    "co_common": (SEQ | WINDOW, "1111101 0 1 0 00 0101 01 00 0 1 0 0 0 0 0 0 0 00 0 1 CRC x1c x0258 x59"),
}


def step(name: str, behavior: int | None = None) -> tuple[Context, Context, bytes]:
    """The contexts before and behind the packet of BASE_HEADERS, and its uncompressed headers."""
    control = dict(CONTROL)
    control["ip_id_behavior_innermost"] = RANDOM if name.startswith("rnd_") else SEQUENTIAL
    if behavior is not None:
        control["ip_id_behavior_innermost"] = behavior
    swapped = control["ip_id_behavior_innermost"] == SWAPPED
    before, _ = context_of(ipv4(tcp(3000, 7000) + PAYLOAD, 77 << 8 if swapped else 77), 500, control)
    after = before.copy()
    after.control["msn"] = 501
    after.tcp.update(BASE_HEADERS[name][0])
    after.ip.values["ip_id"] = 78 << 8 if swapped else 78
    settle(after, len(PAYLOAD))
    return before, after, build(after.headers, [], len(PAYLOAD))


def flags_of(name: str) -> Mapping[str, int]:
    return NO_FLAGS | {"seq_indicator": 1, "window_indicator": 1} if name == "co_common" else {}


@pytest.mark.parametrize("name", BASE_HEADERS)
def test_base_headers(name: str) -> None:
    before, after, header = step(name)
    value = header_crc(name, header)
    random_id = "x004e" if name.startswith("rnd_") else ""
    bits = f"{BASE_HEADERS[name][1]} {random_id} x1234"  # the irregular chain: IP-ID, TCP checksum
    expected = octets_of(bits, value, 7 if name == "co_common" or name.endswith("_8") else 3) + PAYLOAD
    assert write_compressed(name, before, after, value, PAYLOAD, flags_of(name)) == expected
    found = read_compressed(expected, before)
    assert (found.format.name, found.said["header_crc"], found.payload) == (name, value, PAYLOAD)
    assert build(found.context.headers, found.context.options, len(PAYLOAD)) == header


def test_every_base_header_is_there() -> None:
    assert set(BASE_HEADERS) == set(BASE.formats)


@pytest.mark.parametrize("name", [name for name in BASE_HEADERS if not name.startswith("rnd_")])
def test_ip_id_with_swapped_octets(name: str) -> None:
    before, after, header = step(name, SWAPPED)
    octets = write_compressed(name, before, after, header_crc(name, header), PAYLOAD, flags_of(name))
    expected = octets_of(
        BASE_HEADERS[name][1].replace("00 0 1 CRC", "01 0 1 CRC"),
        header_crc(name, header),
        7 if name in ("co_common", "seq_8") else 3,
    )
    assert octets[: len(expected)] == expected, "the number that they mean goes on as the others do"


@pytest.mark.parametrize("name", [name for name in BASE_HEADERS if name != "co_common"])
def test_base_headers_of_the_other_set_are_refused(name: str) -> None:
    """The behaviour of the IP-ID says which set is in use."""
    before, after, header = step(name, SEQUENTIAL if name.startswith("rnd_") else RANDOM)
    with pytest.raises(NoMatch):
        write_compressed(name, before, after, header_crc(name, header), PAYLOAD)


def test_scaled_numbers_need_a_stride() -> None:
    before, after, _ = step("seq_4")
    after.control["ack_stride"] = before.control["ack_stride"] = 0
    settle(after, len(PAYLOAD))
    settle(before, len(PAYLOAD))
    with pytest.raises(NoMatch):
        write_compressed("seq_4", before, after, 0, PAYLOAD)
    with pytest.raises(RohcError):
        read_compressed(octets_of("0 1101 001 0101 0 000 x1234"), before)


@pytest.mark.parametrize("name", BASE_HEADERS)
def test_truncated_base_headers_are_refused(name: str) -> None:
    before, after, header = step(name)
    octets = write_compressed(name, before, after, header_crc(name, header), PAYLOAD, flags_of(name))
    for size in range(len(octets) - len(PAYLOAD)):
        with pytest.raises(RohcError):
            read_compressed(octets[:size], before)


# --- Lists of options (6.3.3) -----------------------------------------------------------------------------------------

MSS_AND_SCALE = bytes.fromhex("020405b4 0101 0402 01 030307 1e05aabbcc 000000")


def options_context(octets: bytes = MSS_AND_SCALE) -> Context:
    return context_of(ipv4(tcp(1, 2, options=octets)), 5, CONTROL)[0]


def test_list_of_all_kinds_of_items() -> None:
    context = options_context()
    writer = BitWriter()
    write_list(writer, context.options, set(context.order), 2)
    # MSS, NOP twice, SACK permitted, NOP, window scale, generic 7, EOL with 16 bits of padding
    expected = octets_of("000 0 1000 1010 1000 1000 1101 1000 1011 1111 1001 x05b4 x07 x1e05aabbcc x10")
    assert writer.octets() == expected
    fresh = Context()
    assert read_list(BitReader(expected), fresh, 2) == {0, 1, 2, 3, 5, 7}
    assert (fresh.order, fresh.table) == (context.order, context.table)


def test_wide_xi_fields_and_items_that_are_known() -> None:
    context = options_context()
    writer = BitWriter()
    write_list(writer, context.options[:3], {2}, 2, wide=True)
    assert writer.octets() == octets_of("000 1 0011 x82 x00 x00 x05b4")
    assert read_list(BitReader(writer.octets()), context, 2) == {2}
    assert context.order == (2, 0, 0)


def test_nop_needs_no_item() -> None:
    """ "since its value is always the same, no context information needs to be transmitted" (6.3.4)."""
    fresh = Context()
    assert read_list(BitReader(octets_of("000 0 0011 0000 1010 0000 0000 x05b4")), fresh, 2) == {2}
    assert fresh.order == (0, 2, 0) and fresh.options[0].values == options_context().table[0]


@pytest.mark.parametrize(
    ("bits", "sentence"),
    [
        ("001 0 0000", r"reserved bits of a compressed list.*6\.3\.3"),
        ("000 1 0001 1 001 0010 x05b4", r"reserved bits of an XI.*6\.3\.3"),
        ("000 0 0001 1010 0001 x05b4", r"padding.*6\.3\.3"),
        ("000 0 0001 0100 0000", r"No item has come for index 4.*6\.3\.2"),
    ],
)
def test_lists_that_are_wrong(bits: str, sentence: str) -> None:
    with pytest.raises(RohcError, match=sentence):
        read_list(BitReader(octets_of(bits)), Context(), 0)


def test_list_of_a_dynamic_chain_has_all_items() -> None:
    context = options_context()
    writer = BitWriter()
    write_static(writer, context.headers)
    write_dynamic(writer, context)
    whole = writer.octets()
    at = whole.index(octets_of("000 0 1000 1010 1000"))
    bits = BitReader(whole[: at + 1] + bytes([whole[at + 1] & 0x7F]) + whole[at + 2 :])
    known = Context(read_static(bits), {"ack_stride": 0}, dict(context.table))
    with pytest.raises(RohcError, match=r"without its item.*6\.3\.5"):
        read_dynamic(bits, known)


# --- Whole packets ----------------------------------------------------------------------------------------------------

SEGMENT = tcp(1, 2, options=packets.TIMESTAMP + bytes(8))
CHAINS = {
    "IPv4": lambda n: ipv4(SEGMENT, n),
    "IPv6": lambda n: ipv6(SEGMENT, label=0),
    "IPv4 in IPv4": lambda n: ipv4(ipv4(SEGMENT, n), n * 77, protocol=4),
    "IPv6 in IPv4": lambda n: ipv4(ipv6(SEGMENT), n * 77, protocol=41),
    "extension headers": lambda n: ipv6(
        packets.extension(packets.extension(packets.extension(SEGMENT, 6, 24), packets.ROUTING), packets.DESTINATION),
        following=packets.HOPS,
    ),
    "AH": lambda n: ipv4(packets.ah(SEGMENT, n), n, protocol=packets.AH),
    "GRE": lambda n: ipv4(packets.gre(ipv4(SEGMENT, n), n), n * 3, protocol=packets.GRE),
    "GRE over IPv6": lambda n: ipv6(packets.gre(ipv6(SEGMENT), n, 0x86DD), following=packets.GRE),
    "minimal encapsulation": lambda n: ipv4(packets.mine(SEGMENT), n, protocol=packets.MINE),
}


def behavior_of(packet: bytes) -> int:
    headers, _, _ = read_headers(packet)
    return SEQUENTIAL if [one.method for one in headers if one.method in ("ipv4", "ipv6")][-1] == "ipv4" else RANDOM


@pytest.mark.parametrize("name", CHAINS)
def test_chains(name: str) -> None:
    packet = CHAINS[name](1) + b"payload"
    packet = rebuilt(packet)
    context, payload = context_of(packet, 9, CONTROL | {"ip_id_behavior_innermost": behavior_of(packet)})
    writer = BitWriter()
    write_static(writer, context.headers)
    write_dynamic(writer, context)
    bits = BitReader(writer.octets() + payload)
    found = Context(read_static(bits))
    read_dynamic(bits, found)
    assert bits.rest() == payload
    assert build(found.headers, found.options, len(payload)) + payload == packet
    for size in range(len(writer.octets())):
        with pytest.raises(RohcError):
            cut = BitReader(writer.octets()[:size])
            part = Context(read_static(cut))
            read_dynamic(cut, part)


def rebuilt(packet: bytes) -> bytes:
    """A packet whose lengths fit what has been put behind it."""
    headers, options, payload = read_headers(packet)
    return build(headers, options, len(payload)) + payload


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("ecn_used", [0, 1])
def test_irregular_chains(name: str, ecn_used: int) -> None:
    control = CONTROL | {"ip_id_behavior_innermost": behavior_of(CHAINS[name](1)), "ecn_used": ecn_used}
    before, _ = context_of(rebuilt(CHAINS[name](1) + b"payload"), 9, control)
    for number in range(2, 6):
        packet = rebuilt(CHAINS[name](number) + b"payload")
        after, payload = context_of(packet, 8 + number, control, before)
        crc_value = crc.crc7(packet[: -len(payload)])
        flags = NO_FLAGS | {"ttl_hopl_outer_flag": number % 2}
        octets = write_compressed("co_common", before, after, crc_value, payload, flags | {"ecn_used": ecn_used})
        found = read_compressed(octets, before)
        assert build(found.context.headers, found.context.options, len(payload)) + payload == packet
        before = found.context


@pytest.mark.parametrize("seed", range(20))
def test_flows(seed: int) -> None:
    """Every packet of a flow, by a format drawn from those that can carry it."""
    draw = random.Random(seed)
    behavior = RANDOM if seed % 5 == 4 else seed % 4
    control = CONTROL | {"ip_id_behavior_innermost": behavior, "ack_stride": draw.choice((0, 10, 1460))}
    before: Context | None = None
    used: set[str] = set()
    for number, packet in enumerate(flow(seed, 30)):
        after, payload = context_of(packet, 65_530 + number, control, before)
        header = packet[: len(packet) - len(payload)]
        if before is None:
            before = after
            continue
        name, octets = drawn(draw, before, after, header, payload)
        found = read_compressed(octets, before)
        assert found.format.name == name
        assert found.said["header_crc"] == header_crc(name, header)
        assert build(found.context.headers, found.context.options, len(payload)) + payload == packet
        before, used = after, used | {name}
    assert len(used) > 3


def drawn(draw: random.Random, before: Context, after: Context, header: bytes, payload: bytes) -> tuple[str, bytes]:
    flags = {
        "list_present": 1,
        "seq_indicator": 3,
        "ack_indicator": 3,
        "ack_stride_indicator": draw.randrange(2),
        "window_indicator": 1,
        "ip_id_indicator": draw.randrange(2),
        "urg_ptr_present": 1,
        "dscp_present": 1,
        "ttl_hopl_present": 1,
    }
    for name in [*draw.sample([one for one in BASE.formats if one != "co_common"], 16), "co_common"]:
        for present in (0, 1) if name.endswith("_8") else (1,):
            try:
                crc_value = header_crc(name, header)
                return name, write_compressed(
                    name, before, after, crc_value, payload, flags | {"list_present": present}
                )
            except (NoMatch, RohcError):
                continue
    raise AssertionError("co_common carries everything.")


def test_replicate_chain() -> None:
    base, _ = context_of(ipv4(tcp(1, 2, options=MSS_AND_SCALE)), 5, CONTROL)
    after = base.copy()
    after.tcp.update({"src_port": 1010, "dst_port": 443, "seq_number": 99, "ack_number": 3, "window": 7, "checksum": 8})
    after.control["msn"] = 700
    after.ip.values.update({"ip_id": 9, "ttl_hopl": 3})
    settle(after, 0)
    flags = {"window_presence": 1, "list_present": 1, "src_port_presence": 1, "dst_port_presence": 2, "ack_presence": 1}
    flags |= {"ack_stride_flag": 0, "urp_presence": 0, "ttl_flag": 1}
    writer = BitWriter()
    write_replicate(writer, base, after, flags)
    # IPv4: ip_id_behavior 0, ttl_flag, DF; TOS; IP-ID; TTL. TCP: presence bits, MSN, numbers, ports by 8 and 16 bits.
    begin = octets_of(
        "0000 00 1 1 x00 x0009 x03 0 1 1 01 10 0 1 0 0 1 0 00 0 x02bc x00000063 xf2 x01bb x0007 x00000003 x0008"
    )
    assert writer.octets()[: len(begin)] == begin
    found = base.copy()
    bits = BitReader(writer.octets())
    read_replicate(bits, found)
    settle(found, 0)
    assert bits.rest() == b""
    assert found == after


@pytest.mark.parametrize(
    ("method", "kind", "context", "octets"),
    [("ah", "dynamic", {"length": 0}, bytes(20)), ("tcp_opt_generic", "list_item", {}, b"\x1e\x01\0\0")],
)
def test_lengths_that_are_too_short(method: str, kind: str, context: dict[str, int | None], octets: bytes) -> None:
    found = FORMATS.methods[method]
    with pytest.raises(RohcError):
        read(BitReader(octets), found, found.of_kind(kind), Scope(context))


@pytest.mark.parametrize("name", CHAINS)
def test_damaged_packets_are_read_or_refused(name: str) -> None:
    draw, behavior = random.Random(name), behavior_of(CHAINS[name](1))
    control = CONTROL | {"ip_id_behavior_innermost": behavior}
    before, payload = context_of(rebuilt(CHAINS[name](1) + b"payload"), 9, control)
    after, _ = context_of(rebuilt(CHAINS[name](2) + b"payload"), 10, control, before)
    writer = BitWriter()
    write_static(writer, before.headers)
    write_dynamic(writer, before)
    whole = writer.octets() + payload
    compressed = write_compressed("co_common", before, after, 0, payload, NO_FLAGS)
    refused = 0
    for _ in range(100):
        try:
            bits = BitReader(damaged(draw, whole))
            found = Context(read_static(bits))
            read_dynamic(bits, found)
            settle(found, len(bits.rest()))
            build(found.headers, found.options, 0)
        except RohcError:
            refused += 1
        try:
            other = read_compressed(damaged(draw, compressed), before).context
            build(other.headers, other.options, 0)
        except RohcError:
            refused += 1
    assert 0 < refused < 200


def damaged(draw: random.Random, octets: bytes) -> bytes:
    found = bytearray(octets)
    for _ in range(draw.randrange(1, 4)):
        found[draw.randrange(len(found))] ^= 1 << draw.randrange(8)
    return bytes(found[: draw.choice((len(found),) * 4 + (draw.randrange(len(found)),))])
