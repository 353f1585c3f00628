# SPDX-License-Identifier: Apache-2.0
"""headroom/cli, the command line as an image: its contract in docker/README.md, kept where Docker answers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import headroom
from headroom.core.paths import ROOT
from headroom.testbed import compose

FILE = ROOT / "docker" / "cli" / "Dockerfile"
IMAGE = "headroom/cli:latest"
cannot = (
    "these make containers: `./headroom test --only compose` runs them"
    if not os.environ.get("HEADROOM_CONTAINERS")
    else compose.lacks()
)
with_docker = pytest.mark.skipif(bool(cannot), reason=cannot or "Docker")


@pytest.fixture(scope="module")
def image() -> str:
    subprocess.run([ROOT / "docker" / "build", "cli"], check=True, timeout=3600)
    return IMAGE


def contained(image: str, out: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command line as the contract says: no network, any user, nothing but two mounts."""
    limits = ("--network", "none", "--user", "12345:12345", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL")
    mounts = ("--volume", f"{ROOT / 'implementations' / 'example'}:/adapter:ro", "--volume", f"{out}:/out")
    command = ["docker", "run", "--rm", *limits, *mounts, image, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def test_the_dockerfile_leaves_nothing_to_be_fetched_or_written() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert "USER headroom" in text and 'ENTRYPOINT ["headroom"]' in text and "HEADROOM_OUT=/out" in text
    assert "PIP_NO_INDEX=1" in text, "packages come from build/wheels, with their hashes"
    assert "http" not in text


def test_an_unknown_image_is_refused() -> None:
    if shutil.which("docker") is None or subprocess.run(["docker", "version"], capture_output=True).returncode:
        pytest.skip("no Docker daemon")
    done = subprocess.run([ROOT / "docker" / "build", "nothing"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 3
    assert "there is no image 'nothing': engine, generator, harness, cli." in done.stderr


@with_docker
def test_the_image_keeps_its_contract(image: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    out.chmod(0o777)
    told = contained(image, out, "--version")
    assert told.returncode == 0
    assert told.stdout.startswith(f"headroom {headroom.__version__}")
    assert contained(image, out, "run", "no/such/suite").returncode == 2
    done = contained(image, out, "run", "smoke", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["verdicts"]["pass"] > 15 and not document["verdicts"]["error"]
    (run,) = [path for path in out.iterdir() if (path / "run.json").is_file()]
    assert (run / "junit.xml").is_file() and (run / "report.html").is_file()
    record = json.loads(next((run / "results").glob("*.json")).read_text(encoding="utf-8"))
    assert len(record["harness"]["commit"]) == 40
