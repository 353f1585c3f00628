# SPDX-License-Identifier: Apache-2.0
"""Ang, Sarwar and Wan (2016): RTP streams.

How many a link carries (Figures 16 and 17, Table 2), how their packets arrive (Tables 1 and 3, Figures 8 and 9), the
pattern of their lengths (Figures 18 to 20) and the cost (Figure 21).
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from statistics import correlation, fmean, linear_regression, mode, stdev
from typing import Any

from headroom.core import replay
from headroom.core.papers.measured import PaperMeasurement
from headroom.core.papers.paper import Paper, beside
from headroom.core.results.record import Series
from headroom.core.run.run import Run
from headroom.schemes.ule import carriage
from headroom.schemes.ule.papers import ang_2016_channel as channel
from headroom.schemes.ule.papers import ang_2016_model as model
from headroom.schemes.ule.papers import ang_2016_packets as written
from headroom.schemes.ule.papers.ang_2016_channel import RTP, VOICE_PAYLOAD, Setup

JUDGED_S = 1.0
ROWS = ("", *channel.ROHC_PROFILES)  # uncompressed first


def _title(profile: str) -> str:
    return f"{profile} profile" if profile else "uncompressed"


def _id(ip: str, profile: str) -> str:
    return f"{ip.lower()}-{(profile or 'uncompressed').lower()}"


def papers_streams(paper: Paper, ip: str, profile: str) -> int:
    """The streams that the paper counts."""
    value = paper.items[f"figure-16.{_id(ip, profile)}"].paper
    assert value is not None
    return int(value)


# ---- Figures 16 and 17, Table 2


def mean_header(setup: Setup, flows: int) -> float:
    """Octets of the compressed header with all that the profile leaves, in a whole refresh period but the first one."""
    if not setup.profile:
        return setup.headers
    span_s = channel.refresh_period_ns(setup, flows) * channel.periods(setup, flows) / 1e9
    once, twice = (_rohc(setup, flows, span_s * times) for times in (1, 2))
    octets = twice.header_length["octets"] - once.header_length["octets"]
    return octets / (twice.sent - once.sent) + channel.BEHIND[setup.profile]


def _rohc(setup: Setup, flows: int, duration_s: float, **changes: Any) -> replay.Replay:
    """ROHC alone, without a link."""
    config = replay.ReplayConfig(
        "rohc",
        setup.run.compressor,
        setup.run.decompressor,
        source=channel.VOICE[setup.ip],
        flows=flows,
        packets=None,
        duration_s=duration_s,
        seed=setup.run.seed,
        build=setup.run.build,
        **channel.rohc(setup),
    )
    return channel.checked(replay.run(replace(config, **changes)))


@cache
def streams_of(setup_key: tuple[Run, str, str]) -> tuple[int, float]:
    """The largest number of streams that the link carries, and what equation 14 says for the mean header then."""
    setup = Setup(*setup_key)
    header = mean_header(setup, 300)
    flows = channel.most_streams(setup, int(model.streams(channel.RATE, header, VOICE_PAYLOAD)))
    return flows, model.streams(channel.RATE, mean_header(setup, flows), VOICE_PAYLOAD)


def streams(paper: Paper, run: Run) -> PaperMeasurement:
    """The largest number of streams for each profile, beside equation 14."""
    result = PaperMeasurement()
    counts: dict[tuple[str, str], int] = {}
    for ip in channel.HEADERS:
        points, throughputs = [], []
        for profile in ROWS:
            flows, estimated = streams_of((run, ip, profile))
            counts[ip, profile] = flows
            name = _id(ip, profile)
            result.items += [
                beside(paper.items[f"figure-16.{name}"], flows),
                beside(paper.items[f"table-2.{name}"], 100 * flows / estimated, note=f"equation 14: {estimated:.1f}"),
                beside(paper.items[f"figure-17.{name}"], _normalised(flows)),
            ]
            points.append({"x": _title(profile), "y": flows})
            throughputs.append({"x": _title(profile), "y": _normalised(flows)})
        result.series += [
            Series("streams", "profile", "streams", "", "", points, ip),
            Series("aggregated", "profile", "UDP data as a share of the link", "", "", throughputs, ip),
        ]
    setup, flows = Setup(run, "IPv6", "RTP"), counts["IPv6", "RTP"]
    replayed, packets = carriage.run(channel.config_of(setup, flows=flows, duration_s=JUDGED_S))
    wrong = carriage.read_by_the_judge(channel.checked(replayed), packets)
    figure, note = paper.items["figure-16.judge"], " ".join([f"{len(packets)} TS packets.", *wrong])
    result.items.append(beside(figure, len(wrong), note=note))
    gain = 100 * (counts["IPv6", "RTP"] / counts["IPv6", ""] - 1)
    result.items.append(beside(paper.items["figure-16.gain"], gain))
    return result


def _normalised(flows: int) -> float:
    """Octets of UDP payload as a share of the link's."""
    return flows * 50 * (RTP + VOICE_PAYLOAD) * 8 / channel.RATE


