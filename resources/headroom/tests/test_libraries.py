# SPDX-License-Identifier: Apache-2.0
"""Libraries of others that an adapter opens at run time: there, absent, too old, broken."""

from __future__ import annotations

import hashlib
import json
import os
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from headroom.core import excess, implementations
from headroom.core.errors import EnvironmentLacks
from headroom.core.machine import libraries
from headroom.core.machine.libraries import Requirement
from headroom.core.paths import build_folder
from headroom.core.sandbox import MOST_LIBRARY, is_library
from headroom.testbed import doctor


def fake(build: str, name: str = "fake") -> Path:
    path = build_folder(build) / "lib" / "librohc" / f"{name}.so"
    assert path.is_file(), f"{path} belongs to the build's tests"
    return path


def requirement(build: str, name: str) -> Requirement:
    one = implementations.find("librohc").requires
    assert one is not None
    return Requirement(str(fake(build, name)), "", one.symbols, one.version)


def test_one_that_is_there(real_build: str) -> None:
    found = libraries.look_for(requirement(real_build, "fake"))
    assert (found.reason, found.version) == ("", "fake 1")
    assert found.path.endswith("/fake.so")


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {"reason": 1},
        {"reason": "\ud83d"},
        {"path": ["x"], "version": None, "missing": []},
        {"path": "x", "version": 7, "missing": []},
        {"path": "x", "version": None, "missing": 5},
        {"path": "x", "version": None, "missing": [5]},
    ],
)
def test_an_answer_that_the_library_printed_itself(answer: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excess, "hear", lambda *words: (0, json.dumps(answer)))
    found = libraries.look_for(Requirement(f"lib{json.dumps(answer)}.so"))
    assert "ends the process that opens it" in found.reason


def test_a_device_has_no_digest() -> None:
    """A library named it as its own file, and the harness read it without an end."""
    assert libraries.digest("/dev/zero") is None
    assert libraries.digest("a\0b") is None


def test_a_file_of_holes_has_no_digest(tmp_path: Path) -> None:
    """An adapter of terabytes, all of them holes, kept the harness reading for hours."""
    path = tmp_path / "holes.so"
    path.write_bytes(b"\x7fELF")
    assert is_library(str(path)) and libraries.digest(str(path))
    libraries.digest.cache_clear()
    os.truncate(path, MOST_LIBRARY + 1)
    assert not is_library(str(path)) and libraries.digest(str(path)) is None


def test_one_that_is_too_old(real_build: str) -> None:
    found = libraries.look_for(requirement(real_build, "fake_too_old"))
    assert found.reason.endswith("(version fake 1) has no rohc_decompress3: it is too old")


def test_one_that_is_another_library() -> None:
    found = libraries.look_for(Requirement("libc.so.6", "", ("_ZN4nobody1aEv", "_ZN4nobody1bEv", "_ZN4nobody1cEv")))
    assert found.reason == "libc.so.6 has no _ZN4nobody1aEv and 2 more of its functions: it is no libc.so.6, or too old"


def test_one_that_is_not_there() -> None:
    found = libraries.look_for(Requirement("libnobodyhasthis.so.9", "HEADROOM_NOBODY"))
    assert found.reason.startswith("libnobodyhasthis.so.9 cannot be opened (")
    assert found.reason.endswith("; the variable HEADROOM_NOBODY may name its file")


def test_the_variable_names_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "no-library.so"
    path.write_text("hello")
    monkeypatch.setenv("HEADROOM_SOMEBODY", str(path))
    found = libraries.look_for(Requirement("libc.so.6", "HEADROOM_SOMEBODY"))
    assert found.reason.startswith(f"{path}, which HEADROOM_SOMEBODY names, cannot be opened (")
    monkeypatch.setenv("HEADROOM_SOMEBODY", "")
    assert libraries.look_for(Requirement("libc.so.6", "HEADROOM_SOMEBODY")).reason == ""


def test_one_that_dies_when_it_is_opened(tmp_path: Path) -> None:
    import shutil
    import subprocess

    if shutil.which("gcc") is None:
        pytest.skip("no compiler")
    source = tmp_path / "dies.c"
    source.write_text("#include <stdlib.h>\n__attribute__((constructor)) static void die(void) { abort(); }\n")
    library = tmp_path / "dies.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    found = libraries.look_for(Requirement(str(library)))
    assert found.reason == f"{library} ends the process that opens it (exit status -6)"


