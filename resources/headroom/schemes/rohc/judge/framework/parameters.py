# SPDX-License-Identifier: Apache-2.0
"""Parameters that are negotiated for a channel: RFC 3095, 5.1.1; RFC 5795, 5.1.2."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from headroom.schemes.rohc.judge.framework.cid import MAX_LARGE_CID, MAX_SMALL_CID
from headroom.schemes.rohc.judge.framework.profiles import OF_RFC_3095


@dataclass(frozen=True)
class Parameters:
    """Negotiated state of a channel (RFC 3095, 5.1.1).

    `profiles_known` is false where PROFILES was negotiated elsewhere, as for a capture: then a profile outside
    `profiles` is one that this judge cannot read, and no fault of the compressor.
    `feedback_large_cids` is LARGE_CIDS of the channel in the reverse direction, to whose compressor feedback on this
    channel goes; None if it is as here.
    """

    large_cids: bool = False
    max_cid: int = MAX_SMALL_CID
    profiles: frozenset[int] = frozenset(OF_RFC_3095)
    mrru: int = 0
    feedback_large_cids: bool | None = None
    profiles_known: bool = True

    def __post_init__(self) -> None:
        limit = MAX_LARGE_CID if self.large_cids else MAX_SMALL_CID
        if not 0 <= self.max_cid <= limit:
            kind = "large" if self.large_cids else "small"
            raise ValueError(f"MAX_CID {self.max_cid} is out of range: {kind} CIDs go from 0 to {limit}.")
        if self.mrru < 0:
            raise ValueError(f"MRRU is {self.mrru}; it is a number of octets, 0 forbids segments.")

    @property
    def feedback_cids_are_large(self) -> bool:
        return self.large_cids if self.feedback_large_cids is None else self.feedback_large_cids

    @staticmethod
    def of(config: dict) -> Parameters:
        """From an adapter's configuration: `cids`, `max_cid`, `profiles`, `mrru` of implementations/README.md."""
        profiles: Iterable[str] = config.get("profiles") or [f"0x{number:04x}" for number in OF_RFC_3095]
        return Parameters(
            large_cids=config.get("cids", "small") == "large",
            max_cid=int(config.get("max_cid", MAX_SMALL_CID)),
            profiles=frozenset(int(name, 16) for name in profiles),
            mrru=int(config.get("mrru", 0)),
        )
