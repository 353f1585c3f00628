# SPDX-License-Identifier: Apache-2.0
"""The charts of the thesis of J. Mäenpää (2005): what each series that its cases left is drawn as, and where."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headroom.report import charts
from headroom.report.data import Records

PREFIX = "maenpaa-2005 "


@dataclass(frozen=True)
class Chart:
    """A chart of the thesis: the place it belongs to, and how it is drawn."""

    where: str
    title: str
    caption: str
    draw: Callable[[list[dict[str, Any]]], charts.Draw]


def _bars(y_title: str, y_format: str = "~s") -> Callable[[list[dict[str, Any]]], charts.Draw]:
    return lambda rows: charts.grouped_bars(rows, "x", "y", "series", "", y_title, y_format)


def _lines(x_title: str, y_title: str, **more: Any) -> Callable[[list[dict[str, Any]]], charts.Draw]:
    return lambda rows: charts.lines(rows, x_title, y_title, **more)


def _named(y_title: str, x_title: str = "", **more: Any) -> Callable[[list[dict[str, Any]]], charts.Draw]:
    """Lines over names, which stand in the order in which they come."""

    def draw(rows: list[dict[str, Any]]) -> charts.Draw:
        return charts.lines(rows, x_title, y_title, x_sort=list(dict.fromkeys(row["x"] for row in rows)), **more)

    return draw


def _dots(x_title: str, factor: float = 1) -> Callable[[list[dict[str, Any]]], charts.Draw]:
    """A dot for each series on a line for each name, logarithmic; `factor` times what the series has."""

    def draw(rows: list[dict[str, Any]]) -> charts.Draw:
        named = [{"name": row["x"], "series": row["series"], "value": factor * row["y"]} for row in rows]
        return charts.dots(named, x_title, list(dict.fromkeys(row["series"] for row in rows)))

    return draw


CHARTS = {
    "figure-39": Chart(
        "Table 10",
        "Figure 39: linear search and hashing, message by message",
        "Median time to compress each message here, on a logarithmic scale. In the thesis linear search takes up to 8 "
        "ms for a message, and with hashing most of the time goes into keeping the table.",
        _named("µs to compress", "message", log_y=True, y_format=".3~r"),
    ),
    "figure-41": Chart(
        "Table 13",
        "Figure 41: priorities, message by message",
        "Median time to compress each message here, with more and more of the dictionary.",
        _named("µs to compress", "message"),
    ),
    "figure-42": Chart(
        "Appendix G 14.7",
        "Figure 42: SHA-1",
        "Time of SHA-1 over messages and memories, logarithmic: the thesis's own implementation, and OpenSSL's here.",
        _lines("octets", "µs", log_x=True, log_y=True),
    ),
    "figure-43": Chart(
        "Table 14",
        "Figure 43: compression ratio by mechanism",
        "SigComp messages in per cent of the uncompressed ones; 8,192 octets of memory.",
        _bars("%", ".0f"),
    ),
    "figure-44": Chart(
        "Table 14",
        "Figure 44: compression ratio of each message",
        "SigComp message / uncompressed, here; 8,192 octets of memory. Above 1 the SigComp message is the longer one.",
        _named("SigComp / uncompressed", "message", y_format=".1f"),
    ),
    "figure-45": Chart(
        "Figures 45 and 46",
        "Figure 45: time to compress the sequence",
        "Sums of medians over the 12 messages, here, by mechanism and memory; all are timed in turn. In the thesis, "
        "with 8,192 octets, dynamic compression takes 1.4 times as long as basic, for it hashes the whole memory after "
        "each message, and shared compression twice as long. An endpoint may leave the hash until something needs it; "
        "the reference does.",
        _bars("time, µs", ".0f"),
    ),
    "figure-46": Chart(
        "Figures 45 and 46",
        "Figure 46: time to decompress the sequence",
        "Sums of medians over the 12 messages, here, by mechanism and memory. With dynamic and shared compression, as "
        "the thesis has them, each message leaves a snapshot of the whole memory, which is hashed twice: by the UDVM, "
        "for the acknowledgement, and to name it. In the thesis, whose UDVM is slower, that weighs less than what the "
        "better compression saves. By default the reference hashes far less; the times in its README are of that.",
        _bars("time, µs", ".0f"),
    ),
    "figure-47": Chart(
        "Figure 47",
        "Figure 47: state memory",
        "Octets of state that both endpoints keep at the end of the sequence, here.",
        _bars("octets"),
    ),
    "figures-49-50": Chart(
        "Section 9.8",
        "Figures 49 and 50: UDP and TCP",
        "SigComp messages in per cent of the uncompressed ones, here.",
        _bars("%", ".0f"),
    ),
    "figures-51-52": Chart(
        "Figures 51 and 52",
        "Figures 51 and 52: times across processors",
        "Time of the whole sequence on a logarithmic scale: five processors of the thesis with its implementation, and "
        "this one with the implementation under test.",
        _dots("µs", 1000),
    ),
    "figure-53": Chart(
        "Figure 53",
        "Figures 2 and 53: one-way delay of the radio access network",
        "The 12 messages one after the other, each 70 ms and its octets over the bit rate.",
        _lines("bit/s", "s", log_x=True),
    ),
    "figure-57": Chart(
        "Table 16",
        "Figure 57: sizes of the sequences",
        "Octets of all messages of a sequence, here, over TCP.",
        _bars("octets"),
    ),
    "figure-58": Chart(
        "Table 16",
        "Figure 58: times of the sequences",
        "Sums of medians, here, over TCP; 401 Unauthorized is sent as it is.",
        _bars("time, µs", ".0f"),
    ),
    "figures-59-60": Chart(
        "Appendix M 14.13",
        "Figures 59 and 60: time in system by number of workers",
        "5,000 voice calls; times over the size of the pool, both on logarithmic scales. Ours: a worker has a core to "
        "itself in the simulated queue, so that more of them share no processor time. Times in the buffer are drawn "
        "from a load of 5 % on: below, hardly a message waits.",
        _lines("workers in the pool", "mean time, µs", log_x=True, log_y=True, y_format=",.3~r"),
    ),
    "figure-61": Chart(
        "Appendix M 14.13",
        "Figure 61: processing time divided by active workers",
        "Mean time of a message in processing, divided by how many are in processing at once, over the size of the "
        "pool; both on logarithmic scales. The thesis's workers share two logical processors, so that it stays nearly "
        "the same; ours have a core each in the simulated queue.",
        _lines("workers in the pool", "ratio, µs", log_x=True, log_y=True, y_format=",.3~r"),
    ),
    "figure-62": Chart(
        "Appendix M 14.13",
        "Figure 62: active workers",
        "Messages in processing at once, as an arriving message sees it, itself included. Ours are drawn from a load "
        "of 5 % on: below, a message that is processed is alone.",
        _lines("workers in the pool", "active workers", log_x=True, y_format=".3~r"),
    ),
    "time-voice": Chart(
        "Appendix N 14.14.1.1",
        "Figures 63 and 68: time in system, voice calls",
        "Mean time in system over the number of calls, on a logarithmic scale.",
        _lines("calls", "mean time in system, µs", log_y=True, x_format=",d", y_format=",.3~r"),
    ),
    "time-video": Chart(
        "Appendix N 14.14.1.2",
        "Figures 64 and 67: time in system, video calls",
        "Mean time in system over the number of calls, on a logarithmic scale.",
        _lines("calls", "mean time in system, µs", log_y=True, x_format=",d", y_format=",.3~r"),
    ),
    "figure-65": Chart(
        "Appendix N 14.14.1.2",
        "Figure 65: active workers",
        "Messages in processing or waiting for it, with one worker, on average as an arriving message sees it, itself "
        "included. The thesis names two values in its text, of workers that share two logical processors. The most "
        "there were at once are drawn from a load of 5 % on: below, messages hardly ever meet.",
        _lines("calls", "active workers", x_format=",d", y_format=".3~r"),
    ),
    "figure-66": Chart(
        "Appendix N 14.14.1.1",
        "Figure 66: messages one after the other, 1,000 voice calls",
        "Time in system of 175 messages in a row (or fewer), with one worker; wide peaks are messages that wait.",
        _lines("message", "time in system, µs", x_format=",d", y_format=".3~r"),
    ),
    "traffic-video": Chart(
        "Appendix N 14.14.1.2",
        "Figure 69: throughput, video calls",
        "SIP and SigComp messages together. Ours are of half a minute each (5 s with --quick), so that a few calls "
        "more or fewer show.",
        _lines("calls", "throughput, Mbit/s", x_format=",d", y_format=".3~r"),
    ),
    "traffic-voice": Chart(
        "Appendix N 14.14.1.1",
        "Figure 70: throughput, voice calls",
        "SIP and SigComp messages together. Ours are of half a minute each (5 s with --quick), so that a few calls "
        "more or fewer show.",
        _lines("calls", "throughput, Mbit/s", x_format=",d", y_format=".3~r"),
    ),
    "figures-71-72": Chart(
        "Section 11.6",
        "Figures 71 and 72: memory over calls",
        "Resident memory of the process, here. The thesis has 218 MB with 1,500 voice calls and 781 MB with as many "
        "video calls.",
        _lines("calls", "memory, MB", x_format=",d", y_format=".3~r"),
    ),
    "figure-73": Chart(
        "Section 11.6",
        "Figure 73: memory over time, 1,500 voice calls",
        "Resident memory in the ten minutes after the first call; calls end from the third minute on.",
        _lines("minutes", "memory, MB", x_format=".3~r", y_format=".3~r"),
    ),
}


def figures(records: Records) -> dict[str, list[charts.Figure]]:
    """Charts by place."""
    result: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        for series in record["series"]:
            if series["name"].startswith(PREFIX):
                rows = result.setdefault(series["name"].removeprefix(PREFIX), [])
                rows += [{"series": series["label"], "x": p["x"], "y": p["y"]} for p in series["points"]]
    drawn: dict[str, list[charts.Figure]] = {}
    for name, chart in CHARTS.items():
        if rows := result.get(name):
            figure = charts.figure(f"f-maenpaa-{name}", chart.title, chart.caption, chart.draw(rows))
            drawn.setdefault(chart.where, []).append(figure)
    return drawn
