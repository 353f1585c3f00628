# SPDX-License-Identifier: Apache-2.0
"""The parts of the matrix that need no engine: fields, delta debugging, rows, deviations, alignment of recordings."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from headroom.core import matrix
from headroom.core.captures import fields
from headroom.core.errors import UsageError
from headroom.core.scheme_kit.minimise import minimise
from headroom.core.scheme_kit.signature import plain
from headroom.core.scheme_registry import find
from headroom.schemes.rohc.conformance.flow import Flow
from headroom.schemes.rohc.interop import matrix as of_rohc
from headroom.schemes.rohc.interop import recordings, traffic
from headroom.tests.interop import support

ROHC = find("rohc")

# ---- fields, by hand from RFC 791, 768 and 3550

RTP = bytes.fromhex(
    "45b80034 12344000 4011abcd 0a000001 0a000002"  # IPv4: TOS b8, length 52, identification 1234, TTL 64, UDP
    "40004002 00200000"  # UDP: ports, length 32, no checksum
    "81600102 00000320 deadbeef 11223344"  # RTP: one CSRC, type 96, SN 0102, TS 800, SSRC
    "aabbccdd eeff0011"
)


@pytest.mark.parametrize(
    ("offset", "name"),
    [
        (0, "IPv4 version and IHL"),
        (1, "IPv4 TOS"),
        (5, "IPv4 identification"),
        (8, "IPv4 TTL"),
        (19, "IPv4 destination"),
        (27, "UDP checksum"),
        (28, "RTP version, P, X, CC"),
        (31, "RTP sequence number"),
        (35, "RTP timestamp"),
        (40, "RTP CSRC list"),
        (44, "payload"),
        (52, "its length"),
    ],
)
def test_fields_by_their_place(offset: int, name: str) -> None:
    assert fields.name_at(RTP, offset, True) == name


def test_without_rtp_what_is_behind_udp_is_payload() -> None:
    assert fields.name_at(RTP, 31, False) == "payload"


def test_fields_of_tunnels_options_and_fragments() -> None:
    inner = RTP[:28]
    outer = bytes.fromhex("60000000 001c 29 40") + bytes(32)
    assert fields.name_at(outer + inner, 41, False) == "inner IPv4 TOS"
    assert fields.name_at(outer + inner, 7, False) == "IPv6 hop limit"
    options = bytes.fromhex("46") + RTP[1:20] + bytes.fromhex("01010100")
    assert fields.name_at(options, 21, False) == "IPv4 options"
    fragment = RTP[:6] + b"\x00\x10" + RTP[8:]
    assert fields.name_at(fragment, 22, False) == "payload"  # no UDP header in the middle of a datagram
    lite = RTP[:9] + b"\x88" + RTP[10:]
    assert fields.name_at(lite, 25, False) == "UDP-Lite checksum coverage"
    esp = RTP[:9] + b"\x32" + RTP[10:]
    assert fields.name_at(esp, 25, False) == "ESP sequence number"
    tcp = RTP[:9] + b"\x06" + RTP[10:32] + b"\x60" + RTP[33:]
    assert [fields.name_at(tcp, at, False) for at in (25, 33, 41, 44)] == [
        "TCP sequence number",
        "TCP flags",
        "TCP options",
        "payload",
    ]


@pytest.mark.parametrize("length", range(len(RTP) + 1))
def test_fields_of_what_is_cut_off(length: int) -> None:
    parts = fields.dissect(RTP[:length], True)
    assert sum(part.length for part in parts) == length
    assert all(a.offset + a.length == b.offset for a, b in itertools.pairwise(parts))


def test_no_packet_has_no_fields() -> None:
    assert fields.dissect(b"", True) == []


# ---- delta debugging


@pytest.mark.parametrize("needed", [{0}, {99}, {3, 70}, {0, 1, 2}, {10, 11, 50, 98}, set(range(7))])
def test_the_fewest_that_still_fail(needed: set[int]) -> None:
    tried = []

    def fails(chosen: list[int]) -> bool:
        tried.append(chosen)
        assert chosen == sorted(chosen), "in order"
        return needed <= set(chosen)

    assert minimise(list(range(100)), fails, most_trials=1000) == sorted(needed)
    assert len(tried) < 200


def test_limits_leave_something_that_fails() -> None:
    left = minimise(list(range(64)), lambda chosen: {5, 40} <= set(chosen), most_trials=3)
    assert {5, 40} <= set(left)
    assert minimise(list(range(8)), lambda chosen: True, most_seconds=-1) == list(range(8))
    assert minimise([1], lambda chosen: True) == [1]


# ---- signatures


def test_what_differs_from_case_to_case_is_not_in_a_signature() -> None:
    one = plain("It wrote outside the output buffer of 572 octets in /opt/x/y.so at 0xdeadbeef.")
    assert one == "It wrote outside the output buffer of N octets in y.so at N."
    assert len(plain("long " * 100)) <= 90


# ---- rows and cells


def test_rows_pair_by_pair() -> None:
    chosen = {"profiles": ["0x0001"], "modes": ["U", "O"], "cids": ["small"]}
    rows = list(matrix.rows(ROHC, ["a", "b"], ["c"], chosen, seed=7))
    assert [(row.compressor, row["mode"]) for row in rows] == [("a", "U"), ("a", "O"), ("b", "U"), ("b", "O")]
    assert {row.seed for row in rows} == {7}
    assert len(list(matrix.rows(ROHC, ["a"], ["b"]))) == (7 * 3 + 2) * 2


def test_values_that_do_not_go_with_others_are_no_rows() -> None:
    sigcomp = find("sigcomp")
    several = list(matrix.rows(sigcomp, ["a"], ["b"], {"compartments": ["3"]}))
    assert [(row["mechanism"], row["transport"]) for row in several] == [("stateful-basic", "udp"), ("dynamic", "udp")]
    with pytest.raises(UsageError, match="no cells with mechanism shared, transport udp, compartments 3"):
        matrix.row_axes(sigcomp, {"mechanism": "shared", "compartments": "3"})
    assert matrix.row_axes(sigcomp, {"mechanism": "shared"}) == {
        "mechanism": "shared",
        "transport": "udp",
        "compartments": "1",
    }


def test_null_copies_and_interworks_with_itself_alone() -> None:
    row = support.row("null", "reference", "0x0001", "U", "small")
    assert of_rohc.unsupported(row) == ("They declare different formats on the link: null copy and reference rohc.")
    assert of_rohc.unsupported(support.row("null", "null", "0x0001", "R", "large")) == ""
    assert of_rohc.unsupported(support.row("reference", "reference", "0x0001", "U", "small")) == ""


def test_what_nobody_declares_is_unsupported_with_the_reason(tmp_path: Path) -> None:
    one = support.implementation(tmp_path, "small", "adapter: {library: x.so}", wire="")
    reason = of_rohc.unsupported(support.row("reference", one, "0x0001", "U", "small"))
    assert reason == "small does not declare profile 0x0001."
    reason = of_rohc.unsupported(support.row("reference", one, "0x0000", "U", "small"))
    assert reason.startswith("small cannot be used here: its adapter ")
    results = matrix.run(support.row("reference", one, "0x0001", "U", "small"), support.store(tmp_path))
    assert len(results) == len(traffic.of("0x0001")) * 10  # feedback cannot be lost in U-mode
    assert {(result["verdict"], result["reason"], result["header_bytes"]) for result in results} == {
        ("unsupported", "small does not declare profile 0x0001.", None)
    }


def test_a_matrix_has_the_conditions_that_a_mode_has() -> None:
    row = support.row("null", "null", "0x0001", "U", "small", traffic=("rtp-video",))
    in_u = [cell.link for cell in matrix.cells(row)]
    in_o = [cell.link for cell in matrix.cells(replace(row, axes={**row.axes, "mode": "O"}))]
    assert in_o == [one.name for one in ROHC.links]
    assert in_u == [name for name in in_o if name != "feedback-lost"]


def test_the_command_of_a_cell_is_about_that_cell() -> None:
    chosen = {"traffic": ("rtp-video",), "links": ("loss-1",), "seed": 7}
    cell = matrix.cells(support.row("null", "reference", "0x0001", "O", "large", **chosen))[0]
    assert cell.command() == (
        "./headroom interop --scheme rohc --compressors null --decompressors reference --profiles 0x0001 --modes O "
        "--cids large --traffic rtp-video --links loss-1 --seed 7"
    )


def test_unknown_words_are_refused() -> None:
    with pytest.raises(UsageError, match=r"no link condition 'foggy'. Known: clean, loss-1"):
        ROHC.link("foggy")
    with pytest.raises(UsageError, match=r"There is no mode 'X'\. Known: U, O, R\."):
        ROHC.axis("mode").find("X")


def test_a_feature_takes_both_sides(tmp_path: Path) -> None:
    """A compressor without compressed lists sends the same packets by another profile, and nobody needs them."""
    simple = support.implementation(tmp_path, "simple", "adapter: {library: simple.so}", '"0x0001"', wire="")

    def cell(compressor: str, decompressor: str, feature: str) -> matrix.Cell:
        row = support.row(compressor, decompressor, "0x0001", "U", "small")
        return matrix.Cell(row, traffic.Traffic("any", feature=feature), "clean")

    assert of_rohc.unsupported_traffic(cell("reference", simple, "list-compression")) == (
        "simple does not declare feature list-compression, which reference uses for this traffic."
    )
    assert of_rohc.unsupported_traffic(cell(simple, "reference", "list-compression")) == ""
    assert of_rohc.unsupported_traffic(cell("reference", "reference", "list-compression")) == ""
    assert of_rohc.unsupported_traffic(cell("reference", simple, "")) == ""


def test_implementations_of_like_paths_have_folders_of_their_own() -> None:
    rows = [support.row(path, "reference", "0x0001", "U", "small") for path in ("/some/codec", "/some-codec")]
    found = {matrix.slug(matrix.Cell(row, traffic.Traffic("any"), "clean")) for row in rows}
    assert len(found) == 2, "the evidence of one would take the place of the other's"


def test_an_implementation_far_down_has_a_folder_of_its_own() -> None:
    """Its row ended with 'File name too long' instead of a verdict."""
    rows = [support.row(f"/{'some/' * 60}{name}", "reference", "0x0001", "U", "small") for name in ("a", "b")]
    found = {matrix.slug(matrix.Cell(row, traffic.Traffic("t" * 250), "clean")) for row in rows}
    assert len(found) == 2
    assert all(len(part) < 250 for name in found for part in name.split("/"))


def test_captures_of_one_name_have_folders_of_their_own() -> None:
    row = support.row("null", "/some/where/else", "0x0001", "U", "small")
    paths = [f"/{folder}/../source.pcap" for folder in ("a", "b")]
    found = {matrix.slug(matrix.Cell(row, traffic.capture(path), "clean")) for path in paths}
    assert len(found) == 2
    assert all(".." not in name.split("/") and not name.startswith("/") for name in found)


# ---- recordings


@pytest.mark.parametrize(
    ("came", "expected"),
    [
        ([b"a", b"b", b"c"], (3, None)),
        ([b"a", b"c"], (2, None)),
        ([], (0, None)),
        ([b"a", b"x", b"c"], (1, 1)),
        ([b"b", b"a"], (1, 1)),  # out of order
        ([b"a", b"b", b"c", b"c"], (3, 3)),  # one too many
    ],
)
def test_what_came_out_beside_the_source(came: list[bytes], expected: tuple[int, int | None]) -> None:
    assert recordings.align([b"a", b"b", b"c"], came) == expected


# ---- fields behind extension headers


def test_extension_headers_are_fields_of_their_own() -> None:
    flow = Flow.of("rtp-ipv4-in-ipv4")
    flow.change("outer-extensions to g and extensions to ha")
    packet = flow.packet()
    parts = fields.dissect(packet, True)
    assert b"".join(part.octets for part in parts) == packet
    names = [part.name for part in parts]
    assert "GRE header" in names and "inner hop-by-hop options" in names
    number = next(part for part in parts if part.name == "inner AH sequence number")
    assert number.octets == (0x1000).to_bytes(4, "big")
    assert fields.name_at(packet, number.offset + number.length, True) == "inner AH data"
    assert names[-1] == "payload" and "RTP SSRC" in names
