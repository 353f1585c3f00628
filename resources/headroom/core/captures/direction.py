# SPDX-License-Identifier: Apache-2.0
"""The sender of a frame: a line is two simplex links (RFC 1144, 2), each with contexts of its own.

Link type or capture name the sender of most frames (`sender`). For the others, `tell_apart` finds it. Packets with
addresses show on which side of the line each address is. A packet without addresses belongs to the side whose reader
restores it with the right checksum. If the checksum is right for both sides, the packets that follow decide. Feedback
belongs to the side whose peer it answers.
"""

import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass, field
from typing import NamedTuple

from headroom.core.captures.dissection import LinkPacket, LinkReader, Ours
from headroom.core.captures.framing import RECEIVED, SENT, Frame
from headroom.core.captures.reading import CapturedPacket

Ends = tuple[bytes, bytes]  # source and destination address
Side = tuple[bytes, int]  # a group of connected addresses, by one of them; and the side within the group

UNKNOWN = "direction unknown"
# Names of interfaces in the engine's captures, each of which has one direction of a link.
LINK_NAMES = ("forward", "reverse")
_PAIRS = (LINK_NAMES, ("sent", "received"), ("tx", "rx"), ("outbound", "inbound"), ("uplink", "downlink"))
OPPOSITES = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}
MOST_WORDS = 16  # most words of an interface's name that are compared
# Ends that stand for the flags of packets; no address is as long.
_FLAGGED = {SENT: b"sent by", RECEIVED: b"received from"}
MOST_ALIGNED = 3  # most groups of addresses that are tried on both ends, if no packet with a flag has them
MOST_SIDES = 16  # most sides of a line: a packet without addresses is tried on each
MOST_GUESSES = 32  # most guesses that are followed if a packet fits several sides


def sender(captured: CapturedPacket, frame: Frame) -> str:
    """The end that sent a frame, if link type or capture name it: a bearer, a MAC address, "sent" or "received"; else
    "".
    """
    return frame.bearer or frame.source.hex(":") or frame.direction or captured.direction


def ends_of(packet: bytes) -> Ends | None:
    """Source and destination of an IP packet; None without a whole header, or if the destination is a group."""
    version = packet[0] >> 4 if packet else 0
    if version == 4 and len(packet) >= 20:
        ends = packet[12:16], packet[16:20]
    elif version == 6 and len(packet) >= 40:
        ends = packet[8:24], packet[24:40]
    else:
        return None
    source, destination = map(ipaddress.ip_address, ends)
    if source.is_unspecified or destination.is_multicast or destination.packed == b"\xff" * 4:
        return None
    return None if source == destination else ends


def simplex_by_name(names: Mapping[int, str]) -> set[int]:
    """The interfaces that each have one direction of a line by their names, such as "forward", or "ppp0 tx" beside
    "ppp0 rx".
    """
    result = {number for number, name in names.items() if name.lower() in LINK_NAMES}
    alike: dict[tuple[str, ...], dict[str, list[int]]] = {}  # interfaces by the rest of the name and their direction
    for number, name in names.items():
        parts_of_name = re.findall("[a-z0-9]+", name.lower())
        for place, word in enumerate(parts_of_name[:MOST_WORDS]):
            if word in OPPOSITES:
                alike.setdefault((*parts_of_name[:place], "", *parts_of_name[place + 1 :]), {}).setdefault(
                    word, []
                ).append(number)
    for group in alike.values():
        result |= {number for word, numbers in group.items() if OPPOSITES[word] in group for number in numbers}
    return result


def simplex_by_ends(ends: Mapping[int, AbstractSet[Ends]]) -> set[int]:
    """The interfaces that each have one direction of a line by their packets' addresses: two of them are the two
    directions of one line.
    """
    interfaces: dict[Ends, set[int]] = {}
    for number, pairs in ends.items():
        for pair in pairs:
            interfaces.setdefault(pair, set()).add(number)
    single = {
        number
        for number, pairs in ends.items()
        if all(len(interfaces[a, b]) == 1 and number not in interfaces.get((b, a), ()) for a, b in pairs)
    }
    return {
        interface for interface in single if any(interfaces.get((b, a), set()) & single for a, b in ends[interface])
    }


