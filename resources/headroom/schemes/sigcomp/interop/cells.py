# SPDX-License-Identifier: Apache-2.0
"""Cells of the interop matrix: the calls of a row, what is wrong with them, and the result of each."""

import re
from collections.abc import Sequence
from typing import Any

from headroom.core import deviations, engine
from headroom.core.capabilities import Inconclusive, Misbehaviour
from headroom.core.matrix import ArtefactStore, Cell, Result, Row
from headroom.core.results import collector
from headroom.core.results.record import Finding
from headroom.schemes.sigcomp import loss_attribution, metrics
from headroom.schemes.sigcomp.interop import call as talk
from headroom.schemes.sigcomp.interop.call import Call, Exchange
from headroom.schemes.sigcomp.judge import tshark
from headroom.schemes.sigcomp.sip import sequences

MOST_FINDINGS = 20  # kept in a record


def exchange_of(row: Row, link: str, names: tuple[str, ...] = ()) -> Exchange:
    """What a row asks over a link, of some sequences."""
    return Exchange(
        row.compressor,
        row.decompressor,
        row["mechanism"],
        row["transport"],
        link,
        row.seed,
        row.build,
        names,
        int(row["compartments"]),
    )


def unsupported(row: Row) -> str:
    """Why two endpoints cannot run a row, as a sentence; "" when both declare what it takes, and are here."""
    reason = talk.unsupported(exchange_of(row, row.links[0] if row.links else row.scheme.links[0].name))
    return f"{reason}." if reason else ""


def run(cells: Sequence[Cell], store: ArtefactStore) -> list[Result]:
    """Results of the cells of a row, in their order: the calls over one link condition run together."""
    found: dict[tuple[str, str], Result] = {}
    calls: list[Call] = []
    for link in dict.fromkeys(cell.link for cell in cells):
        mine = [cell for cell in cells if cell.link == link]
        for cell, result in zip(mine, _run(mine, store, calls), strict=True):
            found[cell.traffic.name, link] = result
    if calls:
        _measure(calls)
    return [found[cell.traffic.name, cell.link] for cell in cells]


def _run(cells: Sequence[Cell], store: ArtefactStore, played: list[Call]) -> list[Result]:
    """Results of cells over one link condition; their calls are added to those `played`."""
    exchange = exchange_of(cells[0].row, cells[0].link, tuple(cell.traffic.name for cell in cells))
    current = collector.current()
    try:
        calls = talk.run(exchange, {cell.traffic.name: store.folder_of(cell) / "link.pcapng" for cell in cells})
        played += calls
        wrong = shortcomings(exchange, calls)
    except (engine.EngineFailure, Misbehaviour, Inconclusive) as failure:
        if isinstance(failure, engine.EngineFailure):
            if failure.kind == "output":
                raise
            current.crashed = failure.kind == "crash"
        reason = str(failure)
        return [cell.result(reason=reason, signature=reason.splitlines()[0][:160]) for cell in cells]
    current.findings += [Finding(sentence, judge="headroom") for sentence in wrong[:MOST_FINDINGS]]
    results = [result_of(cell, call, wrong) for cell, call in zip(cells, calls, strict=True)]
    for cell, call, result in zip(cells, calls, results, strict=True):
        _keep(cell, call, result, wrong, store)
        result |= deviations.settle(cell, result)
    return results


def _measure(calls: Sequence[Call]) -> None:
    """Figures of a row for the record."""
    current, found = collector.current(), talk.totals(calls)
    current.metric(metrics.MESSAGES, found["messages"])
    current.metric(metrics.MESSAGES_IDENTICAL, found["identical"])
    current.metric(metrics.COMPRESSED, 100.0 * found["sent_octets"] / found["plain_octets"])
    current.metric(metrics.NACKS, found["nacks"])


def shortcomings(exchange: Exchange, calls: Sequence[Call]) -> list[str]:
    """What is wrong with calls, as sentences: what came out, and then whether judges restore it, too."""
    wrong = talk.shortcomings(exchange, calls)
    if wrong:
        return wrong
    # tshark keeps what was lost, and knows no compartments.
    alone = not exchange.condition.words and exchange.compartments == 1
    return talk.confirmed(exchange, calls, _second_opinion(exchange, calls) if alone else ())


