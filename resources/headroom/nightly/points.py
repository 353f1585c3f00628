# SPDX-License-Identifier: Apache-2.0
"""The measurements of a night, as rows of the history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from headroom.core.metrics import Metric
from headroom.core.sentinels import Trials, best
from headroom.history.confirmation import COPY, NEW, OLD, PINNED
from headroom.history.series import Point, Series, SeriesKey
from headroom.nightly import bare_bridge
from headroom.nightly.binaries import Binary
from headroom.nightly.measurer import Case, Measurer
from headroom.nightly.suite_runs import SearchFigure


@dataclass(frozen=True)
class PointMaker:
    """Makes the rows of a night. `pinned` is the build that never changes, None if there is none."""

    night: datetime
    measurer: Measurer
    new: Binary
    pinned: Binary | None
    is_quick: bool = False

    @cached_property
    def product(self) -> dict[str, str]:
        """The entries about tonight's build in its rows: the library's digest, and its version if known."""
        version = self.measurer.version(self.new.path)
        named = {"version": version} if version else {}
        return {"adapter": self.new.digest, **named, **({"quick": "yes"} if self.is_quick else {})}

    def of_sentinel(self, name: str, test: str, profile: str, trials_by_arm: Mapping[str, Trials]) -> list[Point]:
        """The rows of a sentinel, by arm and metric. The old build has none: it has rows of its own nights."""
        conditions = self.measurer.conditions(name)
        return [
            self._of_arm(arm, self.key(test, metric.name, self._who(arm), profile), metric, values, conditions)
            for arm, trials in trials_by_arm.items()
            if arm != OLD
            for metric, values in trials.items()
        ]

    def _who(self, arm: str) -> str:
        return self.measurer.implementation if arm == NEW else arm

    def _of_arm(
        self, arm: str, key: SeriesKey, metric: Metric, values: Sequence[float], conditions: Mapping[str, str]
    ) -> Point:
        pinned = self.pinned.digest if self.pinned else ""
        digests = {NEW: self.new.digest, COPY: self.new.digest, PINNED: pinned}
        if arm == PINNED:
            conditions = {**conditions, "pinned": pinned}
        point = replace(self._of_control(key, metric, values, conditions), digests={"adapter": digests.get(arm, "")})
        if arm != NEW:
            return point
        return replace(point, kind="sentinel", commit=self.new.commit, changed=self.new.changed, digests=self.product)

    def _of_control(
        self, key: SeriesKey, metric: Metric, values: Sequence[float], conditions: Mapping[str, str]
    ) -> Point:
        return Point(
            night=self.night,
            key=key,
            value=best(values, metric.better),
            unit=metric.unit,
            better=metric.better,
            trials=tuple(values),
            kind="control",
            conditions=conditions,
        )

    def missing(self, name: str, known: Iterable[Series], reason: str) -> list[Point]:
        """Rows without a value for the series that a sentinel has had so far."""
        conditions = self.measurer.conditions(name)
        return [
            Point(
                night=self.night,
                key=series.key,
                value=None,
                unit=series.unit,
                better=series.better,
                reason=reason,
                commit=self.new.commit,
                changed=self.new.changed,
                digests=self.product,
                conditions=conditions,
            )
            for series in known
        ]

    def of_bare_bridge(self, trials: Trials) -> list[Point]:
        conditions = self.measurer.conditions(bare_bridge.NAME) if trials else {}
        keys = {
            metric: self.key(bare_bridge.TEST, metric.name, bare_bridge.NAME, bare_bridge.PROFILE) for metric in trials
        }
        return [
            self._of_control(replace(keys[metric], topology="netns"), metric, values, conditions)
            for metric, values in trials.items()
        ]

    def of_case(self, case: Case) -> Point:
        return Point(
            night=self.night,
            key=self.key(case.test, "verdict", self.measurer.implementation, ""),
            value=None,
            kind="verdict",
            text=case.verdict,
            reason=case.reason,
            commit=self.new.commit,
            digests={"adapter": self.new.digest},
        )

    def of_search(self, figure: SearchFigure) -> Point:
        key = self.key(figure.test, figure.metric.name, self.measurer.implementation, figure.profile)
        return Point(
            night=self.night,
            key=replace(key, cpus=figure.cpus, load=figure.load),
            value=figure.value,
            unit=figure.metric.unit,
            better=figure.metric.better,
            trials=figure.trials,
            kind="context",
            commit=self.new.commit,
            digests={"adapter": self.new.digest},
        )

    def key(self, test: str, metric: str, who: str, profile: str) -> SeriesKey:
        return SeriesKey(
            machine=self.measurer.machine,
            test=test,
            metric=metric,
            compressor=who,
            decompressor=who,
            profile=profile,
            cpus="1c",
            build=self.measurer.build,
            generator="memory",
            topology="process",
        )