# ---- Tables 1 and 3

IDLE_S = 60.0


def inter_arrival(paper: Paper, run: Run) -> PaperMeasurement:
    """Table 3: a stream alone, and as many as the link carries."""
    result = PaperMeasurement()
    idle, full = [], []
    measured: dict[str, list[float]] = {"one.mean": [], "one.jitter": [], "full.mean": []}
    for ip in channel.HEADERS:
        for profile in ROWS:
            setup = Setup(run, ip, profile)
            flows, _ = streams_of((run, ip, profile))
            alone = channel.arrivals(setup, 1, IDLE_S)
            span_s = channel.refresh_period_ns(setup, flows) * channel.periods(setup, flows) / 1e9
            together = channel.arrivals(setup, flows, 2 * span_s, span_s)
            name = f"table-3.{_id(ip, profile)}"
            result.items += [
                beside(paper.items[f"{name}.one.mean"], alone.mean),
                beside(paper.items[f"{name}.one.jitter"], alone.jitter),
                beside(paper.items[f"{name}.full.mean"], together.mean, note=f"{flows} streams"),
                beside(paper.items[f"{name}.full.jitter"], together.jitter, note=f"{flows} streams"),
                beside(paper.items[f"{name}.above-idle"], together.jitter - alone.jitter, note=f"{flows} streams"),
            ]
            for values, value in zip(measured.values(), (alone.mean, alone.jitter, together.mean), strict=True):
                values.append(value)
            label = f"{ip}, {_title(profile)}"
            idle.append({"x": label, "y": alone.jitter})
            full.append({"x": label, "y": together.jitter})
    for name, values in measured.items():
        figure = paper.items[f"table-3.{name}"]
        result.items.append(beside(figure, max(values, key=lambda value: abs(value - (figure.model or 0)))))
    result.series = [
        Series("jitter", "streams", "jitter", "", "ms", idle, "one stream"),
        Series("jitter", "streams", "jitter", "", "ms", full, "as many as the link carries"),
    ]
    return result


def generator(paper: Paper, run: Run) -> PaperMeasurement:
    """Table 1: the streams as they are sent, in virtual time."""
    result = PaperMeasurement()
    for ip in channel.HEADERS:
        for flows in (1, papers_streams(paper, ip, "RTP")):
            arrivals = channel.arrivals(Setup(run, ip, link={}, threshold_us=0), flows, 2.0)
            name = f"table-1.{ip.lower()}-{flows}"
            result.items += [
                beside(paper.items[f"{name}.mean"], arrivals.mean),
                beside(paper.items[f"{name}.jitter"], arrivals.jitter),
            ]
    return result


# ---- Figures 8 and 9

RTT_THRESHOLDS_MS = (1, 2, 5, 10, 20, 50)
PINGS = 300
PING_GAP_NS = 200_000_000
LARGER_BUFFER = 32  # TS packets of a receiving driver


def round_trips(paper: Paper, run: Run) -> PaperMeasurement:
    """Round trips of pings over two channels, one each way, without the propagation delay."""
    result = PaperMeasurement()
    for profile in ("", "IP"):
        means = {
            threshold: fmean(round_trips_of(Setup(run, "IPv4", profile, threshold_us=1000 * threshold)))
            for threshold in RTT_THRESHOLDS_MS
        }
        fit = linear_regression(list(means), list(means.values()))
        name = f"figure-8.{(profile or 'uncompressed').lower()}"
        result.items += [
            beside(paper.items[f"{name}.correlation"], correlation(list(means), list(means.values()))),
            beside(paper.items[f"{name}.slope"], fit.slope),
        ]
        points = [{"x": threshold, "y": mean} for threshold, mean in means.items()]
        result.series.append(
            Series("round_trips", "packing threshold", "round trip", "ms", "ms", points, _title(profile))
        )
    setup = Setup(run)
    results = round_trips_of(setup)
    slots = {**channel.SATELLITE["slots"], "receiver_buffer_packets": LARGER_BUFFER}
    larger = round_trips_of(channel.with_link(setup, slots=slots))
    result.items += [
        beside(paper.items["figure-9.mean"], fmean(results)),
        beside(paper.items["figure-9.jitter"], stdev(results)),
        beside(paper.items["figure-9.larger-buffer"], stdev(larger) / stdev(results)),
    ]
    points = [{"x": number, "y": trip} for number, trip in enumerate(results)]
    result.series.append(Series("pings", "ping", "round trip", "", "ms", points, "packing threshold of 1 ms"))
    return result


