# SPDX-License-Identifier: Apache-2.0
"""Cells of the interop matrix: the calls of a row, their faults, and the result of each."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from headroom.core.errors import HeadroomError
from headroom.core.finding import Finding
from headroom.core.matrix import ArtefactStore, Cell, Result, Row
from headroom.core.results import collector
from headroom.core.scheme_kit import evidence
from headroom.core.scheme_kit.cells import LINK, Runner, Trial, fewest, link_of
from headroom.core.scheme_kit.evidence import MinimisedFailure
from headroom.schemes.sigcomp import loss_attribution, metrics
from headroom.schemes.sigcomp.interop import call as talk
from headroom.schemes.sigcomp.interop.call import Call, Exchange
from headroom.schemes.sigcomp.judge import tshark
from headroom.schemes.sigcomp.sip import sequences
from headroom.schemes.sigcomp.sip.sequences import Message

MOST_FINDINGS = 20  # kept in a record


def exchange_of(row: Row, link: str, names: tuple[str, ...] = ()) -> Exchange:
    """The exchange of a row over a link, with the SIP sequences in `names`."""
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
    """The reason why two endpoints cannot run a row, as a sentence; "" if both declare all that it needs and can
    be used on this machine."""
    reason = talk.unsupported(exchange_of(row, row.links[0] if row.links else row.scheme.links[0].name))
    return f"{reason}." if reason else ""


def run(cells: Sequence[Cell], store: ArtefactStore) -> list[Result]:
    """Results of the cells of a row, in their order: the calls over one link condition run together."""
    calls: list[Call] = []
    results = Runner(
        lambda cells, store: _trials(cells, store, calls),
        together=lambda cell: cell.link,
        at_once=lambda: 1,  # the calls of a link condition are engines enough
        failed=_failed,
    ).run(cells, store)
    if calls:
        _measure(calls)
    return results


def _trials(cells: Sequence[Cell], store: ArtefactStore, played: list[Call]) -> list[Trial]:
    """Trials of cells over one link condition; their calls are added to those `played`."""
    exchange = exchange_of(cells[0].row, cells[0].link, tuple(cell.traffic.name for cell in cells))
    calls = talk.run(exchange, {cell.traffic.name: link_of(cell, store) for cell in cells})
    played += calls
    wrong = shortcomings(exchange, calls, _second_opinion)
    collector.current().findings += [Finding(sentence, judge="headroom") for sentence in wrong[:MOST_FINDINGS]]
    return [trial_of(cell, call, wrong, store) for cell, call in zip(cells, calls, strict=True)]


def _failed(cell: Cell, failure: HeadroomError) -> Trial:
    reason = str(failure)
    return Trial("error", reason, reason.splitlines()[0][:160])


def _measure(calls: Sequence[Call]) -> None:
    """Figures of a row for the record."""
    current, result = collector.current(), talk.totals(calls)
    current.metric(metrics.MESSAGES, result["messages"])
    current.metric(metrics.MESSAGES_IDENTICAL, result["identical"])
    current.metric(metrics.COMPRESSED, 100.0 * result["sent_octets"] / result["plain_octets"])
    current.metric(metrics.NACKS, result["nacks"])


def shortcomings(
    exchange: Exchange, calls: Sequence[Call], second: Callable[[Exchange, Sequence[Call]], Sequence[bytes | None]]
) -> list[str]:
    """Sentences about the faults of calls: those of the output or, if it has none, messages that no judge restores.
    `second` returns the output of the second judge for the messages."""
    wrong = talk.shortcomings(exchange, calls)
    if not wrong:
        # tshark keeps what was lost, and knows no compartments.
        alone = not exchange.condition.words and exchange.compartments == 1
        wrong = talk.confirmed(exchange, calls, second(exchange, calls) if alone else ())
    return _before_what_follows(exchange, calls, wrong)


def _before_what_follows(exchange: Exchange, calls: Sequence[Call], wrong: Sequence[str]) -> list[str]:
    """The sentences; those about a call in which a side announces more than it offers give way to that."""
    results = list(wrong)
    for call in calls if talk.is_sigcomp(exchange) else ():
        is_wrong = any(_is_about(sentence, call.sequence) for sentence in wrong)
        if is_wrong and (cause := talk.overstated(exchange, call)):
            results = [*cause, *(sentence for sentence in results if not sentence.startswith(f"{call.sequence}, "))]
    return results


def _second_opinion(exchange: Exchange, calls: Sequence[Call]) -> list[bytes | None]:
    """The output of tshark's UDVM for the messages; empty without tshark. It errs in some instructions, so it is no
    evidence against an implementation."""
    current = collector.current()
    if not talk.is_sigcomp(exchange):
        return []
    if not tshark.is_available():
        current.findings.append(Finding("tshark is not installed, so the second judge is missing.", severity="note"))
        return []
    sent = talk.on_the_link(exchange, calls)
    seen = [reading.output for reading in tshark.read([(sender, octets) for sender, octets, _ in sent])]
    count = sum(octets == message for octets, (_, _, message) in zip(seen, sent, strict=True))
    current.metric(metrics.CONFIRMED_BY_TSHARK, count)
    return seen


def trial_of(cell: Cell, call: Call, wrong: Sequence[str], store: ArtefactStore) -> Trial:
    """The trial of a cell. `wrong` are sentences of `shortcomings` about its row: one that begins with a sequence is
    about its cell; any other is about them all."""
    total = talk.totals([call])
    figures = {
        "packets": total["messages"],
        "delivered": total["identical"],
        "lost": sum(map(loss_attribution.is_lost, call.document["records"])),
        "message_bytes": round(total["sent_octets"] / total["messages"], 1) if total["messages"] else None,
    }
    mine = [sentence for sentence in wrong if _is_about(sentence, call.sequence)]
    if not mine:
        return Trial("pass", figures=figures)
    more = f" And {len(mine) - 1} more." if len(mine) > 1 else ""
    text = signature(mine[0])
    return Trial(
        "fail",
        f"{mine[0]}.{more}",
        text,
        figures,
        text=lambda: [*mine, "", _table(call)],
        smallest=lambda: _smallest(cell, call, text, store),
    )


def _smallest(cell: Cell, call: Call, wished: str, store: ArtefactStore) -> MinimisedFailure | None:
    """The fewest messages of a call with the same signature; None if they do not show it again."""
    exchange = exchange_of(cell.row, cell.link, (call.sequence,))

    def wrong(messages: Sequence[Message], captures: Mapping[str, Path] | None = None) -> tuple[Call, list[str]]:
        (again,) = talk.play(exchange, {call.sequence: tuple(messages)}, captures)
        return again, shortcomings(exchange, [again], lambda *_: ())

    left = fewest(call.messages, lambda chosen: "".join(map(signature, wrong(chosen)[1][:1])), wished)
    if left is None:
        return None
    path, job = evidence.folder_and_job(store.folder_of(cell), talk.job(exchange, call.sequence, left))
    capture = path / LINK
    again, sentences = wrong(left, {call.sequence: capture})
    text = [f"{len(left)} messages", *sentences, "", _table(again)]
    return evidence.minimised(
        len(left), capture, job, text, store, exchange.build, engine_command="messages", items="messages"
    )


def _is_about(sentence: str, sequence: str) -> bool:
    beginning = sentence.partition(", ")[0]
    return beginning == sequence or beginning not in sequences.names()


def signature(sentence: str) -> str:
    """The part of a failure's sentence that all failures of one kind share: the endpoint at fault, as far as the judge
    knows, and the fault."""
    if match := re.search(r" from (\S+): what it is compressed to is restored by no judge \((.*)\)$", sentence):
        return f"{match[1]} · restored by no judge · {match[2]}"
    if match := re.search(r" from (\S+) announces (.*)$", sentence):
        return f"{match[1]} · announces {match[2]}"
    match = re.search(r" from (\S+) to (\S+) is ([a-z ]+?)(?: \(([^)]*)\))?(; .*)?$", sentence)
    if match is None:
        return re.sub(r"\d+", "n", sentence)
    sender, receiver, what, why, judge = match.groups()
    unknown = judge is None or judge.endswith(talk.ALONE)
    who = f"{sender} → {receiver}" if unknown else sender if "cannot" in judge else receiver
    return " · ".join(filter(None, (who, what, why)))


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
