# SPDX-License-Identifier: Apache-2.0
"""The thesis of J. Mäenpää (2005), phases one and two: Tables 10 to 16, chapters 9 and 10, appendices D to L.

What its tables were measured with is data (reports/papers/maenpaa-2005.yaml and the folder beside it), and how such a
configuration is measured is in maenpaa_2005_runs.py. Nothing is fitted: every table takes what its configuration gives.
Phase three, the P-CSCF under load, is in maenpaa_2005_load.py.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median, stdev
from typing import Protocol

from headroom.core.papers.measured import PaperMeasurement
from headroom.core.papers.paper import Paper, Table, beside
from headroom.core.results.record import Item, Series
from headroom.schemes.sigcomp.papers import maenpaa_2005_bytecode as bytecode
from headroom.schemes.sigcomp.papers.maenpaa_2005_runs import (
    Configuration,
    Exchange,
    MeasuredMessage,
    cell,
    chart,
    mean_state,
)
from headroom.schemes.sigcomp.sip import counted


class Runner(Protocol):
    """A runner of configurations, such as `maenpaa_2005_runs.Runner`."""

    def __call__(self, configuration: Configuration) -> Exchange: ...

    def in_turn(self, configurations: Sequence[Configuration]) -> list[Exchange]: ...


VIDEO = Configuration("3gpp-video-call", 12, "udp", 8192, "shared", priority=5, shared=500)  # sections 9.1 to 9.4
# Table 14: "maximum values were used".
LARGEST = replace(VIDEO, shared=1500)
MEMORIES = (4096, 8192, 16384)
MECHANISMS = {
    "Stateless basic compression": "stateless-basic",
    "Stateful basic compression": "stateful-basic",
    "Stateless static compression": "stateless-static",
    "Stateful static compression": "stateful-static",
    "Dynamic compression": "dynamic",
    "Shared compression": "shared",
}
ORDER = tuple(MECHANISMS)  # Figure 43: worst first
BIT_RATES = (9600, 12200, 16000, 32000, 64000, 128000, 256000)  # 2.1, bit/s
ROUND_TRIP = 0.07  # 2.1, s

NO_SPLIT = "no code was read as bits, so that nothing tells where the compressed data begins"
NO_STATE = "no message went through the second judge"
NO_SPREAD = "a standard deviation needs two repetitions"


@dataclass(frozen=True)
class Place:
    """A table or figure of the thesis, with its paper and the function that measures it."""

    paper: Paper
    where: str
    run: Runner

    def beside(self, identity: str, value: float | None, why: str = "", **more: object) -> Item:
        """A figure of the place; `why` stands where there is no value."""
        figure = self.paper.items[identity]
        return beside(figure, value, note=why if value is None else "", **more)  # type: ignore[arg-type]

    def of_tables(self, value: Callable[[str, str], tuple[float | None, str]]) -> list[Item]:
        """The figures of the place's tables; `value(row, column)` gives each, and why it is missing."""
        return [
            self.beside(identity, *value(row, identity.rpartition(".")[2]))
            for table in self.paper.tables[self.where]
            for row, identities in table.rows
            for identity in identities
            if identity
        ]


def why_missing(exchange: Exchange, column: str) -> str:
    """The reason why a column has no value, whether or not its sequence went through."""
    if exchange.missing:
        return exchange.missing
    if column.startswith("spread"):
        return NO_SPREAD
    if column.startswith(("time", "cpu", "sequence")):
        return exchange.missing_times or "the calls were not timed"
    return exchange.unseen or (NO_STATE if column == "state" else NO_SPLIT)


# ---- appendices