def _second_opinion(exchange: Exchange, calls: Sequence[Call]) -> list[bytes | None]:
    """What tshark's UDVM makes of the messages; nothing where there is no tshark. It errs in some instructions, so it
    is no evidence against an implementation."""
    current = collector.current()
    if not talk.is_sigcomp(exchange):
        return []
    if not tshark.available():
        current.findings.append(Finding("tshark is not installed, so the second judge is missing.", severity="note"))
        return []
    sent = talk.on_the_link(exchange, calls)
    seen = [one.output for one in tshark.read([(sender, octets) for sender, octets, _ in sent])]
    count = sum(one == message for one, (_, _, message) in zip(seen, sent, strict=True))
    current.metric(metrics.CONFIRMED_BY_TSHARK, count)
    return seen


def result_of(cell: Cell, call: Call, wrong: Sequence[str]) -> Result:
    """The result of a cell. `wrong` are sentences of `shortcomings` about its row: one that begins with a sequence is
    about its cell; any other is about them all."""
    total = talk.totals([call])
    result = cell.result(
        packets=total["messages"],
        delivered=total["identical"],
        lost=sum(map(loss_attribution.lost, call.document["records"])),
        message_bytes=round(total["sent_octets"] / total["messages"], 1) if total["messages"] else None,
        verdict="pass",
    )
    mine = [one for one in wrong if _is_about(one, call.sequence)]
    if mine:
        more = f" And {len(mine) - 1} more." if len(mine) > 1 else ""
        result |= {"verdict": "fail", "reason": f"{mine[0]}.{more}", "signature": signature(mine[0])}
    return result


def _is_about(sentence: str, sequence: str) -> bool:
    beginning = sentence.partition(", ")[0]
    return beginning == sequence or beginning not in sequences.names()


def signature(sentence: str) -> str:
    """What is the same wherever the same goes wrong: whose fault it is, as far as the judge says, and what."""
    if found := re.search(r" from (\S+): what it is compressed to is restored by no judge \((.*)\)$", sentence):
        return f"{found[1]} · restored by no judge · {found[2]}"
    found = re.search(r" from (\S+) to (\S+) is ([a-z ]+?)(?: \(([^)]*)\))?(; .*)?$", sentence)
    if found is None:
        return re.sub(r"\d+", "n", sentence)
    sender, receiver, what, why, judge = found.groups()
    who = f"{sender} → {receiver}" if judge is None else sender if "cannot" in judge else receiver
    return " · ".join(filter(None, (who, what, why)))


def _keep(cell: Cell, call: Call, result: Result, wrong: Sequence[str], store: ArtefactStore) -> None:
    """Packs the capture of a cell, and writes what went wrong beside it where it did not pass."""
    folder = store.folder_of(cell)
    capture = folder / "link.pcapng"
    if capture.is_file():
        result["capture"] = store.packed(capture)
    if result["verdict"] == "fail":
        evidence = folder / "evidence.txt"
        lines = [result["reason"], "", *(one for one in wrong if _is_about(one, call.sequence)), "", _table(call)]
        lines += ["", f"repeat: {result['command']}"]
        evidence.write_text("\n".join(lines) + "\n", encoding="utf-8")
        result["evidence"] = store.name(evidence)


def _table(call: Call) -> str:
    """Message by message: what became of it."""
    lines = []
    for record in call.document["records"]:
        compressed: dict[str, Any] = record.get("compressed", {})
        what = ", ".join(loss_attribution.reasons(record)) or "-"
        fate = record.get("link", {}).get("fate", "-")
        lines.append(
            f"{record['message'] + 1:4} {record['from']} compartment {record['compartment']} "
            f"{call.of_record(record).name}: {record['length']} octets, {compressed.get('length', '-')} on the link, "
            f"{fate}, {record['verdict']}, {what}; {compressed.get('octets', '')[:64]}"
        )
    return "\n".join(lines)
