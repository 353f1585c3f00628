# SPDX-License-Identifier: Apache-2.0
"""Cells with good and with broken adapters: verdict, signature, the packets that show it, and that the run goes on."""

from __future__ import annotations

import gzip
import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from headroom.core import engine, implementations, matrix, replay
from headroom.core.captures import engine_pcapng
from headroom.schemes.rohc.interop import cell
from headroom.tests.interop import support
from headroom.tests.interop.support import result_of


def test_a_cell_that_passes_has_its_figures_and_its_capture(tmp_path: Path, real_build: str) -> None:
    store = support.store(tmp_path)
    one = support.cell("reference", "reference", real_build, "voip-amr-nb-ipv4", profile="0x0001", packets=100)
    result = result_of(one, store)
    assert (result["verdict"], result["reason"], result["signature"]) == ("pass", "", "")
    assert (result["packets"], result["delivered"]) == (100, 100)
    assert 1 <= result["header_bytes"] < 40
    assert set(result["ns_per_packet"]) == {"compress", "decompress"}
    octets = gzip.decompress((tmp_path / result["capture"]).read_bytes())
    copy = tmp_path / "link.pcapng"
    copy.write_bytes(octets)
    assert len(list(engine_pcapng.read(copy))) == 100
    assert "evidence" not in result


@pytest.mark.parametrize("link", ["loss-1", "burst-loss", "ber-1e-3", "reorder-2", "feedback-lost"])
def test_the_reference_over_bad_links(tmp_path: Path, real_build: str, link: str) -> None:
    one = support.cell(
        "reference", "reference", real_build, "voip-amr-nb-ipv6", link, packets=300, profile="0x0001", mode="O"
    )
    result = result_of(one, support.store(tmp_path))
    assert result["verdict"] == "pass", result["reason"]
    assert (result["lost"] > 0) == (link in ("loss-1", "burst-loss", "ber-1e-3"))


def test_a_decompressor_that_spoils_an_octet(tmp_path: Path, real_build: str) -> None:
    broken = support.faulty(tmp_path / "who", real_build, "spoils_an_octet")
    result = result_of(support.cell("null", broken, real_build), support.store(tmp_path / "run"))
    assert result["verdict"] == "fail"
    assert "60 of 60 packets came out wrong" in result["reason"]
    # The last octet of the payload differs, and a copy is no ROHC: the judge says so.
    assert "comes out wrong · payload" in result["signature"]
    assert "the judge refuses it" in result["signature"]
    assert result["first"] == 0
    assert result["minimised"]["packets"] == 1
    run = tmp_path / "run"
    assert len(list(engine_pcapng.read(run / result["minimised"]["capture"]))) == 1
    evidence = (run / result["evidence"]).read_text()
    assert "went in" in evidence
    assert "came out" in evidence
    assert "* payload" in evidence
    assert result["command"] in evidence
    job = json.loads((run / result["minimised"]["job"]).read_text())
    again = engine.run("replay", job, build=real_build)
    assert again["forward"]["verdicts"]["mismatched"] == 1


