# SPDX-License-Identifier: Apache-2.0
"""Records that the schema lets through and no test of ours would leave: optional parts that are missing, odd numbers,
texts full of controls, parameters of any type. Made from the records of the sample; no figure here was measured.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from headroom.core.yamlfile import violations
from headroom.tests import sample

Record = dict[str, Any]
Place = tuple[str | int, ...]

CONTROLS = "\x1b[31m\x1b]0;title\x07\x00\b\x9b1m\u202eodd"
ODD_TEXTS = {
    "controls": CONTROLS,
    "surrogate": "\ud800",
    "empty": "",
    "long": "x" * 5000,
    "markup": "</script><b>&amp;",
}
ODD_NUMBERS: dict[str, Any] = {
    "nan": float("nan"), "infinite": float("inf"), "huge": 1e308, "minus huge": -1e308, "tiny": 5e-324, "zero": 0,
    "negative": -1, "enormous": 10**400,
}  # fmt: skip
ODD_VALUES: dict[str, Any] = {
    "null": None, "text": "odd", "number": -1.5, "list": [], "object": {}, "list of lists": [[]], "true": True,
}  # fmt: skip


def damaged() -> Iterator[tuple[str, list[Record]]]:
    """Names, and the records of a run each: one that is damaged between two that are whole."""
    whole = sample.records()
    seen = set()
    for base in _kinds(whole):
        kind = base["parameters"].get("kind") or base["test"]["suite"]
        for name, record in _variants(base, first=kind not in seen):
            if violations(record, "result"):
                continue
            yield f"{kind}: {name}", [whole[0], record, base]
        seen.add(kind)
    yield "the same record twice", [whole[0], whole[0]]
    yield "the same identity with another verdict", [whole[0], whole[0] | {"verdict": "fail", "reason": "odd"}]


def _kinds(whole: list[Record]) -> list[Record]:
    """One record of each kind; of the paper's, one for each chart."""
    found: dict[Any, Record] = {}
    for record in whole:
        drawn = tuple(sorted({one["name"] for one in record["series"]}))
        found.setdefault((record["parameters"].get("kind"), drawn, bool(record.get("cells"))), record)
    return list(found.values())


def _variants(base: Record, first: bool) -> Iterator[tuple[str, Record]]:
    """Names and damaged records; `first`: its kind had none before, so that its parameters are changed, too."""
    for name, text in ODD_TEXTS.items():
        for which, spared in (("every text", ()), ("every text but names", NAMES)):
            odd = _everywhere(base, lambda value, odd=text: odd if isinstance(value, str) else value, spared)
            yield f"{which}: {name}", odd
    for name, number in ODD_NUMBERS.items():
        yield f"every number: {name}", _everywhere(base, lambda value, odd=number: odd if _is_number(value) else value)
    yield "every list: empty", _everywhere(base, lambda value: [] if isinstance(value, list) else value)
    yield "every list: twice", _everywhere(base, lambda value: value * 2 if isinstance(value, list) else value)
    yield "everything null", _everywhere(base, lambda value: value if isinstance(value, dict | list) else None)
    yield "no optional part", _without_optional(base)
    yield "values null with a reason", _with(base, metrics=[one | NO_VALUE for one in base["metrics"]])
    yield "no trials", _with(base, metrics=[one | {"trials": []} for one in base["metrics"]])
    yield "trials null", _with(base, metrics=[one | {"trials": [None] * 3} for one in base["metrics"]])
    yield "metrics of other names", _with(base, metrics=[one | {"name": "odd \x1b[m"} for one in base["metrics"]])
    yield "metrics of other units", _with(base, metrics=[one | {"unit": "odd"} for one in base["metrics"]])
    yield "metrics twice", _with(base, metrics=base["metrics"] * 2)
    for part in ("metrics", "histograms", "core_load", "series", "items", "findings"):
        yield f"no {part}", _with(base, **{part: []})
    for part in ("parameters", "environment", "harness"):
        yield f"empty {part}", _with(base, **{part: {}})
    for side in ("compressor", "decompressor"):
        yield f"no {side}", _with(base, **{side: None})
    for key in base["parameters"] if first else ():
        for name, value in ODD_VALUES.items():
            yield f"parameter {key}: {name}", _with(base, parameters=base["parameters"] | {key: value})
        yield (
            f"parameter {key}: missing",
            _with(base, parameters={one: value for one, value in base["parameters"].items() if one != key}),
        )
    for key in base["environment"] if base["parameters"] == {} else ():
        for name, value in ODD_VALUES.items():
            yield f"environment {key}: {name}", _with(base, environment=base["environment"] | {key: value})
    if base["series"]:
        for key in ("x", "y"):
            for name, value in (ODD_VALUES | ODD_NUMBERS).items():
                yield (
                    f"points' {key}: {name}",
                    _with(base, series=_points(base, lambda one, k=key, v=value: one | {k: v})),
                )
        yield (
            "points with nothing else",
            _with(base, series=_points(base, lambda one: {key: one[key] for key in ("x", "y") if key in one})),
        )


NO_VALUE = {"value": None, "reason": "odd"}


def _points(base: Record, change: Callable[[Record], Record]) -> list[Record]:
    return [one | {"points": [change(point) for point in one["points"]]} for one in base["series"]]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _with(base: Record, **parts: Any) -> Record:
    return copy.deepcopy(base | parts)


NAMES = ("kind", "name", "unit", "target_load", "goal")  # by which sections find what is theirs


def _everywhere(base: Record, change: Callable[[Any], Any], spared: Sequence[str] = ()) -> Record:
    """The record with every value changed that the schema lets be so, but those of some keys."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            value = {key: item if key in spared else changed(item) for key, item in value.items()}
        elif isinstance(value, list):
            value = [changed(item) for item in value[:MOST_ALIKE]]
        return change(value)

    record: Record = {key: changed(value) for key, value in base.items()}
    for _ in range(MOST_REPAIRS):
        places = [place for place, _ in violations(record, "result")]
        for place in places:
            _restore(record, base, tuple(place))
        if not places:
            break
    return record


MOST_ALIKE = 30  # entries of a list that stay
MOST_REPAIRS = 40


def _restore(record: Record, base: Record, place: Place) -> None:
    """Gives a place the value of `base`, or the part around it where the two are no longer alike."""
    holder, whole = record, base
    for number, key in enumerate(place):
        try:
            inner, before = holder[key], whole[key]
        except (LookupError, TypeError):
            break
        if number == len(place) - 1 or type(inner) is not type(before):
            holder[key] = copy.deepcopy(before)
            return
        holder, whole = inner, before
    if place[:-1]:
        _restore(record, base, place[:-1])
    else:
        record.clear()
        record.update(copy.deepcopy(base))


def _without_optional(base: Record) -> Record:
    """The record without any part that the schema does not ask for."""
    record = copy.deepcopy(base)
    for place in sorted(_places(record), key=len, reverse=True):
        holder = record
        for key in place[:-1]:
            holder = holder[key]
        before = holder.pop(place[-1])
        if violations(record, "result"):
            holder[place[-1]] = before
    return record


def _places(value: Any, at: Place = ()) -> list[Place]:
    """Places of the keys of objects that are not in a list, where each of the entries would be alike."""
    if not isinstance(value, dict):
        return []
    return [place for key, item in value.items() for place in (*_places(item, (*at, key)), (*at, key))]
