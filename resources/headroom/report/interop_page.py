# SPDX-License-Identifier: Apache-2.0
"""The interop matrix as one HTML file beside the report: no network; captures and decodes are linked, not contained."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from headroom.errors import disk_error
from headroom.paths import TEMPLATES
from headroom.report import matrix_data
from headroom.report.data import Records
from headroom.results.record import VERDICTS
from headroom.results.store import write_atomically

# A sign for each verdict, beside its word: told apart without colour, and without reading.
SIGNS = {"pass": "✓", "non-strict": "~", "fail": "✗", "unsupported": "–", "error": "!"}


def write(records: Records, target: Path, run_folder: Path) -> Path:
    """Writes the page of some records. Raises EnvironmentLacks when the disk does not take it."""
    try:
        write_atomically(target, render(records, run_folder).encode())
    except OSError as error:
        raise disk_error(
            error, f"writing the matrix {target}", False, f"say ./headroom report {run_folder.name}"
        ) from error
    return target


def render(records: Records, run_folder: Path) -> str:
    """The page as HTML text."""
    import jinja2

    from headroom.interop import links, traffic

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["address"] = quote
    cells = matrix_data.cells(records)
    harness = records[-1]["harness"]
    counts = {word: sum(cell["verdict"] == word for cell in cells) for word in VERDICTS}
    pairs = matrix_data.by_pair(cells)
    return environment.get_template("interop.html.j2").render(
        run=run_folder.name,
        cpu=records[-1]["environment"].get("cpu_model") or "unknown processor",
        version=f"Headroom {harness['version']}, commit {(harness['commit'] or 'unknown')[:12]}",
        signs=SIGNS,
        counts={word: count for word, count in counts.items() if count},
        pairs=pairs,
        compressors=list(dict.fromkeys(pair.compressor for pair in pairs)),
        decompressors=list(dict.fromkeys(pair.decompressor for pair in pairs)),
        by_names={(pair.compressor, pair.decompressor): pair for pair in pairs},
        groups=matrix_data.groups(cells),
        links=matrix_data.links([cell for pair in pairs for line in pair.lines for cell in line.by_link.values()]),
        link_titles={one.name: one.title for one in links.CONDITIONS},
        profile_names=traffic.PROFILE_NAMES,
        chosen=_chosen(pairs),
        implementations=_implementations(records),
        css=(TEMPLATES / "report.css").read_text(encoding="utf-8"),
        own_css=(TEMPLATES / "interop.css").read_text(encoding="utf-8"),
        js=(TEMPLATES / "interop.js").read_text(encoding="utf-8"),
    )


def _chosen(pairs: list[matrix_data.Pair]) -> dict[str, list[str]]:
    """What the filters offer."""
    lines = [line for pair in pairs for line in pair.lines]
    return {
        "profile": list(dict.fromkeys(line.profile for line in lines)),
        "mode": list(dict.fromkeys(line.mode for line in lines)),
        "cids": list(dict.fromkeys(line.cids for line in lines)),
    }


def _implementations(records: Records) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for record in records:
        for role in ("compressor", "decompressor"):
            if record[role]:
                found.setdefault(record[role]["name"], record[role])
    return list(found.values())
