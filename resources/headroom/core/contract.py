# SPDX-License-Identifier: Apache-2.0
"""The contract of a scheme: the types that a scheme fills in, and that all other modules use.

A scheme is data and a few functions: every difference between schemes is a field of `Scheme`. The functions import
their modules when they are called, so that finding all schemes (`core.scheme_registry`) costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias

from headroom.core.errors import UsageError
from headroom.core.metrics import Metric
from headroom.core.options import Option

if TYPE_CHECKING:
    import typer

    from headroom.core.captures.dissection import LinkDissector, PayloadDissector
    from headroom.core.damaged_links import DamagedType
    from headroom.core.implementations import Implementation
    from headroom.core.matrix import ArtefactStore, Cell, Result, Row, Traffic
    from headroom.core.papers.measured import MeasuredPaper
    from headroom.core.replay_options import ReplayWords
    from headroom.core.sentinels import Sentinel
    from headroom.core.workload import Workload

CLEAN = "clean"  # the link condition without any impairment, in every scheme


@dataclass(frozen=True)
class Value:
    """A value of an axis. `only` limits it to values of other axes, by their names; without it, the value combines with
    all.
    """

    name: str
    title: str = ""
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def can_go_with(self, axes: Mapping[str, str]) -> bool:
        return all(axes[name] in values for name, values in self.only.items())


@dataclass(frozen=True)
class LinkCondition(Value):
    """A condition of the link. `words` are for the scheme, which makes engine jobs of them.

    `share` is the part of the arriving packets that must be restored, 0..1. To restore fewer is a missed SHOULD
    ("non-strict"), because implementations are free in how soon they repair a context; 1 means all, and is a MUST.
    `harmless`: the receiver gets every packet, unchanged and in order. `brief`: a small matrix has this condition, too.
    """

    words: Mapping[str, object] = field(default_factory=dict)
    share: float = 1.0
    harmless: bool = False
    brief: bool = True


@dataclass(frozen=True)
class Axis:
    """An axis in which cells of the interop matrix differ. `name` is its key in results; `option` its plural, in
    options and declarations; `title` heads a column; `noun` stands in sentences. The first value is the default.
    """

    name: str
    option: str
    title: str
    noun: str
    values: tuple[Value, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(value.name for value in self.values)

    def title_of(self, name: str) -> str:
        return next((value.title for value in self.values if value.name == name), "") or name

    def find(self, word: str) -> str:
        """The name of a value, from its name or title in any spelling. Raises UsageError if there is none."""
        for value in self.values:
            if _plain(word) in (_plain(value.name), _plain(value.title) or None):
                return value.name
        titled = (
            (value.name, value.title if _plain(value.title) != _plain(value.name) else "") for value in self.values
        )
        known = ", ".join(f"{name} ({title})" if title else name for name, title in titled)
        raise UsageError(f"There is no {self.noun} '{word}'. Known: {known}.")


def _plain(title: str) -> str:
    return "".join(letter for letter in title.lower() if letter.isalnum())


@dataclass(frozen=True)
class CellTitles:
    """The texts of tables for the cells of a scheme. `size` is the key of a cell for octets on the link, "" if none are
    counted, and `size_format` its format; `passed` explains a pass and `what` the cells, as sentences.
    """

    sender: str
    traffic: str
    evidence: str
    passed: str
    what: str
    size: str = ""
    size_title: str = ""
    size_format: str = ""


@dataclass(frozen=True)
class Interop:
    """Runs two implementations of a scheme with each other; `core.matrix` calls these functions.

    `unsupported` gives the reason why two implementations cannot run a row, as a sentence, or "". `traffic` gives the
    traffic of a row's cells, limited to the traffic that the row names; `traffic_names` all traffic with a name. `run`
    gives the results of cells of one row, in their order. `captures`: the scheme carries capture files and recordings,
    too. `judges_packets`: deviations may concern single packets, by the rule that they break and by their fields.
    """

    titles: CellTitles
    unsupported: Callable[[Row], str]
    traffic: Callable[[Row], Sequence[Traffic]]
    traffic_names: Callable[[], Sequence[str]]
    run: Callable[[Sequence[Cell], ArtefactStore], list[Result]]
    captures: bool = False
    judges_packets: bool = False


@dataclass(frozen=True)
class Framing:
    """The appearance of a scheme's packets in captures: frames of their own, or payloads of UDP.

    Each number of an Ethernet type or PPP protocol comes with the packet format that it implies, such as `large CIDs`;
    "" if it implies none. `link_types` hold the scheme's packets without any frame, and come with their names.
    `formats` are the words by which a user gives a link type this format. `pdcp` holds the formats in PDCP of LTE and
    NR, without and with large CIDs; empty if PDCP does not carry the scheme's packets. `typed`: the PPP protocol is the
    type of a packet, and packets of all types make up one channel. `tcp_ports` carry its messages as streams. `others`
    are further places of its packets, in words.
    """

    ether_types: Mapping[int, str] = field(default_factory=dict)
    ppp_protocols: Mapping[int, str] = field(default_factory=dict)
    link_types: Mapping[int, str] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    pdcp: Mapping[bool, str] = field(default_factory=dict)
    udp_ports: tuple[int, ...] = ()
    tcp_ports: tuple[int, ...] = ()
    others: tuple[str, ...] = ()
    typed: bool = False

    def __str__(self) -> str:
        parts = [f"Ethernet type 0x{number:04X}" for number in self.ether_types]
        parts += ["PPP"] if self.ppp_protocols else []
        parts += [f"link type {number}" for number in self.link_types]
        parts += ["PDCP"] if self.pdcp else []
        parts += [f"UDP port {port}" for port in self.udp_ports]
        parts += [f"TCP port {port}" for port in self.tcp_ports]
        return ", ".join([*parts, *self.others])


@dataclass(frozen=True)
class DecodeOption:
    """An option of `./headroom decode` for facts that a capture does not hold. `least` and `most` bound a number; None:
    it is a text.
    """

    name: str
    help: str
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True)
class TrexStreams:
    """A program below traffic-profiles/trex that makes TRex's streams, for profiles whose packets have `headers`: the
    protocols from the outermost to the innermost. `what` describes such profiles.
    """

    program: str
    what: str
    headers: tuple[tuple[str, ...], ...]


class ReportSection(Protocol):
    """A section as the report uses it (`report.page.Section`): `id` is its identity on the page, `notes` are
    sentences below its title."""

    id: str
    notes: list[str]

    def go_on(self, other: Self) -> None:
        """Appends another section of the same identity."""


# Makes a section of records (result.schema.json); None if it is empty.
MakeSection: TypeAlias = "Callable[[list[dict[str, object]]], ReportSection | None]"


@dataclass(frozen=True)
class RequirementWords:
    """The words of a scheme's requirements (resources/requirements).

    `applies` holds keys that a requirement's `applies` may have besides the options of the axes, each with its values.
    `features` are those that an implementation may have or lack; `not_yet` maps those that no implementation here has
    to a text for the sentence "It is about …".
    """

    applies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    features: tuple[str, ...] = ()
    not_yet: Mapping[str, str] = field(default_factory=dict)


# Sends traffic of a seed over links that invert bits, and counts by packet type.
DamageLinks: TypeAlias = "Callable[[Scheme, int], Sequence[DamagedType]]"


@dataclass(frozen=True)
class Scheme:
    """A scheme. `name` is its word in configurations, declarations and tags; `title` is its name in sentences.

    `roles` are those of an adapter: compressor and decompressor, or endpoint. `described` are the capabilities that an
    adapter's own description must list, too; `listed` those that `./headroom list implementations` shows. `axes` and
    `links` span the interop matrix, whose cells `interop` runs; a scheme without axes is not in it.

    `subject` names it in the titles of reports. `metrics` are those that it adds to the registry. `report_sections` are
    functions that make one section of the report each from records, or None if it is empty, in this order. A section
    with the identity of another is appended to it. `workload` defines its measurement; None if only its own keywords
    measure it. `papers` are those that it reproduces, by key.

    `options` are for `./headroom run`, `replay_options` for `./headroom replay`; `replay` is the scheme's part of
    replays, None if it has none. `usual`: it is the default scheme of replays.

    `framing` and `dissector` are for captures. `commands` adds the scheme's own commands to the command line. `suites`
    is the folder of its conformance suites, below suites/, and `more_suites` lists further ones. `streams` are those
    that TRex can make of its profiles. `node_job` gives the job of a node that hosts an endpoint of an implementation,
    in a build, on the side of the compressor or the decompressor. `benchmarks` are the shortest runs of the reference's
    benchmarks: program and arguments, in which LIB stands for the folder of the adapters. `carries` names schemes whose
    link packets are its packets: its papers and traffic may use them. `compares` names schemes that its papers measure
    beside it. `sentinels` are the fixed work by which nights watch its cost. `damaged_links` is for `./headroom test
    --soak`; None if its link packets rely only on checks below them. `requirement_words` are the words of its
    requirements.
    """

    name: str
    title: str
    roles: tuple[str, ...]
    options: tuple[Option, ...] = ()
    replay_options: tuple[Option, ...] = ()
    replay: Callable[[], ReplayWords] | None = None
    usual: bool = False
    subject: str = ""
    metrics: Callable[[], Sequence[Metric]] = tuple
    report_sections: Callable[[], Sequence[MakeSection]] = tuple
    papers: Callable[[], Mapping[str, MeasuredPaper]] = dict
    workload: Callable[[], Workload] | None = None
    suites: str = ""
    more_suites: tuple[str, ...] = ()
    framing: Framing = Framing()
    dissector: Callable[[], LinkDissector | PayloadDissector] | None = None
    decode_options: tuple[DecodeOption, ...] = ()
    commands: Callable[[typer.Typer], None] | None = None
    streams: TrexStreams | None = None
    node_job: Callable[[Implementation, str, str], dict[str, object]] | None = None
    benchmarks: tuple[tuple[str, ...], ...] = ()
    described: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    axes: tuple[Axis, ...] = ()
    links: tuple[LinkCondition, ...] = ()
    carries: tuple[str, ...] = ()
    compares: tuple[str, ...] = ()
    sentinels: Callable[[], Sequence[Sentinel]] = tuple
    interop: Callable[[], Interop] | None = None
    damaged_links: Callable[[], DamageLinks] | None = None
    requirement_words: RequirementWords = RequirementWords()

    def cells(self) -> Interop:
        """The functions that run cells of the matrix. REQUIRES: the scheme is in the matrix."""
        assert self.interop is not None
        return self.interop()

    def axis(self, name: str) -> Axis:
        return next(axis for axis in self.axes if axis.name == name)

    def link(self, name: str) -> LinkCondition:
        """The link condition of a name. Raises UsageError if there is none."""
        condition = next((link for link in self.links if link.name == name), None)
        if condition is None:
            known = ", ".join(link.name for link in self.links)
            raise UsageError(f"There is no link condition '{name}'. Known: {known}.")
        return condition
