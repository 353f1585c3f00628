# SPDX-License-Identifier: Apache-2.0
"""What the judge has to say about a packet, short of refusing it."""

from typing import NamedTuple


class Remark(NamedTuple):
    """A rule broken by a packet that can be read all the same. `severity` is "must" or "should"."""

    requirement: str
    severity: str
    sentence: str


class Finding(NamedTuple):
    """A rule broken in a stream; `packet_index` counts the link packets from 0."""

    requirement: str
    severity: str
    packet_index: int
    sentence: str

    def __str__(self) -> str:
        return f"packet {self.packet_index}: {self.sentence} [{self.requirement}, {self.severity}]"


def must(requirement: str, sentence: str) -> Remark:
    return Remark(requirement, "must", sentence)


def should(requirement: str, sentence: str) -> Remark:
    return Remark(requirement, "should", sentence)
