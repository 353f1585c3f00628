# SPDX-License-Identifier: Apache-2.0
"""The registry of metrics: what it holds, that nothing names a metric beside it, and what records may hold."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from headroom.core import metrics
from headroom.core.metric_registry import all_metrics
from headroom.core.metrics import Metric
from headroom.core.paths import ROOT
from headroom.core.results import parquet, store
from headroom.core.results.record import Measurement
from headroom.report import data
from headroom.tests import sample

PACKAGE = ROOT / "resources" / "headroom"
MODULES = [path for path in PACKAGE.rglob("*.py") if "tests" not in path.parts and not path.name.endswith("metrics.py")]
TAKE_A_METRIC = {"metric": 0, "Measurement": 0, "value": 1, "measured": 1}  # by the place of the metric
# Words that the engine's documents and the parameters of a case use, too.
OTHERS_USE = {
    *("flow_pairs", "flow_pairs_per_core", "ticks_missed", "compress_ns", "decompress_ns", "memory_bytes"),
    *("not_delivered", "lost_on_link", "calls_per_s", "plain_octets", "link_octets", "sent_octets"),
}


def test_every_metric_says_what_it_is() -> None:
    for name, metric in all_metrics().items():
        assert name == metric.name and metric.unit, name
        assert metric.description.endswith(".") and metric.description[0].isupper(), name
        assert "{" not in metric.name + metric.description, name


def test_a_family_has_a_metric_for_each_of_its_parameters() -> None:
    assert metrics.LATENCY(way="reverse", figure="p99", nodes="bridge").name == "bridge_reverse_p99"
    assert metrics.THROUGHPUT(goal="pdr", cores="one").name == "one_core_pdr"
    assert metrics.LOST().name == "lost"
    for wrong in ({"figure": "p98"}, {"figures": "p99"}):
        with pytest.raises(KeyError, match=r"p98|figures"):
            metrics.LATENCY(**wrong)


def literals(source: str) -> Iterator[str]:
    """Names of metrics that stand as literals: given to what takes a metric, or anywhere, where they are unmistakable.
    A metric that is made outside the registry counts, too."""
    names = {name for name in all_metrics() if "_" in name} - OTHERS_USE
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and node.value in names:
            yield str(node.value)
        if isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called in ("Metric", "Family"):
                yield ast.unparse(node)
            given = node.args[TAKE_A_METRIC[called] :] if called in TAKE_A_METRIC else []
            if any(isinstance(one, ast.JoinedStr) or isinstance(getattr(one, "value", None), str) for one in given):
                yield ast.unparse(node)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_metric_is_named_outside_the_registry(path: Path) -> None:
    assert list(literals(path.read_text(encoding="utf-8"))) == []


def test_a_literal_is_found() -> None:
    assert list(literals("current.metric('load', 1.0)")) == ["current.metric('load', 1.0)"]
    assert list(literals("current.metric(metrics.LOST(), 1, 'packets')")), "a unit"
    assert list(literals("data.value(record, f'{way}_p50')")) == ["data.value(record, f'{way}_p50')"]
    assert list(literals("x = 'ratio_to_null'")) == ["ratio_to_null"]
    assert list(literals("Measurement(Metric('a', 'ns', None, 'A.'), 1)")) == ["Metric('a', 'ns', None, 'A.')"]
    assert list(literals("current.metric(metrics.LOAD, 1.0)")) == []


@pytest.mark.parametrize(
    "metric", [Metric("lateness", "ms", "lower", "Late."), Metric("load", "%", "lower", "Another unit.")]
)
def test_a_record_with_a_metric_that_is_not_registered_is_refused(tmp_path: Path, metric: Metric) -> None:
    made = sample.record("smoke/one/Case", metrics=[Measurement(metric, 1.0)])
    with pytest.raises(store.UnregisteredMetric, match=rf"{metric.name} \({metric.unit}\)"):
        store.write(tmp_path, made)
    assert not list(tmp_path.rglob("*.json"))


def test_records_of_older_versions_are_read_with_a_sentence(tmp_path: Path) -> None:
    document = sample.record("smoke/one/Case", metrics=[Measurement(metrics.LOAD, 0.5)]).as_json()
    document["metrics"] += [document["metrics"][0] | changed for changed in ({"name": "lateness"}, {"unit": "%"})]
    path = tmp_path / "results" / "one.json"
    path.parent.mkdir()
    path.write_text(json.dumps(document))
    said: list[str] = []
    records = store.read_all(tmp_path, said.append)
    assert len(said) == 1 and "lateness (share), load (%)" in said[0]
    assert data.value(records[0], metrics.LOAD) == 0.5
    rows = parquet.rows(records)
    assert [row["description"] for row in rows] == [metrics.LOAD.description, None, metrics.LOAD.description]
