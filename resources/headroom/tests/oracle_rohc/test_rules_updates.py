# SPDX-License-Identifier: Apache-2.0
"""What a compressor may build on: whole lists in chains, and of UO-1-ID packets nothing but what they update. The
streams are hand-derived vectors, continued as a compressor would that reads the RFC otherwise."""

from __future__ import annotations

import pytest

from headroom.schemes.rohc.judge import Finding, check_stream
from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.v1 import headers
from headroom.schemes.rohc.judge.v1.vectors import Vector
from headroom.tests.oracle_rohc.support import patched, stream

PRESUMED = "RFC4815-6.2-1"


def uo_0(sn: int, original: bytes) -> bytes:
    """A UO-0 packet of a stream over IPv4, UDP without checksum and RTP: RFC 3095, 5.7.1 and 5.9.2."""
    checksum = crc.of_width(3, headers.crc_input(original[:40], (4, "UDP", "RTP")))
    return bytes([(sn & 15) << 3 | checksum]) + original[40:]


def findings(vector: Vector, originals: list[bytes], link: list[bytes]) -> list[Finding]:
    return check_stream(originals, link, parameters=vector.parameters)


def relying_on_uo_1_id() -> tuple[Vector, list[bytes], list[bytes]]:
    """TS_STRIDE becomes 240 in a UO-1-ID packet, and the next packet's TS is 240 on, not 160 as the context has it."""
    vector, originals, link = stream("rtp-uo-1-id-extension-3-stride-not-kept")
    assert originals[-1][32:36] == bytes.fromhex("00027588")
    originals[-1] = patched(originals[-1], 32, *bytes.fromhex("000275d8"))
    link[-1] = uo_0(10, originals[-1])
    return vector, originals, link


def test_the_packet_of_the_vector_is_what_the_test_would_make() -> None:
    _, originals, link = stream("rtp-uo-1-id-extension-3-stride-not-kept")
    assert uo_0(10, originals[-1]) == link[-1]


def test_a_packet_that_rests_on_the_extension_of_uo_1_id() -> None:
    vector, originals, link = relying_on_uo_1_id()
    (one,) = findings(vector, originals, link)
    assert (one.requirement, one.packet) == (PRESUMED, len(link) - 1)
    assert "UO-1-ID" in one.sentence


def test_another_difference_has_its_own_rule() -> None:
    vector, originals, link = relying_on_uo_1_id()
    originals[-1] = patched(originals[-1], 32, *bytes.fromhex("000275d9"))  # neither 160 nor 240
    assert PRESUMED not in {one.requirement for one in findings(vector, originals, link)}


def test_an_ir_packet_ends_what_was_presumed() -> None:
    vector, originals, link = relying_on_uo_1_id()
    originals.insert(-1, originals[0])
    link.insert(-1, link[0])
    assert PRESUMED not in {one.requirement for one in findings(vector, originals, link)}


def ir_dyn(ir_original: bytes, sn: int, lists: str) -> bytes:
    """An IR-DYN packet for UDP over IPv6 (RFC 3095, 5.7.7.2 and 5.7.7.3): traffic class, hop limit, list, checksum,
    SN."""
    parsed = headers.parse(ir_original, ("UDP",), protocols=())
    assert parsed is not None
    checksum = ir_original[parsed.udp + 6 : parsed.udp + 8]
    chain = bytes([0, ir_original[7]]) + bytes.fromhex(lists) + checksum + sn.to_bytes(2, "big")
    header = bytes([0xF8, 0x02, 0]) + chain
    return patched(header, 2, crc.crc8(header)) + ir_original[parsed.end :]


@pytest.mark.parametrize("items", [0, 3])
def test_an_ir_dyn_packet_with_an_empty_list_for_a_packet_that_has_headers(items: int) -> None:
    vector, originals, link = stream("ext-ir-three-types")
    originals, link = originals[:1], link[:1]
    parsed = headers.parse(originals[0], ("UDP",), protocols=())
    assert parsed is not None and len(parsed.ips[0].extensions) == 3
    whole = "03 89 a0" + b"".join(one.item for one in parsed.ips[0].extensions).hex()  # PS = 0; indexes 0, 1, 2
    sn = int.from_bytes(link[0][-len(originals[0]) + parsed.end - 2 :][:2], "big")
    link.append(ir_dyn(originals[0], sn + 1, whole if items else "00"))
    originals.append(originals[0])
    found = [(one.requirement, one.packet) for one in findings(vector, originals, link)]
    assert found == ([] if items else [("RFC3095-5.7.7.3-3", 1)])