@dataclass
class Sides:
    """The two sides of a line, by the addresses of its packets. `contradicted` are connected addresses that do not fit
    two sides, as A, B and C if each sends to the next.
    """

    parents: dict[bytes, Side] = field(default_factory=dict)
    contradicted: set[bytes] = field(default_factory=set)

    def add(self, ends: Ends) -> None:
        """Adds a packet with addresses: its source is on one side, its destination on the other."""
        (root, side), (other, its) = map(self.find, ends)
        if root != other:
            self.parents[other] = root, side ^ its ^ 1
        elif side == its:
            self.contradicted.add(root)

    def of(self, ends: Ends | None) -> Side | None:
        """The side that sent a packet; None if its addresses do not decide it."""
        if ends is None:
            return None
        root, side = self.find(ends[0])
        return None if any(self.find(address)[0] == root for address in self.contradicted) else (root, side)

    def find(self, address: bytes) -> Side:
        path, side = [], 0
        while (step := self.parents.setdefault(address, (address, 0)))[0] != address:
            path.append((address, side))
            address, side = step[0], side ^ step[1]
        for known, before in path:
            self.parents[known] = address, before ^ side
        return address, side


@dataclass(frozen=True)
class Senders:
    """The senders of the link packets of a line. `guessed` counts those that fit several sides equally well.
    `undecided` are indices of packets whose sender is UNKNOWN though they do not contradict any side.
    """

    senders: list[str]
    guessed: int = 0
    undecided: frozenset[int] = frozenset()


class _Step(NamedTuple):
    """A packet assigned to a side, after the packets before it."""

    before: "_Step | None"
    side: Side | None
    is_guessed: bool = False
    is_undecided: bool = False


@dataclass
class _Guess:
    """An assignment of the packets so far to the sides. `score` counts the evidence for it; between equal scores, the
    one with more changes of the sender (`turns`) wins.
    """

    readers: dict[Side, LinkReader]
    last: _Step | None = None
    score: int = 0
    turns: int = 0


def tell_apart(
    packets: Sequence[LinkPacket],
    ends: Sequence[Ends | None],
    flags: Sequence[str],
    others: Iterable[tuple[Ends, str]],
    reader: Callable[[], LinkReader],
) -> Senders:
    """The sender of each link packet of a line, as "from ADDRESS". `ends` are the packets' addresses, `flags` are
    "sent" or "received" for packets for which the capture gives it, `others` holds both for the line's other packets.
    UNKNOWN if no side fits; "" for all packets if there is only one side.
    """
    sides = Sides()
    pairs = [*((pair, flag) for pair, flag in zip(ends, flags, strict=True) if pair), *others]
    for pair, flag in pairs:
        sides.add(pair)
        if flag in _FLAGGED:
            sides.add((pair[0], _FLAGGED[OPPOSITES[flag]]))
    is_flagged = any(flag in _FLAGGED for flag in [*flags, *(flag for _, flag in pairs)])
    if is_flagged:
        sides.add((_FLAGGED[SENT], _FLAGGED[RECEIVED]))
    line = _Line(packets, ends, flags, [pair for pair, _ in pairs], reader)
    told, _ = _tell(line, sides, is_flagged)
    for _ in range(MOST_ALIGNED if is_flagged else 0):
        flagged = sides.find(_FLAGGED[SENT])[0]
        apart = (side[0] for pair in line.pairs if (side := sides.of(pair)) and side[0] != flagged)
        if (root := next(apart, None)) is None:
            break
        tried = []
        for end in _FLAGGED.values():
            aligned = deepcopy(sides)
            aligned.add((root, end))
            tried.append((*_tell(line, aligned, is_flagged), aligned))
        if tried[0][1] == tried[1][1]:
            break
        told, _, sides = max(tried, key=lambda attempt: attempt[1])
    return told


