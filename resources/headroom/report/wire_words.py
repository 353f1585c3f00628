# SPDX-License-Identifier: Apache-2.0
"""Names of measurements in the parts of the report about the wire."""

from collections import Counter
from typing import Any

from headroom.report.data import Records, title_of_scheme

NODES = {"asked": "as asked", "null": "null codec", "bridge": "bare bridge"}
FEEDBACK = {"own": "with feedback", "piggybacked": "piggybacked"}
GOALS = {"ndr": "NDR: no packet lost", "pdr": "PDR: 0.5 % lost at most"}


def name_of(record: dict[str, Any]) -> str:
    """The title of the scheme, the CPU configuration, and the channel if it is not the plain one: `1c`, `1c, O-mode,
    piggybacked`. Records may name no scheme.
    """
    parameters = record["parameters"]
    scheme, mode = parameters.get("scheme"), parameters.get("mode", "U")
    channel = parameters.get("channel", "") if "mode" not in parameters else ""
    if mode != "U":
        channel = f"{mode}-mode, {FEEDBACK.get(parameters['feedback'], 'no feedback')}"
    return ", ".join(part for part in (title_of_scheme(scheme) if scheme else "", parameters["cpus"], channel) if part)


def names_of(records: Records) -> dict[str, str]:
    """Names by the identity of the case, with the profile if there are several."""
    several = len({record["parameters"].get("profile") for record in records}) > 1
    return {
        record["test"]["id"]: (f"{record['parameters']['profile']}, " if several else "") + name_of(record)
        for record in records
    }


def main_ones(records: Records) -> Records:
    """The records with the most frequent profile: a chart shows one profile."""
    counts = Counter(record["parameters"].get("profile") for record in records)
    return [record for record in records if record["parameters"].get("profile") == counts.most_common(1)[0][0]]


def shared_cores(record: dict[str, Any]) -> str:
    """The roles that shared a core, as the topology reports them."""
    note = record.get("traffic", {}).get("topology", {}).get("note", "")
    return f"Here {note}." if note else ""
