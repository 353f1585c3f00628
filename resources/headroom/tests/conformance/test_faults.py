# SPDX-License-Identifier: Apache-2.0
"""Adapters that misbehave on purpose: what the harness says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headroom.core import engine
from headroom.schemes.rohc.conformance import faulty_adapters


def provoked(monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any] | Exception) -> str:
    def run(command: str, job: dict[str, Any], timeout_s: float, build: str) -> dict[str, Any]:
        assert (command, timeout_s, build) == ("replay", faulty_adapters.TIMEOUT_S, "mine")
        assert job["compressor"]["library"] == "/lib/faulty_crash.so"
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(engine, "run", run)
    return faulty_adapters.provoke(Path("/lib"), "crash", "mine")


def test_who_behaves(monkeypatch: pytest.MonkeyPatch) -> None:
    assert provoked(monkeypatch, {"promise_broken": None, "forward": {"verdicts": {"mismatched": 0}}}) == ""


def test_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    assert provoked(monkeypatch, engine.EngineFailure("crash", "The engine died of SIGSEGV.")) == (
        "The engine died of SIGSEGV."
    )


def test_a_broken_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {"side": "compressor", "function": "compress", "packet": 3, "message": "It wrote too far."}
    sentence = provoked(monkeypatch, {"promise_broken": broken})
    assert sentence.startswith("The compressor broke a promise of the ABI in compress, packet 4: It wrote too far.")


def test_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = provoked(monkeypatch, {"promise_broken": None, "forward": {"verdicts": {"mismatched": 4}}})
    assert sentence == "4 packets come out with other octets."


def test_job() -> None:
    job = faulty_adapters.job(Path("/lib/faulty_none.so"))
    assert job["compressor"] == job["decompressor"]
    assert len(job["source"]["packets"]) == 40
    assert [one["before"] for one in job["link"]["forward"]["insert"]] == [20, 21, 22, 23, 24]
    assert bytes.fromhex(job["control"][0]["feedback"])[:2] == b"\xf0\xc8"
    assert len(bytes.fromhex(faulty_adapters.LONG_FEEDBACK)) == 2 + 0xC8


def test_folder() -> None:
    assert faulty_adapters.folder("/some/build") == Path("/some/build/lib/faulty")
