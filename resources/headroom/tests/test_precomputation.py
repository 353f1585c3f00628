# SPDX-License-Identifier: Apache-2.0
"""Calls are gone through by an engine of its own: nothing of that is there when the P-CSCF is measured."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from typing import Any

import pytest

from headroom.core import engine, sandbox
from headroom.core.engine_result import EngineFailure
from headroom.core.paths import build_folder
from headroom.schemes.sigcomp import call_load
from headroom.tests.runs import calls_of


def job(build: str, options: dict[str, Any]) -> dict[str, Any]:
    """Calls of two messages through an adapter of the tests."""
    library = str(build_folder(build) / "lib" / "faulty" / "speaker.so")
    config = {"scheme": "sigcomp", "options": options}
    call = [{"from": "user", "hex": b"INVITE".hex()}, {"from": "core", "hex": b"200 OK".hex(), "pause_ms": 5000}]
    return {"endpoint": {"library": library, "config": config}, "call": call, "simultaneous": 5, "duration_s": 20}


@pytest.fixture
def one_core() -> Iterator[None]:
    """The calls are gone through in one process: several share what an adapter keeps."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    yield
    os.sched_setaffinity(0, cores)


def differing(document: dict[str, Any]) -> int:
    """Messages that the P-CSCF sent otherwise than when the calls were gone through."""
    return int(document["outcomes"]["different"])


@pytest.mark.usefixtures("one_core")
@pytest.mark.skipif(bool(sandbox.lacking()), reason="bubblewrap does not work here")
def test_an_adapter_finds_none_of_its_files(real_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = job(real_build, {"keeps": f"/tmp/kept-{secrets.token_hex(8)}"})
    assert differing(engine.run("load", whole, build=real_build)) > 0, "one engine has one /tmp"
    monkeypatch.setattr(call_load, "job", lambda config: whole)
    with call_load.precomputed(calls_of(build=real_build), timeout_s=60) as recorded:
        assert differing(engine.run("load", recorded, build=real_build)) == 0


@pytest.mark.parametrize("is_recorded", [True, False])
def test_an_adapter_starts_no_process_under_load(
    real_build: str, monkeypatch: pytest.MonkeyPatch, is_recorded: bool
) -> None:
    whole = job(real_build, {"fault": "forks"})
    monkeypatch.setattr(call_load, "job", lambda config: whole)
    with call_load.precomputed(calls_of(build=real_build), timeout_s=60) as recorded:
        document = engine.run("load", recorded if is_recorded else whole, build=real_build)
    assert differing(document) > 0, "a call that the kernel refuses"


def test_a_recording_of_other_calls_is_refused(real_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = job(real_build, {})
    monkeypatch.setattr(call_load, "job", lambda config: whole)
    with call_load.precomputed(calls_of(build=real_build), timeout_s=60) as recorded:
        later = recorded["call"][0] | {"hex": b"UPDATE".hex()}
        with pytest.raises(EngineFailure, match="has other messages: an adapter changed it") as caught:
            engine.run("load", recorded | {"call": [later, recorded["call"][1]]}, build=real_build)
    assert caught.value.kind == "refused"
