# SPDX-License-Identifier: Apache-2.0
"""Paths in files of others: what leads out of the file's folder, and what has no end, is refused with a sentence."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from headroom.campaigns import campaign as campaigns
from headroom.campaigns import progress
from headroom.campaigns.task import WHOLE
from headroom.core import implementations, profiles, yamlfile
from headroom.core.errors import UsageError
from headroom.core.paths import PROFILES, below
from headroom.core.results import store
from headroom.tests.campaigns.helpers import campaign

DECLARED = """name: yours
vendor: You
licence: proprietary
obtain: It is here.
{source}
capabilities:
  - {{scheme: rohc, roles: [compressor], profiles: ["0x0000", "0x0001"], modes: [U], cids: [small]}}
"""
CAPTURES = 'captures: [{{folder: {}, profile: "0x0001", mode: U, cids: small}}]'


def implementation(folder: Path, source: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "implementation.yaml").write_text(DECLARED.format(source=source))
    return folder


@pytest.mark.parametrize("name", ["../elsewhere", "a/../../elsewhere", "/etc", "link", "loop", "a\0b"])
def test_a_path_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "own"
    (folder / "a").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    (folder / "loop").symlink_to(folder / "loop")
    with pytest.raises(UsageError, match=r"is not a path|leads out of"):
        below(folder, name)


def test_a_path_below_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    assert below(tmp_path, "a/b") == tmp_path / "a" / "b"
    assert below(tmp_path, "link/b") == tmp_path / "link" / "b"


def test_recordings_are_below_the_folder_of_their_implementation(tmp_path: Path) -> None:
    folder = implementation(tmp_path / "yours", CAPTURES.format("../call"))
    with pytest.raises(UsageError, match=r"implementation.yaml:5: /captures/0/folder: '../call' is not a path below"):
        implementations._load(folder, ())
    (folder / "call").mkdir()
    (folder / "call" / "source.pcap").symlink_to("/etc/hostname")
    implementation(folder, CAPTURES.format("call"))
    with pytest.raises(UsageError, match="leads out of"):
        implementations._load(folder, (1,))


@pytest.mark.parametrize(
    "library",
    [
        *(f"{path}.so" for path in ("{build}/../x", "{build}/-tclean", "x{build}", "{build}/{build}/x", "{build}//x")),
        "{build}/clean",
    ],
)
def test_a_library_of_the_build_is_in_the_build(tmp_path: Path, library: str) -> None:
    folder = implementation(tmp_path / "yours", f'adapter: {{library: "{library}"}}')
    with pytest.raises(UsageError, match="/adapter/library: a library of the project's build"):
        implementations._load(folder, ())


@pytest.mark.parametrize("library", ["{build}/lib/mine.so", "/opt/mine.so", "mine.so", "../build/mine.so"])
def test_other_libraries_are_where_their_owner_says(tmp_path: Path, library: str) -> None:
    folder = implementation(tmp_path / "yours", f'adapter: {{library: "{library}"}}')
    assert implementations._load(folder, (1,)).library == library


def test_profiles_are_named_below_their_folder() -> None:
    assert profiles.path_of("voip-amr-nb-ipv6").is_file()
    with pytest.raises(UsageError, match="There is no traffic profile"):
        profiles.path_of(f"../{PROFILES.name}/voip-amr-nb-ipv6")
    with pytest.raises(UsageError, match="There is no traffic profile"):
        profiles.path_of(str(PROFILES / "voip-amr-nb-ipv6"))


def test_suites_of_a_campaign_are_below_their_folder(tmp_path: Path) -> None:
    path = tmp_path / "campaign.yaml"
    path.write_text("name: x\nconfigurations: {one: {suites: [smoke/../../suites/smoke]}}\n")
    with pytest.raises(UsageError, match=r"campaign.yaml:2: .*leads out of suites/"):
        campaigns.load(path)


@pytest.mark.parametrize("run", ["../../x", "/etc", "", ".."])
def test_the_run_of_a_cell_is_a_name(out: Path, run: str) -> None:
    made = campaign()
    (cell,) = made.cells()
    progress.write(made, cell, progress.Result(WHOLE, run=run))
    warned: list[str] = []
    assert progress.read(made, cell, warned.append) is None and "is damaged" in warned[0]
    with pytest.raises(UsageError, match="There is no run"):
        store.find_run(f"{made.name}/{cell.id}")


@pytest.mark.parametrize("what", ["pipe", "device", "folder"])
def test_what_has_no_end_is_not_read(tmp_path: Path, what: str) -> None:
    (tmp_path / "results").mkdir()
    for path in (tmp_path / "file.yaml", tmp_path / "results" / "one.json"):
        if what == "pipe":
            os.mkfifo(path)
        elif what == "device":
            path.symlink_to("/dev/zero")
        else:
            path.mkdir()
    with pytest.raises(UsageError, match=r"file.yaml cannot be read: (it is not a regular file|Is a directory)"):
        yamlfile.read(tmp_path / "file.yaml")
    warned: list[str] = []
    assert store.read_all(tmp_path, warned.append) == [] and len(warned) == 1
    (tmp_path / "results" / "two.json").write_text(json.dumps({}))
    assert store.read_all(tmp_path) == []
