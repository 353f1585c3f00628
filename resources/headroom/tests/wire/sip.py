# SPDX-License-Identifier: Apache-2.0
"""The SIP sequences of traffic-profiles/sip, read apart from the profile that sends them."""

from __future__ import annotations

import re

from headroom.core.paths import PROFILES

FOLDER = PROFILES / "sip"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))


def messages(name: str) -> list[tuple[str, bytes]]:
    """(">" or "<", message) of a sequence: lines in CRLF, Content-Length as long as the body is."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    found = re.findall(r"^(>>>|<<<) [^\n]*\n(.*?)(?=^>>> |^<<< |\Z)", text, re.MULTILINE | re.DOTALL)
    return [(arrow[0], _whole(part)) for arrow, part in found]


def _whole(part: str) -> bytes:
    head, _, body = part.partition("\n\n")
    body = body.replace("\n", "\r\n")
    head = head.rstrip("\n").replace("\n", "\r\n").replace("{length}", str(len(body.encode())))
    return f"{head}\r\n\r\n{body}".encode()
