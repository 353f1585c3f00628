# SPDX-License-Identifier: Apache-2.0
"""Charts of Ang, Sarwar and Wan (2016): what each series that its cases left is drawn as, and where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headroom.report import charts, data
from headroom.report.data import Records

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Chart:
    """A chart: the place and the series that it is of, and how it is drawn."""

    where: str
    series: str
    title: str
    caption: str
    draw: Callable[[Rows], charts.Draw]


def _lines(x_title: str, y_title: str, **more: Any) -> Callable[[Rows], charts.Draw]:
    return lambda rows: charts.lines(rows, x_title, y_title, **more)


def _bars(y_title: str, y_format: str = "~s") -> Callable[[Rows], charts.Draw]:
    return lambda rows: charts.grouped_bars(rows, "x", "y", "series", "", y_title, y_format)


PAYLOAD, SHARE = "UDP payload, octets", "share of the link"
HEADER = _lines("refresh interval, packets", "mean header, octets", x_format="d", y_format=".1f")
THROUGHPUT = _lines(PAYLOAD, SHARE, x_format="d", y_format=".0%")
SAMPLES = _lines("packet", "octets on the link", x_format="d", y_format="d")
GAIN = _lines(PAYLOAD, "gain, %", x_format="d", y_format="d")

CHARTS = (
    Chart(
        "Figure 3",
        "node_pings",
        "Round trips through nodes, and in virtual time",
        "Each way waits for the packing threshold of 1 ms and for the next datagram of six TS packets.",
        _lines("ping", "round trip, ms", x_format="d", y_format=".1f"),
    ),
    *(
        Chart(f"Figure {number}", f"header_lengths_{number}", f"Mean header, {profile} profile", caption, HEADER)
        for number, profile, caption in (
            (4, "IP", "Beyond 350 packets between refreshes there is little left to gain."),
            (5, "UDP", "The UDP checksum is two of the octets."),
            (6, "RTP", "One stream, whose IP-ID and time stamps are as predicted."),
        )
    ),
    Chart(
        "Figure 7",
        "packing_thresholds",
        "Throughput by packing threshold, uncompressed IPv4",
        "Padding loses most of a TS packet at each valley. The threshold of equation 11 loses nothing.",
        THROUGHPUT,
    ),
    Chart(
        "Figure 8",
        "round_trips",
        "Round trip over the packing threshold",
        "Each way waits for the threshold once.",
        _lines("packing threshold, ms", "round trip, ms", x_format="d", y_format="d"),
    ),
    Chart(
        "Figure 9",
        "pings",
        "Round trips of 300 pings",
        "An echo waits for the next buffer of six TS packets, each way.",
        _lines("ping", "round trip, ms", x_format="d", y_format=".1f", legend=False),
    ),
    Chart(
        "Figure 10",
        "padding",
        "Throughput in padding mode",
        "Compressed streams have their valleys where the header that was saved makes room for payload.",
        THROUGHPUT,
    ),
    Chart(
        "Figure 11", "packed", "Throughput in packing mode", "The shorter the payload, the wider the gap.", THROUGHPUT
    ),
    *(
        chart
        for ip, first in (("IPv4", 12), ("IPv6", 14))
        for chart in (
            Chart(
                f"Figure {first}",
                f"throughput_{first}",
                f"Throughput of {ip} streams",
                "UDP payload as a share of all octets of TS packets.",
                THROUGHPUT,
            ),
            Chart(
                f"Figure {first + 1}",
                f"gain_{first + 1}",
                f"Gain of {ip} streams",
                "Against the same stream uncompressed.",
                GAIN,
            ),
        )
    ),
    Chart("Figure 16", "streams", "RTP streams on 8 Mbit/s", "By profile.", _bars("streams", ".0f")),
    Chart("Figure 17", "aggregated", "UDP data of so many streams", "As a share of the link.", _bars(SHARE, ".0%")),
    Chart(
        "Table 3",
        "jitter",
        "Jitter of RTP streams",
        "A stream alone waits for buffers of 1.128 ms; on a full link only a burst of IRs is worse.",
        _bars("jitter, ms", ".2f"),
    ),
    *(
        Chart(f"Figure {number}", f"pattern_{number}", title, "Octets of 2,000 packets, one after another.", SAMPLES)
        for number, title in (
            (18, "One context for all streams"),
            (19, "A context each, around a refresh"),
            (20, "CIDs that other streams had before"),
        )
    ),
    Chart("Figure 21", "cost", "Time to compress a packet", "Median, in nanoseconds.", _bars("ns a packet", ".0f")),
    Chart(
        "Section 6",
        "carriages",
        "Streams by carriage",
        "IPv6, RTP profile. Bridged with a D-bit of 1 is the paper's; direct is EtherType 0x22F1.",
        _bars("streams", ".0f"),
    ),
    Chart(
        "Section 6",
        "bit_errors",
        "Packets delivered over the bit error ratio",
        "A compressed packet is shorter, and is hit less often; an IR or a change that is lost costs more.",
        _lines("bit error ratio", "packets delivered, %", x_format="~e", y_format=".0f", log_x=True),
    ),
)


def figures(records: Records) -> dict[str, list[charts.Figure]]:
    """Charts by place."""
    result: dict[str, list[charts.Figure]] = {}
    for chart in CHARTS:
        rows = [
            {"series": series["label"], "x": point["x"], "y": point["y"]}
            for series in data.series_named(records, chart.series)
            for point in series["points"]
        ]
        if rows:
            identity = f"f-ang-2016-{chart.series.replace('_', '-')}"
            drawn = charts.figure(identity, chart.title, chart.caption, chart.draw(rows))
            result.setdefault(chart.where, []).append(drawn)
    return result
