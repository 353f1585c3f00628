# SPDX-License-Identifier: Apache-2.0
"""A packet as it arrived from the link, with what an independent judge makes of it."""

from dataclasses import dataclass

from headroom.schemes.rohc.judge import Outcome
from headroom.schemes.rohc.judge.framework.errors import Unsupported


@dataclass
class Arrival:
    """A link packet as it arrived. `outcome` is what the judge makes of it; None if no judge can look.

    `damaged` is True if bits of its header were flipped. `flips` are the flipped bits of its payload, counted from the
    end of the packet: the last bit is 1.
    """

    index: int
    octets: bytes
    status: str
    verdict: str
    outcome: Outcome | None = None
    held: bool = False
    damaged: bool = False
    flips: tuple[int, ...] = ()
    time_ns: int = 0

    @property
    def cid(self) -> int | None:
        """The context that the judge reads in the packet; None if it cannot tell."""
        if self.outcome is None:
            return None
        return self.outcome.packet.cid if self.outcome.packet is not None else getattr(self.outcome.error, "cid", None)

    @property
    def kind(self) -> str:
        """Packet type as the judge reads it; "" if it does not."""
        packet = self.outcome.packet if self.outcome else None
        return packet.kind if packet is not None else ""

    @property
    def is_part(self) -> bool:
        """A segment after which the others of its unit are still to come."""
        return self.outcome is not None and self.outcome.is_unfinished

    @property
    def is_not_judged(self) -> bool:
        return self.outcome is None or isinstance(self.outcome.error, Unsupported)
