# SPDX-License-Identifier: Apache-2.0
"""Ang, Sarwar and Wan (2016): the test-bed of Figure 3 with real nodes, in network namespaces of this machine.

A compressor, an encapsulator, a receiver and a decompressor forward both ways; the channel has the bit rate of the
paper's. Streams of its generator go one way, and pings there and back. The same traffic in virtual time is beside it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any

from headroom.core import profiles, replay
from headroom.core.captures.dissection import LinkDissector, LinkPacket, LinkReader
from headroom.core.errors import EnvironmentLacks
from headroom.core.machine import topology as cpus
from headroom.core.papers.measured import PaperMeasurement
from headroom.core.papers.paper import Paper, beside
from headroom.core.results.record import Series
from headroom.core.run.run import Run
from headroom.schemes.rohc.scheme import SCHEME as INNER
from headroom.schemes.ule.carriage import ETHER_TYPE, MAC_HEADER, WHOLE_FRAME
from headroom.schemes.ule.judge.receiver import Receiver
from headroom.schemes.ule.papers import ang_2016_channel as channel
from headroom.schemes.ule.papers import ang_2016_model as model
from headroom.schemes.ule.papers import ang_2016_packets as written
from headroom.schemes.ule.papers import ang_2016_streams as streams
from headroom.schemes.ule.papers.ang_2016_channel import VOICE_PAYLOAD, Arrivals, Setup
from headroom.testbed import arrivals, carried, choice, echo, netns
from headroom.testbed.generator import EmbeddedGenerator
from headroom.testbed.generator_session import GeneratorSession
from headroom.testbed.recorder import Arrival, Point, Recorder
from headroom.testbed.topology import Topology
from headroom.testbed.trial import Trial

PLACE = "Figure 3"
STREAMS = 100
STREAMS_S = 15.0  # two refreshes of each context
BUFFER_PACKETS = 6  # TS packets of a datagram: a buffer of the paper's ASI card
PINGS = 100
PING_GAP_S = 0.03
ATTEMPTS = 2  # other programs may keep the nodes from running

NULL_PID = 0x1FFF
SSRC = slice(36, 40)  # in an RTP packet over UDP and IPv4

# Where frames are recorded, by what has arrived there.
SENT: Point = ("compressor", "plain")
COMPRESSED: Point = ("encapsulator", "plain")
CARRIED: Point = ("decapsulator", "link")
RECEIVED: Point = ("generator", "1")


@dataclass(frozen=True)
class Recording:
    """The packets that passed each hop while the streams were sent, and the generator's report. `cores` names the roles
    that share a core, `losses` the packets that the nodes lost."""

    trial: Trial
    frames: dict[Point, list[Arrival]]
    cores: str = ""
    losses: tuple[str, ...] = ()


def lacks(build: str) -> str:
    """The reason why nodes cannot be started here, as a sentence; "" if they can."""
    return netns.probe() or choice.build_lacks(build)


def through_nodes(paper: Paper, run: Run) -> PaperMeasurement:
    """Streams and pings through nodes. Every item is unsupported where this machine has no namespaces or ports."""
    setup = Setup(run, "IPv4", "RTP")
    try:
        if reason := lacks(run.build):
            raise EnvironmentLacks(reason)
        trips, recording = _measure(setup)
    except EnvironmentLacks as error:
        return PaperMeasurement([beside(figure, None, note=str(error)) for figure in paper.of(PLACE)])
    return _items(paper, setup, trips, recording)


# ---- measuring


def _measure(setup: Setup) -> tuple[list[echo.RoundTrip], Recording]:
    """Pings over an idle channel, then streams. Both go a second time where the machine kept nodes or generator busy
    with something else, so that packets were lost."""
    for _ in range(ATTEMPTS):
        with choice.make("netns", carried.SHAPE, _cores(), setup.run.build) as topology:
            nodes = carried.start(topology, _jobs(setup))
            trips = echo.round_trips(topology, *_pings(setup.run.seed), answer=written.pong)
            recording = _streams(topology, setup)
            losses = carried.losses(carried.stop(topology, nodes))
            recording = replace(recording, cores=topology.allotment.note, losses=tuple(losses))
        if not (recording.trial.fell_behind or recording.trial.lost):
            break
    return trips, recording


def _cores() -> tuple[int, ...]:
    return cpus.resolve(["1c"], cpus.configurations(cpus.read()))[0].cpus


def _jobs(setup: Setup) -> carried.CarriedJobs:
    """Nodes configured as the replay of the same arrangement is."""
    config = channel.config_of(setup)
    assert config.carrier is not None
    # Packets of an encapsulator node are whole frames already, and it needs no addresses of its own.
    ule = config.carrier.config
    carrier = replace(ule, channel={**ule.channel, "bridged": False})
    return carried.CarriedJobs(_adapters(config), _adapters(carrier), BUFFER_PACKETS, channel.RATE)


def _adapters(config: replay.ReplayConfig) -> dict[str, Any]:
    return {role: replay.side(implementation, role, config) for role, implementation in config.sides}


def _pings(seed: int) -> tuple[list[bytes], list[float]]:
    """Pings, and the random gaps in front of them, s."""
    rng = random.Random(seed)
    return [written.ping(number) for number in range(PINGS)], [PING_GAP_S * (0.5 + rng.random()) for _ in range(PINGS)]


def _streams(topology: Topology, setup: Setup) -> Recording:
    seat = topology.seats["generator"]
    ports = [seat.ports[name].as_job() for name in ("0", "1")]
    profile = profiles.load(channel.VOICE[setup.ip])
    with GeneratorSession(topology) as execute:
        generator = EmbeddedGenerator(
            ports,
            profile,
            STREAMS,
            setup.run.seed,
            directions="forward",
            warmup_s=0.0,
            common={"core": seat.cores[0]},
            run=execute,
        )
        with Recorder(topology, (SENT, COMPRESSED, CARRIED, RECEIVED)) as recorder:
            trial = generator.trial(STREAMS * 1e9 / channel.INTERVAL_NS, STREAMS_S)
    return Recording(trial, recorder.arrivals)


# ---- what was recorded


def ts_packets(datagrams: Iterable[Arrival]) -> list[bytes]:
    """TS packets with data, in order: null packets are left out."""
    packets = (octet for arrival in datagrams for octet in carried.link_packets(arrival.frame, model.TS_PACKET))
    return [packet for packet in packets if int.from_bytes(packet[1:3]) & NULL_PID != NULL_PID]


def judged(recording: Recording, packets: list[bytes], max_cid: int) -> tuple[list[bytes], list[str]]:
    """ROHC packets that the judge of ULE reads from TS packets, and sentences about faults: what that judge reads and
    the encapsulator did not get, and what the judge of ROHC restores and was not sent. Where the nodes lost nothing,
    the judges may neither miss nor refuse anything."""
    receiver = Receiver()
    units = [unit for packet in packets for unit in receiver.take(packet)]
    rohc = [unit.octets[MAC_HEADER:] for unit in units if unit.octets[12:MAC_HEADER] == ETHER_TYPE.to_bytes(2)]
    judge = _rohc_judge(max_cid)
    readings = [judge.read(LinkPacket(octets)) for octets in rohc]
    frames = arrivals.compare(
        [arrival.frame for arrival in recording.frames[COMPRESSED]],
        [unit.octets for unit in units if unit.type == WHOLE_FRAME],
    )
    restored = arrivals.compare(
        [arrivals.ip_packet(arrival.frame) for arrival in recording.frames[SENT]],
        [entry.restored for entry in readings if entry.restored],
    )
    wrong = []
    if frames.others:
        wrong.append(f"The judge of ULE reads {len(frames.others)} frames that were not sent.")
    if restored.others:
        wrong.append(f"The judge of ROHC restores {len(restored.others)} packets that were not sent.")
    if recording.trial.lost:
        return rohc, wrong
    wrong += [f"The judge of ULE notes {count} times: {event}." for event, count in receiver.events.items()]
    if missed := len(recording.frames[COMPRESSED]) - frames.equal:
        wrong.append(f"The judge of ULE does not read {missed} frames.")
    if errors := [entry.error for entry in readings if entry.error]:
        wrong.append(f"The judge of ROHC refuses {len(errors)} packets. The first: {errors[0]}")
    if missed := len(recording.frames[SENT]) - restored.equal:
        wrong.append(f"The judge of ROHC does not restore {missed} packets.")
    return rohc, wrong


def _rohc_judge(max_cid: int) -> LinkReader:
    assert INNER.dissector is not None
    dissector = INNER.dissector()
    assert isinstance(dissector, LinkDissector)
    return dissector.channel("", (), dissector.hints({"cid": "large", "max_cid": max_cid})).reader()


def by_stream(results: Iterable[Arrival]) -> Arrivals:
    """Inter-arrival times of RTP packets over IPv4, by their SSRC."""
    times: defaultdict[bytes, list[int]] = defaultdict(list)
    for arrival in results:
        times[arrivals.ip_packet(arrival.frame)[SSRC]].append(arrival.time_ns)
    return channel.arrivals_by_stream(times.values())


# ---- beside the same traffic in virtual time


def _items(paper: Paper, setup: Setup, trips: list[echo.RoundTrip], recording: Recording) -> PaperMeasurement:
    """Every item of the place. Packets that the nodes lost count against them."""
    forward = recording.trial.forward
    traffic = {"flows": STREAMS, "duration_s": STREAMS_S, "records": "all", "record_octets": False}
    replayed = next(channel.many([channel.config_of(setup, **traffic)]))
    packets = ts_packets(recording.frames[CARRIED])
    rohc, wrong = judged(recording, packets, setup.max_cid)
    header = fmean(len(octets) - VOICE_PAYLOAD for octets in rohc) if rohc else None
    simulated = replayed.header_length["octets"] / replayed.sent
    sent, received = (by_stream(recording.frames[point]) for point in (SENT, RECEIVED))
    in_virtual_time = channel.arrivals_of(replayed)
    behind = "the generator fell behind" if forward.fell_behind else ""
    delivery = [f"{forward.received} of {forward.sent} packets", behind, recording.cores, *recording.losses]
    virtual_trips = streams.round_trips_of(setup)
    whole = [trip.whole_ns / 1e6 for trip in trips if trip.whole_ns is not None]
    values: dict[str, tuple[float | None, str]] = {
        "delivered": (100 * forward.received / forward.sent, "; ".join(filter(None, delivery))),
        "others": (forward.unexpected, f"{forward.received} packets compared"),
        "judges": (len(wrong), " ".join([f"{len(packets)} TS packets, {len(rohc)} ROHC packets.", *wrong])),
        "header": (header, f"simulated: {simulated:.3f}"),
        "header-distance": (None if header is None else abs(header - simulated), ""),
        "ts-packets": (len(packets) / STREAMS_S, f"simulated: {channel.ts_packets(replayed) / STREAMS_S:.0f}"),
        "ts-packets-ratio": (len(packets) / channel.ts_packets(replayed), ""),
        "sent-mean": (sent.mean, ""),
        "sent-jitter": (sent.jitter, ""),
        "received-mean": (received.mean, f"simulated: {in_virtual_time.mean:.3f}"),
        "received-jitter": (received.jitter, f"simulated: {in_virtual_time.jitter:.3f}"),
        "pings": (100 * len(whole) / len(trips), f"{len(whole)} of {len(trips)}"),
        "round-trip": (fmean(whole) if whole else None, f"simulated: {fmean(virtual_trips):.2f}"),
        "round-trip-jitter": (stdev(whole) if len(whole) > 1 else None, f"simulated: {stdev(virtual_trips):.2f}"),
    }
    result = PaperMeasurement()
    names = {figure.id.removeprefix("figure-3."): figure for figure in paper.of(PLACE)}
    result.items = [beside(figure, values[name][0], note=values[name][1]) for name, figure in names.items()]
    result.series = [
        Series("node_pings", "ping", "round trip", "", "ms", _points(whole), "through nodes"),
        Series("node_pings", "ping", "round trip", "", "ms", _points(virtual_trips[: len(whole)]), "in virtual time"),
    ]
    return result


def _points(values: Sequence[float]) -> list[dict[str, Any]]:
    return [{"x": number, "y": value} for number, value in enumerate(values)]
