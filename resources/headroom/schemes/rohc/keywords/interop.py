# SPDX-License-Identifier: Apache-2.0
"""Keywords about two implementations: one compresses, the other decompresses."""

from __future__ import annotations

from typing import Any

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core import capabilities, implementations
from headroom.core.options import split_names
from headroom.core.results import collector
from headroom.keywords.base import current_run, library
from headroom.schemes.rohc.interop import group, links, traffic
from headroom.schemes.rohc.interop.cell import ArtefactStore
from headroom.schemes.rohc.interop.matrix import CIDS, MODES, Choice, Row, not_declared


@library
class InteropKeywords:
    """Rows of the interop matrix. `headroom.schemes.rohc.interop` decides what a cell is worth."""

    def __init__(self) -> None:
        self.workshop: ArtefactStore | None = None

    @keyword("Implementations Should Interwork")
    def interwork(
        self, profile: str, mode: str, cids: str, compressor: str | None = None, decompressor: str | None = None
    ) -> None:
        """Every kind of traffic of the profile over every link condition.

        Over a link that does no harm, every packet comes out as it went in. Over any other, a packet comes out as it
        was or not at all, but for those that the CRCs are bound to miss; and most of what arrives should come out.
        """
        asked = current_run()
        row = Row(
            compressor or asked.settings.compressor, decompressor or asked.settings.decompressor, profile, mode, cids
        )
        if mode not in MODES or cids not in CIDS:
            raise ValueError(f"There is no mode '{mode}' with {cids} CIDs; modes are U, O and R, CIDs small or large.")
        choice = Choice(_words("traffic"), _words("links"), asked.seed, asked.build)
        sides_of_row = (implementations.find(name) for name in (row.compressor, row.decompressor))
        recorded = {one.name for side in sides_of_row for one in side.recordings}
        traffic.check(choice.traffic, recorded.union(_words("recordings")))
        for name in choice.links:
            links.find(name)
        if self.workshop is None or self.workshop.folder != asked.folder:
            self.workshop = ArtefactStore(asked.folder)
        _note(row, choice)
        reason = not_declared(row, choice.build)
        results = group.run(row, choice, self.workshop)
        current = collector.current()
        current.cells = results
        _count(results)
        for result in results:
            for name in ("capture", "evidence"):
                if result.get(name):
                    current.files.append((asked.folder / result[name], name))
            for name in ("capture", "job", "evidence"):
                if (small := result.get("minimised", {}).get(name)) and (asked.folder / small).is_file():
                    current.files.append((asked.folder / small, f"minimised {name}"))
        current.files = list(dict.fromkeys(current.files))
        if reason:
            raise SkipExecution(reason)
        found, reason = group.verdict(results)
        if found == "unsupported":
            raise SkipExecution(reason)
        if found in ("error", "non-strict"):
            current.judge(found, reason)
        if found in ("error", "fail"):
            raise AssertionError(reason)


def _words(name: str) -> tuple[str, ...]:
    """The names in ${INTEROP_TRAFFIC}, ${INTEROP_LINKS} or ${INTEROP_RECORDINGS} (those of the traffic that are an
    implementation's recordings); none when the variable is not set."""
    from robot.libraries.BuiltIn import BuiltIn

    return split_names(str(BuiltIn().get_variable_value(f"${{INTEROP_{name.upper()}}}") or ""))


def _note(row: Row, choice: Choice) -> None:
    current = collector.current()
    current.parameters |= {
        "kind": "interop",
        "compressor": row.compressor,
        "decompressor": row.decompressor,
        "profile": row.profile,
        "mode": row.mode,
        "cids": row.cids,
        "build": choice.build,
    }
    for role, name in (("compressor", row.compressor), ("decompressor", row.decompressor)):
        setattr(current, role, _identity(name, choice.build))
    from headroom.schemes.rohc.interop.matrix import command

    current.command = command(row, choice)


def _identity(name: str, build: str) -> dict[str, Any]:
    found = implementations.find(name)
    if reason := found.unusable(build) or ("" if found.library else "capture files, and no adapter"):
        return {"name": name, "version": None, "build": None, "sha256": None, "reason": reason}
    return capabilities.identity(found, build)


def _count(results: list[dict[str, Any]]) -> None:
    current = collector.current()
    for verdict in ("pass", "non-strict", "fail", "unsupported", "error"):
        current.metric(f"cells_{verdict}", sum(one["verdict"] == verdict for one in results), "cells")
    headers = [one["header_bytes"] for one in results if one["header_bytes"] is not None and one["link"] == "clean"]
    if headers:
        current.metric("header_mean", sum(headers) / len(headers), "octets", "lower")
