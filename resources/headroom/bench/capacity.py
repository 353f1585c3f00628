# SPDX-License-Identifier: Apache-2.0
"""Capacity of a CPU configuration: searches over load trials, remembered for the run so that several cases share
measurements.

A case has one target (30 %, 50 %, no missed tick); the next case with the same cores, profile and implementations
continues with the same points. The raw trials are kept in `<run>/measurements/`, so that a resumed run does not measure
them again.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from headroom.bench import codec_only, load
from headroom.bench.capacity_search import Capacity, Point, Rules, Search, Trial
from headroom.core.paths import document_of
from headroom.core.results.store import write_atomically

# Each flow pair needs both directions' contexts on both sides, the generator's images and the channels: this is more
# than any of our codecs needs, less than most would.
OCTETS_PER_FLOW_PAIR = 4096


@dataclass
class Points:
    """The search under one set of conditions, and pairs of trials with the implementation and the null adapter."""

    config: load.LoadConfig
    search: Search
    path: Path | None = None
    pairs: dict[int, list[codec_only.Pair]] = field(default_factory=dict)  # pairs by flow pairs
    found: dict[float | None, Capacity] = field(default_factory=dict)  # capacities by target

    def for_target(self, target: float | None) -> Capacity:
        """The capacity at a target; it is searched for once."""
        if target not in self.found:
            search = self.search
            try:
                self.found[target] = search.without_missed_ticks() if target is None else search.for_load(target)
            finally:
                self.keep()
        return self.found[target]

    def fill(self, numbers: Iterable[int], trials: int = 2) -> None:
        """Measures further points, for a curve rather than for a capacity."""
        for flow_pairs in numbers:
            point = self.search.points.get(flow_pairs, Point(flow_pairs))
            while len(point.trials) < trials:
                self.search.add_trial(point)
        self.keep()

    def pairs_at(self, flow_pairs: int) -> list[codec_only.Pair]:
        """Trials with the implementation and with the null adapter in turn at a number of flow pairs, measured once;
        pairs at a number within a tenth are reused.
        """
        for known, pairs in self.pairs.items():
            if abs(known - flow_pairs) <= 0.1 * flow_pairs:
                return pairs
        rules = self.search.rules
        self.pairs[flow_pairs] = codec_only.measure(self.config, flow_pairs, rules.trials, rules.extra)
        self.keep()
        return self.pairs[flow_pairs]

    def nearest(self, flow_pairs: float) -> Point:
        """The measured point closest to a number of flow pairs."""
        return min(self.search.known(), key=lambda point: abs(point.flow_pairs - flow_pairs))

    def keep(self) -> None:
        """Writes all raw trials, if the run has a folder."""
        if self.path is None:
            return
        document = {
            "wanted": self.config.as_json(),
            "points": {str(p.flow_pairs): [_trial_as_json(t) for t in p.trials] for p in self.search.points.values()},
            "pairs": {str(n): [asdict(pair) for pair in pairs] for n, pairs in self.pairs.items()},
        }
        write_atomically(self.path, json.dumps(document).encode())


_known: dict[tuple[str, str], Points] = {}


def points(config: load.LoadConfig, rules: Rules, folder: Path | None) -> Points:
    """The points measured under the same conditions: by this process, else in the run's folder, else none yet."""
    # The memory that is free just now is not a condition of the measurement.
    conditions = [config.as_json(), asdict(replace(rules, most=0))]
    identity = hashlib.sha256(json.dumps(conditions, sort_keys=True).encode()).hexdigest()[:16]
    key = (str(folder), identity)
    if key not in _known:
        path = folder / "measurements" / f"{identity}.json" if folder else None
        search = Search(lambda flow_pairs: load.measure(config, flow_pairs), rules)
        result = Points(config, search, path)
        if path and path.is_file():
            _recall(result, path)
        _known[key] = result
    return _known[key]


def _recall(known: Points, path: Path) -> None:
    """Reads the trials that were kept; a damaged file is ignored."""
    try:
        document = document_of(path)
        for text, trials in document["points"].items():
            known.search.points[int(text)] = Point(int(text), [_trial_from_json(trial) for trial in trials])
        known.pairs = {int(text): [_pair_from_json(p) for p in pairs] for text, pairs in document["pairs"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        known.search.points.clear()
        known.pairs.clear()


def _trial_as_json(trial: Trial) -> dict[str, Any]:
    return asdict(trial)


def _trial_from_json(document: dict[str, Any]) -> Trial:
    cores = [load.Core(**core) for core in document["detail"]]
    return Trial(document["flow_pairs"], document["load"], document["ticks_missed"], document["disturbed"], cores)


def _pair_from_json(document: dict[str, Any]) -> codec_only.Pair:
    return codec_only.Pair(_trial_from_json(document["codec"]), _trial_from_json(document["null"]))


def rules_for(quick: bool, cores: int) -> Rules:
    """The rules of a search, quick or thorough; never more flow pairs than fit into half of the free memory."""
    most = max(1000, int(_free_memory() * 0.5 / OCTETS_PER_FLOW_PAIR / max(cores, 1)))
    if quick:
        return Rules(trials=1, extra=0, resolution=0.10, most=min(most, 2_000_000), steps=8, seconds=15)
    return Rules(most=min(most, 2_000_000))


def _free_memory() -> int:
    """The octets that may be used without swapping. Source: proc(5), MemAvailable."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