def appendix(place: Place) -> PaperMeasurement:
    """The tables of one configuration, message by message."""
    configuration = Configuration(**place.paper.configurations[place.where])
    exchange = place.run(configuration)
    saved = None
    if configuration.mechanism.startswith("stateless"):
        saved = place.run(replace(configuration, mechanism=configuration.mechanism.replace("stateless", "stateful")))
    items: list[Item] = []
    tables: list[Table] = []
    for table in place.paper.tables[place.where]:
        widened, without = bytecode.lengths(place.paper, place.where, table, exchange, rows_of(table, exchange))
        items += without
        tables.append(widened)
        for (_, identities), rows in zip(table.rows, rows_of(table, exchange), strict=True):
            for identity in filter(None, identities):
                column = identity.rpartition(".")[2]
                value = cell(exchange, rows, column, saved)
                why = why_missing(exchange, column) if value is None else ""
                items.append(_explained(place.beside(identity, value, why, runs=_runs(rows, column)), rows))
    return PaperMeasurement(bytecode.explained(items), [], {place.where: tuple(tables)})


def _explained(item: Item, rows: list[MeasuredMessage]) -> Item:
    """Adds the octets of bytecode, which differs from the thesis's, to the note of a length that differs."""
    code = sum(message.code for message in rows)
    if item.verdict == "pass" or not code or not item.id.endswith(".sigcomp"):
        return item
    return replace(item, note=f"{item.note}; {code} octets of it are bytecode")


def rows_of(table: Table, exchange: Exchange) -> list[list[MeasuredMessage]]:
    """The messages of each row: one message; for TOTAL, all that count; for `TOTAL without …`, fewer."""
    rows: list[list[MeasuredMessage]] = []
    for number, (name, _) in enumerate(table.rows):
        if name.startswith("TOTAL without"):
            rows.append(exchange.sent[: -1 - name.count(" and ")])
        elif name == "TOTAL":
            rows.append(exchange.sent[: exchange.configuration.total or len(exchange.sent)])
        else:
            rows.append(exchange.sent[number : number + 1])
    return rows


def _runs(rows: list[MeasuredMessage], column: str) -> int | None:
    kind, _, what = column.partition("-")
    return len(getattr(rows[0], what)) if rows and kind in ("time", "cpu", "spread") else None


def hash_map(place: Place) -> PaperMeasurement:
    """Appendix D, 14.4.3: times inside the compressor."""
    why = "the steps of one call of a compressor are not distinct at its interface"
    return PaperMeasurement([beside(figure, None, note=why) for figure in place.paper.of(place.where)])


HASHINGS = 101  # trials of each input, an odd number
HASHED = {"200 OK (3)": 9, "ACK": 11, "PRACK (2)": 8, "200 OK (1)": 4, "200 OK (4)": 10, "183 Session Progress": 2}


def sha1(place: Place) -> PaperMeasurement:
    """Appendix G: SHA-1 over messages and memories, with OpenSSL, which the reference uses as well."""
    messages = counted.load(VIDEO.sequence)
    rows = [row for row, _ in place.paper.tables[place.where][0].rows]
    inputs = {
        row: messages[HASHED[row]].octets if row in HASHED else bytes(int(row.rpartition(" ")[2])) for row in rows
    }
    # Rows alternate, so that an interruption of the machine affects a few trials of each.
    trials = [{row: _hashing(octets) for row, octets in inputs.items()} for _ in range(HASHINGS)]
    values = {}
    for row, octets in inputs.items():
        times = [trial[row] for trial in trials]
        values[row] = {"octets": len(octets), "sha1-time": median(times), "sha1-spread": stdev(times)}
    points = [{"x": value["octets"], "y": value["sha1-time"]} for value in values.values()]
    items = place.of_tables(lambda row, column: (values[row][column], ""))
    theirs = [
        {"x": place.paper.items[ids[0]].paper, "y": place.paper.items[ids[1]].paper}
        for _, ids in place.paper.tables[place.where][0].rows
    ]
    return PaperMeasurement(
        items, [chart("figure-42", "here", points), chart("figure-42", "Pentium 4 HT 3.0 GHz", theirs)]
    )


