# SPDX-License-Identifier: Apache-2.0
"""The libraries beside an adapter, as the loader lists them, and as an adapter may want them to be listed."""

from __future__ import annotations

import subprocess
from pathlib import Path

from headroom.nightly import adapter_files


def library(folder: Path, name: str, code: str, *options: str) -> Path:
    (folder / "x.c").write_text(code)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", folder / name, folder / "x.c", *options], check=True)
    return folder / name


def test_a_library_beside_it_is_one_of_its_files(tmp_path: Path) -> None:
    library(tmp_path, "libcodec.so", "int f(void) { return 1; }")
    options = (f"-L{tmp_path}", "-lcodec", "-Wl,-rpath,$ORIGIN")
    adapter = library(tmp_path, "mine.so", "int f(void); int g(void) { return f(); }", *options)
    assert adapter_files.beside(adapter) == ("libcodec.so",)


def test_an_adapter_cannot_have_a_secret_copied(tmp_path: Path) -> None:
    """The loader runs an auditing library (DT_AUDIT, rtld-audit(7)), which writes another line of the listing."""
    secret, folder = tmp_path / "secret", tmp_path / "mine"
    secret.write_text("a secret")
    folder.mkdir()
    (folder / "libsecret.so").symlink_to(secret)
    line = f"\\tlibsecret.so => {folder}/libsecret.so (0x00007f0000000000)\\n"
    code = f"""
    #include <unistd.h>
    unsigned la_version(unsigned v) {{ static const char s[] = "{line}"; return v && write(1, s, sizeof s - 1) > 0; }}
    """
    audit = library(folder, "audit.so", code)
    adapter = library(folder, "mine.so", "int g(void) { return 1; }", f"-Wl,--audit,{audit}")
    assert "libsecret.so" in subprocess.run(["ldd", adapter], capture_output=True, text=True, check=True).stdout
    assert adapter_files.beside(adapter) == ()
