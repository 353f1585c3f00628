# SPDX-License-Identifier: Apache-2.0
"""A program behind a pipe that dies, hangs or lies."""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from headroom.core.errors import HeadroomError
from headroom.testbed.trex.pipe import Pipe, PipeFailure, Refusal, last_words

ECHO = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    reply = {"id": request["id"], "result": request["params"]}
    if request["method"] == "refuse":
        reply = {"id": request["id"], "error": {"code": -32000, "message": "no", "data": {"exception": "TRexError"}}}
    print(json.dumps(reply), flush=True)
"""

Open = Callable[..., Pipe]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    def opened(program: str, **options: object) -> Pipe:
        return Pipe([sys.executable, "-c", program], "the program", tmp_path / "log", **options)  # type: ignore[arg-type]

    return opened


def test_a_result_and_a_refusal(opened: Open) -> None:
    with opened(ECHO) as pipe:
        assert pipe.call("say", word="ä") == {"word": "ä"}
        with pytest.raises(Refusal, match=r"^refuse: no$") as refused:
            pipe.call("refuse")
        assert refused.value.exception == "TRexError"
        assert pipe.call("say", word=2) == {"word": 2}


def test_an_exchange_is_recorded_as_it_was(opened: Open) -> None:
    record = io.StringIO()
    with opened(ECHO, record=record) as pipe:
        pipe.call("say", word=1)
        with pytest.raises(Refusal):
            pipe.call("refuse")
    exchanges = [json.loads(line) for line in record.getvalue().splitlines()]
    assert [one["request"]["method"] for one in exchanges] == ["say", "refuse"]
    assert exchanges[0]["reply"] == {"id": 1, "result": {"word": 1}}


def test_large_answers_arrive_whole(opened: Open) -> None:
    with opened(ECHO) as pipe:
        assert len(pipe.call("say", word="x" * 3_000_000)["word"]) == 3_000_000


def test_a_death_is_told_with_the_last_words(opened: Open) -> None:
    with opened("import sys; input(); sys.exit('it was the wire')") as pipe:
        with pytest.raises(PipeFailure, match=r"ended while it was to say.* it was the wire"):
            pipe.call("say")
        with pytest.raises(PipeFailure, match="ended"):
            pipe.call("say")


def test_no_answer_in_time(opened: Open) -> None:
    with opened("import time; time.sleep(60)") as pipe:
        began = time.monotonic()
        with pytest.raises(PipeFailure, match=r"did not answer to say within 0.3 s"):
            pipe.call("say", timeout_s=0.3)
        assert time.monotonic() - began < 2


@pytest.mark.parametrize("answer", ["hello", "[]", '{"id": 7, "result": 1}', '{"id": 1}'])
def test_an_answer_that_is_none(opened: Open, answer: str) -> None:
    with (
        opened(f"input(); print({answer!r}, flush=True); input()") as pipe,
        pytest.raises(PipeFailure, match="JSON-RPC"),
    ):
        pipe.call("say")


def test_what_it_depends_on_is_watched_while_it_waits(opened: Open) -> None:
    class Dead(HeadroomError):
        pass

    dies_at = time.monotonic() + 0.5

    def look() -> None:
        if time.monotonic() > dies_at:
            raise Dead("the server died")

    began = time.monotonic()
    with opened("import time; time.sleep(60)", watched=[look]) as pipe, pytest.raises(Dead):
        pipe.call("say", timeout_s=30)
    assert time.monotonic() - began < 2


def test_last_words_are_words(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("starting\nring full\n\n------\n  \n")
    assert last_words(log) == " Its last words: ring full"
    log.write_text("------\n")
    assert last_words(log) == last_words(tmp_path / "none") == ""


def test_one_that_is_stopped_is_told_from_one_that_is_slow(opened: Open) -> None:
    stopping = "import os, signal, sys; sys.stdin.readline(); os.kill(os.getpid(), signal.SIGSTOP)"
    with (
        opened(stopping) as pipe,
        pytest.raises(PipeFailure, match=r"^the program does nothing any more: it has been stopped \(SIGSTOP\)\.$"),
    ):
        pipe.call("say", timeout_s=60.0)
