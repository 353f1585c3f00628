# SPDX-License-Identifier: Apache-2.0
"""The generator that a run asks for, at its place in a topology, and what a record says of its traffic."""

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
    made: Topology,
    profile: str,
    flows: int = 100,
    proven: bool = False,
    tunnel_path: TunnelPath = WHOLE,
    ends: Ends = ENDS,
) -> Iterator[EmbeddedGenerator | TrexGenerator]:
    """What sends a profile over a topology that has been made: the engine, or TRex, which runs as long as the block.

    A process of the topology that dies ends a trial at once, with its cause (EngineFailure). With `proven`, some of
    TRex's packets are compared where they arrive, before any trial; the engine compares all of its own. Raises
    EnvironmentLacks where there is no TRex, UsageError where it cannot send the profile, NotAsSent where packets come
    out otherwise. `tunnel_path` is what becomes of the tunnels of the profile; forward is from the first of `ends`.
    """
    if run.generator == "memory":
        seat = made.seats["generator"]
        common = {"core": seat.cores[0], **tunnel_path.as_job()}
        jobs = [seat.ports[name].as_job() for name in ends]
        with carrying_out(made) as execute:
            yield EmbeddedGenerator(
                jobs, profiles.load(profile), flows, run.seed, common=common, run=execute, bridged=made.bridged
            )
        return
    with trex_at(made, "stl", ends) as server:
        path, ears = profiles.path_of(profile), ears_at(made, ends)
        generator = TrexGenerator(
            server, profiles.load(profile), path, flows, run.seed, build=run.build, ears=ears, tunnel_path=tunnel_path
        )
        if proven:
            trial = generator.compared(arrivals.PROOF_PPS, arrivals.PROOF_S)
            server.notes.append(arrivals.require(trial))
        yield generator


@contextlib.contextmanager
def trex_at(made: Topology, mode: Literal["stl", "astf"], ends: Ends = ENDS) -> Iterator[client.Trex]:
    """TRex at the generator's place of a topology, as long as the block. A process that dies there ends what it does.

    TRex needs a namespace of its own; where cards are its ports there is none yet, and one is made. A container has
    one.
    """
    seat = made.seats["generator"]
    theirs, cores = trex_takes([seat.ports[name] for name in ends], seat.cores)
    with contextlib.ExitStack() as stack:
        if isinstance(made, Compose):
            home = made.trex_home()
            theirs = [replace(port, interface=home.interfaces.get(port.interface, port.interface)) for port in theirs]
            running = client.running(home, theirs, mode, cores, home.mounted.inside, watch=[made.crew.check])
        else:
            place = seat.place if seat.place.words else stack.enter_context(netns.alone())
            running = client.running(place.words, theirs, mode, cores, watch=[made.crew.check])
        yield stack.enter_context(running)


def trex_takes(ports: Sequence[Port], cores: Sequence[int]) -> tuple[list[trex_server.Port], trex_server.Cores | None]:
    """Ports and cores of the generator's role, as TRex's settings have them."""
    theirs = [trex_server.Port(port.interface or port.pci, port.mac) for port in ports]
    node = trex_server.node_of(ports[0].pci) if ports[0].pci else 0
    return theirs, trex_server.Cores.of(cores, node) if cores else None


def ears_at(made: Topology, ends: Ends = ENDS) -> arrivals.Ears | None:
    """Where TRex's packets can be caught: at its interfaces, but not at cards that it has for itself."""
    seat = made.seats["generator"]
    names = {number: seat.ports[name].interface for number, name in enumerate(ends)}
    if isinstance(made, Compose):
        home = made.trex_home()
        known = {number: home.interfaces.get(name, "") for number, name in names.items()}
        return arrivals.Ears(home.namespace, known, made.bridged) if home.namespace and all(known.values()) else None
    return arrivals.Ears(seat.place.name, names) if all(names.values()) else None


@contextlib.contextmanager
def carrying_out(made: Topology) -> Iterator[Execute]:
    """What carries out jobs of the engine's generator at its place: one process for all; on testbeds, one for each."""
    if made.name not in ("netns", "compose"):
        yield partial(run_in, made)
        return
    with GeneratorSession(made) as standing:
        yield standing


def run_in(made: Topology, command: str, job: dict[str, Any]) -> dict[str, Any]:
    """Carries a job of the engine out at the generator's place; returns its document."""
    seconds = sum(float(job[name]) for name in ("warmup_s", "duration_s", "drain_s"))
    return made.crew.finish(made.start("generator", command, job, ends_by_itself=True), seconds + PATIENCE_S)


def traffic(made: Topology, trial: Trial) -> dict[str, Any]:
    """The traffic of a result record: the generator with its version, and the topology."""
    name = "memory" if trial.generator == "embedded" else trial.generator
    generator: dict[str, Any] = {"name": name, "version": trial.version or None}
    if not trial.version:
        generator["reason"] = "it did not say"
    if trial.notes:
        generator["notes"] = list(trial.notes)
    return {"generator": generator, "topology": made.describe()}
