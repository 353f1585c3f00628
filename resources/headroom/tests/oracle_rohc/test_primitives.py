# SPDX-License-Identifier: Apache-2.0
"""CRCs, self-describing values and LSB encoding against primitives.yaml and against definitions written out; and what
of the judge is whose."""

from __future__ import annotations

import random
import zlib
from pathlib import Path
from typing import Any

import pytest

from headroom.core.yamlfile import check, read
from headroom.schemes.rohc.interop.axes import AXES
from headroom.schemes.rohc.judge.framework import cid, crc, lsb, sdvl
from headroom.schemes.rohc.judge.framework.bits import Bits, Reader
from headroom.schemes.rohc.judge.framework.errors import MalformedPacket
from headroom.schemes.rohc.judge.framework.profiles import OF_RFC_3095
from headroom.schemes.rohc.judge.v1 import headers, intervals
from headroom.schemes.rohc.judge.v1.profiles import PROFILES
from headroom.schemes.rohc.judge.v1.vectors import FOLDER

PRIMITIVES: dict[str, Any] = check(read(FOLDER / "primitives.yaml"), "schemes/rohc/vector").data
CRCS = {3: crc.crc3, 7: crc.crc7, 8: crc.crc8, 32: crc.crc32}


@pytest.mark.parametrize("entry", PRIMITIVES["crc"], ids=lambda entry: entry["name"])
def test_crc_vectors(entry: dict[str, Any]) -> None:
    assert CRCS[entry["width"]](bytes.fromhex(entry["octets"])) == entry["value"]


@pytest.mark.parametrize(("width", "exponents"), [(3, (0, 1)), (7, (0, 1, 2, 3, 6)), (8, (0, 1, 2))])
def test_crc_is_the_remainder_of_a_polynomial_division(width: int, exponents: tuple[int, ...]) -> None:
    octets = random.Random(width).randbytes(40)
    # The message, least significant bits first, times x^width; the preset register is added to its beginning.
    bits = [octet >> k & 1 for octet in octets for k in range(8)] + [0] * width
    for k in range(width):
        bits[k] ^= 1
    for k in range(len(bits) - width):
        if bits[k]:
            bits[k] = 0
            for exponent in exponents:
                bits[k + width - exponent] ^= 1
    remainder = bits[-width:]  # highest power first, which is the least significant bit of the register
    assert CRCS[width](octets) == sum(bit << k for k, bit in enumerate(remainder))


def test_crc_32_is_the_fcs_of_hdlc() -> None:
    octets = random.Random(32).randbytes(100)
    assert crc.crc32(octets) == zlib.crc32(octets)


def test_crc_order_of_an_rtp_header() -> None:
    header = bytes(range(40))
    covered = headers.crc_input(header, (4, "UDP", "RTP"))
    static = [0, 1, *range(6, 10), *range(12, 20), *range(20, 24), 28, *range(36, 40)]
    dynamic = [*range(2, 6), 10, 11, *range(24, 28), *range(29, 36)]
    assert list(covered) == static + dynamic
    assert len(static) == 23 and len(dynamic) == 17


def test_crc_order_of_nested_headers_and_csrcs() -> None:
    header = bytes(range(40 + 20 + 8 + 12 + 8))
    covered = headers.crc_input(header, (6, 4, "UDP", "RTP"), csrc_count=2)
    assert sorted(covered) == list(header), "every octet counts once"
    assert list(covered[:42]) == [0, 1, 2, 3, *range(6, 40), 40, 41, 46, 47]
    assert list(covered[-17:]) == [42, 43, 44, 45, 50, 51, *range(64, 68), *range(69, 76)]
    assert list(range(80, 88)) == list(covered[-27:-19]), "the CSRC list is the end of the CRC-STATIC octets"