def _hashing(octets: bytes, times: int = 50) -> float:
    """Time of one SHA-1, µs: the mean over so many, without that of the calls around it."""
    clock = time.perf_counter_ns
    start = clock()
    for _ in range(times):
        hashlib.sha1(octets, usedforsecurity=False)
    middle = clock()
    for _ in range(times):
        hashlib.sha1(b"", usedforsecurity=False)
    return max(1e-3, ((middle - start) - (clock() - middle)) / times / 1e3)


# ---- chapter 9


def table_10(place: Place) -> PaperMeasurement:
    """Linear search and hashing: their times, and whether their results agree."""
    linear, hashed = place.run.in_turn([replace(VIDEO, search="linear"), VIDEO])
    times = {name: cell(run, run.sent, "sequence-compression") for name, run in (("linear", linear), ("hash", hashed))}
    faster = times["linear"] / times["hash"] if times["linear"] and times["hash"] else None
    why = why_missing(hashed, "sequence-compression")
    away = [abs(a.sigcomp - b.sigcomp) for a, b in zip(linear.sent, hashed.sent, strict=True)]
    items = [
        place.beside("table-10.linear", times["linear"], why),
        place.beside("table-10.hash", times["hash"], why),
        place.beside("table-10.faster", faster, why),
        place.beside("table-10.memory-linear", None, "the memory of a search is not distinct from the endpoint's"),
        place.beside("table-10.memory-hash", None, "the memory of a search is not distinct from the endpoint's"),
        place.beside("table-10.same", sum(away) if away else None, hashed.missing),
    ]
    series = [
        _by_message("figure-39", name, run, "compression") for name, run in (("linear", linear), ("hash", hashed))
    ]
    return PaperMeasurement(items, [s for s in series if s.points])


def _with(place: Place, runs: dict[str, Exchange]) -> list[Item]:
    """The tables of a place whose rows are a configuration each."""

    def value(row: str, column: str) -> tuple[float | None, str]:
        run = runs[row]
        return cell(run, run.sent, column), why_missing(run, column)

    return place.of_tables(value)


def table_11(place: Place) -> PaperMeasurement:
    """Length of the look-ahead buffer."""
    runs = {f"{bits} bits": place.run(replace(VIDEO, length_bits=bits)) for bits in (4, 6, 8)}
    sizes = {name: cell(run, run.sent, "compressed") for name, run in runs.items()}
    items = _with(place, runs)
    for identity, first, second in (("4-to-6", "4 bits", "6 bits"), ("6-to-8", "6 bits", "8 bits")):
        items.append(_ratio(place, f"table-11.{identity}", sizes[first], sizes[second], runs[first]))
    return PaperMeasurement(items)


def table_12(place: Place) -> PaperMeasurement:
    """Shared state length."""
    runs = {f"{octets} octets": place.run(replace(VIDEO, shared=octets)) for octets in (500, 750, 1000, 1500)}
    sizes = {name: cell(run, run.sent, "compressed") for name, run in runs.items()}
    more = _ratio(place, "table-12.500-to-1500", sizes["500 octets"], sizes["1500 octets"], runs["500 octets"])
    return PaperMeasurement([*_with(place, runs), more])


def table_13(place: Place) -> PaperMeasurement:
    """Static dictionary priorities."""
    names = ["1 only", *(f"1 to {most}" for most in range(2, 6))]
    runs = {name: place.run(replace(VIDEO, priority=most)) for most, name in enumerate(names, 1)}

    def value(row: str, column: str) -> tuple[float | None, str]:
        run = runs[row]
        if column == "dictionary":
            return run.dictionary, run.missing or run.unseen or "the bytecode loads no state"
        return cell(run, run.sent, column), why_missing(run, column)

    lines = [_by_message("figure-41", name, run, "compression") for name, run in runs.items()]
    return PaperMeasurement(place.of_tables(value), [line for line in lines if line.points])


