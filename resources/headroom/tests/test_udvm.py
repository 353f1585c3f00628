# SPDX-License-Identifier: Apache-2.0
"""`./headroom udvm`: files in, files out."""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

import pytest

from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.paths import ROOT
from headroom.schemes.sigcomp.cli import udvm
from headroom.tests.command_line import call, start

# What is behind the bytecode comes out, octet by octet.
COPY = (
    "at (128)\n:loop INPUT-BYTES (1, 64, done)\nOUTPUT (64, 1)\nJUMP (loop)\n:done END-MESSAGE (0, 0, 0, 0, 0, 0, 0)\n"
)


@pytest.fixture
def program(tmp_path: Path, real_build: str) -> Path:
    path = tmp_path / "copy.udvm"
    path.write_text(COPY)
    return path


@pytest.mark.long
def test_a_program_goes_there_and_back_and_runs(program: Path, tmp_path: Path) -> None:
    message, text = tmp_path / "message.bin", tmp_path / "text"
    (tmp_path / "input").write_bytes(b"REGISTER\xff")
    done = call("udvm", "assemble", str(program), "--input", str(tmp_path / "input"), "-o", str(message))
    assert done.returncode == 0, done.stderr
    assert message.read_bytes() == bytes.fromhex("f800a11c01860922860116f923") + b"REGISTER\xff"

    traced = call("udvm", "trace", str(message), "-o", str(text))
    assert traced.returncode == 0, traced.stderr
    assert text.read_bytes() == b"REGISTER\xff"
    assert "INPUT-BYTES (1, 64, 137)" in traced.stdout
    assert "compressed, 9 octets of output, " in traced.stderr

    back = call("udvm", "disassemble", str(message))
    (tmp_path / "again.udvm").write_text(back.stdout)
    again = call("udvm", "assemble", str(tmp_path / "again.udvm"), "--json")
    assert json.loads(again.stdout)["message"] == "f800a11c01860922860116f923"


def test_octets_may_be_hexadecimal_and_come_by_stdin(real_build: str) -> None:
    done = start("udvm", "disassemble", "-", "--code", "--start", "64", input="22860123\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("at (64)\nOUTPUT (64, 1)")
    odd = start("udvm", "disassemble", "-", input="f80\n")
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
    done = call("udvm", "assemble", str(program))
    assert done.returncode == 1
    assert sentence in done.stderr
    assert done.stdout == ""


def test_a_message_that_fails_is_status_1_with_the_reason(program: Path, tmp_path: Path) -> None:
    message = tmp_path / "fails.bin"
    message.write_text("f8001100")  # DECOMPRESSION-FAILURE
    done = call("udvm", "trace", str(message), "-o", str(tmp_path / "nothing"))
    assert done.returncode == 1
    assert "failed: USER_REQUESTED at address 128" in done.stderr
    assert not (tmp_path / "nothing").exists()


def test_an_implementation_without_the_tool_is_told(program: Path) -> None:
    done = call("udvm", "assemble", str(program), "--implementation", "null")
    assert done.returncode == 2
    assert "null has no tool 'assemble'" in done.stderr


@pytest.mark.parametrize(
    ("octets", "sentence"),
    [
        ("00", "its first five bits are not all 1"),
        ("f8", "the header of this SigComp message is wrong: MESSAGE_TOO_SHORT"),
        ("f9" + "00" * 6, "brings no bytecode: it names a state that has it"),
    ],
)
def test_a_file_that_brings_no_bytecode_is_told_as_a_file(
    tmp_path: Path, real_build: str, octets: str, sentence: str
) -> None:
    (tmp_path / "one").write_text(octets)
    done = call("udvm", "disassemble", str(tmp_path / "one"))
    assert done.returncode == 1
    assert done.stderr.startswith(f"headroom: {tmp_path}/one: ")
    assert sentence in done.stderr


def test_a_source_may_begin_with_a_byte_order_mark(program: Path, tmp_path: Path) -> None:
    plain = call("udvm", "assemble", str(program), "--json")
    program.write_bytes(b"\xef\xbb\xbf" + COPY.encode())
    marked = call("udvm", "assemble", str(program), "--json")
    assert (marked.returncode, marked.stderr) == (0, "")
    assert marked.stdout == plain.stdout


def test_octets_go_to_a_pipe_as_they_are_and_to_a_terminal_in_hexadecimal(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    octets = b"OUTPUT\n"  # in ASCII as they are, octets are no text
    udvm._write(None, octets, is_text=False)
    assert capsysbinary.readouterr().out == octets
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    udvm._write(None, octets, is_text=False)
    assert capsysbinary.readouterr().out == octets.hex().encode() + b"\n"
    udvm._write(None, octets, is_text=True)
    assert capsysbinary.readouterr().out == octets


def test_a_file_that_cannot_be_written_is_named_and_does_not_stay(tmp_path: Path) -> None:
    path, kept = tmp_path / "message.bin", tmp_path / "link"
    kept.symlink_to("/dev/full")
    for full in ("/dev/full", str(kept)):
        with pytest.raises(EnvironmentLacks, match=f"The disk is full: writing {full} failed"):
            udvm._write(Path(full), b"\0", is_text=False)
        assert Path(full).exists(), "it is not ours"
    with pytest.raises(UsageError, match=r"x/message\.bin cannot be written: No such file or directory"):
        udvm._write(tmp_path / "x" / "message.bin", b"\0", is_text=False)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4, before[1]))  # ends as a full disk does: after a part
    try:
        with pytest.raises(EnvironmentLacks, match=r"Writing .*/message\.bin failed: File too large"):
            udvm._write(path, b"\0" * 5, is_text=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not path.exists()


def test_what_is_no_text_is_told(program: Path) -> None:
    done = call("udvm", "trace", str(ROOT / "README.md"))
    assert done.returncode in (0, 1)
    assert "Traceback" not in done.stderr
    program.write_bytes(b"\xf8\x00")
    assert "is it a message already?" in call("udvm", "assemble", str(program)).stderr
