# SPDX-License-Identifier: Apache-2.0
"""Wrong packets that chance explains: those that were at risk, and no more of them than their CRCs may miss.

A CRC of w bits lets a wrong header pass with the probability 2^-w (RFC 3095, 5.3.2.2.3). Damage to the payload does not
count: a decompressor passes it on unchanged, and the expected packet has the same bits flipped.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from headroom.core.chance import poisson_limit
from headroom.schemes.rohc.conformance.arrivals import ATTEMPTS, CRC_WIDTH, TYPE_0_AND_1_WIDTH
from headroom.schemes.rohc.interop.arrival import Arrival

# Right packets in a row that tell of a sound context. One alone does not: it may carry what the context has wrong.
SOUND = 4
DISTURBANCE_LASTS = 64  # packets after which a judge that cannot read them has nothing more to excuse


@dataclass(frozen=True)
class Chance:
    """`allowed` wrong packets at most are chance's; `unexplained` are wrong packets, by number, that never had one."""

    allowed: int = 0
    unexplained: tuple[int, ...] = ()


@dataclass
class _Contexts:
    """Contexts whose state is in doubt: a packet at risk came in them, and not `SOUND` in a row came out right since.

    None stands for all of them: a packet came that was too damaged to say whose it is.
    """

    right_since: dict[int | None, int] = field(default_factory=dict)

    def doubt(self, cid: int | None) -> None:
        self.right_since[cid] = 0

    def came_out(self, cid: int | None, right: bool) -> None:
        for number in {cid, None} & self.right_since.keys():
            self.right_since[number] = self.right_since[number] + 1 if right else 0
            if self.right_since[number] >= SOUND:
                del self.right_since[number]

    def is_in_doubt(self, cid: int | None) -> bool:
        return cid in self.right_since or None in self.right_since


def of(arrivals: Sequence[Arrival], restored: Callable[[Arrival], bool]) -> Chance:
    """Returns the largest number of wrong packets that chance explains, and the wrong packets that were never at risk.
    `restored` returns True if the judge restored an arrival as the original packet.

    A packet is at risk if the judge refuses it or restores it wrong. So are the later packets of its context until
    packets come out right again, because the decompressor may have accepted what the judge refused. Packets that the
    judge cannot read are at risk for a while after each disturbance of the link.
    """
    contexts = _Contexts()
    wrong: dict[int, bool] = {}  # by packet, whether it was at risk
    chances = 0.0
    disturbed = -DISTURBANCE_LASTS
    expected = 0
    for arrival in arrivals:
        if arrival.held or arrival.damaged or arrival.index != expected:
            disturbed = arrival.index
        expected = arrival.index + (not arrival.is_part)
        if arrival.is_part:
            continue
        width = TYPE_0_AND_1_WIDTH
        if arrival.is_not_judged:
            at_risk = arrival.index - disturbed < DISTURBANCE_LASTS
        else:
            assert arrival.outcome is not None
            width = CRC_WIDTH.get(arrival.kind, TYPE_0_AND_1_WIDTH)
            missed = not restored(arrival)
            at_risk = missed or contexts.is_in_doubt(arrival.cid)
            if missed and arrival.outcome.delivered is not None:
                width = 0  # the CRC detects nothing any more
            if missed:
                contexts.doubt(arrival.cid)
            else:
                contexts.came_out(arrival.cid, arrival.verdict == "identical")
        if at_risk:
            chances += 2.0**-width
        if arrival.verdict in ("mismatched", "unexpected"):
            wrong[arrival.index] = wrong.get(arrival.index, False) or at_risk
    return Chance(poisson_limit(ATTEMPTS * chances), tuple(sorted(n for n, at_risk in wrong.items() if not at_risk)))
