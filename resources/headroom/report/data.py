# SPDX-License-Identifier: Apache-2.0
"""Data for the report and the terminal, from result records (JSON objects, as `results.store` reads them)."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from headroom.core import metrics
from headroom.core.errors import HeadroomError
from headroom.core.metrics import Metric
from headroom.core.requirements import KINDS, SURROUNDINGS, Requirements, load, parts_of, suites_of
from headroom.core.results.record import VERDICTS, worst
from headroom.core.scheme_registry import all_schemes
from headroom.core.text import natural

Records = list[dict[str, Any]]
# Name, unit, core, and the index among the metrics of that kind in the record.
MetricIdentity = tuple[str, str, int | None, int]

PERCENTILES = (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999))


@dataclass(frozen=True)
class Capacity:
    """Flow pairs that some cores carry at a load; `target_load` is None for "no missed tick"."""

    scheme: str
    compressor: str
    decompressor: str
    profile: str
    cpus: str
    cores: tuple[int, ...]
    build: str
    target_load: float | None
    flow_pairs: float | None
    ns_per_operation: float | None
    codec_only: float | None  # flow pairs without the cost of the harness (measure.codec_only)
    ratio_to_null: float | None  # ratio of ns_per_operation to the null adapter's
    record: dict[str, Any] = field(repr=False, compare=False)

    @property
    def series(self) -> tuple[str, str, str, str, str, str]:
        """The key of a measurement without its target: capacities with one key share a row of a table and a group of
        bars.
        """
        return (self.scheme, self.compressor, self.decompressor, self.profile, self.build, self.cpus)

    @property
    def is_rough(self) -> bool:
        """True if time ran out before the search was as narrow as its rules ask."""
        return bool(self.record["parameters"].get("rough"))

    @property
    def shown(self) -> str:
        """The flow pairs as text, with a sign in front of a rough figure."""
        return self._shown(self.flow_pairs)

    @property
    def shown_codec_only(self) -> str:
        """The flow pairs without the harness as text, with a sign in front of a rough figure."""
        return self._shown(self.codec_only)

    def _shown(self, flow_pairs: float | None) -> str:
        return "–" if flow_pairs is None else f"{'≈ ' if self.is_rough else ''}{round(flow_pairs):,}"

    @property
    def trials(self) -> list[float]:
        return trials(self.record, metrics.FLOW_PAIRS)

    def as_json(self) -> dict[str, Any]:
        """The object of the command line's `capacity` list."""
        return {
            "scheme": self.scheme,
            "compressor": self.compressor,
            "decompressor": self.decompressor,
            "profile": self.profile,
            "cpus": self.cpus,
            "target_load": self.target_load,
            metrics.FLOW_PAIRS.name: None if self.flow_pairs is None else round(self.flow_pairs),
            "rough": self.is_rough,
            metrics.NS_PER_OPERATION.name: self.ns_per_operation,
            metrics.FLOW_PAIRS_CODEC_ONLY.name: None if self.codec_only is None else round(self.codec_only),
            "null_ns_per_operation": value(self.record, metrics.FLOOR_NS),
            metrics.RATIO_TO_NULL.name: self.ratio_to_null,
            "harness_ns_per_packet": value(self.record, metrics.HARNESS_NS),
        }


def measured(record: dict[str, Any], metric: Metric, core: int | None = None) -> dict[str, Any]:
    """A record's entry for a metric; an empty object if it has none, or has it in another unit."""
    key = (metric.name, metric.unit, core)
    return next((metric for metric in record["metrics"] if (metric["name"], metric["unit"], metric["core"]) == key), {})


def value(record: dict[str, Any], metric: Metric) -> float | None:
    return measured(record, metric).get("value")


def trials(record: dict[str, Any], metric: Metric) -> list[float]:
    """The raw values of a metric, without missing ones."""
    return [trial for trial in measured(record, metric).get("trials", ()) if trial is not None]


def metrics_by_identity(record: dict[str, Any]) -> dict[MetricIdentity, dict[str, Any]]:
    """The metrics of a record. A case that measures a metric several times, as for several links, always does so in the
    same order.
    """
    metrics: dict[MetricIdentity, dict[str, Any]] = {}
    times: Counter[tuple[str, str, int | None]] = Counter()
    for metric in record["metrics"]:
        kind = (metric["name"], metric["unit"], metric["core"])
        metrics[*kind, times[kind]] = metric
        times[kind] += 1
    return metrics


def of_kind(records: Records, kind: str) -> Records:
    """Records of one kind that hold measurements."""
    return [record for record in records if record["parameters"].get("kind") == kind and record["metrics"]]


