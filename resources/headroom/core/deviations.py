# SPDX-License-Identifier: Apache-2.0
"""Declared deviations in cells of the interop matrix: what implementation.yaml says beforehand, and whether it is still
so."""

from collections.abc import Callable, Collection, Sequence

from headroom.core import implementations
from headroom.core.implementations import Deviation
from headroom.core.matrix import Cell, Result, Row

NO_MORE = "a declared deviation is no more"  # the signature of a cell that passes though it should not

Declared = tuple[str, Deviation]  # with the name of who declares it


def matching(cell: Cell) -> list[Declared]:
    """Deviations that either side declares for a cell."""
    words = cell.words()
    found = []
    for name, role, peer in cell.row.sides:
        values = {
            "peers": implementations.find(peer).name,
            **{axis.option: words[axis.name] for axis in cell.row.scheme.axes},
            "traffic": words["traffic"],
            "links": cell.link,
        }
        for one in implementations.find(name).deviations:
            if (
                one.is_of_cells
                and one.scheme == cell.row.scheme.name
                and _deviates(one, role, cell.row)
                and all(values[key] in chosen for key, chosen in one.cells.items())
            ):
                found.append((name, one))
    return found


def _deviates(one: Deviation, role: str, row: Row) -> bool:
    """True if a side deviates. An endpoint or a user plane has both roles: a declaration that names a role is about it
    as the sender of the first message (compressor), or as the other side (decompressor), alone."""
    both = {*row.scheme.roles} - {"compressor", "decompressor"}
    return role in one.roles or not both.isdisjoint(one.roles)


def settle(
    cell: Cell,
    result: Result,
    explained: Callable[[Sequence[Declared]], Sequence[str]] = lambda declared: (),
    was_met: Callable[[Deviation], bool] = lambda one: True,
) -> Result:
    """What declarations make of the result of a cell; {} where they change nothing.

    One that did not pass is unsupported, with both reasons. Where only deviations of single packets are declared,
    `explained` gives a sentence for each that explains what went wrong, or nothing where they leave something
    unexplained. One that passed over a link that does no harm fails, for the declaration is no longer true; over any
    other the deviation may just not have been met, and `was_met` says so of deviations of single packets.
    """
    found = matching(cell)
    if result["verdict"] in ("fail", "non-strict"):
        reasons = [
            f"Declared deviation of {name}: {one.reason.strip()}" for name, one in found if not one.is_of_packets
        ]
        if not reasons and result["verdict"] == "fail":
            reasons = list(explained([one for one in found if one[1].is_of_packets]))
        else:
            reasons = reasons[:1]
        return (
            {"verdict": "unsupported", "reason": " ".join([*reasons, f"Here: {result['reason']}"])} if reasons else {}
        )
    if result["verdict"] != "pass" or not cell.condition.harmless:
        return {}
    for name, one in found:
        if not one.by_chance and (not one.is_of_packets or was_met(one)):
            reason = f"{name} declares to deviate here ({one.reason.strip()}), but the cell passes: take it away."
            return {"verdict": "fail", "reason": reason, "signature": NO_MORE}
    return {}


def of_row(row: Row, case: str, requirements: Collection[str]) -> Declared | None:
    """The deviation that one of two implementations declares for a whole row: for its case, or for a requirement that
    the case names; None where there is none."""
    for name, role, _ in row.sides:
        for one in implementations.find(name).deviations:
            if (case in one.cases or one.requirement in requirements) and _deviates(one, role, row):
                return name, one
    return None


def settle_row(results: Sequence[Result], row: Row, declared: Declared) -> str:
    """What a declaration for a whole row makes of its cells: those that failed are unsupported; where none did, those
    that passed over a link that does no harm fail, for it is no longer true. With less than all traffic it may just not
    have been met. Returns why the row is unsupported; "" where it is not."""
    name, one = declared
    failed = [result for result in results if result["verdict"] == "fail" and result["signature"] != NO_MORE]
    for result in failed:
        reason = f"Declared deviation of {name}: {one.reason.strip()} Here: {result['reason']}"
        result |= {"verdict": "unsupported", "reason": reason}
    if failed or row.traffic or one.by_chance:
        return failed[0]["reason"] if failed else ""
    for result in results:
        if result["verdict"] == "pass" and row.scheme.link(result["link"]).harmless:
            reason = f"{name} declares to deviate here ({one.reason.strip()}), but the row passes: take it away."
            result |= {"verdict": "fail", "reason": reason, "signature": NO_MORE}
    return ""
