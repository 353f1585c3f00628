# SPDX-License-Identifier: Apache-2.0
"""The registry of metrics: those that every scheme shares, and those that schemes add."""

import itertools
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from headroom.core import metrics, replay_metrics
from headroom.core.metrics import Metric, declared
from headroom.core.scheme_registry import all_schemes


@cache
def all_metrics() -> dict[str, Metric]:
    """Every metric by name: those of `core.metrics` and of replays, then those of each scheme. Raises ValueError if two
    share a name.
    """
    by_name: dict[str, Metric] = {}
    of_schemes = (scheme.metrics() for scheme in all_schemes().values())
    for metric in itertools.chain(declared(vars(metrics)), declared(vars(replay_metrics)), *of_schemes):
        if metric.name in by_name:
            raise ValueError(f"the metric {metric.name} is declared twice")
        by_name[metric.name] = metric
    return by_name


def unregistered(measured: Iterable[Mapping[str, Any]]) -> list[str]:
    """The metrics of a record that the registry lacks, or has in another unit: `name (unit)` of each."""
    known = all_metrics()
    return [
        f"{metric['name']} ({metric['unit']})"
        for metric in measured
        if metric["name"] not in known or known[metric["name"]].unit != metric["unit"]
    ]
