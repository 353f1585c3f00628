# SPDX-License-Identifier: Apache-2.0
"""The hand-derived vectors against the judge: two derivations of the same RFCs, made apart, agree bit by bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.core import requirements
from headroom.core.errors import UsageError
from headroom.core.vectors import octets_of
from headroom.schemes.rohc.judge.framework.bits import Reader
from headroom.schemes.rohc.judge.framework.framing import SEGMENT, read
from headroom.schemes.rohc.judge.v1 import vectors
from headroom.schemes.rohc.judge.v1.decompressor import Decompressor
from headroom.schemes.rohc.judge.v1.packet import Packet
from headroom.tests.oracle_rohc.support import all_feedback, all_vectors


@pytest.mark.parametrize("name", all_vectors())
def test_fields_make_up_the_packet(name: str) -> None:
    for number, step in enumerate(all_vectors()[name].steps):
        assert octets_of(step.fields) == step.link, f"packet {number}"


@pytest.mark.parametrize("name", all_vectors())
def test_judge_agrees(name: str) -> None:
    vector = all_vectors()[name]
    decompressor = Decompressor(vector.parameters)
    for number, step in enumerate(vector.steps):
        outcome = decompressor.decompress(step.link, number * vectors.PACKET_INTERVAL_NS)
        where = f"packet {number}: {outcome.error or outcome.packet}"
        assert outcome.delivered == step.packet, where
        assert tuple(outcome.feedback) == step.passes_on, where
        if step.outcome == "discarded":
            assert outcome.error is not None and outcome.error.requirement == step.because, where
            continue
        assert outcome.error is None, where
        assert outcome.packet is not None
        if outcome.packet.kind != SEGMENT and vector.feature != "segmentation":
            judged = [(field.width, field.value) for field in outcome.packet.fields]
            explained = [(field.bits, field.value) for field in step.fields]
            assert judged == explained, f"packet {number}: the judge splits the packet otherwise"


@pytest.mark.parametrize("name", [*all_vectors(), *all_feedback()])
def test_requirements_are_known(name: str) -> None:
    known = requirements.load()
    vector = all_vectors().get(name) or all_feedback()[name]
    for one in vector.requirements:
        assert known.get_known(one, name)
    for step in getattr(vector, "steps", ()):
        assert step.because is None or known.get_known(step.because, name)


def delivered_packets() -> list[Packet]:
    found = []
    for vector in all_vectors().values():
        decompressor = Decompressor(vector.parameters)
        for step in vector.steps:
            outcome = decompressor.decompress(step.link)
            if outcome.error is None and outcome.packet is not None:
                found.append(outcome.packet)
    return found


def test_every_packet_type_and_extension_of_every_profile_is_covered() -> None:
    seen = set()
    for packet in delivered_packets():
        extension = packet.header.extension if packet.header else None
        number = packet.profile.number if packet.profile else None
        seen.add((number, packet.kind, extension.number if extension else None))
    rtp = {
        (1, kind, None)
        for kind in ("IR", "IR-DYN", "UO-0", "UO-1", "UO-1-ID", "UO-1-TS", "UOR-2", "UOR-2-ID", "UOR-2-TS")
    }
    rtp |= {(1, kind, number) for kind in ("UO-1-ID", "UOR-2", "UOR-2-ID", "UOR-2-TS") for number in range(4)}
    udp = {(2, kind, None) for kind in ("IR", "IR-DYN", "UO-0", "UO-1", "UOR-2")} | {(2, "UOR-2", n) for n in range(4)}
    ip = {(4, kind, None) for kind in ("IR", "IR-DYN", "UO-0", "UO-1", "UOR-2")} | {(4, "UOR-2", n) for n in (0, 1, 3)}
    esp = {(3, kind, None) for kind in ("IR", "IR-DYN", "UO-0", "UO-1", "UOR-2")} | {(3, "UOR-2", n) for n in range(4)}
    lite = {(8, kind, None) for kind in ("IR", "IR-DYN", "UO-0", "UO-1", "UOR-2")} | {(8, "UOR-2", 3)}
    lite |= {(7, kind, None) for kind in ("IR", "UO-0", "UO-1-TS")} | {(7, "UOR-2-TS", 3)}
    uncompressed = {(0, "IR", None), (0, "Normal", None)}
    assert not (rtp | udp | ip | esp | lite | uncompressed) - seen


def test_every_cce_packet_extends_every_type() -> None:
    seen = {(one.header.cce, one.kind.split("-")[1]) for one in delivered_packets() if one.header and one.header.cce}
    plain = {one.kind for one in delivered_packets() if one.header and one.header.cce == ""}
    assert {("ON", "0"), ("OFF", "0"), ("ON", "2"), ("OFF", "2"), ("OFF", "1")} <= seen
    assert {"UO-0", "UO-1", "UOR-2-TS"} <= plain


def test_every_flag_of_extension_3_is_covered() -> None:
    seen = {}
    for packet in delivered_packets():
        if packet.header and packet.header.extension and packet.header.extension.number == 3:
            for one in packet.fields:
                if one.width == 1:
                    seen.setdefault((packet.profile and packet.profile.number, one.name), set()).add(one.value)
    rtp = {
        "S",
        "R-TS",
        "Tsc",
        "I",
        "ip",
        "rtp",
        "TOS",
        "TTL",
        "DF",
        "NBO",
        "RND",
        "ip2",
        "TOS2",
        "TTL2",
        "DF2",
        "NBO2",
        "RND2",
    }
    rtp |= {"I2", "R-PT", "M", "R-X", "CSRC", "TSS", "R-P"}
    udp = {"S", "I", "ip", "ip2", "TOS", "TTL", "DF", "RND", "reserved", "TOS2", "TTL2"}
    for profile, names in ((1, rtp), (2, udp)):
        for name in names:
            wanted = {1} if name in ("TTL2", "TOS2") and profile == 2 else {0, 1}
            assert seen.get((profile, name), set()) >= wanted, f"profile {profile}, {name}"


@pytest.mark.parametrize("name", all_feedback())
def test_feedback_is_one_element(name: str) -> None:
    vector = all_feedback()[name]
    frame = read(Reader(vector.element), large_cids=vector.large_cids)
    assert len(frame.feedback) == 1, "one element, cut out by its length"


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (
            "after: uncompressed",
            "after: nowhere",
            r":\d+: /vectors/2/after: uncompressed-normal-ipv4: 'nowhere' is no prologue",
        ),
        ("outcome: delivered", "outcome: deliverd", r":\d+: .*deliverd"),
        (
            "Profile 8:0",
            "Profile 8:1",
            r":\d+: /prologues/uncompressed/packets/0/parts/0: uncompressed: octet 1 of the",
        ),
        ("parts: |", "fields: |", r":\d+: .*'fields' is not known here"),
        (
            "cut: [1, ",
            "cut: [1, 9",
            r":\d+: /vectors/\d+/packets/0/cut: [a-z-]+: a packet of \d+ octets cannot be cut to",
        ),
    ],
)
def test_a_file_that_is_not_valid(tmp_path: Path, before: str, after: str, sentence: str) -> None:
    text = (vectors.FOLDER / "uncompressed.yaml").read_text()
    assert before in text
    (tmp_path / "wrong.yaml").write_text(text.replace(before, after, 1))
    with pytest.raises(UsageError, match=rf"wrong\.yaml{sentence}"):
        vectors.load(tmp_path)


def test_a_folder_without_vectors(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no vectors"):
        vectors.load(tmp_path)
