# SPDX-License-Identifier: Apache-2.0
"""Declared deviations in cells: what implementation.yaml says beforehand, and whether it is still so."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import Any

from headroom.core import implementations, matrix_words
from headroom.core.implementations import Deviation
from headroom.schemes.rohc.interop import deviation_match
from headroom.schemes.rohc.interop.links import Condition
from headroom.schemes.rohc.interop.matrix import Cell
from headroom.schemes.rohc.interop.study import Study
from headroom.schemes.sigcomp.interop import call

NO_MORE = "a declared deviation is no more"  # the signature of a cell that passes though it should not


def matching(cell: Cell) -> list[tuple[str, Deviation]]:
    """Deviations that either side declares for a cell, with the name of who does."""
    row = cell.row
    words = cell.words()
    found = []
    for name, role, peer in (
        (row.compressor, "compressor", row.decompressor),
        (row.decompressor, "decompressor", row.compressor),
    ):
        values = {
            "peers": implementations.find(peer).name,
            "profiles": row.profile,
            "modes": row.mode,
            "cids": row.cids,
            "traffic": words["traffic"],
            "links": cell.link,
        }
        for one in implementations.find(name).deviations:
            if (
                one.is_of_cells
                and one.scheme == matrix_words.ROHC
                and role in one.roles
                and all(values[key] in chosen for key, chosen in one.cells.items())
            ):
                found.append((name, one))
    return found


def declared(cell: Cell, result: dict[str, Any], seen: Study, condition: Condition) -> dict[str, Any]:
    """What a declaration makes of a cell that did not pass: unsupported, with both reasons. A crash stays a crash.

    One that single packets meet has to explain every packet that went wrong.
    """
    if result["verdict"] not in ("fail", "non-strict"):
        return {}
    of_packets = []
    for name, one in matching(cell):
        if one.is_of_packets:
            of_packets.append(deviation_match.by_deviation(name, one))
        else:
            reason = f"Declared deviation of {name}: {one.reason.strip()} Here: {result['reason']}"
            return {"verdict": "unsupported", "reason": reason}
    if result["verdict"] != "fail" or seen.done.promise_broken:
        return {}
    met_here = deviation_match.explains(seen, [*of_packets, *deviation_match.by_features(cell)], condition.harmless)
    if not met_here:
        return {}
    reason = " ".join([*(one.sentence for one in met_here), f"Here: {result['reason']}"])
    return {"verdict": "unsupported", "reason": reason}


def passed(cell: Cell, condition: Condition, capture: Path) -> dict[str, Any]:
    """What a declaration makes of a cell that passed: a failure, for it is no longer true. `capture` is of the link.

    Over a link that loses packets by chance the deviation may just not have been met, which proves nothing. Nor does a
    cell where no packet has the fields that are declared to be read wrong; and a decompressor may understand packets
    that break a requirement.
    """
    if not condition.harmless:
        return {}
    for name, one in matching(cell):
        if one.breaks or (one.fields and not deviation_match.met_on_link(cell, capture, one.fields)):
            continue
        reason = f"{name} declares to deviate here ({one.reason.strip()}), but the cell passes: take it away."
        return {"verdict": "fail", "reason": reason, "signature": NO_MORE}
    return {}


def of_row(names: Iterable[str], case: str, requirements: Container[str]) -> tuple[str, Deviation] | None:
    """The deviation that one of some implementations declares for a whole row: for its case, or for a requirement that
    the case names; None where there is none."""
    found = ((name, one) for name in names for one in implementations.find(name).deviations)
    return next(((name, one) for name, one in found if case in one.cases or one.requirement in requirements), None)


def settle_row(cells: Sequence[dict[str, Any]], name: str, one: Deviation, conclusive: bool) -> None:
    """What a declaration for a whole row makes of its cells: those that failed are unsupported; where none did, all of
    them fail, for it is no longer true. `conclusive`: with all traffic, and over a link that does no harm."""
    failed = [cell for cell in cells if cell["verdict"] == "fail" and cell["signature"] != NO_MORE]
    for cell in failed:
        reason = f"Declared deviation of {name}: {one.reason.strip()} Here: {cell['reason']}"
        cell |= {"verdict": "unsupported", "reason": reason}
    if failed or not conclusive or one.by_chance:
        return
    for cell in filter(lambda cell: cell["verdict"] == "pass", cells):
        reason = f"{name} declares to deviate here ({one.reason.strip()}), but the row passes: take it away."
        cell |= {"verdict": "fail", "reason": reason, "signature": NO_MORE}


def of_call(row: call.Row, sequence: str) -> tuple[str, Deviation] | None:
    """The deviation that one of two SigComp endpoints declares for a cell of a row, with the name of who does; None
    where there is none. Each of them is an endpoint; one that says a role deviates as the caller (compressor) or the
    called party (decompressor) alone."""
    for name, role, peer in ((row.caller, "compressor", row.called), (row.called, "decompressor", row.caller)):
        values = {
            "peers": implementations.find(peer).name,
            "mechanisms": row.mechanism,
            "transports": row.transport,
            "traffic": sequence,
            "links": row.link,
        }
        for one in implementations.find(name).deviations:
            if (
                one.cells
                and one.scheme == matrix_words.SIGCOMP
                and (role in one.roles or "endpoint" in one.roles)
                and all(values[key] in chosen for key, chosen in one.cells.items())
            ):
                return name, one
    return None


def settle_calls(cells: Sequence[dict[str, Any]], row: call.Row) -> bool:
    """What declarations for single cells of SigComp make of the cells of a row: one that failed is unsupported, and one
    that passed over a link that does no harm fails, for it is no longer true. Whether there was any."""
    settled = False
    for cell in cells:
        declared = of_call(row, cell["traffic"])
        if declared is None:
            continue
        settled = True
        name, one = declared
        if cell["verdict"] == "fail":
            reason = f"Declared deviation of {name}: {one.reason.strip()} Here: {cell['reason']}"
            cell |= {"verdict": "unsupported", "reason": reason}
        elif row.link in call.HARMLESS and not one.by_chance:
            reason = f"{name} declares to deviate here ({one.reason.strip()}), but the cell passes: take it away."
            cell |= {"verdict": "fail", "reason": reason, "signature": NO_MORE}
    return settled
