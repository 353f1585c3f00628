# SPDX-License-Identifier: Apache-2.0
"""`./headroom new-adapter`: for each scheme and language a folder outside the checkout that builds and is sound."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from headroom.core import adapter_check, implementations, new_adapter
from headroom.core.errors import UsageError
from headroom.core.paths import ROOT, build_folder
from headroom.core.scheme_registry import all_schemes

SCHEMES = list(all_schemes())
FOLDERS = [(scheme, language) for scheme in SCHEMES for language in new_adapter.LANGUAGES]


def build(folder: Path, *options: str) -> None:
    """Builds an adapter as its README says, but without optimisation."""
    if (folder / "Cargo.toml").is_file():
        if shutil.which("cargo") is None:
            pytest.skip("there is no cargo")
        steps = [["cargo", "build", "--release", "--offline", "--quiet"]]
    else:
        steps = [["cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", *options]]
        steps += [["cmake", "--build", "build"]]
    for step in steps:
        done = subprocess.run(step, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "warning" not in done.stdout + done.stderr, done.stdout + done.stderr


@pytest.mark.parametrize(("scheme", "language"), FOLDERS)
def test_a_new_adapter_builds_and_is_sound(scheme: str, language: str, tmp_path: Path, real_build: str) -> None:
    folder = tmp_path / f"my-{scheme}"
    files = new_adapter.write(folder.name, scheme, language, folder)
    assert len((folder / "README.md").read_text().splitlines()) <= 15
    assert any("Your library" in path.read_text() and "TODO" in path.read_text() for path in files)
    build(folder)
    result = adapter_check.examine(implementations.find(str(folder)), real_build)
    assert result.findings == [] and result.declared == []
    assert sum(check["verdict"] == "pass" for check in result.checks) > 20


FLAWS = {
    "stale": (
        ("adapter.c", "  library *codec;", "  library *codec;\n  uint32_t before;"),
        (
            "adapter.c",
            "  if (status != HEADROOM_OK) packet",
            "  const uint32_t length = packet->out_length;\n"
            "  if (self->role == HEADROOM_DECOMPRESSOR && self->before != 0) packet->out_length = self->before;\n"
            "  self->before = length;\n  if (status != HEADROOM_OK) packet",
        ),
    ),
    "crc": (("library.c", "HEADROOM_ERR_CRC", "HEADROOM_ERR_MALFORMED"),),
    "wrong": (("library.c", "crc8(header, 2);", "crc8(header, 2) ^ 1;"),),
}
WORDS = {
    "stale": "a stale length: that of the packet before",
    "crc": "(RFC 3095, 5.9.1) disagrees; ERR_CRC is right",
    "wrong": "carries the CRC b6, and the octets that it covers give b7 (RFC3095-5.9.1-1)",
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_planted_flaw_is_named(flaw: str, tmp_path: Path, real_build: str) -> None:
    folder = tmp_path / flaw
    new_adapter.write(flaw, "rohc", "c", folder)
    for file, right, wrong in FLAWS[flaw]:
        text = (folder / file).read_text()
        assert right in text
        (folder / file).write_text(text.replace(right, wrong))
    build(folder)
    command = [str(ROOT / "headroom"), "check", ".", "--build", str(build_folder(real_build))]
    done = subprocess.run([*command, "--json"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert any(WORDS[flaw] in sentence for sentence in json.loads(done.stdout)["findings"]), done.stdout
    if flaw == "wrong":
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert 'RFC 3095, 5.9.1: "The CRC in the IR and IR-DYN packet is calculated over the entire' in done.stdout


@pytest.mark.parametrize(
    ("name", "scheme", "language", "sentence"),
    [
        ("mine", "no-such-scheme", "c", "There is no scheme 'no-such-scheme'"),
        ("mine", "first", "pascal", "Known: c, cxx, rust"),
        ("My Adapter", "first", "c", "is not a name of an adapter"),
        ("../mine", "first", "c", "is not a name of an adapter"),
        ("there", "first", "c", "exists already; nothing was written"),
    ],
)
def test_what_is_wrong_is_said(name: str, scheme: str, language: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(UsageError, match=sentence):
        new_adapter.write(name, SCHEMES[0] if scheme == "first" else scheme, language, tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
