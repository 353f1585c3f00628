# SPDX-License-Identifier: Apache-2.0
"""The house: a scheme with sessions and two types of packets, and without modes, CIDs and feedback, is checked, judged
and measured by the folders of tests/toy alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from headroom.core.paths import ROOT, build_folder
from headroom.testbed import choice
from headroom.tests.wire.test_compose import docker, with_docker
from headroom.tests.wire.test_netns import root

pytestmark = pytest.mark.long

TOY = Path(__file__).parent / "toy"
COPIED = (
    "resources",
    "suites",
    "implementations",
    "traffic-profiles",
    "reports",
    "CMakeLists.txt",
    "CMakePresets.json",
)
# A night that takes the adapters as they are built, on a machine that is as busy as it is.
NIGHT = """
from headroom.cli.app import main
from headroom.core.machine import build, guard

build.ensure = lambda preset, *targets, **options: build.build_folder(preset)
guard.look = lambda folder: []
main()
"""
LEFT_OUT = shutil.ignore_patterns(
    "tests", "engine", "vectors", "golden", "__pycache__", "target", "fuzz", "node_modules"
)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository with the folders of the toy scheme, and its adapters."""
    made = tmp_path_factory.mktemp("house")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, made / name, ignore=LEFT_OUT)
        else:
            shutil.copy(ROOT / name, made / name)
    new = [path for path in TOY.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    for path in new:
        there = made / path.relative_to(TOY)
        assert not there.exists(), f"{there} is changed, not new"
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, there)
    toy = made / "implementations" / "toy"
    adapter_of(toy)
    shutil.copytree(toy, made / "implementations" / "forgetful-toy")
    forgetful = made / "implementations" / "forgetful-toy"
    adapter_of(forgetful, "-DTOY_FORGETS")
    text = (toy / "implementation.yaml").read_text()
    (forgetful / "implementation.yaml").write_text(text.replace("name: toy", "name: forgetful-toy"))
    return made


def adapter_of(folder: Path, *more: str) -> None:
    """Compiles the adapter of a folder into it."""
    flags = ("-std=c++20", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Werror", *more)
    source, library = folder / "toy.cc", folder / "toy.so"
    include = ROOT / "implementations" / "abi"
    subprocess.run(["g++", *flags, "-I", include, source, "-o", library], check=True, timeout=300)


def headroom(house: Path, build: str, *words: str) -> tuple[int, dict[str, Any]]:
    """Exit status and JSON document of a command in the house."""
    return python(house, "-m", "headroom", *words, "--build", str(build_folder(build)))


def python(house: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """Exit status and JSON document of a command in the house that Python is to run."""
    done = subprocess.run(
        [sys.executable, *words, "--json"],
        cwd=house,
        env={**os.environ, "PYTHONPATH": str(house / "resources")},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def run(house: Path, build: str, *words: str, by: str = "toy") -> dict[str, Any]:
    """The verdicts and capacities of a run."""
    status, document = headroom(house, build, "run", *words, "--compressor", by, "--decompressor", by, "--quick")
    verdicts = document["verdicts"]
    assert (status == 0) == (verdicts["fail"] + verdicts["error"] == 0), document
    return document


def test_it_is_checked_and_judged(house: Path, real_build: str) -> None:
    document = run(house, real_build, "smoke/adapters", "conformance/toy", "interop/toy")
    assert document["verdicts"] == {"pass": 12, "non-strict": 0, "fail": 0, "unsupported": 0, "error": 0}


def test_its_requirements_are_found_by_document_and_section(house: Path, real_build: str) -> None:
    assert run(house, real_build, "TOYDRAFT-2-2")["verdicts"]["pass"] == 2


def test_an_implementation_that_breaks_them_fails(house: Path, real_build: str) -> None:
    verdicts = run(house, real_build, "conformance/toy", by="forgetful-toy")["verdicts"]
    assert (verdicts["pass"], verdicts["fail"]) == (2, 2), "its compressor is right: it has less in common"


def test_it_is_in_the_matrix(house: Path, real_build: str) -> None:
    chosen = ("--scheme", "toy", "--compressors", "toy", "--decompressors", "toy,forgetful-toy")
    status, document = headroom(house, real_build, "interop", *chosen)
    verdicts = {(one["decompressor"], one["verdict"]) for one in document["cells"] if one["link"] == "clean"}
    assert (status, verdicts) == (1, {("toy", "pass"), ("forgetful-toy", "fail")})
    # Over the lossy link both of two sessions may lose their OPEN: then nothing can come out, right or wrong.
    lossy = {
        (one["decompressor"], one["sessions"]): one["verdict"] for one in document["cells"] if one["link"] == "lossy"
    }
    assert lossy["forgetful-toy", "16"] == "fail" and {lossy["toy", "16"], lossy["toy", "2"]} == {"pass"}


def test_it_is_replayed(house: Path, real_build: str) -> None:
    words = ("replay", "udp-60", "--flows", "16", "--compressor", "toy", "--decompressor", "toy")
    status, document = headroom(house, real_build, *words)
    types = document["forward"]["compressor"]["packet_types"]
    assert (status, {name: one["packets"] for name, one in types.items()}) == (0, {"OPEN": 16, "MORE": 984})


def test_its_cost_is_measured(house: Path, real_build: str) -> None:
    document = run(house, real_build, "performance/toy", "--cpus", "1c")
    assert (document["verdicts"]["pass"], document["verdicts"]["unsupported"]) == (3, 1), "there are no interfaces"
    (capacity,) = document["capacity"]
    assert (capacity["scheme"], capacity["flow_pairs"] > 0) == ("toy", True)
    page = Path(document["report"]).read_text()
    assert "A flow pair is two sessions." in page and "performance/toy/Sentinel" in page


@root
def test_it_is_forwarded_over_interfaces(house: Path, real_build: str) -> None:
    if reason := choice.build_lacks(real_build):
        pytest.skip(reason)
    words = ("performance/toy", "--case", "Throughput", "--topology", "netns")
    assert run(house, real_build, *words)["verdicts"]["pass"] == 1


def test_its_sentinel_is_watched_by_nights(house: Path, real_build: str, tmp_path: Path) -> None:
    (house / "build").mkdir()
    (house / "build" / "gcc-O2").symlink_to(build_folder(real_build))
    words = ("-c", NIGHT, "nightly", "--implementation", "toy", "--history", str(tmp_path / "history"))
    status, document = python(house, *words, "--quick", "--no-cases")
    assert document["status"] in ("measured", "cannot tell"), document["notes"]  # the machine may be noisy
    assert status == (0 if document["status"] == "measured" else 3)
    page = Path(document["page"]).read_text()
    assert document["series"] > 0 and "Toy Sessions" in page


@with_docker
def test_it_is_measured_as_an_image(house: Path, real_build: str) -> None:
    """Builds the image on this repository's, and runs it among this repository's containers."""
    (house / "docker").symlink_to(ROOT / "docker")
    boxed = house / "implementations" / "boxed-toy"
    shutil.copytree(house / "implementations" / "toy", boxed)
    image = docker("build", "--quiet", "--tag", "headroom/toy:test", str(boxed))
    try:
        entry = boxed / "implementation.yaml"
        text = entry.read_text().replace("name: toy", "name: boxed-toy")
        entry.write_text(
            text.replace('adapter:\n  library: "toy.so"', f"container: {{image: headroom/toy:test, digest: {image}}}")
        )
        words = ("performance/toy", "--case", "Throughput", "--topology", "compose")
        assert run(house, real_build, *words, by="boxed-toy")["verdicts"]["pass"] == 1
    finally:
        docker("image", "rm", "headroom/toy:test")
