# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in a run over namespaces: whoever is killed, stopped or robbed of his namespace, the verdict is an
error that names him, long before the trial would have ended, nothing is left, and the next case goes on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from robot.api import SkipExecution

from headroom.bench import throughput_search
from headroom.core import settings
from headroom.core.engine_result import EngineFailure
from headroom.core.paths import ROOT
from headroom.core.results import collector
from headroom.core.scheme_registry import workload_of
from headroom.keywords import forwarding
from headroom.testbed import interfaces, netns
from headroom.testbed.line import Line, line
from headroom.testbed.processes import Crew, Service, ask
from headroom.tests.runs import run_of
from headroom.tests.wire.test_netns import namespaces, root
from headroom.tests.wire.test_processes import gone

PATIENCE_S = 60.0  # until a peer is there
KILLED, STOPPED = "died from SIGKILL", r"does nothing any more: it has been stopped \(SIGSTOP\)"
LONG_S = 60.0  # a trial that nobody waits for

CHANNEL = workload_of("rohc").channel("U", 10, [])


pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("state")]  # of conftest.py


@pytest.fixture
def build(node_build: str) -> str:
    """A build whose engine is a stand-in, and that says that it has ports."""
    program = Path(node_build) / "bin" / "headroom-engine"
    shutil.copy(program, program.with_name("headroom-engine-wire"))
    return node_build


def service(made: Line, role: str) -> Service:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:  # a generator is there only while it sends
        if found := [one for one in made.topology.crew.services if one.name == role]:
            return found[0]
        time.sleep(0.02)
    raise AssertionError(f"there is no {role}")


@contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    """Does something soon after a trial has begun."""
    timer = threading.Timer(0.3, work)
    timer.start()
    yield
    timer.join()


@contextmanager
def nothing_is_left(state: Path) -> Iterator[list[Line]]:
    """Notes what a line has while it is there, and looks for it afterwards."""
    lines: list[Line] = []
    yield lines
    (made,) = lines
    assert namespaces(made.topology.run) == []  # type: ignore[attr-defined]
    assert gone([one.process.pid for one in made.watched.values()])
    assert not made.topology.crew.folder.exists(), "its sockets"
    assert list(state.iterdir()) == []


@root
@pytest.mark.parametrize(
    ("role", "number", "cause"),
    [
        ("compressor", signal.SIGKILL, KILLED),
        ("decompressor", signal.SIGSTOP, STOPPED),
        ("link", signal.SIGKILL, KILLED),
        ("generator", signal.SIGKILL, KILLED),
        ("generator", signal.SIGSTOP, STOPPED),
    ],
)
def test_whoever_is_killed_or_stopped_is_named(
    build: str, state: Path, role: str, number: signal.Signals, cause: str
) -> None:
    asked = run_of(topology="netns", build=build)
    with (
        nothing_is_left(state) as lines,
        pytest.raises(EngineFailure, match=rf"^The {role} \(.* in hr-\w+-\w+\)[: ].*{cause}") as caught,
        line(asked, [0], "asked", "voip-amr-nb-ipv6", 10, CHANNEL) as made,
    ):
        lines.append(made)
        with meanwhile(lambda: os.kill(service(made, role).process.pid, number)):
            made.trial(1000, LONG_S)
    assert caught.value.verdict == "error"


@root
def test_a_removed_namespace_is_named(build: str, state: Path) -> None:
    asked = run_of(topology="netns", build=build)
    with (
        nothing_is_left(state) as lines,
        pytest.raises(EngineFailure, match=r"^The network namespace hr-\w+-a of the compressor no longer exists"),
        line(asked, [0], "asked", "voip-amr-nb-ipv6", 10, CHANNEL) as made,
    ):
        lines.append(made)
        assert made.trial(1000, 0.1).sent == 200
        subprocess.run(["ip", "netns", "del", made.topology.seats["compressor"].place.name], check=True)
        made.trial(1000, LONG_S)


@root
def test_an_interface_set_down_is_named(build: str, state: Path) -> None:
    asked = run_of(topology="netns", build=build)
    with (
        nothing_is_left(state) as lines,
        pytest.raises(EngineFailure, match=r"^The interface plain of the decompressor, in hr-\w+-b, is down or gone"),
        line(asked, [0], "asked", "voip-amr-nb-ipv6", 10, CHANNEL) as made,
    ):
        lines.append(made)
        assert made.trial(1000, 0.1).sent == 200
        place = made.topology.seats["decompressor"].place.name
        subprocess.run(["ip", "-n", place, "link", "set", "dev", "plain", "down"], check=True)
        made.trial(1000, LONG_S)


@root
def test_an_interface_that_is_down_for_a_moment_is_no_loss(build: str, state: Path) -> None:
    asked = run_of(topology="netns", build=build)
    with (
        nothing_is_left(state) as lines,
        line(asked, [0], "asked", "voip-amr-nb-ipv6", 10, CHANNEL) as made,
    ):
        lines.append(made)
        made.topology.look()
        place = made.topology.seats["decompressor"].place.name
        for where in ("down", "up"):
            subprocess.run(["ip", "-n", place, "link", "set", "dev", "plain", where], check=True)
        # The other end of the pair has lost its carrier, too: whoever is looked at first is named.
        sentence = (
            r"^The interface (1|g1|plain) of the (generator|decompressor), in hr-[\w-]+, "
            r"has been down in between while it was needed"
        )
        with pytest.raises(EngineFailure, match=sentence):
            made.topology.look()


