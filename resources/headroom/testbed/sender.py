# SPDX-License-Identifier: Apache-2.0
"""The generator of a run, at its place in a topology, and the entry of records about its traffic."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from headroom.core import profiles
from headroom.core.run.run import Run
from headroom.testbed import arrivals, netns
from headroom.testbed.compose import Compose
from headroom.testbed.generator import EmbeddedGenerator, Execute, TrexGenerator
from headroom.testbed.generator_session import PATIENCE_S, GeneratorSession
from headroom.testbed.topology import Port, Topology
from headroom.testbed.trex import client
from headroom.testbed.trex import server as trex_server
from headroom.testbed.trial import Trial
from headroom.testbed.tunnel_path import WHOLE, TunnelPath

Sender = EmbeddedGenerator | TrexGenerator
Ends = tuple[str, str]  # ports of the generator's role, by name

ENDS: Ends = ("0", "1")


@contextlib.contextmanager
def sender(
    run: Run,
    topology: Topology,
    profile: str,
    flows: int = 100,
    proven: bool = False,
    tunnel_path: TunnelPath = WHOLE,
    ends: Ends = ENDS,
) -> Iterator[EmbeddedGenerator | TrexGenerator]:
    """The sender of a profile over a topology that has been made: the engine, or TRex, which runs while the block does.

    A process of the topology that dies ends a trial at once, with its cause (EngineFailure). With `proven`, some of
    TRex's packets are compared where they arrive, before any trial; the engine compares all of its own. Raises
    EnvironmentLacks if there is no TRex, UsageError if it cannot send the profile, NotAsSent if packets come out
    changed. `tunnel_path` describes the path of the profile's tunnels; forward is from the first of `ends`.
    """
    if run.generator == "memory":
        seat = topology.seats["generator"]
        common = {"core": seat.cores[0], **tunnel_path.as_job()}
        jobs = [seat.ports[name].as_job() for name in ends]
        with carrying_out(topology) as execute:
            yield EmbeddedGenerator(
                jobs, profiles.load(profile), flows, run.seed, common=common, run=execute, bridged=topology.bridged
            )
        return
    with trex_at(topology, "stl", ends) as server:
        path, tap = profiles.path_of(profile), tap_at(topology, ends)
        generator = TrexGenerator(
            server, profiles.load(profile), path, flows, run.seed, build=run.build, tap=tap, tunnel_path=tunnel_path
        )
        if proven:
            trial = generator.compared(arrivals.PROOF_PPS, arrivals.PROOF_S)
            server.notes.append(arrivals.require(trial))
        yield generator


@contextlib.contextmanager
def trex_at(topology: Topology, mode: Literal["stl", "astf"], ends: Ends = ENDS) -> Iterator[client.Trex]:
    """TRex at the generator's place of a topology, while the block runs. A process that dies there ends the block's
    work.

    TRex needs a namespace of its own; if its ports are cards there is none yet, and one is made. A container has one.
    """
    seat = topology.seats["generator"]
    theirs, cores = trex_takes([seat.ports[name] for name in ends], seat.cores)
    with contextlib.ExitStack() as stack:
        if isinstance(topology, Compose):
            home = topology.trex_home()
            theirs = [replace(port, interface=home.interfaces.get(port.interface, port.interface)) for port in theirs]
            running = client.running(home, theirs, mode, cores, home.mounted.inside, watch=[topology.crew.check])
        else:
            place = seat.place if seat.place.words else stack.enter_context(netns.alone())
            running = client.running(place.words, theirs, mode, cores, watch=[topology.crew.check])
        yield stack.enter_context(running)


def trex_takes(ports: Sequence[Port], cores: Sequence[int]) -> tuple[list[trex_server.Port], trex_server.Cores | None]:
    """The ports and cores of the generator's role, in TRex's types."""
    theirs = [trex_server.Port(port.interface or port.pci, port.mac) for port in ports]
    node = trex_server.node_of(ports[0].pci) if ports[0].pci else 0
    return theirs, trex_server.Cores.of(cores, node) if cores else None


def tap_at(topology: Topology, ends: Ends = ENDS) -> arrivals.Tap | None:
    """The place where TRex's packets can be captured: its interfaces, but not cards that it has for itself."""
    seat = topology.seats["generator"]
    names = {number: seat.ports[name].interface for number, name in enumerate(ends)}
    if isinstance(topology, Compose):
        home = topology.trex_home()
        known = {number: home.interfaces.get(name, "") for number, name in names.items()}
        return arrivals.Tap(home.namespace, known, topology.bridged) if home.namespace and all(known.values()) else None
    return arrivals.Tap(seat.place.name, names) if all(names.values()) else None


@contextlib.contextmanager
def carrying_out(topology: Topology) -> Iterator[Execute]:
    """The function that carries out jobs of the engine's generator at its place: one process for all; on testbeds, one
    for each.
    """
    if topology.name not in ("netns", "compose"):
        yield partial(run_in, topology)
        return
    with GeneratorSession(topology) as standing:
        yield standing


def run_in(topology: Topology, command: str, job: dict[str, Any]) -> dict[str, Any]:
    """Carries out a job of the engine at the generator's place. Returns its document."""
    seconds = sum(float(job[name]) for name in ("warmup_s", "duration_s", "drain_s"))
    return topology.crew.finish(topology.start("generator", command, job, ends_by_itself=True), seconds + PATIENCE_S)


def traffic(topology: Topology, trial: Trial) -> dict[str, Any]:
    """The traffic of a result record: the generator with its version, and the topology."""
    name = "memory" if trial.generator == "embedded" else trial.generator
    generator: dict[str, Any] = {"name": name, "version": trial.version or None}
    if not trial.version:
        generator["reason"] = "it did not report it"
    if trial.notes:
        generator["notes"] = list(trial.notes)
    return {"generator": generator, "topology": topology.describe()}
