# SPDX-License-Identifier: Apache-2.0
"""A line between a compressor and a decompressor, each of which is tested alone with a judge.

The compressor gets traffic, and the judge checks its link packets. The link packets that arrive, including damaged
ones, go to the decompressor, which must do the same as the judge's, packet by packet. This is for schemes in which a
packet becomes one link packet, and whose decompressor decides nothing itself, so that even its wrong packets after a
loss are known.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from headroom.core import implementations
from headroom.core.capabilities import Misbehaviour
from headroom.core.captures.dissection import LinkPacket
from headroom.core.finding import Finding
from headroom.core.implementations import Implementation
from headroom.core.matrix import Cell, Row
from headroom.core.replay import Replay, ReplayConfig
from headroom.core.scheme_kit import one_side
from headroom.core.scheme_kit.evidence import side_by_side
from headroom.core.scheme_kit.one_way import Judged, OneWay, chance_of
from headroom.core.text import nth

# Flows and packets of the traffic of a cell.
FEW = 4  # the smallest table of contexts in any axis holds them
MANY = 20  # most of their packets find no context of their own in a small table
PACKETS = 600


@dataclass(frozen=True)
class Sent:
    """A packet of the source, and the link packet that it became."""

    source: bytes
    type: int
    link: bytes
    channel: int = 0
    time_ns: int = 0

    @property
    def captured(self) -> LinkPacket:
        return LinkPacket(self.link, self.time_ns, self.type)


@dataclass(frozen=True)
class Compressed:
    """A compressor's link packets, and the packets that it refused."""

    sent: tuple[Sent, ...]
    refused: tuple[bytes, ...]
    done: Replay


@dataclass(frozen=True)
class Arrival:
    """An arrival at the decompressor: a link packet, or the report of a damaged one.

    `restored` is the judge's packet, None for nothing; `other` may come out in its place, and anything if the arrival
    is `free`. `source` is the packet that it was made of.
    """

    type: int
    octets: bytes
    restored: bytes | None
    channel: int = 0
    time_ns: int = 0
    source: bytes | None = None
    other: bytes | None = None
    free: bool = False

    @property
    def is_shifted(self) -> bool:
        """True if the judge restores it wrongly, as after a loss."""
        return self.restored is not None and self.restored != self.source

    def difference(self, output: bytes | None) -> str:
        """The difference of an output from the judge's, in words; "" if there is none."""
        if self.free or output == self.restored or (self.other is not None and output == self.other):
            return ""
        if output is None or self.restored is None:
            return "nothing may come out, but something does" if self.restored is None else "nothing comes out"
        at = next((n for n, (a, b) in enumerate(zip(output, self.restored, strict=False)) if a != b), None)
        where = f"of {len(output)} octets" if at is None else f"another one from octet {at} on"
        return f"a packet of {len(self.restored)} octets must come out, and {where} does"


@dataclass
class Wrong(Finding):
    """A finding on an `output` of a decompressor; the output is None if nothing came out."""

    output: bytes | None = None


class Follower(Protocol):
    """A judge that follows the packets of one channel."""

    def sent(self, source: bytes, type_: int, link: bytes) -> Sequence[Finding]:
        """The findings on the next link packet."""


class Outcome(Protocol):
    """The reading of a link packet by a decompressor's judge, as `Arrival` has it."""

    restored: bytes | None
    other: bytes | None
    free: bool


