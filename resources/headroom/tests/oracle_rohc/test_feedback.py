# SPDX-License-Identifier: Apache-2.0
"""Feedback: what it means, and what is wrong with it."""

from __future__ import annotations

import random

import pytest

from headroom.schemes.rohc.judge import check_feedback
from headroom.schemes.rohc.judge.framework.bits import Reader
from headroom.schemes.rohc.judge.framework.errors import RohcError
from headroom.schemes.rohc.judge.framework.framing import read
from headroom.schemes.rohc.judge.framework.parameters import Parameters
from headroom.schemes.rohc.judge.v1 import feedback
from headroom.schemes.rohc.judge.v1.profiles import PROFILES
from headroom.tests.oracle_rohc.support import all_feedback


def data_of(name: str) -> tuple[bytes, bool]:
    vector = all_feedback()[name]
    return read(Reader(vector.element), vector.large_cids).feedback[0], vector.large_cids


@pytest.mark.parametrize("name", [name for name, vector in all_feedback().items() if vector.means])
def test_meaning(name: str) -> None:
    data, large = data_of(name)
    parsed = feedback.parse(data, large)
    means = {
        "cid": parsed.cid,
        "kind": parsed.kind,
        "acktype": parsed.acktype,
        "sn": parsed.sn.value,
        "sn_bits": parsed.sn.width,
        "protected": parsed.is_protected,
    }
    if parsed.mode is not None:
        means["mode"] = feedback.mode_name(parsed)
    if parsed.options:
        means["options"] = [option.name for option in parsed.options]
    assert means == all_feedback()[name].means
    assert sum(field.width for field in parsed.fields) == 8 * len(data)
    assert parsed.sn_is_valid == ("SN-NOT-VALID" not in means.get("options", ()))


@pytest.mark.parametrize("name", [name for name, vector in all_feedback().items() if vector.because])
def test_wrong_feedback(name: str) -> None:
    data, large = data_of(name)
    found = check_feedback(data, Parameters(large_cids=large, max_cid=15))
    assert [remark.requirement for remark in found] == [all_feedback()[name].because]


@pytest.mark.parametrize("name", [name for name, vector in all_feedback().items() if vector.means])
def test_right_feedback_has_no_remarks(name: str) -> None:
    data, large = data_of(name)
    profile = {"context-memory": 4, "uncompressed-ack": 0}.get(name, 1)
    assert not check_feedback(data, Parameters(large_cids=large, max_cid=15), profile)


def without_crc(name: str) -> bytes:
    """The feedback data without its CRC option (Opt Type 1, Opt Len 1)."""
    data, _ = data_of(name)
    at = data.index(b"\x11", 2)
    return data[:at] + data[at + 2 :]


@pytest.mark.parametrize(
    ("name", "requirement"),
    [
        ("reject", "RFC3095-5.7.6.4-1"),
        ("clock", "RFC3095-5.7.6.7-1"),
        ("jitter", "RFC3095-5.7.6.8-1"),
        ("loss", "RFC3095-5.7.6.9-3"),
    ],
)
def test_options_that_need_a_crc(name: str, requirement: str) -> None:
    found = check_feedback(without_crc(name), Parameters(), 1)
    assert [remark.requirement for remark in found] == [requirement]


def test_mode_0_is_reserved() -> None:
    assert [one.requirement for one in check_feedback(b"\x00\x11", Parameters(), 1)] == ["RFC3095-5.7.6.1-4"]


@pytest.mark.parametrize("profile", [2, 4])
@pytest.mark.parametrize("name", ["clock", "jitter"])
def test_options_about_the_rtp_timestamp_are_for_rtp(profile: int, name: str) -> None:
    data, _ = data_of(name)
    assert [one.requirement for one in check_feedback(data, Parameters(), profile)] == ["RFC3095-5.11.6-1"]


@pytest.mark.parametrize("data", [b"\x01", b"\x20\x11"])
def test_profile_0_knows_one_feedback_only(data: bytes) -> None:
    assert [one.requirement for one in check_feedback(data, Parameters(), 0)] == ["RFC5795-5.4.5-1"]


def test_a_known_option_of_wrong_length() -> None:
    found = check_feedback(bytes.fromhex("201141"), Parameters())
    assert found[0].requirement == "RFC5795-5.2.3-4", "the option is cut short"
    found = check_feedback(bytes.fromhex("20114201aa"), Parameters())
    assert found[0].requirement == "RFC3095-5.7.6.2-1" and "length 2; it is 1" in found[0].sentence


def test_random_feedback_is_parsed_or_refused() -> None:
    rng = random.Random(5795)
    parsed = 0
    for _ in range(5000):
        data = rng.randbytes(rng.randrange(0, 12))
        large = bool(rng.getrandbits(1))
        try:
            result = feedback.parse(data, large)
        except RohcError as error:
            assert str(error).endswith(")") and error.requirement.startswith("RFC")
            continue
        parsed += 1
        for profile in (None, *PROFILES.values()):
            feedback.remarks(result, profile)
    assert parsed > 500
