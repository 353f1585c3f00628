# SPDX-License-Identifier: Apache-2.0
"""Extension headers as list items: what they are made of, what the judge restores, and what it finds wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headroom.core.errors import UsageError
from headroom.core.finding import Finding
from headroom.schemes.rohc.conformance.extensions import TYPES
from headroom.schemes.rohc.conformance.flow import Flow
from headroom.schemes.rohc.judge import Decompressor
from headroom.schemes.rohc.judge.framework.bits import Reader
from headroom.schemes.rohc.judge.framework.errors import MalformedPacket, Unsupported
from headroom.schemes.rohc.judge.v1 import extension_headers, headers
from headroom.schemes.rohc.judge.v1.checker import check_stream
from headroom.schemes.rohc.judge.v1.extension_headers import AH, FRAGMENT, GRE, ROUTING, Shape
from headroom.schemes.rohc.judge.v1.lists import CompressedList, Entry, ListState
from headroom.tests.oracle_rohc.support import all_vectors, patched, stream

GRE_WITH_ALL = bytes.fromhex("b000 0800 1111 0000 0badcafe 0000004d")


def found(findings: list[Finding]) -> set[str]:
    return {one.requirement for one in findings}


# ---- headers and items


def test_gre_as_an_item_and_back() -> None:
    """RFC 3095, 5.8.4.4: neither Protocol Type nor Reserved1, but a Next Header in front."""
    header = extension_headers.parse(GRE_WITH_ALL, 0, GRE)
    assert header is not None and header.following == 4
    assert header.item.hex(" ", 2) == "2fb0 1111 0bad cafe 0000 004d"
    assert extension_headers.header_of(header.item, 4) == GRE_WITH_ALL
    assert extension_headers.header_of(header.item, 41)[2:4] == bytes.fromhex("86dd")
    assert header.shape == extension_headers.shape_of(header.item) == Shape(GRE, 16, 0xB0)
    assert header.shape.dynamic == ((4, 6), (12, 16))
    assert header.shape.static == ((0, 4), (6, 12))


@pytest.mark.parametrize(
    "octets",
    ["3100 0800", "0008 0800", "0000 8847", "8000 0800 1111 0001", "b000 0800 1111 0000 0badcafe", "0000"],
    ids=["Reserved0", "its last bits", "MPLS", "Reserved1", "truncated", "two octets"],
)
def test_gre_that_cannot_be_compressed(octets: str) -> None:
    assert extension_headers.parse(bytes.fromhex(octets), 0, GRE) is None


def test_gre_in_a_generic_list_may_name_what_follows() -> None:
    """RFC 3095, 5.8.4.4, against 5.8.4.1: the one says 47 there, too, the other the type of the subsequent header."""
    for octets in ("2f00", "0400", "2900"):
        assert extension_headers.read_item(Reader(bytes.fromhex(octets)), "item", 0) == bytes.fromhex("2f00")
    with pytest.raises(MalformedPacket, match="0x0400"):
        extension_headers.read_item(Reader(bytes.fromhex("0400")), "item", 1)


@pytest.mark.parametrize(
    ("kind", "octets", "length"),
    [(ROUTING, "1101", 16), (FRAGMENT, "11ff", 8), (AH, "1104", 24), (55, "1100", 8), (55, "1180", 12)],
)
def test_each_type_has_its_own_notion_of_length(kind: int, octets: str, length: int) -> None:
    packet = bytes.fromhex(octets) + bytes(length - 2)
    header = extension_headers.parse(packet + b"behind", 0, kind)
    assert header is not None and len(header.octets) == length
    assert extension_headers.read_item(Reader(header.item + b"behind"), "item", 0) == header.item
    assert extension_headers.parse(packet[:-1], 0, kind) is None


def test_identity_leaves_out_what_changes_with_each_packet() -> None:
    first, second = (bytes.fromhex(f"3301 0000 00000011 {n:08x} {n:08x}"[:-9] + f" {n:08x}") for n in (1, 2))
    assert first != second
    assert extension_headers.identity(first) == extension_headers.identity(second)
    other = patched(first, 7, 0x12)
    assert extension_headers.identity(first) != extension_headers.identity(other)


def test_the_chain_ends_where_the_context_says() -> None:
    """Profile IP may end its chain before an extension header: then that is payload (RFC 3843, 3.1)."""
    flow = Flow.of("ip-ipv6")
    flow.change("extensions to hd")
    packet = flow.packet()
    for protocols, types in ((None, []), ((), [0, 60]), ((0,), []), ((60,), [0]), ((253,), [0, 60])):
        original = headers.parse(packet, protocols=protocols)
        assert original is not None
        assert [one.type for one in original.ips[0].extensions] == types


# ---- what the judge restores


def after(name: str, steps: int = 1) -> tuple[Decompressor, list[bytes], list[bytes]]:
    """A decompressor that has taken the first packets of a vector; the originals and link packets of all."""
    vector, originals, links = stream(name)
    decompressor = Decompressor(vector.parameters)
    for link in links[:steps]:
        assert decompressor.decompress(link).error is None
    return decompressor, originals, links


def test_sequence_numbers_follow_the_sn_around() -> None:
    """They go on where an SN of 16 bits begins anew, also in a header that the list does not have at the time."""
    state = ListState(sequences={2: 0xFFFFFFFF})
    assert extension_headers.advanced(state, 3).sequences == {2: 2}
    assert extension_headers.advanced(state, -1).sequences == {2: 0xFFFFFFFE}
    decompressor, _, _ = after("ext-ah-follows-sn")
    context = decompressor.channel.contexts[0]
    assert (context.sn, context.ips[0].headers.sequences) == (500, {2: 0x1000})


def test_a_number_is_taken_as_it_is_and_the_rest_as_expected() -> None:
    state = extension_headers.entered(
        ListState(), CompressedList((Entry(2, bytes.fromhex("3301000000000011000010ff00000000")),), {}, None)
    )
    state = replace(state, sequences={2: 0x10FF})
    changes = extension_headers.HeaderChanges(ah=extension_headers.Bits(0x05, 7))
    assert extension_headers.changed(state, changes).sequences == {2: 0x1085}


def test_one_number_for_two_headers_is_not_judged() -> None:
    """Extension 3 has one AH sequence number, and the text does not say whose it is."""
    item = bytes.fromhex("3301000000000011000010ff00000000")
    state = ListState(entries=(Entry(1, item), Entry(2, patched(item, 7, 0x12))))
    with pytest.raises(Unsupported, match="one sequence number for 2 headers"):
        extension_headers.read_changes(Reader(bytes.fromhex("4005")), state, "U", [])


def test_null_esp_cannot_be_numbered() -> None:
    with pytest.raises(MalformedPacket, match="ESeq"):
        extension_headers.read_changes(Reader(bytes.fromhex("2005")), ListState(), "U", [])


# ---- what it finds wrong


@pytest.mark.parametrize(
    ("name", "packet", "octet", "requirement"),
    [
        ("ext-type-0", 1, 6, "RFC3095-5.8.2.1-5"),  # gen_id
        ("ext-ah-sequence-number", 1, 5, "RFC4815-5.8-1"),  # 7 bits of a sequence number
        ("ext-ah-follows-sn", 1, 3, "RFC3095-5.8.4-1"),  # data of AH
        ("ext-type-2", 1, 8, "RFC3095-5.8.2.1-10"),  # a removal mask
        ("ext-gre", 1, 2, "RFC3095-5.8.4-1"),  # checksum of GRE
    ],
)
def test_one_octet_changed(name: str, packet: int, octet: int, requirement: str) -> None:
    vector, originals, links = stream(name)
    wrong = patched(links[packet], octet, links[packet][octet] ^ 0x20)
    findings = check_stream(originals, [*links[:packet], wrong, *links[packet + 1 :]], parameters=vector.parameters)
    assert (packet, requirement) in [(one.packet, one.requirement) for one in findings], findings


def test_a_wrong_number_makes_one_packet_wrong_and_not_those_behind_it() -> None:
    vector, originals, links = stream("ext-ah-sequence-number")
    wrong = patched(links[1], 5, links[1][5] ^ 1)
    findings = check_stream(originals, [links[0], wrong, *links[2:]], parameters=vector.parameters)
    assert {one.packet for one in findings} == {1}
    assert found(findings) == {"RFC4815-5.8-1"}
    assert "sequence number of AH" in findings[0].sentence


def test_a_list_that_is_not_the_original_one_is_said_in_words() -> None:
    vector, originals, links = stream("ext-type-2")
    at = links[1].index(bytes.fromhex("a20201 5f"))  # ET 2, GP, two elements; gen_id; ref_id; 1011111
    wrong = patched(links[1], at + 3, 0x3F)
    findings = check_stream(originals[:2], [links[0], wrong], parameters=vector.parameters)
    assert any("hop-by-hop options (8 octets)" in one.sentence for one in findings), findings


def test_a_number_without_its_header_is_found() -> None:
    remarks: list = []
    extension_headers.read_changes(Reader(bytes.fromhex("4005")), ListState(), "U", remarks)
    assert [one.requirement for one in remarks] == ["RFC3095-5.8.5.1-2"]


# ---- flows with extension headers


@pytest.mark.parametrize("letters", ["h", "hrd", "HDd", "am", "hra"])
def test_flows_carry_what_their_letters_say(letters: str) -> None:
    flow = Flow.of("rtp-ipv6")
    flow.change(f"extensions to {letters}")
    packets = [flow.packet() for _ in range(3)]
    for number, packet in enumerate(packets):
        original = headers.parse(packet, ("UDP", "RTP"), protocols=())
        assert original is not None
        (ip,) = original.ips
        assert [one.type for one in ip.extensions] == [TYPES[letter] for letter in letters]
        assert ip.length_matches
        for one in ip.extensions:
            if one.type == AH:
                assert extension_headers.sequence_of(one.item) == 0x1000 + number


def test_gre_of_a_flow_needs_an_ip_header_behind_it() -> None:
    flow = Flow.of("rtp-ipv4-in-ipv4")
    flow.change("outer-extensions to ag and outer-gre-sequence to 77 and outer-ah-sequence by 16")
    twin = flow.copy()
    original = headers.parse(flow.packet(), ("UDP", "RTP"), protocols=())
    assert original is not None
    items = [one.item for one in original.ips[0].extensions]
    assert [item[0] for item in items] == [AH, GRE]
    assert [extension_headers.sequence_of(item) for item in items] == [0x1010, 77]
    twin.change("outer-extensions to none")
    assert len(flow.packet()) - len(twin.packet()) == 24 + 16
    flow.change("extensions to g")
    with pytest.raises(UsageError, match="comes last"):
        flow.packet()
    with pytest.raises(UsageError, match="no extension headers"):
        flow.change("extensions to xyz")


def test_every_type_of_item_has_a_vector() -> None:
    seen = set()
    for vector in all_vectors().values():
        decompressor = Decompressor(vector.parameters)
        for step in vector.steps:
            context = decompressor.decompress(step.link).after
            seen |= {item[0] for ip in (context.ips if context else ()) for item in ip.headers.table.values()}
    assert seen == set(TYPES.values())
