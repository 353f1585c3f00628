# SPDX-License-Identifier: Apache-2.0
"""A pass is about the profile and the link that the cell is named after, or it says what it is not about."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.core import engine, profiles, replay
from headroom.schemes.rohc.interop import carried
from headroom.schemes.rohc.interop import cell as cells
from headroom.tests.interop import support


def call(folder: Path, build: str, source: str = "voip-g711-ipv4") -> str:
    capture = folder / "call.pcap"
    engine.run(
        "render", {"profile": profiles.load(source), "flows": 1, "packets": 60, "output": str(capture)}, build=build
    )
    return str(capture)


def test_a_capture_that_the_profile_cannot_compress(tmp_path: Path, real_build: str) -> None:
    one = support.cell("reference", "reference", real_build, call(tmp_path, real_build), profile="0x0003")
    result = support.result_of(one, support.store(tmp_path / "run"))
    assert result["verdict"] == "unsupported"
    assert result["reason"].startswith("No packet of this capture fits 0x0003 (ESP)")
    assert (tmp_path / "run" / result["capture"]).is_file()


@pytest.mark.parametrize("profile", ["0x0001", "0x0002", "0x0004"])
def test_a_capture_that_it_can(tmp_path: Path, real_build: str, profile: str) -> None:
    one = support.cell("reference", "reference", real_build, call(tmp_path, real_build), profile=profile)
    result = support.result_of(one, support.store(tmp_path / "run"))
    assert (result["verdict"], result["reason"]) == ("pass", "")


@pytest.mark.parametrize("profile", ["0x0001", "0x0003"])
def test_where_no_side_says_it_the_judge_reads_the_link(tmp_path: Path, real_build: str, profile: str) -> None:
    one = support.cell("reference", "reference", real_build, call(tmp_path, real_build), profile=profile)
    link = tmp_path / "link.pcapng"
    done = replay.run(cells.replace(cells.config_of(one), outputs={"link": link}))
    said = carried.unasked(one, done, link)
    for side in ("compressor", "decompressor"):
        del done.direction()[side]["profiles"]
    assert carried.unasked(one, done, link) == said and bool(said) == (profile != "0x0001")


def test_an_adapter_that_says_otherwise_than_its_link_is_not_believed(tmp_path: Path, real_build: str) -> None:
    """Cells of a profile passed although every packet went uncompressed: the compressor said that it used it."""
    one = support.cell("reference", "reference", real_build, call(tmp_path, real_build), profile="0x0003")
    link = tmp_path / "link.pcapng"
    done = replay.run(cells.replace(cells.config_of(one), outputs={"link": link}))
    for side in ("compressor", "decompressor"):
        done.direction()[side]["profiles"] = {"0x0003": 60}
    assert carried.unasked(one, done, link).startswith("No packet of this capture fits 0x0003 (ESP)")


def test_a_pass_that_is_about_few_packets_says_so(tmp_path: Path, real_build: str) -> None:
    one = support.cell("reference", "reference", real_build, call(tmp_path, real_build), profile="0x0003")
    done = replay.run(cells.config_of(one))
    done.direction()["compressor"]["profiles"] = {"0x0000": 57, "0x0003": 3}
    assert carried.remarks(one, done) == "Only 3 of 60 packets went by 0x0003."


@pytest.mark.parametrize(("link", "said"), [("ber-1e-5", "No bit was hit"), ("ber-1e-3", ""), ("clean", "")])
def test_a_link_with_bit_errors_that_hit_nothing(tmp_path: Path, real_build: str, link: str, said: str) -> None:
    one = support.cell("reference", "reference", real_build, "voip-gsm-ipv4", link, packets=20, profile="0x0001")
    store = support.store(tmp_path)
    result = support.result_of(one, store)
    assert result["verdict"] == "pass"
    assert result["reason"].startswith(said) and bool(result["reason"]) == bool(said)
    assert (store.folder / result["capture"]).is_file()
