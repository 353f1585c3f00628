# SPDX-License-Identifier: Apache-2.0
"""The judge's remarks on a packet, short of refusing it.

Neither a remark nor a finding has a level: it is that of its requirement (`headroom.core.requirements`).
"""

from typing import NamedTuple


class Remark(NamedTuple):
    """A requirement broken by a packet that can be read all the same."""

    requirement: str
    sentence: str


class Finding(NamedTuple):
    """A requirement broken in a stream; `packet_index` counts the link packets from 0."""

    requirement: str
    packet_index: int
    sentence: str

    def __str__(self) -> str:
        return f"packet {self.packet_index}: {self.sentence} [{self.requirement}]"
