# SPDX-License-Identifier: Apache-2.0
"""The thesis of J. Mäenpää (2005): lengths of SigComp messages without the bytecode that they bring.

The thesis's bytecode is not printed, only its length (Table 15), and ours is another program. What the method decides
is the rest: header, identifiers of state, announcements and compressed data. So a message that brings bytecode is also
compared without it: of the thesis's length what Table 15 has for the mechanism and memory is taken away, of ours what
the message brings, as its header says (RFC 3320, Figure 3). The header itself stays on both sides.

A message of the thesis brings bytecode when it is longer than its compressed data by that length or more. Table 15 is
measured with priorities 1 to 3; of the whole dictionary the thesis's bytecode has an octet less, because there the
operand that says where the strings begin is 0 (appendix B, row 40; RFC 3320, Figure 10).
"""

from collections.abc import Callable
from dataclasses import replace

from headroom.core.papers.paper import Figure, Paper, Table, beside
from headroom.core.results.record import Item
from headroom.schemes.sigcomp.papers.maenpaa_2005_runs import Configuration, Exchange, MeasuredMessage

COLUMN = "without-bytecode"
RATIO = "compression ratio"  # as the columns of Tables 14 and 16 are called
# WITHIN is the tolerance of a figure without bytecode, as a share of the paper's. A shorter message is non-strict.
WITHIN = 0.02
WHOLE_DICTIONARY = 5  # priorities 1 to that
ROWS = {  # of Table 15
    "basic": "stateful-and-stateless-basic-compression",
    "static": "stateful-and-stateless-static-compression",
    "dynamic": "dynamic-compression",
    "shared": "shared-compression",
}


def length(paper: Paper, configuration: Configuration) -> int | None:
    """Length of the thesis's bytecode by Table 15, octets; None if it has none for this memory."""
    mechanism = configuration.mechanism.rpartition("-")[2]
    figure = paper.items.get(f"table-15.{ROWS[mechanism]}.code-{configuration.memory}")
    if figure is None or figure.paper is None:
        return None
    return int(figure.paper) - int(mechanism != "basic" and configuration.priority == WHOLE_DICTIONARY)


def lengths(
    paper: Paper, where: str, table: Table, exchange: Exchange, rows: list[list[MeasuredMessage]]
) -> tuple[Table, list[Item]]:
    """The table of an appendix with one more column, and the figures of that column; `rows` as the table has them.

    Without a change where nothing can be taken away, or no message brings bytecode.
    """
    code = length(paper, exchange.configuration)
    items: dict[str, Item] = {}
    if code is not None and not exchange.missing:
        uploads = {name: _uploads(paper, identities, code) for name, identities in table.rows}
        for (name, identities), sent in zip(table.rows, rows, strict=True):
            theirs = _cell(paper, identities, "sigcomp")
            ours = sum(message.code for message in sent)
            count = uploads[name]
            if name.startswith("TOTAL"):
                count = sum(uploads[other] or 0 for other, _ in table.rows[: len(sent)])
            if theirs is None or count is None or not (count or ours):
                continue
            as_many = sum(message.code > 0 for message in sent) == count
            items[name] = _beside(
                where, identities, name, theirs - count * code, sent, f"{theirs:g} - {count} x {code}", as_many
            )
    return (_widened(table, items), list(items.values())) if items else (table, [])


def explained(items: list[Item]) -> list[Item]:
    """The figures; the note of a figure that is better than the thesis's says so if the bytecode alone is the
    reason."""
    without = {item.id: item for item in items if item.id.endswith(COLUMN)}

    def described(item: Item) -> Item:
        row, _, column = item.id.rpartition(".")
        other = without.get(f"{row}.{COLUMN}" if column == "sigcomp" else f"{item.id}-{COLUMN}")
        if item.verdict == "non-strict" and other and other.verdict == "pass":
            return replace(item, note=f"{item.note}; without bytecode within {100 * WITHIN:g} %")
        return item

    return [described(item) for item in items]


def _cell(paper: Paper, identities: tuple[str, ...], column: str) -> float | None:
    """The thesis's value in a column of a row; None if it has none."""
    return next((paper.items[identity].paper for identity in identities if identity.endswith(f".{column}")), None)


def _uploads(paper: Paper, identities: tuple[str, ...], code: int) -> int | None:
    """1 if the thesis's message uploads bytecode, 0 if not; None if the thesis does not say."""
    compressed, sigcomp = (_cell(paper, identities, column) for column in ("compressed", "sigcomp"))
    return None if compressed is None or sigcomp is None else int(sigcomp - compressed >= code)


def _beside(
    where: str,
    identities: tuple[str, ...],
    name: str,
    theirs: float,
    sent: list[MeasuredMessage],
    arithmetic: str,
    as_many: bool,
) -> Item:
    """`as_many`: as many messages bring bytecode as of the thesis's. Otherwise shorter is another thing, not better."""
    figure = Figure(
        id=f"{identities[0].rpartition('.')[0]}.{COLUMN}",
        where=where,
        quantity=f"{name}: length of the SigComp message, without bytecode",
        unit="octets",
        paper=None,
        model=theirs,
        kind="must-match",
        within={"share": WITHIN},
        better="lower" if as_many else "",
        if_better="non-strict",
    )
    ours, code = sum(entry.sigcomp for entry in sent), sum(entry.code for entry in sent)
    return beside(figure, ours - code, note=f"the thesis's: {arithmetic}; ours: {ours} - {code}")


def _widened(table: Table, items: dict[str, Item]) -> Table:
    rows = tuple((name, (*ids, items[name].id if name in items else "")) for name, ids in table.rows)
    return replace(
        table, columns=(*table.columns, "length of the SigComp message, without bytecode, octets"), rows=rows
    )


def ratios(paper: Paper, table: Table, run: Callable[[str, str], Exchange]) -> tuple[Table, list[Item]]:
    """A table of compression ratios with each column once more, without bytecode, and the figures of these columns.

    `run(row, column)` is the sequence behind a figure.
    """
    items: list[Item] = []
    rows = []
    for name, identities in table.rows:
        added = [
            _ratio(paper.items[identity], paper, run(name, identity.rpartition(".")[2]))
            for identity in identities
            if identity
        ]
        items += [item for item in added if item]
        rows.append((name, (*identities, *(item.id if item else "" for item in added))))
    columns = (*table.columns, *(title.replace(RATIO, f"{RATIO} without bytecode") for title in table.columns))
    return replace(table, columns=columns, rows=tuple(rows)), items


def _ratio(figure: Figure, paper: Paper, exchange: Exchange) -> Item | None:
    """None if nothing can be taken away.

    The thesis's octets follow from its ratio, to half an octet: a hundredth of a per cent of some 10,000. As many of
    its messages bring bytecode as of ours; were that wrong by one, the two would be 200 octets apart.
    """
    code = length(paper, exchange.configuration)
    if code is None or figure.paper is None or not exchange.sent:
        return None
    plain = sum(message.plain for message in exchange.sent)
    ours = sum(message.sigcomp - message.code for message in exchange.sent)
    count = sum(message.code > 0 for message in exchange.sent)
    derived = replace(
        figure,
        id=f"{figure.id}-{COLUMN}",
        quantity=figure.quantity.replace(RATIO, f"{RATIO} without bytecode"),
        paper=None,
        model=round(figure.paper - 100 * count * code / plain, 2),
        within={"share": WITHIN},
    )
    note = f"the thesis's: {figure.paper:g} % - {count} x {code} of {plain:,} octets"
    return beside(derived, 100 * ours / plain, note=note)