@dataclass(frozen=True)
class _Line:
    """The link packets of a line, with their addresses and flags; and all pairs of addresses on it."""

    packets: Sequence[LinkPacket]
    ends: Sequence[Ends | None]
    flags: Sequence[str]
    pairs: Sequence[Ends]
    reader: Callable[[], LinkReader]


def _tell(line: _Line, sides: Sides, is_flagged: bool) -> tuple[Senders, int]:
    """The senders for given sides, and the evidence for them."""
    names = {sides.find(end): flag for flag, end in _FLAGGED.items()} if is_flagged else {}
    for pair in line.pairs:
        if side := sides.of(pair):
            names.setdefault(side, f"from {ipaddress.ip_address(pair[0])}")
    if not 1 < len(names) <= MOST_SIDES:
        return Senders([""] * len(line.packets)), 0
    guesses = [_Guess({side: line.reader() for side in names})]
    for packet, pair, flag in zip(line.packets, line.ends, line.flags, strict=True):
        side = sides.find(_FLAGGED[flag]) if flag in _FLAGGED else sides.of(pair)
        guesses = [new for old in guesses for new in _follow(old, packet, side)]
        if len(guesses) > 1:
            guesses = sorted(guesses, key=lambda guess: (-guess.score, -guess.turns))[:MOST_GUESSES]
    steps = []
    step = guesses[0].last
    while step is not None:
        steps.append(step)
        step = step.before
    steps.reverse()
    senders = Senders(
        [UNKNOWN if step.side is None else names[step.side] for step in steps],
        sum(step.is_guessed for step in steps),
        frozenset(place for place, step in enumerate(steps) if step.is_undecided),
    )
    return senders, guesses[0].score


def _follow(guess: _Guess, packet: LinkPacket, known: Side | None) -> list[_Guess]:
    """The guesses that continue a guess with the next packet: one for each side that it fits equally well."""
    if known is not None:
        if len(guess.readers) > 2:  # other guesses may have the same reader
            guess.readers = {**guess.readers, known: guess.readers[known].copy()}
        guess.score += _rank(guess.readers[known].read(packet)) == _FITS
        guess.last = _Step(guess.last, known)
        return [guess]
    tried: dict[Side, tuple[LinkReader, Ours]] = {}
    for side, before in guess.readers.items():
        copy = before.copy()
        tried[side] = copy, copy.read(packet)
    is_feedback = all(ours.is_feedback for _, ours in tried.values())
    if is_feedback:
        ranks = {side: _answers(guess, side, reader) for side, (reader, _) in tried.items()}
    else:
        ranks = {side: _rank(ours) for side, (_, ours) in tried.items()}
    top = max(ranks.values())
    best = [side for side, rank in ranks.items() if rank == top]
    is_undecided = (not top or len(best) > 1) if is_feedback else (top == _UNCHECKED and len(best) > 1)
    if is_undecided or (top == _UNFIT and not is_feedback):
        guess.last = _Step(guess.last, None, is_undecided=is_undecided)
        return [guess]
    return [_given(guess, side, *tried[side], len(best) > 1) for side in best]


def _answers(guess: _Guess, side: Side, reader: LinkReader) -> int:
    peer = guess.readers.get(_opposite(side))
    return reader.answers(peer) if peer is not None else 0


def _opposite(side: Side) -> Side:
    return side[0], side[1] ^ 1


def _given(guess: _Guess, side: Side, reader: LinkReader, ours: Ours, is_guessed: bool) -> _Guess:
    peer = guess.readers.get(_opposite(side))
    score = (_rank(ours) == _FITS) + (peer is None or reader.is_plausible(peer))
    turn = guess.last is not None and guess.last.side != side
    step = _Step(guess.last, side, is_guessed)
    return _Guess({**guess.readers, side: reader}, step, guess.score + score, guess.turns + turn)


_UNFIT, _UNCHECKED, _FITS = range(3)


def _rank(ours: Ours) -> int:
    """A rank for how well a packet fits its reader's contexts; `_FITS` if a checksum confirms it."""
    if ours.error or ours.verified is False:
        return _UNFIT
    return _FITS if ours.verified else _UNCHECKED
