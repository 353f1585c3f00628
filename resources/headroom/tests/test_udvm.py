# SPDX-License-Identifier: Apache-2.0
"""`./headroom udvm`: files in, files out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headroom.paths import ROOT
from headroom.tests.test_cli import headroom

# What is behind the bytecode comes out, octet by octet.
COPY = (
    "at (128)\n:loop INPUT-BYTES (1, 64, done)\nOUTPUT (64, 1)\nJUMP (loop)\n:done END-MESSAGE (0, 0, 0, 0, 0, 0, 0)\n"
)


@pytest.fixture
def program(tmp_path: Path, real_build: str) -> Path:
    path = tmp_path / "copy.udvm"
    path.write_text(COPY)
    return path


def test_a_program_goes_there_and_back_and_runs(program: Path, tmp_path: Path) -> None:
    message, text = tmp_path / "message.bin", tmp_path / "text"
    (tmp_path / "input").write_bytes(b"REGISTER\xff")
    done = headroom("udvm", "assemble", str(program), "--input", str(tmp_path / "input"), "-o", str(message))
    assert done.returncode == 0, done.stderr
    assert message.read_bytes() == bytes.fromhex("f800a11c01860922860116f923") + b"REGISTER\xff"

    traced = headroom("udvm", "trace", str(message), "-o", str(text))
    assert traced.returncode == 0, traced.stderr
    assert text.read_bytes() == b"REGISTER\xff"
    assert "INPUT-BYTES (1, 64, 137)" in traced.stdout
    assert "sigcomp, 9 octets of output, " in traced.stderr

    back = headroom("udvm", "disassemble", str(message))
    (tmp_path / "again.udvm").write_text(back.stdout)
    again = headroom("udvm", "assemble", str(tmp_path / "again.udvm"), "--json")
    assert json.loads(again.stdout)["message"] == "f800a11c01860922860116f923"


def test_octets_may_be_hexadecimal_and_come_by_stdin(real_build: str) -> None:
    done = headroom("udvm", "disassemble", "-", "--code", "--start", "64", input="22860123\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("at (64)\nOUTPUT (64, 1)")
    odd = headroom("udvm", "disassemble", "-", input="f80\n")
    assert (odd.returncode, odd.stderr) == (2, "headroom: - has an odd number of hexadecimal digits.\n")


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("at (128)\nOUTPUT (1)", "copy.udvm:2:1: OUTPUT has 1 operands; it wants 2"),
        ("; nothing", "neither an instruction nor data"),
        ("END-MESSAGE (0, 0, 0, 0, 0, 0, 0)", "--code writes it"),
    ],
)
def test_a_mistake_in_the_source_is_status_1_with_its_place(program: Path, source: str, sentence: str) -> None:
    program.write_text(source)
    done = headroom("udvm", "assemble", str(program))
    assert done.returncode == 1
    assert sentence in done.stderr
    assert done.stdout == ""


def test_a_message_that_fails_is_status_1_with_the_reason(program: Path, tmp_path: Path) -> None:
    message = tmp_path / "fails.bin"
    message.write_text("f8001100")  # DECOMPRESSION-FAILURE
    done = headroom("udvm", "trace", str(message), "-o", str(tmp_path / "nothing"))
    assert done.returncode == 1
    assert "failed: USER_REQUESTED at address 128" in done.stderr
    assert not (tmp_path / "nothing").exists()


def test_an_implementation_without_the_tool_is_told(program: Path) -> None:
    done = headroom("udvm", "assemble", str(program), "--implementation", "null")
    assert done.returncode == 2
    assert "null has no tool 'assemble'" in done.stderr


def test_what_is_no_text_is_told(program: Path) -> None:
    done = headroom("udvm", "trace", str(ROOT / "README.md"))
    assert done.returncode in (0, 1)
    assert "Traceback" not in done.stderr
    program.write_bytes(b"\xf8\x00")
    assert "is it a message already?" in headroom("udvm", "assemble", str(program)).stderr
