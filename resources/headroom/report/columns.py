# SPDX-License-Identifier: Apache-2.0
"""Tables with a row for each record, or for each object made of records: columns are declared beside the function that
fills them.
"""

from collections.abc import Callable, Sequence
from typing import Any

from headroom.core.metrics import Metric
from headroom.report import data
from headroom.report.page import Column, Table, table

Shown = tuple[Column, Callable[[Any], Any]]  # a column, and the function that makes its cell from the row's subject


def table_of(identity: str, shown: Sequence[Shown], subjects: Sequence[Any], caption: str = "") -> Table:
    """A table with a row for each subject."""
    rows = [[of(subject) for _, of in shown] for subject in subjects]
    return table(identity, [column for column, _ in shown], rows, caption)


def parameter(title: str, name: str, missing: Any = None, **column: bool) -> Shown:
    """A column for a parameter of records."""
    return Column(title, **column), lambda record: record["parameters"].get(name, missing)


def figure(title: str, metric: Metric, show: Callable[[float | None], Any] | None = None, **column: bool) -> Shown:
    """A column for a metric of records; `show` makes a cell of its value."""

    def of(record: dict[str, Any]) -> Any:
        value = data.value(record, metric)
        return show(value) if show else value

    return Column(title, number=True, **column), of


REASON: Shown = (Column("Remarks", long=True, optional=True), lambda record: record["reason"])
