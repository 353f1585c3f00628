# SPDX-License-Identifier: Apache-2.0
"""Packet sequence numbers (RFC 2507, 11.2) alone, for more packets than the judge would read in reasonable time."""

from __future__ import annotations

from collections.abc import Sequence

from headroom.core.finding import Finding
from headroom.core.scheme_kit.line import Sent
from headroom.schemes.iphc.judge import link


def judge(sent: Sequence[Sent]) -> list[Finding]:
    """Findings on the numbers of COMPRESSED_TCP. A full header may have any number, of which only a part is there."""
    found: list[Finding] = []
    last: dict[int, int] = {}
    for number, one in enumerate(sent):
        if one.type == link.FULL:
            last.clear()
        if one.type != link.TCP:
            continue
        try:
            mine = link.tcp_front(link.Octets(one.link), numbered=True)
        except link.NotIphc as error:
            found.append(Finding(str(error), "RFC2507-6-1", number))
            continue
        assert mine.number is not None
        before = last.get(mine.cid)
        if mine.number == 0:
            found.append(Finding("the packet sequence number is zero", "RFC2507-11.2-3", number))
        elif before is not None and mine.number != before % 0xFFFF + 1:
            sentence = f"the packet sequence number {mine.number} follows {before}"
            found.append(Finding(sentence, "RFC2507-11.2-2", number))
        last[mine.cid] = mine.number
    return found
