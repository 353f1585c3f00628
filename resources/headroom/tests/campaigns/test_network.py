# SPDX-License-Identifier: Apache-2.0
"""Campaigns over machines, which are namespaces here: TLS, names, commits, machines that die."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headroom.campaigns import cluster, keys
from headroom.core import process_group
from headroom.core.errors import UsageError
from headroom.core.paths import ROOT
from headroom.tests.campaigns.network import HUB, SUBNET, Network, lacks, network, wait_until

pytestmark = pytest.mark.long

CLIENT = Path(__file__).with_name("client_program.py")
MACHINES = ["a", "b", "c"]

if reason := lacks():
    pytest.skip(f"machines of a campaign are namespaces here: {reason}", allow_module_level=True)


@pytest.fixture
def made(tmp_path: Path, out: Path) -> Iterator[Network]:
    """A network of three machines, and keys."""
    (tmp_path / "logs").mkdir()
    keys.make(tmp_path / "keys")
    with network(3, tmp_path / "logs", out) as found:
        yield found


@pytest.fixture
def pem(tmp_path: Path) -> Path:
    return tmp_path / "keys"


def start_client(made: Network, pem: Path, log: str = "client", **campaign: Any) -> subprocess.Popen[bytes]:
    described = json.dumps({"machines": MACHINES, **campaign})
    return made.start(0, log, sys.executable, "-P", str(CLIENT), made.scheduler, str(pem), described)


def wait_for_end(made: Network, process: subprocess.Popen[bytes], log: str = "client") -> dict[str, tuple[str, str]]:
    """Status and reason of each cell, by its id, when a client has ended."""
    wait_until(lambda: process_group.exit_code(process) is not None, lambda: f"{log}: {made.output(log)}", 120)
    lines = re.findall(r"^(\S+\.\S+) (\S+) ?(.*)$", made.output(log), re.MULTILINE)
    return {cell: (status, reason) for cell, status, reason in lines}


def overlapping(note: Path) -> list[str]:
    """Beginnings of measurements while another went on, from what the fake program noted; one that was killed has no
    end."""
    going, found = "", []
    for what, pid, _ in (line.split() for line in note.read_text().splitlines()):
        if what == "begin" and going and Path(f"/proc/{going}").exists():
            found.append(f"{pid} while {going}")
        going = pid if what == "begin" else ""
    return found


def worker_process(log: Path, pid: int) -> int:
    """The worker below the process that keeps it alive: the one that hosts tasks."""
    found: list[int] = []

    def look() -> bool:
        found[:] = [one for one in process_group.processes() if parent_of(one) == pid and "spawn_main" in command(one)]
        return bool(found)

    wait_until(look, lambda: f"no worker below {pid}: {log.read_text()}")
    return found[-1]


def parent_of(pid: int) -> int:
    fields = process_group.stat_of(pid)
    return int(fields[1]) if fields else 0


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def test_a_killed_worker_and_a_lost_machine(made: Network, pem: Path, out: Path, tmp_path: Path) -> None:
    """The cell of a worker that is killed runs again; those of a machine that is gone for good end as lost."""
    note, once = tmp_path / "note", tmp_path / "once"
    made.start_scheduler(pem)
    workers = {name: made.start_worker(number, name, pem) for number, name in enumerate(MACHINES, 1)}
    for name in MACHINES:
        made.wait_for(name, "works for")
    client = start_client(made, pem, repeats=4, lost_s=20, behaviour=[f"note={note}", f"hang-once={once}"])
    wait_until(once.exists, lambda: made.output("client"))
    hosts = {name: worker_process(made.folder / name, process.pid) for name, process in workers.items()}
    (measuring,) = {
        name for name, pid in hosts.items() if any(parent_of(one) == pid for one in process_group.processes())
    }
    os.kill(hosts[measuring], signal.SIGKILL)
    wait_until(lambda: len(made.output("client").splitlines()) >= 1, lambda: made.output("client"))
    gone = next(name for name in MACHINES if name != measuring)
    made.end_all_in(MACHINES.index(gone) + 1)
    cells = wait_for_end(made, client)
    assert len(cells) == 12
    assert {status for cell, (status, _) in cells.items() if not cell.startswith(f"{gone}.")} == {"pass"}
    assert "lost" in {status for cell, (status, _) in cells.items() if cell.startswith(f"{gone}.")}
    assert any(f"The machine {gone} had no worker for 20 s." in reason for _, reason in cells.values())
    died = [cell for cell, (status, deaths) in cells.items() if status == "pass" and deaths != "0"]
    assert len(died) == 1, "only the cell that was measured ran again"
    assert died[0].startswith(f"{measuring}.")
    assert overlapping(note) == []
    # The machine comes back, and what was lost is measured; nothing else is.
    before = len(re.findall("^begin", note.read_text(), re.MULTILINE))
    lost = [cell for cell, (status, _) in cells.items() if status == "lost"]
    made.start_worker(MACHINES.index(gone) + 1, gone, pem, "back")
    made.wait_for("back", "works for")
    assert not list(out.glob(".cell-*")), "what the killed worker left is gone"
    again = wait_for_end(made, start_client(made, pem, "again", repeats=4, behaviour=[f"note={note}"]), "again")
    assert {cell: status for cell, (status, _) in again.items()} == dict.fromkeys(lost, "pass")
    assert len(re.findall("^begin", note.read_text(), re.MULTILINE)) == before + len(lost)


def test_a_killed_client_and_scheduler(made: Network, pem: Path, tmp_path: Path) -> None:
    """Workers find the next scheduler, and the campaign goes on with what it has."""
    note = tmp_path / "note"
    scheduler = made.start_scheduler(pem)
    two = MACHINES[:2]
    for number, name in enumerate(two, 1):
        made.start_worker(number, name, pem)
    behaviour = [f"note={note}", "slow=0.5"]
    client = start_client(made, pem, machines=two, repeats=4, behaviour=behaviour)
    wait_until(lambda: " pass " in made.output("client"), lambda: made.output("client"))
    process_group.stop(client, 0)
    second = start_client(made, pem, "second", machines=two, repeats=4, behaviour=behaviour)
    wait_until(lambda: " pass " in made.output("second"), lambda: made.output("second"))
    process_group.stop(scheduler, 0)
    wait_for_end(made, second, "second")
    assert process_group.exit_code(second) == 3
    assert "error: The scheduler disappeared. The results so far are kept" in made.output("second")
    kept = len(re.findall(" pass ", made.output("client") + made.output("second")))
    made.start_scheduler(pem, "scheduler-2")
    third = wait_for_end(made, start_client(made, pem, "third", machines=two, repeats=4, behaviour=behaviour), "third")
    assert {status for status, _ in third.values()} == {"pass"}
    assert len(third) in (8 - kept, 8 - kept - 1), "one may have arrived and not been said"
    assert overlapping(note) == []


def test_an_interrupted_client_ends_what_goes_on(made: Network, pem: Path, tmp_path: Path) -> None:
    note = tmp_path / "note"
    made.start_scheduler(pem)
    made.start_worker(1, "a", pem)
    client = start_client(made, pem, machines=["a"], behaviour=[f"note={note}", "hang"])
    wait_until(note.exists, lambda: made.output("client"))
    (pid,) = (int(line.split()[1]) for line in note.read_text().splitlines())
    os.killpg(client.pid, signal.SIGINT)
    wait_for_end(made, client)
    assert made.output("client").splitlines() == ["interrupted"]
    wait_until(lambda: not process_group.stat_of(pid), lambda: f"{pid} goes on")
    listening = subprocess.run(made.inside(0, ["ss", "-ltnH"]), capture_output=True, text=True, check=True).stdout
    places = {line.split()[3].rpartition(":")[0] for line in listening.splitlines()}
    assert places == {"127.0.0.1", f"{SUBNET}.{HUB}"}, "nothing listens elsewhere"


def test_wrong_names_keys_and_commits(made: Network, pem: Path, tmp_path: Path) -> None:
    made.start_scheduler(pem)
    made.start_worker(1, "a", pem)
    made.wait_for("a", "works for")

    doubled = made.start_worker(2, "a", pem, "doubled")
    wait_until(lambda: process_group.exit_code(doubled) is not None, lambda: made.output("doubled"))
    assert process_group.exit_code(doubled) == 3
    assert "has a worker of the name a already" in made.output("doubled")

    keys.make(tmp_path / "others")
    stranger = made.start_worker(2, "b", tmp_path / "others", "stranger")
    wait_until(lambda: process_group.exit_code(stranger) is not None, lambda: made.output("stranger"))
    assert "has other keys" in made.output("stranger")
    outsider = start_client(made, tmp_path / "others", "outsider", machines=["a"])
    wait_for_end(made, outsider, "outsider")
    assert "has other keys" in made.output("outsider")

    unknown = start_client(made, pem, "unknown", machines=["a", "d"], join_s=1)
    wait_for_end(made, unknown, "unknown")
    assert "No worker has the name d; there are: a." in made.output("unknown")

    copy = tmp_path / "copy"
    subprocess.run(["git", "clone", "-q", "--shared", str(ROOT), str(copy)], check=True)
    git = ("git", "-C", str(copy), "-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "another"], check=True)
    words = [*("worker", made.scheduler, "--machine", "c", "--keys", str(pem))]
    made.environment["PYTHONPATH"] = str(copy / "resources")
    made.start(3, "other", "env", f"--chdir={copy}", sys.executable, "-P", "-m", "headroom", "campaign", *words)
    made.environment["PYTHONPATH"] = str(ROOT / "resources")
    made.wait_for("other", "works for")
    mixed = start_client(made, pem, "mixed", machines=["a", "c"])
    wait_for_end(made, mixed, "mixed")
    assert re.search(
        r"error: The worker of c has commit \w{12}, but the campaign measures \w{12}: make that", made.output("mixed")
    )


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("tcp://10.0.0.1:8786", "without TLS"),
        ("tcp://0.0.0.0", "without TLS"),
        ("http://127.0.0.1", "is not an address"),
        ("tls://", "is not an address"),
        ("tls://10.0.0.1:x", "is not an address"),
        ("127.0.0.1:8786", "is not an address"),
    ],
)
def test_addresses_that_are_refused(address: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        cluster.checked_address(address)


def test_addresses(tmp_path: Path) -> None:
    assert cluster.checked_address("tcp://127.0.0.1") == "tcp://127.0.0.1:8786"
    assert cluster.checked_address("tls://[::1]:9") == "tls://[::1]:9"
    with pytest.raises(UsageError, match="needs keys"):
        cluster.security_of("tls://10.0.0.1:8786", None)
    with pytest.raises(UsageError, match="would change nothing"):
        cluster.security_of("tcp://127.0.0.1:8786", tmp_path)
    with pytest.raises(UsageError, match=r"authority\.pem does not exist"):
        cluster.security_of("tls://10.0.0.1:8786", tmp_path)


def test_keys_are_their_owners_alone(tmp_path: Path) -> None:
    made = keys.make(tmp_path / "keys")
    assert made.require() == made
    assert sorted(path.name for path in made.folder.iterdir()) == ["authority.pem", "certificate.pem", "key.pem"]
    with pytest.raises(UsageError, match="has keys already"):
        keys.make(made.folder)
    made.key.chmod(0o644)
    with pytest.raises(UsageError, match="Other users may read"):
        made.require()
