# SPDX-License-Identifier: Apache-2.0
"""Reports of records that are valid and damaged: each is made, and says what it leaves out."""

from __future__ import annotations

import copy
import io
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from headroom.cli import streams
from headroom.core import console
from headroom.core.paths import ROOT
from headroom.core.text import printable
from headroom.report import render
from headroom.report.page import Section
from headroom.tests import damaged_records, sample

PARTS, EVERY = 4, 60
ESCAPES = "\x1b]0;title\x07odd\x1b[2J"


@cache
def _drawn() -> list[tuple[str, list[dict[str, Any]]]]:
    """All damaged texts, and every so many of the other damages."""
    found = list(damaged_records.damaged())
    assert len(found) > 1000
    return [one for number, one in enumerate(found) if number % EVERY == 0 or ": every text" in one[0]]


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_a_damaged_record_leaves_the_rest_of_the_report(part: int, tmp_path: Path) -> None:
    for name, records in _drawn()[part::PARTS]:
        html = render.render(records, tmp_path)
        assert html.encode(), name
        assert not set(html) & set("\x00\x07\x08\x1b\x9b\u202e"), name
        assert records[0]["test"]["name"] in html, name


@pytest.mark.long
def test_the_report_command_with_escapes_in_a_record(tmp_path: Path) -> None:
    records = copy.deepcopy(sample.records())
    for record in records:
        if record["parameters"].get("kind") == "capacity":
            record["parameters"]["cpus"] += ESCAPES
    folder = tmp_path / f"20260102-030405-abcd{ESCAPES}" / "results"
    folder.mkdir(parents=True)
    for number, record in enumerate(records):
        (folder / f"{number}.json").write_text(json.dumps(record), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "headroom", "report", str(folder.parent)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "resources")},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert r"1c\x1b]0;title" in (folder.parent / "report.html").read_text(encoding="utf-8")


def _reads_numbers_only(records: list[dict[str, Any]]) -> Section | None:
    section = Section("odd", "Odd", "Odd")
    section.intro = [str(sum(record["parameters"]["number"] for record in records))]
    return section


def _records(*numbers: Any) -> list[dict[str, Any]]:
    return [
        sample.record(f"odd/{place}", parameters={"number": number}).as_json() for place, number in enumerate(numbers)
    ]


def test_a_section_names_the_records_that_it_cannot_read() -> None:
    section = render.made_of(_reads_numbers_only, _records(1, "two", 3, None, 5))
    assert section is not None and section.intro == ["9"]
    assert section.notes == [
        "This section cannot read 2 of 5 records (TypeError: unsupported operand type(s) for +: 'int' and 'str') and "
        "leaves them out: odd/1, odd/3."
    ]


def test_a_section_that_can_read_no_record_says_so() -> None:
    section = render.made_of(_reads_numbers_only, _records("one"))
    assert section is not None
    assert (section.title, len(section.notes)) == ("Reads numbers only", 1)
    assert "cannot read 1 of 1 records" in section.notes[0]


def test_a_section_that_cannot_read_records_together_says_so() -> None:
    def of_one(records: list[dict[str, Any]]) -> Section | None:
        if len(records) > 1:
            raise ValueError("too many")
        return None

    section = render.made_of(of_one, _records(1, 2))
    assert section is not None
    assert section.notes == ["This section cannot read the 2 records together (ValueError: too many)."]


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain – ünïcödé\ttab\nline", "plain – ünïcödé\ttab\nline"),
        ("\x1b[31mred\x1b[0m\x07\x00\r", r"\x1b[31mred\x1b[0m\x07\x00\r"),
        ("a\r\nb", "a\nb"),
        ("\x9b1m \ud800 \u202e", r"\x9b1m \ud800 \u202e"),
        ("\u200f\u2028\ufeff\ufdd0\ufffe\U0010ffff\x7f", r"\u200f\u2028\ufeff\ufdd0\ufffe\U0010ffff\x7f"),
        ("family 👨\u200d👩 क्\u200dष", "family 👨\u200d👩 क्\u200dष"),
        ("x" * 200_000, "x" * 100_000 + " … (100,000 more characters)"),
    ],
)
def test_controls_are_spelled_out(text: str, safe: str) -> None:
    assert printable(text) == safe


def test_no_text_of_others_commands_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    console.say(f"adapter: {ESCAPES}")
    console.print_table(ESCAPES, [ESCAPES], [[ESCAPES]])
    found = capsys.readouterr()
    assert "\x1b" not in found.err + found.out and "\x07" not in found.err + found.out
    assert r"\x1b]0;title" in found.err and r"\x1b]0;title" in found.out


def test_json_stays_the_same_document(capsys: pytest.CaptureFixture[str]) -> None:
    document = {"a": f"{ESCAPES}\x9b\ud800\u202e – ü\r\n"}
    console.print_json(document)
    text = capsys.readouterr().out
    assert json.loads(text) == document
    assert text.replace("\n", "").isprintable() and "– ü" in text


def test_whatever_is_printed_only_our_own_sequences_pass() -> None:
    raw = io.BytesIO()
    stream = streams._Text(raw, encoding="utf-8", write_through=True)
    ours = "\x1b[1;31mfail\x1b[0m\x1b[2K\x1b[1A\x1b[?25l\r plain – text\n"
    console.styled(stream).write(ours)
    assert raw.getvalue().decode() == ours
    raw.truncate(0)
    raw.seek(0)
    console.styled(stream).write("\x1b]52;c;b2Rk\x07\x1b[2J\x9b6n")
    assert raw.getvalue().decode() == r"\x1b]52;c;b2Rk\x07\x1b[2J\x9b6n"
    raw.truncate(0)
    raw.seek(0)
    print("passed\x1b[1A\r\x1b[8mhidden", file=stream)
    assert raw.getvalue().decode() == "passed\\x1b[1A\\r\\x1b[8mhidden\n", "a plain print is a text of others"
