# SPDX-License-Identifier: Apache-2.0
"""Fields of link packets, as a judge reads them."""

from typing import NamedTuple


class Field(NamedTuple):
    """One field on the link: `position` of its first bit from the start of the link packet, `width` in bits."""

    name: str
    position: int
    width: int
    value: int

    def octets(self) -> bytes:
        """The value as octets; the width must be a multiple of eight."""
        return self.value.to_bytes(self.width // 8, "big")