def table_14(place: Place) -> PaperMeasurement:
    """Compression ratios by mechanism and memory, in per cent of the uncompressed octets."""
    runs = {
        (name, memory): place.run(replace(LARGEST, mechanism=mechanism, memory=memory))
        for name, mechanism in MECHANISMS.items()
        for memory in MEMORIES
    }
    ratios = {key: _percent(run) for key, run in runs.items()}

    def value(row: str, column: str) -> tuple[float | None, str]:
        key = (row, int(column.rpartition("-")[2]))
        return ratios[key], runs[key].missing

    items = place.of_tables(value)
    (table,) = place.paper.tables[place.where]
    widened, without = bytecode.ratios(
        place.paper, table, lambda row, column: runs[row, int(column.rpartition("-")[2])]
    )
    items += without
    names = list(MECHANISMS)
    steps = [
        ratios[kind, memory] > ratios[other, memory]  # type: ignore[operator]
        for memory in MEMORIES
        for kind, other in pairwise(ORDER)
        if ratios[kind, memory] is not None and ratios[other, memory] is not None
    ]
    some = runs[names[0], 8192]
    items.append(place.beside("table-14.order", sum(steps) if steps else None, some.missing))
    shared = {memory: ratios["Shared compression", memory] for memory in MEMORIES}
    items.append(_ratio(place, "table-14.memory", shared[4096], shared[8192], some))
    items.append(_ratio(place, "table-14.no-more", shared[16384], shared[8192], some))
    series = [
        chart("figure-43", who, [{"x": _short(name), "y": y} for name in names if (y := source(name)) is not None])
        for who, source in (
            ("thesis", lambda name: place.paper.items[_cell_of(place, name, "ratio-memory-8192")].paper),
            ("here", lambda name: ratios[name, 8192]),
        )
    ]
    series += [
        _by_message("figure-44", _short(name), runs[name, 8192], "ratio")
        for name in names
        if not name.startswith("Stateful")
    ]
    return PaperMeasurement(bytecode.explained(items), [s for s in series if s.points], {place.where: (widened,)})


def _short(mechanism: str) -> str:
    """A mechanism as charts name it."""
    return mechanism.removesuffix(" compression").lower()


def _cell_of(place: Place, row: str, column: str) -> str:
    rows = {name: ids for table in place.paper.tables[place.where] for name, ids in table.rows}
    return next(identity for identity in rows[row] if identity.endswith(f".{column}"))


def table_15(place: Place) -> PaperMeasurement:
    """Bytecode lengths in the first message."""
    of = {
        "Stateful and stateless basic compression": "stateful-basic",
        "Stateful and stateless static compression": "stateful-static",
        "Dynamic compression": "dynamic",
        "Shared compression": "shared",
    }

    def value(row: str, column: str) -> tuple[float | None, str]:
        memory = int(column.rpartition("-")[2])
        run = place.run(replace(VIDEO, mechanism=of[row], memory=memory, priority=3))
        return (run.sent[0].code or None) if run.sent else None, run.missing or "no bytecode in the first message"

    return PaperMeasurement(place.of_tables(value))


SEQUENCES = {
    "Basic voice call": "Appendix L 14.12.1",
    "Basic video call": "Appendix L 14.12.2",
    "PoC session establishment": "Appendix L 14.12.3",
    "Registration": "Appendix L 14.12.4",
    "3GPP video call": "Appendix L 14.12.5",
    "3GPP video call with RE-INVITE": "Appendix L 14.12.6",
    "3GPP video call with RE-INVITE and reliable delivery of provisional responses": "Appendix L 14.12.7",
}


# As charts name them; a comma begins a new line.
SHORT = {
    "Appendix L 14.12.1": "voice",
    "Appendix L 14.12.2": "video",
    "Appendix L 14.12.3": "PoC",
    "Appendix L 14.12.4": "registration",
    "Appendix L 14.12.5": "3GPP video",
    "Appendix L 14.12.6": "3GPP video, RE-INVITE",
    "Appendix L 14.12.7": "3GPP video, RE-INVITE, reliable",
}