def scheme_of(record: dict[str, Any]) -> str:
    """The name of the scheme that a record is about; "" if neither a parameter nor a tag names it."""
    tags = [tag.partition(":")[2] for tag in record["test"].get("tags", ()) if tag.startswith("scheme:")]
    return str(record["parameters"].get("scheme") or (tags[0] if tags else ""))


def title_of_scheme(name: str) -> str:
    """The title of a scheme; its name if this version does not know it."""
    return all_schemes()[name].title if name in all_schemes() else name


OF_CAPACITIES = ("compressor", "decompressor", "profile", "cpus", "build", "target_load")  # keys of parameters


def capacities(records: Records) -> list[Capacity]:
    """Every measured capacity, in the order of measurement."""
    result = []
    for record in records:
        parameters = record["parameters"]
        if parameters.get("kind") != "capacity" or not measured(record, metrics.FLOW_PAIRS):
            continue
        if not set(OF_CAPACITIES) <= parameters.keys():
            continue  # other tools may write records, so parameters may be anything
        result.append(
            Capacity(
                scheme=scheme_of(record),
                compressor=parameters["compressor"],
                decompressor=parameters["decompressor"],
                profile=parameters["profile"],
                cpus=parameters["cpus"],
                cores=tuple(parameters.get("cores", ())),
                build=parameters["build"],
                target_load=parameters["target_load"],
                flow_pairs=value(record, metrics.FLOW_PAIRS),
                ns_per_operation=value(record, metrics.NS_PER_OPERATION),
                codec_only=value(record, metrics.FLOW_PAIRS_CODEC_ONLY),
                ratio_to_null=value(record, metrics.RATIO_TO_NULL),
                record=record,
            )
        )
    return result


@dataclass
class CapacityLine:
    """A line of the capacity table: a CPU configuration with its capacity at each target."""

    key: tuple[str, ...]
    by_target: dict[float | None, Capacity] = field(default_factory=dict)
    absent: str = ""  # the reason why this machine has no such configuration

    @property
    def cpus(self) -> str:
        return self.key[-1]

    @property
    def main(self) -> Capacity | None:
        """The capacity whose costs stand for the line: at 50 % load, or the first."""
        return self.by_target.get(0.5) or next(iter(self.by_target.values()), None)

    def flow_pairs(self, target: float | None) -> float | None:
        capacity = self.by_target.get(target)
        return capacity.flow_pairs if capacity else None


def capacity_lines(records: Records) -> list[CapacityLine]:
    """The lines of the capacity table, one per scheme, implementation pair, profile, build and CPU configuration.
    Absent configurations have a reason.
    """
    lines: dict[tuple[str, ...], CapacityLine] = {}
    for capacity in capacities(records):
        line = lines.setdefault(capacity.series, CapacityLine(capacity.series))
        line.by_target[capacity.target_load] = capacity
    for record in records:
        parameters = record["parameters"]
        if parameters.get("kind") != "capacity" or measured(record, metrics.FLOW_PAIRS):
            continue
        names = ("compressor", "decompressor", "profile", "build", "cpus")
        key = (scheme_of(record), *(str(parameters.get(name, "")) for name in names))
        line = lines.setdefault(key, CapacityLine(key))
        line.absent = line.absent or _reason(record)
    return list(lines.values())


def not_passed(records: Records) -> list[tuple[str, str, list[str]]]:
    """(verdict, reason, cases) of failures and errors. Cases with the same reason stand together, in order of
    the run.
    """
    by_reason: dict[tuple[str, str], list[str]] = {}
    for record in records:
        if record["verdict"] in ("fail", "error"):
            key = (record["verdict"], record["reason"].strip() or "no reason given")
            by_reason.setdefault(key, []).append(record["test"]["id"])
    return [(verdict, reason, cases) for (verdict, reason), cases in by_reason.items()]


def _reason(record: dict[str, Any]) -> str:
    """The reason for a missing figure, in a few words."""
    first = (record["reason"].splitlines() or ["no result"])[0].rstrip(".")
    return first.partition("): ")[2] or first


def percentile(buckets: Iterable[list[float]], share: float) -> float | None:
    """The upper bound of the bucket that holds a percentile, given as a share of the counted packets; None for an empty
    histogram.
    """
    pairs = list(buckets)
    total = sum(count for _, count in pairs)
    if not total:
        return None
    seen = 0.0
    for upper, count in pairs:
        seen += count
        if seen >= share * total:
            return upper
    return pairs[-1][0]


def merged_histogram(record: dict[str, Any], name: str) -> list[list[float]]:
    """The sum of the histograms of one name over all cores."""
    counts: dict[float, float] = {}
    for histogram in record["histograms"]:
        if histogram["name"] == name:
            for upper, count in histogram["buckets"]:
                counts[upper] = counts.get(upper, 0) + count
    return [[upper, counts[upper]] for upper in sorted(counts)]


