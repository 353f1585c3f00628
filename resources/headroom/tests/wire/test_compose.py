# SPDX-License-Identifier: Apache-2.0
"""Containers: what docker/compose.yaml allows them, how Docker is found, and trials over Compose where one answers."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from headroom.core import profiles
from headroom.core.engine_result import EngineFailure
from headroom.core.errors import EnvironmentLacks
from headroom.core.paths import ROOT
from headroom.core.workload import COPIES
from headroom.schemes.sigcomp.call_generators import callers
from headroom.testbed import choice, compose, containers, runs, topology
from headroom.testbed.line import line_with
from headroom.testbed.topology import Topology, allot, roles_of
from headroom.tests.runs import run_of
from headroom.tests.wire.test_forwarding import undisturbed
from headroom.tests.wire.test_processes import gone

FILE = ROOT / "docker" / "compose.yaml"
cannot = (
    "these make containers: `./headroom test --only compose` builds the images and runs them"
    if not os.environ.get("HEADROOM_CONTAINERS")
    else compose.lacks()
)
with_docker = pytest.mark.skipif(bool(cannot), reason=cannot or "Docker")


pytestmark = pytest.mark.usefixtures("state")  # of conftest.py


def services() -> dict[str, Any]:
    return yaml.safe_load(FILE.read_text())["services"]


def test_every_role_has_a_service_and_no_more_rights_than_it_needs() -> None:
    found = services()
    assert set(found) == {*(name for named in compose.SERVICES.values() for name in named.values()), "harness"}
    assert [name for name in found if "profiles" in found[name]] == ["user-plane"], "one trial of Compose has no other"
    for name, service in found.items():
        assert "privileged" not in service
        assert service["cap_drop"] == ["ALL"]
        assert service.get("cap_add", []) == ([] if name == "harness" else ["NET_RAW", "NET_ADMIN", "IPC_LOCK"])
        assert service["read_only"] is True
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert not [one for one in service["volumes"] if one.startswith(("/", "."))], "nothing of the host"


def test_no_node_writes_where_another_container_does() -> None:
    judges = ("generator", "harness")
    written = {
        name: {one.partition(":")[0] for one in service["volumes"] if not one.endswith(":ro")}
        for name, service in services().items()
    }
    assert {name: volumes for name, volumes in written.items() if name not in judges} == {
        name: {name} for name in written if name not in judges
    }
    assert [written[name] for name in judges] == [{"control"}] * 2
    for name in judges:
        assert {one for one in services()[name]["volumes"] if one.endswith(":ro")} == {
            f"{node}:/run/headroom/{node}:ro" for node in written if node not in judges
        }


def test_only_a_node_of_a_vendor_is_kept_to_its_core() -> None:
    kept = {name: service["cpuset"] for name, service in services().items() if "cpuset" in service}
    variables = {name: f"HEADROOM_{name.upper().replace('-', '_')}_CPUSET" for name in kept}
    assert kept == {name: f"${{{variable}:-}}" for name, variable in variables.items()}
    assert set(kept) == {"compressor", "decompressor", "user-plane"}


def test_the_harness_waits_until_the_others_are_healthy() -> None:
    waits = services()["harness"]["depends_on"]
    assert waits == {role: {"condition": "service_healthy"} for role in roles_of("full")}
    assert "HEALTHCHECK" in (ROOT / "docker" / "engine" / "Dockerfile").read_text()


def test_addresses_are_those_of_the_file() -> None:
    found = services()
    there = {
        address["ipv4_address"].rpartition("}.")[2]
        for name in found
        for address in _addresses(found[name].get("networks"))
    }
    assert there == {address for ports in compose.ADDRESSES.values() for address in ports.values()}


@pytest.mark.parametrize("shape", compose.ADDRESSES)
def test_the_ports_of_a_wire_are_on_one_network(shape: str) -> None:
    address = compose.ADDRESSES[shape]
    assert address.keys() == {end for wire in topology.SHAPES[shape] for end in (wire.one, wire.other)}
    networks = [{address[end].partition(".")[0] for end in (wire.one, wire.other)} for wire in topology.SHAPES[shape]]
    assert [len(one) for one in networks] == [1] * len(networks)
    assert len(set.union(*networks)) == len(networks)


def _addresses(networks: dict[str, dict[str, str]] | None) -> list[dict[str, str]]:
    return list((networks or {}).values())


def test_images_stand_on_the_slim_base() -> None:
    for image in ("engine", "harness"):
        text = (ROOT / "docker" / image / "Dockerfile").read_text()
        stages = set(re.findall(r"^FROM \S+ AS (\S+)", text, re.MULTILINE))
        assert set(re.findall(r"^FROM (\S+)", text, re.MULTILINE)) - stages == {"debian:bookworm-slim"}


@pytest.mark.parametrize(("service", "example"), [("compressor", "forward"), ("user-plane", "user-plane")])
def test_the_example_explains_each_variable_that_an_image_gets(service: str, example: str) -> None:
    text = (ROOT / "docker" / "example" / f"{example}.env").read_text()
    explained = set(re.findall(r"^#?(HEADROOM_\w+)=", text, re.MULTILINE))
    of_our_image = {"HEADROOM_IMPLEMENTATION", "HEADROOM_JOB"}
    assert set(services()[service]["environment"]) - of_our_image - explained == set()


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH of its own, for stand-ins of docker."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "sh").symlink_to("/bin/sh")
    monkeypatch.setenv("PATH", str(folder))
    return folder


def program(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


DAEMON = 'case "$1" in info) echo 27.0.1 ;; '


@pytest.mark.parametrize(
    ("docker", "old", "reason", "words"),
    [
        ("", "", "Docker is not installed", ()),
        ("exit 1", "", "Docker is installed, but its daemon does not answer", ()),
        (f"{DAEMON} *) exit 1 ;; esac", "", "Docker is installed, but without Compose", ()),
        (f"{DAEMON} compose) echo v2.29.1 ;; esac", "", "", ("docker", "compose")),
        (f"{DAEMON} *) exit 1 ;; esac", "echo 1.29.2", "", ("docker-compose",)),
        (f"{DAEMON} compose) echo v2.29.1 ;; esac", "echo 1.29.2", "", ("docker", "compose")),
    ],
)
def test_docker_and_compose_are_found(programs: Path, docker: str, old: str, reason: str, words: tuple[str]) -> None:
    if docker:
        program(programs, "docker", docker)
    if old:
        program(programs, "docker-compose", old)
    found = containers.look()
    assert (found.reason, found.compose) == (reason, words)
    assert bool(found.remedy) == bool(reason)
    if not reason:
        assert found.version.startswith("Docker 27.0.1, Compose ")
    assert bool(compose.lacks()) == bool(reason)


def docker_that(told: Path, run: str = "echo 1234", wait: str = "echo 127") -> str:
    """A stand-in of docker that notes its words, one call a line."""
    return f'echo "$*" >> {told}; case "$1" in run) {run} ;; wait) {wait} ;; rm) ;; *) exit 99 ;; esac'


@pytest.mark.parametrize(
    ("wait", "sentence"),
    [
        ("echo 127", ""),
        ("echo 0", "ends with status 0 with the unknown test unknown-"),
        ("echo 1", "ends with status 1 with"),
        ("exit 1", "does not end within 20 s with the unknown test unknown-"),
    ],
)
def test_an_image_must_refuse_what_it_does_not_know(programs: Path, tmp_path: Path, wait: str, sentence: str) -> None:
    told = tmp_path / "told"
    program(programs, "docker", docker_that(told, wait=wait))
    said = containers.refuses_unknown_tests("vendor/image", "hr-abc")
    assert sentence in said
    assert bool(said) == bool(sentence)
    run, waited, removed = told.read_text().splitlines()
    name = re.search(r"--name (hr-abc-probe-\w+) ", run)
    assert name and waited == f"wait {name[1]}" and removed.endswith(name[1])
    assert re.search(r"HEADROOM_TEST=unknown-\w+ vendor/image$", run)
    for right in ("--cap-drop ALL", "--network none", "--read-only", "--pull never", f"--label {containers.PROJECT}="):
        assert right in run


def test_an_image_that_cannot_be_run_is_no_answer_and_leaves_nothing(programs: Path, tmp_path: Path) -> None:
    """127 of Docker itself is a program that is not in the image, and does not say that a test is not done."""
    told = tmp_path / "told"
    program(programs, "docker", docker_that(told, run='echo "docker: exec: no such file" >&2; exit 127'))
    with pytest.raises(EnvironmentLacks, match=r"The image vendor/image cannot be run: docker: exec: no such file"):
        containers.refuses_unknown_tests("vendor/image")
    assert told.read_text().splitlines()[-1].startswith("rm --force")


DIGEST = f"sha256:{'ab' * 32}"


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ("exit 1", r"The image acme/node is not on this machine. How to get it: docker pull acme/node"),
        ("echo not JSON", "is not on this machine"),
        (f"""echo '[{{"Id": "{DIGEST}", "RepoDigests": []}}]'""", ""),
        (f"""echo '[{{"Id": "sha256:1", "RepoDigests": ["acme/node@{DIGEST}"]}}]'""", ""),
        (
            """echo '[{"Id": "sha256:1", "RepoDigests": null}]'""",
            r"with digest sha256:abab\S+ here it is sha256:1\. How",
        ),
    ],
)
def test_an_image_is_that_of_the_digest(programs: Path, told: str, sentence: str) -> None:
    program(programs, "docker", told)
    expected = pytest.raises(EnvironmentLacks, match=sentence) if sentence else contextlib.nullcontext()
    with expected:
        containers.require_image("acme/node", DIGEST, "docker pull acme/node")


def test_addresses_that_this_machine_has_no_route_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADROOM_SUBNET", raising=False)
    routes = tmp_path / "route"

    def machine(*lines: str) -> Path:
        head = "Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT\n"
        routes.write_text(
            head + "".join(f"eth0 {line.split()[0]} 0 1 0 0 0 {line.split()[1]} 0 0 0\n" for line in lines)
        )
        return routes

    assert compose.free_subnet("00ffff", routes=machine("00000000 00000000")) == "10.64", (
        "the default route is no reason"
    )
    assert compose.free_subnet("ffffff", routes=routes) == "10.191"
    assert compose.free_subnet("01ffff", {"10.65"}, routes) == "10.66"
    taken = machine("0000400A 00FCFFFF", "0001410A 00FFFFFF")  # 10.64.0.0/22, 10.65.1.0/24
    assert compose.free_subnet("00ffff", routes=taken) == "10.66"
    with pytest.raises(EnvironmentLacks, match=r"has routes to all of 10\.64 to 10\.191: set HEADROOM_SUBNET"):
        compose.free_subnet("00ffff", routes=machine("0000000A 000000FF"))  # 10.0.0.0/8
    monkeypatch.setenv("HEADROOM_SUBNET", "172.30")
    assert compose.free_subnet("00ffff", routes=routes) == "172.30"


@pytest.mark.parametrize("planted", ["link", "folder"])
def test_folders_of_the_user_are_not_taken_for_dead_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planted: str
) -> None:
    """Everyone can make /tmp/headroom-<uid>, and a link in it to the home of that user."""
    precious = tmp_path / "home" / "documents"
    precious.mkdir(parents=True)
    folder = tmp_path / "headroom-1000"
    folder.mkdir()
    folder.chmod(0o777 if planted == "folder" else 0o755)
    state = folder / "headroom"
    if planted == "link":
        state.symlink_to(precious.parent)
    else:
        (state / "documents").mkdir(parents=True)
    monkeypatch.setattr(runs, "state_folder", lambda: state)
    with pytest.raises(EnvironmentLacks):
        runs.remove_dead("compose", lambda run, things: True)
    assert precious.is_dir() and (state / "documents").is_dir()


def test_a_run_that_is_given_up_has_no_owner(state: Path) -> None:
    run, _ = runs.claim("compose", lambda run: [f"hr-{run}"])
    assert runs.remove_dead("compose", lambda run, things: True) == [], "we live"
    runs.give_up(run)
    assert runs.remove_dead("netns", lambda run, things: True) == []
    seen: list[list[str]] = []
    assert runs.remove_dead("compose", lambda run, things: bool(seen.append(things)) or True) == [run]
    assert seen == [[f"hr-{run}"]]
    assert list(state.iterdir()) == []


def test_adapters_have_the_paths_of_the_image() -> None:
    theirs = {"library": "/somewhere/build/lib/reference.so", "config": {"scheme": "sigcomp"}}
    for side in ("compressor", "decompressor", "endpoint"):
        job = topology.with_libraries({side: theirs, "users": "plain"}, compose.in_image)
        assert job == {side: theirs | {"library": "/opt/headroom/lib/reference.so"}, "users": "plain"}
    assert topology.with_libraries({"compressor": None}, compose.in_image) == {"compressor": None}


def test_a_shape_that_the_containers_do_not_have() -> None:
    made = compose.Compose("loop", allot(roles_of("loop"), [0], [0]))
    with pytest.raises(EnvironmentLacks, match="wired as 'full' and 'node', not as 'loop'"), made:
        pytest.fail("it cannot be made")


def docker(*words: str) -> str:
    return subprocess.run(["docker", *words], capture_output=True, text=True, timeout=60).stdout.strip()


def left(project: str) -> list[str]:
    """Containers, networks and volumes of a project."""
    label = f"label=com.docker.compose.project={project}"
    kinds = (("ps", "-aq"), ("network", "ls", "-q"), ("volume", "ls", "-q"))
    return [name for kind in kinds for name in docker(*kind, "--filter", label).split()]


@with_docker
@pytest.mark.parametrize(
    ("environment", "status"),
    [
        ({"HEADROOM_TEST": "frobnicate"}, 127),
        ({"HEADROOM_ROLE": "referee"}, 127),
        ({"HEADROOM_ROLE": "compressor", "HEADROOM_SCHEME": "sigcomp"}, 127),
        ({"HEADROOM_ROLE": "compressor", "HEADROOM_MODE": "X"}, 127),
        ({"HEADROOM_ROLE": "compressor", "HEADROOM_IMPLEMENTATION": "nobody"}, 127),
        ({"HEADROOM_ROLE": "compressor", "HEADROOM_PROFILES": '0x0001","x'}, 2),
        ({"HEADROOM_ROLE": "compressor", "HEADROOM_PLAIN": "nowhere", "HEADROOM_LINK": "nowhere"}, 2),
        ({}, 2),
    ],
)
def test_our_image_keeps_the_contract(environment: dict[str, str], status: int) -> None:
    variables = [word for name, value in environment.items() for word in ("-e", f"{name}={value}")]
    words = ["docker", "run", "--rm", "--network", "none", "--cap-add", "NET_ADMIN", *variables, "headroom/engine"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stderr
    assert done.stderr
    assert containers.refuses_unknown_tests("headroom/engine") == ""


@pytest.fixture
def project() -> Iterator[str]:
    name = f"hrtest-{os.getpid()}"
    words = [*containers.look().compose, "-p", name, "-f", str(FILE)]
    yield name
    subprocess.run([*words, "down", "-v", "-t", "1"], capture_output=True, timeout=60)
    assert left(name) == []


@with_docker
def test_compose_alone_makes_a_trial_and_ends_with_its_verdict(project: str) -> None:
    words = [*containers.look().compose, "-p", project, "-f", str(FILE), "up", "--exit-code-from", "harness"]
    environment = {**os.environ, "HEADROOM_SUBNET": "10.76", "HEADROOM_RATE": "500", "HEADROOM_SECONDS": "2"}
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    found = json.loads(done.stdout[done.stdout.index('{"generator"') : done.stdout.rindex("}") + 1])
    assert found["verdict"] == "pass"
    assert found["generator"]["forward"]["received"] == found["generator"]["forward"]["sent"] >= 900
    assert found["link"]["forward"]["packets"] > 0


def node(made: Topology, role: Any) -> Any:
    ports = made.seats[role].ports
    side = {"library": "/anywhere/lib/reference.so", "config": {"scheme": "rohc", "mode": "U", "max_cid": 15}}
    job = {name: ports[name].as_job() for name in ("plain", "link")} | {"compressor": side, "decompressor": side}
    return made.start(role, "node", job | {"workers": list(made.seats[role].cores)})


@pytest.fixture
def running() -> Iterator[Topology]:
    with choice.make("compose", "full", [0], "gcc-O2") as made:
        node(made, "compressor")
        ports = made.seats["link"].ports
        made.start("link", "link", {"a": ports["a"].as_job(), "b": ports["b"].as_job(), "core": 0})
        node(made, "decompressor")
        made.crew.wait_until_ready(60)
        yield made
        project = made.project  # type: ignore[attr-defined]
    assert left(project) == []


@pytest.fixture
def short() -> Iterator[Topology]:
    """Two containers of a topology are enough to see what becomes of them."""
    with choice.make("compose", "full", [0], "gcc-O2") as made:
        ports = made.seats["link"].ports
        made.start("link", "link", {"a": ports["a"].as_job(), "b": ports["b"].as_job(), "core": 0})
        made.crew.wait_until_ready(60)
        yield made
        project = made.project  # type: ignore[attr-defined]
    assert left(project) == []


def service(made: Topology, name: str) -> Any:
    return next(one for one in made.crew.services if one.name == name)


@with_docker
def test_the_harness_drives_the_same_services(running: Topology) -> None:
    ports = [port.as_job() for port in running.seats["generator"].ports.values()]
    job = {"ports": ports, "profile": profiles.load("voip-amr-nb-ipv6"), "flows": 5, "rate_pps": 500, "duration_s": 1}
    result = running.crew.finish(running.start("generator", "generate", job, ends_by_itself=True), 60)
    assert result["forward"]["received"] == result["forward"]["sent"] >= 450
    assert service(running, "link").statistics()["forward"]["packets"] >= 450
    assert running.crew.stop(service(running, "compressor"))["command"] == "node"
    assert running.describe()["name"] == "compose"


def processes_of(container: str) -> list[int]:
    """The processes of a container, by the numbers that they have on this machine."""
    return [int(line) for line in docker("top", container, "-o", "pid").splitlines()[1:]]


FAULTS: dict[str, tuple[str, str]] = {  # what is done to a container, and what is said of it
    "kill": ("link", r"The link \(.*: .*SIGKILL"),
    "stop": ("link", r"The link \(.*\) ended although it had not been stopped"),
    "rm": ("generator", r"The generator \(.*: its container no longer exists"),
    "pause": ("link", r"The link \(.*\) does nothing any more: it has been frozen \(paused\)"),
}


@with_docker
@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_done_to_a_container_is_an_error_with_the_cause(short: Topology, fault: str) -> None:
    role, sentence = FAULTS[fault]
    words = {"rm": ["rm", "-f"], "stop": ["stop", "-t", "1"]}.get(fault, [fault])
    found = service(short, role).remote.id
    subprocess.Popen(["docker", *words, found], stdout=subprocess.DEVNULL).wait(30)
    with pytest.raises(EngineFailure, match=sentence) as caught:
        short.crew.attend(10)
    assert caught.value.verdict == "error"


@with_docker
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into a container's network namespace")
def test_an_interface_that_is_down_for_a_moment_is_no_loss(short: Topology) -> None:
    short.look()
    pid = short.made["link"].local_pid  # type: ignore[attr-defined]
    name = next(one for role, one in short.states if role == "link")  # type: ignore[attr-defined]
    for where in ("down", "up"):
        subprocess.run(["nsenter", f"--net=/proc/{pid}/ns/net", "ip", "link", "set", "dev", name, where], check=True)
    with pytest.raises(EngineFailure, match=rf"^The interface {name} of the link, in hr-\w+-link, has been down in"):
        short.look()


@with_docker
def test_calls_over_sigcomp_through_containers() -> None:
    asked = run_of(topology="compose")
    with line_with(asked, (0,), "sigcomp", COPIES, lambda made: callers(asked, made, "basic-voice-call", 0.05)) as made:
        trial = undisturbed(made, 20, 0.5)
        worker = made.watched["decompressor"].statistics()["workers"][0]
    assert (trial.sent, trial.lost, trial.forward.unexpected) == (10, 0, 0)
    assert worker["decompressed"] >= 10 * 3 and worker["compartments"]["opened"] >= 10


class Between:
    """A socket that passes everything on to the Docker daemon, until it is cut: to a client, the daemon has died."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "docker.sock"
        self.real = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://")
        self.ends: list[socket.socket] = []
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(str(self.path))
        self.server.listen(64)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.server.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect(self.real)
                self.ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    @staticmethod
    def _pass(one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while chunk := one.recv(1 << 16):
                other.sendall(chunk)
            other.shutdown(socket.SHUT_WR)

    def cut(self) -> None:
        for end in (self.server, *self.ends):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self.path.unlink(missing_ok=True)


@with_docker
def test_a_daemon_that_dies(state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its containers end all the same; what it remembers goes as soon as it answers again."""
    between = Between(tmp_path)
    with monkeypatch.context() as patched:
        patched.setenv("DOCKER_HOST", f"unix://{between.path}")
        with (
            pytest.raises(EngineFailure, match=r"the Docker daemon does not answer any more"),
            choice.make("compose", "full", [0], "gcc-O2") as made,
        ):
            node(made, "compressor")
            made.crew.wait_until_ready(60)
            project = made.project  # type: ignore[attr-defined]
            pids = [pid for role in ("generator", "compressor") for pid in processes_of(service(made, role).remote.id)]
            assert len(pids) >= 4
            between.cut()
            made.crew.attend(10)
        assert gone(pids)
        assert compose.remove_dead() == [], "nobody answers"
        with (
            pytest.raises(EnvironmentLacks, match="its daemon does not answer"),
            choice.make("compose", "full", [0], "gcc-O2"),
        ):
            pytest.fail("it cannot be made")
    assert left(project), "Docker remembers"
    assert compose.remove_dead() == [project.removeprefix("hr-")]
    assert left(project) == []
    assert list(state.iterdir()) == []


@with_docker
def test_an_image_by_the_contract() -> None:
    """Ours, which keeps it, in the place of a vendor's; and one that takes on any test."""
    with choice.make("compose", "full", [0], "gcc-O2") as made:
        assert isinstance(made, compose.Compose)
        with pytest.raises(EngineFailure, match=r"The compressor breaks the contract .*: .* ends with status \d+"):
            made.start_image("compressor", "headroom/harness", {})
        vendor = made.start_image("compressor", "headroom/engine", {"HEADROOM_MODE": "O", "HEADROOM_CIDS": "large"})
        made.crew.wait_until_ready(60)
        assert vendor.statistics()["command"] == "node"
        assert containers.inspect(made.made["compressor"].id)["HostConfig"]["CpusetCpus"] == "0", "no other core helps"
        assert containers.inspect(made.made["generator"].id)["HostConfig"]["CpusetCpus"] == ""
        made.start_image("decompressor", "headroom/engine", {"HEADROOM_MODE": "X"})
        with pytest.raises(
            EngineFailure, match=r"The decompressor .*: it does not support this test .*127\): .*mode X"
        ):
            made.crew.wait_until_ready(60)


@with_docker
def test_what_a_killed_run_left_is_removed(state: Path) -> None:
    made = choice.make("compose", "full", [0], "gcc-O2")
    made.make()
    project = made.project  # type: ignore[attr-defined]
    made.crew.close()
    assert left(project)
    assert compose.remove_dead() == [], "its owner lives"
    path = next(state.glob("*/state.json"))
    path.write_text(json.dumps(json.loads(path.read_text()) | {"started": 0}))
    assert compose.remove_dead() == [path.parent.name]
    assert left(project) == []
