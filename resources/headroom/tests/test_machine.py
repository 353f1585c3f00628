# SPDX-License-Identifier: Apache-2.0
"""The environment as files show it, the doctor's lines, and builds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.machine import build, environment, topology
from headroom.testbed import doctor


def put(root: Path, path: str, text: str) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    fields = ("model name\t: Example 9000", "microcode\t: 0x2b", "cpu MHz\t\t: 2100.5", "flags\t\t: fpu hypervisor")
    put(tmp_path, "proc/cpuinfo", "\n".join(fields) + "\n\nmodel name\t: Other\n")
    put(tmp_path, "proc/meminfo", "MemTotal:       1024 kB\nMemAvailable: 512 kB\n")
    put(tmp_path, "proc/sys/vm/nr_hugepages", "8\n")
    put(tmp_path, "etc/os-release", 'NAME=x\nPRETTY_NAME="Example OS 1"\n')
    put(tmp_path, "sys/class/dmi/id/sys_vendor", "Example Cloud\n")
    put(tmp_path, "sys/class/dmi/id/product_name", "vm.large\n")
    put(tmp_path, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
    put(tmp_path, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n")
    put(tmp_path, "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n")
    put(tmp_path, "sys/devices/system/cpu/intel_pstate/no_turbo", "0\n")
    put(tmp_path, "sys/devices/system/cpu/isolated", "1\n")
    put(tmp_path, "sys/devices/system/cpu/vulnerabilities/spectre_v1", "Mitigation: x\n")
    put(tmp_path, "sys/devices/system/cpu/vulnerabilities/mds", "Not affected\n")
    put(tmp_path, "sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n")
    return tmp_path


def test_environment(machine: Path) -> None:
    found = environment.read(root=machine)
    assert (found.cpu_model, found.microcode, found.clock_mhz) == ("Example 9000", "0x2b", 2100.5)
    assert (found.memory_bytes, found.hugepages, found.distribution) == (1 << 20, 8, "Example OS 1")
    assert found.virtualisation == "virtual machine (Example Cloud vm.large)"
    assert (found.governor, found.boost, found.isolated_cpus) == ("performance, powersave", "on", "1")
    assert (found.transparent_hugepages, found.mitigations, found.clock_source) == ("madvise", "spectre_v1", "tsc")
    assert found.missing == {}


def test_what_cannot_be_read_has_a_reason(tmp_path: Path) -> None:
    found = environment.read(build=str(tmp_path / "no" / "build"), root=tmp_path)
    assert found.governor is None
    assert {"governor", "boost", "microcode", "compiler"} <= set(found.missing)
    assert all(found.missing.values())


def test_compiler_and_flags_of_a_build(tmp_path: Path) -> None:
    put(tmp_path, "CMakeCache.txt", "CMAKE_CXX_FLAGS:STRING=-O3 -march=native\n")
    described = 'set(CMAKE_CXX_COMPILER_ID "Clang")\nset(CMAKE_CXX_COMPILER_VERSION "14.0.6")\n'
    put(tmp_path, "CMakeFiles/3.25.1/CMakeCXXCompiler.cmake", described)
    assert environment.compiler_and_flags(tmp_path) == ("Clang 14.0.6", "-O3 -march=native")
    assert environment.compiler_and_flags(tmp_path / "none") == (None, None)


def test_commit_of_the_harness() -> None:
    found = environment.commit()
    assert found["commit"] is None or len(found["commit"]) == 40


# ---- doctor


def test_a_missing_program_costs_something() -> None:
    found = doctor.program("compiler", "no-such-compiler")
    assert (found.status, *doctor.ADVICE["compiler"]) == ("lacking", found.cost, "apt-get install g++")
    assert doctor.program("compiler", "bash").status == "good"


def test_a_browser_that_only_asks_for_another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (("chromium", "echo install me; exit 1"), ("chromium-browser", "echo Chromium 99")):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert doctor.find_browser() == (str(tmp_path / "chromium-browser"), "Chromium 99")
    (tmp_path / "chromium-browser").unlink()
    assert doctor.find_browser() is None
    assert doctor.browser().status == "lacking"


def test_governors() -> None:
    assert doctor.frequency("performance").status == "good"
    assert doctor.frequency("powersave").status == "lacking"
    assert doctor.frequency(None).status == "note"


def test_trex(tmp_path: Path) -> None:
    assert doctor.trex({}).status == "lacking"
    found = doctor.trex({"TREX_ROOT": str(tmp_path)})
    assert found.status == "lacking"
    assert "no _t-rex-64" in found.value


def test_cores_that_may_not_be_used_are_named() -> None:
    cpu = topology.Cpu(0, 0, 0, frozenset({0}), frozenset({0}), 3)
    assert doctor.cores(topology.Topology((cpu,))).status == "lacking"
    found = doctor.cores(topology.Topology((cpu,), {1: "offline"}))
    assert "1 more are offline" in found.value


def test_ranges() -> None:
    assert doctor._ranges(frozenset({0, 1, 2, 5, 7, 8})) == "0-2,5,7-8"


# ---- builds


def test_presets_are_the_papers_matrix_and_more() -> None:
    assert set(build.MEASURED) <= set(build.presets())
    assert "base" not in build.presets()


@pytest.mark.parametrize(
    ("line", "step"),
    [
        (
            "[5/50] Building CXX object resources/engine/CMakeFiles/engine.dir/job.cc.o\n",
            "resources/engine/engine/job.cc",
        ),
        ("[50/50] Linking CXX shared module lib/null.so\n", "lib/null.so"),
        ("[1/1] x", None),
        ("x", None),
        ("[a/b] c", None),
        ("[0/2] Re-checking globbed directories...", None),
    ],
)
def test_steps_of_ninja(line: str, step: str | None) -> None:
    assert build._work(line) == (step and f"{line.partition(' ')[0]} {step}")


def test_progress_while_nothing_ends() -> None:
    heard: list[str] = []
    with build._Steps("building x", heard.append) as steps:
        steps.pause_s = 0.05
        steps.done("[1/2] a.cc")
        time.sleep(0.5)
        steps.done("[2/2] b.cc")
        time.sleep(0.2)
    assert heard[0] == "building x, 0 s: [1/2] a.cc"
    assert len(heard) > 4 and heard[-1].endswith("[2/2] b.cc")


def test_ccache_is_used_where_it_is_and_nothing_else_is_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = ("CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build._launchers() == {}
    put(tmp_path, "ccache", "")
    (tmp_path / "ccache").chmod(0o755)
    assert build._launchers() == dict.fromkeys(names, "ccache")
    monkeypatch.setenv(names[0], "distcc")
    assert build._launchers() == {}


def test_an_unknown_build() -> None:
    with pytest.raises(UsageError, match="There is no build 'gcc-O9'"):
        build.ensure("gcc-O9")


def test_a_build_made_elsewhere_is_taken_as_it_is(fake_build: str) -> None:
    assert build.ensure(fake_build) == Path(fake_build)


def test_a_missing_compiler_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentLacks, match="needs cmake, which is not installed"):
        build.ensure("gcc-O2")


def test_a_build_that_fails_shows_the_compilers_last_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("no cmake")
    put(tmp_path, "CMakePresets.json", (build.ROOT / "CMakePresets.json").read_text())
    put(
        tmp_path,
        "CMakeLists.txt",
        'cmake_minimum_required(VERSION 3.23)\nproject(x LANGUAGES NONE)\nmessage(FATAL_ERROR "no such thing")\n',
    )
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "build_folder", lambda name: tmp_path / "build" / name)
    with pytest.raises(
        EnvironmentLacks, match=r"(?s)Configuring the build gcc-O2 failed; the whole log is .*no such thing"
    ):
        build.ensure("gcc-O2")


def test_a_build_that_cannot_be_written_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gcc-O2"
    (folder / "bin").mkdir(parents=True)
    (folder / "build.ninja").touch()
    (folder / "bin" / "headroom-engine").touch()
    monkeypatch.setattr(build, "build_folder", lambda _: folder)
    monkeypatch.setattr(os, "access", lambda path, _: path != folder)
    heard: list[str] = []
    assert build.ensure("gcc-O2", ["bin/headroom-engine"], say=heard.append) == folder
    assert "cannot be written" in heard[0]
    assert not (folder / "headroom-build.log").exists()
    with pytest.raises(EnvironmentLacks):
        build.ensure("gcc-O2", ["bin/headroom-engine", "lib/missing.so"])


LITTLE_PROJECT = """
cmake_minimum_required(VERSION 3.23)
project(little LANGUAGES NONE)
file(WRITE ${CMAKE_BINARY_DIR}/configured.txt "${CMAKE_SOURCE_DIR}")
add_custom_target(made ALL COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/made.txt)
"""


def small_checkout(root: Path) -> Path:
    put(root, "CMakeLists.txt", LITTLE_PROJECT)
    preset = {"name": "gcc-O2", "generator": "Ninja", "binaryDir": "${sourceDir}/build/gcc-O2"}
    put(root, "CMakePresets.json", json.dumps({"version": 4, "configurePresets": [preset]}))
    return root


def use(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "ROOT", root)
    monkeypatch.setattr(build, "build_folder", lambda name: root / "build" / name)


@pytest.mark.parametrize("way", ["copied", "moved"])
def test_a_checkout_that_came_with_its_build_makes_it_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    first = small_checkout(tmp_path / "first")
    use(first, monkeypatch)
    folder = build.ensure("gcc-O2")
    assert (folder / "made.txt").is_file()
    second = tmp_path / "Zweiter Prüfstand"
    if way == "copied":
        shutil.copytree(first, second)
        (folder / "made.txt").unlink()
    else:
        first.rename(second)
    (second / "CMakeLists.txt").touch()  # newer than the build: ninja would configure, there
    before = {path: path.stat().st_mtime_ns for path in first.rglob("*")}
    use(second, monkeypatch)
    heard: list[str] = []
    assert build.ensure("gcc-O2", say=heard.append) == second / "build" / "gcc-O2"
    assert f"was made as {folder} and has been copied or moved" in heard[0]
    assert (second / "build" / "gcc-O2" / "made.txt").is_file()
    assert (second / "build" / "gcc-O2" / "configured.txt").read_text(encoding="utf-8") == str(second)
    assert {path: path.stat().st_mtime_ns for path in first.rglob("*")} == before, "the other one is as it was"
    heard.clear()
    build.ensure("gcc-O2", say=heard.append)
    assert not any("made again" in line for line in heard), "once"


def test_a_link_to_the_build_of_another_checkout_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = small_checkout(tmp_path / "first"), small_checkout(tmp_path / "second")
    use(first, monkeypatch)
    build.ensure("gcc-O2")
    before = {path: path.stat().st_mtime_ns for path in first.rglob("*")}
    (second / "build").symlink_to(first / "build")
    use(second, monkeypatch)
    with pytest.raises(EnvironmentLacks, match="the build of another checkout"):
        build.ensure("gcc-O2")
    assert {path: path.stat().st_mtime_ns for path in first.rglob("*")}.items() >= {
        path: time for path, time in before.items() if path.is_file() and path.name != "headroom-build.lock"
    }.items(), "the other one is as it was"


def test_a_build_that_was_configured_by_way_of_a_link_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = small_checkout(tmp_path / "root")
    link = tmp_path / "link"
    link.symlink_to(root)
    subprocess.run(["cmake", "--preset", "gcc-O2"], cwd=link, env={**os.environ, "PWD": str(link)}, check=True)
    put(root, "build/gcc-O2/kept.txt", "")
    use(root, monkeypatch)
    build.ensure("gcc-O2")
    assert (root / "build" / "gcc-O2" / "kept.txt").is_file()
    # The link names another checkout now, with the build of the first.
    other = small_checkout(tmp_path / "other")
    shutil.copytree(root / "build", other / "build")
    use(other, monkeypatch)
    build.ensure("gcc-O2")
    assert not (other / "build" / "gcc-O2" / "kept.txt").exists()
