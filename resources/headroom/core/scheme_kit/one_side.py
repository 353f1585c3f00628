# SPDX-License-Identifier: Apache-2.0
"""Replays of one side alone, for judges of single implementations."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from headroom.core import capabilities, replay
from headroom.core.captures import engine_pcapng
from headroom.core.captures.engine_pcapng import EnginePacket
from headroom.core.implementations import Implementation
from headroom.core.replay import Replay, ReplayConfig


def run(config: ReplayConfig, *captures: str) -> tuple[Replay, list[list[EnginePacket]]]:
    """Runs a replay with every record, and returns also the packets of the captures of these names. A capture that the
    configuration names is kept. Raises Misbehaviour if an adapter breaks a promise of the ABI.
    """
    with tempfile.TemporaryDirectory(prefix="headroom-replay-") as folder:
        outputs = {name: Path(folder) / f"{name}.pcapng" for name in captures} | config.outputs
        result = replay.run(replace(config, records="all", outputs=outputs))
        capabilities.promise(result.document)
        return result, [list(engine_pcapng.read(outputs[name])) for name in captures]


def compress(config: ReplayConfig, *captures: str) -> tuple[Replay, list[list[EnginePacket]]]:
    """Runs the compressor of a configuration alone; otherwise as `run`."""
    return run(replace(config, decompressor=None), *captures)


def decompress(
    scheme: str,
    implementation: Implementation,
    packets: Sequence[dict[str, Any]],
    channel: dict[str, Any],
    build: str,
    options: dict[str, Any] | None = None,
) -> tuple[Replay, list[EnginePacket]]:
    """Gives literal link packets to a decompressor, and returns also its output packets. Raises Misbehaviour."""
    config = ReplayConfig(
        scheme,
        decompressor=implementation,
        source=list(packets),
        channel=channel,
        decompressor_options=options or {},
        build=build,
        timeout_s=capabilities.PATIENCE_S,
    )
    result, (came_out,) = run(config, "decompressed")
    return result, came_out
