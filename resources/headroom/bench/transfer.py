# SPDX-License-Identifier: Apache-2.0
"""TCP over a link with bit errors: the engine's `transfer`, as a configuration and a result.

A fixed host sends over a network and a router to a mobile host; headers are compressed on the link between the last
two, in both directions. Throughput is octets of acknowledged payload a second.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from headroom.core import engine
from headroom.core.paths import DEFAULT_BUILD

Control = Literal["tahoe", "reno", "sack"]
HarmedAt = Literal["link", "before-queue"]

SECOND = 1_000_000_000  # ns
DELAY_NS = SECOND // 10  # ns of delay of each hop
NETWORK_BPS = 8_000_000
QUEUE_PACKETS = 6
TIMEOUT_S = 600.0  # seconds allowed for one transfer


@dataclass(frozen=True)
class TransferConfig:
    """The configuration of a transfer. `codec` and `reverse_codec` have a compressor and a decompressor as the engine's
    jobs name them; None: only sizes are simulated. Compressed headers have `compressed_header` octets; None: as many as
    they have. Batches of `seconds` each, after `warm_up_seconds`, run until the mean has `standard_error`, a share of
    it.
    """

    control: Control
    rate_bps: int
    mtu: int
    ber: float
    codec: Mapping[str, Any] | None = None
    reverse_codec: Mapping[str, Any] | None = None
    compressed_header: int | None = None
    harmed_at: HarmedAt = "before-queue"
    feedback_ber: float = 0.0
    warm_up_seconds: int = 0
    seconds: int = 10_000
    fewest: int = 2
    most: int = 100
    standard_error: float = 0.01
    seed: int = 1

    def as_job(self) -> dict[str, Any]:
        hop = {"rate_bps": self.rate_bps, "delay_ns": DELAY_NS}
        optional = {
            "codec": self.codec,
            "reverse_codec": self.reverse_codec,
            "compressed_header": self.compressed_header,
        }
        return {
            "tcp": {"congestion_control": self.control},
            "mtu": self.mtu,
            "network": {"rate_bps": NETWORK_BPS, "delay_ns": DELAY_NS},
            "link": {**hop, "queue_packets": QUEUE_PACKETS, "ber": self.ber, "harmed_at": self.harmed_at},
            "reverse_link": hop,
            **{key: value for key, value in optional.items() if value is not None},
            "feedback_ber": self.feedback_ber,
            "warm_up_ns": self.warm_up_seconds * SECOND,
            "duration_ns": self.seconds * SECOND,
            "batches": {"fewest": self.fewest, "most": self.most, "standard_error": self.standard_error},
            "seed": self.seed,
        }


@dataclass(frozen=True)
class TransferResult:
    """The result of a transfer over TCP.

    `throughput` is the mean of payload octets per second over the batches; `standard_error` is that of this mean, as a
    share of it, None if nothing arrives.
    """

    throughput: float
    standard_error: float | None
    batches: int
    document: Mapping[str, Any] = field(repr=False)

    @property
    def header_octets(self) -> float:
        """The mean octets of a header on the link, of segments; 0 if none was sent."""
        link = self.document["link"]
        return link["header_octets"] / link["packets"] if link["packets"] else 0.0

    @property
    def at_risk(self) -> int:
        """The packets that arrived over a link with errors, in both directions."""
        links = [self.document[name] for name in ("link", "reverse_link")]
        return sum(link["packets"] - link["damaged"] for link in links if link["damaged"])

    @property
    def discarded(self) -> int:
        """The packets that arrived and were discarded by decompressor or TCP, in both directions."""
        return self.document["link"]["discarded"] + self.document["reverse_link"]["discarded"]

    @property
    def wrong(self) -> int:
        """The number of packets that TCP accepted and neither side had sent, in both directions."""
        return self.document["link"]["wrong"] + self.document["reverse_link"]["wrong"]


def measure(configs: Sequence[TransferConfig], build: str = DEFAULT_BUILD) -> list[TransferResult]:
    """Runs transfers, as many at once as there are CPUs; long ones are best first. Raises EngineFailure as
    `engine.run_together` does.
    """
    at_once = max(os.cpu_count() or 1, 1)
    jobs, begin = [], 0
    while begin < len(configs):
        end = begin + share(len(configs) - begin, at_once)
        jobs.append({"transfers": [config.as_job() for config in configs[begin:end]]})
        begin = end
    timeout_s = TIMEOUT_S * max((len(job["transfers"]) for job in jobs), default=0)
    documents = engine.run_together("transfer", jobs, timeout_s, build, at_once) if jobs else []
    return [
        TransferResult(transfer["throughput"], transfer["standard_error"], transfer["batches"], transfer)
        for document in documents
        for transfer in document["transfers"]
    ]


def share(left: int, at_once: int) -> int:
    """The number of remaining transfers for the next process. Starting a process takes as long as a short transfer, so
    it gets several; but the last ones get few, so that all CPUs finish at the same time.
    """
    return max(1, left // (3 * at_once))
