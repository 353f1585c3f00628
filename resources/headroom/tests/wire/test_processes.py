# SPDX-License-Identifier: Apache-2.0
"""A crew's processes: ready, watched, stopped, and none left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from headroom.core import sandbox
from headroom.core.engine_result import EngineFailure
from headroom.core.errors import EnvironmentLacks
from headroom.core.sandbox import Walls
from headroom.testbed import compose, processes
from headroom.testbed.processes import Crew


def exists(pid: int) -> bool:
    """Whether a process runs: one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def gone(pids: list[int], within_s: float = 5.0) -> bool:
    deadline = time.monotonic() + within_s
    while any(exists(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(exists(pid) for pid in pids)


def test_statistics_while_it_runs_and_a_document_at_the_end(node_build: str) -> None:
    with Crew(build=node_build) as crew:
        node = crew.engine("compressor", "node", {"mtu": 1500})
        crew.wait_until_ready()
        assert node.statistics()["statistics"] is True
        document = crew.stop(node)
        assert document["command"] == "node"
        assert document["job"]["mtu"] == 1500
        assert crew.stop(node) is document, "a second time changes nothing"
        assert not exists(node.process.pid)
    assert not crew.folder.exists()


def test_an_adapter_cannot_give_statistics(node_build: str) -> None:
    """It could find the descriptor of the control socket."""
    with Crew(build=node_build) as crew:
        node = crew.engine("compressor", "node", {"fake": "forges"})
        crew.wait_until_ready()
        with pytest.raises(EngineFailure, match="without the seal of its job") as caught:
            node.statistics()
        assert caught.value.kind == "tampered"


def test_a_long_document_needs_no_reader(node_build: str) -> None:
    with Crew(build=node_build) as crew:
        node = crew.engine("link", "link", {"pad": 1 << 20})
        crew.wait_until_ready()
        assert len(crew.stop(node)["pad"]) == 1 << 20


def test_each_has_a_socket_of_its_own_and_reads_its_job_once(node_build: str) -> None:
    with Crew(build=node_build) as crew:
        nodes = [crew.engine(name, "node", {}) for name in ("compressor", "decompressor")]
        crew.wait_until_ready()
        assert {node.control for node in nodes} == {crew.folder / f"{name}.sock" for name in crew_names(nodes)}
        for size in (1, processes.PIPE_OCTETS + 1, 1 << 24):
            given = processes._given(b"x" * size)
            with open(given, "rb") as file:
                assert len(file.read()) == size
                assert size == 1 << 24 or not file.seekable(), "the seal would be there for an adapter"


@pytest.mark.parametrize("failures", [1, processes.MOST_STARTS - 1, processes.MOST_STARTS])
def test_an_engine_without_a_sandbox_begins_again(
    node_build: str, monkeypatch: pytest.MonkeyPatch, failures: int
) -> None:
    """The namespace of another run may go while bubblewrap copies all mounts."""
    start, left = processes.process_group.start, [failures]

    def start_in_vain(words: list[str], env: None, walls: Walls, *more: Any, **named: Any) -> subprocess.Popen[bytes]:
        left[0] -= 1
        if left[0] < 0:
            return start(words, env, walls, *more, **named)
        process = start(["sh", "-c", 'echo "bwrap: Can\'t bind mount" >&2; exit 1'], env, None, *more, **named)
        process.is_walled = True  # type: ignore[attr-defined]
        return process

    monkeypatch.setattr(processes.process_group, "start", start_in_vain)
    with Crew(build=node_build) as crew:
        node = crew.engine("compressor", "node", {})
        if failures == processes.MOST_STARTS:
            with pytest.raises(EngineFailure, match="could not be made"):
                crew.wait_until_ready()
        else:
            crew.wait_until_ready()
            assert crew.stop(node)["command"] == "node"
    assert left[0] == (0 if failures == processes.MOST_STARTS else -1), "no more starts than it needs"


def crew_names(services: list[processes.Service]) -> list[str]:
    return [service.name for service in services]


def test_leaving_ends_everything(node_build: str) -> None:
    with Crew(build=node_build) as crew:
        pids = [crew.engine(name, "node", {}).process.pid for name in ("compressor", "decompressor")]
        pids.append(crew.program("generator", ["sleep", "600"]).process.pid)
        crew.wait_until_ready()
        assert all(exists(pid) for pid in pids)
    assert gone(pids)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_death_is_heard_at_once_with_its_cause(node_build: str, number: signal.Signals) -> None:
    with Crew(build=node_build) as crew:
        node = crew.engine("decompressor", "node", {})
        other = crew.engine("compressor", "node", {})
        crew.wait_until_ready()
        os.kill(node.process.pid, number)
        began = time.monotonic()
        with pytest.raises(
            EngineFailure, match=rf"^The decompressor \(.* node\): .* died from {number.name}"
        ) as caught:
            crew.attend(30)
        assert time.monotonic() - began < 1.0
        assert (caught.value.kind, caught.value.verdict) == ("crash", "error")
    assert gone([other.process.pid])


def test_the_death_of_another_program_is_heard_too() -> None:
    with Crew() as crew:
        crew.program("generator", ["sh", "-c", "echo no such port >&2; sleep 0.1; exit 4"])
        with pytest.raises(EngineFailure, match=r"The generator \(sh\) ended with exit status 4 .*: no such port"):
            crew.attend(30)


@pytest.mark.skipif(sandbox.in_force() == "none", reason="there is no sandbox here")
def test_another_program_can_have_walls_too() -> None:
    with Crew() as crew:
        crew.program("server", ["sh", "-c", "grep NoNewPrivs /proc/self/status >&2; exit 4"], walls=Walls())
        with pytest.raises(EngineFailure, match=r"The server \(sh\) ended with exit status 4 .*: NoNewPrivs:\s1"):
            crew.attend(30)


@pytest.mark.parametrize(
    ("job", "kind", "sentence"),
    [
        ({"fake": "refuses"}, "input", r"The link .*: there is no interface 'nowhere' \(at plain\)"),
        ({"fake": "aborts", "ends_after_s": 0.2}, "crash", "SIGABRT.*Its last words: the adapter's last words"),
        ({"ends_after_s": 0.2}, "crash", "ended although it had not been stopped"),
    ],
)
def test_an_end_that_nobody_asked_for(node_build: str, job: dict[str, Any], kind: str, sentence: str) -> None:
    with Crew(build=node_build) as crew:
        crew.engine("link", "link", job)
        with pytest.raises(EngineFailure, match=sentence) as caught:
            crew.wait_until_ready()
            crew.attend(30)
        assert caught.value.kind == kind


def test_one_that_is_never_ready(node_build: str) -> None:
    with Crew(build=node_build) as crew:
        crew.engine("compressor", "node", {"fake": "never-ready"})
        with pytest.raises(EngineFailure, match=r"not ready after 1 s\. Its last words: still looking") as caught:
            crew.wait_until_ready(1.0)
        assert caught.value.kind == "timeout"


def test_one_that_does_not_stop(node_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "STOP_S", 0.3)
    with Crew(build=node_build) as crew:
        node = crew.engine("compressor", "node", {"fake": "ignores-sigterm"})
        crew.wait_until_ready()
        with pytest.raises(EngineFailure, match=r"did not stop within 0\.3 s"):
            crew.stop(node)
        assert gone([node.process.pid])


def test_statistics_that_are_none(node_build: str) -> None:
    with Crew(build=node_build) as crew:
        node = crew.engine("compressor", "node", {"answer": "hello"})
        crew.attend(0.5)
        with pytest.raises(EngineFailure, match=r"The compressor .* gives no statistics"):
            node.statistics()


def test_a_job_with_a_duration_is_waited_for(node_build: str) -> None:
    with Crew(build=node_build) as crew:
        node = crew.engine("compressor", "node", {})
        generator = crew.engine("generator", "generate", {"ends_after_s": 0.3}, ends_by_itself=True)
        crew.wait_until_ready()
        assert crew.finish(generator, 10)["command"] == "generate"
        crew.attend(0.1)
        slow = crew.engine("generator", "generate", {"ends_after_s": 60}, ends_by_itself=True)
        with pytest.raises(EngineFailure, match="was still busy after"):
            crew.finish(slow, 0.3)
        os.kill(node.process.pid, signal.SIGKILL)
        with pytest.raises(EngineFailure, match=r"compressor .* SIGKILL"):
            crew.finish(slow, 30)


def test_attend_returns_what_can_be_read(node_build: str) -> None:
    reader, writer = os.pipe()
    with Crew(build=node_build) as crew:
        crew.engine("compressor", "node", {})
        assert crew.attend(0.05, [reader]) == []
        os.write(writer, b"x")
        assert crew.attend(30, [reader]) == [reader]
    os.close(reader)
    os.close(writer)


def test_a_flood_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "MAX_OUTPUT", 1 << 20)
    with Crew() as crew:
        crew.program("generator", ["yes"])
        with pytest.raises(EngineFailure, match="printed more than 1048576 octets"):
            crew.attend(30)


def test_no_engine_and_no_program(tmp_path: Path) -> None:
    with Crew(build=str(tmp_path / "nothing")) as crew:
        with pytest.raises(EnvironmentLacks, match="There is no engine at"):
            crew.engine("compressor", "node", {})
        with pytest.raises(EnvironmentLacks, match="/nowhere/trex cannot be started: it does not exist"):
            crew.program("generator", ["/nowhere/trex"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_the_harness(node_build: str, number: signal.Signals) -> None:
    code = textwrap.dedent(f"""
        from headroom.core import process_group
        from headroom.testbed.processes import Crew
        with process_group.tidy_when_terminated(), Crew(build={node_build!r}) as crew:
            services = [crew.engine("compressor", "node", {{}}), crew.program("generator", ["sleep", "600"])]
            crew.wait_until_ready()
            print(crew.folder, *(service.process.pid for service in services), flush=True)
            crew.attend(60)
    """)
    caller = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
    )
    assert caller.stdout is not None
    folder, *pids = caller.stdout.readline().split()
    assert all(exists(int(pid)) for pid in pids)
    caller.send_signal(number)
    caller.wait(20)
    caller.stdout.close()
    assert gone([int(pid) for pid in pids])
    assert number == signal.SIGKILL or not Path(folder).exists()
    shutil.rmtree(folder, ignore_errors=True)


def test_what_else_has_to_live_is_looked_at(node_build: str) -> None:
    """Such as the Docker daemon, which tells of no container's end when it has been stopped."""
    daemon = subprocess.Popen(["sleep", "60"])
    try:
        with Crew(build=node_build) as crew:
            crew.engine("link", "link", {})
            crew.glances.append(partial(compose.look_at_daemon, daemon.pid))
            crew.wait_until_ready()
            crew.attend(0.6)
            os.kill(daemon.pid, signal.SIGSTOP)
            with pytest.raises(EngineFailure, match=r"The Docker daemon does nothing any more: .*SIGSTOP"):
                crew.attend(10)
    finally:
        daemon.kill()
        daemon.wait()
    compose.look_at_daemon(0)  # one that is elsewhere


@pytest.mark.parametrize("answer", ["[]", "1", "nothing", "[" * 100_000, '{"a":' * 100_000])
def test_what_a_control_socket_gives_is_an_object(answer: str) -> None:
    with pytest.raises(ValueError):
        processes.answer_of(answer)


def test_statistics_may_have_any_number() -> None:
    workers = processes.answer_of('{"silent_ns": 1' + "0" * 400 + ', "frames": 7, "lost": "x"}')
    assert [processes._number(workers, name) for name in ("silent_ns", "frames", "lost", "none")] == [0, 7, 0, 0]
