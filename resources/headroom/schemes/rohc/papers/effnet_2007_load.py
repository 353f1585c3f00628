# SPDX-License-Identifier: Apache-2.0
"""The Effnet paper (2007): Figures 5 to 7 and Table 4, load over flows by compiler and by number of cores."""

import itertools
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from headroom.bench import capacity, load
from headroom.bench.capacity_search import Point
from headroom.core.machine import build as builds
from headroom.core.machine import topology
from headroom.core.papers.measured import PaperMeasurement
from headroom.core.papers.paper import Paper, beside
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.results.record import Series
from headroom.core.run.run import Run

CONFIGURATIONS = ("1c", "2c-l3", "2c-socket", "3c", "4c")
LOADS = (0.3, 0.5)
SHARES = (0.25, 0.5, 0.75, 1.0, 1.25)  # of the flow pairs at 50 % load: where curves are measured


def figures_5_and_6(paper: Paper, run: Run, config: load.LoadConfig) -> PaperMeasurement:
    """Load over flows on one core for every build that is there, trials interleaved."""
    names = list(run.settings.builds) or list(dict.fromkeys([run.build, *builds.present()]))
    main = capacity.points(config, capacity.rules_for(run.quick, 1), _folder(run))
    at_half = main.for_target(0.5).flow_pairs
    place = paper.of("Figures 5 and 6")
    if at_half is None:
        return PaperMeasurement(
            [beside(figure, None, note="no number of flow pairs loads the core to 50 %") for figure in place]
        )
    where = [max(1, round(share * at_half)) for share in SHARES]
    by_build: dict[str, dict[int, Point]] = {name: {n: Point(n) for n in where} for name in names}
    for _ in range(1 if run.quick else 3):
        for flow_pairs in where:
            for name in names:  # one after the other, so that a slow minute slows them all
                by_build[name][flow_pairs].trials.append(load.measure(replace(config, build=name), flow_pairs))
    curves = {name: list(points.values()) for name, points in by_build.items()}
    halves = {name: crossing(points, 0.5) for name, points in curves.items()}
    known = {name: value for name, value in halves.items() if value is not None}
    best = max(known, key=lambda name: known[name]) if known else None
    reference = known.get(DEFAULT_BUILD)
    result = PaperMeasurement()
    for figure in place:
        kind = figure.id.partition(".")[2]
        if kind in ("pentium-4.load-50", "xeon.load-50"):
            result.items.append(beside(figure, known[best] if best else None, note=f"build {best}" if best else ""))
        elif kind == "linearity":
            result.items.append(beside(figure, 100 * min(explained(points) for points in curves.values())))
        else:
            name = {
                "gcc-m32": "gcc-m32-O2",
                "gcc-native": "gcc-O3-native",
                "clang": "clang-O2",
                "clang-native": "clang-O3-native",
            }[kind]
            share = 100 * known[name] / reference if name in known and reference else None
            result.items.append(beside(figure, share, note="" if share else absent(name, names)))
    result.series = [_curve("load_by_build", Path(name).name, points) for name, points in curves.items()]
    return result


def absent(name: str, names: list[str]) -> str:
    """The reason why a build has no figure."""
    if DEFAULT_BUILD not in names:
        return f"the comparison needs the build {DEFAULT_BUILD}"
    return f"the build {name} is not here; `./headroom reproduce effnet-2007 --builds all` makes it"


def figure_7_and_table_4(paper: Paper, run: Run, config: load.LoadConfig) -> PaperMeasurement:
    """Capacity at 30 % and 50 % on one core and on several, and how it scales.

    Uses what the run has measured already.
    """
    available = topology.configurations(topology.read())
    values: dict[str, dict[float, float | None]] = {}
    missing: dict[str, str] = {}
    result = PaperMeasurement()
    straight: list[float] = []
    for configuration in topology.resolve(CONFIGURATIONS, available):
        name = configuration.name
        if run.settings.cpus and name not in run.settings.cpus:
            missing[name] = "left out by --cpus"
        elif not configuration.is_available:
            missing[name] = f"this machine has no {name}: {configuration.reason}"
        else:
            rules = capacity.rules_for(run.quick, len(configuration.cpus))
            points = capacity.points(replace(config, cores=configuration.cpus), rules, _folder(run))
            measured = {target: points.for_target(target) for target in LOADS}
            values[name] = {
                target: None if entry.flow_pairs is None else entry.flow_pairs * len(configuration.cpus)
                for target, entry in measured.items()
            }
            if measured[0.5].flow_pairs is not None:
                # The searches stay close to their targets; a curve needs the rest of the way.
                points.fill(max(1, round(share * measured[0.5].flow_pairs)) for share in SHARES)
            curve = [point for point in points.search.known() if not point.has_missed_ticks]
            straight.append(explained(curve))
            result.series.append(_curve("load_by_cpus", name, curve))
    for figure in paper.of("Table 4"):
        _, name, what = figure.id.split(".")
        name = "1c" if name == "p4" else name
        kind, _, percent = what.partition("-")
        target = int(percent) / 100
        value = values.get(name, {}).get(target)
        if kind == "scaling" and value is not None:
            alone = values.get("1c", {}).get(target)
            cores = len(topology.resolve([name], available)[0].cpus)
            value = 100 * value / cores / alone if alone else None
        why = missing.get(name) or (missing.get("1c", "no capacity was found") if value is None else "")
        result.items.append(beside(figure, value, note=why))
    for figure in paper.of("Figure 7"):
        result.items.append(
            beside(figure, 100 * min(straight) if straight else None, note="" if straight else "nothing was measured")
        )
    return result


def crossing(points: list[Point], target: float) -> float | None:
    """Flow pairs at which a curve reaches a load: between two of its points, or beyond them along a line."""
    ordered = sorted(points, key=lambda point: point.flow_pairs)
    for first, second in itertools.pairwise(ordered):
        if first.load <= target <= second.load and second.load > first.load:
            share = (target - first.load) / (second.load - first.load)
            return first.flow_pairs + share * (second.flow_pairs - first.flow_pairs)
    slope, start = fit(ordered)
    return (target - start) / slope if slope > 0 else None


def fit(points: list[Point]) -> tuple[float, float]:
    """Slope and start of the straight line through the medians (least squares)."""
    if len(points) < 2:
        return 0.0, 0.0
    xs, ys = [float(point.flow_pairs) for point in points], [point.load for point in points]
    x, y = fmean(xs), fmean(ys)
    spread = sum((a - x) ** 2 for a in xs)
    slope = sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / spread if spread else 0.0
    return slope, y - slope * x


def explained(points: list[Point]) -> float:
    """Share of the load's variance that a straight line over the flows explains, 0..1 (R squared).

    Points that miss ticks do not count.
    """
    below = [point for point in points if point.load < 0.95 and not point.has_missed_ticks]
    if len(below) < 3:
        return 1.0
    slope, start = fit(below)
    mean = fmean(point.load for point in below)
    total = sum((point.load - mean) ** 2 for point in below)
    rest = sum((point.load - start - slope * point.flow_pairs) ** 2 for point in below)
    return 1 - rest / total if total else 1.0


def _curve(name: str, label: str, points: list[Point]) -> Series:
    data = [
        {"x": p.flow_pairs, "y": p.load, "trials": [trial.load for trial in p.trials]}
        for p in sorted(points, key=lambda p: p.flow_pairs)
    ]
    return Series(name, "flow pairs per core", "load", "flow pairs", "", data, label)


def _folder(run: Run) -> Path | None:
    return run.folder if run.folder.name else None
