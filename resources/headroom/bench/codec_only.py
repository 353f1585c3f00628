# SPDX-License-Identifier: Apache-2.0
"""The cost of the implementation alone, apart from the harness, and as a multiple of copying.

Trials come in pairs: one with the implementation, and immediately afterwards one with the null adapter, which copies,
with the same flow pairs on the same cores. Slow changes (the processor's clock, other users of its caches) are nearly
the same in both, so the two are compared within a pair, and the median over the pairs is reported.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from headroom.bench import load
from headroom.bench.capacity_search import Trial

HARNESS = ("generate", "handover", "verify", "feedback")


@dataclass(frozen=True)
class Pair:
    """A trial with the implementation, and one with the null adapter immediately after it."""

    codec: Trial
    null: Trial

    @property
    def is_disturbed(self) -> bool:
        return bool(self.codec.disturbed or self.null.disturbed)


def counted(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs that decide: the undisturbed ones, or all if there are none."""
    known = list(pairs)
    return [pair for pair in known if not pair.is_disturbed] or known


def flow_pairs(measured: float, pairs: Iterable[Pair]) -> list[float]:
    """Flow pairs that would keep a core as busy as `measured` ones do, without the harness; one value per pair.

    With L the load of the trial with the implementation and L0 that of the trial with null, both at N flow pairs near
    `measured`, the implementation's share of the busy time is (L - L0) / L, and the value is

        measured * L / (L - L0)

    Its limits:

    - The null adapter copies each packet twice. That time is subtracted, too, although an implementation also has to
      write its outputs: the value flatters it by at most null's own time of an operation.
    - Beside null the harness has the caches to itself. Its longer waits for memory beside an implementation count as
      the implementation's.
    - A packet's cost is that at N. With more flows, contexts leave the caches and each packet costs more, so fewer flow
      pairs might be carried than the value says.

    A pair in which null took no less time has no value.
    """
    return [measured * pair.codec.load / own for pair in pairs if (own := pair.codec.load - pair.null.load) > 0]


def ratios_to_null(pairs: Iterable[Pair]) -> list[float]:
    """Time of an operation (compress and decompress) as a multiple of null's, which is two copies and two calls across
    the ABI; one value per pair.

    A processor with another clock, or other caches, changes both, so the ratio can be compared between processors. It
    shows how well each does the work that a codec has beyond copying (branches, multiplications, random access to
    memory).
    """
    result = []
    for pair in pairs:
        codec, null = load.operation_ns([pair.codec]), load.operation_ns([pair.null])
        if codec and null and null[0] > 0:
            result.append(codec[0] / null[0])
    return result


def harness_ns(trials: list[Trial]) -> list[float]:
    """The nanoseconds of a packet for generator, hand-over, verification and feedback, one value per trial."""
    costs_of_trials = [load.costs_of([trial]) for trial in trials]
    return [
        sum(costs[stage][0] for stage in HARNESS if stage in costs) for costs in costs_of_trials if "generate" in costs
    ]


def measure(config: load.LoadConfig, flow_pairs: int, count: int, extra: int = 0) -> list[Pair]:
    """Pairs of trials at a number of flow pairs, one after the other; up to `extra` more if some were disturbed,
    because others' use of the core is in the time of a stage.
    """
    null = load.with_null(config)
    pairs: list[Pair] = []
    while sum(not pair.is_disturbed for pair in pairs) < count and len(pairs) < count + extra:
        pairs.append(Pair(load.measure(config, flow_pairs), load.measure(null, flow_pairs)))
    return pairs