@pytest.mark.parametrize("entry", PRIMITIVES["self_describing"], ids=lambda entry: entry["octets"])
def test_self_describing_values(entry: dict[str, Any]) -> None:
    octets = bytes.fromhex(entry["octets"])
    assert sdvl.encode(entry["value"]) == octets
    reader = Reader(octets)
    bits = sdvl.read(reader, "value")
    assert (bits.value, bits.width) == (entry["value"], {1: 7, 2: 14, 3: 21, 4: 29}[len(octets)])
    assert reader.position == len(octets)


def test_self_describing_values_may_be_longer_than_needed() -> None:
    assert sdvl.encode(5, 4) == bytes.fromhex("e0000005")
    assert sdvl.read(Reader(bytes.fromhex("c00005")), "value") == Bits(5, 21)


@pytest.mark.parametrize(("value", "octets"), [(1 << 29, None), (-1, None), (128, 1), (1 << 21, 3)])
def test_self_describing_values_that_do_not_fit(value: int, octets: int | None) -> None:
    with pytest.raises(ValueError, match=r"does not fit"):
        sdvl.encode(value, octets)


@pytest.mark.parametrize("entry", PRIMITIVES["lsb"], ids=lambda entry: entry["name"])
def test_lsb_vectors(entry: dict[str, Any]) -> None:
    bits = Bits(entry["bits"], entry["width"])
    assert lsb.decode(entry["reference"], bits, entry["p"], 1 << entry["field"]) == entry["value"]


@pytest.mark.parametrize(
    "p", [intervals.p_sn_rtp, intervals.p_sn_generated, intervals.p_ip_id, intervals.p_ts, intervals.p_ts_timer]
)
@pytest.mark.parametrize("width", range(1, 10))
def test_lsb_decodes_every_value_of_the_interval_and_no_other(p: Any, width: int) -> None:
    for reference in (0, 1, 1000, 65535):
        interval = [(reference - p(width) + k) % 65536 for k in range(1 << width)]
        assert all(lsb.can_decode(reference, value, width, p(width), 65536) for value in interval)
        assert not lsb.can_decode(reference, interval[-1] + 1, width, p(width), 65536)
        assert not lsb.can_decode(reference, interval[0] - 1, width, p(width), 65536)


def test_interpretation_offsets() -> None:
    assert [intervals.p_sn_rtp(k) for k in (4, 5, 6, 7, 9, 12, 14)] == [1, 0, 1, 3, 15, 127, 511]
    assert [intervals.p_ts(k) for k in (5, 6, 8)] == [7, 15, 63]
    assert [intervals.p_ts_timer(k) for k in (5, 6, 8)] == [15, 31, 127]


@pytest.mark.parametrize(("octets", "number"), [("00", 0), ("7f", 127), ("8080", 128), ("bfff", 16383), ("8005", 5)])
def test_large_cids(octets: str, number: int) -> None:
    assert cid.read_large_cid(Reader(bytes.fromhex(octets))) == number


@pytest.mark.parametrize("octets", ["c00000", "ffffffff"])
def test_large_cids_of_more_than_two_octets(octets: str) -> None:
    with pytest.raises(MalformedPacket, match="two are the limit"):
        cid.read_large_cid(Reader(bytes.fromhex(octets)))


def test_padding_is_not_an_add_cid_octet() -> None:
    assert not cid.is_add_cid(0xE0)
    assert all(cid.is_add_cid(octet) for octet in range(0xE1, 0xF0))
    assert not cid.is_add_cid(0xF0)


def test_profiles_that_the_judge_reads_are_those_of_its_families() -> None:
    assert {number: profile.name for number, profile in PROFILES.items()} == OF_RFC_3095


def test_the_framework_knows_no_family() -> None:
    sources = sorted(Path(cid.__file__).parent.glob("*.py"))
    assert len(sources) > 5
    for source in sources:
        assert "rohc.judge.v1" not in source.read_text(), source.name


def test_r_mode_is_of_one_family() -> None:
    mode = next(axis for axis in AXES if axis.name == "mode")
    assert [value.name for value in mode.values if value.can_go_with({"profile": "0x0001"})] == ["U", "O", "R"]
    assert [value.name for value in mode.values if value.can_go_with({"profile": "0x0006"})] == ["U", "O"]
