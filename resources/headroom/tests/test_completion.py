# SPDX-License-Identifier: Apache-2.0
"""Completion: bash as it completes; zsh and fish, where they are, as they do."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from headroom.core import implementations, profiles
from headroom.core.paths import ROOT
from headroom.core.run.selection import suite_names
from headroom.tests.command_line import call

# Completes the words that it is given, as bash does after Tab.
TAB = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) PATH=$PATH
_headroom "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
(( ${#COMPREPLY[@]} )) && printf '%s\\n' "${COMPREPLY[@]}"
exit 0
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("completion")
    found = {"bash": folder / "headroom", "zsh": folder / "_headroom", "fish": folder / "headroom.fish"}
    for shell, path in found.items():
        done = call("completion", shell)
        assert (done.returncode, done.stderr) == (0, "")
        path.write_text(done.stdout, encoding="utf-8")
    return found


def completed(scripts: dict[str, Path], *words: str, program: str = "./headroom", folder: Path = ROOT) -> list[str]:
    line = ["bash", "--norc", "-c", TAB, "tab", str(scripts["bash"]), program, *words]
    done = subprocess.run(line, capture_output=True, text=True, cwd=folder, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_commands_and_options(scripts: dict[str, Path]) -> None:
    assert completed(scripts, "ru") == ["run"]
    assert completed(scripts, "ver") == ["verify"]
    assert {"run", "nightly", "completion", "--version"} <= set(completed(scripts, ""))
    assert completed(scripts, "run", "--comp") == ["--compressor"]
    assert completed(scripts, "nightly", "sh") == ["show"]
    assert "--all" in completed(scripts, "nightly", "show", "--")
    assert "--budget" not in completed(scripts, "nightly", "show", "--")


def test_names_are_those_of_the_checkout(scripts: dict[str, Path], tmp_path: Path) -> None:
    found = completed(scripts, "run", "--quick", "")
    assert set(suite_names()) < set(found) and "conformance" in found
    assert sorted(completed(scripts, "run", "--compressor", "")) == sorted(implementations.names())
    assert sorted(completed(scripts, "run", "--profile", "")) == sorted(profiles.names())
    assert "gcc-O2" in completed(scripts, "run", "--build", "g")
    after = completed(scripts, "run", "--compressor", "null", "smoke/f")
    assert sorted(after) == [
        "smoke/first_load",
        "smoke/first_messages",
        "smoke/first_packets",
    ]
    away = completed(scripts, "run", "smoke/j", program=str(ROOT / "headroom"), folder=tmp_path)
    assert away == ["smoke/judges"]
    assert completed(scripts, "decode", "n") == [], "bash completes files then"


def test_an_unknown_shell(scripts: dict[str, Path]) -> None:
    done = call("completion", "csh")
    assert (done.returncode, done.stderr) == (
        2,
        "headroom: There is no completion for 'csh', only for bash, zsh, fish.\n",
    )


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ru", "run"),
        ("nightly sh", "show"),
        ("run --compressor nu", "null"),
        ("run smoke/j", "smoke/judges"),
        ("run --prof", "--profile"),
    ],
)
def test_fish(scripts: dict[str, Path], line: str, expected: str) -> None:
    command = f"source {scripts['fish']}; complete -C './headroom {line}'"
    done = subprocess.run(["fish", "--no-config", "-c", command], capture_output=True, text=True, cwd=ROOT, timeout=30)
    assert [one.partition("\t")[0] for one in done.stdout.splitlines()] == [expected], done.stderr


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh")
def test_zsh_reads_its_script(scripts: dict[str, Path]) -> None:
    done = subprocess.run(["zsh", "-n", scripts["zsh"]], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