def table_16(place: Place) -> PaperMeasurement:
    """Compression ratios of the sequences over TCP and UDP."""
    runs = {}
    for name, where in SEQUENCES.items():
        config = Configuration(**place.paper.configurations[where])
        config = replace(config, messages=min(config.messages, 4) if name.startswith("PoC") else config.messages)
        runs |= {(name, transport): place.run(replace(config, transport=transport)) for transport in ("tcp", "udp")}

    def value(row: str, column: str) -> tuple[float | None, str]:
        run = runs[row, column.rpartition("-")[2]]
        return _percent(run), run.missing

    items = place.of_tables(value)
    (table,) = place.paper.tables[place.where]
    widened, without = bytecode.ratios(place.paper, table, lambda row, column: runs[row, column.rpartition("-")[2]])
    items += without
    voice = {transport: _percent(runs["Basic voice call", transport]) for transport in ("tcp", "udp")}
    some = runs["Basic voice call", "tcp"]
    items.append(_ratio(place, "table-16.tcp-voice", voice["tcp"], voice["udp"], some))
    alone = _percent(runs["Registration", "tcp"])
    items.append(place.beside("table-16.registration", alone / 100 if alone else None, some.missing))
    lines = {
        "uncompressed": lambda run: sum(message.plain for message in run.sent),
        "SigComp, TCP": lambda run: sum(message.sigcomp for message in run.sent),
    }
    series = [
        chart(
            "figure-57", label, [{"x": SHORT[where], "y": size(runs[name, "tcp"])} for name, where in SEQUENCES.items()]
        )
        for label, size in lines.items()
        if not some.missing
    ]
    for what in ("compression", "decompression"):
        points = [
            {"x": SHORT[where], "y": 1000 * spent}
            for name, where in SEQUENCES.items()
            if (spent := cell(runs[name, "tcp"], _compressed(runs[name, "tcp"]), f"sequence-{what}")) is not None
        ]
        series.append(chart("figure-58", what, points))
    return PaperMeasurement(bytecode.explained(items), [s for s in series if s.points], {place.where: (widened,)})


def _compressed(exchange: Exchange) -> list[MeasuredMessage]:
    """The messages that were not sent as they are."""
    return [message for number, message in enumerate(exchange.sent, 1) if number != exchange.configuration.plain]


def section_9_8(place: Place) -> PaperMeasurement:
    """UDP and TCP beside each other, from the configurations of appendix J."""
    pairs = {
        "video-dynamic": ("Appendix J 14.10.2.1", "Appendix J 14.10.1.1"),
        "video-shared": ("Appendix J 14.10.2.2", "Appendix J 14.10.1.2"),
        "voice-dynamic": ("Appendix J 14.10.2.3", "Appendix I 14.9.1.3"),
        "voice-shared": ("Appendix J 14.10.2.4", "Appendix I 14.9.2.3"),
    }
    items: list[Item] = []
    points: dict[str, list[dict[str, object]]] = {"UDP": [], "TCP": []}
    for name, wheres in pairs.items():
        tcp, udp = (place.run(Configuration(**place.paper.configurations[where])) for where in wheres)
        items.append(_ratio(place, f"section-9-8.{name}", _percent(tcp), _percent(udp), tcp))
        call, _, mechanism = name.partition("-")
        for label, run in (("UDP", udp), ("TCP", tcp)):
            if (ratio := _percent(run)) is not None:
                points[label].append({"x": f"{call} call, {mechanism}", "y": ratio})
    return PaperMeasurement(items, [chart("figures-49-50", label, some) for label, some in points.items() if some])


