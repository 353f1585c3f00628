# SPDX-License-Identifier: Apache-2.0
"""Whatever octets arrive: a packet, or a sentence. Never another exception, never a field that is not there."""

from __future__ import annotations

import random

import pytest

from headroom.schemes.rohc.judge import Decompressor, Parameters, RohcError, parse_packet
from headroom.schemes.rohc.judge.v1.decompressor import Outcome
from headroom.tests.oracle_rohc.support import all_vectors


def check_outcome(outcome: Outcome, link: bytes) -> None:
    fields = outcome.packet.fields if outcome.packet is not None else outcome.error.fields if outcome.error else []
    at = 0
    for field in fields:
        assert field.position == at, f"a gap before {field.name}"
        assert 0 <= field.value < 1 << field.width
        at += field.width
    if outcome.packet is not None and len(outcome.packet.octets) == len(link):
        assert at == 8 * len(link), "every bit has a name"
        assert outcome.packet.trace().count("\n") == len(fields)
    if outcome.error is not None:
        assert outcome.delivered is None
        assert outcome.error.sentence.endswith(".") and "RFC" in outcome.error.section


def established(name: str) -> tuple[Decompressor, list[bytes]]:
    vector = all_vectors()[name]
    decompressor = Decompressor(vector.parameters)
    for step in vector.steps[: max(vector.prologue, 1)]:
        decompressor.decompress(step.link)
    return decompressor, [step.link for step in vector.steps]


CONTEXTS = [
    "rtp-uo-0-next",
    "rtp-uo-0-udp-checksum",
    "rtp-uo-1-ipv6",
    "rtp-uo-1-random-ip-id",
    "rtp-uor-2-extension-3-inner-and-outer",
    "udp-uor-2-extension-3-all",
    "udp-uo-1-ipv6",
    "ip-three-ipv4",
    "ip-constant-ip-id",
    "uncompressed-normal-ipv4",
    "large-cid-300",
    "segments-of-ir",
]


@pytest.mark.parametrize("name", CONTEXTS)
def test_random_octets(name: str) -> None:
    rng = random.Random(name)
    decompressor, _ = established(name)
    for _ in range(1500):
        link = rng.randbytes(rng.randrange(0, 40))
        check_outcome(decompressor.decompress(link), link)


@pytest.mark.parametrize("name", CONTEXTS)
def test_flipped_bits(name: str) -> None:
    rng = random.Random(name)
    decompressor, links = established(name)
    for link in links * 40:
        octets = bytearray(link)
        for _ in range(rng.randrange(1, 4)):
            octets[rng.randrange(len(octets))] ^= 1 << rng.randrange(8)
        check_outcome(decompressor.decompress(bytes(octets)), bytes(octets))


@pytest.mark.parametrize("name", all_vectors())
def test_every_prefix_of_every_packet(name: str) -> None:
    vector = all_vectors()[name]
    decompressor = Decompressor(vector.parameters)
    for step in vector.steps[:6]:
        for length in range(len(step.link)):
            try:
                parse_packet(step.link[:length], decompressor.channel)
            except RohcError as error:
                check_outcome(Outcome(error=error), step.link[:length])
        decompressor.decompress(step.link)


def test_parsing_changes_nothing() -> None:
    decompressor, links = established("rtp-uor-2-rnd-set")
    before = decompressor.channel.contexts[0].copy()
    for link in links:
        parse_packet(link, decompressor.channel)
    assert decompressor.channel.contexts[0] == before


def test_a_refused_packet_changes_nothing() -> None:
    vector = all_vectors()["rtp-uor-2-wrong-crc"]
    decompressor = Decompressor(vector.parameters)
    decompressor.decompress(vector.steps[0].link)
    before = decompressor.channel.contexts[0].copy()
    assert decompressor.decompress(vector.steps[1].link).error is not None
    assert decompressor.channel.contexts[0] == before


def test_a_header_that_would_be_too_long() -> None:
    decompressor, links = established("rtp-uo-0-next")
    outcome = decompressor.decompress(links[1] + bytes(65536))
    assert outcome.error is not None and "too long" in outcome.error.sentence


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_cid": 16}, "small CIDs go from 0 to 15"),
        ({"large_cids": True, "max_cid": 16384}, "16383"),
        ({"mrru": -1}, "MRRU"),
    ],
)
def test_impossible_parameters(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Parameters(**arguments)
