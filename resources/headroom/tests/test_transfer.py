# SPDX-License-Identifier: Apache-2.0
"""Transfers are dealt to processes of the engine."""

from __future__ import annotations

import os
from typing import Any

import pytest

from headroom.bench import transfer
from headroom.bench.transfer import TransferConfig
from headroom.core import engine


def configs(count: int) -> list[TransferConfig]:
    return [TransferConfig("reno", 64_000, 576, 1e-6, seed=seed) for seed in range(count)]


@pytest.mark.parametrize("count", [1, 2, 7, 69])
def test_results_are_in_the_order_of_the_transfers(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dealt: list[int] = []

    def run_together(command: str, jobs: list[dict[str, Any]], *_: Any) -> list[dict[str, Any]]:
        dealt.extend(len(job["transfers"]) for job in jobs)
        return [
            {
                "transfers": [
                    {"throughput": float(one["seed"]), "standard_error": 0.0, "batches": 2} for one in job["transfers"]
                ]
            }
            for job in jobs
        ]

    monkeypatch.setattr(engine, "run_together", run_together)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert [one.throughput for one in transfer.measure(configs(count))] == list(range(count))
    assert sum(dealt) == count
    assert dealt == sorted(dealt, reverse=True)
    assert max(dealt) <= max(1, count // 6)


def test_no_transfers_are_no_jobs() -> None:
    assert transfer.measure([]) == []
