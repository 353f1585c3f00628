# SPDX-License-Identifier: Apache-2.0
"""A real TRex over namespaces, through two nodes with a link between them, where $TREX_ROOT names one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from headroom.core.machine.build import engine_program
from headroom.core.scheme_registry import workload_of
from headroom.core.settings import Settings
from headroom.core.workload import COPIES
from headroom.testbed import choice, interfaces
from headroom.testbed.line import Codec, line
from headroom.testbed.sender import traffic
from headroom.testbed.trex import installation as trex_installation
from headroom.testbed.trex import server
from headroom.testbed.trex.server import TrexFailure
from headroom.testbed.trial import Trial
from headroom.tests.runs import run_of
from headroom.tests.wire.namespaces import needs_namespaces
from headroom.tests.wire.test_processes import gone

pytestmark = [
    needs_namespaces,
    pytest.mark.skipif(not os.environ.get("TREX_ROOT"), reason="TREX_ROOT names no TRex"),
]

RATE = 10_000.0
TRIALS = 4  # what takes a core away for a moment costs packets


@pytest.fixture
def asked(real_build: str, monkeypatch: pytest.MonkeyPatch) -> Settings:
    if reason := choice.build_lacks(real_build):
        pytest.skip(reason)
    monkeypatch.setenv("HEADROOM_ENGINE", str(engine_program(real_build)))
    return run_of(build=real_build, generator="trex", topology="netns")


@pytest.mark.parametrize(
    ("codec", "profile", "flows"),
    [
        ("asked", "voip-amr-nb-ipv4", 100),
        ("asked", "voip-amr-nb-ipv6", 100),
        ("asked", "gtpu-imix", 6000),
        ("null", "gtpu-imix-classic", 6000),
    ],
)
def test_every_packet_reaches_the_other_end_as_it_was_sent(
    asked: Settings, codec: Codec, profile: str, flows: int
) -> None:
    trials: list[Trial] = []
    channel = workload_of("rohc").channel("U", flows, []) if codec == "asked" else COPIES
    with line(asked, [0], codec, profile, flows, channel) as made:
        while len(trials) < TRIALS and not (trials and trials[-1].lost == 0 and not trials[-1].fell_behind):
            trials.append(made.compared(RATE, 3.0))
        notes = traffic(made.topology, trials[-1])["generator"]["notes"]
    best = trials[-1]
    for one in best.directions:
        assert one.compared
        assert one.sent == pytest.approx(3 * RATE, rel=0.002)
        assert (one.lost, one.received - one.sent) == (0, 0), [trial.lost for trial in trials]
    assert all(one.unexpected == 0 for trial in trials for one in trial.directions), "changed is never excused"
    assert any("octet by octet as sent" in note for note in notes)


def test_latency_of_users_in_gtpu_has_a_histogram(asked: Settings) -> None:
    with line(asked, [0], "asked", "gtpu-imix", 6000, workload_of("rohc").channel("U", 6000, [])) as made:
        trial = made.trial(5000, 2.0)
    assert not trial.fell_behind
    for one in trial.directions:
        assert one.latency is not None, one.latency_missing
        assert one.latency.count == pytest.approx(2 * 500, rel=0.05)
        assert sum(count for _, count in one.latency.buckets) == one.latency.count
        assert one.latency.most_ns is not None
        assert one.octets_sent / one.sent == pytest.approx(690, rel=0.1)


def test_killing_trex_in_a_trial_is_an_error_and_leaves_nothing(asked: Settings) -> None:
    state: dict[str, Any] = {}
    with (
        pytest.raises(TrexFailure, match=r"SIGKILL.*not a limit"),
        line(asked, [0], "null", "gtpu-imix", 60) as made,
    ):
        state["run"] = made.topology.run  # type: ignore[attr-defined]
        space = made.topology.seats["generator"].place.name
        inside = subprocess.run(["ip", "netns", "pids", space], capture_output=True, text=True).stdout.split()
        state["pids"] = [int(pid) for pid in inside]
        servers = [pid for pid in state["pids"] if "_t-rex-64" in Path(f"/proc/{pid}/comm").read_text()]
        assert len(servers) == 1
        state["pids"] += [service.process.pid for service in made.watched.values()]

        def kill() -> None:
            time.sleep(6)
            state["killed"] = time.monotonic()
            os.kill(servers[0], signal.SIGKILL)

        threading.Thread(target=kill, daemon=True).start()
        made.trial(1000, 30)
    assert time.monotonic() - state["killed"] < 10
    assert gone(state["pids"])
    assert list(interfaces.NAMESPACES.glob(f"hr-{state['run']}-*")) == []
    assert list(server.DPDK_STATE.glob(f"{server.LEFT}{os.getpid()}-*")) == []


@pytest.mark.skipif((os.cpu_count() or 1) > 98, reason="this machine has the cores that TRex is to miss")
def test_the_settings_for_cards_are_such_as_trex_reads(tmp_path: Path) -> None:
    """There are no such cards and cores: that is what TRex finds fault with, and not with what is written."""
    installation = trex_installation.find()
    ports = server.prepared((server.Port("0000:7f:1f.0"), server.Port("0000:7f:1f.1")), ())
    path = tmp_path / "trex.yaml"
    prefix = f"{server.LEFT}{os.getpid()}-cards"
    path.write_text(server.settings(ports, prefix, server.Cores(0, 1, (98, 99))))
    words = ["unshare", "--net", str(installation.program), *server.arguments(ports, "stl"), "--cfg", str(path)]
    done = subprocess.run(
        words, cwd=installation.folder, env=installation.environment(), capture_output=True, text=True, timeout=60
    )
    shutil.rmtree(server.DPDK_STATE / prefix, ignore_errors=True)
    assert done.returncode != 0
    assert "core 98 unavailable" in done.stdout + done.stderr