def test_a_decompressor_that_fails_in_company_alone_is_not_at_fault(
    tmp_path: Path, real_build: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compressor, in the same process, may have damaged it."""
    one = support.cell("reference", "null", real_build, "voip-amr-nb-ipv4", profile="0x0001", packets=20)
    assert result_of(one, support.store(tmp_path / "run"))["signature"].endswith("the judge restores it")
    copies, run = implementations.find("null"), replay.run

    def in_company(config: replay.ReplayConfig) -> replay.Replay:
        return run(replace(config, decompressor=copies) if config.compressor and config.decompressor else config)

    monkeypatch.setattr(replay, "run", in_company)
    one = support.cell("reference", "reference", real_build, "voip-amr-nb-ipv4", profile="0x0001", packets=20)
    result = result_of(one, support.store(tmp_path / "again"))
    assert result["verdict"] == "fail"
    assert result["signature"].endswith("restores it, and so does the decompressor in an engine of its own")


def test_a_promise_that_a_decompressor_keeps_alone(
    tmp_path: Path, real_build: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = replay.run
    broken = {"side": "decompressor", "function": "decompress", "packet": None, "message": "it returned 2."}

    def in_company(config: replay.ReplayConfig) -> replay.Replay:
        result = run(config)
        both = config.compressor and config.decompressor
        return replace(result, document=result.document | {"promise_broken": broken}) if both else result

    monkeypatch.setattr(replay, "run", in_company)
    one = support.cell("reference", "reference", real_build, "voip-amr-nb-ipv4", profile="0x0001", packets=20)
    result = result_of(one, support.store(tmp_path))
    assert result["verdict"] == "error"
    assert result["signature"].endswith("it returned N., but none in an engine of its own")


def test_the_command_of_a_minimised_failure_repeats_it(tmp_path: Path, real_build: str) -> None:
    broken = support.faulty(tmp_path / "who", real_build, "spoils_an_octet")
    result = result_of(support.cell("null", broken, real_build), support.store(tmp_path / "run"))
    said = result["minimised"]["command"]
    assert said.startswith("./headroom replay ")
    import shlex

    from headroom.cli.replay import replay_command  # noqa: F401  (the command is there)
    from headroom.core.paths import ROOT

    done = subprocess.run(shlex.split(said) + ["--build", real_build], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "1 packets came out different" in done.stderr


@pytest.mark.parametrize(
    ("fault", "as_compressor", "signature"),
    [
        ("aborts_on_garbage", False, "decompressor · crash by SIGABRT"),
        ("aborts_on_garbage", True, "compressor · crash by SIGABRT"),
        ("exits_on_garbage", False, "decompressor · ends the engine's process"),
        ("forks_on_garbage", False, "decompressor · leaves a process behind"),
    ],
)
def test_a_side_that_dies(tmp_path: Path, real_build: str, fault: str, as_compressor: bool, signature: str) -> None:
    profile = tmp_path / "garbage.yaml"
    profile.write_text(support.GARBAGE)
    broken = support.faulty(tmp_path / "who", real_build, fault)
    pair = (broken, "null") if as_compressor else ("null", broken)
    store = support.store(tmp_path / "run")
    result = result_of(support.cell(*pair, real_build, str(profile), packets=12), store)
    assert result["verdict"] == "error"
    assert result["signature"] == signature
    assert result["minimised"]["packets"] == 1
    assert (store.folder / result["minimised"]["job"]).is_file()
    assert signature.split(" · ")[0] in (store.folder / result["evidence"]).read_text()


@pytest.mark.parametrize(
    ("dies", "side"),
    [(("compressor",), "compressor"), (("decompressor",), "decompressor"), (("compressor", "decompressor"), "both")],
)
def test_neither_side_is_blamed_for_what_it_does_beside_the_other_alone(
    monkeypatch: pytest.MonkeyPatch, dies: tuple[str, ...], side: str
) -> None:
    """An adapter can see the other in its process, and end it, or damage it, there alone."""

    def run(config: replay.ReplayConfig) -> None:
        if all(getattr(config, name) for name in dies):
            raise engine.EngineFailure("crash", "It died.")

    monkeypatch.setattr(cell.replay, "run", run)
    config = replay.ReplayConfig("rohc", compressor=implementations.null(), decompressor=implementations.null())
    assert cell._side(config, engine.EngineFailure("crash", "It died.")) == side


def test_a_decompressor_that_the_compressor_keeps_from_being_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that held all descriptors had its partner blamed, whose library could not be opened."""

    def run(config: replay.ReplayConfig) -> None:
        if config.compressor:
            raise engine.EngineFailure("tampered", "x cannot be written: Too many open files.")

    monkeypatch.setattr(cell.replay, "run", run)
    config = replay.ReplayConfig("rohc", compressor=implementations.null(), decompressor=implementations.null())
    failure = engine.EngineFailure("refused", "It does not load: Too many open files.", "/decompressor/library")
    assert cell._side(config, failure) == "compressor"


def test_a_hang_ends(tmp_path: Path, real_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headroom.schemes.rohc.interop.cell.PATIENCE_S", 1.0)
    monkeypatch.setattr("headroom.core.scheme_kit.minimise.MOST_TRIALS", 2)
    profile = tmp_path / "garbage.yaml"
    profile.write_text(support.GARBAGE)
    broken = support.faulty(tmp_path / "who", real_build, "hangs_on_garbage")
    result = result_of(support.cell("null", broken, real_build, str(profile), packets=2), support.store(tmp_path))
    assert (result["verdict"], result["signature"]) == ("error", "decompressor · hang")


@pytest.mark.parametrize(
    ("fault", "as_compressor", "words"),
    [
        ("claims_too_many_octets", True, ["compressor", "broken promise in compress"]),
        ("claims_success_without_octets", False, ["decompressor", "broken promise in decompress"]),
        ("throws_on_garbage", False, ["decompressor", "broken promise in decompress"]),
    ],
)
def test_a_broken_promise(tmp_path: Path, real_build: str, fault: str, as_compressor: bool, words: list[str]) -> None:
    profile = tmp_path / "garbage.yaml"
    profile.write_text(support.GARBAGE)
    broken = support.faulty(tmp_path / "who", real_build, fault)
    pair = (broken, "null") if as_compressor else ("null", broken)
    result = result_of(support.cell(*pair, real_build, str(profile), packets=12), support.store(tmp_path / "run"))
    assert result["verdict"] == "error"
    assert all(word in result["signature"] for word in words), result["signature"]
    assert result["minimised"]["packets"] <= 2


def test_what_a_compressor_sends_that_is_no_rohc(tmp_path: Path, real_build: str) -> None:
    """A compressor that copies although it declares ROHC: the other side refuses, and the judge agrees with it."""
    null = support.implementation(tmp_path / "who", "liar", f"adapter: {{library: {_null(real_build)}}}", wire="")
    result = result_of(support.cell(null, "reference", real_build), support.store(tmp_path / "run"))
    assert result["verdict"] == "fail"
    assert "60 of 60 packets arrived and did not come out" in result["reason"]
    assert "the judge refuses it" in result["signature"]
    assert result["minimised"]["packets"] == 1


def test_the_same_failure_is_minimised_once(tmp_path: Path, real_build: str) -> None:
    broken = support.faulty(tmp_path / "who", real_build, "spoils_an_octet")
    store = support.store(tmp_path / "run")
    first = result_of(support.cell("null", broken, real_build), store)
    second = result_of(support.cell("null", broken, real_build, "fragments"), store)
    assert first["signature"] == second["signature"]
    assert first["minimised"] == second["minimised"]
    assert first["evidence"] != second["evidence"]
    assert len(store.known) == 1


def test_a_row_runs_to_its_end_though_one_side_dies_in_each_cell(tmp_path: Path, real_build: str) -> None:
    broken = support.faulty(tmp_path / "who", real_build, "spoils_an_octet")
    row = support.row("null", broken, "0x0000", "U", "small", build=real_build)
    results = matrix.run(row, support.store(tmp_path / "run"))
    assert len(results) == 30
    assert {result["verdict"] for result in results} == {"fail"}
    found, reason = matrix.verdict(results)
    assert found == "fail"
    assert reason.endswith("(30 of 30 cells)")


def _null(build: str) -> Path:
    from headroom.core.paths import build_folder

    return build_folder(build) / "lib" / "null.so"


# ---- declared deviations

DEVIATES = """deviations:
  - cells: {peers: ["null"], links: [clean, loss-1]}
    roles: [decompressor]
    reason: It is known to spoil an octet of each packet.
"""


def test_a_declared_deviation_is_unsupported(tmp_path: Path, real_build: str) -> None:
    broken = support.faulty(tmp_path / "who", real_build, "spoils_an_octet", DEVIATES)
    store = support.store(tmp_path / "run")
    result = result_of(support.cell("null", broken, real_build), store)
    assert result["verdict"] == "unsupported"
    assert "known to spoil an octet" in result["reason"]
    assert "came out wrong" in result["reason"]
    assert result["signature"]
    other = result_of(support.cell("null", broken, real_build, link="ber-1e-5"), store)
    assert other["verdict"] == "fail"


def test_a_deviation_that_is_no_more_is_a_failure(tmp_path: Path, real_build: str) -> None:
    sound = support.faulty(tmp_path / "who", real_build, "none", DEVIATES)
    store = support.store(tmp_path / "run")
    result = result_of(support.cell("null", sound, real_build), store)
    assert result["verdict"] == "fail"
    assert "remove the declaration" in result["reason"]
    assert result_of(support.cell("null", sound, real_build, link="loss-1"), store)["verdict"] == "pass"
