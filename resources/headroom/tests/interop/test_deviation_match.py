# SPDX-License-Identifier: Apache-2.0
"""Declarations that single packets meet excuse those packets and what they did to their context, and nothing else.

What was on the link are hand-derived vectors; what became of it is made up.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headroom.core import deviations, implementations
from headroom.core.errors import UsageError
from headroom.core.implementations import Deviation
from headroom.core.matrix import Cell
from headroom.core.paths import DEFAULT_BUILD, build_folder
from headroom.schemes.rohc.interop import deviation_match, traffic
from headroom.schemes.rohc.interop.study import Study
from headroom.tests.interop import support
from headroom.tests.oracle_rohc.support import all_vectors
from headroom.tests.oracle_rohc.test_rules_updates import relying_on_uo_1_id

UO_1_ID = Deviation("Its UO-1-ID packets update all.", breaks=("RFC4815-6.2-1",))
NO_PAYLOAD = Deviation("It sends IR packets without payload.", breaks=("RFC3095-5.7.7-2",))
OUTER_ID = Deviation("It reads the outer IP-ID wrong.", fields=("TOS2=1", "I2=1"))
RIGHT, LOST, WRONG = "identical", "not_delivered", "mismatched"


def seen(channel: dict[str, Any], originals: list[bytes], link: list[bytes], verdicts: list[str]) -> Study:
    records = [
        {"packet": n, "direction": "forward", "verdict": verdict, "link": octets.hex(), "time_ns": 20_000_000 * n}
        for n, (octets, verdict) in enumerate(zip(link, verdicts, strict=True))
    ]
    wanted = SimpleNamespace(channel=channel, forward={})
    done = SimpleNamespace(records=records, config=wanted, promise_broken="")
    return Study(done, originals)  # type: ignore[arg-type]


def explained(study: Study, *known: Deviation, harmless: bool = True) -> list[str]:
    declared = [deviation_match.by_deviation("theirs", one) for one in known]
    return [one.sentence for one in deviation_match.explains(study, declared, harmless)]


# ---- a compressor's packets that break a requirement


def presumed(*verdicts: str, again: bool = False) -> Study:
    vector, originals, link = relying_on_uo_1_id()
    if again:
        originals, link = [*originals, originals[0], originals[0]], [*link, link[0], link[0]]
    return seen(vector.channel, originals, link, list(verdicts))


@pytest.mark.parametrize("verdict", [LOST, WRONG])
def test_a_packet_that_breaks_it(verdict: str) -> None:
    study = presumed(RIGHT, RIGHT, verdict)
    assert explained(study, NO_PAYLOAD, UO_1_ID) == [
        "Declared deviation of theirs: Its UO-1-ID packets update all.",
    ]


def test_another_deviation_excuses_nothing() -> None:
    assert explained(presumed(RIGHT, RIGHT, LOST), NO_PAYLOAD) == []


def test_nor_is_a_packet_before_it_excused() -> None:
    assert explained(presumed(RIGHT, LOST, LOST), UO_1_ID) == []


def test_what_comes_behind_it_is_excused_until_an_ir_packet_comes_out() -> None:
    assert explained(presumed(RIGHT, RIGHT, LOST, LOST, RIGHT, again=True), UO_1_ID)
    assert explained(presumed(RIGHT, RIGHT, LOST, RIGHT, LOST, again=True), UO_1_ID) == []


def test_what_the_judge_restores_may_be_missing_behind_it_but_not_wrong() -> None:
    assert explained(presumed(RIGHT, RIGHT, LOST, WRONG, RIGHT, again=True), UO_1_ID) == []


def test_packets_without_payload_in_ir() -> None:
    vector = all_vectors()["udp-ir-without-payload"]
    ir, uo_0 = [step.link for step in vector.steps]
    original = vector.steps[1].packet
    assert original is not None
    first = original[:4] + bytes.fromhex("2000") + original[6:10] + bytes.fromhex("2e9a") + original[12:]
    assert explained(seen(vector.channel, [first, original], [ir, uo_0], [LOST, RIGHT]), NO_PAYLOAD)
    assert explained(seen(vector.channel, [first, original], [ir, uo_0], [LOST, WRONG]), NO_PAYLOAD) == []


def test_over_a_bad_link_what_the_link_lost_needs_no_excuse() -> None:
    """What nobody could restore does, and what came out wrong."""
    assert explained(presumed(RIGHT, LOST, LOST), UO_1_ID, harmless=False)
    assert explained(presumed(RIGHT, WRONG, LOST), UO_1_ID, harmless=False) == []


def test_without_a_judge_nothing_is_excused() -> None:
    study = presumed(RIGHT, RIGHT, LOST)
    study.done.config.channel = {**study.done.config.channel, "profiles": ["0x0006"]}
    assert explained(study, UO_1_ID) == []


# ---- a decompressor that reads fields wrong, and features that are not declared


def outer(verdict: str) -> Study:
    vector = all_vectors()["udp-uor-2-extension-3-all"]
    originals = [step.packet or b"" for step in vector.steps]
    return seen(vector.channel, originals, [step.link for step in vector.steps], [RIGHT, verdict])


@pytest.mark.parametrize("verdict", [LOST, WRONG])
def test_a_packet_with_all_the_fields(verdict: str) -> None:
    assert explained(outer(verdict), OUTER_ID)
    assert explained(outer(verdict), Deviation("It cannot.", fields=("TOS2=1", "I2=0"))) == []
    assert explained(outer(verdict), Deviation("It cannot.", fields=("TOS2", "CSRC"))) == []


def test_a_long_payload_is_no_number() -> None:
    vector = all_vectors()["udp-uor-2-extension-3-all"]
    link = [step.link + b"\xff" * 9000 for step in vector.steps]
    study = seen(vector.channel, [b""] * len(link), link, [RIGHT, LOST])
    assert explained(study, OUTER_ID)
    assert explained(study, Deviation("It cannot.", fields=("payload=1",))) == []


def cell(decompressor: str, profile: str) -> Cell:
    return support.cell("reference", decompressor, DEFAULT_BUILD, "theirs.pcap", profile=profile)


def settled(cell: Cell, study: Study) -> dict[str, Any]:
    """What declarations make of a cell that failed."""
    result = cell.result(verdict="fail", reason="It went wrong.")
    return deviations.settle(cell, result, lambda declared: deviation_match.explained(cell, study, declared))


@pytest.mark.parametrize(
    ("vector", "profile", "feature"),
    [
        ("csrc-insertion-ignored", "0x0001", traffic.LISTS),
        ("ext-ir-three-types", "0x0002", traffic.EXTENSION_HEADERS),
        ("ip-three-mixed", "0x0004", traffic.ADDITIONAL_IP_HEADERS),
    ],
)
def test_a_feature_that_the_decompressor_does_not_declare(vector: str, profile: str, feature: str) -> None:
    one = all_vectors()[vector]
    steps = one.steps
    study = seen(
        one.channel, [step.packet or b"" for step in steps], [step.link for step in steps], [LOST] * len(steps)
    )
    said = settled(cell("librohc", profile), study)
    assert said["verdict"] == "unsupported"
    assert said["reason"].startswith(f"librohc does not declare feature {feature}, which reference uses")
    assert said["reason"].endswith("Here: It went wrong.")
    assert settled(cell("reference", profile), study) == {}


def test_a_packet_without_the_feature_is_not_excused() -> None:
    assert settled(cell("librohc", "0x0001"), presumed(RIGHT, RIGHT, LOST)) == {}


# ---- whether it is still so


def declaring(root: Path, build: str, more: str) -> str:
    """The reference under another name."""
    library = build_folder(build) / "lib" / "reference.so"
    return support.implementation(
        root, "theirs", f"adapter: {{library: {library}}}", profiles='"0x0000", "0x0001"', wire="", more=more
    )


@pytest.mark.parametrize(
    ("deviation", "verdict"),
    [
        ("fields: [UO-0=0]", "fail"),  # each UO-0 packet has it, and all of them come out right
        ("fields: [UO-0=1]", "pass"),
        ("breaks: [RFC4815-6.2-1]", "pass"),  # which no packet does
    ],
)
def test_fields_that_are_read_right_after_all(tmp_path: Path, real_build: str, deviation: str, verdict: str) -> None:
    more = f"deviations:\n  - {deviation}\n    reason: It is known to do so.\n"
    theirs = declaring(tmp_path / "who", real_build, more)
    one = support.cell("reference", theirs, real_build, "voip-gsm-ipv4", packets=40, profile="0x0001")
    result = support.result_of(one, support.store(tmp_path / "run"))
    assert result["verdict"] == verdict
    assert ("remove the declaration" in result["reason"]) == (verdict == "fail")


def test_a_requirement_that_is_not_there(tmp_path: Path, real_build: str) -> None:
    more = "deviations:\n  - breaks: [RFC4815-6.2-99]\n    reason: It is known to do so.\n"
    with pytest.raises(UsageError, match=r"there is no requirement 'RFC4815-6\.2-99'"):
        implementations.find(declaring(tmp_path, real_build, more))
