# SPDX-License-Identifier: Apache-2.0
"""The last night of each machine as JUnit XML: a suite for each machine and test, a case for each series.

A series fails while a confirmed alert for the worse is open on it; a series without a value is skipped, with the
reason. A conformance case fails or errs by its verdict, and an unsupported one is skipped.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path

from headroom.core.errors import disk_error
from headroom.core.paths import shown
from headroom.core.results.store import write_atomically
from headroom.core.text import number, printable
from headroom.history.alerts import Alert
from headroom.history.assessment import Judged
from headroom.history.series import Series
from headroom.history.store import History
from headroom.nightly.snapshot import Snapshot, show_command, take


def write(history: History, path: Path) -> None:
    """Writes the cases of a history. Raises EnvironmentLacks if they cannot be written."""
    root = document(take(history))
    ET.indent(root, " ")
    try:
        write_atomically(path, ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")
    except OSError as error:
        raise disk_error(error, f"writing {shown(path)}", resumable=False) from error


def document(snapshot: Snapshot) -> ET.Element:
    """The element `testsuites`."""
    suites: dict[tuple[str, str], list[ET.Element]] = {}
    alerts = {identity: _failing(open_alerts) for identity, open_alerts in snapshot.alerts_by_series().items()}
    for judged in snapshot.judged:
        if snapshot.is_of_last_night(judged.series):
            key = (judged.series.key.machine, judged.series.key.test)
            suites.setdefault(key, []).append(_of_series(judged, snapshot, alerts.get(judged.series.key.id)))
    for case in snapshot.cases:
        if snapshot.is_of_last_night(case):
            key = (case.key.machine, case.key.test.rpartition("/")[0] or case.key.test)
            suites.setdefault(key, []).append(_of_verdict(case))
    root = ET.Element("testsuites", name="Headroom")
    for (machine, test), cases in sorted(suites.items()):
        night = snapshot.last(machine).strftime("%Y-%m-%dT%H:%M:%S")
        suite = ET.SubElement(
            root, "testsuite", name=printable(test), hostname=printable(machine), timestamp=night, time="0"
        )
        _count(suite, cases)
        suite.extend(cases)
    _count(root, [case for suite in root for case in suite])
    return root


def _failing(alerts: Iterable[Alert]) -> Alert | None:
    return next((alert for alert in alerts if alert.is_open and alert.confirmed and alert.is_worse), None)


def _of_series(judged: Judged, snapshot: Snapshot, alert: Alert | None) -> ET.Element:
    series = judged.series
    case = ET.Element("testcase", name=printable(_name(series)), classname=printable(_class(series)), time="0")
    if not snapshot.has_value(series):
        ET.SubElement(
            case, "skipped", message=printable(series.reasons[-1] or ("Not measured; the reason was not kept."))
        )
        return case
    value = f"{number(float(series.values[-1]))} {series.unit}"
    if alert is not None:
        changed = next(changed_series for changed_series in alert.series if changed_series.id == series.key.id)
        since = f" ({alert.commits()})" if alert.commits() else ""
        message = f"{alert.title}{since}: {number(changed.baseline)} → {value}. {changed.evidence}"
        failure = ET.SubElement(case, "failure", message=printable(message.strip()), type=alert.direction)
        failure.text = printable(show_command(alert, snapshot.folder))
    out = ET.SubElement(case, "system-out")
    baseline = f"; baseline {number(judged.baseline.median)}" if judged.baseline is not None else "; no baseline yet"
    out.text = printable(f"{value}{baseline}; commit {series.commits[-1] or 'unknown'}; series {series.key.id}")
    return case


def _of_verdict(series: Series) -> ET.Element:
    name = series.key.test.rpartition("/")[2]
    case = ET.Element("testcase", name=printable(name), classname=printable(_class(series)), time="0")
    verdict, reason = series.texts[-1], printable(series.reasons[-1])
    if verdict == "fail":
        ET.SubElement(case, "failure", message=reason, type="fail")
    elif verdict == "error":
        ET.SubElement(case, "error", message=reason, type="error")
    elif verdict in ("", "unsupported"):
        ET.SubElement(case, "skipped", message=reason or "Not measured; the reason was not kept.")
    elif reason:
        ET.SubElement(case, "system-out").text = f"{printable(verdict)}: {reason}"
    return case


def _name(series: Series) -> str:
    key = series.key
    pair = " → ".join(dict.fromkeys(filter(None, (key.compressor, key.decompressor))))
    rest = (pair, key.profile, key.cpus, key.load, key.build, key.generator, key.topology)
    return f"{key.metric} ({', '.join(filter(None, rest))})"


def _class(series: Series) -> str:
    """Machine and test with dots, from which viewers build a tree."""
    return f"{series.key.machine}.{series.key.test.replace('/', '.')}"


def _count(element: ET.Element, cases: list[ET.Element]) -> None:
    element.set("tests", str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        if element.tag == "testsuites" and tag == "skipped":
            continue  # Jenkins' schema does not allow it there
        element.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
