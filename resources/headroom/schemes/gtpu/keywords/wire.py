# SPDX-License-Identifier: Apache-2.0
"""Keywords that measure a user plane in a node between N3 and N6.

The user plane under test is the implementation that --compressor names, as in the conformance suites.
"""

from __future__ import annotations

from typing import Any, get_args

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.bench.throughput import Rate
from headroom.bench.throughput_search import SearchResult
from headroom.core import profiles
from headroom.core.results import collector
from headroom.keywords import forwarding, verdicts
from headroom.keywords.base import current_run, library
from headroom.keywords.load import configuration
from headroom.schemes.gtpu import metrics, wire_plane
from headroom.schemes.gtpu.keywords.load import ROLE
from headroom.schemes.gtpu.wire_load import BRIDGE, UserPlaneSearch
from headroom.schemes.gtpu.wire_plane import Distribution
from headroom.testbed import choice
from headroom.testbed.generator import streams_for

USERS, QUICK_USERS = 6000, 600


@library
class UserPlaneWireKeywords:
    """A user plane between N3 and N6, over `--topology`. USERS have a session each, established over N4; without, they
    are 6,000, in a quick run 600. PROFILE is a profile of packets in GTP-U. Uplink is forward, downlink is reverse.
    DISTRIBUTION is queues, where each core receives and forwards the packets of its users, or rx-cores, where the first
    core of CPUS receives and hands packets to the others."""

    topologies = wire_plane.TOPOLOGIES

    @keyword("User Plane Throughput Should Be Found")
    def throughput(self, profile: str, cpus: str, loss: str, distribution: str = "queues", users: int = 0) -> None:
        """LOSS is `none` (NDR), or `0.5 %` (PDR). A bare bridge is measured beside it."""
        goal = forwarding.goal_of(loss)
        config = config_of(profile, cpus, distribution, users, kind="user-plane-throughput", goal=goal.name)
        results = forwarding.measure_throughput(config, goal, ("asked", BRIDGE))
        note_share(results[BRIDGE].throughput.rates[goal.name], results["asked"], goal.name)

    @keyword("User Plane Should Forward Every Packet")
    def forwards(self, profile: str, cpus: str, rate_pps: float, distribution: str = "queues", users: int = 0) -> None:
        """Sends RATE_PPS packets a second in each direction, and compares the arriving packets octet by octet. All must
        arrive in at least one of three trials.
        """
        config = config_of(profile, cpus, distribution, users, kind="user-plane-delivery", rate_pps=rate_pps)
        forwarding.measure_delivery(config, rate_pps)

    @keyword("User Plane Latency Should Be Measured")
    def latency(self, profile: str, cpus: str, share: str, distribution: str = "queues", users: int = 0) -> None:
        """SHARE, such as `50 %`, is of the PDR. The control is a bare bridge at the same rate."""
        if current_run().generator == "trex" and not streams_for(profiles.load(profile)):
            raise SkipExecution(f"TRex sends {profile} as a capture, and measures no latency of its packets.")
        part = forwarding.share_of(share)
        config = config_of(profile, cpus, distribution, users, kind="user-plane-wire-latency", share_of_pdr=part)
        forwarding.measure_latency(config, part)


def config_of(profile: str, cpus: str, distribution: str, users: int, **parameters: Any) -> UserPlaneSearch:
    """Records a row's configuration and returns it; skips the case if run, machine or implementation cannot do it."""
    if distribution not in get_args(Distribution):
        raise ValueError(f"'{distribution}' is no distribution; known: {', '.join(get_args(Distribution))}")
    run = current_run()
    count = int(users) or (QUICK_USERS if run.quick else USERS)
    current = collector.current()
    current.traffic = choice.traffic(run)
    current.parameters |= {"profile": profile, "cpus": cpus, "topology": run.topology, "users": count}
    current.parameters |= {"distribution": distribution, **parameters}
    verdicts.note("compressor", run.compressor, run.build)
    choice.require(run.topology, run.build)
    if run.topology not in wire_plane.TOPOLOGIES:
        raise choice.NotOnThisTopology(
            "Sessions come over N4 from the generator's place, a namespace or a container of this machine: name "
            "--topology netns or compose."
        )
    if (run.topology, run.generator) == ("compose", "trex"):
        raise choice.NotOnThisTopology(
            "TRex can send to user planes in network namespaces only: name --topology netns, or --generator memory."
        )
    if reason := run.compressor.lacks(ROLE, "gtpu"):
        raise SkipExecution(f"{reason}.")
    if not run.compressor.declared("gtpu").get("n4"):
        raise SkipExecution(f"{run.compressor.name} has no N4, by which sessions come.")
    cores = configuration(cpus).cpus
    current.parameters["cores"] = list(cores)
    if reason := choice.crowded(run.topology, cores):
        raise SkipExecution(reason)
    if distribution == "rx-cores" and len(cores) == 1:
        raise SkipExecution(f"A receiving core and a worker need two cores; {cpus} has one.")
    return UserPlaneSearch(run, profile, cpus, cores, count, distribution=distribution)  # type: ignore[arg-type]


def note_share(bridge: Rate, result: SearchResult, goal: str) -> None:
    """Leaves the share of the bare bridge's rate for the result record, and the time of the node for a packet."""
    current = collector.current()
    rate = result.throughput.rates[goal].pps
    share = rate / bridge.pps if rate and bridge.pps else None
    current.metric(metrics.BRIDGE_SHARE, share, reason=f"the bare bridge: {bridge.reason}")
    for source in metrics.NODE_NS.parameters["source"]:
        busy = [load.busy for load in result.loads.get(goal, []) if load.source == source and load.busy is not None]
        time_ns = 1e9 * sum(busy) / (2 * rate) if rate and busy else None
        current.metric(metrics.NODE_NS(source=source), time_ns, reason="no load was measured")