@dataclass(frozen=True)
class Line:
    """A scheme's line. `defaults` are the keys of its configuration that implementations declare, with their default
    values: a number is a limit, a word an element of a list.

    `follower` and `receiver` make the judges of a channel from its configuration: the compressor's, and the
    decompressor's, which is a function of the type and the octets of a link packet. `requirement` is broken by a
    decompressor with another output than the judge's. `error` is the type of the report of a damaged packet.
    """

    scheme: str
    defaults: Mapping[str, int | str]
    follower: Callable[[Mapping[str, Any]], Follower]
    receiver: Callable[[Mapping[str, Any]], Callable[[int, bytes], Outcome]]
    requirement: Callable[[Arrival], str]
    error: int = 0

    def asked(self, channel: Mapping[str, Any]) -> dict[str, Any]:
        """The capabilities that a configuration needs, as for `Implementation.lacks`."""
        values = {name: channel.get(name, value) for name, value in self.defaults.items()}
        return {name: value if isinstance(value, int) else [value] for name, value in values.items()}

    def channel(self, row: Row) -> dict[str, Any]:
        """The configuration of both sides of a row, whose axes have the names of its keys."""
        return {name: int(value) if value.isdecimal() else value for name, value in row.axes.items()}

    def compress(self, config: ReplayConfig) -> Compressed:
        """Runs a replay, and returns the compressor's link packets.

        Raises Misbehaviour if an adapter breaks a promise of the ABI, or sends link packets besides: a judge would not
        see them, and the decompressor would be blamed for what it makes of them.
        """
        result, (sources, on_the_link) = one_side.compress(config, "source", "link")
        sent, refused = [], []
        for record, source in zip(result.records, sources, strict=False):
            if "link" in record:
                link = bytes.fromhex(record["link"])
                sent.append(Sent(source.octets, record.get("link_type", 0), link, record["channel"], record["time_ns"]))
            else:
                refused.append(source.octets)
        if len(on_the_link) > len(sent):
            more = len(on_the_link) - len(sent)
            sentence = f"The compressor sends {more} link packets besides those that its packets became."
            raise Misbehaviour(sentence, "compressor")
        return Compressed(tuple(sent), tuple(refused), result)

    def follow(self, sent: Sequence[Sent], channel: Mapping[str, Any]) -> tuple[list[Finding], list[Any]]:
        """The findings on all link packets, by their index in `sent`, and the judges of the channels."""
        judges: dict[int, Any] = {}
        findings: list[Finding] = []
        for number, packet in enumerate(sent):
            judge = judges.setdefault(packet.channel, self.follower(channel))
            findings += [
                replace(finding, packet=number) for finding in judge.sent(packet.source, packet.type, packet.link)
            ]
        return findings, list(judges.values())

    def across(
        self, sent: Sequence[Sent], channel: Mapping[str, Any], lost: float = 0.0, damaged: float = 0.0, seed: int = 1
    ) -> list[Arrival]:
        """The arrivals over a line that loses and damages shares of the packets, with the judge's readings."""
        chance = random.Random(seed)
        judges: dict[int, Callable[[int, bytes], Outcome]] = {}
        arrivals = []
        for packet in sent:
            draw = chance.random()
            if draw < lost:
                continue
            type_, octets = (self.error, b"") if draw < lost + damaged else (packet.type, packet.link)
            judged = judges.setdefault(packet.channel, self.receiver(channel))(type_, octets)
            arrivals.append(
                Arrival(
                    type_,
                    octets,
                    judged.restored,
                    packet.channel,
                    packet.time_ns,
                    packet.source,
                    judged.other,
                    judged.free,
                )
            )
        return arrivals

    def decompress(
        self, implementation: Implementation, channel: Mapping[str, Any], arrivals: Sequence[Arrival], build: str
    ) -> list[Wrong]:
        """The differences between a decompressor and the judge. Raises Misbehaviour."""
        if not arrivals:
            return []
        packets = [
            {"time_ns": arrival.time_ns, "channel": arrival.channel, "type": arrival.type, "hex": arrival.octets.hex()}
            for arrival in arrivals
        ]
        result, came_out = one_side.decompress(self.scheme, implementation, packets, dict(channel), build)
        # Behind the records of the link packets there is one for each output at another time.
        done = [[entry["status"] for entry in record["decompressor"]] for record in result.records[: len(arrivals)]]
        if late := len(came_out) - sum(statuses.count("OK") for statuses in done):
            sentence = f"{late} packets come out when no link packet has arrived"
            return [Wrong(sentence, self.requirement(arrivals[-1]))]
        outputs = iter([packet.octets for packet in came_out])
        wrong = []
        for number, (arrival, statuses) in enumerate(zip(arrivals, done, strict=True)):
            mine = [next(outputs) for status in statuses if status == "OK"]
            output = mine[0] if mine else None
            difference = arrival.difference(output)
            if len(mine) > 1:
                difference, output = f"{len(mine)} packets come out, and no more than one may", mine[-1]
            if difference:
                names = ", ".join(statuses) or "nothing"
                sentence = f"{nth('link packet', number)} (type 0x{arrival.type:04x}): {difference} ({names})"
                wrong.append(Wrong(sentence, self.requirement(arrival), number, output=output))
        return wrong

    def cells(
        self, traffic: Sequence[str], crowded: Collection[str] = (), packets: int = PACKETS
    ) -> OneWay[Compressed]:
        """The scheme's cells, for link conditions whose `words` are shares of the packets: `lost`, `damaged`. Traffic
        in `crowded` has MANY flows, all other FEW."""
        return OneWay(
            {name: MANY if name in crowded else FEW for name in traffic},
            packets,
            lambda row: self.asked(self.channel(row)),
            self.channel,
            self.compress,
            self._judge,
            source=lambda link: [
                {"time_ns": packet.time_ns, "channel": packet.channel, "hex": packet.source.hex()}
                for packet in link.sent
            ],
            header=lambda link: link.done.header_length.get("mean"),
        )

    def _judge(self, cell: Cell, link: Compressed) -> Judged:
        """Judges the compressor by the rules, then the decompressor, over the link of the cell."""
        row, config = cell.row, self.channel(cell.row)
        findings, _ = self.follow(link.sent, config)
        arrivals = self.across(link.sent, config, seed=chance_of(cell).getrandbits(32), **cell.condition.words)
        wrong = self.decompress(implementations.find(row.decompressor), config, arrivals, row.build)
        changed = [arrival for arrival in arrivals if arrival.source not in (arrival.restored, arrival.other)]
        return Judged(
            findings,
            f"{wrong[0].sentence} ({wrong[0].requirement})" if wrong else "",
            delivered=sum(arrival.restored is not None and not arrival.is_shifted for arrival in arrivals) - len(wrong),
            first=_shown([*findings, *wrong], link.sent, arrivals),
            lacking=f"the judge does not restore {len(changed)} of {len(arrivals)} packets as they were"
            if changed and cell.condition.harmless and not wrong
            else "",
        )


def _shown(findings: Sequence[Finding], sent: Sequence[Sent], arrivals: Sequence[Arrival]) -> list[str]:
    """The packet of the first finding, as text: its source and its link packet, or the expected and the actual
    output.
    """
    if not findings or (number := findings[0].packet) is None:
        return []
    if isinstance(findings[0], Wrong):
        return side_by_side("must come out", arrivals[number].restored or b"", "came out", findings[0].output)
    return side_by_side("went in", sent[number].source, "on the link", sent[number].link)
