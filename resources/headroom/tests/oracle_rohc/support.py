# SPDX-License-Identifier: Apache-2.0
"""Parts that tests of the ROHC judge share: the vectors and streams made from them."""

from __future__ import annotations

from headroom.schemes.rohc.judge.v1 import vectors
from headroom.schemes.rohc.judge.v1.vectors import Vector

all_vectors = vectors.load
all_feedback = vectors.load_feedback


def stream(name: str) -> tuple[Vector, list[bytes], list[bytes]]:
    """A vector whose packets are all delivered, as (vector, originals, link packets)."""
    vector = all_vectors()[name]
    originals = [step.packet for step in vector.steps]
    assert None not in originals, f"{name} has packets that are not delivered"
    return vector, [packet for packet in originals if packet is not None], [step.link for step in vector.steps]


def patched(octets: bytes, at: int, *values: int) -> bytes:
    """`octets` with other values from position `at` on."""
    return octets[:at] + bytes(values) + octets[at + len(values) :]


def with_null_esp(ir: bytes) -> bytes:
    """An IR packet over IPv6 whose empty extension header list has become one with a null ESP header."""
    at = ir.index(bytes.fromhex("004000"), 40) + 2  # behind traffic class and hop limit
    return ir[:at] + bytes.fromhex("01 80 32") + bytes(8) + ir[at + 1 :]


def with_ipv4_checksum(packet: bytes) -> bytes:
    """A packet whose first header is IPv4 without options, its checksum put right."""
    words = [int.from_bytes(packet[at : at + 2], "big") for at in range(0, 20, 2) if at != 10]
    total = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return patched(packet, 10, *(total ^ 0xFFFF).to_bytes(2, "big"))