def test_interfaces_that_went() -> None:
    up = interfaces.State(True, 2)
    assert interfaces.gone_down({"a": up}, {"a": up, "b": up}) is None
    assert interfaces.gone_down({"a": up}, {}) == ("a", "is down or gone")
    assert interfaces.gone_down({"a": up}, {"a": interfaces.State(False, 2)}) == ("a", "is down or gone")
    assert interfaces.gone_down({"a": up}, {"a": interfaces.State(True, 4)}) == ("a", "has been down in between")


@root
def test_one_generator_makes_all_trials(build: str, state: Path) -> None:
    asked = run_of(topology="netns", build=build)
    with (
        nothing_is_left(state) as lines,
        line(asked, [0], "asked", "voip-amr-nb-ipv6", 10, CHANNEL) as made,
    ):
        lines.append(made)
        pids = set()
        for rate in (1000, 2000, 3000):
            assert made.trial(rate, 0.1).sent == 0.2 * rate
            pids.add(service(made, "generator").process.pid)
        assert len(pids) == 1


@root
def test_the_verdict_is_an_error_and_the_next_case_goes_on(
    build: str, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = settings.Settings(topology="netns", build=build, quick=True, folder=tmp_path / "run")
    monkeypatch.setattr(settings, "from_robot", lambda: asked)
    monkeypatch.setattr(throughput_search, "_known", {})
    rules = throughput_search.Rules(most_pps=2000.0, trial_s=0.05, sum_s=0.05, width=0.5)
    monkeypatch.setattr(throughput_search, "QUICK", rules)
    monkeypatch.setattr(forwarding, "CODECS", ("asked",))  # the controls would tell nothing more here
    words = forwarding.ForwardingKeywords()
    killed: list[int] = []
    real = throughput_search.line

    @contextmanager
    def disturbed(*words: object) -> Iterator[Line]:
        with real(*words) as made:  # type: ignore[arg-type]
            if not killed:
                killed.append(made.watched["decompressor"].process.pid)
                os.kill(killed[0], signal.SIGKILL)
            yield made

    monkeypatch.setattr(throughput_search, "line", disturbed)
    collector.begin()
    with pytest.raises(EngineFailure):
        words.throughput_should_be_found("rohc", "", "1c", "none")
    noted = collector.current()
    assert noted.verdict == "error"
    assert noted.reason.startswith("The decompressor (headroom-engine node in hr-")
    assert "died from SIGKILL" in noted.reason
    collector.begin()
    with pytest.raises(SkipExecution, match="no higher rate was tried"):  # it loses nothing, so there is no NDR
        words.throughput_should_be_found("rohc", "", "1c", "none")
    assert "decompressor" not in collector.current().reason
    assert list(state.iterdir()) == []
    collector.begin()


def test_a_worker_that_hangs_is_told_from_one_that_is_slow(node_build: str) -> None:
    with Crew(build=node_build) as crew:
        workers = '{"workers": [{"core": 3, "silent_ns": 1000}, {"core": 7, "silent_ns": %d}, "what"]}'
        well = crew.engine("decompressor", "node", {"answer": workers % 2_000_000})
        hung = crew.engine("compressor", "node", {"answer": workers % 4_200_000_000})
        odd = crew.engine("link", "link", {"answer": '{"workers": {"silent_ns": 9e9}}'})
        crew.wait_until_ready()
        crew.look([well, odd])
        with pytest.raises(
            EngineFailure, match=r"^The compressor .* hangs: its worker on core 7 .* 4\.2 s: an adapter"
        ):
            crew.look([well, odd, hung])
        assert hung.still, "it is not asked to end"


CALL = """
import sys
from pathlib import Path
from headroom.testbed import runs
state = Path(sys.argv.pop(1))
runs.state_folder = lambda: state
from headroom.cli.app import main
from headroom.core import settings
from headroom.tests.runs import run_of
main()
"""


@pytest.mark.long
@root
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_from_outside(build: str, state: Path, tmp_path: Path, number: signal.Signals) -> None:
    words = ["run", "performance/throughput", "--topology", "netns", "--cpus", "1c", "--quick", "--build", build]
    run = subprocess.Popen(
        [sys.executable, "-c", CALL, str(state), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": ":".join(sys.path), "HEADROOM_OUT": str(tmp_path / "out")},
    )
    try:
        deadline = time.monotonic() + PATIENCE_S
        while len(sockets := list(filter(answers, state.glob("*/*.sock")))) < 3:
            assert run.poll() is None, run.communicate()[0]
            assert time.monotonic() < deadline, "no run begins"
            time.sleep(0.05)
        name = sockets[0].parent.name
        pids = [int(pid) for one in namespaces(name) for pid in _pids(one)]
        assert pids
        run.send_signal(number)
        said, _ = run.communicate(timeout=60)
    finally:
        run.kill()
        run.wait()
    assert gone(pids)
    if number == signal.SIGKILL:
        assert len(namespaces(name)) == 4, "nobody was left to remove them"
        assert netns.remove_dead() == [name], "which the next run does first"
    else:
        assert run.returncode == 130, said
        assert "Interrupted." in said
    assert namespaces(name) == []
    assert list(state.iterdir()) == []


def answers(control: Path) -> bool:
    """True if the process of a control socket has started; the socket is there before it."""
    try:
        return bool(ask(control))
    except (OSError, ValueError):
        return False


def _pids(namespace: str) -> list[str]:
    if not (interfaces.NAMESPACES / namespace).exists():
        return []
    return subprocess.run(["ip", "netns", "pids", namespace], capture_output=True, text=True).stdout.split()