def capacity_rows(records: Records) -> list[tuple[Any, ...]]:
    """Rows of the terminal's capacity table."""
    lines = capacity_lines(records)
    several = len({line.key[:5] for line in lines}) > 1
    rows = []
    for line in lines:
        name = f"{line.cpus} ({', '.join(line.key[:5])})" if several else line.cpus
        main = line.main
        if main is None:
            continue
        latency = merged_histogram(main.record, "latency")
        rows.append(
            (
                name,
                *(capacity.shown if (capacity := line.by_target.get(target)) else None for target in (0.3, 0.5, None)),
                main.shown_codec_only,
                main.ns_per_operation,
                main.ratio_to_null,
                *(percentile(latency, share) for _, share in (PERCENTILES[0], PERCENTILES[2], PERCENTILES[3])),
            )
        )
    return rows


def absent_configurations(records: Records) -> list[str]:
    """CPU configurations that could not be measured, each with the reason."""
    return [f"{line.cpus} ({line.absent})" for line in capacity_lines(records) if line.main is None]


@dataclass
class Requirement:
    """A requirement with the cases that name it."""

    id: str
    section: str
    level: str
    text: str
    citation: str
    cases: Records


def requirements(records: Records) -> list[Requirement]:
    """Every requirement that a case names, with its cases, by document and section."""
    known = _known_requirements()
    by_identity: dict[str, Requirement] = {}
    for record in records:
        for identity in record["test"]["requirements"]:
            if identity not in by_identity:
                document_entry = known.get(identity)
                section = document_entry.section if document_entry else parts_of(identity)[1]
                level = document_entry.level if document_entry else str(record["test"]["level"] or "")
                text, citation = (document_entry.text, document_entry.citation) if document_entry else ("", "")
                by_identity[identity] = Requirement(identity, section, level, text, citation, [])
            by_identity[identity].cases.append(record)
    return [by_identity[identity] for identity in _in_order(by_identity)]


def judged(record: dict[str, Any], side: str) -> list[tuple[str, str]]:
    """The (implementation, role) pairs of a case that a requirement on `side` binds."""
    roles = [role for role in ("compressor", "decompressor") if record[role]]
    mine = [role for role in roles if side in (role, "either")] or roles
    return [(record[role]["name"], role) for role in mine]


def by_implementation(entries: list[Requirement]) -> tuple[list[tuple[str, str]], dict[str, dict[Any, Records]]]:
    """The judged implementations, and for each requirement the cases of each of them."""
    known = _known_requirements()
    seen: dict[tuple[str, str], None] = {}
    cells: dict[str, dict[Any, Records]] = {}
    for entry in entries:
        side = known[entry.id].side if entry.id in known else "either"
        for record in entry.cases:
            for who in judged(record, side):
                seen[who] = None
                cells.setdefault(entry.id, {}).setdefault(who, []).append(record)
    return sorted(seen, key=lambda who: (who[1], who[0])), cells


def freedom(requirement: str) -> str:
    """The doubles that use the freedom of a `may` or `should`, or the reason why no double does; "" for a `must`."""
    from headroom.core.mutation import doubles

    known = doubles.load()
    return ", ".join(known.users(requirement)) or known.reasons.get(requirement, "")


@dataclass(frozen=True)
class Untested:
    """A requirement that no case of a run names, and the reason."""

    id: str
    level: str
    side: str
    text: str
    citation: str
    reason: str


def untested(records: Records) -> list[Untested]:
    """Requirements without a case in the run, from the documents that its cases test."""
    tested = {entry.id for entry in requirements(records)}
    documents = {parts_of(identity)[0] for identity in tested}
    known = _known_requirements()
    rest = [known[identity] for identity in _in_order(known) if identity not in tested]
    roles = {role for role in ("compressor", "decompressor") if any(record[role] for record in records)}
    return [
        Untested(
            requirement.id,
            requirement.level,
            requirement.side,
            requirement.text,
            requirement.citation,
            requirement.why_untested or _why_not_selected(requirement.id, requirement.side, roles),
        )
        for requirement in rest
        if requirement.document.key in documents
    ]


def _why_not_selected(identity: str, side: str, roles: set[str]) -> str:
    """The reason why no case of a run names a requirement although the suites have cases for it. `roles` are the roles
    under test in the run.
    """
    suites = suites_of().get(identity, ())
    if not suites:
        return "No case names it."
    reason = (
        f"This run tested no {side}" if {"compressor", "decompressor"} - roles == {side} else "Not tested in this run"
    )
    return f"{reason}; cases of {' and '.join(suites)} name it."


