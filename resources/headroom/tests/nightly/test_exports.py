# SPDX-License-Identifier: Apache-2.0
"""Exports as other programs read them, and the examples of how to use them."""

from __future__ import annotations

import json
import math
import re
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import junitparser
import pytest
import yaml
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics_families
from prometheus_client.parser import text_string_to_metric_families as text_families

from headroom.core.errors import EnvironmentLacks
from headroom.core.paths import ROOT
from headroom.history.store import History
from headroom.nightly.exports import junit, openmetrics, sqlite
from headroom.tests.history.support import HOSTILE
from headroom.tests.nightly import sample_history as drawn

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "reports" / "nightly"
WRITERS = (openmetrics.write, junit.write, sqlite.write)
Families = Callable[[str], Any]


@pytest.fixture(scope="module")
def exported(sample: History, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the three exports of the sample."""
    folder = tmp_path_factory.mktemp("exported")
    openmetrics.write(sample, folder / "headroom.prom")
    junit.write(sample, folder / "nightly.xml")
    sqlite.write(sample, folder / "nightly.db")
    return folder


def families(parse: Families, path: Path) -> dict[str, list[Any]]:
    """Samples by the name of their gauge. Files are read as octets: no reader may take a separator for a line."""
    text = path.read_bytes().decode()
    found = {}
    for family in parse(text):
        assert family.type == "gauge"
        assert family.documentation
        found[family.name] = family.samples
    return found


# ---- OpenMetrics


@pytest.mark.parametrize("parse", [openmetrics_families, text_families])
def test_gauges_of_the_last_night(sample: History, exported: Path, parse: Families) -> None:
    found = families(parse, exported / "headroom.prom")
    last = drawn.night(drawn.NIGHTS - 1).timestamp()
    assert {one.labels["machine"]: one.value for one in found["headroom_night_time_seconds"]} == {
        drawn.RACK: last,
        drawn.LAB: last,
    }
    series = {key.id: one for key, one in sample.series().items()}
    assert len(found["headroom_series_value"]) == 133
    for one in found["headroom_series_value"]:
        assert one.value == series[one.labels["series"]].values[-1]
        assert one.timestamp is None, "the textfile collector refuses time stamps"
        assert one.labels["test"] == series[one.labels["series"]].key.test
    measured = [one.value for one in found["headroom_series_measured"]]
    assert (measured.count(1.0), measured.count(0.0)) == (133, 5)
    verdicts = {(one.labels["machine"], one.labels["verdict"]): one.value for one in found["headroom_cases"]}
    assert verdicts[drawn.RACK, "fail"] == 1
    opened = {
        (one.labels["machine"], one.labels["direction"], one.labels["confirmed"]): one.value
        for one in found["headroom_alerts_open"]
    }
    assert opened[drawn.RACK, "regression", "true"] == 1
    assert opened[drawn.LAB, "regression", "false"] == 1
    assert opened[drawn.LAB, "verdict", "true"] == 0
    assert {one.labels["right"]: one.value for one in found["headroom_alerts_closed"]} == {"true": 1, "false": 1}


@pytest.mark.parametrize("parse", [openmetrics_families, text_families])
def test_hostile_labels_survive_or_are_harmless(hostile: History, tmp_path: Path, parse: Families) -> None:
    openmetrics.write(hostile, tmp_path / "headroom.prom")
    text = (tmp_path / "headroom.prom").read_bytes().decode()
    assert text.endswith("# EOF\n")
    assert text.count("# EOF") == 1
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", text)
    found = families(parse, tmp_path / "headroom.prom")
    tests = {one.labels["test"] for one in found["headroom_series_measured"]}
    assert len(tests) == len(HOSTILE)
    for name in HOSTILE:
        expected = re.sub(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", "\ufffd", name)
        assert expected in tests


def test_each_line_is_a_sample_or_a_comment(hostile: History, exported: Path, tmp_path: Path) -> None:
    line = re.compile(r'(# (HELP|TYPE|EOF).*|[a-z_]+\{([a-z_]+="([^"\\\n]|\\[\\n"])*",?)*\} [-+0-9.einfa]+)')
    openmetrics.write(hostile, tmp_path / "headroom.prom")
    for folder in (tmp_path, exported):
        lines = (folder / "headroom.prom").read_bytes().decode().removesuffix("\n").split("\n")
        assert [one[:200] for one in lines if not line.fullmatch(one)] == []
        samples = [one.rsplit(" ", 1)[0] for one in lines if not one.startswith("#")]
        assert len(samples) == len(set(samples)), "no sample twice"


# ---- JUnit


def test_cases_of_the_last_night(exported: Path) -> None:
    read = junitparser.JUnitXml.fromfile(str(exported / "nightly.xml"))
    cases = [case for suite in read for case in suite]
    assert (read.tests, read.failures, read.errors, read.skipped) == (len(cases), 4, 0, 5)
    assert read.tests == 138 + 56
    failures = [
        (suite.hostname, result.type, result.message)
        for suite in read
        for case in suite
        for result in case.result
        if isinstance(result, junitparser.Failure)
    ]
    assert sum(kind == "regression" and host == drawn.RACK for host, kind, _ in failures) == 2
    assert sum(kind == "fail" and message == drawn.CRC for _, kind, message in failures) == 2
    skipped = [one for case in cases for one in case.result if isinstance(one, junitparser.Skipped)]
    assert {one.message for one in skipped} == {"The engine was killed for lack of memory."}
    for suite in read:
        assert suite.tests == len(list(suite))
        assert suite.timestamp == "2026-11-09T02:00:00"


def test_an_unconfirmed_alert_is_no_failure(exported: Path) -> None:
    suites = ET.parse(exported / "nightly.xml").getroot()
    lab = [suite for suite in suites if suite.get("hostname") == drawn.LAB and "sentinels" in suite.get("name", "")]
    assert lab
    assert not [case for suite in lab for case in suite.iter("failure")]


def test_hostile_names_make_valid_xml(hostile: History, tmp_path: Path) -> None:
    junit.write(hostile, tmp_path / "nightly.xml")
    read = junitparser.JUnitXml.fromfile(str(tmp_path / "nightly.xml"))
    names = {case.name for suite in read for case in suite}
    assert any("<script>alert(1)</script>" in name for name in names)
    assert any("🚀" in name for name in names)
    assert "\0" not in (tmp_path / "nightly.xml").read_text(encoding="utf-8")
    assert (read.failures, read.skipped) == (len(HOSTILE) + 4, 1)


# ---- SQLite


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_the_database_holds_every_night(sample: History, exported: Path) -> None:
    path = exported / "nightly.db"
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert rows(path, "PRAGMA foreign_key_check") == []
    known = sample.series()
    assert rows(path, "SELECT COUNT(*) FROM series") == [(len(known),)]
    assert rows(path, "SELECT COUNT(*) FROM points") == [(sum(len(one) for one in known.values()),)]
    for key, series in list(known.items())[::9]:
        found = rows(path, f"SELECT time, value, trials FROM points WHERE series = '{key.id}' ORDER BY time")
        assert [time for time, _, _ in found] == [int(one.timestamp()) for one in series.nights]
        assert [one for _, one, _ in found] == [None if math.isnan(one) else one for one in series.values]
        assert [count for _, _, count in found] == [len(one) for one in series.trials]
    assert rows(path, "SELECT state, COUNT(*) FROM alerts GROUP BY state ORDER BY state") == [
        ("accepted", 1),
        ("ignored", 1),
        ("open", 3),
    ]
    tags = {one for (one,) in rows(path, "SELECT tags FROM annotations")}
    assert {"epoch", "event,machine", "event,not measured", "alert,regression,open"} <= tags


def test_hostile_names_survive_in_the_database(hostile: History, tmp_path: Path) -> None:
    path = tmp_path / "nightly.db"
    sqlite.write(hostile, path)
    tests = {one for (one,) in rows(path, "SELECT test FROM series")}
    assert {text.replace("\0", "\ufffd") for text in HOSTILE} <= tests
    assert rows(path, "SELECT COUNT(*) FROM series") == [(2 * len(HOSTILE),)]


def test_the_sqlite_program_reads_it(exported: Path) -> None:
    program = shutil.which("sqlite3")
    if program is None:
        pytest.skip("no sqlite3 program on this machine")
    query = "SELECT machine, COUNT(*) FROM series WHERE alerted GROUP BY machine;"
    done = subprocess.run([program, exported / "nightly.db", query], capture_output=True, text=True, check=True)
    assert done.stdout == f"{drawn.LAB}|1\n{drawn.RACK}|2\n"


# ---- any of them


@pytest.mark.parametrize("write", WRITERS)
def test_an_empty_history_can_be_exported(tmp_path: Path, write: Callable[[History, Path], None]) -> None:
    write(History(tmp_path / "none"), tmp_path / "file")
    assert (tmp_path / "file").stat().st_size > 0
    assert not (tmp_path / "none").exists(), "an export writes nothing into the history"


@pytest.mark.parametrize("write", WRITERS)
def test_an_export_replaces_the_file_whole(
    sample: History, tmp_path: Path, write: Callable[[History, Path], None]
) -> None:
    target = tmp_path / "file"
    target.write_text("before")
    with target.open() as reader:
        write(sample, target)
        assert reader.read() == "before", "who reads the old file goes on"
    assert target.stat().st_mode & 0o444 == 0o444
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("write", WRITERS)
def test_an_export_that_cannot_be_written_is_a_sentence(
    sample: History, tmp_path: Path, write: Callable[[History, Path], None]
) -> None:
    (tmp_path / "folder").write_text("a file")
    with pytest.raises(EnvironmentLacks, match="failed"):
        write(sample, tmp_path / "folder" / "file")


# ---- the examples


def _with_values(query: str) -> str:
    """A query of the dashboard with the variables that Grafana fills in."""
    texts = {"machine": [drawn.RACK, drawn.LAB], "test": [one.test for one in drawn.sentinels()], "unit": ["ns"]}
    for name, values in texts.items():
        query = query.replace(f"${{{name}:sqlstring}}", ", ".join(f"'{one}'" for one in values))
    query = query.replace("$__from", str(int(drawn.night(0).timestamp() * 1000)))
    query = query.replace("$__to", str(int(drawn.night(drawn.NIGHTS).timestamp() * 1000)))
    assert "$" not in query
    return query


def _queries(document: Any) -> list[str]:
    if isinstance(document, dict):
        own = [document["rawQueryText"]] if "rawQueryText" in document else []
        return own + [query for value in document.values() for query in _queries(value)]
    return [query for value in document for query in _queries(value)] if isinstance(document, list) else []


def test_each_query_of_the_dashboard_finds_something(exported: Path) -> None:
    dashboard = json.loads((EXAMPLES / "grafana-dashboard.json").read_text())
    queries = _queries(dashboard)
    assert len(queries) == 9
    for query in queries:
        assert rows(exported / "nightly.db", _with_values(query)), query
    for panel in dashboard["panels"]:
        (target,) = panel["targets"]
        if panel["type"] == "timeseries":
            with closing(sqlite3.connect(exported / "nightly.db")) as connection:
                columns = connection.execute(_with_values(target["queryText"])).description
            assert [name for name, *_ in columns] == ["time", "metric", "value"]
            assert target["queryType"] == "time series"


def test_the_units_are_valid(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("no systemd-analyze on this machine")
    for name in ("headroom-nightly.service", "headroom-nightly.timer"):
        text = (EXAMPLES / name).read_text().replace("/srv/headroom", str(ROOT))
        (tmp_path / name).write_text(text)
    units = sorted(tmp_path.iterdir())
    done = subprocess.run([program, "verify", "--man=no", *units], capture_output=True, text=True)
    assert (done.returncode, [line for line in done.stderr.splitlines() if "headroom" in line]) == (0, [])
    calendar = re.search(r"OnCalendar=(.*)", (EXAMPLES / "headroom-nightly.timer").read_text())
    assert calendar
    subprocess.run([program, "calendar", calendar[1]], capture_output=True, check=True)


def test_the_pipelines_are_valid_and_run_on_machines_of_ones_own() -> None:
    github = yaml.safe_load((EXAMPLES / "github.yml").read_text())
    triggers = github[True]  # YAML 1.1 reads `on` as true
    assert set(triggers) == {"schedule", "workflow_dispatch"}
    (job,) = github["jobs"].values()
    assert "self-hosted" in job["runs-on"]
    assert github["permissions"] == {"contents": "read"}
    gitlab = yaml.safe_load((EXAMPLES / "gitlab.yml").read_text())
    (job,) = gitlab.values()
    assert job["tags"]
    assert job["artifacts"]["when"] == "always"


def test_examples_say_commands_that_are_there() -> None:
    options = {"--openmetrics", "--junit", "--sqlite"}
    said = set()
    for path in EXAMPLES.iterdir():
        text = path.read_text(encoding="utf-8")
        for words in re.findall(r"headroom nightly export( --\w+)", text):
            said.add(words.strip())
        assert not re.search(r"headroom nightly (?!export|`|\W)\w+", text.replace("headroom nightly regression", "")), (
            path
        )
    assert said <= options


def test_examples_leave_the_checkout_as_it_is() -> None:
    """What git does not ignore would make the next night's tree a changed one, which never becomes the last good."""
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "/out/" in ignored
    for path in EXAMPLES.iterdir():
        text = path.read_text(encoding="utf-8")
        for written in re.findall(r"(?:export --\w+|cp \S+) (\S+)", text):
            assert written.startswith(("/var/lib/headroom/", "out/", "FILE")), (path.name, written)
