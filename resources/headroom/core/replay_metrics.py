# SPDX-License-Identifier: Apache-2.0
"""Metrics of packets that were replayed through implementations of a scheme, and of judges' readings of them."""

from headroom.core.metrics import Family, Metric

# ---- packets sent, and their outcomes

PACKETS = Metric("packets", "packets", None, "Packets that were sent.")
IDENTICAL = Metric("identical", "packets", "higher", "Packets that came out as they went in.")
MISMATCHED = Metric("mismatched", "packets", "lower", "Packets that came out changed.")
NOT_DELIVERED = Metric("not_delivered", "packets", "lower", "Packets that arrived and did not come out.")
LOST_ON_LINK = Metric("lost_on_link", "packets", None, "Packets that the link lost.")
DELIVERED = Metric("delivered", "%", "higher", "Share of the packets which arrived that came out as they went in.")
OUTCOMES = (IDENTICAL, MISMATCHED, NOT_DELIVERED)  # named as the engine counts it

WRONG_ALLOWED = Metric("wrong_allowed", "packets", None, "Wrong packets that chance explains at most.")
WRONG = Metric("wrong", "packets", "lower", "Packets that came out wrong over an impaired link.")

HEADER = Family(
    "header_{figure}",
    "octets",
    "lower",
    "Octets of a compressed header, {figure}.",
    {"figure": {"mean": "mean", "min": "smallest", "max": "largest"}},
    repeats_within=0.0,
)

# ---- readings of the judges

JUDGED = Metric("judged", "packets", "higher", "Link packets that the judge can read.")
RESTORED_BY_JUDGE = Metric("restored_by_judge", "packets", "higher", "Packets that the judge restored octet by octet.")
COMPARED_WITH_TSHARK = Metric("compared_with_tshark", "packets", "higher", "Link packets that tshark reads, too.")
FIELDS_COMPARED_WITH_TSHARK = Metric(
    "fields_compared_with_tshark", "fields", "higher", "Fields that judge and tshark were compared in."
)
VECTORS = Metric("vectors", "vectors", None, "Vectors that were given to the decompressor.")
LINK_PACKETS = Metric("link_packets", "packets", None, "Link packets that were given to the decompressor.")
TOSSED = Metric("tossed", "packets", None, "Link packets that the judge discards after an error.")
SHIFTED = Metric("shifted", "packets", None, "Packets that come out wrong after a loss, in the judge's reading, too.")
CASES = Metric("cases", "cases", None, "Cases of the conformance suites that were repeated.")

# ---- TCP over a link with bit errors

TCP_THROUGHPUT = Metric("tcp_throughput", "octets/s", "higher", "Payload that was acknowledged.")
TCP_THROUGHPUT_UNCOMPRESSED = Metric(
    "tcp_throughput_uncompressed", "octets/s", None, "Payload that is acknowledged without header compression."
)
TCP_GAIN = Metric("tcp_gain", "%", "higher", "Throughput in excess of that without header compression.")
TCP_DISCARDED = Metric(
    "tcp_discarded", "packets", "lower", "Packets that arrived but were discarded by decompressor or TCP."
)
