# SPDX-License-Identifier: Apache-2.0
"""Keywords of the robustness suite of ULE: a receiver before TS packets that are lost, damaged, or hostile."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from robot.api.deco import keyword

from headroom.core import replay_metrics
from headroom.core.finding import Finding
from headroom.core.results import collector
from headroom.keywords import verdicts
from headroom.keywords.base import library
from headroom.keywords.cases import Case
from headroom.schemes.ule import comparison, damage, hostile, line, metrics
from headroom.schemes.ule.comparison import Comparison
from headroom.schemes.ule.keywords.conformance import JUDGE, about
from headroom.schemes.ule.vectors import Arrival

DAMAGE = ("lost", "doubled", "swapped", "marked", "bursts", "burst", "ber")


@library
class UleRobustnessKeywords:
    """The receiver of RFC 4326 that is the judge gets the same TS packets. What comes out of the receiver under test is
    what the judge delivers, and what it counts is what the judge notes."""

    @keyword("Damaged TS Packets Should Be Withstood")
    def damaged(self, source: str, **named: str) -> None:
        """Sends the TS packets of a traffic profile to a receiver, damaged.

        Shares of the TS packets: `lost`, `doubled`, `swapped`, `marked` by the transport error indicator; `bursts`, in
        which `burst` TS packets in a row are lost; `ber`, the share of inverted bits. All other named arguments are
        those of a replay.
        """
        case = about("decompressor")
        harm = damage.read({name: named.pop(name) for name in DAMAGE if name in named})
        config = case.config(source, named)
        sent = line.encapsulate(config)
        chance = random.Random(case.run.seed)
        packets = damage.across([octets for _, octets in sent.packets], harm, chance)
        result = _compared(case, [Arrival(octets) for octets in packets], config.channel)
        if not any(result.events.values()):
            raise AssertionError("The judge notes no event, so nothing was shown. Send more, or damage more.")
        if strange := set(result.units) - {pdu.octets for pdu in sent.pdus}:
            raise AssertionError(
                f"{len(strange)} units come out that no PDU was: a CRC of 32 bits missed their errors."
            )

    @keyword("Hostile TS Packets Should Be Withstood")
    def hostile(self, kind: str) -> None:
        """TS packets that no encapsulator sends. KIND: payload pointers, lengths, short contents, sizes, random octets,
        or pids."""
        case = about("decompressor")
        arrivals, channel = hostile.arrivals(kind, case.run.seed)
        _compared(case, arrivals, channel)


def _compared(case: Case, arrivals: Sequence[Arrival], channel: Mapping[str, Any]) -> Comparison:
    """Gives both receivers the same packets, and judges. Raises AssertionError."""
    asked: dict[str, Any] = {
        "max_channels": channel.get("channels", 1),
        "carriage": ["bridged"] if channel.get("bridged") else [],
        "extensions": ["concat"] if channel.get("concat", 1) > 1 else [],
    }
    case.require(**asked)
    result = comparison.compare(case.found, arrivals, channel, case.run.build)
    current = collector.current()
    current.metric(replay_metrics.LINK_PACKETS, len(arrivals))
    current.metric(metrics.UNITS, len(result.units))
    for event, times in result.events.items():
        if event in metrics.NOTED:
            current.metric(metrics.EVENTS(event=event), times)
    if result.wrong:
        verdicts.must_not_be(result.wrong)
    if result.milder:
        current.findings += [Finding(counter, judge=JUDGE, severity="should") for counter in result.counters]
        current.judge("non-strict", result.milder)
    return result
