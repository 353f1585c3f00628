# SPDX-License-Identifier: Apache-2.0
"""Ang, Sarwar and Wan (2016): header lengths (Figures 4 to 6), and what a link delivers of UDP streams by their payload
(Figures 7 and 10 to 15).

Throughput is normalised: UDP payload as a share of all octets of the TS packets that carry it.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

from headroom.core import replay
from headroom.core.papers.measured import PaperMeasurement
from headroom.core.papers.paper import Paper, beside
from headroom.core.results.record import Item, Series
from headroom.core.run.run import Run
from headroom.schemes.ule import carriage
from headroom.schemes.ule.papers import ang_2016_channel as channel
from headroom.schemes.ule.papers import ang_2016_model as model
from headroom.schemes.ule.papers import ang_2016_packets as written
from headroom.schemes.ule.papers.ang_2016_channel import REFRESH_INTERVAL, UDP, Setup

INTERVALS = (10, 25, 50, 100, 150, 200, 250, 300, 350, 400, 500, 700, 1000)
LEAST_PACKETS = 2000
FIGURES = {"IP": 4, "UDP": 5, "RTP": 6}

# ---- Figures 4 to 6


def header_lengths(paper: Paper, run: Run) -> PaperMeasurement:
    """Mean header of one stream over the refresh interval, for each profile."""
    setups = [
        Setup(run, ip, profile, interval=interval)
        for profile in FIGURES
        for ip in channel.HEADERS
        for interval in INTERVALS
    ]
    result = PaperMeasurement()
    means: dict[tuple[str, str], dict[int, float]] = {}
    distances: dict[str, float] = {}
    for setup, replayed in zip(setups, channel.many(map(_one_stream, setups)), strict=True):
        mean = replayed.header_length["mean"]
        means.setdefault((setup.profile, setup.ip), {})[setup.interval] = mean
        distance = abs(mean - _predicted(replayed, setup.interval))
        distances[setup.profile] = max(distance, distances.get(setup.profile, 0.0))
    for profile, number in FIGURES.items():
        of4, of6 = means[profile, "IPv4"], means[profile, "IPv6"]
        values = {
            "distance": distances[profile],
            "ipv4": of4[REFRESH_INTERVAL],
            "ipv6": of6[REFRESH_INTERVAL],
            "ipv6-above-ipv4": min(of6[number] - of4[number] for number in INTERVALS),
            "beyond-350": max(
                (entry[REFRESH_INTERVAL] - entry[INTERVALS[-1]]) / (entry[INTERVALS[0]] - entry[INTERVALS[-1]])
                for entry in (of4, of6)
            ),
            "falls": min(a - b for entry in (of4, of6) for a, b in itertools.pairwise(entry.values())),
        }
        result.items += [beside(paper.items[f"figure-{number}.{name}"], value) for name, value in values.items()]
        result.series += [
            Series(
                f"header_lengths_{number}",
                "refresh interval",
                "mean header",
                "packets",
                "octets",
                [{"x": interval, "y": mean} for interval, mean in means[profile, ip].items()],
                f"{profile} profile, {ip}",
            )
            for ip in channel.HEADERS
        ]
    return result


def _one_stream(setup: Setup) -> replay.ReplayConfig:
    """Whole refresh cycles of one stream over a clean link."""
    run, cycle = setup.run, setup.interval + channel.IRS
    return replay.ReplayConfig(
        "rohc",
        run.compressor,
        run.decompressor,
        source=channel.VOICE[setup.ip],
        packets=cycle * -(-LEAST_PACKETS // cycle),
        seed=run.seed,
        build=run.build,
        **channel.rohc(setup),
    )


def _predicted(result: replay.Replay, interval: int) -> float:
    """The mean header from those of IRs and of the most frequent others."""
    ir = result.direction()["compressor"]["packet_types"]["IR"]
    others = Counter(dict(map(tuple, result.header_length["histogram"]))).most_common(1)[0][0]
    return model.mean_header(ir["header_octets"] / ir["packets"], others, interval, channel.IRS)


# ---- throughput over the payload


SWEEP = range(1, 620)  # octets of UDP payload, three valleys wide
PAYLOADS = (12, 24, 48, 72, 96, 120, 160, 200, 250, 300, 400, 500, 600, 800, 1000, 1200, 1400)
STEP = 20  # octets between the points of a curve that has valleys
AT = 200  # octets of payload, for Figure 11
VALLEYS = 3
CYCLE = REFRESH_INTERVAL + channel.IRS
REPEATS = 3  # of each payload in a sweep
ETHERNET_RATE = 100_000_000  # of the paper's test-bed: a sender that is faster than the satellite link
AROUND_FRAME = 24  # octets: preamble, frame check sequence and the gap between frames (IEEE 802.3)
FAR_NS = 1_000_000_000  # between packets that are not to share a TS packet


def link_packets(setup: Setup, payloads: list[int]) -> list[bytes]:
    """The input of an encapsulator for UDP datagrams with these payloads: the IP packets, or ROHC packets."""
    packets = [written.udp_packet(setup.ip, payload, number) for number, payload in enumerate(payloads)]
    if not setup.profile:
        return packets
    run = setup.run
    config = replay.ReplayConfig(
        "rohc",
        run.compressor,
        run.decompressor,
        source=written.literal((number * 1e6, octets) for number, octets in enumerate(packets)),
        seed=run.seed,
        build=run.build,
        records="all",
        **channel.rohc(setup),
    )
    # What looks like RTP goes by the UDP profile.
    config.compressor_options["rtp_detection"] = "none"
    result = channel.checked(replay.run(config))
    return [bytes.fromhex(record["link"]) for record in result.records]


def encapsulated(setup: Setup, packets: list[bytes], gap_ns: float, records: str = "none") -> replay.ReplayConfig:
    """A replay that encapsulates packets, each so long after the one before it."""
    literal = written.literal((number * gap_ns, octets) for number, octets in enumerate(packets))
    if setup.profile:
        literal = [{**entry, "type": carriage.ETHER_TYPE} for entry in literal]
    plain = replace(setup, profile="", link={})
    return channel.config_of(plain, source=literal, records=records, record_octets=False)


def sweep(setup: Setup) -> dict[int, float]:
    """Mean number of TS packets of a datagram by its payload, where none shares a TS packet; the most frequent one
    where packets of one payload differ, as IRs do."""
    order = list(SWEEP) * REPEATS
    random.Random(setup.run.seed).shuffle(order)
    packets = link_packets(setup, order)
    result = channel.checked(replay.run(encapsulated(setup, packets, FAR_NS, "all")))
    counts: dict[int, list[int]] = {}
    for payload, record in zip(order, result.records, strict=True):
        counts.setdefault(payload, []).append(len(replay.parts_of(record)))
    return {payload: Counter(results).most_common(1)[0][0] for payload, results in sorted(counts.items())}


def valleys(counts: dict[int, float]) -> list[int]:
    """Payloads that need one TS packet more than those an octet shorter."""
    return [payload for payload in SWEEP[1:] if counts[payload] > counts[payload - 1]][:VALLEYS]


def throughput(setup: Setup, payloads: tuple[int, ...] = PAYLOADS) -> dict[int, float]:
    """Normalised throughput by payload over a refresh cycle, where datagrams come as fast as the Ethernet carries
    them."""
    configs = []
    for payload in payloads:
        packets = link_packets(setup, [payload] * CYCLE)
        frame = channel.HEADERS[setup.ip] + UDP + payload + model.ETHERNET + AROUND_FRAME
        configs.append(encapsulated(setup, packets, frame * 8e9 / ETHERNET_RATE))
    results = channel.many(configs)
    return {
        payload: CYCLE * payload / (channel.ts_packets(result) * model.TS_PACKET)
        for payload, result in zip(payloads, results, strict=True)
    }


# ---- Section 5.2 and Figure 7

THRESHOLDS_US = (20, 50, 100, 183, 1000)


def packing(paper: Paper, run: Run) -> PaperMeasurement:
    """The saw-tooth of padding, and how packing removes it."""
    result = PaperMeasurement()
    result.items.append(beside(paper.items["section-5.2.threshold"], None, missing=None))
    for ip in channel.HEADERS:
        counts = sweep(Setup(run, ip, packing="padding"))
        result.items += _valley_items(paper, f"figure-7.{ip.lower()}", counts)
        if ip == "IPv4":
            result.series.append(_saw_tooth("packing_thresholds", "padding", counts))
    near = {payload for n in (1, 2, 3) for payload in _around(model.valley(n, channel.HEADERS["IPv4"] + UDP))}
    payloads = tuple(sorted({*range(STEP, SWEEP.stop, STEP), *near}))
    for threshold_us in THRESHOLDS_US:
        values = throughput(Setup(run, threshold_us=threshold_us), payloads)
        result.series.append(_curve("packing_thresholds", f"packing, {threshold_us / 1000:g} ms", values))
        if threshold_us == 1000:
            fall = max(1 - values[b] / values[a] for a, b in itertools.pairwise(payloads))
            result.items.append(beside(paper.items["figure-7.no-valley"], 100 * fall))
    return result


def _around(valley: float) -> set[int]:
    return {int(valley) - 1, int(valley)}


def _valley_items(paper: Paper, name: str, counts: dict[int, float]) -> list[Item]:
    return [beside(paper.items[f"{name}-valley-{n}"], value) for n, value in enumerate(valleys(counts), 1)]


def _saw_tooth(name: str, label: str, counts: dict[int, float]) -> Series:
    points = {payload: payload / (count * model.TS_PACKET) for payload, count in counts.items() if payload % 4 == 0}
    for payload in valleys(counts):
        for beside_it in (payload - 1, payload):
            points[beside_it] = beside_it / (counts[beside_it] * model.TS_PACKET)
    return _curve(name, label, dict(sorted(points.items())))


def _curve(name: str, label: str, values: dict[int, float]) -> Series:
    points: list[dict[str, Any]] = [{"x": payload, "y": value} for payload, value in values.items()]
    return Series(name, "UDP payload", "normalised throughput", "octets", "", points, label)


# ---- Figures 10 to 15


@cache
def _throughput(run: Run, ip: str, profile: str) -> dict[int, float]:
    return throughput(Setup(run, ip, profile))


def padding(paper: Paper, run: Run) -> PaperMeasurement:
    """Figure 10: compressed streams in padding mode, whose valleys equation 13 predicts from the mean header."""
    result = PaperMeasurement()
    for ip in channel.HEADERS:
        result.series.append(_saw_tooth("padding", f"uncompressed, {ip}", sweep(Setup(run, ip, packing="padding"))))
        for profile in ("IP", "UDP"):
            counts = sweep(Setup(run, ip, profile, packing="padding"))
            mean = channel.checked(replay.run(_one_stream(Setup(run, ip, profile)))).header_length["mean"]
            behind = UDP if profile == "IP" else 0
            away = [abs(value - model.valley(n, mean + behind)) for n, value in enumerate(valleys(counts), 1)]
            name = f"figure-10.{ip.lower()}-{profile.lower()}"
            first = valleys(counts)[0]
            result.items += [
                beside(paper.items[f"{name}-valley"], first),
                beside(paper.items[f"{name}-distance"], max(away), note=f"mean header {mean:.2f} octets"),
            ]
            if profile == "UDP":
                result.series.append(_saw_tooth("padding", f"UDP profile, {ip}", counts))
    return result


def gains(paper: Paper, run: Run) -> PaperMeasurement:
    """Figures 11 to 15: packed streams, compressed and not, and the gain."""
    result = PaperMeasurement()
    for ip, (throughput_figure, gain_figure) in {"IPv4": (12, 13), "IPv6": (14, 15)}.items():
        plain = _throughput(run, ip, "")
        result.series += [
            _curve(f"throughput_{throughput_figure}", "uncompressed", plain),
            _curve("packed", f"uncompressed, {ip}", plain),
        ]
        for profile in ("IP", "UDP"):
            values = _throughput(run, ip, profile)
            gain = {payload: 100 * (values[payload] / plain[payload] - 1) for payload in values}
            result.series += [
                _curve(f"throughput_{throughput_figure}", f"{profile} profile", values),
                replace(_curve(f"gain_{gain_figure}", f"{profile} profile", gain), y="gain", y_unit="%"),
            ]
            figures = {
                "at-12": gain[12],
                "falls": min(a - b for a, b in itertools.pairwise(gain.values())),
            }
            name = f"figure-{gain_figure}.{profile.lower()}"
            result.items += [beside(paper.items[f"{name}-{key}"], value) for key, value in figures.items()]
            if profile == "UDP":
                result.series.append(_curve("packed", f"UDP profile, {ip}", values))
                widest = max(values, key=lambda payload: values[payload] - plain[payload])
                result.items.append(beside(paper.items[f"figure-{throughput_figure}.widest"], widest))
        for name, of in (("uncompressed", ""), ("udp", "UDP")):
            figure = paper.items[f"figure-11.{ip.lower()}-{name}"]
            result.items.append(beside(figure, _throughput(run, ip, of)[AT]))
    return result
