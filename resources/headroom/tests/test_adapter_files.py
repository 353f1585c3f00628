# SPDX-License-Identifier: Apache-2.0
"""The libraries beside an adapter, as the loader lists them, and as an adapter may want them to be listed."""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from headroom.core import adapter_files, engine, implementations
from headroom.core.errors import EXIT_FAILED
from headroom.core.paths import build_folder
from headroom.nightly.binaries import BinaryStore
from headroom.report import products


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


def test_a_record_has_the_digests_of_the_libraries_beside_an_adapter(tmp_path: Path, real_build: str) -> None:
    """Records and reports tell apart two deliveries that have the same adapter, and another codec beside it."""
    adapter = build_folder(real_build) / "lib" / "example.so"
    told = []
    for version in (1, 2):
        folder = tmp_path / str(version)
        folder.mkdir()
        library(folder, "libcodec.so", f"int f(void) {{ return {version}; }}")
        options = (f"-L{folder}", "-lcodec", f"-L{adapter.parent}", f"-l:{adapter.name}", "-Wl,-rpath,$ORIGIN")
        shutil.copy(adapter, folder)
        library(folder, "mine.so", "int f(void); int g(void) { return f(); }", "-Wl,--no-as-needed", *options)
        (folder / "implementation.yaml").write_text(
            "name: mine\nvendor: Nobody\nlicence: Apache-2.0\nobtain: Never.\nadapter: {library: mine.so}\n"
            "capabilities:\n"
            '  - {scheme: rohc, roles: [compressor, decompressor], profiles: ["0x0000"], modes: [U], cids: [small]}\n'
        )
        told.append(implementations.identity(implementations.find(str(folder)), real_build))
    assert told[0]["sha256"] == told[1]["sha256"], "the adapters are equal"
    assert told[0]["beside"]["libcodec.so"] == hashlib.sha256((tmp_path / "1/libcodec.so").read_bytes()).hexdigest()
    assert told[0]["beside"]["libcodec.so"] != told[1]["beside"]["libcodec.so"]
    assert told[0]["beside"]["example.so"] == told[1]["beside"]["example.so"]
    assert f"libcodec.so (SHA-256 {told[0]['beside']['libcodec.so'][:12]})" in products.described(told[0])


def adapter_of(folder: Path, build: str, *options: str, version: int = 1, more: str = "") -> Path:
    """An adapter with two libraries beside it: the example, and a codec. `more` is code of its own."""
    folder.mkdir()
    shutil.copy(build_folder(build) / "lib" / "example.so", folder)
    library(folder, "libcodec.so", f"int f(void) {{ return {version}; }}")
    needed = ("-Wl,--no-as-needed", f"-L{folder}", "-lcodec", "-l:example.so", "-Wl,-rpath,$ORIGIN")
    return library(folder, "mine.so", f"{more}int f(void); int g(void) {{ return f(); }}", *needed, *options)


def replayed(compressor: Path, decompressor: Path, build: str, **outputs: Path) -> dict[str, Any]:
    sides = {"compressor": compressor, "decompressor": decompressor}
    job: dict[str, Any] = {side: {"library": str(path), "config": {"scheme": "repeat"}} for side, path in sides.items()}
    job |= {"source": {"packets": [{"hex": "450000"}]}, "outputs": {name: str(path) for name, path in outputs.items()}}
    return engine.run("replay", job, build=build)


def test_an_adapter_that_calls_itself_by_the_path_of_another(tmp_path: Path, real_build: str) -> None:
    """The loader took it for the other one, whose errors its own then seemed to be."""
    partner = build_folder(real_build) / "lib" / "example.so"
    mine = adapter_of(tmp_path / "1", real_build, f"-Wl,-soname,{partner}")
    with pytest.raises(engine.EngineFailure, match=f"{mine}, which is open already, has its path for a name"):
        replayed(mine, partner, real_build)


def test_two_versions_of_a_library_in_one_process(tmp_path: Path, real_build: str) -> None:
    """The loader gave the second adapter the first one's codec, which was tested in place of its own."""
    first, same, second = (adapter_of(tmp_path / str(n), real_build, version=v) for n, v in ((1, 1), (2, 1), (3, 2)))
    assert replayed(first, same, real_build)["forward"]["verdicts"]["identical"] == 1
    with pytest.raises(engine.EngineFailure, match=f"it needs {second.parent}/libcodec.so, in whose place"):
        replayed(first, second, real_build)


def test_files_that_an_adapter_limits_are_no_full_disk(tmp_path: Path, real_build: str) -> None:
    """The command ended as if the machine lacked something, and rows of the matrix without cells."""
    less = "#include <sys/resource.h>\n__attribute__((constructor)) static void less(void) "
    less += "{ setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0}); }\n"
    mine = adapter_of(tmp_path / "1", real_build, more=less)
    with pytest.raises(engine.EngineFailure, match=r"lowered a limit.*File too large") as caught:
        replayed(mine, build_folder(real_build) / "lib" / "example.so", real_build, link=tmp_path / "link.pcapng")
    assert (caught.value.kind, caught.value.exit_code) == ("refused", EXIT_FAILED)


@pytest.mark.parametrize("name", ["libcodec.so", "adapter.so"])
def test_an_adapter_loads_by_links_and_from_a_store(name: str, tmp_path: Path) -> None:
    """The loader takes the folder of the link for $ORIGIN. A library may have the name that adapters are kept by."""
    folder = tmp_path / "mine"
    folder.mkdir()
    library(folder, name, "int f(void) { return 42; }", f"-Wl,-soname,{name}")
    options = (f"-L{folder}", f"-l:{name}", "-Wl,-rpath,$ORIGIN")
    adapter = library(folder, "mine.so", "int f(void); int g(void) { return f(); }", *options)
    store = BinaryStore(tmp_path / "store")
    kept = store.keep(adapter, "", False, "GNU 12", "20260101T000000Z")
    assert store.find(kept.digest) == kept
    links = [adapter_files.link(path, tmp_path / str(n)) for n, path in enumerate((adapter, kept.path))]
    assert len({len(path.name) for path in links}) == 1
    for path in (kept.path, *links):
        assert ctypes.CDLL(str(path)).g() == 42
