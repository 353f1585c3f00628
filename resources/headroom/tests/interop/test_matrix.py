# SPDX-License-Identifier: Apache-2.0
"""The whole matrix: the command line, its records, its page, and that it goes on and ends whatever an adapter does."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from headroom.cli import interop
from headroom.core import implementations, scheme_registry
from headroom.core import matrix as matrix_module
from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.paths import ROOT
from headroom.core.results import store
from headroom.core.scheme_registry import find
from headroom.report import matrix_data, render
from headroom.tests import browser, sample
from headroom.tests.interop import support, test_recordings

pytestmark = pytest.mark.slow

OPTIONS = ("compressors", "decompressors", "profiles", "modes", "cids", "traffic", "links")
WORDS: dict[str, tuple[str, ...]] = {name: () for name in OPTIONS}  # noqa: C420 (the lists are typed here)
ROHC = ("rohc",)


def headroom(out: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "headroom", "interop", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "resources"), "HEADROOM_OUT": str(out), **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory, real_build: str) -> tuple[Path, dict[str, Any], int]:
    """A small matrix with an adapter that spoils octets and one that dies: folder, JSON, exit status."""
    base = tmp_path_factory.mktemp("matrix")
    spoils = support.faulty(base, real_build, "spoils_an_octet")
    profile = base / "garbage.yaml"
    profile.write_text(support.GARBAGE)
    done = headroom(
        base / "out",
        *("--compressors", f"reference,null,{spoils}", "--decompressors", f"reference,null,{spoils}"),
        *("--profiles", "uncompressed,rtp", "--modes", "U,O,R", "--cids", "small", "--links", "clean,loss-1"),
        *("--traffic", "fragments,rtp-video", "--build", real_build, "--json"),
    )
    document = json.loads(done.stdout)
    return Path(document["report"]).parent, document, done.returncode


CELL = {
    "compressor": "reference",
    "decompressor": "null",
    "profile": "0x0001",
    "mode": "U",
    "cids": "small",
    "traffic": "rtp-video",
    "link": "clean",
    "verdict": "pass",
    "reason": "",
    "signature": "",
    "header_bytes": None,
    "ns_per_packet": None,
    "packets": None,
    "delivered": None,
    "command": "./headroom interop",
}


@pytest.mark.long
def test_the_document_is_that_of_the_design(matrix: tuple[Path, dict[str, Any], int]) -> None:
    _, document, status = matrix
    assert set(document) == {"report", "cells", "rows_without_cells"}
    wanted = {
        "scheme",
        "compressor",
        "decompressor",
        "profile",
        "mode",
        "traffic",
        "link",
        "verdict",
        "header_bytes",
        "signature",
    }
    assert all(wanted <= set(cell) for cell in document["cells"])
    assert len(document["cells"]) == 9 * 2 * 3 * 2  # pairs, one kind of traffic for each profile, modes, links
    assert status == 1


def test_every_cell_has_the_verdict_that_it_must_have(matrix: tuple[Path, dict[str, Any], int]) -> None:
    _, document, _ = matrix
    found: dict[tuple[str, str], set[str]] = {}
    for cell in document["cells"]:
        pair = (Path(cell["compressor"]).name, Path(cell["decompressor"]).name)
        if cell["profile"] == "0x0000" and cell["mode"] in ("U", "O"):
            found.setdefault(pair, set()).add(cell["verdict"])
    spoils = "f-spoils-an-octet"
    assert found == {
        ("reference", "reference"): {"pass"},
        ("reference", "null"): {"unsupported"},
        ("reference", spoils): {"unsupported"},
        ("null", "reference"): {"unsupported"},
        ("null", "null"): {"pass"},
        ("null", spoils): {"fail"},
        (spoils, "reference"): {"unsupported"},
        (spoils, "null"): {"pass"},  # its compressor is sound
        (spoils, spoils): {"fail"},
    }
    reasons = {cell["reason"] for cell in document["cells"] if cell["verdict"] == "unsupported"}
    assert all(reasons)
    assert any("null copy and reference rohc" in reason for reason in reasons)
    assert any("does not declare profile 0x0001" in reason for reason in reasons)


def test_records_are_valid_and_have_their_files(matrix: tuple[Path, dict[str, Any], int]) -> None:
    folder, document, _ = matrix
    records = store.read_all(folder, pytest.fail)
    assert len(records) == 9 * 2 * 3
    assert sum(len(record["cells"]) for record in records) == len(document["cells"])
    for record in records:
        assert record["command"].startswith("./headroom interop --scheme rohc --compressors ")
        named = {artefact["path"] for artefact in record["artefacts"]}
        for cell in record["cells"]:
            for name in ("capture", "evidence"):
                if name in cell:
                    assert (folder / cell[name]).is_file()
                    assert cell[name] in named
    failed = [cell for cell in document["cells"] if cell["verdict"] == "fail"]
    assert all(cell["minimised"]["packets"] == 1 for cell in failed)
    # One failure, whoever compressed: null names the type of its packets, the adapter that spoils them does not.
    assert len({cell["signature"].partition(" · ")[2] for cell in failed}) == 1


def test_the_page_has_everything_and_needs_no_network(matrix: tuple[Path, dict[str, Any], int]) -> None:
    folder, document, _ = matrix
    text = (folder / "interop.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://", text)
    for address in re.findall(r'href="([^"#][^"]*)"', text):
        if not address.startswith("data:"):
            from urllib.parse import unquote

            assert (folder / unquote(unescape(address))).is_file(), address
    plain = unescape(text)
    for group in matrix_data.groups(document["cells"]):
        assert group.signature in plain
        assert group.example["command"] in plain
    assert 'href="interop.html"' in (folder / "report.html").read_text(encoding="utf-8")


def test_the_page_in_a_browser(matrix: tuple[Path, dict[str, Any], int]) -> None:
    if browser.program() is None:
        pytest.skip("no Chromium on this machine; ./headroom test installs it where it may")
    folder, document, _ = matrix
    with browser.Browser() as tab:
        for width, mobile, dark in ((1400, False, False), (1400, False, True), (768, False, False), (390, True, False)):
            tab.open(folder / "interop.html", width=width, mobile=mobile, dark=dark)
            assert tab.evaluate("document.documentElement.scrollWidth") <= width
        tab.open(folder / "interop.html", width=1400)
        shown = "document.querySelectorAll('table.cells tbody tr:not([hidden]) td[data-verdict]:not([hidden])').length"
        everything = tab.evaluate(shown)
        assert everything > 0
        choose = (
            "(name, value) => { const s = document.querySelector(`[data-filter=${name}]`); s.value = value;"
            " s.dispatchEvent(new Event('change', {bubbles: true})); }"
        )
        tab.evaluate(f"({choose})('link', 'clean')")
        assert tab.evaluate(shown) == everything / 2
        tab.evaluate(f"({choose})('verdict', 'fail')")
        failed = [cell for cell in document["cells"] if cell["verdict"] == "fail" and cell["link"] == "clean"]
        assert tab.evaluate("document.querySelector('#filters output').textContent") == f"{len(failed)} cells"
        # A sign and a word stand in each cell: colour alone says nothing.
        words = tab.evaluate("[...document.querySelectorAll('.verdict')].map((one) => one.textContent.trim())")
        assert all(re.match(r"[✓~✗–!]\s+(pass|non-strict|fail|unsupported|error)", word) for word in words)
        assert tab.complaints == []
        assert all(address.startswith("file:") for address in tab.requests)


def test_markup_in_what_an_adapter_says_stays_text(tmp_path: Path) -> None:
    from headroom.report import interop_page

    cell = CELL | {
        "compressor": "<b>bad</b>",
        "traffic": "<script>alert(1)</script>",
        "verdict": "error",
        "reason": "</script><script>alert(2)</script>",
        "signature": "x · <img src=x>",
        "command": "./headroom interop '<b>'",
    }
    record = sample.record("interop/rohc/x", "error", "y", cells=[cell]).as_json()
    text = interop_page.render([record], tmp_path)
    assert "<script>alert" not in text
    assert "<img" not in text
    assert "<b>bad" not in text
    assert render.render([record], tmp_path)


def test_cells_of_another_version(tmp_path: Path) -> None:
    """Cells without a scheme are of the one whose axes they have; what has other axes is refused."""
    of_rohc = support.cell("null", "null", "gcc-O2").result()
    del of_rohc["scheme"]
    assert [cell["scheme"] for cell in matrix_data.cells([{"cells": [of_rohc]}])] == ["rohc"]
    for cell in (of_rohc | {"scheme": "sigcomp"}, of_rohc | {"scheme": "morse"}):
        with pytest.raises(UsageError, match=r"another version of Headroom made it\. Repeat the run, or"):
            matrix_data.cells([{"cells": [cell]}])


# ---- what is asked for


def test_nobody_asked_for_by_name_may_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_LIBROHC", "/nowhere/librohc.so.3")
    with pytest.raises(EnvironmentLacks, match="librohc cannot be used here"):
        interop.plan_of({**WORDS, "compressors": ("librohc",)})
    asked = interop.plan_of(WORDS, ROHC).matrix["rohc"]
    assert "librohc" in asked["compressors"]  # as rows of unsupported cells
    assert {"reference", "null"} <= set(asked["decompressors"])
    assert "example" not in asked["compressors"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"compressors": ("nobody",)}, "There is no implementation 'nobody'"),
        ({"compressors": ("example",)}, "There is no scheme of the matrix that example declares."),
        ({"profiles": ("0x9999",)}, "There is no ROHC profile '0x9999'. Known: 0x0000 (Uncompressed), 0x0001 (RTP)"),
        ({"modes": ("X",)}, "There is no mode 'X'. Known: U, O, R"),
        ({"cids": ("huge",)}, "There is no CID type 'huge'"),
        ({"links": ("foggy",)}, "There is no link condition 'foggy'"),
        ({"traffic": ("pigeons",)}, "'pigeons' is no traffic"),
    ],
)
def test_what_is_unknown_is_refused(words: dict[str, tuple[str, ...]], sentence: str) -> None:
    with pytest.raises(UsageError, match=re.escape(sentence)):
        interop.plan_of({**WORDS, **words})


def test_profiles_by_name_and_number() -> None:
    profile = find("rohc").axis("profile")
    assert [profile.find(name) for name in ("rtp", "RTP", "0x0001", "udp-lite", "rtp-over-udp-lite")] == [
        "0x0001",
        "0x0001",
        "0x0001",
        "0x0008",
        "0x0007",
    ]


def test_dry_run_says_what_would_run(tmp_path: Path) -> None:
    done = headroom(
        tmp_path, "--implementations", "reference", "--profiles", "rtp", "--modes", "U", "--dry-run", "--json"
    )
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert not list(tmp_path.iterdir())
    assert {cell["link"] for cell in document["cells"]} == {one.name for one in find("rohc").links} - {"feedback-lost"}
    assert {cell["unsupported"] for cell in document["cells"]} == {""}


def test_an_absent_library_is_exit_status_3(tmp_path: Path) -> None:
    done = headroom(tmp_path, "--compressors", "librohc", HEADROOM_LIBROHC="/nowhere/librohc.so.3")
    assert done.returncode == 3
    assert "How to get it" in done.stderr


@pytest.mark.long
def test_going_on_repeats_nothing_that_is_done(tmp_path: Path, real_build: str) -> None:
    words = ("--implementations", "null", "--profiles", "ip", "--cids", "small", "--links", "clean")
    first = headroom(tmp_path, *words, "--build", real_build, "--json")
    assert first.returncode == 0, first.stderr
    folder = Path(json.loads(first.stdout)["report"]).parent
    results = sorted((folder / "results").iterdir())
    assert len(results) == 3
    results[0].unlink()
    kept = {path: path.stat().st_mtime_ns for path in results[1:]}
    again = headroom(tmp_path, "--resume", "last", "--json")
    assert again.returncode == 0, again.stderr
    assert results[0].is_file()
    assert {path: path.stat().st_mtime_ns for path in results[1:]} == kept
    assert sorted(map(str, json.loads(again.stdout)["cells"])) != []


def test_captures_of_ones_own(tmp_path: Path, real_build: str) -> None:
    from headroom.core import engine, profiles

    capture = tmp_path / "mine.pcap"
    job = {"profile": profiles.load("voip-gsm-ipv4"), "flows": 2, "packets": 40, "output": str(capture)}
    engine.run("render", job, build=real_build)
    done = headroom(
        tmp_path / "out",
        *("--implementations", "reference", "--profiles", "rtp", "--modes", "O", "--cids", "large"),
        *("--traffic", str(capture), "--links", "clean,feedback-lost", "--build", real_build, "--json"),
    )
    cells = json.loads(done.stdout)["cells"]
    assert [(cell["traffic"], cell["link"], cell["verdict"], cell["packets"]) for cell in cells] == [
        ("mine.pcap", "clean", "pass", 40),
        ("mine.pcap", "feedback-lost", "pass", 40),
    ]


# ---- what cannot be meant


@pytest.mark.parametrize(
    "words", [("--profiles", "udp"), ("--links", "clean"), ("--seed", "7"), ("--implementations", "null")]
)
def test_a_run_that_goes_on_keeps_its_matrix(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = headroom(tmp_path, "--resume", "last", *words)
    assert done.returncode == 2
    assert f"{words[0]} cannot change it" in " ".join(done.stderr.split())


def test_axes_are_chosen_by_name() -> None:
    found = interop._with_axes(WORDS, ["mode=O,R", "profile=rtp", "mechanism=dynamic"])
    assert (found["modes"], found["profiles"], found["mechanisms"]) == (("O", "R"), ("rtp",), ("dynamic",))
    for words, given, sentence in (
        (WORDS, ["colour=red"], "There is no axis 'colour' in --axis colour=red. Known: "),
        ({**WORDS, "modes": ("U",)}, ["mode=O"], "The axis mode is set twice"),
        (WORDS, ["mode="], "--axis mode= is empty"),
    ):
        with pytest.raises(UsageError, match=re.escape(sentence)):
            interop._with_axes(words, given)


def test_an_axis_that_two_schemes_share(monkeypatch: pytest.MonkeyPatch) -> None:
    first = find("rohc")
    mode = replace(first.axis("mode"), option="ways")
    second = replace(first, name="second", axes=(mode, replace(first.axis("cids"), name="colour", option="colours")))
    monkeypatch.setattr(scheme_registry, "in_matrix", lambda: {"rohc": first, "second": second})
    found = interop._with_axes(WORDS, ["mode=O"])
    assert (found["modes"], found["ways"]) == (("O",), ("O",))
    assert "ways" not in interop._with_axes(WORDS, ["mode=O"], ("rohc",))
    with pytest.raises(UsageError, match=r"There is no axis 'colour' .* Known: profile, mode, cids\."):
        interop._with_axes(WORDS, ["colour=red"], ("rohc",))


@pytest.mark.parametrize("option", ["implementations", *OPTIONS])
def test_a_list_of_nothing_is_refused(option: str) -> None:
    with pytest.raises(UsageError, match=f"--{option} is empty"):
        interop._names(option, " , ")
    assert interop._names(option, None) == ()


def test_an_empty_option_on_the_command_line(tmp_path: Path) -> None:
    done = headroom(tmp_path, "--profiles", "", "--dry-run")
    assert done.returncode == 2
    assert "--profiles is empty" in done.stderr


def test_traffic_that_leaves_recordings_out(tmp_path: Path, real_build: str) -> None:
    theirs = test_recordings.recorded(tmp_path, real_build)
    words = {**WORDS, "compressors": (theirs, "reference"), "decompressors": ("reference",)}
    with pytest.raises(
        UsageError, match=r"recordings, but --traffic names none of them: call\. Add .* \(voip-mixed,call\)"
    ):
        interop.plan_of({**words, "traffic": ("voip-mixed",)}, ROHC)
    for traffic in ((), ("call",), ("voip-mixed", "call")):
        assert interop.plan_of({**words, "traffic": traffic}, ROHC).matrix["rohc"]["traffic"] == list(traffic)


def test_a_traffic_profile_beside_a_recording(tmp_path: Path, real_build: str) -> None:
    """A row carries what is traffic for its two sides: the recording is none for those that did not make it."""
    theirs = test_recordings.recorded(tmp_path / "who", real_build)
    done = headroom(
        tmp_path / "out",
        *("--compressors", f"{theirs},reference", "--decompressors", "reference"),
        *("--profiles", "rtp", "--modes", "U", "--cids", "small", "--links", "clean"),
        *("--traffic", "rtp-video,call", "--build", real_build, "--json"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    cells = json.loads(done.stdout)["cells"]
    assert [(Path(cell["compressor"]).name, cell["traffic"], cell["verdict"]) for cell in cells] == [
        ("theirs", "call", "pass"),
        ("reference", "rtp-video", "pass"),
    ]


def test_rows_without_cells_stand_wherever_cells_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from headroom.report import interop_page

    row = sample.record("interop/rohc/theirs to ours: RTP", "error", "The harness stumbled.\nIn detail.").as_json()
    interop.print_tables(tmp_path / "interop.html", [row])
    shown = " ".join(capsys.readouterr().out.split())
    assert "theirs to ours: RTP" in shown and "The harness stumbled." in shown
    assert "Cells by verdict" not in shown, "there is no cell"
    (told,) = interop.document(tmp_path / "interop.html", [row])["rows_without_cells"]
    assert (told["row"], told["verdict"]) == ("theirs to ours: RTP", "error")
    whole = sample.record("interop/rohc/x", "pass", "", cells=[CELL]).as_json()
    other = sample.record("conformance/rohc/crc/CRC-3", "error", "It is no row.").as_json()
    records = [whole, row, other]
    for text in (interop_page.render(records, tmp_path), render.render(records, tmp_path)):
        assert "theirs to ours: RTP" in text and "before their first cell" in text
    assert "It is no row." not in interop_page.render(records, tmp_path)
    render.write(records, tmp_path / "report.html", tmp_path)
    assert "theirs to ours: RTP" in (tmp_path / "interop.html").read_text()


def test_a_traffic_profile_that_the_matrix_lacks_is_told_from_no_profile() -> None:
    with pytest.raises(UsageError, match=r"is a traffic profile, but not one of the matrix.*voip-mixed"):
        interop.plan_of({**WORDS, "traffic": ("voip-g711-ipv4",)})


def test_an_adapter_that_is_not_there_is_no_row_of_unsupported_cells_for_who_names_it(tmp_path: Path) -> None:
    bad = support.implementation(tmp_path, "zbad", "adapter: {library: /nonexistent/x.so}")
    with pytest.raises(
        EnvironmentLacks, match=r"zbad cannot be used here: its adapter /nonexistent/x\.so is not there"
    ):
        interop.plan_of({**WORDS, "compressors": (bad,), "decompressors": ("reference",)})


def test_a_folder_is_no_adapter(tmp_path: Path) -> None:
    bad = support.implementation(tmp_path, "zbad", "adapter: {library: .}")
    with pytest.raises(EnvironmentLacks, match=r"its adapter .*zbad is a folder, not a shared library"):
        interop.plan_of({**WORDS, "compressors": (bad,), "decompressors": ("reference",)})


def test_a_matrix_in_which_nothing_could_be_asked_is_no_success(tmp_path: Path, real_build: str) -> None:
    row = ("--compressors", "null", "--decompressors", "reference")  # two formats on the link
    done = headroom(tmp_path / "out", *row, "--profiles", "0x0001", "--links", "clean", "--build", real_build)
    assert done.returncode == 3, done.stderr
    assert "Every selected case is unsupported" in done.stderr


def test_a_broken_declaration_stops_only_who_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    support.implementation(tmp_path, "good", "adapter: {library: '{build}/lib/good.so'}")
    (tmp_path / "zbad").mkdir()
    (tmp_path / "zbad" / "implementation.yaml").write_text("a: [\n")
    heard: list[str] = []
    assert implementations.ninja_targets(tmp_path, heard.append) == ["bin/headroom-engine", "lib/good.so"]
    assert len(heard) == 1
    assert re.search(r"^zbad is left out: .*implementation\.yaml:2: not YAML", heard[0])
    with pytest.raises(UsageError, match="not YAML"):
        implementations.find("zbad", tmp_path)
    real = implementations.all_valid
    monkeypatch.setattr(implementations, "all_valid", lambda warn=None: real(tmp_path, warn))
    assert matrix_module.candidates(find("rohc"), heard.append) == ["good"]
    assert len(heard) == 2


def test_a_capture_of_any_size_is_packed_in_little_memory(tmp_path: Path) -> None:
    capture = tmp_path / "link.pcapng"
    with capture.open("wb") as file:
        file.write(b"first")
        file.truncate(64 << 20)
    tracemalloc.start()
    try:
        name = matrix_module.ArtefactStore(tmp_path).packed(capture)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert name == "link.pcapng.gz" and not capture.exists()
    assert most < 8 << 20
    with gzip.open(tmp_path / name) as packed:
        assert packed.read(5) == b"first"
