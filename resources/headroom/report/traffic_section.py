# SPDX-License-Identifier: Apache-2.0
"""Where the traffic came from: which generator sent it, over which topology, and who had to share a core."""

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
    """One row for each way in which traffic was made; nothing where records do not say."""
    descriptions: dict[str, tuple[dict[str, Any], int]] = {}
    for record in records:
        if found := record.get("traffic"):
            key = json.dumps(found, sort_keys=True)
            descriptions[key] = (found, descriptions.get(key, (found, 0))[1] + 1)
    if not descriptions:
        return None
    section = Section("traffic", "Where the traffic came from", "Traffic")
    columns = [
        Column("Generator"),
        Column("Version"),
        Column("Topology", long=True),
        Column("Between", optional=True),
        Column("Cores", optional=True, long=True),
        Column("Cases", number=True),
    ]
    section.add("table", table("t-traffic", columns, [_row(found, cases) for found, cases in descriptions.values()]))
    section.notes = sorted({note for found, _ in descriptions.values() for note in _notes(found)})
    return section


def _row(found: dict[str, Any], cases: int) -> list[Any]:
    generator, topology = found["generator"], found["topology"]
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


def _notes(found: dict[str, Any]) -> list[str]:
    topology = found["topology"]
    notes = [
        f"{found[who]['name']}: {note}" for who in ("generator", "topology") for note in found[who].get("notes", [])
    ]
    if topology.get("note"):
        notes.append(
            f"{topology['name']}: {topology['note']}. What shares a core waits for it: rates are lower and latencies "
            "higher than with a core for each."
        )
    return notes