def round_trips_of(setup: Setup) -> list[float]:
    """Round trips of pings, ms: the echo leaves when the request has come."""
    rng = random.Random(setup.run.seed)
    sent = [number * PING_GAP_NS + rng.randrange(PING_GAP_NS // 2) for number in range(PINGS)]
    there = _through(setup, sent)
    back = _through(setup, there)
    return [(arrived - left) / 1e6 for left, arrived in zip(sent, back, strict=True)]


def _through(setup: Setup, times_ns: list[int]) -> list[int]:
    packets = written.literal((time_ns, written.ping(number)) for number, time_ns in enumerate(times_ns))
    config = channel.config_of(setup, source=packets, records="all", record_octets=False)
    result = channel.checked(replay.run(config))
    return [
        next(entry["time_ns"] for entry in record["decompressor"] if entry["status"] == "OK")
        for record in result.records
        if "packet" in record
    ]


# ---- Figures 18 to 20

SAMPLES = 2000
BEFORE = 200  # samples in front of the refresh


def patterns(paper: Paper, run: Run) -> PaperMeasurement:
    """Lengths of link packets, one after another, around a refresh."""
    result = PaperMeasurement()
    streams_ip = papers_streams(paper, "IPv6", "IP")
    lengths = _lengths(Setup(run, "IPv6", "IP"), streams_ip, 0.5)[:SAMPLES]
    result.items += [
        beside(paper.items["figure-18.longest"], max(lengths)),
        beside(paper.items["figure-18.most-frequent"], mode(lengths)),
    ]
    result.series.append(_samples(18, lengths, f"{streams_ip} streams, IP profile"))
    flows = papers_streams(paper, "IPv6", "RTP")
    setup = Setup(run, "IPv6", "RTP")
    period_s = channel.refresh_period_ns(setup, flows) / 1e9
    packets = _rohc(setup, flows, period_s + 0.2, records="all").records
    first = (setup.interval + channel.IRS) * flows
    burst = [packet for packet in packets[first - BEFORE :] if packet["compressor"]["type"] == "IR"]
    result.items += [
        beside(paper.items["figure-19.burst"], len(burst)),
        beside(paper.items["figure-19.burst-of-a-stream"], len(burst) / flows),
    ]
    window = packets[first - BEFORE : first - BEFORE + SAMPLES]
    result.series += [
        _samples(19, [len(entry["link"]) // 2 for entry in window], f"{flows} streams, RTP profile"),
        _samples(19, [entry["length"] for entry in window], f"{flows} streams, uncompressed"),
    ]
    reused = _with_reused_cids(setup, flows)
    result.series.append(_samples(20, reused[:SAMPLES], f"{flows} streams, RTP profile"))
    steady = _lengths(setup, flows, 0.3)[4 * flows :]
    more = fmean(reused[5 * flows :]) - fmean(steady)
    result.items.append(beside(paper.items["figure-20.longer"], more))
    return result


def _lengths(setup: Setup, flows: int, duration_s: float) -> list[int]:
    return [len(record["link"]) // 2 for record in _rohc(setup, flows, duration_s, records="all").records]


def _samples(number: int, lengths: list[int], label: str) -> Series:
    points = [{"x": index, "y": length} for index, length in enumerate(lengths)]
    return Series(f"pattern_{number}", "packet", "octets", "", "octets", points, label)


ROUNDS = 10


def _with_reused_cids(setup: Setup, flows: int) -> list[int]:
    """Link packets of streams that begin when all CIDs have been used by others, which fell silent one by one."""
    others = [1_000_000 + number for number in range(setup.max_cid + 1)]
    silent = others.copy()
    random.Random(setup.run.seed).shuffle(silent)
    before = [*((ssrc, 0) for ssrc in others), *((ssrc, 1) for ssrc in silent)]
    packets = [*before, *((ssrc, turn) for turn in range(ROUNDS) for ssrc in range(flows))]
    gap_ns = channel.INTERVAL_NS / flows
    source = written.literal(
        (number * gap_ns, written.rtp_packet(setup.ip, *packet)) for number, packet in enumerate(packets)
    )
    result = _rohc(setup, 1, 0.0, source=source, records="all")
    return [len(record["link"]) // 2 for record in result.records][len(before) :]


# ---- Figure 21


def cost(paper: Paper, run: Run) -> PaperMeasurement:
    """Time to compress, with contexts looked through one after another and with hashed ones."""
    result = PaperMeasurement()
    for lookup in ("linear", "hashed"):
        points = []
        for ip in channel.HEADERS:
            flows = papers_streams(paper, ip, "RTP")
            setup = Setup(run, ip, "RTP", options={"flow_lookup": lookup})
            replayed = _rohc(setup, flows, 4.0, timing=True)
            ns = replayed.direction()["compressor"]["ns_per_packet"]
            share = 100 * ns * flows * 50 / 1e9
            result.items.append(
                beside(paper.items[f"figure-21.{ip.lower()}.{lookup}"], share, note=f"{ns:.0f} ns a packet")
            )
            points.append({"x": ip, "y": ns})
        result.series.append(Series("cost", "IP version", "time to compress", "", "ns a packet", points, lookup))
    for ip in channel.HEADERS:
        linear, hashed = (
            next(item.measured for item in result.items if item.id == f"figure-21.{ip.lower()}.{lookup}")
            for lookup in ("linear", "hashed")
        )
        assert linear is not None and hashed is not None
        result.items.append(beside(paper.items[f"figure-21.{ip.lower()}.ratio"], hashed / linear))
    return result


# ---- beyond the paper


STAGGERED = "voip-gsm-shared-ports-staggered"
BERS = (0.0, 1e-6, 1e-5, 1e-4)
BER_STREAMS = 60
BER_S = 15.0
_DELIVER = {"header_errors": "deliver", "payload_errors": "deliver"}


def beyond(paper: Paper, run: Run) -> PaperMeasurement:
    """Streams by carriage, refreshes that do not fall together, and what bit errors leave."""
    result = PaperMeasurement()
    points = []
    header = mean_header(Setup(run, "IPv6", "RTP"), 300)
    ways = {f"carriage-{number}": way for number, way in enumerate(channel.CARRIAGES, 1)} | channel.OTHERS
    for name, way in ways.items():
        guess = int(model.streams(channel.RATE, header, VOICE_PAYLOAD, way.overhead))
        flows = channel.most_streams(channel.carried_by(Setup(run, "IPv6", "RTP"), way), guess)
        note = "" if way.slot_octets == model.TS_PACKET else f"BBFRAMEs of {way.slot_octets} octets"
        result.items.append(beside(paper.items[f"section-6.{name}"], flows, note=note))
        points.append({"x": way.title, "y": flows})
    result.series.append(Series("carriages", "carriage", "streams", "", "", points, "IPv6, RTP profile"))
    flows, _ = streams_of((run, "IPv6", "RTP"))
    setup = Setup(run, "IPv6", "RTP")
    period_s = channel.refresh_period_ns(setup, flows) / 1e9
    staggered = channel.arrivals(setup, flows, 2 * period_s, period_s, source=STAGGERED)
    result.items.append(beside(paper.items["section-6.staggered-jitter"], staggered.jitter, note=f"{flows} streams"))
    for profile in ("", "RTP"):
        setups = [channel.with_link(Setup(run, "IPv6", profile), ber=ber, **_DELIVER) for ber in BERS]
        configs = [channel.config_of(setup, flows=BER_STREAMS, duration_s=BER_S) for setup in setups]
        shares = [100 * result.count("identical") / result.sent for result in channel.many(configs)]
        points = [{"x": ber, "y": share} for ber, share in zip(BERS, shares, strict=True) if ber]
        result.series.append(
            Series("bit_errors", "bit error ratio", "packets delivered", "", "%", points, _title(profile))
        )
        name = f"section-6.{(profile or 'uncompressed').lower()}"
        for ber, share in zip(BERS[1:], shares[1:], strict=True):
            result.items.append(beside(paper.items[f"{name}-ber-{ber:.0e}".replace("e-0", "e-")], share))
    return result
