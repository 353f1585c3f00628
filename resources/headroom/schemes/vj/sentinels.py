# SPDX-License-Identifier: Apache-2.0
"""The fixed work by which nights watch what VJ costs: bulk data over TCP, replayed."""

from typing import Any

from headroom.core import metrics, profiles, replay
from headroom.core.sentinels import Sentinel, Values, Work

PROFILE = "tcp-bulk-data"
PACKETS, COUNTED_PACKETS = 20_000, 4_000
FLOWS = 16  # as many as there are slots


def sentinels() -> tuple[Sentinel, ...]:
    return (
        Sentinel(
            name="Bulk Data Over TCP",
            scheme="vj",
            profile=PROFILE,
            command="replay",
            job=_job,
            read=_read,
            operations=lambda document: document["forward"]["source"]["packets"],
        ),
    )


def _job(work: Work) -> dict[str, Any]:
    with profiles.located_by_line(PROFILE, "/source/profile"):
        return replay.job(_config(work))


def _config(work: Work) -> replay.ReplayConfig:
    return replay.ReplayConfig(
        "vj",
        work.arm.compressor,
        work.arm.decompressor,
        PROFILE,
        flows=FLOWS,
        packets=COUNTED_PACKETS if work.counted else PACKETS,
        seed=work.seed,
        burst=32,
        channel={"max_slot_id": FLOWS - 1},
        timing=True,
        build=work.build,
    )


def _read(document: dict[str, Any]) -> Values:
    """Raises WrongOutput where a packet came out wrong."""
    from headroom.bench.load import WrongOutput

    forward = document["forward"]
    if document["promise_broken"] or forward["verdicts"].get("mismatched") or forward["verdicts"].get("not_delivered"):
        raise WrongOutput(f"TCP segments did not come out as they went in: {forward['verdicts']}.")
    found: Values = {metrics.LINK_OCTETS: forward["link"]["octets"] / forward["source"]["packets"]}
    for stage, role in (("compress", "compressor"), ("decompress", "decompressor")):
        if (cost := forward[role].get("ns_per_packet")) is not None:
            found[metrics.STAGE_NS(stage=stage)] = cost
    return found