def figures_45_and_46(place: Place) -> PaperMeasurement:
    """Times by mechanism and memory."""
    kinds = {"basic": "stateless-basic", "static": "stateless-static", "dynamic": "dynamic", "shared": "shared"}
    question = {
        (kind, memory): replace(LARGEST, mechanism=mechanism, memory=memory)
        for kind, mechanism in kinds.items()
        for memory in MEMORIES
    }
    runs = dict(zip(question, place.run.in_turn(list(question.values())), strict=True))
    spent = {key: cell(run, run.sent, "sequence-compression") for key, run in runs.items()}
    some = runs["basic", 8192]
    items = [
        _ratio(place, f"figures-45-46.{kind}", spent[kind, 8192], spent["basic", 8192], some, "sequence-compression")
        for kind in ("shared", "dynamic")
    ]
    for memory in (4096, 8192):
        took = {kind: cell(runs[kind, memory], runs[kind, memory].sent, "sequence-decompression") for kind in kinds}
        dynamic, others = took.pop("dynamic"), [value for value in took.values() if value]
        least = min(others, default=None)
        items.append(_ratio(place, f"figures-45-46.least-{memory}", dynamic, least, some, "sequence-decompression"))
    series = []
    for what in ("compression", "decompression"):
        for memory in MEMORIES:
            points = [
                {"x": kind, "y": 1000 * number}
                for kind in kinds
                if (number := cell(runs[kind, memory], runs[kind, memory].sent, f"sequence-{what}")) is not None
            ]
            series.append(chart(f"figure-{45 if what == 'compression' else 46}", f"{memory:,} octets", points))
    return PaperMeasurement(items, [s for s in series if s.points])


def figure_47(place: Place) -> PaperMeasurement:
    """State memory of both endpoints."""
    runs = {
        (kind, memory): place.run(replace(LARGEST, mechanism=kind, memory=memory))
        for kind in ("dynamic", "shared")
        for memory in MEMORIES
    }
    state = {key: mean_state(run) for key, run in runs.items()}
    why = why_missing(runs["dynamic", 4096], "state")
    values = {
        "shared": (state["shared", 4096], state["dynamic", 4096]),
        "doubled": (state["dynamic", 8192], state["dynamic", 4096]),
    }
    items = [
        place.beside(f"figure-47.{name}", first / second if first and second else None, why)
        for name, (first, second) in values.items()
    ]
    series = [
        chart("figure-47", kind, [{"x": f"{m:,} octets", "y": number} for m in MEMORIES if (number := state[kind, m])])
        for kind in ("dynamic", "shared")
    ]
    return PaperMeasurement(items, [s for s in series if s.points])


PROCESSORS = {  # as the chart names them
    "Pentium 4 Hyper-Threading 3.0 GHz": "P4 HT 3.0 GHz",
    "Pentium 4 2.66 GHz": "P4 2.66 GHz",
    "Pentium 4 1.8 GHz": "P4 1.8 GHz",
    "Pentium M 1.6 GHz": "PM 1.6 GHz",
    "Pentium III 600 MHz": "PIII 600 MHz",
}


def figures_51_and_52(place: Place) -> PaperMeasurement:
    """Times of five processors of the thesis, and of this one."""
    video = place.run(Configuration(**place.paper.configurations[place.where]))
    voice = place.run(Configuration(**place.paper.configurations["Appendix K 14.11.1.2"]))
    of = {"Video": (video, video.sent), "Voice": (voice, voice.sent[: voice.configuration.total])}

    def value(row: str, column: str) -> tuple[float | None, str]:
        exchange, rows = of[row.partition(" ")[0]]
        return cell(exchange, rows, column), why_missing(exchange, column)

    series = []
    for call, (exchange, rows) in of.items():
        for what in ("compression", "decompression"):
            ours = cell(exchange, rows, f"sequence-{what}")
            points = [
                {
                    "x": PROCESSORS[row.partition(", ")[2]],
                    "y": (place.paper.items[ids[0 if what == "compression" else 1]].paper or 0) / 1e3,
                }
                for row, ids in place.paper.tables[place.where][0].rows
                if row.startswith(call)
            ]
            if ours is not None:
                points.append({"x": "here", "y": ours})
            series.append(chart("figures-51-52", f"{call.lower()}, {what}", points))
    return PaperMeasurement(place.of_tables(value), series)


