# SPDX-License-Identifier: Apache-2.0
"""Declared deviations in cells of the interop matrix: applies the declarations of implementation.yaml, and checks that
they still hold.
"""

from collections.abc import Callable, Collection, Sequence

from headroom.core import implementations
from headroom.core.implementations import Deviation
from headroom.core.matrix import Cell, Result, Row

NO_MORE = "declared deviation no longer met"  # the signature of a cell that passes though a deviation is declared

Declared = tuple[str, Deviation]  # a deviation, with the name of the implementation that declares it


def matching(cell: Cell) -> list[Declared]:
    """The deviations that either side declares for a cell."""
    words = cell.words()
    declared = []
    for name, role, peer in cell.row.sides:
        values = {
            "peers": implementations.find(peer).name,
            **{axis.option: words[axis.name] for axis in cell.row.scheme.axes},
            "traffic": words["traffic"],
            "links": cell.link,
        }
        for deviation in implementations.find(name).deviations:
            if (
                deviation.is_of_cells
                and deviation.scheme == cell.row.scheme.name
                and _is_deviating(deviation, role, cell.row)
                and all(values[key] in chosen for key, chosen in deviation.cells.items())
            ):
                declared.append((name, deviation))
    return declared


def _is_deviating(deviation: Deviation, role: str, row: Row) -> bool:
    """True if a side deviates. An endpoint or a user plane has both roles: a declaration that names one role is only
    about the sender of the first message (compressor) or about the other side (decompressor).
    """
    both = {*row.scheme.roles} - {"compressor", "decompressor"}
    return role in deviation.roles or not both.isdisjoint(deviation.roles)


def settle(
    cell: Cell,
    result: Result,
    explained: Callable[[Sequence[Declared]], Sequence[str]] = lambda declared: (),
    was_met: Callable[[Deviation], bool] = lambda deviation: True,
) -> Result:
    """The changes of a cell's result by declarations; {} if they change nothing.

    A cell that did not pass is unsupported, with both reasons. If only deviations of single packets are declared,
    `explained` gives a sentence for each that explains the failure, or nothing if some of it stays unexplained. A cell
    that passed over a harmless link fails, because the declaration is no longer true; for a deviation of single packets
    only if `was_met` says that there were such packets. Over any other link the deviation may not have been met.
    """
    deviations = matching(cell)
    if result["verdict"] in ("fail", "non-strict"):
        reasons = [
            f"Declared deviation of {name}: {deviation.reason.strip()}"
            for name, deviation in deviations
            if not deviation.is_of_packets
        ]
        if not reasons and result["verdict"] == "fail":
            reasons = list(explained([deviation for deviation in deviations if deviation[1].is_of_packets]))
        else:
            reasons = reasons[:1]
        return (
            {"verdict": "unsupported", "reason": " ".join([*reasons, f"Here: {result['reason']}"])} if reasons else {}
        )
    if result["verdict"] != "pass" or not cell.condition.harmless:
        return {}
    for name, deviation in deviations:
        if not deviation.by_chance and (not deviation.is_of_packets or was_met(deviation)):
            reason = (
                f"{name} declares to deviate here ({deviation.reason.strip()}), but the cell passes: remove the "
                "declaration."
            )
            return {"verdict": "fail", "reason": reason, "signature": NO_MORE}
    return {}


def of_row(row: Row, case: str, requirements: Collection[str]) -> Declared | None:
    """The deviation that one of two implementations declares for a whole row: for its case, or for a requirement that
    the case names; None if there is none.
    """
    for name, role, _ in row.sides:
        for deviation in implementations.find(name).deviations:
            if (case in deviation.cases or deviation.requirement in requirements) and _is_deviating(
                deviation, role, row
            ):
                return name, deviation
    return None


def settle_row(results: Sequence[Result], row: Row, declared: Declared) -> str:
    """Applies a declaration for a whole row to its cells: those that failed become unsupported. If none failed, those
    that passed over a harmless link fail, because the declaration is no longer true. With only a part of the traffic,
    the deviation may not have been met. Returns the reason why the row is unsupported; "" if it is not.
    """
    name, deviation = declared
    failed = [result for result in results if result["verdict"] == "fail" and result["signature"] != NO_MORE]
    for result in failed:
        reason = f"Declared deviation of {name}: {deviation.reason.strip()} Here: {result['reason']}"
        result |= {"verdict": "unsupported", "reason": reason}
    if failed or row.traffic or deviation.by_chance:
        return failed[0]["reason"] if failed else ""
    for result in results:
        if result["verdict"] == "pass" and row.scheme.link(result["link"]).harmless:
            reason = (
                f"{name} declares to deviate here ({deviation.reason.strip()}), but the row passes: remove the "
                "declaration."
            )
            result |= {"verdict": "fail", "reason": reason, "signature": NO_MORE}
    return ""
