# SPDX-License-Identifier: Apache-2.0
"""Packets that arrived over an impaired link, and how many of them may come out wrong.

A CRC of w bits lets a wrong header pass with the probability 2^-w (RFC 3095, 5.3.2.2.3: "residual bit errors in the
current header are only detected with good probability, not reliably"). The judge gets the same octets in the same
order. Each packet that it refuses or restores wrongly is at risk: it may come out wrong with that probability. If no
packet is at risk, none may come out wrong.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from headroom.core import replay
from headroom.core.chance import poisson_limit
from headroom.core.damaged_links import flipped
from headroom.schemes.rohc.conformance.observation import Observation, ObservedPacket
from headroom.schemes.rohc.judge import Decompressor
from headroom.schemes.rohc.judge.tcp import packets as tcp

ATTEMPTS = 2  # a decompressor may try a packet again with another reference (RFC 3095, 5.3.2.2.4 and 5.3.2.2.5)
# Nothing in tells that they are damaged (RFC 3095, 5.7.1 to 5.7.3): what they carry updates no context.
CRC_WIDTH = {
    **dict.fromkeys(("IR", "IR-DYN"), 8),
    **dict.fromkeys(("UOR-2", "UOR-2-ID", "UOR-2-TS", "R-0-CRC", *filter(tcp.has_crc_7, tcp.COMPRESSED)), 7),
    "IR-CR": 7,  # of the base context; the CRC-8 covers what is in the packet (RFC 4164, 3.5.1)
    **dict.fromkeys(("Normal", "R-0", "R-1", "R-1-ID", "R-1-TS"), 0),
}
TYPE_0_AND_1_WIDTH = 3  # and of what else is compressed by profile 0x0006


@dataclass(frozen=True)
class Arrival:
    """One link packet as it arrived, bits that were flipped on the way included."""

    time_ns: int
    seen: ObservedPacket
    octets: bytes
    status: str


@dataclass
class Balance:
    """Counts of arrived and of delivered packets. `chances` is the sum of 2^-w over the packets at risk."""

    arrived: int
    restored_by_judge: int
    at_risk: int
    chances: float
    wrong: int  # packets that the decompressor delivered with other octets
    delivered: int
    damaged_headers: int
    longest_outage: int  # packets in a row that arrived and were not delivered
    following: int = 0  # of the wrong packets, those in a context that a wrong packet before has spoilt

    @property
    def allowed(self) -> int:
        """Wrong packets that chance explains: the upper limit of a Poisson distribution at `CONFIDENCE`, and those that
        follow."""
        return poisson_limit(ATTEMPTS * self.chances) + self.following


def in_order(seen: Observation) -> list[Arrival]:
    """All arrivals of the forward direction in order. Of those at one time the ones that were held back come last."""
    results = []
    for packet in seen.packets:
        for part, arrival in replay.arrivals_of(packet.record):
            octets = flipped(bytes.fromhex(part["link"]), part.get("flipped", ()))
            late = bool(part.get("held")) and not arrival.get("duplicate")
            results.append(
                (
                    (arrival["time_ns"], late, packet.index),
                    Arrival(arrival["time_ns"], packet, octets, arrival["status"]),
                )
            )
    results.sort(key=lambda pair: pair[0])
    return [arrival for _, arrival in results]


def width_of(kind: str) -> int:
    """Bits of the CRC of a packet type."""
    return CRC_WIDTH.get(kind, TYPE_0_AND_1_WIDTH)


@dataclass(frozen=True)
class Judged:
    """An arrival, and the judge's outcome. `chance` is the probability that its CRC misses an error, 0..1; 0 for a
    packet that the judge restores. A wrong bit may change the type of a packet: then the CRC of the new type counts, if
    it has one.
    """

    arrival: Arrival
    is_right: bool
    is_missed: bool  # the judge restores another packet: its CRC is right all the same
    follows: bool  # it came out wrong as the packet of its context before it did, and the judge restores it
    chance: float


def judged(seen: Observation) -> Iterator[Judged]:
    """The judge on all arrivals but unfinished segments."""
    judges: dict[int, Decompressor] = {}
    was_wrong: dict[tuple[int, int | None], bool] = {}  # by context: its last packet that came out
    for arrival in in_order(seen):
        packet = arrival.seen
        outcome = judges.setdefault(packet.channel, Decompressor(seen.parameters)).decompress(arrival.octets)
        if outcome.is_unfinished:
            continue
        is_right = _is_original(outcome.delivered, packet)
        kind = outcome.packet.kind if outcome.packet is not None else packet.kind
        is_missed = outcome.delivered is not None and not is_right
        # A CRC is linear: it misses the same difference in the context packet after packet.
        context, is_wrong = (packet.channel, packet.cid), packet.verdict == "mismatched"
        follows = is_wrong and is_right and was_wrong.get(context, False)
        if arrival.status == "OK":
            was_wrong[context] = is_wrong
        yield Judged(arrival, is_right, is_missed, follows, 0.0 if is_right else 2.0 ** -width_of(kind))


def balance(seen: Observation) -> Balance:
    """Gives the judge and the decompressor the same arrivals, and counts."""
    arrived = list(judged(seen))
    outage = longest = 0
    for judgement in arrived:
        outage = 0 if judgement.arrival.status == "OK" else outage + 1
        longest = max(longest, outage)
    return Balance(
        len(arrived),
        sum(packet.is_right for packet in arrived),
        sum(not packet.is_right for packet in arrived),
        sum(packet.chance for packet in arrived),
        seen.done.count("mismatched"),
        seen.done.count("identical"),
        sum(has_damaged_header(packet.arrival.seen) for packet in arrived),
        longest,
        sum(packet.follows for packet in arrived),
    )


def _is_original(delivered: bytes | None, observed: ObservedPacket) -> bool:
    """True if a delivered packet equals the original, except for bits of the payload that the link flipped."""
    if delivered is None or len(delivered) != len(observed.original):
        return False
    packet = observed.outcome.packet if observed.outcome else None
    assert packet is not None and observed.link is not None
    payload = len(observed.link) - packet.end
    changed = [
        bit + 8 * (len(observed.original) - len(observed.link))
        for bit in observed.record.get("flipped", ())
        if bit >= 8 * packet.end
    ]
    return delivered == flipped(observed.original, [bit for bit in changed if payload])


def has_damaged_header(observed: ObservedPacket) -> bool:
    packet = observed.outcome.packet if observed.outcome else None
    return packet is not None and any(bit < 8 * packet.end for bit in observed.record.get("flipped", ()))