@dataclass(frozen=True)
class Coverage:
    """Requirements of one document on an implementation: by the worst verdict of their cases, and those without a case.

    `not_yet` are requirements of features that no implementation has; `not_selected` those of cases that this run does
    not select; `without_case` all others, which no case names.
    """

    document: str  # its name; its key if resources/requirements no longer has the document
    title: str
    known: int
    by_verdict: dict[str, int]
    not_yet: int
    not_selected: int
    without_case: int


def coverage(records: Records) -> list[Coverage]:
    """The coverage of each document by the cases of a run."""
    verdicts = {entry.id: worst([case["verdict"] for case in entry.cases]) for entry in requirements(records)}
    known = _binding_requirements()
    result = []
    documents = _known_requirements().documents
    for key in dict.fromkeys(parts_of(identity)[0] for identity in verdicts):  # in the order of the requirements
        mine = [verdict for identity, verdict in verdicts.items() if parts_of(identity)[0] == key]
        rest = [
            document
            for identity, document in known.items()
            if document.document.key == key and identity not in verdicts
        ]
        not_yet = sum(bool(document.not_yet) for document in rest)
        not_selected = sum(_has_cases(document) for document in rest)
        counts = {verdict: mine.count(verdict) for verdict in VERDICTS}
        without = len(rest) - not_yet - not_selected
        document = documents.get(key)
        name, title = (document.name, document.full_title) if document else (key, "")
        result.append(Coverage(name, title, len(mine) + len(rest), counts, not_yet, not_selected, without))
    return result


@dataclass(frozen=True)
class Level:
    """Requirements of one level on an implementation, from all documents: counts of those with a case, not yet
    testable, not selected, without a case.
    """

    level: str
    known: int
    with_case: int
    not_yet: int
    not_selected: int

    @property
    def without_case(self) -> int:
        return self.known - self.with_case - self.not_yet - self.not_selected

    @property
    def share(self) -> float:
        """The share of requirements with a case among all that our implementations can be tested for, 0..1."""
        return self.with_case / max(self.known - self.not_yet, 1)


def levels(records: Records) -> list[Level]:
    """The coverage of each level by the cases of a run, over all documents."""
    tested = {entry.id for entry in requirements(records)}
    documents = {parts_of(identity)[0] for identity in tested}
    mine = [requirement for requirement in _binding_requirements().values() if requirement.document.key in documents]
    result = []
    for level in dict.fromkeys(one.level for one in mine):
        of_level = [one for one in mine if one.level == level]
        rest = [one for one in of_level if one.id not in tested]
        not_yet, not_selected = sum(bool(one.not_yet) for one in rest), sum(_has_cases(one) for one in rest)
        result.append(Level(level, len(of_level), len(of_level) - len(rest), not_yet, not_selected))
    return sorted(result, key=lambda one: ("must", "should", "may").index(one.level))


def _known_requirements() -> Requirements:
    """Requirements by identifier, from resources/requirements. If those cannot be read, the report shows identifiers
    alone.
    """
    try:
        return load()
    except HeadroomError:
        return Requirements([])


def _in_order(identities: Iterable[str]) -> list[str]:
    """Identifiers of requirements, sorted by document and section, those of unknown documents last."""
    documents = _known_requirements().documents

    def place(identity: str) -> Any:
        key = parts_of(identity)[0]
        return documents[key].order if key in documents else (len(KINDS), natural(key)), natural(identity)

    return sorted(identities, key=place)


def _has_cases(requirement: Any) -> bool:
    """True if cases outside the run name a requirement, and an implementation has its feature."""
    return not requirement.not_yet and requirement.id in suites_of()


def _binding_requirements() -> dict[str, Any]:
    """The requirements that bind an implementation, rather than its surroundings, by identifier."""
    return {
        identity: requirement
        for identity, requirement in _known_requirements().items()
        if requirement.side not in SURROUNDINGS
    }


def items_by_place(records: Records) -> dict[str, list[dict[str, Any]]]:
    """A paper's figures beside ours, by their place in the paper. Each item carries its record."""
    places: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        for item in record["items"]:
            places.setdefault(item["where"], []).append({**item, "record": record})
    return dict(sorted(places.items(), key=lambda place: natural(place[0].replace("Table", "A"))))


def series_named(records: Records, name: str) -> list[dict[str, Any]]:
    """All series with a name, each with its record's parameters."""
    return [
        {**series, "parameters": record["parameters"], "verdict": record["verdict"]}
        for record in records
        for series in record["series"]
        if series["name"] == name
    ]
