# SPDX-License-Identifier: Apache-2.0
"""The page of a judgement: what it says, that no text of others becomes markup, and that it prints to one sheet."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from headroom.cli import report
from headroom.core import implementations
from headroom.core.errors import UsageError
from headroom.core.finding import Finding
from headroom.core.paths import ROOT
from headroom.core.results.record import VERDICTS
from headroom.core.run.session import Plan
from headroom.core.settings import Settings
from headroom.judge import judgement, page, summary
from headroom.judge.judgement import Judgement
from headroom.judge.parts import Part
from headroom.tests import browser
from headroom.tests.sample import SIDE, record

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"
MARK = "RFC3095-5.7.7-2"


def application() -> typer.Typer:
    app = typer.Typer()
    report.add_to(app)
    app.callback()(lambda: None)  # so that the command is named
    return app


def part(kind: str, name: str, title: str) -> Part:
    return Part(kind, title, "rohc", Plan(Settings.of({"part": name}), ["conformance/rohc"]))


def judged(folder: Path) -> Judgement:
    made = [part("abi", "abi", "the promises of the ABI"), part("conformance", "rohc-compressor", "conformance")]
    made.append(Part("matrix", "interoperability", "rohc", left_out="There is nothing to meet."))
    ended = ["abi", "rohc-compressor"]
    command = "./headroom judge reference --seed 1"
    return Judgement(implementations.find("reference"), ["rohc"], made, folder, command, ended)


def result(name: str, verdict: str, reason: str = "", part: str = "rohc-compressor", **more: Any) -> dict[str, Any]:
    return record(f"conformance/rohc/{name}", verdict, reason, part=part, **more).as_json()  # type: ignore[arg-type]


def cost() -> dict[str, Any]:
    made = record("judge/cost/Calls").as_json()
    made["parameters"] = {
        "work": "Calls",
        "beside": {"null": {"compress_ns": 10.0}, "reference": {"compress_ns": 100.0}},
    }
    made["metrics"] = [{"name": "compress_ns", "value": 250.0}]
    return made


RECORDS = [
    result("A", "pass", part="abi"),
    result("B", "fail", "1 finding", findings=[Finding("It is sent as IR.", MARK)]),
    result("C", "non-strict", "There are 0 returns to IR."),
    result("D", "unsupported", "reference does not declare profile 0x0003."),
    result("E", "unsupported", "reference does not declare profile 0x0003."),
    cost(),
]


def test_the_summary_counts_what_was_asked_and_what_was_not(tmp_path: Path) -> None:
    found = summary.of(judged(tmp_path), RECORDS)
    assert [row.counts["pass"] for row in found.asked] == [1, 0, 0]
    assert found.asked[2].note == "There is nothing to meet."
    assert found.sentence == "Of 3 cases 1 failed, for 1 cause; 1 recommendation (SHOULD) was not followed."
    assert (found.worst, found.exit_status) == ("fail", 1)
    (suite,) = found.not_asked
    assert suite.reasons == {"reference does not declare profile 0x0003.": 2}
    assert found.identity == SIDE and found.title == "reference 0.1.0: ROHC"
    assert (found.costs[0].ratio("compress", "null"), found.costs[0].ratio("compress", "reference")) == (25.0, 2.5)
    assert found.costs[0].ratio("decompress", "null") is None
    assert json.loads(json.dumps(found.as_json()))["causes"][0]["requirement"] == MARK


def test_a_judgement_that_was_cut_short_says_so(tmp_path: Path) -> None:
    made = judged(tmp_path)
    made.ended.remove("rohc-compressor")
    found = summary.of(made, RECORDS[:1])
    assert found.sentence.startswith("So far, of 1 case none failed")
    assert found.asked[1].note == "It was not reached."
    assert "cut short" in page.render(found)


def test_nothing_asked_is_no_pass(tmp_path: Path) -> None:
    found = summary.of(judged(tmp_path), RECORDS[3:5])
    assert (found.worst, found.exit_status) == ("unsupported", 3)


def test_a_record_that_cannot_be_read_is_no_pass(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    for number in range(2):
        (tmp_path / "results" / f"{number}.json").write_text("{}")
    found = summary.of(judged(tmp_path), [result("A", "pass", part="abi")])
    assert (found.worst, found.exit_status) == ("error", 1)
    assert found.sentence == "Nothing failed in what can be read, but 1 record cannot."
    assert summary.of(judged(tmp_path), [result("A", "pass", part="abi"), cost()]).worst == "pass"


def test_a_row_of_the_matrix_without_cells_counts_beside_the_cells_of_others(tmp_path: Path) -> None:
    """An adapter that shut the file of a capture ended its row with an error, of which only the causes told."""
    axes = {"profile": "0x0002", "mode": "U", "cids": "small", "traffic": "a", "link": "clean"}
    cell = {
        "scheme": "rohc",
        "compressor": "reference",
        "decompressor": "null",
        **axes,
        "verdict": "pass",
        "reason": "",
    }
    whole = result("A", "pass") | {"cells": [{**cell, "signature": ""}] * 3}
    found = summary.of(judged(tmp_path), [whole, result("B", "error", "The file cannot be written.")])
    assert found.asked[1].counts == dict.fromkeys(VERDICTS, 0) | {"pass": 3, "error": 1}
    assert (found.worst, found.exit_status) == ("error", 1)


def test_an_adapter_that_describes_itself_only_later_is_no_pass(tmp_path: Path) -> None:
    """It ended the process that asked first, and passed the checks of the ABI: nothing else was asked of it."""
    made = judged(tmp_path)
    made.parts[1] = Part("conformance", "conformance", "rohc", left_out=f"{judgement.NOT_DESCRIBED}: no result.")
    found = summary.of(made, [result("A", "pass", part="abi")])
    assert (found.worst, found.exit_status) == ("error", 1)
    assert found.sentence.startswith("The adapter did not describe itself at first")
    found = summary.of(made, [result("A", "fail", "1 check", part="abi")])
    assert (found.worst, found.sentence[:20]) == ("fail", "Of 1 case 1 failed, ")


def test_the_page_cites_the_sentence_that_is_broken(tmp_path: Path) -> None:
    text = page.render(summary.of(judged(tmp_path), RECORDS))
    assert "It is sent as IR." in text and "RFC 3095, 5.7.7:" in text and "./headroom judge reference --seed 1" in text
    assert "2.5" in text and "Macro" not in text


def test_text_of_others_is_text(tmp_path: Path) -> None:
    made = result("F", "fail", HOSTILE, debug=HOSTILE, command=HOSTILE)
    other = result("G", "unsupported", HOSTILE)
    for one in (made, other):
        one["test"]["id"] = f"conformance/{HOSTILE}/{one['test']['name']}"
    text = page.render(summary.of(judged(tmp_path), [made, other, cost()]))
    assert "<script" not in text and "\x1b" not in text and "\u202e" not in text
    assert "default-src 'none'" in text


@pytest.mark.skipif(not browser.program(), reason="no Chromium")
def test_the_page_prints_to_one_sheet(tmp_path: Path) -> None:
    sentences = [f"The packet of kind {chr(65 + n) * 9} is not one of those that the profile has." for n in range(12)]
    many = [
        result(f"X{n}", "fail", sentence, command="./headroom run " + "x" * 90) for n, sentence in enumerate(sentences)
    ]
    page.write(summary.of(judged(tmp_path), [*RECORDS, *many]), tmp_path)
    assert len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "judge.pdf").read_bytes())) == 1


@pytest.mark.long
def test_the_command_judges_and_goes_on(tmp_path: Path) -> None:
    environment = os.environ | {"HEADROOM_OUT": str(tmp_path)}
    command = [sys.executable, "-m", "headroom", "judge"]
    words = ["example-endpoint", "--only", "abi,cost", "--quick", "--json"]
    done = subprocess.run([*command, *words], cwd=ROOT / "resources", env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["verdict"] == "pass" and [row["kind"] for row in document["asked"]] == ["abi", "cost"]
    assert document["cost"][0]["ns"]["reference"]["compress"] > 0
    (folder,) = (path.parent for path in tmp_path.glob("*/judge.json"))
    assert (folder / "judge.html").is_file() and (folder / "junit.xml").is_file()
    again = subprocess.run(
        [*command, "--resume", folder.name], cwd=ROOT / "resources", env=environment, capture_output=True
    )
    assert again.returncode == 0
    told = subprocess.run(
        [sys.executable, "-m", "headroom", "run", "--resume", folder.name],
        cwd=ROOT / "resources", env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert told.returncode == 2 and "judge --resume" in told.stderr


@pytest.mark.parametrize(
    ("change", "warning"),
    [
        ({"implementation": "/nowhere/mine"}, "There is no implementation"),
        ({"minimised": {"a": {"nonsense": 1}}}, "judge.json is damaged"),
        ({"parts": [{"kind": 1}]}, "judge.json is damaged"),
        ({"schemes": ["nothing"]}, "judge.html was not written"),
    ],
)
def test_a_damaged_judgement_leaves_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], warning: str
) -> None:
    monkeypatch.setenv("HEADROOM_OUT", str(tmp_path))
    folder = tmp_path / "20260102-030405-abcd"
    (folder / "results").mkdir(parents=True)
    (folder / "results" / "a.json").write_text(json.dumps(result("B", "fail", "It is late.")))
    made = judged(folder)
    judgement.keep(made)
    document = json.loads((folder / "judge.json").read_text()) | change
    (folder / "judge.json").write_text(json.dumps(document))
    done = CliRunner().invoke(application(), ["report", folder.name])
    assert done.exit_code == 0 and (folder / "report.html").is_file(), done.output
    assert warning in done.output and not (folder / "judge.html").exists()


def test_a_run_that_is_none_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_OUT", str(tmp_path))
    (tmp_path / "20260101-000000-aaaa" / "results").mkdir(parents=True)
    with pytest.raises(UsageError, match="is not a judgement"):
        judgement.recall("20260101-000000-aaaa")
