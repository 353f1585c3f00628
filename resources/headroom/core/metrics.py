# SPDX-License-Identifier: Apache-2.0
"""Metrics: the only place that defines a metric's name, its unit, and which direction is better.

Keywords write values for these definitions, records carry their names and units, reports and exports read by them.
Metrics of one scheme are in the module `metrics` of its package.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Better = Literal["higher", "lower"] | None


@dataclass(frozen=True)
class Metric:
    """A figure of records. `better` is None if neither direction is; `description` is one plain sentence.

    `repeats_within` is the largest share by which two measurements with one seed differ, for figures that are counted
    and not timed; None for timed figures.
    """

    name: str
    unit: str
    better: Better
    description: str
    repeats_within: float | None = None

    @property
    def is_of_harness(self) -> bool:
        """True if the figure is about the machine or the harness, and not about the implementations under test."""
        return self.name.startswith(OF_HARNESS) or "_floor_" in self.name or "_null_" in self.name


# Beginnings of the names of metrics that implementations under test cannot change.
OF_HARNESS = (
    *("floor_", "harness_", "null_", "bridge_", "aa_deviation"),
    *("generate_", "handover_", "verify_", "replace_", "handed_over_"),
)


# Values maps a value of a parameter to its text in the description, or to (part of the name, text) if they differ.
Values = Mapping[str, str | tuple[str, str]]


@dataclass(frozen=True)
class Family:
    """Metrics that differ only in parameters: `LATENCY(way="reverse", figure="p99")`.

    `name` and `description` have a field for each of `parameters`. A parameter that is left out has its first value.
    """

    name: str
    unit: str
    better: Better
    description: str
    parameters: Mapping[str, Values]
    repeats_within: float | None = None

    def __call__(self, **chosen: str) -> Metric:
        """The metric of some parameter values. Raises KeyError for a value or a parameter that the family does not
        have.
        """
        if unknown := set(chosen) - set(self.parameters):
            raise KeyError(f"{self.name} has no parameter {', '.join(sorted(unknown))}")
        names, texts = {}, {}
        for key, values in self.parameters.items():
            value = chosen.get(key, next(iter(values)))
            text = values[value]
            names[key], texts[key] = (value, text) if isinstance(text, str) else text
        description = self.description.format(**texts)
        return Metric(self.name.format(**names), self.unit, self.better, description, self.repeats_within)

    def members(self) -> Iterator[Metric]:
        for chosen in itertools.product(*self.parameters.values()):
            yield self(**dict(zip(self.parameters, chosen, strict=True)))


def declared(module: Mapping[str, Any]) -> tuple[Metric, ...]:
    """All metrics among the names of a module (`vars(module)`), in its order; families are expanded."""
    result: list[Metric] = []
    for value in module.values():
        if isinstance(value, Metric):
            result.append(value)
        elif isinstance(value, Family):
            result += value.members()
    return tuple(result)


# ---- flow pairs and load

FLOW_PAIRS = Metric("flow_pairs", "flow pairs", "higher", "Flow pairs of all cores together at the target load.")
FLOW_PAIRS_PER_CORE = Metric(
    "flow_pairs_per_core", "flow pairs", "higher", "Flow pairs of each core at the target load."
)
FLOW_PAIRS_CODEC_ONLY = Metric(
    "flow_pairs_codec_only", "flow pairs", "higher", "Flow pairs that the cores would carry without the harness."
)
LOAD = Metric("load", "share", "lower", "CPU time of the work over the available time, mean over the cores.")
TICKS_MISSED = Metric("ticks_missed", "ticks", "lower", "Ticks whose work ended after the next tick had begun.")
MEMORY_PER_FLOW = Metric("memory_per_flow", "octets", "lower", "Memory that both adapters keep for one flow.")
NS_PER_OPERATION = Metric("ns_per_operation", "ns", "lower", "Time to compress and decompress one packet.")
FLOOR_NS = Metric("floor_ns", "ns", "lower", "Time to compress and decompress one packet with the null adapter.")
RATIO_TO_NULL = Metric("ratio_to_null", "ratio", "lower", "Time of an operation over that of the null adapter.")
HARNESS_NS = Metric("harness_ns", "ns", "lower", "Time that the harness takes for one packet.")

ADAPTERS: Values = {"asked": ("", "the adapters under test"), "null": ("floor_", "the null adapter")}
STAGE_NS = Family(
    "{adapters}{stage}_ns",
    "ns",
    "lower",
    "Time {stage} one packet, with {adapters}.",
    {
        "stage": {
            "generate": "to generate",
            "compress": "to compress",
            "handover": "to hand over",
            "decompress": "to decompress",
            "verify": "to verify",
            "feedback": "to carry the feedback of",
            "replace": "to replace flows for",
        },
        "adapters": ADAPTERS,
    },
)
INSTRUCTIONS = Family(
    "{stage}_instructions",
    "instructions",
    "lower",
    "Instructions {stage} one packet or message, as Valgrind counts them.",
    {"stage": {"compress": "to compress", "decompress": "to decompress"}},
    repeats_within=0.005,
)
AA_DEVIATION = Metric(
    "aa_deviation", "share", "lower", "The largest difference between two interleaved measurements of the same work."
)
NEW_FLOW_NS = Family(
    "{adapters}new_flow_ns",
    "ns",
    "lower",
    "Time to compress and decompress the first packet of a flow, with {adapters}.",
    {"adapters": ADAPTERS},
)
PHASE_NS = Family(
    "{phase}_ns",
    "ns",
    "lower",
    "Time to compress and decompress one packet {phase}.",
    {"phase": {"startup": "while all flows are new", "steady": "in steady state", "churn": "while flows come and go"}},
)

# ---- forwarding of nodes

NODES: Values = {
    "asked": ("", "the nodes under test"),
    "null": ("null_", "nodes with the null codec"),
    "bridge": ("bridge_", "a bare bridge"),
}
CODEC_NODES: Values = {nodes: NODES[nodes] for nodes in ("asked", "null")}
TIMED_NODES: Values = {nodes: NODES[nodes] for nodes in ("asked", "bridge")}
RATES: Mapping[str, Values] = {
    "goal": {"ndr": "without a loss (NDR)", "pdr": "with 0.5 % lost at most (PDR)"},
    "nodes": NODES,
    "cores": {"these": ("", "on the cores of the row"), "one": ("one_core_", "on one core")},
}
THROUGHPUT = Family(
    "{nodes}{cores}{goal}", "packets/s", "higher", "Highest rate of each direction {goal}, of {nodes}, {cores}.", RATES
)
THROUGHPUT_AT_LEAST = Family(
    "{nodes}{cores}{goal}_at_least",
    "packets/s",
    "higher",
    "Rate that the generator reached {goal}, if it was the limit, of {nodes}, {cores}.",
    RATES,
)
SPEED_UP = Family(
    "{nodes}speed_up",
    "times",
    "higher",
    "Rate on these cores over the rate on one core, of {nodes}.",
    {"nodes": CODEC_NODES},
)
EFFICIENCY = Family(
    "{nodes}efficiency",
    "share",
    "higher",
    "Speed-up divided by the number of cores, of {nodes}.",
    {"nodes": CODEC_NODES},
)
LATENCY = Family(
    "{nodes}{way}_{figure}",
    "ns",
    "lower",
    "Latency over the line, {way}, {figure}, of {nodes}.",
    {
        "figure": {
            "average": "average",
            "jitter": "jitter",
            "p50": "median",
            "p90": "90th percentile",
            "p99": "99th percentile",
            "p999": "99.9th percentile",
            "longest": "longest",
        },
        "way": {"forward": "forward", "reverse": "in reverse"},
        "nodes": TIMED_NODES,
    },
)
RATE = Metric("rate", "packets/s", None, "Rate of each direction that the generator offered.")
SENT = Metric("sent", "packets", None, "Packets that the generator sent.")
LOST = Family("{nodes}lost", "packets", "lower", "Packets that did not arrive, of {nodes}.", {"nodes": TIMED_NODES})
UNEXPECTED = Metric("unexpected", "packets", "lower", "Packets that arrived changed, or twice.")
PLAIN_OCTETS = Metric("plain_octets", "octets/packet", None, "Octets of an average IP packet before compression.")
LINK_OCTETS = Metric("link_octets", "octets/packet", "lower", "Octets that an average IP packet takes on the link.")

# ---- the kernel's TCP over two nodes

GOODPUT = Metric("goodput", "octets/s", "higher", "Payload of TCP that arrived, in order, of all connections.")
GOODPUT_UNCOMPRESSED = Metric(
    "goodput_uncompressed", "octets/s", None, "Payload that arrived without header compression at the same time."
)
GOODPUT_NOISE = Metric("goodput_noise", "octets/s", None, "The difference of both that chance explains.")
RETRANSMITS = Metric("retransmits", "segments", "lower", "Segments that the sender sent again.")
RETRANSMITS_UNCOMPRESSED = Metric(
    "retransmits_uncompressed", "segments", None, "Segments that the sender sent again without header compression."
)
WRONG_CHECKSUMS = Metric(
    "wrong_checksums", "segments", "lower", "Segments that TCP discarded for their checksum, at both hosts."
)
QUEUE_DROPS = Metric("queue_drops", "packets", None, "Packets for which the router's queue had no room.")
DAMAGED = Metric("damaged", "packets", None, "Packets that the link damaged and dropped.")

# ---- readings of a link, cells of the matrix, and checks of the ABI

PACKETS_READ_ALIKE = Metric("packets_read_alike", "packets", "higher", "Link packets that judge and tshark read alike.")
PACKETS_READ_ALIKE_INSIDE = Metric(
    "packets_read_alike_inside", "packets", "higher", "Packets that stand the same inside the link packets read alike."
)
VALUES_READ_ALIKE = Metric("values_read_alike", "fields", "higher", "Values that judge and tshark read alike.")
NEVER_ON_THE_LINK = Metric("never_on_the_link", "packets", "lower", "Packets sent that the capture of the link lacks.")
CHECKS = Family(
    "checks_{verdict}",
    "checks",
    None,
    "Checks of the ABI that {verdict}.",
    {
        "verdict": {
            "pass": "the adapter passes",
            "fail": "the adapter fails",
            "unsupported": "do not apply to the adapter",
        }
    },
)
CELLS = Family(
    "cells_{verdict}",
    "cells",
    None,
    "Cells of the interop matrix with the verdict {verdict}.",
    {"verdict": {word: word for word in ("pass", "non-strict", "fail", "unsupported", "error")}},
)