def test_one_that_takes_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    def hear(command: Sequence[str], *_: object) -> None:
        raise excess.TakesTooMuch(command, 20, "has more than 7 processes and threads")

    monkeypatch.setattr(excess, "hear", hear)
    reason = libraries.look_for(libraries.Requirement("libgreedy.so")).reason
    assert reason == ("libgreedy.so cannot be opened: the process that opens it has more than 7 processes and threads")


def test_doctor_says_what_lacks_and_how_to_get_it(monkeypatch: pytest.MonkeyPatch, real_build: str) -> None:
    monkeypatch.setenv("HEADROOM_LIBROHC", "/nowhere/librohc.so.3")
    lacking = next(check for check in doctor.others() if check.name == "librohc")
    assert lacking.status == "lacking"
    assert "/nowhere/librohc.so.3" in lacking.value
    assert "HEADROOM_LIBROHC" in lacking.remedy
    monkeypatch.setenv("HEADROOM_LIBROHC", str(fake(real_build)))
    there = next(check for check in doctor.others() if check.name == "librohc")
    assert (there.status, there.value) == ("good", f"fake 1 in {fake(real_build)}")


def test_a_run_that_names_it_says_that_this_machine_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_LIBROHC", "/nowhere/librohc.so.3")
    with pytest.raises(EnvironmentLacks, match=r"librohc cannot be used here: /nowhere/.*How to get it: Clone"):
        implementations.require_usable("librohc")
    assert (
        implementations.find("librohc")
        .lacks("compressor", "rohc", modes=["U"])
        .startswith("librohc cannot be used here")
    )
    assert implementations.find("librohc").lacks("compressor", "rohc", modes=["R"]) == "librohc does not declare mode R"


def test_the_digest_is_that_of_the_library_that_is_opened(tmp_path: Path, real_build: str) -> None:
    """An adapter that opens another library: both digests are in the record, on the page of the matrix and in the
    report."""
    import hashlib

    from headroom.report import interop_page, render
    from headroom.tests import sample

    library = tmp_path / "libtheirs.so.3"
    library.write_bytes(build_folder(real_build).joinpath("lib", "example.so").read_bytes())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "implementation.yaml").write_text(f"""
name: mine
vendor: Nobody
licence: Apache-2.0
obtain: Never.
adapter:
  library: {build_folder(real_build) / "lib" / "null.so"}
  requires: {{library: {library}}}
capabilities:
  - {{scheme: rohc, roles: [compressor, decompressor], profiles: ["0x0000"], modes: [U], cids: [small]}}
""")
    found = implementations.identity(implementations.find(str(tmp_path / "mine")), real_build)
    digest = hashlib.sha256(library.read_bytes()).hexdigest()
    assert found["opens"] == {"path": str(library), "sha256": digest}
    assert found["sha256"] != digest
    record = sample.record("interop/rohc/x", "pass", "y").as_json() | {"compressor": found}
    for page in (interop_page.render([record], tmp_path), render.render([record], tmp_path)):
        assert digest[:16] in page
        assert found["sha256"][:16] in page
        assert "libtheirs.so.3" in page


@pytest.mark.parametrize("named", ["/proc/self/pagemap", "/etc/passwd"])
def test_a_library_cannot_have_another_file_read(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may print the answer of the process that opens it."""
    monkeypatch.setattr(libraries, "look_for", lambda needed: libraries.LibrarySearch(named))
    monkeypatch.setattr(implementations, "describe", lambda implementation, build: {"sha256": "0"})
    found = replace(implementations.find("reference"), requires=Requirement("libtheirs.so"))
    assert implementations.identity(found)["opens"] == {"path": named, "sha256": None}


def test_a_record_has_no_long_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """An adapter may give a text of 16 MiB, which would be in each of a thousand records."""
    described = {"sha256": "0", "version": "1.2 " + "v" * 1_000_000, "build": "b" * 1_000_000}
    monkeypatch.setattr(implementations, "describe", lambda implementation, build: described)
    found = implementations.identity(implementations.find("reference"))
    assert found["version"] == "1.2 …" and len(found["build"]) <= implementations.MOST_NAMED
    described |= {"version": "1.2", "build": None}
    assert implementations.identity(implementations.find("reference"), "gcc-O2") == {
        "name": "reference",
        "version": "1.2",
        "build": "gcc-O2",
        "sha256": "0",
    }


def test_a_file_may_be_larger_than_memory(tmp_path: Path) -> None:
    whole = tmp_path / "large"
    with whole.open("wb") as file:
        file.truncate(64 << 20)
    tracemalloc.start()
    try:
        found = libraries.digest(str(whole))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert found == hashlib.sha256(bytes(64 << 20)).hexdigest()
