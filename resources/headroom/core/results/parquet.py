# SPDX-License-Identifier: Apache-2.0
"""Exports every metric of some records with all its raw trials as one Parquet table, for further analysis."""

from pathlib import Path
from typing import Any

from headroom.core.errors import disk_error
from headroom.core.metric_registry import all_metrics
from headroom.core.text import spelled_out


def rows(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, one for each trial of each metric; a metric without trials has one row with its value alone."""
    result = []
    known = all_metrics()
    for record in records:
        common = _common(record)
        for metric in record["metrics"]:
            shared = {
                **common,
                "metric": metric["name"],
                "unit": metric["unit"],
                "better": metric["better"],
                "description": known[name].description if (name := metric["name"]) in known else None,
                "core": metric["core"],
                "value": metric["value"],
                "missing_because": metric.get("reason"),
            }
            trials = metric["trials"] or [None]
            result += [
                {**shared, "trial": number if metric["trials"] else None, "trial_value": trial}
                for number, trial in enumerate(trials)
            ]
    return result


def _common(record: dict[str, Any]) -> dict[str, Any]:
    """The columns that every row of a record repeats, so that a row can be read alone."""
    parameters = record["parameters"]
    sides = {
        f"{field}_{role}": (record[role] or {}).get(field)
        for role in ("compressor", "decompressor")
        for field in ("name", "version", "build", "sha256")
    }
    columns = {
        "run": record["run"],
        "test": record["test"]["id"],
        "verdict": record["verdict"],
        "started": record["started"],
        "seed": record["seed"],
        "commit": record["harness"]["commit"],
        **{name: _text(parameters.get(name)) for name in ("profile", "cpus")},
        "target_load": load if isinstance(load := parameters.get("target_load"), int | float) else None,
        **{name: _text(record["environment"].get(name)) for name in ("cpu_model", "kernel", "compiler", "flags")},
        **sides,
    }
    return {name: spelled_out(column) if isinstance(column, str) else column for name, column in columns.items()}


def _text(value: Any) -> str | None:
    """The value as a text, for a column of texts; None stays None. Records by other tools may hold other types."""
    return None if value is None else str(value)


def write(records: list[dict[str, Any]], path: Path) -> Path:
    """Writes the table. Raises EnvironmentLacks if it cannot be written."""
    import pandas as pd

    frame = pd.DataFrame(rows(records))
    for name in ("core", "trial"):
        if name in frame:
            frame[name] = frame[name].astype("Int64")
    try:
        frame.to_parquet(path, index=False)
    except OSError as error:
        raise disk_error(error, f"writing {path}", resumable=False) from error
    return path
