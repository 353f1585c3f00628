# SPDX-License-Identifier: Apache-2.0
"""The section about the source of traffic: the generator, the topology, and the roles that shared a core."""

import json
from typing import Any

from headroom.report.data import Records
from headroom.report.page import Column, Section, table

ABOUT = {
    "process": "in one process, without a network",
    "netns": "network namespaces and veth pairs of one machine",
    "compose": "containers of one machine",
}
SHAPES = {
    "full": "generator, compressor, link, decompressor",
    "nodes": "generator, compressor, decompressor",
    "hosts": "two hosts, a network and a link, compressor, decompressor",
    "node": "generator and one node",
    "loop": "generator alone",
}


def traffic(records: Records) -> Section | None:
    """The section with a row for each way of generating traffic; None if no record describes its traffic."""
    descriptions: dict[str, tuple[dict[str, Any], int]] = {}
    for record in records:
        if entry := record.get("traffic"):
            key = json.dumps(entry, sort_keys=True)
            descriptions[key] = (entry, descriptions.get(key, (entry, 0))[1] + 1)
    if not descriptions:
        return None
    section = Section("traffic", "Source of the traffic", "Traffic")
    columns = [
        Column("Generator"),
        Column("Version"),
        Column("Topology", long=True),
        Column("Between", optional=True),
        Column("Cores", optional=True, long=True),
        Column("Cases", number=True),
    ]
    section.add("table", table("t-traffic", columns, [_row(entry, cases) for entry, cases in descriptions.values()]))
    section.notes = sorted({note for entry, _ in descriptions.values() for note in _notes(entry)})
    return section


def _row(entry: dict[str, Any], cases: int) -> list[Any]:
    generator, topology = entry["generator"], entry["topology"]
    name = topology["name"]
    cores = "; ".join(f"{role} {', '.join(map(str, ones))}" for role, ones in topology.get("cores", {}).items() if ones)
    return [
        generator["name"],
        generator["version"] or f"not known: {generator.get('reason', 'it does not say')}",
        f"{name}: {ABOUT.get(name, 'testbed')}",
        SHAPES.get(topology.get("shape", ""), "–"),
        cores or "–",
        cases,
    ]


def _notes(entry: dict[str, Any]) -> list[str]:
    topology = entry["topology"]
    notes = [
        f"{entry[who]['name']}: {note}" for who in ("generator", "topology") for note in entry[who].get("notes", [])
    ]
    if topology.get("note"):
        notes.append(
            f"{topology['name']}: {topology['note']}. Roles that share a core wait for it: rates are lower and "
            "latencies higher than with a core for each."
        )
    return notes
