# SPDX-License-Identifier: Apache-2.0
"""What several tests need: a build folder with the fake engine, the real build, an empty place for runs."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headroom.core.machine import build
from headroom.core.paths import DEFAULT_BUILD, ROOT

# A shell that starts the tests in the background has them ignore SIGINT, and so would every process that they start and
# mean to interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


LARGEST_CHECKED = 200_000  # octets of a job: checking a larger one takes seconds


@pytest.fixture(scope="session", autouse=True)
def documents_are_valid() -> Iterator[None]:
    """Checks each job that an engine of a build here carries out, and its result, against their schemas."""
    from headroom.core import engine, reference

    read = engine._document

    def checked(child: engine._Child) -> dict[str, Any]:
        result = read(child)  # raises for a job that the engine refuses
        if child.program.is_relative_to(ROOT / "build") and len(child.job) + len(child.out) < LARGEST_CHECKED:
            job = json.loads(child.job)
            variants = {"endpoint": "load-calls", "user_plane": "load-user-plane"} if child.command == "load" else {}
            variant = next((variants[key] for key in variants if key in job), child.command)
            assert reference.violations(f"job-{variant}", job) == []
            assert reference.violations(f"result-{variant}", result) == []
        return result

    engine._document = checked
    yield
    engine._document = read


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests that start the engine of a real build, which `./headroom test --fast` leaves out."""
    for item in items:
        if "real_build" in getattr(item, "fixturenames", ()):
            item.add_marker("engine")


@pytest.fixture
def fake_build(tmp_path: Path) -> str:
    """A build whose engine is the fake one, as the path that `build` options take."""
    program = tmp_path / "build" / "bin" / "headroom-engine"
    program.parent.mkdir(parents=True)
    script = Path(__file__).with_name("fake_engine.py")
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {script} "$@"\n')
    program.chmod(0o755)
    return str(tmp_path / "build")


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines run as where there is no sandbox: the processes that they start can be seen, and must be ended."""
    from headroom.core import sandbox

    monkeypatch.setattr(sandbox, "lacking", lambda ports=False: "a test turns it off")
    monkeypatch.setattr(sandbox, "has_landlock", lambda: False)


@pytest.fixture(scope="session", autouse=True)
def measuring_lock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A lock of the tests' own: they wait for no measurement on this machine, and keep none waiting."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEADROOM_LOCK", str(tmp_path_factory.mktemp("lock") / "measuring.lock"))
        yield


@pytest.fixture(scope="session")
def real_build() -> str:
    """The default build, or $HEADROOM_TEST_BUILD. A test that needs it fails without: it is what is being proven."""
    name = os.environ.get("HEADROOM_TEST_BUILD") or DEFAULT_BUILD
    if not build.engine_program(name).is_file():
        pytest.fail(
            f"the build {DEFAULT_BUILD} is not there: `./headroom test` makes it, as does "
            f"`cmake --preset {DEFAULT_BUILD}`"
        )
    return name


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for runs."""
    folder = tmp_path / "out"
    folder.mkdir()
    monkeypatch.setenv("HEADROOM_OUT", str(folder))
    monkeypatch.setenv("HEADROOM_LOCK", str(tmp_path / "measuring.lock"))
    return folder