# ---- delay


def delay(sizes: Sequence[int], bit_rate: float, each: float) -> float:
    """Delay of messages one after the other (equation 2.1), s: octets over the bit rate, and so much for each."""
    return sum(8 * size / bit_rate + each for size in sizes)


def figure_2(place: Place) -> PaperMeasurement:
    """Uncompressed messages over links of 9.6 to 256 kbit/s."""
    exchange = place.run(Configuration(**place.paper.configurations[place.where]))
    sizes = [message.plain for message in exchange.sent]
    items = []
    for figure in place.paper.of(place.where):
        half = "equation" in figure.id
        rate = int(figure.id.rpartition(".")[2].rpartition("-")[2])
        each = ROUND_TRIP / 2 if half else ROUND_TRIP
        items.append(place.beside(figure.id, delay(sizes, rate, each) if sizes else None, exchange.missing))
    return PaperMeasurement(items)


def figure_53(place: Place) -> PaperMeasurement:
    """The delays of figure 2 with SigComp, and the gain."""
    exchange = place.run(Configuration(**place.paper.configurations[place.where]))
    plain, sigcomp = [sent.plain for sent in exchange.sent], [sent.sigcomp for sent in exchange.sent]
    items = []
    for figure in place.paper.of(place.where):
        value = None
        if plain:
            rate = int(figure.id.rpartition(".")[2].rpartition("-")[2])
            before, after = (delay(sizes, rate, ROUND_TRIP) for sizes in (plain, sigcomp))
            value = 100 * (before - after) / before if "share" in figure.id else before - after
        items.append(place.beside(figure.id, value, exchange.missing))
    series = [
        chart("figure-53", label, [{"x": rate, "y": delay(sizes, rate, ROUND_TRIP)} for rate in BIT_RATES])
        for label, sizes in (("uncompressed", plain), ("SigComp over TCP", sigcomp))
        if sizes
    ]
    return PaperMeasurement(items, series)


# ---- all of them

PLACES: dict[str, Callable[[Place], PaperMeasurement]] = {
    "Figure 2": figure_2,
    "Table 10": table_10,
    "Table 11": table_11,
    "Table 12": table_12,
    "Table 13": table_13,
    "Table 14": table_14,
    "Table 15": table_15,
    "Table 16": table_16,
    "Section 9.8": section_9_8,
    "Figures 45 and 46": figures_45_and_46,
    "Figure 47": figure_47,
    "Figures 51 and 52": figures_51_and_52,
    "Figure 53": figure_53,
    "Appendix D 14.4.3": hash_map,
    "Appendix G 14.7": sha1,
}


def measure(paper: Paper, where: str, run: Runner) -> PaperMeasurement:
    """Measures a place of phases one and two."""
    return PLACES.get(where, appendix)(Place(paper, where, run))


def _percent(exchange: Exchange) -> float | None:
    ratio = cell(exchange, exchange.sent, "ratio")
    return None if ratio is None else 100 * ratio


def _ratio(
    place: Place, identity: str, first: float | None, second: float | None, some: Exchange, column: str = "compressed"
) -> Item:
    return place.beside(identity, first / second if first and second else None, why_missing(some, column))


def _by_message(name: str, label: str, exchange: Exchange, what: str) -> Series:
    """A line over the messages of a sequence: the median time of a call in µs, or the compression ratio."""
    column = "ratio" if what == "ratio" else f"time-{what}"
    values = [cell(exchange, [message], column) for message in exchange.sent]
    points = [{"x": str(number), "y": value} for number, value in enumerate(values, 1) if value is not None]
    return chart(name, label, points)
