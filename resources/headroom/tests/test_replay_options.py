# SPDX-License-Identifier: Apache-2.0
"""Named arguments of `Replay …` become a job; a typing error is never ignored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headroom.core import implementations, replay, replay_options
from headroom.core.errors import UsageError
from headroom.core.options import seed_of
from headroom.core.paths import IMPLEMENTATIONS
from headroom.core.text import some
from headroom.keywords.load import target_of
from headroom.schemes.rohc.scheme import SCHEME
from headroom.tests.runs import replay_of, run_of


def wanted(**named: str) -> replay.ReplayConfig:
    return replay_options.config_of(SCHEME, "voip-amr-nb-ipv6", named, run_of(seed=3))


def test_everything_finds_its_place() -> None:
    channel = {"mode": "O", "cids": "large", "max_cid": "100", "profiles": "0x0001, 0x0002", "mrru": "500"}
    link = {"loss": "0.1", "ber": "0.001", "header_errors": "deliver", "drop": "5,8-10", "flip": "7:3,9:0"}
    order = {"delay": "1.5", "reorder": "0.2", "depth": "3", "burst_loss": "0.01:0.3:0.9"}
    back = {"feedback": "own", "feedback_loss": "0.2", "feedback_delay": "20", "reverse": "yes", "reverse_loss": "0.3"}
    traffic = {"flows": "4", "burst": "8", "duration": "2.5", "timeout": "7", "decompressor": "none"}
    options = {"compressor_options": "repeats=5;fast=yes;name=x;share=0.5"}
    made = wanted(**channel, **link, **order, **back, **traffic, **options)
    assert made.channel == {"mode": "O", "cids": "large", "max_cid": 100, "profiles": ["0x0001", "0x0002"], "mrru": 500}
    assert made.forward == {
        "loss": 0.1,
        "ber": 0.001,
        "header_errors": "deliver",
        "drop": [5, 8, 9, 10],
        "flip": [{"packet": 7, "bit": 3}, {"packet": 9, "bit": 0}],
        "delay_ns": 1_500_000,
        "reorder": {"probability": 0.2, "depth": 3},
        "burst_loss": {"good_to_bad": 0.01, "bad_to_good": 0.3, "loss_good": 0.0, "loss_bad": 0.9},
    }
    assert made.feedback == {"path": "own", "loss": 0.2, "delay_ns": 20_000_000}
    assert made.backward == {"loss": 0.3}
    assert (made.flows, made.burst, made.reverse, made.timeout_s, made.seed) == (4, 8, True, 7.0, 3)
    assert (made.duration_s, made.packets, made.decompressor) == (2.5, None, None)
    assert made.compressor_options == {"repeats": 5, "fast": True, "name": "x", "share": 0.5}


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ({"los": "0.1"}, "'los' is not known here; 'loss' is meant?"),
        ({"zzzzz": "1"}, "'zzzzz' is not known here. Known: mode"),
        ({"loss": "much"}, "loss=much is not valid"),
        ({"flows": "1.5"}, "flows=1.5 is not valid"),
        ({"reverse": "perhaps"}, "'perhaps' is neither yes nor no"),
        ({"loss": "nan"}, "loss=nan is not valid: a finite number was expected"),
        ({"delay": "inf"}, "delay=inf is not valid: a finite number was expected"),
        ({"duration": "0"}, "duration=0 is not valid: a number of seconds above 0 was expected"),
        ({"timeout": "-1"}, "timeout=-1 is not valid: a number of seconds above 0 was expected"),
        ({"drop": "5-"}, "'5-' is not a packet number or range"),
        ({"drop": "5-2"}, "'5-2' is not a range: it ends before it begins"),
        ({"drop": "1-99999999999"}, "'1-99999999999' names more than 1,000,000 packets"),
        ({"flip": "7"}, "'7' is not of the form packet:bit"),
        ({"slots": "188:x"}, "not of the form packet_octets:buffer_packets:buffers:receiver_buffer_packets"),
        ({"slots": "1:2:3:4:5"}, "not of the form packet_octets:buffer_packets:buffers"),
        ({"burst_loss": "0.1:0.2"}, "not of the form good_to_bad:bad_to_good:loss_bad"),
        ({"compressor_options": "fast"}, "'fast' is not of the form name=value"),
        ({"seed": "-4"}, "The seed must be between"),
    ],
)
def test_typing_errors(named: dict[str, str], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence.replace("?", r"\?").replace("(", r"\(")):
        wanted(**named)


def test_octets() -> None:
    assert replay_options.octets("45 00:0a\nFF") == "45000aff"
    for text in ("4", "4g", "0x45"):
        with pytest.raises(UsageError, match="not a row of hexadecimal octets"):
            replay_options.octets(text)


def test_some_of_a_list() -> None:
    assert some([]) == "nothing"
    assert some(list(range(10)), 3) == "0, 1, 2 and 7 more"


@pytest.mark.parametrize("text", ["", "x", "1.5", "-1", str(2**63), None])
def test_seeds_that_are_none(text: Any) -> None:
    with pytest.raises(UsageError, match="seed must be"):
        seed_of(text)


def test_targets() -> None:
    assert target_of("30 %") == 0.3
    assert target_of("no missed tick") is None
    for text in ("", "most", "0 %", "100 %", "-5 %"):
        with pytest.raises(ValueError, match="load"):
            target_of(text)


# ---- jobs


def test_a_job_for_the_engine() -> None:
    job = replay.job(wanted(mode="O", loss="0.1"))
    assert job["link"] == {"forward": {"loss": 0.1}, "feedback": {"path": "own"}}
    assert job["compressor"]["config"]["mode"] == "O"
    assert "feedback" not in job["compressor"]["config"]
    assert job["source"]["packets"] == 1000


def test_unidirectional_mode_has_no_way_back() -> None:
    job = replay.job(wanted(mode="U"))
    assert job["link"]["feedback"] == {"path": "none"}
    assert job["decompressor"]["config"]["feedback"] is False


def test_a_run_may_begin_or_end_at_the_link() -> None:
    assert "decompressor" not in replay.job(wanted(decompressor="none"))
    assert "feedback" not in replay.job(wanted(decompressor="none"))["link"]


def test_a_capture_that_is_not_there() -> None:
    with pytest.raises(UsageError, match=r"There is no capture none\.pcap"):
        replay.job(replay_of(source="none.pcap"))


def test_the_first_difference_is_shown_with_its_surroundings() -> None:
    difference = {
        "packet": 7,
        "first_difference": 5,
        "expected": "000102030405060708",
        "got": "0001020304ff060708",
    }
    document = {"forward": {"mismatch_list": [difference]}}
    sentence = replay.Replay(wanted(), document).first_difference()
    assert sentence == (
        "packet 8 came out different from octet 5 on: "
        "expected … 01 02 03 04 [05] 06 07 08, got … 01 02 03 04 [ff] 06 07 08"
    )


def test_of_several_modes_the_first_is_asked_that_both_sides_have(tmp_path: Path) -> None:
    """An implementation that has U-mode alone is asked in U-mode whatever U-mode serves."""
    document = implementations.read_declarations(IMPLEMENTATIONS / "reference").data
    document["name"] = "u-alone"
    next(one for one in document["capabilities"] if one["scheme"] == "rohc")["modes"] = ["U"]
    (tmp_path / "u-alone").mkdir()
    (tmp_path / "u-alone" / "implementation.yaml").write_text(json.dumps(document), encoding="utf-8")
    alone = str(tmp_path / "u-alone")

    def mode(text: str, **settings: str) -> str:
        return str(replay_options.config_of(SCHEME, "rtp-ipv4", {"mode": text}, run_of(**settings)).channel["mode"])

    assert mode("O or U") == "O"
    assert mode("O or U", compressor=alone) == mode("O or U", decompressor=alone) == "U"
    assert mode("O or R", compressor=alone) == "O"  # which it then does not declare


def test_slots_are_named_in_order() -> None:
    assert replay_options.slots("188") == {"packet_octets": 188}
    assert replay_options.slots("188:6:3:32") == {
        "packet_octets": 188,
        "buffer_packets": 6,
        "buffers": 3,
        "receiver_buffer_packets": 32,
    }
