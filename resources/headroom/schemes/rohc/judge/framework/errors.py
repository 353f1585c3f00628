# SPDX-License-Identifier: Apache-2.0
"""Errors of link packets that cannot be decompressed. Each is a sentence with the section that it rests on."""

from __future__ import annotations

from headroom.schemes.rohc.judge.framework.fields import Field


class RohcError(Exception):
    """`requirement` is an id of resources/requirements; `section` is derived from it: "RFC 3095, 5.7.5"."""

    def __init__(self, requirement: str, sentence: str) -> None:
        super().__init__(sentence)
        self.requirement = requirement
        self.sentence = sentence
        self.fields: list[Field] = []  # what was read of the packet before the error
        self.cid: int | None = None  # as far as it was read
        self.feedback: list[bytes] = []  # feedback data that preceded the header

    @property
    def section(self) -> str:
        rfc, _, rest = self.requirement.removeprefix("RFC").partition("-")
        return f"RFC {rfc}, {rest.rpartition('-')[0]}"

    def __str__(self) -> str:
        return f"{self.sentence} ({self.section})"


class MalformedPacket(RohcError):
    """The octets cannot be what they claim to be."""


class Unsupported(RohcError):
    """Well-formed as far as this judge can see, but of a feature that it does not decode yet."""

    def __init__(self, requirement: str, sentence: str, feature: str) -> None:
        super().__init__(requirement, sentence)
        self.feature = feature


class NoContext(RohcError):
    """The packet refers to a context that has not been established."""


class WrongState(RohcError):
    """The state of the context forbids to decompress this kind of packet."""


class CrcMismatch(RohcError):
    """A CRC of the packet disagrees with what it covers."""
