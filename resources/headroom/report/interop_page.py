# SPDX-License-Identifier: Apache-2.0
"""The interop matrix as one HTML file beside the report: no network; captures and decodes are linked, not contained."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from headroom.core.errors import disk_error
from headroom.core.paths import TEMPLATES
from headroom.core.results.record import VERDICTS
from headroom.core.results.store import write_atomically
from headroom.report import matrix_data
from headroom.report.data import Records

# A sign for each verdict, beside its word: told apart without colour, and without reading.
SIGNS = {"pass": "✓", "non-strict": "~", "fail": "✗", "unsupported": "–", "error": "!"}

# What the columns of cells are called: of ROHC, and of SigComp.
WORDS = {
    "rohc": {"first": "Compressor", "second": "decompressor", "profile": "Profile", "mode": "Mode, CIDs"},
    "sigcomp": {"first": "Caller's", "second": "called party's", "profile": "Mechanism", "mode": "Transport"},
}


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

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["address"] = quote
    cells = matrix_data.cells(records)
    harness = records[-1]["harness"]
    counts = {word: sum(cell["verdict"] == word for cell in cells) for word in VERDICTS}
    parts = [_part(scheme, mine) for scheme, mine in matrix_data.by_scheme(cells).items()]
    return environment.get_template("interop.html.j2").render(
        run=run_folder.name,
        cpu=records[-1]["environment"].get("cpu_model") or "unknown processor",
        version=f"Headroom {harness['version']}, commit {(harness['commit'] or 'unknown')[:12]}",
        signs=SIGNS,
        counts={word: count for word, count in counts.items() if count},
        parts=parts,
        groups=matrix_data.groups(cells),
        schemes=matrix_data.SCHEMES,
        link_titles={name: title for part in parts for name, title in part["link_titles"].items()},
        profile_names={name: title for part in parts for name, title in part["profile_names"].items()},
        chosen=_chosen(parts),
        implementations=_implementations(records),
        css=(TEMPLATES / "report.css").read_text(encoding="utf-8"),
        own_css=(TEMPLATES / "interop.css").read_text(encoding="utf-8"),
        js=(TEMPLATES / "interop.js").read_text(encoding="utf-8"),
    )


def _part(scheme: str, cells: list[matrix_data.Cell]) -> dict[str, Any]:
    """What the page says of one scheme, in its words."""
    from headroom.schemes.rohc.interop import links, traffic
    from headroom.schemes.sigcomp.interop import call_cells

    pairs = matrix_data.by_pair(cells)
    rohc = scheme == "rohc"
    return {
        "scheme": scheme,
        "title": matrix_data.SCHEMES[scheme],
        "pairs": pairs,
        "compressors": list(dict.fromkeys(pair.compressor for pair in pairs)),
        "decompressors": list(dict.fromkeys(pair.decompressor for pair in pairs)),
        "by_names": {(pair.compressor, pair.decompressor): pair for pair in pairs},
        "links": matrix_data.links([cell for pair in pairs for line in pair.lines for cell in line.by_link.values()]),
        "link_titles": {one.name: one.title for one in links.CONDITIONS} if rohc else call_cells.LINK_NAMES,
        "profile_names": traffic.PROFILE_NAMES if rohc else call_cells.MECHANISM_NAMES,
        "words": WORDS[scheme],
    }


def _chosen(parts: list[dict[str, Any]]) -> dict[str, list[str]]:
    """What the filters offer."""
    lines = [line for part in parts for pair in part["pairs"] for line in pair.lines]
    return {
        "profile": list(dict.fromkeys(line.profile for line in lines)),
        "mode": list(dict.fromkeys(line.mode for line in lines)),
        "cids": list(dict.fromkeys(line.cids for line in lines if line.cids)),
        "link": list(dict.fromkeys(link for part in parts for link in part["links"])),
    }


def _implementations(records: Records) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for record in records:
        for role in ("compressor", "decompressor"):
            if record[role]:
                found.setdefault(record[role]["name"], record[role])
    return list(found.values())
