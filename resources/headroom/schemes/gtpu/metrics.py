# SPDX-License-Identifier: Apache-2.0
"""Metrics of user planes under load."""

from headroom.core.metrics import Family, Metric

PACKET_NS = Metric("user_plane_ns", "ns", "lower", "Time of the user plane for a packet, without the harness's own.")
WAY_NS = Family(
    "user_plane_{way}_ns",
    "ns",
    "lower",
    "Time for a packet {way}, the harness's own included.",
    {"way": {"uplink": "from access to data network", "downlink": "from data network to access"}},
)
FLOOR_NS = Metric("user_plane_floor_ns", "ns", "lower", "Time of the harness for a packet: its loop around nothing.")
BASELINE_NS = Metric(
    "user_plane_null_ns", "ns", "lower", "Time for a packet that the null adapter passes on untouched."
)
RX_NS = Metric("user_plane_rx_ns", "ns", "lower", "Time of a receiving core for a packet.")
STAGE_NS = Family(
    "user_plane_stage_{stage}_ns",
    "ns",
    "lower",
    "Time that the stage {stage} adds to a packet.",
    {"stage": {name: name for name in ("parse", "lookup", "flow", "dpi", "rewrite")}},
)
MPPS = Metric("user_plane_mpps", "Mpps", "higher", "Packets that all workers forward in a second, in millions.")
VOLUME = Family(
    "user_plane_gbit_s_layer_{layer}",
    "Gbit/s",
    "higher",
    "Volume of these packets on layer {layer}.",
    {"layer": {"1": "1, with Ethernet, preamble and gap", "3": "3, from the outer IP header"}},
)
SET_UP_S = Metric("user_plane_set_up_s", "s", "lower", "Time to establish all sessions.")
RULES_READY_S = Metric(
    "user_plane_rules_ready_s", "s", "lower", "Time to make a user plane with the rules of inspection, without a cache."
)
RULES_CACHED_S = Metric(
    "user_plane_rules_cached_s", "s", "lower", "Time to make that user plane from the cache of an earlier start."
)
UNSENT = Metric("user_plane_unsent", "packets", "lower", "Packets that the user plane did not pass on.")
POWER = Metric("power", "W", "lower", "Electric power of the machine, mean over the measurement.")
_DESIGNS = {
    "queues": ("queues", "workers that a hash feeds"),
    "rx-cores": ("rx_cores", "receiving cores in front of workers"),
}
DESIGN_MPPS = Family(
    "design_{design}_mpps",
    "Mpps",
    "higher",
    "Rate at which {design} are full, in virtual time.",
    {"design": _DESIGNS},
)
DESIGN_LATENCY = Family(
    "design_{design}_latency_{figure}",
    "µs",
    "lower",
    "Latency of {design} in virtual time at half of their rate, {figure}.",
    {"design": _DESIGNS, "figure": {"mean": "mean", "p99": "99th percentile"}},
)
BRIDGE_SHARE = Metric(
    "user_plane_share_of_bridge", "share", "higher", "Rate of the node with a user plane as a share of a bare bridge's."
)
NODE_NS = Family(
    "user_plane_node_ns_{source}",
    "ns",
    "lower",
    "Time of the node for a packet at its highest rate, receiving and sending included: {source}.",
    {"source": {"busy_share": "rounds in which it had something to do", "thread_cpu": "time that the kernel gave it"}},
)
