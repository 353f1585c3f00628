# SPDX-License-Identifier: Apache-2.0
"""The report's section on user planes under load. Its tables have the time of a packet and the rates, for each set of
rules and each way to distribute packets over workers, and compare designs.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from headroom.core import metrics as wire
from headroom.report import charts, data
from headroom.report.columns import REASON, Shown, figure, parameter, table_of
from headroom.report.data import Records
from headroom.report.page import Column, Section
from headroom.report.wire_section import rate_shown
from headroom.schemes.gtpu import metrics, rule_files

KIND, DESIGN = "user-plane", "user-plane-design"
RATE, LATENCY = "user-plane-throughput", "user-plane-wire-latency"
IDENTITY = "user-plane"


def loads(records: Records) -> Section | None:
    """The section on user planes; None if no record is about one. Its tables have a row for each record. Its figures
    show the time that each stage adds to a packet, and the latency of the designs "queues" and "rx-cores" by rate.
    """
    results, designs = data.of_kind(records, KIND), data.of_kind(records, DESIGN)
    rates, latencies = data.of_kind(records, RATE), data.of_kind(records, LATENCY)
    if not (results or designs or rates or latencies):
        return None
    section = Section(IDENTITY, "User plane", "User plane")
    section.intro = ["A user plane forwards the traffic of users, half of it uplink: from GTP-U to IP, and back."]
    if results or designs:
        section.intro.append(
            "In memory, times are processor times without a network card; the time of the harness's own loop is "
            'subtracted. Volume on layer 1 counts Ethernet, preamble and gap. With "queues" a hash of the user\'s '
            'address chooses the worker; with "rx-cores" a receiving core reads that address and passes the packet to '
            "the worker."
        )
    if rates or latencies:
        section.intro.append(
            "On the wire, a node receives packets at N3 and sends them at N6, and the other way round. Rates are "
            "packets per second in each direction: NDR without a loss, PDR with at most 0.5 % loss. With "
            '"rx-cores" the first core receives for the others.'
        )
    if results:
        section.add("table", table_of("t-user-plane", TIMES, results, OF_TIMES))
        section.add("table", table_of("t-user-plane-carried", CARRIED, results, OF_CARRIED))
        if inspecting := [entry for entry in results if data.value(entry, metrics.RULES_READY_S) is not None]:
            section.add("table", table_of("t-user-plane-rules-ready", READY, inspecting, OF_READY))
        if rows := [row for record in results for row in _stages(record)]:
            stages = [stage for stage in metrics.STAGE_NS.parameters["stage"] if any(r["part"] == stage for r in rows)]
            caption = "Time that each stage adds to a packet: the difference of runs that end after it and before it."
            draw = charts.stacked_bars(rows, "ns", "", stages)
            section.add("figure", charts.figure("f-user-plane-stages", "Time of a packet by stage", caption, draw))
    if designs:
        section.add("table", table_of("t-user-plane-designs", DESIGNS, designs, OF_DESIGNS))
        if points := [point for record in designs for point in _latency(record)]:
            draw = charts.lines(points, "Mpps", "average latency, µs", x_format=".3~g", y_format=".3~g")
            caption = "Packets arrive at random in virtual time, up to the rate at which a worker begins to lose them."
            section.add("figure", charts.figure("f-user-plane-latency", "Latency by rate", caption, draw))
    if rates:
        section.add("table", table_of("t-user-plane-rates", RATES, rates, OF_RATES))
    if latencies:
        section.add("table", table_of("t-user-plane-wire-latency", LATENCIES, latencies))
    return section


def _rate(nodes: str, record: dict[str, Any]) -> Any:
    which = {"goal": record["parameters"]["goal"], "nodes": nodes}
    return rate_shown(record, wire.THROUGHPUT(**which), wire.THROUGHPUT_AT_LEAST(**which))


OF_RATES = (
    "The bare bridge forwards the same packets unchanged. On kernel interfaces, the kernel takes most of the time of "
    "both."
)
OF_TIMES = "Time of a packet: median of the trials. Null forwards each packet unchanged."
OF_CARRIED = (
    "Rate and volume of all workers, on layers 1 and 3. Threads that share a core take turns, and the rate is that of "
    "as many cores as threads. Set-up is the time to establish all sessions."
)
OF_READY = (
    "Time until the rules of inspection are ready: loading the adapter, reading the files and making an instance."
)
OF_DESIGNS = (
    "Both designs of a row have the same threads and are simulated with times of one run. Latency is at half of the "
    "design's rate."
)

LOAD: list[Shown] = [
    (Column("User plane"), lambda record: record["compressor"]["name"]),
    parameter("Rules", "rules"),
    parameter("Distribution", "distribution"),
    parameter("CPUs", "cpus"),
    parameter("Active users", "active_users", number=True),
]

TIMES: list[Shown] = [
    *LOAD,
    figure("ns a packet", metrics.PACKET_NS),
    figure("Uplink", metrics.WAY_NS(way="uplink")),
    figure("Downlink", metrics.WAY_NS(way="downlink")),
    figure("Null", metrics.BASELINE_NS, optional=True),
    figure("Receiving core", metrics.RX_NS, optional=True),
    REASON,
]

CARRIED: list[Shown] = [
    *LOAD,
    figure("Mpps", metrics.MPPS),
    figure("Gbit/s, L1", metrics.VOLUME(layer="1")),
    figure("Gbit/s, L3", metrics.VOLUME(layer="3")),
    figure("Set-up, s", metrics.SET_UP_S),
    figure("Power, W", metrics.POWER, optional=True),
]

READY: list[Shown] = [
    (Column("User plane"), lambda record: record["compressor"]["name"]),
    (Column("Rules of layer 7", number=True), lambda _: rule_files.L7_RULES),
    (Column("Rules of layer 3", number=True), lambda _: rule_files.L3_RULES),
    figure("Without a cache, s", metrics.RULES_READY_S),
    figure("From the cache, s", metrics.RULES_CACHED_S),
]

RATES: list[Shown] = [
    (Column("User plane"), lambda record: record["compressor"]["name"]),
    parameter("Profile", "profile"),
    parameter("CPUs", "cpus"),
    parameter("Distribution", "distribution"),
    parameter("Users", "users", number=True),
    (Column("Rate"), lambda record: record["parameters"]["goal"].upper()),
    (Column("Packets/s", number=True), partial(_rate, "asked")),
    (Column("Bare bridge, packets/s", number=True), partial(_rate, "bridge")),
    figure("Share", metrics.BRIDGE_SHARE),
    figure("Busy ns a packet", metrics.NODE_NS(source="busy_share")),
    figure("CPU ns a packet", metrics.NODE_NS(source="thread_cpu")),
    (Column("Lost in all trials"), lambda record: ", ".join(record["parameters"].get("losses", ()))),
    REASON,
]

LATENCIES: list[Shown] = [
    (Column("User plane"), lambda record: record["compressor"]["name"]),
    parameter("CPUs", "cpus"),
    parameter("Distribution", "distribution"),
    parameter("Users", "users", number=True),
    figure("Packets/s", wire.RATE),
    *(
        figure(f"{title}, {percentile}, ns", wire.LATENCY(figure=percentile, way=way, nodes=nodes))
        for title, way, nodes in (
            ("Uplink", "forward", "asked"),
            ("downlink", "reverse", "asked"),
            ("bridge uplink", "forward", "bridge"),
        )
        for percentile in ("p50", "p99")
    ),
    REASON,
]

DESIGNS: list[Shown] = [
    (Column("User plane"), lambda record: record["compressor"]["name"]),
    parameter("Rules", "rules"),
    parameter("Threads", "threads", number=True),
    *(
        shown
        for design in ("queues", "rx-cores")
        for shown in (
            figure(f"Mpps, {design}", metrics.DESIGN_MPPS(design=design)),
            figure("Latency, µs", metrics.DESIGN_LATENCY(design=design, figure="mean")),
            figure("p99, µs", metrics.DESIGN_LATENCY(design=design, figure="p99")),
        )
    ),
    parameter("Receiving cores", "rx-cores_receiving", number=True),
]


def _stages(record: dict[str, Any]) -> list[dict[str, Any]]:
    name = f"{record['compressor']['name']}, {record['parameters']['rules']}, {record['parameters']['distribution']}"
    results = (
        (stage, data.value(record, metrics.STAGE_NS(stage=stage))) for stage in metrics.STAGE_NS.parameters["stage"]
    )
    return [{"name": name, "part": stage, "value": max(value, 0.0)} for stage, value in results if value is not None]


def _latency(record: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"series": series["label"], "x": point["x"], "y": point["y"]}
        for series in record["series"]
        if series["name"] == "design_latency"
        for point in series["points"]
        if point["lost"] == 0
    ]
