# SPDX-License-Identifier: Apache-2.0
"""The ROHC configuration option of IPCP and IPV6CP (RFC 3241, 2): a channel's parameters as PPP negotiates them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headroom.core.errors import UsageError

OPTION_TYPE, ROHC, PROFILES = 2, 0x0003, 1
SHORTEST = 10  # octets without suboptions
LARGEST_CID, LARGEST_SMALL_CID = 16383, 15


@dataclass(frozen=True)
class RohcOption:
    """The parameters that one end can receive. The defaults are the values that RFC 3241, 2.1 suggests."""

    profiles: frozenset[int]
    max_cid: int = 15
    mrru: int = 0  # octets
    max_header: int = 168  # octets; without consequence in the profiles of RFC 3095

    def octets(self) -> bytes:
        """The option as it is negotiated, profiles in ascending order."""
        profiles = b"".join(number.to_bytes(2, "big") for number in sorted(self.profiles))
        fields = b"".join(value.to_bytes(2, "big") for value in (ROHC, self.max_cid, self.mrru, self.max_header))
        suboption = bytes([PROFILES, 2 + len(profiles)]) + profiles
        return bytes([OPTION_TYPE, 2 + len(fields) + len(suboption)]) + fields + suboption

    def union(self, other: RohcOption) -> RohcOption:
        """The channel's parameters when IPCP and IPV6CP negotiate different ones: "the logical union" (RFC 3241, 3)."""
        return RohcOption(
            self.profiles | other.profiles,
            max(self.max_cid, other.max_cid),
            max(self.mrru, other.mrru),
            max(self.max_header, other.max_header),
        )

    def channel(self) -> dict[str, Any]:
        """The option as keys of a configuration (implementations/README.md).

        In PPP each packet may have small or large CIDs; an instance has only one kind, small if `max_cid` allows it.
        """
        return {
            "cids": "small" if self.max_cid <= LARGEST_SMALL_CID else "large",
            "max_cid": self.max_cid,
            "mrru": self.mrru,
            "profiles": [f"0x{number:04x}" for number in sorted(self.profiles)],
        }


def parse(octets: bytes) -> RohcOption:
    """Raises UsageError with a sentence when this is no such option."""
    if len(octets) < SHORTEST or octets[0] != OPTION_TYPE:
        raise UsageError(f"A ROHC option of IPCP has type 2 and {SHORTEST} octets or more, not '{octets.hex()}'.")
    if octets[1] != len(octets):
        raise UsageError(f"The option says that it has {octets[1]} octets, and has {len(octets)}.")
    protocol, max_cid, mrru, max_header = (int.from_bytes(octets[at : at + 2], "big") for at in (2, 4, 6, 8))
    if protocol != ROHC:
        raise UsageError(f"The option is for IP-Compression-Protocol 0x{protocol:04x}; ROHC is 0x{ROHC:04x}.")
    if max_cid > LARGEST_CID:
        raise UsageError(f"MAX_CID is {max_cid}, but must be at most {LARGEST_CID} (RFC 3241, 2.1).")
    return RohcOption(_profiles(octets[SHORTEST:]), max_cid, mrru, max_header)


def _profiles(suboptions: bytes) -> frozenset[int]:
    results: frozenset[int] | None = None
    while suboptions:
        length = suboptions[1] if len(suboptions) > 1 else 0
        if length < 2 or length > len(suboptions):
            raise UsageError(
                f"A suboption of {length} octets is not valid: it needs 2, and {len(suboptions)} are left."
            )
        if suboptions[0] == PROFILES:
            if length % 2:
                raise UsageError("The PROFILES suboption has octets that make no pairs (RFC 3241, 2.2).")
            numbers = [int.from_bytes(suboptions[at : at + 2], "big") for at in range(2, length, 2)]
            if numbers != sorted(set(numbers)):
                raise UsageError("The profiles of the PROFILES suboption are not in ascending order (RFC 3241, 2.2).")
            results = frozenset(numbers)
        suboptions = suboptions[length:]
    if results is None:
        raise UsageError("The PROFILES suboption is missing; it must be supplied (RFC 3241, 2.2).")
    return results
