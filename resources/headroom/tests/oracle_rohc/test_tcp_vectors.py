# SPDX-License-Identifier: Apache-2.0
"""The hand-derived vectors of ROHC-TCP: their fields, CRCs and requirements, and what the judge makes of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from headroom.core import requirements
from headroom.core.vectors import Field, octets_of
from headroom.schemes.rohc.judge import Decompressor, RohcError
from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.tcp.feedback import OPTIONS, read_feedback, remarks
from headroom.schemes.rohc.judge.v1 import vectors
from headroom.schemes.rohc.judge.v1.vectors import FeedbackVector, Step, Vector

FOLDER = vectors.FOLDER / "tcp"
PACKETS, FEEDBACK = vectors.load(FOLDER), vectors.load_feedback(FOLDER)


def fields(step: Step, name: str) -> Iterator[Field]:
    return (field for field in step.fields if field.name == name)


def payload(step: Step) -> bytes:
    return b"".join(field.value.to_bytes(field.bits // 8) for field in fields(step, "payload"))


def checksum_of(header: bytes) -> int:
    """The checksum in the TCP header at the end of all headers, found by its data offset."""
    (size,) = (size for size in range(20, 64, 4) if size < len(header) and header[-size:][12] == size // 4 << 4)
    return int.from_bytes(header[-size:][16:18])


@pytest.mark.parametrize("name", PACKETS)
def test_fields_and_crcs_over_the_header(name: str) -> None:
    for number, step in enumerate(PACKETS[name].steps):
        assert octets_of(step.fields) == step.link, f"packet {number}"
        if step.packet is None:
            continue
        assert step.packet.endswith(payload(step))
        header = step.packet[: len(step.packet) - len(payload(step))]
        over_header = [*fields(step, "header CRC"), *fields(step, "CRC7")]
        assert all(one.value == crc.of_width(one.bits, header) for one in over_header), f"packet {number}"
        (checksum,) = fields(step, "checksum")
        assert checksum.value == checksum_of(header), f"packet {number}"


@pytest.mark.parametrize("name", PACKETS)
def test_crc_8(name: str) -> None:
    """A packet with a CRC-8 has the one over its header, the field itself zero, or is discarded because it has not."""
    for number, step in enumerate(PACKETS[name].steps):
        before = 0
        for field in step.fields:
            if field.name == "CRC":
                at = before // 8
                whole = step.link[:at] + b"\0" + step.link[at + 1 : len(step.link) - len(payload(step))]
                wrong = name.endswith(("wrong-crc-8", "ir-wrong-crc", "truncated"))
                assert (field.value == crc.crc8(whole)) != (wrong and step.packet is None), f"packet {number}"
            before += field.bits


@pytest.mark.parametrize("name", FEEDBACK)
def test_feedback(name: str) -> None:
    vector = FEEDBACK[name]
    assert octets_of(vector.fields) == vector.element
    assert vector.element[0] == 0xF0 + len(vector.element) - 1
    before = 0
    for field in vector.fields:
        if field.name == "CRC":
            at = before // 8
            right = crc.crc8(vector.element[1:at] + b"\0" + vector.element[at + 1 :])
            assert (field.value == right) == (name != "tcp-feedback-wrong-crc")
        before += field.bits


@pytest.mark.parametrize("name", [*PACKETS, *FEEDBACK])
def test_requirements_are_known(name: str) -> None:
    vector: Vector | FeedbackVector = PACKETS.get(name) or FEEDBACK[name]
    named = {*vector.requirements}
    named |= {step.because for step in getattr(vector, "steps", ()) if step.because}
    assert all(requirements.load().get_known(one, name) for one in named)


@pytest.mark.parametrize("name", PACKETS)
def test_judge_agrees(name: str) -> None:
    decompressor = Decompressor(PACKETS[name].parameters)
    for number, step in enumerate(PACKETS[name].steps):
        outcome = decompressor.decompress(step.link)
        where = f"packet {number}: {outcome.error or outcome.packet}"
        assert outcome.delivered == step.packet, where
        if step.outcome == "discarded":
            assert outcome.error is not None and outcome.error.requirement == step.because, where
        else:
            assert outcome.packet is not None and outcome.error is None, where
            assert octets_of([Field(one.name, one.width, one.value) for one in outcome.packet.fields]) == step.link


@pytest.mark.parametrize("name", FEEDBACK)
def test_judge_agrees_on_feedback(name: str) -> None:
    vector = FEEDBACK[name]
    if vector.because is not None:
        with pytest.raises(RohcError) as error:
            read_feedback(vector.element[1:], vector.large_cids)
        assert error.value.requirement == vector.because
        assert remarks(vector.element[1:], vector.large_cids)
        return
    assert not remarks(vector.element[1:], vector.large_cids)
    found = read_feedback(vector.element[1:], vector.large_cids)
    assert vector.means is not None
    means = {"kind": found.format, "acktype": found.acktype, "cid": found.cid}
    means |= {"sn": found.msn, "sn_bits": found.width, "protected": found.width != 8}
    assert means | {"options": [OPTIONS[one] for one in sorted(found.options)]} == {"options": []} | vector.means


def test_every_format_is_there() -> None:
    formats = {"IR", "IR-DYN", "IR-CR", "co_common", *(f"{kind}_{n}" for kind in ("seq", "rnd") for n in range(1, 9))}
    delivered = [step for vector in PACKETS.values() for step in vector.steps if step.packet is not None]
    assert formats <= {field.name for step in delivered for field in step.fields}
