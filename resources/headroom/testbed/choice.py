# SPDX-License-Identifier: Apache-2.0
"""The topology and the generator that a run names, and the checks that this machine can provide them."""

import contextlib
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from headroom.core.errors import EnvironmentLacks, HeadroomError, UsageError
from headroom.core.machine import topology as cpus
from headroom.core.machine.build import engine_program
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.run.run import Run
from headroom.core.settings import Settings
from headroom.testbed import compose, netns, testbed
from headroom.testbed.topology import Allotment, Topology, allot, roles_of
from headroom.testbed.trex import container, server
from headroom.testbed.trex import installation as trex_installation

TOPOLOGIES = ("process", "netns", "compose")
GENERATORS = ("memory", "trex")
TESTBED_SUFFIXES = (".yaml", ".yml")


class NotOnThisTopology(HeadroomError):
    """Raised if the case needs interfaces, or must have none: the suite declares it, so it is no failure."""

    verdict = "unsupported"


def check(topology: str, generator: str) -> None:
    """Raises UsageError for an unknown word, EnvironmentLacks if this machine cannot provide it."""
    if generator not in GENERATORS:
        raise UsageError(f"There is no generator '{generator}'; there are {' and '.join(GENERATORS)}.")
    if topology == "process" and generator == "trex":
        raise UsageError(
            "TRex sends over interfaces, and --topology process has none: name netns, compose or a testbed file."
        )
    if reason := _lacks(topology):
        raise EnvironmentLacks(reason)
    if generator == "trex" and (reason := _trex_is_elsewhere(topology) or trex_lacks(topology)):
        raise EnvironmentLacks(reason)


def _trex_is_elsewhere(topology: str) -> str:
    if topology in TOPOLOGIES or not (host := testbed.load(Path(topology)).host_of("generator")).address:
        return ""
    return (
        f"TRex is driven on the machine that it runs on: call from {host.name}, and leave its address out of the file."
    )


def _lacks(topology: str) -> str:
    if topology == "process":
        return ""
    if topology == "netns":
        return netns.lacks() or dpdk_lacks()
    if topology == "compose":
        return compose.lacks()
    require_known(topology)
    testbed.load(Path(topology))
    return testbed.lacks()


def require_known(topology: str) -> None:
    """Raises UsageError for a topology that is neither built in nor named like a testbed file."""
    if topology not in TOPOLOGIES and not topology.endswith(TESTBED_SUFFIXES):
        raise UsageError(
            f"There is no topology '{topology}'; there are {', '.join(TOPOLOGIES)}, or the path of a testbed file "
            "(.yaml)."
        )


def dpdk_lacks() -> str:
    """The reason why the engine cannot have ports here; empty if it can."""
    if engine_program(DEFAULT_BUILD).with_name("headroom-engine-wire").is_file():
        return ""
    with contextlib.suppress(OSError):
        if subprocess.run(["pkg-config", "--exists", "libdpdk"]).returncode == 0:
            return ""
    return "The engine's ports need DPDK: apt-get install libdpdk-dev pkg-config, or use --topology process."


def trex_lacks(topology: str = "") -> str:
    """The reason why there is no TRex; empty if `$TREX_ROOT` names one, which can be mounted into a container if
    needed.
    """
    try:
        installation = trex_installation.find()
        if topology == "compose":
            container.source_of(installation)
    except EnvironmentLacks as error:
        return str(error)
    return ""


def build_lacks(build: str) -> str:
    """The reason why an existing build has no ports; empty if it has them."""
    if engine_program(build).with_name("headroom-engine-wire").is_file():
        return ""
    return f"The build {build} has no DPDK ports: install libdpdk-dev and build again."


def require(topology: str, build: str) -> None:
    """Checks for keywords that need interfaces: raises NotOnThisTopology for `process`, EnvironmentLacks
    without ports.
    """
    if topology == "process":
        raise NotOnThisTopology(
            "This needs interfaces, and --topology process has none: use --topology netns, compose or a testbed file."
        )
    if topology == "netns" and (reason := build_lacks(build)):
        raise EnvironmentLacks(reason)


def traffic(run: Run) -> dict[str, Any]:
    """The traffic of a result record before anything has been sent: the configuration."""
    name = run.topology if run.topology in TOPOLOGIES else testbed.load(Path(run.topology)).name
    return {
        "generator": {"name": run.generator, "version": None, "reason": "nothing was sent"},
        "topology": {"name": name},
    }


def crowded(topology: str, measured: Sequence[int]) -> str:
    """The reason why a generator would fall behind here, and measure nothing; empty if it can have a core of
    its own.
    """
    if topology not in ("netns", "compose"):
        return ""
    cores = _allotment("full", measured, "memory").cores
    if not set(cores["generator"]).intersection(measured):
        return ""
    return (
        f"The generator needs a core beside those that are measured ({', '.join(map(str, measured))}), and this "
        "machine has no other."
    )


def make(topology: str, shape: str, measured: Sequence[int], build: str, generator: str = "memory") -> Topology:
    """The topology of a run, in one of the shapes of `headroom.testbed.topology`, not entered yet.

    `measured` are the cores of the CPU configuration. Raises as `require` does.
    """
    require(topology, build)
    if topology == "compose":
        return compose.Compose(shape, _allotment(shape, measured, generator), build, generator == "trex")
    if topology == "netns":
        return netns.Netns(shape, _allotment(shape, measured, generator), build, queues=len(measured))
    return testbed.Testbed(shape, Allotment({}), bed=testbed.load(Path(topology)), build=build)


def _allotment(shape: str, measured: Sequence[int], generator: str) -> Allotment:
    usable = [core.number for core in cpus.read().physical_cores]
    return allot(roles_of(shape), measured, usable, server.CORES if generator == "trex" else 1)


def plan(settings: Settings) -> list[str]:
    """The commands that a run over a topology gives, each with its host; [] if it gives none worth showing."""
    if settings.topology == "compose":
        return compose.commands(settings.generator == "trex")
    if settings.topology in TOPOLOGIES:
        return []
    return testbed.commands(testbed.load(Path(settings.topology)), settings.build, settings.generator)
