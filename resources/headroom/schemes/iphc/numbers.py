# SPDX-License-Identifier: Apache-2.0
"""Packet sequence numbers (RFC 2507, 11.2) alone, for more packets than the judge would read in reasonable time."""

from __future__ import annotations

from collections.abc import Sequence

from headroom.core.finding import Finding
from headroom.core.scheme_kit.line import Sent
from headroom.schemes.iphc.judge import link


def judge(sent: Sequence[Sent]) -> list[Finding]:
    """Findings on the numbers of COMPRESSED_TCP. A full header may have any number, of which only a part is there."""
    findings: list[Finding] = []
    last: dict[int, int] = {}
    for number, packet in enumerate(sent):
        if packet.type == link.FULL:
            last.clear()
        if packet.type != link.TCP:
            continue
        try:
            mine = link.tcp_front(link.Octets(packet.link), numbered=True)
        except link.NotIphc as error:
            findings.append(Finding(str(error), "RFC2507-6-1", number))
            continue
        assert mine.number is not None
        before = last.get(mine.cid)
        if mine.number == 0:
            findings.append(Finding("the packet sequence number is zero", "RFC2507-11.2-3", number))
        elif before is not None and mine.number != before % 0xFFFF + 1:
            sentence = f"the packet sequence number {mine.number} follows {before}"
            findings.append(Finding(sentence, "RFC2507-11.2-2", number))
        last[mine.cid] = mine.number
    return findings
