# SPDX-License-Identifier: Apache-2.0
"""Keywords about two SigComp endpoints that have calls with each other."""

from __future__ import annotations

from typing import Any

from robot.api import SkipExecution
from robot.api.deco import keyword
from robot.libraries.BuiltIn import BuiltIn

from headroom.core import capabilities, engine, implementations
from headroom.core.options import split_names
from headroom.core.results import collector
from headroom.core.results.record import Finding
from headroom.core.text import some
from headroom.keywords import verdicts
from headroom.keywords.base import current_run, library
from headroom.schemes.rohc.interop import deviations
from headroom.schemes.rohc.interop.cell import ArtefactStore
from headroom.schemes.sigcomp.interop import call, call_cells
from headroom.schemes.sigcomp.judge import tshark

SEVERAL = 3  # compartments


@library
class CallKeywords:
    """Rows about pairs of endpoints. `headroom.schemes.sigcomp.interop.call` decides what is right."""

    @keyword("Calls Should Be Understood")
    def understood(
        self,
        mechanism: str = call.DEFAULT,
        transport: str = "udp",
        link: str = "clean",
        caller: str | None = None,
        called: str | None = None,
    ) -> None:
        """Every sequence between caller and called party, with new endpoints for each.

        Over a link that does no harm, every message comes out, and a judge restores it, too. Over any other, none comes
        out different, and one that does not come out was lost, or refers to state that was on its way.
        """
        _conclude(mechanism, transport, link, 1, caller, called)

    @keyword("Calls In Several Compartments Should Be Understood")
    def understood_in_several(
        self, mechanism: str = call.DEFAULT, caller: str | None = None, called: str | None = None
    ) -> None:
        """The same call in one compartment after another, three of them, so that they create the same state."""
        _conclude(mechanism, "udp", "clean", SEVERAL, caller, called)


def _conclude(
    mechanism: str, transport: str, link: str, compartments: int, caller: str | None, called: str | None
) -> None:
    """CALLER and CALLED are there in the rows of a matrix, which leave cells and captures."""
    run = current_run()
    names = split_names(str(BuiltIn().get_variable_value("${INTEROP_SEQUENCES}") or ""))
    pair = caller or run.settings.compressor, called or run.settings.decompressor
    row = call.Row(*pair, mechanism, transport, link, run.seed, run.build, names)
    for role, name in (("compressor", row.caller), ("decompressor", row.called)):
        verdicts.note(role, implementations.find(name), run.build)  # type: ignore[arg-type]
    current = collector.current()
    current.parameters |= {"mechanism": mechanism, "transport": transport, "link": link}
    if caller is None:
        calls = call.run(row, compartments)
        wrong = _judged(row, calls, compartments)
        cells = call_cells.results(row, calls, wrong)
        if deviations.settle_calls(cells, row):
            wrong = _left(cells)
    else:
        wrong = _in_a_matrix(row, compartments, ArtefactStore(run.folder))
    if wrong:
        current.findings += [Finding(sentence, judge="headroom") for sentence in wrong[: verdicts.MOST_FINDINGS]]
        raise AssertionError(f"{some(wrong, 3)}.")


def _judged(row: call.Row, calls: list[call.Call], compartments: int) -> list[str]:
    """What is wrong with calls, as sentences; leaves figures for the record."""
    current = collector.current()
    found = call.totals(calls)
    current.metric("messages", found["messages"], "messages")
    current.metric("identical", found["identical"], "messages", "higher")
    current.metric("compressed", 100.0 * found["sent_octets"] / found["plain_octets"], "%", "lower")
    current.metric("nacks", found["nacks"], "messages", "lower")
    wrong = call.shortcomings(row, calls)
    if not wrong:
        alone = row.link == "clean" and compartments == 1  # tshark keeps what was lost, and knows no compartments
        wrong = call.confirmed(row, calls, _second_opinion(row, calls) if alone else ())
    return wrong


def _in_a_matrix(row: call.Row, compartments: int, shop: ArtefactStore) -> list[str]:
    """What is wrong in a row of the matrix, whose cells it leaves in the record. Skips one that a side declares to
    deviate in."""
    current = collector.current()
    current.command = call_cells.command(row)
    current.parameters |= {"kind": "interop", "caller": row.caller, "called": row.called, "build": row.build}
    if reason := call.not_declared(row):
        current.cells = call_cells.without(row, "unsupported", f"{reason}.", compartments)
        raise SkipExecution(f"{reason}.")
    folder = call_cells.folder_of(row, compartments, shop)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        calls = call.run(row, compartments, folder)
        wrong = _judged(row, calls, compartments)
    except (engine.EngineFailure, capabilities.Misbehaviour, capabilities.Inconclusive) as failure:
        current.cells = call_cells.without(row, "error", str(failure), compartments)
        raise
    current.cells = call_cells.results(row, calls, wrong)
    call_cells.keep(current.cells, calls, wrong, folder, shop)
    for cell in current.cells:
        current.files += [(shop.folder / cell[name], name) for name in ("capture", "evidence") if cell.get(name)]
    settled = deviations.settle_calls(current.cells, row)
    case = str(BuiltIn().get_variable_value("${TEST NAME}")).rpartition(": ")[2]
    declared = deviations.of_row((row.caller, row.called), f"interop/sigcomp/{case}", verdicts.requirements_of_case())
    if declared is not None:
        conclusive = row.link in call.HARMLESS and not row.sequences
        deviations.settle_row(current.cells, *declared, conclusive)
    return _left(current.cells) if settled or declared is not None else wrong


def _left(cells: list[dict[str, Any]]) -> list[str]:
    """What is still wrong in cells when declarations have been heeded. Skips the row where those explain it all."""
    wrong = list(dict.fromkeys(cell["reason"].rstrip(".") for cell in cells if cell["verdict"] == "fail"))
    excused = [cell["reason"] for cell in cells if cell["verdict"] == "unsupported"]
    if excused and not wrong:
        raise SkipExecution(excused[0])
    return wrong


def _second_opinion(row: call.Row, calls: list[call.Call]) -> list[bytes | None]:
    """What tshark's UDVM makes of the messages, which errs in some instructions and so is no witness against anybody;
    nothing where there is no tshark."""
    current = collector.current()
    if not call.is_sigcomp(row):
        return []
    if not tshark.available():
        current.findings.append(Finding("tshark is not installed, so the second judge is missing.", severity="note"))
        return []
    sent = call.on_the_link(row, calls)
    seen = [one.output for one in tshark.read([(sender, octets) for sender, octets, _ in sent])]
    count = sum(one == message for one, (_, _, message) in zip(seen, sent, strict=True))
    current.metric("confirmed_by_tshark", count, "messages", "higher")
    return seen
