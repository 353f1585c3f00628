# SPDX-License-Identifier: Apache-2.0
"""Errors of octets that have no format."""


class FormatError(Exception):
    """`section` is the place in RFC 6846 that the octets are not in accordance with."""

    def __init__(self, section: str, sentence: str) -> None:
        super().__init__(f"{sentence} (RFC 6846, {section})")
        self.section = section
        self.sentence = sentence
