# SPDX-License-Identifier: Apache-2.0
"""The Effnet paper (Intel and Effnet, 2007):

Tables 1 and 2, Figures 3 and 4. What concerns load is in effnet_2007_load.py.

Every function measures one place of the paper and returns its figures beside ours, and what a report draws. How each is
measured stands in reports/papers/effnet-2007.yaml. Nothing is fitted to the paper: the same settings serve every
figure.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean, stdev
from typing import Any

from headroom.core import replay
from headroom.core.implementations import null
from headroom.core.papers.measured import PaperMeasurement
from headroom.core.papers.paper import Figure, Paper, beside
from headroom.core.results.record import Item, Series
from headroom.core.run.run import Run
from headroom.schemes.rohc import NAME
from headroom.schemes.rohc.papers import wlsb_years

BER = 1e-3  # Table 2
PACKETS = 6000
# Errors are delivered both ways: the paper's link knows nothing of headers.
FORWARD = {"ber": BER, "header_errors": "deliver", "payload_errors": "deliver"}
FEEDBACK = {"path": "own", **FORWARD}
FRAME_NS = 20_000_000  # one AMR-NB frame
CALL = "voip-amr-nb-ipv6"
CALL_WITH_SILENCE = "voip-amr-nb-ipv6-silence"

# Table 1: the header chains and the profile of each, two of RTP and two of UDP alone.
CHAINS = {
    "ipv4-udp": "udp-constant-ipv4",
    "ipv4-rtp": "voip-amr-nb-ipv4",
    "ipv6-udp": "udp-constant-ipv6",
    "ipv6-rtp": CALL,
}

# The paper's compressor knows a way back ("W-LSB together with the feedback mechanism"): bidirectional optimistic mode,
# small CIDs.
CHANNEL = {"mode": "O", "cids": "small", "max_cid": 15}


def config_of(run: Run, profile: str, **changes: Any) -> replay.ReplayConfig:
    """A replay with the settings of this paper."""
    plain = replay.ReplayConfig(
        NAME,
        run.compressor,
        run.decompressor,
        source=profile,
        seed=run.seed,
        build=run.build,
        channel=dict(CHANNEL),
    )
    return replace(plain, **changes)


def table_1(paper: Paper, run: Run) -> PaperMeasurement:
    """Smallest compressed header of each header chain.

    A chain of which a packet comes out wrong is an error, not a figure. The header is what is on the link in front of
    the payload, whatever the compressor says of it.
    """
    result = PaperMeasurement()
    for chain, profile in CHAINS.items():
        replayed = replay.run(config_of(run, profile, packets=1000, records="all", record_octets=False))
        figures = {name: paper.items[f"table-1.{chain}.{name}"] for name in ("size", "minimum", "gain")}
        if replayed.promise_broken or replayed.count("identical") != replayed.sent:
            why = replayed.promise_broken or replayed.first_difference() or "not every packet came out"
            result.items += [beside(figure, None, note=why, missing="error") for figure in figures.values()]
            continue
        size = max(record["compressor"]["plain_header"] for record in replayed.records if "compressor" in record)
        smallest = min(record["link_header"] for record in replayed.records if "link_header" in record)
        values = {"size": size, "minimum": smallest, "gain": 100 * (1 - smallest / size)}
        result.items += [beside(figure, values[name], runs=1) for name, figure in figures.items()]
    return result


@dataclass(frozen=True)
class Call:
    """The outcome of the packets of one call (Table 2)."""

    packets: int
    lost: int
    header_lost: int
    bandwidth: float  # units of 1,024 bit/s, every packet on the link counted
    header: float  # octets, mean


def call(result: replay.Replay) -> Call:
    """Counts one replay with records: lost is what did not come out as it went in, payload included."""
    header_lost = lost = 0
    octets = 0
    for record in result.records:
        if "packet" not in record:
            continue
        wrong_header = record["verdict"] != "identical"
        wrong_payload = any(bit >= 8 * record["link_header"] for bit in record.get("flipped", ()))
        header_lost += wrong_header
        lost += wrong_header or wrong_payload
        octets += record["link_header"]
    return Call(
        result.sent, lost, header_lost, result.direction()["link"]["bandwidth_bps"] / 1024, octets / result.sent
    )


def table_2(paper: Paper, run: Run, runs: int = 40) -> PaperMeasurement:
    """One call of 120 s over a link with bit errors, with and without ROHC, many times with different seeds."""
    common = {"packets": PACKETS, "records": "all", "record_octets": False, "forward": dict(FORWARD)}
    rohc = config_of(run, CALL, **common, feedback=dict(FEEDBACK))
    plain = config_of(run, CALL, **common, compressor=null(), decompressor=null(), channel={**CHANNEL, "mode": "U"})
    seeds = range(run.seed, run.seed + runs)
    result = PaperMeasurement()
    means: dict[str, dict[str, float]] = {}
    for name, config in (("without", plain), ("with", rohc)):
        calls = [call(result) for result in replay.run_many(replace(config, seed=seed) for seed in seeds)]
        columns = {
            "packets": [call.packets for call in calls],
            "lost": [call.lost for call in calls],
            "bandwidth": [call.bandwidth for call in calls],
            "header": [call.header for call in calls],
            "header-lost": [call.header_lost for call in calls],
        }
        means[name] = {column: fmean(values) for column, values in columns.items()}
        for column, values in columns.items():
            figure = paper.items[f"table-2.{name}.{column}"]
            result.items.append(_with_spread(figure, values))
            if column in ("lost", "header-lost", "bandwidth") and len(set(values)) > 1:
                result.series.append(_runs(figure, values))
    saved = {
        "table-2.bandwidth-saved": 1 - means["with"]["bandwidth"] / means["without"]["bandwidth"],
        "table-2.header-saved": 1 - means["with"]["header"] / means["without"]["header"],
    }
    result.items += [beside(paper.items[identity], 100 * share, runs=runs) for identity, share in saved.items()]
    return result


def _with_spread(figure: Figure, values: list[float]) -> Item:
    spread = stdev(values) if len(values) > 1 else None
    return beside(figure, fmean(values), spread, len(values))


def _runs(figure: Figure, values: list[float]) -> Series:
    points: list[dict[str, Any]] = [{"x": figure.quantity, "y": value} for value in values]
    if figure.paper is not None:
        points.append({"x": figure.quantity, "y": figure.paper, "paper": True})
    return Series("table_2_runs", "quantity", "value", "", figure.unit, points, figure.quantity)


def figure_3(paper: Paper) -> PaperMeasurement:
    """The years 1800 to 1899 as decimal digits, encoded as the paper describes."""
    years = list(range(1800, 1900))
    sent = wlsb_years.encode(years)
    if wlsb_years.restore(sent) != years:
        raise AssertionError("the decompressor does not get the years back from the digits")
    plain = sum(len(str(year)) for year in years)
    octets = sum(len(item.digits) for item in sent)
    values = {"plain": plain, "sent": octets, "gain": 100 * (1 - octets / plain)}
    points = [{"x": item.value, "y": len(item.digits)} for item in sent]
    return PaperMeasurement(
        [beside(paper.items[f"figure-3.{name}"], value, runs=1) for name, value in values.items()],
        [Series("digits", "year", "digits", "", "octets", points, "digits sent")],
    )


def figure_4(paper: Paper, run: Run) -> PaperMeasurement:
    """Header of each packet of a call with silence and bit errors."""
    config = config_of(
        run,
        CALL_WITH_SILENCE,
        duration_s=30.0,
        packets=None,
        records="all",
        record_octets=False,
        forward=dict(FORWARD),
        feedback=dict(FEEDBACK),
    )
    result = replay.run(config)
    packets = [record for record in result.records if "compressor" in record and "link_header" in record]
    points: list[dict[str, Any]] = [
        {"x": record["time_ns"] / 1e9, "y": record["link_header"], "kind": record["compressor"].get("type", "unknown")}
        for record in packets
    ]
    spans = silences(packets)
    after = {index for _, _, first in spans for index in range(first, first + 3)}
    smallest = min(point["y"] for point in points)
    begun = next(
        (i for i, r in enumerate(packets) if not str(r["compressor"].get("type", "IR")).startswith("IR")), len(packets)
    )
    larger = [r for r in packets[begun:] if r["link_header"] > r["compressor"]["plain_header"]]
    largest_after = max((points[index]["y"] for index in after if index < len(points)), default=None)
    values = {
        "share-smallest": 100 * sum(point["y"] == smallest for point in points) / len(points),
        "after-silence": largest_after,
        "still-compressed": len(larger),
    }
    notes = {"share-smallest": f"the smallest has {smallest} octets", "after-silence": f"{len(spans)} silence periods"}
    drawn: list[dict[str, Any]] = points + [
        {"x": begin, "y": 0, "to": end, "what": "silence"} for begin, end, _ in spans
    ]
    label = "A call of 30 s with silence (grey) over a link with bit errors"
    return PaperMeasurement(
        [
            beside(paper.items[f"figure-4.{name}"], value, runs=1, note=notes.get(name, ""))
            for name, value in values.items()
        ],
        [Series("packet_sizes", "time", "header on the link", "s", "octets", drawn, label)],
    )


def silences(packets: list[dict[str, Any]]) -> list[tuple[float, float, int]]:
    """Pauses of a call: (from, to) in seconds and the index of the packet after.

    A pause is a row of gaps of more than two frame intervals; a silence frame between two gaps does not end it.
    """
    times = [record["time_ns"] for record in packets]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    pauses: list[tuple[float, float, int]] = []
    for index, gap in enumerate(gaps):
        if gap <= 2.5 * FRAME_NS:
            continue
        begin, end = times[index] / 1e9, times[index + 1] / 1e9
        if pauses and pauses[-1][2] == index:
            begin = pauses.pop()[0]
        pauses.append((begin, end, index + 1))
    return pauses
